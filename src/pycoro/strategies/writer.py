"""What prints instructions: lines, labels and names; how variables and arguments are written."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from pycoro.strategies.kinds import alignment, teller
from pycoro.strategies.model import Coroutine, Variable

__all__ = ["Writer", "alloca_of", "arguments", "promise_alignment", "store_of"]


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
    def aside(self) -> Generator[list[str], None, None]:
        """Writes into the list that it gives instead."""
        lines, block = self.lines, self.block
        written: list[str] = []
        self.lines = written
        yield written
        self.lines, self.block = lines, block

    @contextmanager
    def elsewhere(self, block: str) -> Generator[None, None, None]:
        """Writes a block that comes after everything else."""
        with self.aside() as written:
            self.label(block)
            yield
        self.later += written


def alloca_of(variable: Variable) -> str:
    """The instruction that makes a variable."""
    error = "swifterror " if variable.error else ""
    return f"{variable.name} = alloca {error}{variable.kind}" + (f", align {variable.align}" if variable.align else "")


def store_of(variable: Variable) -> str:
    """The instruction that fills it."""
    return f"store {variable.kind} {variable.value}, ptr {variable.name}"


def promise_alignment(promise: Variable) -> int:
    """In bytes, as it must be said wherever a promise is found from a handle."""
    return promise.align or alignment(promise.kind)


def arguments(w: Writer, coroutine: Coroutine, values: Sequence[str], error: str = "") -> list[str]:
    """The arguments of a call: what is passed by value goes into memory first; ``error`` is what a swifterror is."""
    shown: list[str] = []
    for parameter, value in zip(coroutine.parameters, values, strict=True):
        if parameter.error:
            shown.append(f"ptr swifterror {error}")
        elif parameter.byval:
            memory = f"%given{w.number()}"
            w.entry.append(f"{memory} = alloca {parameter.byval}, align {parameter.align}")
            w.line(f"store {parameter.byval} {value}, ptr {memory}")
            shown.append(f"ptr byval({parameter.byval}) align {parameter.align} {memory}")
        else:
            shown.append(f"{parameter.kind} {value}")
    return shown
