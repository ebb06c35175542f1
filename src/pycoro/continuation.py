"""Coroutines that return their continuations, run in an engine."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pycoro._calltype import CallType, parse_call_type, result_type, thunk
from pycoro._lltype import parse_type
from pycoro._printable import printable
from pycoro.errors import CoroutineError, UsageError

if TYPE_CHECKING:
    from pycoro.coroutine import RetconShape
    from pycoro.engine import Engine

__all__ = ["Continuation"]


class _Caller:
    """Calls functions of one kind by their addresses."""

    def __init__(self, engine: Engine, call: CallType) -> None:
        name = f"__pycoro_call_{len(engine._thunks)}"
        self._engine, self._text, self._result = engine, call.text, result_type(call)
        self._parameters = [parse_type(text) for text in call.parameters]
        for kind in self._parameters:
            if kind.ctype is None:
                raise UsageError(f"a value of type {kind.text} cannot be passed from Python: {call.text}")
        engine._compile(thunk(call, name))
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


def _call(engine: Engine, text: str) -> _Caller:
    if text not in engine._thunks:
        engine._thunks[text] = _Caller(engine, parse_call_type(text))
    caller: _Caller = engine._thunks[text]
    return caller


class Continuation:
    """A suspended coroutine of the returned-continuation ABIs, and the buffer that its frame lies in or hangs on.

    One thread at a time runs it; one that is running is not entered again.

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
        "_running",
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
            raise TypeError(f"@{printable(name)} takes {place} arguments before its buffer, not {len(args)}")
        self.name = name
        self._engine, self._shape, self._abandon = engine, shape, abandon
        self._memory = ctypes.create_string_buffer(shape.storage_size + shape.storage_align)
        self.buffer = -(-ctypes.addressof(self._memory) // shape.storage_align) * shape.storage_align
        self._resume = _call(engine, shape.resume_type)
        self._running = Lock()
        self._results: Any = None
        self._address = 0
        self._yielded: tuple[Any, ...] = ()
        ramp = _call(engine, shape.ramp_type)
        ramp.call(engine._core.lookup(name), ramp.values(*args[:place], self.buffer, *args[place:]), self._take)

    def _take(self, given: Any) -> None:
        """What the ramp or a continuation has returned: the next continuation, and what was yielded."""
        values = given if isinstance(given, tuple) else (given,)
        self._address = values[0] or 0
        self._yielded = values[1:] if self._address else ()

    def resume(self, *args: Any) -> None:
        """Runs it to its next suspend or its end, which get these values. ``CoroutineError`` where it has ended, or where it is
        running: for a callable that it calls, or for another thread."""
        if not self._running.acquire(blocking=False):
            raise CoroutineError(f"@{self.name} is running: it can be resumed once it has suspended")
        try:
            self._run(args)
        finally:
            self._running.release()

    def _run(self, args: tuple[Any, ...]) -> None:
        if self._engine.closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._address:
            raise CoroutineError(f"@{self.name} has ended: it cannot be resumed")
        values = self._resume.values(self.buffer, *args)
        self._resume.call(self._address, values, self._end if self._shape.once else self._take)

    def _end(self, given: Any) -> None:
        """What the continuation of one that yields once has returned."""
        self._address, self._results, self._yielded = 0, given, ()

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
        state = (
            "running"
            if self._running.locked()
            else "ended"
            if self.done
            else f"yields {', '.join(map(repr, self._yielded)) or 'nothing'}"
        )
        return f"<Continuation @{printable(self.name)}: {state}>"
