"""What prints instructions: lines, labels and names; and what callers do with handles, drivers and parents alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pycoro.strategies.kinds import alignment, teller
from pycoro.strategies.model import Coroutine, Variable

__all__ = ["Handle", "Writer", "alloca_of", "arguments", "store_of"]


class Writer:
    """Lines of one function, ``entry`` the allocas that they need, ``told`` the types that they tell.

    Names that it makes are words with a number.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.later: list[str] = []
        self.entry: list[str] = []
        self.told: set[str] = set()
        self.block = "entry"
        self._count = 0

    def line(self, text: str) -> None:
        """Writes an instruction."""
        self.lines.append(f"  {text}")

    def label(self, block: str) -> None:
        """Begins a block."""
        self.lines += ["", f"{block}:"]
        self.block = block

    def number(self) -> int:
        """A number that was not given before."""
        self._count += 1
        return self._count

    def let(self, word: str, text: str) -> str:
        """Writes an instruction with a result; its name."""
        name = f"%{word}{self.number()}"
        self.line(f"{name} = {text}")
        return name

    def say(self, kind: str, value: str) -> None:
        """Tells a value to the outside."""
        self.told.add(kind)
        self.line(f"call void @{teller(kind)}({kind} {value})")

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Writes into the list that it gives instead."""
        lines, block = self.lines, self.block
        written: list[str] = []
        self.lines = written
        yield written
        self.lines, self.block = lines, block

    @contextmanager
    def elsewhere(self, block: str) -> Iterator[None]:
        """Writes a block that comes after everything else."""
        with self.aside() as written:
            self.label(block)
            yield
        self.later += written


def alloca_of(variable: Variable) -> str:
    """The instruction that makes a variable."""
    return f"{variable.name} = alloca {variable.kind}" + (f", align {variable.align}" if variable.align else "")


def store_of(variable: Variable) -> str:
    """The instruction that fills it."""
    return f"store {variable.kind} {variable.value}, ptr {variable.name}"


def promise_alignment(promise: Variable) -> int:
    """In bytes, as it must be said wherever a promise is found from a handle."""
    return promise.align or alignment(promise.kind)


def arguments(w: Writer, coroutine: Coroutine, values: Sequence[str]) -> list[str]:
    """The arguments of a call: what is passed by value goes into memory first."""
    shown = []
    for parameter, value in zip(coroutine.parameters, values, strict=True):
        if parameter.byval:
            memory = f"%given{w.number()}"
            w.entry.append(f"{memory} = alloca {parameter.byval}, align {parameter.align}")
            w.line(f"store {parameter.byval} {value}, ptr {memory}")
            shown.append(f"ptr byval({parameter.byval}) align {parameter.align} {memory}")
        else:
            shown.append(f"{parameter.kind} {value}")
    return shown


class Handle:
    """A coroutine of the switch ABI in the hands of its caller: checks what may be done with it before it is done.

    One without a final suspend point frees itself, and says so in a byte of its caller's, ``life``.
    """

    def __init__(self, writer: Writer, coroutine: Coroutine, name: str, life: str) -> None:
        self._w = writer
        self.coroutine = coroutine
        self.name = name
        self.life = life

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
    def unless_over(self) -> Iterator[str]:
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
