"""Handles of coroutines of the switch ABI that run in an engine."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro._repr import with_fallback_repr
from pycoro._typecheck import check, short_repr
from pycoro.errors import Error, LifecycleError, UsageError
from pycoro.running.frame_snapshot import RunningFrame, find_settable_field
from pycoro.running.frames import Activation, LiveFrame, error_for_running_coroutine

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pycoro.coroutine import Coroutine
    from pycoro.frame import SuspendPoint
    from pycoro.running.engine import Engine
    from pycoro.running.frame_snapshot import Snapshot
    from pycoro.running.kinds import Kind

__all__ = ["Handle"]


class Handle:
    """A suspended coroutine of the switch ABI. Operations with undefined behavior raise :class:`LifecycleError`.

    A handle is also an iterator. ``next(handle)`` resumes the coroutine and returns the promise, or stops if the coroutine
    is done. A ramp that stores to its promise before its first suspend stops at its first value, and the first ``next``
    returns it without a resume. Other ramps, such as those of C++ generators, stop before their first value;
    `SuspendPoint.is_first_value` distinguishes them. Without a report, pass ``lazy`` to `Engine.start`.

    A coroutine has one activation at a time. Resuming or destroying a running one, from a callable below it or from another
    thread, raises :class:`LifecycleError`. As with C++ ``await_suspend``, code that receives the handle after an
    ``llvm.coro.save`` may use it before the coroutine has suspended.

    The frame records if the coroutine runs, by a mark on its index, whoever resumed it. This needs the report of the
    lowering, an unmodified module, and at least two suspends besides the final one. Otherwise only resumes by Python are
    known, and ambiguous states raise: a running ramp, and a last saved suspend that equals the one of the resume. A
    coroutine that continues after a save without suspending counts as saved until its next suspend or save. One left by an
    exception without an unwind ``llvm.coro.end``, or ended without freeing its frame, counts as running forever; compiled
    code may still destroy it. A free by a function outside the engine's ``deallocators`` is unobserved.

    Dropping a handle does not destroy the coroutine; ``with handle:`` does so at its exit.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     with engine["counter"](3, 6) as handle:
    ...         handle.promise
    ...         handle.resume()
    ...         handle.promise, handle.done
    ...         list(handle)
    3
    (4, False)
    [5]
    """

    __slots__ = ("__weakref__", "_engine", "_frame", "address")

    address: int
    """Address of the frame: the pointer that identifies the coroutine in compiled code."""

    def __init__(self, engine: Engine, address: int, frame: LiveFrame) -> None:
        check("the frame of a handle must be a LiveFrame of its engine; Engine.start returns handles", frame, LiveFrame)
        check("the address of a handle must be an int", address, int)
        if not hasattr(engine, "_module_info_of_frame_at"):
            raise TypeError(f"the engine of a handle must be an Engine or an Interpreter, not {short_repr(engine)}")
        self._engine = engine
        self._frame = frame
        self.address = address
        frame.stops = engine._module_info_of_frame_at(address).stops.get(frame.function)

    def _check_is_usable(self, *, done: bool) -> None:
        """Raise unless the frame exists and, if `done` is False, can be resumed."""
        if self._engine.is_closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._frame.alive:
            raise LifecycleError(f"{self._display_name} was destroyed, and its frame is freed")
        if not done and self._engine._core.done(self.address):
            raise LifecycleError(f"{self._display_name} is done: it is at its final suspend point and can only be destroyed")

    @property
    def _display_name(self) -> str:
        return f"the coroutine @{self._frame.function}" if self._frame.function else "the coroutine"

    def _is_known_running(self) -> bool:
        """Return True if its body is known to run: it was resumed, and has not executed a save since."""
        frame, engine = self._frame, self._engine
        activation, stops = frame.activation, frame.stops
        marked = stops is not None and stops.marked
        if engine.is_closed or not frame.alive or not (activation or marked or frame.destroying):
            return False
        index = self._suspend_index()
        if frame.destroying or (activation and not activation.begun and index == activation.index):
            return True
        if engine._core.done(self.address):
            return False
        if stops is None or marked:
            return stops is None or index is None or bool(index & stops.index_field.running_bit)
        return activation is not None and (activation.index in (None, index) or index not in stops.saved_apart)

    def _suspend_index(self) -> int | None:
        """Return the suspend index in the frame; None if unknown."""
        stops = self._frame.stops
        return stops.index_field.read(self.address) if stops and self._frame.alive and not self._engine.is_closed else None

    def _begin_activation(self, *, done: bool) -> Activation:
        """Begin an exclusive activation, which lasts until it returns or saves the coroutine; raises as `_check_is_usable` does."""
        frame = self._frame
        with frame.guard:
            if self._is_known_running():
                raise LifecycleError(f"{self._display_name} is running; resume or destroy it after it has suspended")
            frame.activation = activation = Activation(self._suspend_index())
        try:
            self._check_is_usable(done=done)
            self._engine._check_depth_and_run_constructors()
        except BaseException:
            frame.end_activation(activation)
            raise
        return activation

    def _call_in_activation(self, work: Callable[[int], None], activation: Activation) -> None:
        activations = self._engine._calls.activations
        activations.append(activation)
        try:
            self._engine._call_after_constructors(work, self.address)
        finally:
            activations.pop()

    def resume(self) -> None:
        """Run it to its next suspend point or its end. Raises ``LifecycleError`` if it is done, destroyed or running."""
        frame, activation = self._frame, self._begin_activation(done=False)
        try:
            frame.before = self._engine._save_to_compare_before_resume_or_none(self, activation.index)
            frame.at_value = False
            self._call_in_activation(self._engine._core.resume, activation)
        finally:
            frame.ended = not frame.alive and not frame.destroying
            frame.end_activation(activation)

    def destroy(self) -> None:
        """Run its cleanup and free its frame. Raises ``LifecycleError`` if it is already destroyed, or is running."""
        frame, activation = self._frame, self._begin_activation(done=True)
        frame.destroying = True
        try:
            self._call_in_activation(self._engine._core.destroy, activation)
        finally:
            self._engine._frames.mark_freed(self.address, frame)
            frame.end_activation(activation)

    @property
    def done(self) -> bool:
        """True if it cannot be resumed: it is at its final suspend point, or its frame is freed."""
        with self._frame.guard:
            if self._frame.alive or self._engine.is_closed:
                self._check_is_usable(done=True)
            return not self._frame.alive or bool(self._engine._core.done(self.address))

    @property
    def destroyed(self) -> bool:
        """True if its frame is freed: it was destroyed, or ran to its end."""
        return not self._frame.alive

    def _promise_type_and_address(self) -> tuple[Kind, int]:
        self._check_is_usable(done=True)
        kind = self._frame.promise
        if kind is None:
            raise UsageError(f"the type of the promise of {self._display_name} is unknown; pass it, as in promise='i32'")
        return kind, self.address + self._frame.promise_offset

    @property
    def promise(self) -> Any:
        """Promise as a value of its type: an int, a float, an address, or a tuple of these. With debug information it has the
        source type, and struct members have names, ``promise.value``, as in :attr:`frame`. Assignable.
        """
        with self._frame.guard:
            kind, address = self._promise_type_and_address()
            return kind.from_bytes(self._engine._read_value(kind, address))

    @promise.setter
    def promise(self, value: Any) -> None:
        with self._frame.guard:
            kind, address = self._promise_type_and_address()
            self._engine._write_bytes(address, kind.to_bytes(value))

    # ---- frame contents ----

    def _error_for_running_coroutine(self) -> LifecycleError:
        return error_for_running_coroutine(self._display_name)

    def _read_frame(self) -> tuple[Coroutine, Snapshot]:
        """Return the frame layout and contents; the caller holds the frame's guard."""
        self._check_is_usable(done=True)
        layout = self._engine._layout_of(self)
        if layout is None:
            raise UsageError(
                f"the frame layout of {self._display_name} is unknown; add the report of its lowering to the engine, not the module"
            )
        look = self._engine._frame_snapshot(self, layout)
        self._frame.watched = True
        return layout, look

    @property
    def suspend(self) -> SuspendPoint | None:
        """Current suspend point, with its :attr:`~pycoro.SuspendPoint.location` in the source; None if an exception ended it.
        Raises as :attr:`frame` does.
        """
        with self._frame.guard:
            return self._read_frame()[1].suspend

    @property
    def frame(self) -> RunningFrame:
        """Copy of the frame contents at the current suspend, by field: live fields with their values, and the changes since
        Python last resumed the coroutine.

        Raises ``LifecycleError`` if it is destroyed or running, ``UsageError`` if its frame layout is unknown, because the
        engine lacks the report of the lowering.
        """
        with self._frame.guard:
            layout, look = self._read_frame()
            before = self._engine._snapshot_from_saved(self, layout, self._frame.before)
            return RunningFrame(layout, self.address, look, before)

    def set(self, name: str, value: Any) -> None:
        """Overwrite a frame field before the next resume: a variable or an SSA value, by its name in :attr:`frame`. Values
        that the program computed from the old value do not change, except those that a lowered coroutine rematerializes
        after a suspend. An interpreter updates these too.

        Raises ``UsageError`` for an unsafe write: to a field that is not live, a header slot, a pointer or a value that
        contains one, or a type without values in Python. Raises ``TypeError`` or ``OverflowError`` if the value does not
        match the type, and ``KeyError`` for an unknown field; otherwise raises as :attr:`frame` does.
        """
        check("a field is named by a str", name, str)
        with self._frame.guard:
            layout, look = self._read_frame()
            if self._frame.activation is not None:
                raise self._error_for_running_coroutine()
            field, kind = find_settable_field(RunningFrame(layout, self.address, look, None), name, self._engine._kinds)
            self._engine._overwrite_field(self.address, layout, field, kind, value)

    def __iter__(self) -> Handle:
        return self

    def __next__(self) -> Any:
        frame = self._frame
        if frame.ended or (frame.alive and self.done):
            raise StopIteration
        if not frame.at_value:
            self.resume()
            if self.done:
                raise StopIteration
        value = self.promise if frame.promise else None
        frame.at_value = False
        return value

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._frame.alive and not self._engine.is_closed:
            self.destroy()

    def _state_text(self) -> str:
        if self._engine.is_closed:
            return "of a closed engine"
        if not self._frame.alive:
            return "ended" if self._frame.ended else "destroyed"
        try:
            return "running" if self._is_known_running() else "done" if self.done else "suspended"
        except Error as error:  # the interpreter has no coroutine at the address
            return error.message

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import running, views

        return views.bundle({"text/plain": repr, "text/html": running.handle_html}, self, include, exclude)

    @with_fallback_repr
    def __repr__(self) -> str:
        frame, state = self._frame, self._state_text()
        return f"<Handle {'@' + printable(frame.function) + ' ' if frame.function else ''}at {self.address:#x}: {state}>"
