"""Handles of coroutines that run in an engine."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro._repr import total
from pycoro._typecheck import check
from pycoro.errors import Error, LifecycleError, UsageError
from pycoro.running.frames import Turn, running
from pycoro.running.look import RunningFrame, settable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pycoro.coroutine import Coroutine
    from pycoro.frame import SuspendPoint
    from pycoro.running.frames import LiveFrame
    from pycoro.running.kinds import Kind
    from pycoro.running.look import Look
    from pycoro.running.machine import Machine

__all__ = ["Handle"]


class Handle:
    """A suspended coroutine of the switch ABI. What would be undefined behaviour raises :class:`LifecycleError`.

    A handle is an iterator too. ``next(handle)`` gives the next value: it resumes the coroutine and gives the promise, and
    stops where the coroutine is done. A ramp that stores to its promise before it first suspends stops at its first value,
    which the first ``next`` gives as it is; one that does not stops before it, and so does C++'s at its initial suspend:
    `SuspendPoint.is_first_value` tells. ``lazy`` of `Engine.start` says it where the report of a lowering does not.

    A coroutine is run by one at a time: one that is running, for a callable that it calls or for another thread, is a
    :class:`LifecycleError` to whoever resumes or destroys it. Who is given the handle behind an ``llvm.coro.save`` may use
    it before the coroutine has suspended, as C++'s ``await_suspend`` may.

    Which it is, the frame tells where the engine was given the report of a lowering, its module has not been changed
    since, and the coroutine has two suspends or more besides its final one: its index is marked while the coroutine runs,
    whoever has resumed it. Elsewhere only what Python resumes is known, and what cannot be told apart is refused: while a
    ramp runs, and where the suspend that was saved last is the one that the coroutine was resumed at. A coroutine that
    goes on behind a save without suspending, as C++'s does where ``await_suspend`` gives false, counts as saved until it
    suspends or saves again; one that an exception has left without an unwind end of ``llvm.coro.end`` counts as running for
    good (compiled code may destroy it as ever), and so does one that has come to its end without freeing its frame. What
    frees a frame that no deallocator of the engine's is told of is not seen.

    Dropping a handle does not destroy the coroutine; ``with handle:`` does at its end.

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
    """Of the frame: the pointer that compiled code knows the coroutine by."""

    def __init__(self, engine: Machine, address: int, frame: LiveFrame) -> None:
        self._engine = engine
        self._frame = frame
        self.address = address
        frame.stops = engine._told_of(address).stops.get(frame.function)

    def _check(self, *, done: bool) -> None:
        """Raises unless the frame is there; unless it can be resumed, where `done` is False."""
        if self._engine.closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._frame.alive:
            raise LifecycleError(f"{self._name} was destroyed: its frame is gone")
        if not done and self._engine._core.done(self.address):
            raise LifecycleError(f"{self._name} is done: it is at its final suspend point, and can only be destroyed")

    @property
    def _name(self) -> str:
        return f"the coroutine @{self._frame.function}" if self._frame.function else "the coroutine"

    def _runs(self) -> bool:
        """Whether its body runs, as far as that is known: somebody has resumed it, and no save is behind that."""
        frame, engine = self._frame, self._engine
        turn, stops = frame.turn, frame.stops
        marked = stops is not None and stops.marked
        if engine.closed or not frame.alive or not (turn or marked or frame.destroying):
            return False
        index = self._index()
        if frame.destroying or (turn and not turn.begun and index == turn.index):
            return True
        if engine._core.done(self.address):
            return False
        if stops is None or marked:
            return stops is None or index is None or bool(index & stops.place.mark)
        return turn is not None and (turn.index in (None, index) or index not in stops.saved_apart)

    def _index(self) -> int | None:
        """Of the suspend that the frame names; None where that is not known."""
        stops = self._frame.stops
        return stops.place.read(self.address) if stops and self._frame.alive and not self._engine.closed else None

    def _begin(self, *, done: bool) -> Turn:
        """Nobody else resumes or destroys it until the turn has come back or has saved it again; raises as `_check` does."""
        frame = self._frame
        with frame.guard:
            if self._runs():
                raise LifecycleError(f"{self._name} is running: it can be resumed and destroyed once it has suspended")
            frame.turn = turn = Turn(self._index())
        try:
            self._check(done=done)
            self._engine._ready()
        except BaseException:
            frame.leave(turn)
            raise
        return turn

    def _enter(self, work: Callable[[int], None], turn: Turn) -> None:
        turns = self._engine._calls.turns
        turns.append(turn)
        try:
            self._engine._enter(work, self.address)
        finally:
            turns.pop()

    def resume(self) -> None:
        """Runs it to its next suspend point or its end. ``LifecycleError`` where it is done, destroyed or running."""
        frame, turn = self._frame, self._begin(done=False)
        try:
            frame.before = self._engine._note(self, turn.index)
            frame.at_value = False
            self._enter(self._engine._core.resume, turn)
        finally:
            frame.ended = not frame.alive and not frame.destroying
            frame.leave(turn)

    def destroy(self) -> None:
        """Runs its cleanup and frees its frame. ``LifecycleError`` where that was done before, or where it is running."""
        frame, turn = self._frame, self._begin(done=True)
        frame.destroying = True
        try:
            self._enter(self._engine._core.destroy, turn)
        finally:
            self._engine._frames.gone(self.address, frame)
            frame.leave(turn)

    @property
    def done(self) -> bool:
        """Whether it cannot be resumed: it is at its final suspend point, or its frame is gone."""
        with self._frame.guard:
            if self._frame.alive or self._engine.closed:
                self._check(done=True)
            return not self._frame.alive or bool(self._engine._core.done(self.address))

    @property
    def destroyed(self) -> bool:
        """Whether its frame is gone: it was destroyed, or ran to its end."""
        return not self._frame.alive

    def _place(self) -> tuple[Kind, int]:
        self._check(done=True)
        kind = self._frame.promise
        if kind is None:
            raise UsageError(f"the type of the promise of {self._name} is not known; give it, as in promise='i32'")
        return kind, self.address + self._frame.promise_offset

    @property
    def promise(self) -> Any:
        """The promise, as a value of its type: ints, floats, addresses, and tuples of them. Of the source's type, where debug
        information has it: then a struct's members have their names, ``promise.value``, as in :attr:`frame`. It can be set."""
        with self._frame.guard:
            kind, address = self._place()
            return kind.from_bytes(self._engine._read(kind, address))

    @promise.setter
    def promise(self, value: Any) -> None:
        with self._frame.guard:
            kind, address = self._place()
            self._engine._write(address, kind.to_bytes(value))

    # ---- what is in its frame ----

    def _running(self) -> LifecycleError:
        return running(self._name)

    def _seen(self) -> tuple[Coroutine, Look]:
        """The layout of its frame, and what is there; the caller has the frame's guard."""
        self._check(done=True)
        layout = self._engine._layout_of(self)
        if layout is None:
            raise UsageError(
                f"the layout of the frame of {self._name} is not known: give the engine the report of its lowering, not the module"
            )
        look = self._engine._look(self, layout)
        self._frame.watched = True
        return layout, look

    @property
    def suspend(self) -> SuspendPoint | None:
        """The suspend point that it stands at, with its :attr:`~pycoro.SuspendPoint.place` in the source; None where an exception
        has ended it. Errors as of :attr:`frame`."""
        with self._frame.guard:
            return self._seen()[1].suspend

    @property
    def frame(self) -> RunningFrame:
        """What its frame holds where it stands, by field: what is live with its value, what has changed since Python last
        resumed it. A copy, which is not changed by what the coroutine does next.

        ``LifecycleError`` where it is destroyed or running, ``UsageError`` where the layout of its frame is not known: an engine
        learns it from the report of the lowering."""
        with self._frame.guard:
            layout, look = self._seen()
            before = self._engine._noted(self, layout, self._frame.before)
            return RunningFrame(layout, self.address, look, before)

    def set(self, name: str, value: Any) -> None:
        """Has a field of the frame hold another value, which the coroutine goes on with: a variable or an SSA value, by its name as
        :attr:`frame` has it. What the program has computed of the old value stays as it is, but for what a lowered coroutine
        computes again behind a suspend instead of keeping it: in an interpreter that changes too.

        ``UsageError`` for what is not safe: a field that is not live where it stands, a slot of the header, a pointer or what holds
        one, a type without values in Python. ``TypeError`` and ``OverflowError`` where the value is not of the type; ``KeyError``
        where there is no such field; else as :attr:`frame`."""
        check("a field is named by a str", name, str)
        with self._frame.guard:
            layout, look = self._seen()
            if self._frame.turn is not None:
                raise self._running()
            field, kind = settable(RunningFrame(layout, self.address, look, None), name, self._engine._kinds)
            self._engine._put(self.address, layout, field, kind, value)

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
        if self._frame.alive and not self._engine.closed:
            self.destroy()

    def _state(self) -> str:
        if self._engine.closed:
            return "of a closed engine"
        if not self._frame.alive:
            return "ended" if self._frame.ended else "destroyed"
        try:
            return "running" if self._runs() else "done" if self.done else "suspended"
        except Error as error:  # of an address at which an interpreter has no coroutine
            return error.message

    @total
    def __repr__(self) -> str:
        frame, state = self._frame, self._state()
        return f"<Handle {'@' + printable(frame.function) + ' ' if frame.function else ''}at {self.address:#x}: {state}>"
