"""Coroutines that return their continuations, run in an engine."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from pycoro._escape import printable
from pycoro._typecheck import check
from pycoro.errors import LifecycleError, UsageError
from pycoro.running.frames import running
from pycoro.running.look import RunningFrame, settable

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine, RetconShape
    from pycoro.frame import SuspendPoint
    from pycoro.running.look import Look
    from pycoro.running.machine import Machine

__all__ = ["Continuation"]


class Continuation:
    """A suspended coroutine of the returned-continuation ABIs, and the buffer that its frame lies in or hangs on.

    One thread at a time runs it; one that is running is not entered again.

    Nobody frees the frame of one that is dropped before its end: resume it so that it ends. ``with`` does that at its
    end where ``abandon``, the values to resume it with then, were given to ``Engine.start_retcon``.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.SUMS, host=True)) as engine:
    ...     running = engine.start_retcon("sums", 100)
    ...     running.yielded
    ...     running.resume(11)
    ...     running.yielded
    (100,)
    (111,)
    """

    __slots__ = (
        "__weakref__",
        "_abandon",
        "_address",
        "_before",
        "_engine",
        "_memory",
        "_results",
        "_resume",
        "_running",
        "_shape",
        "_watched",
        "_yielded",
        "buffer",
        "name",
    )

    name: str
    """Of the ramp, without the ``@``."""
    buffer: int
    """Address of the caller's buffer."""

    def __init__(
        self, engine: Machine, name: str, shape: RetconShape, args: tuple[Any, ...], abandon: tuple[Any, ...] | None
    ) -> None:
        place = shape.storage_argument
        if place is None:
            raise UsageError(f"@{name} does not take its buffer as an argument: call it from code of its own")
        check("abandon is a tuple of the values to resume it with", abandon, tuple, list, type(None))
        if len(args) < place:
            raise TypeError(f"@{printable(name)} takes {place} arguments before its buffer, not {len(args)}")
        self.name = name
        self._engine, self._shape, self._abandon = engine, shape, abandon
        self._memory = ctypes.create_string_buffer(shape.storage_size + shape.storage_align)
        self.buffer = -(-ctypes.addressof(self._memory) // shape.storage_align) * shape.storage_align
        engine._lent(self._memory)
        self._resume = engine._caller(shape.resume_type)
        self._before: Look | None = None
        self._watched = False  # somebody has looked into it
        self._running = Lock()
        self._results: Any = None
        self._address = 0
        self._yielded: tuple[Any, ...] = ()
        ramp = engine._caller(shape.ramp_type)
        ramp.call(engine._core.lookup(name), ramp.values(*args[:place], self.buffer, *args[place:]), self._take)

    def _take(self, given: Any) -> None:
        """What the ramp or a continuation has returned: the next continuation, and what was yielded."""
        values = tuple(cast("Sequence[Any]", given)) if isinstance(given, tuple) else (given,)
        self._address = values[0] or 0
        self._yielded = values[1:] if self._address else ()

    def resume(self, *args: Any) -> None:
        """Runs it to its next suspend or its end, which get these values. ``LifecycleError`` where it has ended, or where it is
        running: for a callable that it calls, or for another thread."""
        if not self._running.acquire(blocking=False):
            raise LifecycleError(f"@{self.name} is running: it can be resumed once it has suspended")
        try:
            self._run(args)
        finally:
            self._running.release()

    def _run(self, args: tuple[Any, ...]) -> None:
        if self._engine.closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._address:
            raise LifecycleError(f"@{self.name} has ended: it cannot be resumed")
        values = self._resume.values(self.buffer, *args)
        self._before = self._noted() if self._watched else None
        self._resume.call(self._address, values, self._end if self._shape.once else self._take)

    def _end(self, given: Any) -> None:
        """What the continuation of one that yields once has returned."""
        self._address, self._results, self._yielded = 0, given, ()

    # ---- what is in its frame ----

    def _seen(self) -> tuple[Coroutine, int, Look]:
        if self._running.locked():
            raise running(f"the coroutine @{self.name}")
        if not self._address:
            raise LifecycleError(f"@{self.name} has ended: its frame is gone")
        seen = self._engine._standing(self._address, self.buffer)
        self._watched = True
        return seen

    def _noted(self) -> Look | None:
        """What is there before it goes on; None where that cannot be said."""
        try:
            return self._engine._standing(self._address, self.buffer)[2]
        except (LifecycleError, UsageError):
            return None

    @property
    def suspend(self) -> SuspendPoint | None:
        """The suspend point that it stands at. Errors as of :attr:`frame`."""
        return self._seen()[2].suspend

    @property
    def frame(self) -> RunningFrame:
        """What its frame holds where it stands, as :attr:`Handle.frame`: a copy. ``LifecycleError`` where it has ended or is
        running, ``UsageError`` where its layout is not known."""
        return RunningFrame(*self._seen(), self._before)

    def set(self, name: str, value: Any) -> None:
        """Has a field of the frame hold another value, as :meth:`Handle.set` does, with its errors."""
        check("a field is named by a str", name, str)
        coroutine, address, look = self._seen()
        field, kind = settable(RunningFrame(coroutine, address, look, None), name, self._engine._kinds)
        self._engine._put(address, coroutine, field, kind, value)

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
            raise LifecycleError(f"@{self.name} has not ended yet: it has no results")
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
