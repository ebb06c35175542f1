"""Builder methods for debug information: source locations of functions, and their variables."""

from __future__ import annotations

from pycoro import _core
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import InsertionPoint
from pycoro.ir.value import Value

__all__ = ["DebugInfo"]


def _encode_without_nul(text: str, what: str) -> bytes:
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what} must not contain a lone surrogate: {text!r}") from None
    if b"\0" in data:
        raise UsageError(f"{what} must not contain a NUL: {text!r}")
    return data


def _check_line(line: int) -> int:
    if not 0 <= line < 1 << 32:
        raise UsageError(f"a line must be a number from 0 to 4294967295, not {line}")
    return line


class DebugInfo(InsertionPoint):
    """Debug information of functions and variables."""

    __slots__ = ()

    def describe_function(
        self, function: Function, file: str, line: int, *, directory: str = ".", name: str = "", optimized: bool = False
    ) -> None:
        """Add the source location and source name of a function. Afterwards its instructions can have locations: set the builder's
        ``debug`` to ``(line, column)``. Calls that may be inlined must have one."""
        check("function must be a Function", function, Function)
        data = (
            _encode_without_nul(name or function.name, "name"),
            _encode_without_nul(file, "file"),
            _encode_without_nul(directory, "directory"),
        )
        _core.ir_describe_function(function, *data, _check_line(line), optimized)

    def describe_variable(self, storage: Value, name: str, line: int, *, type: str = "") -> None:
        """Declare that an ``alloca`` stores a source variable, whose scope starts here. ``type`` is its source type. Debuggers
        show integers, floats and pointers; other types are omitted."""
        kind = type or str(getattr(storage, "element_type", ""))
        _core.ir_describe_variable(self._position(name), storage, _encode_without_nul(kind, "type"), _check_line(line))
