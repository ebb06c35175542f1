"""Print instructions, labels and names; spell allocas and arguments."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from pycoro.strategies.kinds import abi_alignment, reporter_name
from pycoro.strategies.model import Coroutine, Variable

__all__ = ["FallsThrough", "Writer", "alloca_of", "call_arguments_storing_byvals", "promise_alignment", "store_of"]

FallsThrough: TypeAlias = bool
"""True if control reaches the statement after the printed one."""


class Writer:
    """Lines of one function; ``entry`` holds its allocas, and ``reported`` the types that it reports.

    Generated names are a word with a number.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.later: list[str] = []
        self.entry: list[str] = []
        self.reported: set[str] = set()
        self.block = "entry"
        self._count = 0

    def add_line(self, text: str) -> None:
        """Append an instruction."""
        self.lines.append(f"  {text}")

    def begin_block(self, block: str) -> None:
        """Begin a block."""
        self.lines += ["", f"{block}:"]
        self.block = block

    def fresh_number(self) -> int:
        """Return a fresh number."""
        self._count += 1
        return self._count

    def add_result(self, word: str, text: str) -> str:
        """Append an instruction with a result, and return its name."""
        name = f"%{word}{self.fresh_number()}"
        self.add_line(f"{name} = {text}")
        return name

    def report(self, kind: str, value: str) -> None:
        """Print the report of a value to the host."""
        self.reported.add(kind)
        self.add_line(f"call void @{reporter_name(kind)}({kind} {value})")

    @contextmanager
    def redirect_lines(self) -> Generator[list[str], None, None]:
        """Redirect output into the yielded list."""
        lines, block = self.lines, self.block
        written: list[str] = []
        self.lines = written
        yield written
        self.lines, self.block = lines, block

    @contextmanager
    def print_block_at_end(self, block: str) -> Generator[None, None, None]:
        """Print a block that comes after all others."""
        with self.redirect_lines() as written:
            self.begin_block(block)
            yield
        self.later += written


def alloca_of(variable: Variable) -> str:
    """Return the alloca instruction."""
    error = "swifterror " if variable.error else ""
    return f"{variable.name} = alloca {error}{variable.kind}" + (f", align {variable.align}" if variable.align else "")


def store_of(variable: Variable) -> str:
    """Return the store that initializes it."""
    return f"store {variable.kind} {variable.value}, ptr {variable.name}"


def promise_alignment(promise: Variable) -> int:
    """Return the alignment in bytes that every llvm.coro.promise must state."""
    return promise.align or abi_alignment(promise.kind)


def call_arguments_storing_byvals(w: Writer, coroutine: Coroutine, values: Sequence[str], error: str = "") -> list[str]:
    """Return the arguments of a call, and print stores of byval arguments to allocas; ``error`` is the swifterror argument."""
    shown: list[str] = []
    for parameter, value in zip(coroutine.parameters, values, strict=True):
        if parameter.error:
            shown.append(f"ptr swifterror {error}")
        elif parameter.byval:
            memory = f"%given{w.fresh_number()}"
            w.entry.append(f"{memory} = alloca {parameter.byval}, align {parameter.align}")
            w.add_line(f"store {parameter.byval} {value}, ptr {memory}")
            shown.append(f"ptr byval({parameter.byval}) align {parameter.align} {memory}")
        else:
            shown.append(f"{parameter.kind} {value}")
    return shown
