"""Registry of the live frames for which an engine has created handles, and observation of their deallocation."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from pycoro.errors import LifecycleError
from pycoro.running.kinds import POINTER_SIZE
from pycoro.running.memory import copy_memory_or_none

if TYPE_CHECKING:
    from pycoro.running.coroutine_info import Stops
    from pycoro.running.kinds import Kind

__all__ = [
    "Activation",
    "Frames",
    "LiveFrame",
    "Result",
    "error_for_running_coroutine",
    "find_frame_in_result_or_raise",
    "frame_pointers",
]


def frame_pointers(address: int) -> tuple[int, int] | None:
    """Return the resume and destroy pointers of a frame at the address; None if the memory is unreadable."""
    header = copy_memory_or_none(address, 2 * POINTER_SIZE)
    if header is None:
        return None
    resume, destroy = (int.from_bytes(header[at : at + POINTER_SIZE], sys.byteorder) for at in (0, POINTER_SIZE))
    return resume, destroy


def find_frame_in_result_or_raise(data: bytes, name: str, owner: Callable[[int], str | None]) -> int:
    """Find the frame in the result of a ramp; `owner` returns the coroutine of a frame address. Raises ``LifecycleError`` if
    the result contains no frame.
    """
    for at in range(0, len(data) - POINTER_SIZE + 1, POINTER_SIZE):
        address = int.from_bytes(data[at : at + POINTER_SIZE], sys.byteorder)
        if address and owner(address) == name:
            return address
    raise LifecycleError(f"@{name} returned no handle in its result; use Engine.handle() on the frame's address")


def error_for_running_coroutine(called: str) -> LifecycleError:
    """Return the error for reading the frame of a running coroutine."""
    return LifecycleError(f"{called} is running: its frame can be looked into once it has suspended")


Result: TypeAlias = "ctypes.Array[ctypes.c_char]"
"""Memory of an ``sret`` result of a ramp."""


class Activation:
    """One activation of a coroutine, by its ramp or a resume, that has not returned."""

    __slots__ = ("begun", "index")

    def __init__(self, index: int | None = None, *, begun: bool = False) -> None:
        self.index = index
        """Suspend index in the frame when it began; None if unknown."""
        self.begun = begun
        """True if its code was seen running."""


class LiveFrame:
    """A frame with a handle; all handles of the frame share it."""

    __slots__ = (
        "__weakref__",
        "activation",
        "alive",
        "at_value",
        "before",
        "destroying",
        "ended",
        "function",
        "guard",
        "promise",
        "promise_offset",
        "result",
        "serial",
        "stops",
        "watched",
    )

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.alive = True
        self.ended = False  # freed at its end, instead of by a destroy
        self.at_value = False  # suspended at its first value, which no `next` has returned
        self.destroying = False
        self.guard = threading.RLock()  # protects this object and the memory: a free waits for readers
        self.activation: Activation | None = None  # the last activation, unless it has returned: then the coroutine is suspended
        self.function = ""
        self.stops: Stops | None = None
        self.promise: Kind | None = None
        self.promise_offset = 0
        self.result: Result | None = None  # memory of the ramp's result
        self.before: Any = None  # saved contents at the last resume by Python
        self.watched = False  # the frame was inspected

    def end_activation(self, activation: Activation) -> None:
        """Record that the activation returned. An inner activation that was resumed after a save may still run."""
        with self.guard:
            if self.activation is activation:
                self.activation = None

    def mark_freed(self) -> None:
        """Record that its memory is freed."""
        with self.guard:
            self.alive = False


class _RampCalls(threading.local):
    """State of the ramp calls on this thread, innermost last."""

    def __init__(self) -> None:
        self.freed: list[dict[int, Callable[[], object] | None]] = []
        self.starting: list[tuple[str, list[tuple[LiveFrame, Activation]]]] = []  # running ramps, and the frames that may be theirs


class Frames:
    """Frames of one engine, by address. Addresses are reused after a free, which may be unobserved."""

    def __init__(self) -> None:
        self.serial = 0
        """Number of frames so far; a frame with a higher number is younger."""
        self._calls = _RampCalls()
        self.parts: dict[int, str] = {}
        """Coroutines by the addresses of their clones."""
        self._known: WeakValueDictionary[int, LiveFrame] = WeakValueDictionary()

    def coroutine_name_at_empty_if_foreign(self, address: int) -> str | None:
        """Return the coroutine of the frame at the address, "" for one of another engine; None if no frame is there."""
        parts = frame_pointers(address)
        if parts is None:
            return None
        resume, destroy = parts
        owner = self.parts.get(resume) or self.parts.get(destroy)
        is_code = destroy and copy_memory_or_none(destroy, 1) and (not resume or copy_memory_or_none(resume, 1))
        return owner or ("" if is_code else None)

    def registered_frame_at(self, address: int) -> LiveFrame | None:
        """Return the registered frame at the address."""
        return self._known.get(address)

    def frame_for_handle(self, address: int, promise: tuple[Kind, int] | None, function: str) -> LiveFrame:
        """Return the registered frame at the address, or register a new one for a handle."""
        frame = self._known.get(address)
        if frame is None:
            self.serial += 1
            frame = self._known[address] = LiveFrame(self.serial)
            starting = self._calls.starting
            if starting and starting[-1][0] == function:  # a callable requests the frame of the ramp that calls it
                frame.activation = Activation(begun=True)
                starting[-1][1].append((frame, frame.activation))
        if promise is not None:
            frame.promise, frame.promise_offset = promise
        frame.function = function or frame.function
        return frame

    @contextmanager
    def treat_frames_of_ramp_as_running(self, ramp: str) -> Generator[None, None, None]:
        """While the ramp runs, treat frames that may be its own as running."""
        frames: list[tuple[LiveFrame, Activation]] = []
        self._calls.starting.append((ramp, frames))
        try:
            yield
        finally:
            self._calls.starting.pop()
            for frame, activation in frames:
                frame.end_activation(activation)

    def mark_freed(self, address: int, frame: LiveFrame | None = None) -> None:
        """Record that the frame, or the registered frame at the address, is freed."""
        known = self._known.get(address)
        gone = frame or known
        if gone is not None:
            gone.mark_freed()
        if gone is known and known is not None:
            del self._known[address]

    def wrap_deallocator(self, function: Callable[..., Any], *, deferred: bool) -> Callable[..., Any]:
        """Wrap a deallocator so that it invalidates the handles of frames that it frees."""
        frames, calls = self._known, self._calls

        def deallocate(*args: Any) -> Any:
            frame = frames.pop(args[0], None)
            if frame is not None:
                frame.mark_freed()
            if calls.freed and args[0]:
                calls.freed[-1][args[0]] = (lambda: function(*args)) if deferred else None
                if deferred:
                    return None
            return function(*args)

        return deallocate

    @contextmanager
    def defer_frees(self) -> Generator[dict[int, Callable[[], object] | None], None, None]:
        """Collect deallocations and execute them at the end, so that no address is reused meanwhile. Callables in
        ``externals`` run at once.
        """
        freed: dict[int, Callable[[], object] | None] = {}
        self._calls.freed.append(freed)
        try:
            yield freed
        finally:
            self._calls.freed.pop()
            for free in freed.values():
                if free:
                    free()
