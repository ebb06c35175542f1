"""The frames that live in an engine, as far as Python has made handles for them, and what is seen of their end."""

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
from pycoro.running.memory import peek

if TYPE_CHECKING:
    from pycoro.running.kinds import Kind
    from pycoro.running.told import Stops

__all__ = ["Frames", "LiveFrame", "Result", "Turn", "named_in", "parts_in", "running"]


def parts_in(address: int) -> tuple[int, int] | None:
    """What would be the resume and the destroy function of a frame there; None where no memory is."""
    header = peek(address, 2 * POINTER_SIZE)
    if header is None:
        return None
    resume, destroy = (int.from_bytes(header[at : at + POINTER_SIZE], sys.byteorder) for at in (0, POINTER_SIZE))
    return resume, destroy


def named_in(data: bytes, name: str, owner: Callable[[int], str | None]) -> int:
    """The frame of the coroutine whose ramp has written this, where `owner` tells whose frame is at an address.
    ``LifecycleError`` where none is named in it."""
    for at in range(0, len(data) - POINTER_SIZE + 1, POINTER_SIZE):
        address = int.from_bytes(data[at : at + POINTER_SIZE], sys.byteorder)
        if address and owner(address) == name:
            return address
    raise LifecycleError(f"@{name} has left no handle in what it returns; use Engine.handle() on the frame's address")


def running(called: str) -> LifecycleError:
    """Of a coroutine that is asked for its frame."""
    return LifecycleError(f"{called} is running: its frame can be looked into once it has suspended")


Result: TypeAlias = "ctypes.Array[ctypes.c_char]"
"""Memory that a ramp writes its result to."""


class Turn:
    """One run of a coroutine, by its ramp or by who has resumed it, which has not come back."""

    __slots__ = ("begun", "index")

    def __init__(self, index: int | None = None, *, begun: bool = False) -> None:
        self.index = index
        """In the frame when it began; None where that is not known."""
        self.begun = begun
        """Whether its code has been seen to run."""


class LiveFrame:
    """A frame that a handle was made for; handles to the same frame share it."""

    __slots__ = (
        "__weakref__",
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
        "turn",
        "watched",
    )

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.alive = True
        self.ended = False  # gone because it ran to its end, rather than being destroyed
        self.at_value = False  # its ramp stopped at its first value, which nobody has asked `next` for
        self.destroying = False
        self.guard = threading.RLock()  # of what is here, and of the memory: what frees it waits for who reads it
        self.turn: Turn | None = None  # the last that has begun, unless it has come back: the coroutine is suspended then
        self.function = ""
        self.stops: Stops | None = None
        self.promise: Kind | None = None
        self.promise_offset = 0
        self.result: Result | None = None  # memory that the ramp has returned its result in
        self.before: Any = None  # what the machine has noted of it when Python resumed it last
        self.watched = False  # somebody has looked into it

    def leave(self, turn: Turn) -> None:
        """The turn has come back. Who was resumed in it, behind a save, may run still."""
        with self.guard:
            if self.turn is turn:
                self.turn = None

    def gone(self) -> None:
        """Its memory is freed now."""
        with self.guard:
            self.alive = False


class _Calls(threading.local):
    """What the calls of ramps that this thread is in have gathered, the innermost last."""

    def __init__(self) -> None:
        self.freed: list[dict[int, Callable[[], object] | None]] = []
        self.starting: list[tuple[str, list[tuple[LiveFrame, Turn]]]] = []  # ramps that run, and the frames that may be theirs


class Frames:
    """Those of one engine, by address. An address is used again once its frame is freed, which not everybody tells."""

    def __init__(self) -> None:
        self.serial = 0
        """How many there have been: what is numbered higher is younger."""
        self._calls = _Calls()
        self.parts: dict[int, str] = {}
        """The coroutines that the functions at these addresses are parts of."""
        self._known: WeakValueDictionary[int, LiveFrame] = WeakValueDictionary()

    def owner(self, address: int) -> str | None:
        """The coroutine whose frame is there, "" for one that is not of this engine; None where no frame is."""
        parts = parts_in(address)
        if parts is None:
            return None
        resume, destroy = parts
        owner = self.parts.get(resume) or self.parts.get(destroy)
        is_code = destroy and peek(destroy, 1) and (not resume or peek(resume, 1))
        return owner or ("" if is_code else None)

    def known(self, address: int) -> LiveFrame | None:
        """The frame there that some handle is of."""
        return self._known.get(address)

    def made(self, address: int, promise: tuple[Kind, int] | None, function: str) -> LiveFrame:
        """The frame there, for a handle: known, or new."""
        frame = self._known.get(address)
        if frame is None:
            self.serial += 1
            frame = self._known[address] = LiveFrame(self.serial)
            starting = self._calls.starting
            if starting and starting[-1][0] == function:  # a callable asks for the frame of the ramp that calls it
                frame.turn = Turn(begun=True)
                starting[-1][1].append((frame, frame.turn))
        if promise is not None:
            frame.promise, frame.promise_offset = promise
        frame.function = function or frame.function
        return frame

    @contextmanager
    def starting(self, name: str) -> Generator[None, None, None]:
        """While the ramp runs, what looks like its frame is running."""
        frames: list[tuple[LiveFrame, Turn]] = []
        self._calls.starting.append((name, frames))
        try:
            yield
        finally:
            self._calls.starting.pop()
            for frame, turn in frames:
                frame.leave(turn)

    def gone(self, address: int, frame: LiveFrame | None = None) -> None:
        """The frame, or whatever is known to be there, is freed."""
        known = self._known.get(address)
        gone = frame or known
        if gone is not None:
            gone.gone()
        if gone is known and known is not None:
            del self._known[address]

    def watch(self, function: Callable[..., Any], *, deferred: bool) -> Callable[..., Any]:
        """A deallocator that marks the handles of what it frees."""
        frames, calls = self._known, self._calls

        def deallocate(*args: Any) -> Any:
            frame = frames.pop(args[0], None)
            if frame is not None:
                frame.gone()
            if calls.freed and args[0]:
                calls.freed[-1][args[0]] = (lambda: function(*args)) if deferred else None
                if deferred:
                    return None
            return function(*args)

        return deallocate

    @contextmanager
    def deferred_frees(self) -> Generator[dict[int, Callable[[], object] | None], None, None]:
        """Gathers what is freed, and frees it at the end, so that an address tells whether that very frame is gone. A
        callable of the user's is called at once: what it does with the memory is for it to know."""
        freed: dict[int, Callable[[], object] | None] = {}
        self._calls.freed.append(freed)
        try:
            yield freed
        finally:
            self._calls.freed.pop()
            for free in freed.values():
                if free:
                    free()
