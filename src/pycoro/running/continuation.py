"""Coroutines of the returned-continuation ABIs, driven from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from pycoro._escape import printable
from pycoro._typecheck import check
from pycoro.errors import LifecycleError, UsageError
from pycoro.running.frame_snapshot import RunningFrame, find_settable_field
from pycoro.running.frames import error_for_running_coroutine

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine, RetconShape
    from pycoro.frame import SuspendPoint
    from pycoro.running.engine import Engine
    from pycoro.running.frame_snapshot import Snapshot

__all__ = ["Continuation"]


class Continuation:
    """A suspended coroutine of the returned-continuation ABIs, with the buffer that holds its frame or points to it.

    Only one thread at a time can run it; a running coroutine cannot be entered again.

    Dropping it before its end leaks its frame, so resume it to its end. ``with`` does so at its exit if ``Engine.start_retcon``
    got ``abandon``, the values to resume it with then.

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
    """Name of the ramp, without the ``@``."""
    buffer: int
    """Address of the caller's buffer."""

    def __init__(
        self, engine: Engine, name: str, shape: RetconShape, args: tuple[Any, ...], abandon: tuple[Any, ...] | None
    ) -> None:
        place = shape.storage_argument
        if place is None:
            raise UsageError(
                f"@{name} does not take its buffer as an argument, so Python cannot call it; call it from compiled code"
            )
        check("abandon is a tuple of the values to resume it with", abandon, tuple, list, type(None))
        if len(args) < place:
            raise TypeError(f"@{printable(name)} takes {place} arguments before its buffer, not {len(args)}")
        self.name = name
        self._engine, self._shape, self._abandon = engine, shape, abandon
        self._memory = ctypes.create_string_buffer(shape.storage_size + shape.storage_align)
        self.buffer = -(-ctypes.addressof(self._memory) // shape.storage_align) * shape.storage_align
        engine._share_memory_and_return_value(self._memory)
        self._resume = engine._caller_for_function_type(shape.resume_type)
        self._before: Snapshot | None = None
        self._watched = False  # the frame was inspected
        self._running = Lock()
        self._results: Any = None
        self._address = 0
        self._yielded: tuple[Any, ...] = ()
        ramp = engine._caller_for_function_type(shape.ramp_type)
        ramp.call(engine._core.lookup(name), ramp.convert_arguments(*args[:place], self.buffer, *args[place:]), self._store_result)

    def _store_result(self, given: Any) -> None:
        """Store the result of the ramp or a continuation: the next continuation and the yielded values."""
        values = tuple(cast("Sequence[Any]", given)) if isinstance(given, tuple) else (given,)
        self._address = values[0] or 0
        self._yielded = values[1:] if self._address else ()

    def resume(self, *args: Any) -> None:
        """Pass the values to the coroutine and run it to its next suspend or its end. Raises ``LifecycleError`` if it has
        ended or is running, either on another thread or below this call.
        """
        if not self._running.acquire(blocking=False):
            raise LifecycleError(f"@{self.name} is running; resume it after it has suspended")
        try:
            self._call_continuation(args)
        finally:
            self._running.release()

    def _call_continuation(self, args: tuple[Any, ...]) -> None:
        if self._engine.is_closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._address:
            raise LifecycleError(f"@{self.name} has ended: it cannot be resumed")
        values = self._resume.convert_arguments(self.buffer, *args)
        self._before = self._snapshot_before_resume_or_none() if self._watched else None
        self._resume.call(self._address, values, self._store_final_results_and_end if self._shape.once else self._store_result)

    def _store_final_results_and_end(self, given: Any) -> None:
        """Store the result of the only continuation of a coroutine that yields once."""
        self._address, self._results, self._yielded = 0, given, ()

    # ---- frame contents ----

    def _read_coroutine_address_snapshot(self) -> tuple[Coroutine, int, Snapshot]:
        if self._running.locked():
            raise error_for_running_coroutine(f"the coroutine @{self.name}")
        if not self._address:
            raise LifecycleError(f"@{self.name} has ended, and its frame is freed")
        seen = self._engine._coroutine_address_snapshot_of(self._address, self.buffer)
        self._watched = True
        return seen

    def _snapshot_before_resume_or_none(self) -> Snapshot | None:
        """Return the frame contents before the resume; None if the layout is unknown."""
        try:
            return self._engine._coroutine_address_snapshot_of(self._address, self.buffer)[2]
        except (LifecycleError, UsageError):
            return None

    @property
    def suspend(self) -> SuspendPoint | None:
        """Suspend point where it is suspended. Raises as :attr:`frame` does."""
        return self._read_coroutine_address_snapshot()[2].suspend

    @property
    def frame(self) -> RunningFrame:
        """Copy of its frame contents at the current suspend, as :attr:`Handle.frame`. Raises ``LifecycleError`` if it has
        ended or is running, ``UsageError`` if its layout is unknown.
        """
        return RunningFrame(*self._read_coroutine_address_snapshot(), self._before)

    def set(self, name: str, value: Any) -> None:
        """Overwrite a frame field, as :meth:`Handle.set` does, and with the same errors."""
        check("a field is named by a str", name, str)
        coroutine, address, look = self._read_coroutine_address_snapshot()
        field, kind = find_settable_field(RunningFrame(coroutine, address, look, None), name, self._engine._kinds)
        self._engine._overwrite_field(address, coroutine, field, kind, value)

    @property
    def yielded(self) -> tuple[Any, ...]:
        """Values of the current suspend; empty if it has ended."""
        return self._yielded

    @property
    def done(self) -> bool:
        """True if it has ended and its frame is freed."""
        return not self._address

    @property
    def results(self) -> Any:
        """Results at the end of a coroutine that yields once: None, a value, or a tuple."""
        if self._address:
            raise LifecycleError(f"@{self.name} has no results before its end")
        return self._results

    def __enter__(self) -> Continuation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._address and self._abandon is not None and not self._engine.is_closed:
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
