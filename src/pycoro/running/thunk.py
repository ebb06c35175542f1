"""Functions that C cannot call, called by code of the engine's own.

A struct that LLVM returns in registers is nothing that C can take: a thunk calls the function and stores what it gives.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycoro._calltype import CallType, parse_call_type
from pycoro.errors import UsageError
from pycoro.running.kinds import Kind, Kinds

if TYPE_CHECKING:
    from pycoro.running.machine import Machine

__all__ = ["Thunk", "thunk_for"]

_UNSUPPORTED = ("swifterror", "inalloca", "preallocated")


def _code(call: CallType, name: str) -> str:
    """IR of a function that takes another, a place for its result, and its arguments."""
    for attributes in call.attributes:
        for word in _UNSUPPORTED:
            if word in attributes:
                raise UsageError(f"a function with a {word} parameter cannot be called from Python: {call.text}")
    arguments = [f"{kind} {more} %a{n}" for n, (kind, more) in enumerate(zip(call.parameters, call.attributes, strict=True))]
    taken = ", ".join(["ptr %function", "ptr %result", *(f"{kind} %a{n}" for n, kind in enumerate(call.parameters))])
    made = f"call {call.convention} {call.result} %function({', '.join(arguments)})"
    store = "" if call.result == "void" else f"\n  store {call.result} %r, ptr %result"
    return f"define void @{name}({taken}) {{\n  {'%r = ' if store else ''}{made}{store}\n  ret void\n}}\n"


def _result_kind(call: CallType, kinds: Kinds) -> Kind | None:
    """Of what the thunk stores; None where there is nothing."""
    return None if call.result == "void" else kinds.kind(call.result)


class Thunk:
    """Calls functions of one kind by their addresses."""

    def __init__(self, engine: Machine, call: CallType) -> None:
        name = f"__pycoro_call_{len(engine._thunks)}"
        self._engine, self._text, self._result = engine, call.text, _result_kind(call, engine._kinds)
        self._parameters = [engine._kinds.kind(text) for text in call.parameters]
        for kind in self._parameters:
            if kind.ctype is None:
                raise UsageError(f"a value of type {kind.text} cannot be passed from Python: {call.text}")
        engine._compile(_code(call, name))
        pointer = ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(None, pointer, pointer, *(kind.ctype for kind in self._parameters))
        self._code = prototype(engine._core.lookup(name))

    def values(self, *args: Any) -> list[Any]:
        """The arguments as ctypes wants them. TypeError, OverflowError."""
        if len(args) != len(self._parameters):
            raise TypeError(f"{len(self._parameters)} arguments are taken ({self._text}), not {len(args)}")
        return [kind.to_c(arg) for kind, arg in zip(self._parameters, args, strict=True)]

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Hands over the result: None, a value, or a tuple of them. It is there as well where a callable has raised an
        exception, which is raised here."""
        size = self._result.size if self._result else 0
        place = ctypes.create_string_buffer(max(size, 1) + 16)
        start = -(-ctypes.addressof(place) // 16) * 16
        self._engine._ready()
        try:
            self._engine._enter(self._code, function, start, *values)
        finally:
            take(self._result.from_bytes(ctypes.string_at(start, size)) if self._result else None)


def thunk_for(engine: Machine, text: str) -> Thunk:
    """The engine's for functions that are called so."""
    if text not in engine._thunks:
        engine._thunks[text] = Thunk(engine, parse_call_type(text))
    thunk: Thunk = engine._thunks[text]
    return thunk
