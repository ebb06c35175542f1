"""Base of `Engine`: calls into compiled code, callbacks and access to memory, which an interpreter overrides in part."""

from __future__ import annotations

import ctypes
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from pycoro._calltype import CallType
from pycoro._escape import printable
from pycoro.errors import UsageError
from pycoro.running.coroutine_info import CoroutineInfo
from pycoro.running.depth import nested
from pycoro.running.frames import Activation, Frames, LiveFrame, Result, find_frame_in_result_or_raise
from pycoro.running.kinds import Kind, Signature

if TYPE_CHECKING:
    from pycoro.running.engine import Engine

__all__ = ["Caller", "CallerOfType", "Machine", "prototype"]


class Caller(Protocol):
    """Caller of functions of one type, by address."""

    def convert_arguments(self, *args: Any) -> list[Any]:
        """Convert the arguments for the call. Raises TypeError or OverflowError."""
        ...

    def call(self, function: int, values: list[Any], take: Callable[[Any], None]) -> None:
        """Pass the result to ``take``: None, a value, or a tuple."""
        ...


class CallerOfType:
    """Base of callers: the result and parameters of a function type."""

    def __init__(self, engine: Engine, call: CallType) -> None:
        self._engine, self._text = engine, call.text
        self._result = None if call.result == "void" else engine._kinds.kind(call.result)
        self._parameters = [engine._kinds.kind(text) for text in call.parameters]
        for kind in self._parameters:
            if kind.ctype is None:
                raise UsageError(f"a value of type {kind.text} cannot be passed from Python: {call.text}")

    def _pair_with_parameters(self, args: tuple[Any, ...]) -> Iterator[tuple[Kind, Any]]:
        """Pair the types of the parameters with the arguments. Raises TypeError for another number of arguments."""
        if len(args) != len(self._parameters):
            raise TypeError(f"expected {len(self._parameters)} arguments ({self._text}), got {len(args)}")
        return zip(self._parameters, args, strict=True)


def prototype(signature: Signature) -> Any:
    """Return the ctypes prototype of a function type."""
    result = signature.result.ctype if signature.result else None
    return ctypes.CFUNCTYPE(result, *(kind.ctype for kind in signature.parameters if kind))


class _CallbackExceptions(threading.local):
    """Exceptions of callbacks during this thread's calls into compiled code, innermost call last."""

    def __init__(self) -> None:
        self.raised: list[list[BaseException]] = []
        self.activations: list[Activation] = []


class Machine(ABC):
    """Executor of code. `_call_after_constructors` calls into it; functions from `_make_callback` call Python."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._calls = _CallbackExceptions()
        self._info = CoroutineInfo()
        self._frames = Frames()
        self._sret: dict[str, str] = {}  # type of the ``sret`` result, by function
        self._thunks: dict[str, Any] = {}

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} has code and frames of this process: it is neither copied nor pickled")

    @abstractmethod
    def run_constructors(self) -> None:
        """Run pending constructors."""

    def _make_callback(self, name: str, signature: Signature, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callback for compiled code with values of the signature, which stops all exceptions."""
        calls, result, parameters = self._calls, signature.result, signature.parameters

        def call(*args: Any) -> Any:
            if calls.activations:
                calls.activations[-1].begun = True
            try:
                value = function(*(kind.from_c(arg) for kind, arg in zip(parameters, args, strict=True) if kind))
                try:
                    return result.to_c(value) if result else None
                except (TypeError, OverflowError) as error:
                    error.add_note(f"this is the result of the callable that @{printable(name)} is bound to")
                    raise
            except BaseException as error:
                if not calls.raised:
                    raise  # no Python call can raise it: ctypes reports it as unraisable
                calls.raised[-1].append(error)
                return 0 if result else None

        return call

    def _check_depth_and_run_constructors(self) -> None:
        """Raise if compiled code cannot be called now, before any side effect. Runs pending constructors."""
        nested.check()
        self.run_constructors()

    def _call_after_constructors(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call into compiled code after its constructors ran, and raise the exceptions of its callbacks."""
        self._check_depth_and_run_constructors()
        return self._call_and_raise_callback_errors(function, *args)

    def _call_and_raise_callback_errors(self, function: Callable[..., Any], *args: Any) -> Any:
        raised: list[BaseException] = []
        self._core.hold()
        self._calls.raised.append(raised)
        nested.depth += 1
        try:
            result = function(*args)
        finally:
            nested.depth -= 1
            self._calls.raised.pop()
            self._core.release()
        if raised:
            if len(raised) > 1:
                raised[0].add_note(f"compiled code went on, and its callbacks raised {len(raised) - 1} more")
            raise nested.limit_error_for_recursion_error_or_same(raised[0])
        return result

    def _find_frame_in_result_or_raise(self, result: Result, name: str) -> int:
        """Find the frame in the result of a ramp. Raises ``LifecycleError`` if the result contains no frame."""
        return find_frame_in_result_or_raise(bytes(result), name, self._frames.coroutine_name_at_empty_if_foreign)

    def _keep_result_alive_with_frame(self, result: Result, frame: LiveFrame) -> None:
        """Keep the result memory alive with the frame, because the coroutine may store to it again."""
        frame.result = result

    def _share_memory_and_return_value(self, value: Any) -> Any:
        """Prepare a value for compiled code."""
        return value

    def _callable_at(self, address: int, signature: Signature) -> Callable[..., Any]:
        """Return a ctypes callable for the function at the address."""
        entry: Callable[..., Any] = prototype(signature)(address)
        return entry

    def _read_value(self, kind: Kind, address: int) -> bytes:
        """Read a value from memory."""
        return ctypes.string_at(address, kind.size)

    def _write_bytes(self, address: int, data: bytes) -> None:
        """Write bytes to memory."""
        ctypes.memmove(address, data, len(data))
