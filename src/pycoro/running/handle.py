"""Handles of coroutines that run in an engine, and what is known of their frames."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable, Mapping
from threading import Lock
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from pycoro._printable import printable
from pycoro.coroutine import SwitchShape
from pycoro.errors import CoroutineError, Diagnostic, JitError, UsageError
from pycoro.running.lltype import POINTER_SIZE, Type, parse_type

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import SuspendPoint
    from pycoro.report import Report
    from pycoro.running.engine import Engine

__all__ = ["Handle", "LiveFrame", "Points", "first_values", "promise_of", "promises_of", "saved_apart"]


class LiveFrame:
    """A frame that a handle was made for; handles to the same frame share it."""

    __slots__ = (
        "__weakref__",
        "alive",
        "at_value",
        "destroying",
        "ended",
        "function",
        "guard",
        "promise",
        "promise_offset",
        "result",
        "runs",
        "serial",
    )

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.alive = True
        self.ended = False  # gone because it ran to its end, rather than being destroyed
        self.at_value = False  # its ramp stopped at its first value, which nobody has asked `next` for
        self.destroying = False
        self.guard = Lock()  # of the number
        self.runs = 0  # how many run it: one, and who resumed it after a save before the one before had suspended it
        self.function = ""
        self.promise: Type | None = None
        self.promise_offset = 0
        self.result: object = None  # memory that the ramp has returned its result in

    def enter(self, free: Callable[[], bool]) -> bool:
        """Somebody runs it from now on, if nobody does or it is `free` all the same."""
        with self.guard:
            if self.runs and not free():
                return False
            self.runs += 1
            return True

    def leave(self) -> None:
        with self.guard:
            self.runs -= 1


class Points(NamedTuple):
    """Some suspend points of a coroutine, and how its frame tells that it is at one of them."""

    offset: int
    size: int
    """Of the index in the frame, in bytes; 0 where there is but one suspend, and no index."""
    indices: frozenset[int]
    """What it holds then."""

    def at(self, address: int) -> bool:
        """Whether the coroutine with the frame there has been suspended, or saved, at one of them last."""
        return int.from_bytes(ctypes.string_at(address + self.offset, self.size), sys.byteorder) in self.indices


def _points(coroutine: Coroutine, among: Callable[[SuspendPoint], bool]) -> Points:
    index = next((field for field in coroutine.frame if field.kind == "index"), None)
    found = frozenset(point.index for point in coroutine.suspends if among(point))
    return Points(index.offset, index.size, found) if index else Points(0, 0, frozenset({0} if found else ()))


def first_values(coroutine: Coroutine) -> Points:
    """Where its ramp stops at a value, as the report says."""
    return _points(coroutine, lambda point: point.is_first_value and not point.is_final)


def saved_apart(coroutine: Coroutine) -> Points:
    """Where it may be resumed before it has suspended, as the report says."""
    return _points(coroutine, lambda point: point.is_saved_apart)


def promise_of(text: str, named: Mapping[str, str] = MappingProxyType({})) -> tuple[Type, int]:
    """Type and offset of a promise given as for an alloca: ``"i32"``, ``"{ i32, i64 }, align 32"``. `named` spells out
    structs by how LLVM prints them."""
    match = re.fullmatch(r"\s*(.*?)\s*(?:,\s*align\s+(\d+)\s*)?", text, re.DOTALL)
    assert match is not None
    kind = parse_type(named.get(match[1], match[1]))
    align = int(match[2] or kind.align)
    return kind, -(-2 * POINTER_SIZE // align) * align


def promises_of(report: Report) -> dict[str, tuple[Type, int]]:
    """Type and place of each promise. ``JitError`` where the module was lowered for a machine that lays it out otherwise."""
    promises: dict[str, tuple[Type, int]] = {}
    for name, coroutine in report.coroutines.items():
        shape = coroutine.shape
        if not isinstance(shape, SwitchShape) or not shape.promise_type:
            continue
        try:
            kind = parse_type(shape.promise_type)
        except UsageError:  # a type without values in Python; the promise just cannot be read
            continue
        field = next(field for field in coroutine.frame if field.kind == "promise")
        if kind.size != field.size:
            raise JitError(
                f"the promise of @{name}, {kind.text}, was laid out in {field.size} bytes, and takes {kind.size} on this machine",
                [Diagnostic("the module names no data layout", "lower it by pycoro.lower(ir, host=True)", name)],
            )
        promises[name] = kind, field.offset
    return promises


class Handle:
    """A suspended coroutine of the switch ABI. What would be undefined behaviour raises :class:`CoroutineError`.

    A handle is an iterator too. ``next(handle)`` gives the next value: it resumes the coroutine and gives the promise, and
    stops where the coroutine is done. A ramp that stores to its promise before it first suspends stops at its first value,
    which the first ``next`` gives as it is; one that does not stops before it, and so does C++'s at its initial suspend:
    `SuspendPoint.is_first_value` tells. ``lazy`` of `Engine.start` says it where the report of a lowering does not.

    A coroutine is run by one at a time: one that is running, for a callable that it calls or for another thread, is a
    :class:`CoroutineError` to whoever resumes or destroys it. That is known of what Python has started, not of coroutines
    that compiled code resumes. Who is given the handle behind an ``llvm.coro.save`` may use it before the coroutine has
    suspended, where the report of a lowering tells of the save (`SuspendPoint.is_saved_apart`); one that was resumed there
    and runs on cannot be told from one that is saved there again.

    Dropping a handle does not destroy the coroutine; ``with handle:`` does at its end.
    """

    __slots__ = ("__weakref__", "_engine", "_frame", "address")

    address: int
    """Of the frame: the pointer that compiled code knows the coroutine by."""

    def __init__(self, engine: Engine, address: int, frame: LiveFrame) -> None:
        self._engine = engine
        self._frame = frame
        self.address = address

    def _check(self, *, done: bool) -> None:
        """Raises unless the frame is there; unless it can be resumed, where `done` is False."""
        if self._engine.closed:
            self._engine._core.hold()  # raises ClosedError
        if not self._frame.alive:
            raise CoroutineError(f"{self._name} was destroyed: its frame is gone")
        if not done and self._engine._core.done(self.address):
            raise CoroutineError(f"{self._name} is done: it is at its final suspend point, and can only be destroyed")

    @property
    def _name(self) -> str:
        return f"the coroutine @{self._frame.function}" if self._frame.function else "the coroutine"

    def _saved(self) -> bool:
        """Whether it may be resumed though who runs it has not come back: its save is behind it, and its suspend ahead."""
        frame, engine = self._frame, self._engine
        if engine.closed or not frame.alive:
            return True  # what is wrong is something else
        points = engine._saved.get(frame.function)
        return not frame.destroying and (engine._core.done(self.address) or (points is not None and points.at(self.address)))

    def _hold(self, *, done: bool) -> LiveFrame:
        """Lets nobody else run it until it is left; raises as `_check` does."""
        frame = self._frame
        if not frame.enter(self._saved):
            raise CoroutineError(f"{self._name} is running: it can be resumed and destroyed once it has suspended")
        try:
            self._check(done=done)
            self._engine._ready()
        except BaseException:
            frame.leave()
            raise
        return frame

    def resume(self) -> None:
        """Runs it to its next suspend point or its end. ``CoroutineError`` where it is done, destroyed or running."""
        frame = self._hold(done=False)
        try:
            frame.at_value = False
            self._engine._enter(self._engine._core.resume, self.address)
        finally:
            frame.ended = not frame.alive and not frame.destroying
            frame.leave()

    def destroy(self) -> None:
        """Runs its cleanup and frees its frame. ``CoroutineError`` where that was done before, or where it is running."""
        frame = self._hold(done=True)
        frame.destroying = True
        try:
            self._engine._enter(self._engine._core.destroy, self.address)
        finally:
            self._engine._gone(self.address, frame)
            frame.leave()

    @property
    def done(self) -> bool:
        """Whether it cannot be resumed: it is at its final suspend point, or its frame is gone."""
        if self._frame.alive or self._engine.closed:
            self._check(done=True)
        return not self._frame.alive or self._engine._core.done(self.address)

    @property
    def destroyed(self) -> bool:
        """Whether its frame is gone: it was destroyed, or ran to its end."""
        return not self._frame.alive

    def _place(self) -> tuple[Type, int]:
        self._check(done=True)
        kind = self._frame.promise
        if kind is None:
            raise UsageError(f"the type of the promise of {self._name} is not known; give it, as in promise='i32'")
        return kind, self.address + self._frame.promise_offset

    @property
    def promise(self) -> Any:
        """The promise, as a value of its type: ints, floats, addresses, and tuples of them. It can be set."""
        kind, address = self._place()
        return kind.from_bytes(self._engine._read(kind, address))

    @promise.setter
    def promise(self, value: Any) -> None:
        kind, address = self._place()
        self._engine._write(address, kind.to_bytes(value))

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

    def __repr__(self) -> str:
        frame = self._frame
        if self._engine.closed:
            state = "of a closed engine"
        elif not frame.alive:
            state = "ended" if frame.ended else "destroyed"
        else:
            state = "running" if frame.runs else "done" if self.done else "suspended"
        return f"<Handle {'@' + printable(frame.function) + ' ' if frame.function else ''}at {self.address:#x}: {state}>"
