"""Calls into an interpreter with values as scalars, for function types that ctypes does not support."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycoro._calltype import parse_call_type
from pycoro.errors import UsageError
from pycoro.running.decoded import value_from_scalars

if TYPE_CHECKING:
    from pycoro.running.machine import Machine

__all__ = ["Interpreted"]


class Interpreted:
    """Caller of functions of one type, by address. Undefined scalars of a result are None."""

    def __init__(self, machine: Machine, text: str) -> None:
        call = parse_call_type(text)
        self._machine, self._text = machine, text
        self._result = None if call.result == "void" else machine._kinds.kind(call.result)
        self._parameters = [machine._kinds.kind(parameter) for parameter in call.parameters]
        for kind in self._parameters:
            if kind.ctype is None:
                raise UsageError(f"a value of type {kind.text} cannot be passed from Python: {text}")

    def convert_arguments(self, *args: Any) -> list[Any]:
        """Return the arguments as bits. Raises TypeError or OverflowError."""
        if len(args) != len(self._parameters):
            raise TypeError(f"expected {len(self._parameters)} arguments ({self._text}), got {len(args)}")
        pairs = zip(self._parameters, args, strict=True)
        return [
            int.from_bytes(kind.to_bytes(kind.to_c(self._machine._share_memory_if_object(arg))), sys.byteorder)
            for kind, arg in pairs
        ]

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Pass the result to ``take``: None, a value, or a tuple."""
        given = self._machine._call_after_constructors(self._machine._core.call, function, tuple(values))
        take(value_from_scalars(self._result, iter(given)) if self._result else None)
