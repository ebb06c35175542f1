"""Debug information of what is built: where a function is from, and its variables, for a debugger to show."""

from __future__ import annotations

from pycoro import _core
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.ir.function import Function
from pycoro.ir.standing import Standing
from pycoro.ir.value import Value

__all__ = ["Describing"]


def _bytes(text: str, what: str) -> bytes:
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what} has no half of a character in it, and {text!r} does") from None
    if b"\0" in data:
        raise UsageError(f"{what} has no NUL in it, and {text!r} does")
    return data


def _line(line: int) -> int:
    if not 0 <= line < 1 << 32:
        raise UsageError(f"a line is a number from 0 to 4294967295, and not {line}")
    return line


class Describing(Standing):
    """Describes functions and variables."""

    __slots__ = ()

    def describe_function(
        self, function: Function, file: str, line: int, *, directory: str = ".", name: str = "", optimized: bool = False
    ) -> None:
        """Says where in a source a function is from, and what it is called there. From then on it has lines: the builder's
        ``debug`` says which one an instruction is from, as ``(line, column)``; calls that may be inlined have to be from one."""
        check("a Function is needed", function, Function)
        data = (_bytes(name or function.name, "a name"), _bytes(file, "a file's name"), _bytes(directory, "a directory"))
        _core.ir_describe_function(function, *data, _line(line), optimized)

    def describe_variable(self, storage: Value, name: str, line: int, *, type: str = "") -> None:
        """Says that an ``alloca`` is a variable of the source, which begins here. ``type`` is what it is called there. Integers,
        floats and pointers are shown; others are left out."""
        kind = type or str(getattr(storage, "element_type", ""))
        _core.ir_describe_variable(self._place(name), storage, _bytes(kind, "a type's name"), _line(line))
