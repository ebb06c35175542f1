"""Print code that starts, resumes and destroys a coroutine, for drivers and for coroutines with children."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from pycoro.strategies.async_ import Contexts
from pycoro.strategies.model import Coroutine
from pycoro.strategies.retcon import Continuations
from pycoro.strategies.writer import Writer, call_arguments_storing_byvals, promise_alignment

__all__ = ["Handle", "Held", "handle_printer_for"]


class Held(Protocol):
    """Code generator for a coroutine of any ABI that a caller holds."""

    def print_creation(self, callee: str, values: Sequence[str], *, elide_safe: bool = False) -> None:
        """Start it; ``elide_safe`` permits to allocate its frame in the caller's."""

    def print_resume_unless_done(self) -> None:
        """Resume it, unless it is done."""

    def report_values_not_yet_reported(self) -> None:
        """Report the values of a resume."""

    def print_end_of_lifetime(self) -> None:
        """End its lifetime."""


class Handle:
    """A coroutine of the switch ABI with run-time checks before each operation.

    Without a final suspend point, the coroutine frees itself and sets a byte of its caller, ``life``.
    """

    def __init__(self, writer: Writer, coroutine: Coroutine, name: str) -> None:
        self._w = writer
        self.coroutine = coroutine
        self.name = name
        self.life = f"{name}.life"

    def print_cleared_life_alloca_unless_final(self) -> None:
        """Print the alloca of the life flag, cleared."""
        if not self.coroutine.final:
            self._w.entry.append(f"{self.life} = alloca i8")
            self._w.add_line(f"store i8 0, ptr {self.life}")

    def print_creation(self, callee: str, values: Sequence[str], *, elide_safe: bool = False) -> None:
        """Call the ramp."""
        self.print_cleared_life_alloca_unless_final()
        attribute = " coro_elide_safe" if elide_safe else ""
        self._w.add_line(f"{self.name} = call ptr @{callee}({self.ramp_arguments_storing_byvals(values)}){attribute}")

    def ramp_arguments_storing_byvals(self, values: Sequence[str]) -> str:
        """Return the arguments of the ramp call."""
        return ", ".join(
            [
                *([] if self.coroutine.final else [f"ptr {self.life}"]),
                *call_arguments_storing_byvals(self._w, self.coroutine, values),
            ]
        )

    def print_done_or_freed_query(self) -> str:
        """Return an i1: the coroutine is done or freed."""
        if self.coroutine.final:
            return self._w.add_result("done", f"call i1 @llvm.coro.done(ptr {self.name})")
        life = self._w.add_result("life", f"load i8, ptr {self.life}")
        return self._w.add_result("gone", f"icmp ne i8 {life}, 0")

    @contextmanager
    def run_unless_done_or_freed(self) -> Generator[str, None, None]:
        """Guard the enclosed code by a check that the coroutine can be resumed. Yields the label after it."""
        w = self._w
        number = w.fresh_number()
        w.add_line(f"br i1 {self.print_done_or_freed_query()}, label %over{number}, label %go{number}")
        w.begin_block(f"go{number}")
        yield f"over{number}"
        w.add_line(f"br label %over{number}")
        w.begin_block(f"over{number}")

    def print_resume_unless_done(self) -> None:
        """Resume it unless it is done."""
        with self.run_unless_done_or_freed():
            self._w.add_line(f"call void @llvm.coro.resume(ptr {self.name})")

    def report_values_not_yet_reported(self) -> None:
        """Report the values of a resume."""
        if self.coroutine.final:
            self.report_promise()

    def print_end_of_lifetime(self) -> None:
        """Destroy it unless it is freed."""
        text = f"call void @llvm.coro.destroy(ptr {self.name})"
        if self.coroutine.final:
            self._w.add_line(text)
            return
        with self.run_unless_done_or_freed():
            self._w.add_line(text)

    def report_promise(self) -> None:
        """Report the promise; needs a guard if the coroutine may be freed."""
        promise = self.coroutine.promise
        if promise:
            align = promise_alignment(promise)
            place = self._w.add_result("place", f"call ptr @llvm.coro.promise(ptr {self.name}, i32 {align}, i1 false)")
            self._w.report(promise.kind, self._w.add_result("told", f"load {promise.kind}, ptr {place}, align {align}"))


def handle_printer_for(writer: Writer, coroutine: Coroutine, name: str) -> Held:
    """Return the generator for a coroutine of the function being printed; its names begin with ``name``."""
    if not coroutine.returned:
        return Handle(writer, coroutine, name)
    return Contexts(writer, coroutine, name) if coroutine.returned.context else Continuations(writer, coroutine, name)
