"""What runs code and holds frames: all of an engine that its functions, handles and continuations need."""

from __future__ import annotations

import ctypes
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from pycoro._escape import printable
from pycoro.running.depth import nested
from pycoro.running.frames import Frames, LiveFrame, Result, Turn, named_in
from pycoro.running.kinds import Kind, Kinds, Signature
from pycoro.running.told import Told

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import FrameField
    from pycoro.running.handle import Handle
    from pycoro.running.look import Look

__all__ = ["Caller", "Machine", "prototype"]


class Caller(Protocol):
    """Calls functions of one kind by their addresses."""

    def values(self, *args: Any) -> list[Any]:
        """The arguments as it takes them. TypeError, OverflowError."""
        ...

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Hands over the result: None, a value, or a tuple of them."""
        ...


def prototype(signature: Signature) -> Any:
    """What ctypes takes for the type of a function."""
    result = signature.result.ctype if signature.result else None
    return ctypes.CFUNCTYPE(result, *(kind.ctype for kind in signature.parameters if kind))


class _Calls(threading.local):
    """What the calls into compiled code that this thread is in have gathered, the innermost last."""

    def __init__(self) -> None:
        self.raised: list[list[BaseException]] = []
        self.turns: list[Turn] = []


class Machine(ABC):
    """Calls go in by `_enter`, and out by what `_callback` makes."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._calls = _Calls()
        self._told = Told()
        self._frames = Frames()
        self._sret: dict[str, str] = {}  # the type of a result that is written where the caller says, by the function
        self._thunks: dict[str, Any] = {}

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} has code and frames of this process: it is neither copied nor pickled")

    @cached_property
    @abstractmethod
    def _kinds(self) -> Kinds:
        """The types of its code, as its memory holds their values."""

    @abstractmethod
    def run_constructors(self) -> None:
        """Runs those that wait."""

    @abstractmethod
    def _compile(self, text: str) -> None:
        """Adds code of the engine's own."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether its code and its frames are gone."""

    def _callback(self, name: str, signature: Signature, function: Callable[..., Any]) -> Callable[..., Any]:
        """What compiled code calls: it gives and takes values of the signature, and lets no exception through."""
        calls, result, parameters = self._calls, signature.result, signature.parameters

        def call(*args: Any) -> Any:
            if calls.turns:
                calls.turns[-1].begun = True
            try:
                value = function(*(kind.from_c(arg) for kind, arg in zip(parameters, args, strict=True) if kind))
                try:
                    return result.to_c(value) if result else None
                except (TypeError, OverflowError) as error:
                    error.add_note(f"this is the result of the callable that @{printable(name)} is bound to")
                    raise
            except BaseException as error:
                if not calls.raised:
                    raise  # no call of Python's to raise it from: ctypes reports it as unraisable
                calls.raised[-1].append(error)
                return 0 if result else None

        return call

    def _ready(self) -> None:
        """Raises where compiled code cannot be called now: before anything has happened that would have to be undone. Runs
        constructors that wait."""
        nested.check()
        self.run_constructors()

    def _enter(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls into compiled code whose constructors have run, and raises what its callbacks have raised."""
        self._ready()
        return self._call(function, *args)

    def _call(self, function: Callable[..., Any], *args: Any) -> Any:
        raised: list[BaseException] = []
        self._core.hold()
        self._calls.raised.append(raised)
        nested.depth += 1
        try:
            result = function(*args)
        finally:
            nested.depth -= 1
            self._calls.raised.pop()
            self._core.let_go()
        if raised:
            if len(raised) > 1:
                raised[0].add_note(f"compiled code went on, and its callbacks raised {len(raised) - 1} more")
            raise nested.told(raised[0])
        return result

    def _told_of(self, address: int) -> Told:
        """What was told of the module whose coroutine the frame there is of."""
        return self._told

    def _told_by(self, name: str) -> Told:
        """What was told of the module that defines the function."""
        return self._told

    def _named_in(self, result: Result, name: str) -> int:
        """The frame of the coroutine whose ramp has written this. ``LifecycleError`` where none is named in it."""
        return named_in(bytes(result), name, self._frames.owner)

    def _keep_result(self, result: Result, frame: LiveFrame) -> None:
        """It stays as long as somebody knows the frame: the coroutine may write there again."""
        frame.result = result

    def _lent(self, value: Any) -> Any:
        """A value that goes to compiled code."""
        return value

    def _entry(self, address: int, signature: Signature) -> Callable[..., Any]:
        """What calls the function there, with values as ctypes takes them."""
        entry: Callable[..., Any] = prototype(signature)(address)
        return entry

    @abstractmethod
    def _layout_of(self, handle: Handle) -> Coroutine | None:
        """Where the fields of its frame are; None where nobody has told."""

    @abstractmethod
    def _look(self, handle: Handle, coroutine: Coroutine) -> Look:
        """What is in its frame. ``LifecycleError`` where no suspended coroutine is."""

    @abstractmethod
    def _note(self, handle: Handle, index: int | None) -> Any:
        """What `_noted` needs, of a coroutine that is about to be resumed where its frame has this index."""

    @abstractmethod
    def _noted(self, handle: Handle, coroutine: Coroutine, note: Any) -> Look | None:
        """What was in its frame then; None where that is not known."""

    @abstractmethod
    def _put(self, address: int, coroutine: Coroutine, field: FrameField, kind: Kind, value: Any) -> None:
        """Has the field of the frame there hold another value. TypeError, OverflowError."""

    @abstractmethod
    def _caller(self, text: str) -> Caller:
        """What calls functions of this kind, in LLVM's words."""

    @abstractmethod
    def _standing(self, continuation: int, storage: int) -> tuple[Coroutine, int, Look]:
        """See `Engine.frame_of`: the layout, the address of the frame, and what is there."""

    def _read(self, kind: Kind, address: int) -> bytes:
        """What is in memory there."""
        return ctypes.string_at(address, kind.size)

    def _write(self, address: int, data: bytes) -> None:
        """Puts it into memory there."""
        ctypes.memmove(address, data, len(data))
