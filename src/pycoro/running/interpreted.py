"""Calls into an interpreter with values as scalars, for function types that ctypes does not support."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycoro._calltype import parse_call_type
from pycoro.running.decoded import value_from_scalars
from pycoro.running.machine import CallerOfType

if TYPE_CHECKING:
    from pycoro.running.engine import Engine

__all__ = ["Interpreted"]


class Interpreted(CallerOfType):
    """Caller of functions of one type, by address. Undefined scalars of a result are None."""

    def __init__(self, engine: Engine, text: str) -> None:
        super().__init__(engine, parse_call_type(text))

    def convert_arguments(self, *args: Any) -> list[Any]:
        """Return the arguments as bits. Raises TypeError or OverflowError."""
        return [
            int.from_bytes(kind.to_bytes(kind.to_c(self._engine._share_memory_and_return_value(arg))), sys.byteorder)
            for kind, arg in self._pair_with_parameters(args)
        ]

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Pass the result to ``take``: None, a value, or a tuple."""
        given = self._engine._call_after_constructors(self._engine._core.call, function, tuple(values))
        take(value_from_scalars(self._result, iter(given)) if self._result else None)
