"""Functions of an engine as Python callables; calling a ramp creates a coroutine handle."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro._typecheck import check_booleans
from pycoro.errors import LifecycleError, UsageError
from pycoro.running.handle import Handle
from pycoro.running.kinds import Pointer, Signature
from pycoro.view import format_count

if TYPE_CHECKING:
    from pycoro.running.engine import Engine
    from pycoro.running.frames import Result

__all__ = ["CompiledFunction"]


class CompiledFunction:
    """A function in an engine. A call returns its result, or a :class:`Handle` if the function is the ramp of a coroutine.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     engine["sum"].type, engine["sum"](10), engine["counter"].is_ramp
    ('i32 (i32)', 45, True)
    """

    __slots__ = ("_engine", "_pointer", "_signature", "address", "is_ramp", "name")

    name: str
    """Name without the ``@``."""
    address: int
    """Address of its code."""
    is_ramp: bool
    """True if it creates a coroutine and returns its handle. A lowered ramp is recognized by the function ``name.resume`` in
    the module.
    """

    def __init__(self, engine: Engine, name: str, signature: Signature, *, is_ramp: bool) -> None:
        why = signature.reason_if_unsupported()
        if why:
            raise UsageError(f"@{name}, {signature.text}, cannot be called from Python: {why}")
        self._engine = engine
        self._signature = signature
        self.name = name
        self.is_ramp = is_ramp
        self.address = engine._core.lookup(name)
        self._pointer = engine._callable_at(self.address, signature)

    @property
    def type(self) -> str:
        """Function type as LLVM prints it, such as ``"ptr (i32)"``."""
        return self._signature.text

    def call(self, *args: Any) -> Any:
        """Call the function and return its result as a value, even for a ramp, whose handle is an address."""
        parameters = self._signature.parameters
        if len(args) != len(parameters):
            raise TypeError(
                f"@{printable(self.name)} takes {format_count(len(parameters), 'argument')} ({self.type}), not {len(args)}"
            )
        values = [
            kind.to_c(self._engine._share_memory_and_return_value(value))
            for kind, value in zip(parameters, args, strict=True)
            if kind
        ]
        result = self._engine._call_after_constructors(self._pointer, *values)
        return self._signature.result.from_c(result) if self._signature.result else None

    def start(self, *args: Any, promise: str | None = None, lazy: bool | None = None) -> Handle:
        """Call the function as a ramp, and return the handle. ``promise`` is the type of the promise, such as ``"i32"`` or
        ``"i32, align 32"``. ``lazy`` is true if the coroutine suspends before its first value, as C++ generators do; see
        :class:`Handle`.
        """
        if lazy is not None:
            check_booleans(lazy=lazy)
        returned, place = self._sret_argument_and_memory_if_any()
        engine = self._engine
        kind = (
            None
            if promise is None
            else engine._info_of_function(self.name).parse_promise_type_and_offset(promise, engine._kinds, engine._info)
        )
        serial = engine._frames.serial
        with engine._frames.defer_frees() as freed, engine._frames.treat_frames_of_ramp_as_running(self.name):
            address = self.call(*returned, *args)
            if place is not None:
                address = engine._find_frame_in_result_or_raise(place, self.name)
            if not address:
                raise LifecycleError(f"@{self.name} returned a null pointer instead of a handle")
            older = engine._frames.registered_frame_at(address)
            if older is not None and older.serial <= serial:  # its memory was reused, and no watched deallocator saw the free
                engine._frames.mark_freed(address)
            if promise is None:
                kind = engine._module_info_of_frame_at(address).promises.get(self.name)
            handle = Handle(engine, address, engine._frames.frame_for_handle(address, kind, self.name))
            if place is not None:
                engine._keep_result_alive_with_frame(place, handle._frame)
            if address in freed:
                handle._frame.ended = True
                engine._frames.mark_freed(address)
            else:
                stops = handle._frame.stops
                at_value = stops is not None and stops.index_field.read(address) in stops.first_values
                handle._frame.at_value = not lazy if lazy is not None else at_value
        return handle

    def _sret_argument_and_memory_if_any(self) -> tuple[tuple[object, ...], Result | None]:
        """Return the argument and the memory for an ``sret`` result; empty for a result in a register."""
        spelt = self._engine._sret.get(self.name, "")
        if spelt and self.is_ramp:
            kind = self._engine._kinds.kind(spelt)
            memory = ctypes.create_string_buffer(kind.size + kind.align)
            start = -(-ctypes.addressof(memory) // kind.align) * kind.align
            place = (ctypes.c_char * kind.size).from_buffer(memory, start - ctypes.addressof(memory))
            return (place,), place
        if isinstance(self._signature.result, Pointer):
            return (), None
        raise UsageError(f"@{self.name}, {self.type}, returns no handle; use Engine.handle() on the frame's address")

    def __call__(self, *args: Any) -> Any:
        return self.start(*args) if self.is_ramp else self.call(*args)

    def __repr__(self) -> str:
        return f"<CompiledFunction @{printable(self.name)}: {self.type}{', a ramp' if self.is_ramp else ''}>"
