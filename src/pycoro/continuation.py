"""Coroutines that return their continuations, run in an engine."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pycoro._calltype import CallType, parse_call_type, result_type, thunk
from pycoro._lltype import parse_type
from pycoro.errors import CoroutineError, UsageError

if TYPE_CHECKING:
    from pycoro.coroutine import RetconShape
    from pycoro.engine import Engine

__all__ = ["Continuation"]


def _caller(engine: Engine, call: CallType) -> Callable[..., Any]:
    """Calls a function of that kind by its address, and gives its result: None, a value, or a tuple of them."""
    name = f"__pycoro_call_{len(engine._thunks)}"
    result = result_type(call)
    parameters = [parse_type(text) for text in call.parameters]
    for kind in parameters:
        if kind.ctype is None:
            raise UsageError(f"a value of type {kind.text} cannot be passed from Python: {call.text}")
    engine._compile(thunk(call, name))
    pointer = ctypes.c_void_p
    code = ctypes.CFUNCTYPE(None, pointer, pointer, *(kind.ctype for kind in parameters))(engine._core.lookup(name))

    def enter(function: int, *args: Any) -> Any:
        if len(args) != len(parameters):
            raise TypeError(f"{len(parameters)} arguments are taken ({call.text}), not {len(args)}")
        place = ctypes.create_string_buffer(max(result.size if result else 0, 1) + 16)
        start = -(-ctypes.addressof(place) // 16) * 16
        engine._enter(code, function, start, *(kind.to_c(arg) for kind, arg in zip(parameters, args, strict=True)))
        return result.from_bytes(ctypes.string_at(start, result.size)) if result else None

    return enter


def _call(engine: Engine, text: str) -> Callable[..., Any]:
    if text not in engine._thunks:
        engine._thunks[text] = _caller(engine, parse_call_type(text))
    return engine._thunks[text]


class Continuation:
    """A suspended coroutine of the returned-continuation ABIs, and the buffer that its frame lies in or hangs on.

    Nobody frees the frame of one that is dropped before its end: resume it so that it ends. ``with`` does that at its
    end where ``abandon``, the values to resume it with then, were given to ``Engine.begin``.
    """

    __slots__ = (
        "__weakref__",
        "_abandon",
        "_address",
        "_engine",
        "_memory",
        "_results",
        "_resume",
        "_shape",
        "_yielded",
        "buffer",
        "name",
    )

    name: str
    """Of the ramp, without the ``@``."""
    buffer: int
    """Address of the caller's buffer."""

    def __init__(
        self, engine: Engine, name: str, shape: RetconShape, args: tuple[Any, ...], abandon: tuple[Any, ...] | None
    ) -> None:
        place = shape.storage_argument
        if place is None:
            raise UsageError(f"@{name} does not take its buffer as an argument: call it from code of its own")
        if len(args) < place:
            raise TypeError(f"@{name} takes {place} arguments before its buffer, not {len(args)}")
        self.name = name
        self._engine, self._shape, self._abandon = engine, shape, abandon
        self._memory = ctypes.create_string_buffer(shape.storage_size + shape.storage_align)
        self.buffer = -(-ctypes.addressof(self._memory) // shape.storage_align) * shape.storage_align
        self._resume = _call(engine, shape.resume_type)
        self._results: Any = None
        self._address = 0
        self._yielded: tuple[Any, ...] = ()
        self._take(_call(engine, shape.ramp_type)(engine._core.lookup(name), *args[:place], self.buffer, *args[place:]))

    def _take(self, given: Any) -> None:
        """What the ramp or a continuation has returned: the next continuation, and what was yielded."""
        values = given if isinstance(given, tuple) else (given,)
        self._address = values[0] or 0
        self._yielded = values[1:] if self._address else ()

    def resume(self, *args: Any) -> None:
        """Runs it to its next suspend or its end, which get these values. ``CoroutineError`` where it has ended."""
        if not self._address:
            raise CoroutineError(f"@{self.name} has ended: it cannot be resumed")
        address, self._address = self._address, 0  # ended, if an exception leaves it
        given = self._resume(address, self.buffer, *args)
        if self._shape.once:
            self._results, self._yielded = given, ()
        else:
            self._take(given)

    @property
    def yielded(self) -> tuple[Any, ...]:
        """The values of the suspend that it is at; empty where it has ended."""
        return self._yielded

    @property
    def done(self) -> bool:
        """Whether it has ended, and its frame is gone."""
        return not self._address

    @property
    def results(self) -> Any:
        """What one that yields once gave at its end: None, a value, or a tuple of them."""
        if self._address:
            raise CoroutineError(f"@{self.name} has not ended yet: it has no results")
        return self._results

    def __enter__(self) -> Continuation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._address and self._abandon is not None and not self._engine.closed:
            self.resume(*self._abandon)

    def __repr__(self) -> str:
        state = "ended" if self.done else f"yields {', '.join(map(repr, self._yielded)) or 'nothing'}"
        return f"<Continuation @{self.name}: {state}>"
