"""Coroutines in the hands of those who call them, drivers and other coroutines alike: started, resumed, destroyed."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from pycoro.strategies.async_ import Contexts
from pycoro.strategies.model import Coroutine
from pycoro.strategies.retcon import Continuations
from pycoro.strategies.writer import Writer, arguments, promise_alignment

__all__ = ["Handle", "Held", "held"]


class Held(Protocol):
    """A coroutine of any ABI in the hands of its caller."""

    def start(self, callee: str, values: Sequence[str], *, safe: bool = False) -> None:
        """Begins it; ``safe`` says that its frame may be its caller's."""

    def resume(self) -> None:
        """Goes on with it, unless it is over."""

    def tell(self) -> None:
        """Tells what a resume has left to be told."""

    def destroy(self) -> None:
        """Ends its life."""


class Handle:
    """A coroutine of the switch ABI in the hands of its caller: checks what may be done with it before it is done.

    One without a final suspend point frees itself, and says so in a byte of its caller's, ``life``.
    """

    def __init__(self, writer: Writer, coroutine: Coroutine, name: str) -> None:
        self._w = writer
        self.coroutine = coroutine
        self.name = name
        self.life = f"{name}.life"

    def prepare(self) -> None:
        """Makes what its caller keeps of it."""
        if not self.coroutine.final:
            self._w.entry.append(f"{self.life} = alloca i8")
            self._w.line(f"store i8 0, ptr {self.life}")

    def start(self, callee: str, values: Sequence[str], *, safe: bool = False) -> None:
        """Calls the ramp."""
        self.prepare()
        attribute = " coro_elide_safe" if safe else ""
        self._w.line(f"{self.name} = call ptr @{callee}({self.arguments(values)}){attribute}")

    def arguments(self, values: Sequence[str]) -> str:
        """The arguments of the call of the ramp."""
        return ", ".join([*([] if self.coroutine.final else [f"ptr {self.life}"]), *arguments(self._w, self.coroutine, values)])

    def over(self) -> str:
        """Whether it is done, or gone: an i1."""
        if self.coroutine.final:
            return self._w.let("done", f"call i1 @llvm.coro.done(ptr {self.name})")
        life = self._w.let("life", f"load i8, ptr {self.life}")
        return self._w.let("gone", f"icmp ne i8 {life}, 0")

    @contextmanager
    def unless_over(self) -> Generator[str, None, None]:
        """What is written inside is done only while the coroutine can be resumed. Gives the label after it."""
        w = self._w
        number = w.number()
        w.line(f"br i1 {self.over()}, label %over{number}, label %go{number}")
        w.label(f"go{number}")
        yield f"over{number}"
        w.line(f"br label %over{number}")
        w.label(f"over{number}")

    def resume(self) -> None:
        """Resumes it unless it is over."""
        with self.unless_over():
            self._w.line(f"call void @llvm.coro.resume(ptr {self.name})")

    def tell(self) -> None:
        """Tells what a resume has left to be told."""
        if self.coroutine.final:
            self.tell_promise()

    def destroy(self) -> None:
        """Destroys it unless it is gone."""
        text = f"call void @llvm.coro.destroy(ptr {self.name})"
        if self.coroutine.final:
            self._w.line(text)
            return
        with self.unless_over():
            self._w.line(text)

    def tell_promise(self) -> None:
        """Tells the promise. Must be guarded where the coroutine may be gone."""
        promise = self.coroutine.promise
        if promise:
            align = promise_alignment(promise)
            place = self._w.let("place", f"call ptr @llvm.coro.promise(ptr {self.name}, i32 {align}, i1 false)")
            self._w.say(promise.kind, self._w.let("told", f"load {promise.kind}, ptr {place}, align {align}"))


def held(writer: Writer, coroutine: Coroutine, name: str) -> Held:
    """The coroutine in the hands of a caller whose function is being written; its names begin with the name."""
    if not coroutine.returned:
        return Handle(writer, coroutine, name)
    return Contexts(writer, coroutine, name) if coroutine.returned.context else Continuations(writer, coroutine, name)
