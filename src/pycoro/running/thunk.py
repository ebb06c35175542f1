"""Calls of functions that C cannot call, through thunks that the engine compiles.

C has no equivalent of a struct that LLVM returns in registers. A thunk calls the function and stores the result to memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycoro._calltype import CallType, parse_call_type
from pycoro.errors import UsageError
from pycoro.running.machine import CallerOfType

if TYPE_CHECKING:
    from pycoro.running.engine import Engine

__all__ = ["Thunk", "thunk_for"]

_UNSUPPORTED = ("swifterror", "inalloca", "preallocated")


def _thunk_ir(call: CallType, name: str) -> str:
    """Return the IR of a thunk; its parameters are the function, the result memory, and the arguments."""
    for attributes in call.attributes:
        for word in _UNSUPPORTED:
            if word in attributes:
                raise UsageError(
                    f"a function with a {word} parameter cannot be called from Python: {call.text}; "
                    "call it from a function of the module without such a parameter"
                )
    arguments = [f"{kind} {more} %a{n}" for n, (kind, more) in enumerate(zip(call.parameters, call.attributes, strict=True))]
    taken = ", ".join(["ptr %function", "ptr %result", *(f"{kind} %a{n}" for n, kind in enumerate(call.parameters))])
    made = f"call {call.convention} {call.result} %function({', '.join(arguments)})"
    store = "" if call.result == "void" else f"\n  store {call.result} %r, ptr %result"
    return f"define void @{name}({taken}) {{\n  {'%r = ' if store else ''}{made}{store}\n  ret void\n}}\n"


class Thunk(CallerOfType):
    """Caller of functions of one type, by address."""

    def __init__(self, engine: Engine, call: CallType) -> None:
        super().__init__(engine, call)
        name = f"__pycoro_call_{len(engine._thunks)}"
        engine._compile(_thunk_ir(call, name))
        pointer = ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(None, pointer, pointer, *(kind.ctype for kind in self._parameters))
        self._compiled_thunk = prototype(engine._core.lookup(name))

    def convert_arguments(self, *args: Any) -> list[Any]:
        """Convert the arguments for ctypes. Raises TypeError or OverflowError."""
        return [kind.to_c(arg) for kind, arg in self._pair_with_parameters(args)]

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Pass the result to ``take``: None, a value, or a tuple. This happens even if a callable raised an exception, which
        is raised here.
        """
        size = self._result.size if self._result else 0
        place = ctypes.create_string_buffer(max(size, 1) + 16)
        start = -(-ctypes.addressof(place) // 16) * 16
        self._engine._check_depth_and_run_constructors()
        try:
            self._engine._call_after_constructors(self._compiled_thunk, function, start, *values)
        finally:
            take(self._result.from_bytes(ctypes.string_at(start, size)) if self._result else None)


def thunk_for(engine: Engine, text: str) -> Thunk:
    """Return the engine's thunk for a call type."""
    if text not in engine._thunks:
        engine._thunks[text] = Thunk(engine, parse_call_type(text))
    thunk: Thunk = engine._thunks[text]
    return thunk
