"""Run a job in the interpreter, with the same world and trampolines. The module is not lowered, unless it is untrusted. The IR
of the world is linked into the module.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

from pycoro import _core
from pycoro.errors import Error, LimitError, UndefinedError, UnsupportedError
from pycoro.module import Module
from pycoro.oracle._child import Child, Ended
from pycoro.oracle._headers import Headers, define_external_globals
from pycoro.oracle._recorders import Recorders
from pycoro.oracle._world import RECORDER, Slots, Stub, stubs_module
from pycoro.running.interpreter import check_value_is_defined
from pycoro.running.kinds import Kind

__all__ = ["Interpreting"]

_DECLARED = re.compile(r'^declare\b[^@\n]*@(?:"([^"]*)"|([-\w$.]+))\([^\n]*\n', re.MULTILINE)
_HOW: dict[type[Exception], str] = {UndefinedError: "undefined", UnsupportedError: "unsupported", LimitError: "timeout"}


_LEFT = re.compile(r"^.*\b(?:call|invoke)\b.*@(llvm\.coro\.[\w.]+)\(", re.MULTILINE)


def _end_if_calls_coro_intrinsic(text: str) -> None:
    """Raise for a module that an engine rejects as unlowered, though the interpreter accepts it."""
    left = _LEFT.search(text)
    if left:
        raise Ended("broken", f"the lowered module still calls {left[1]}")


class Interpreting(Child):
    """An interpreted job, with the presplit module or with one that passes have lowered."""

    def prepare_runs(self) -> None:
        """Prepare all runs. Raises `Ended`."""
        try:
            text = define_external_globals(str(self._lower_module()))
            if not self._job["interpreted"]:
                _end_if_calls_coro_intrinsic(text)
            self.headers = Headers(text)
            stubs_ir, self._stubs = stubs_module(self.headers.undefined_functions())
            self._recorders = Recorders(self._stubs, self.memory, self.log_event)
            _, drivers = self._add_drivers_return_declares_and_trampolines()
            defined = {stub.header.name.strip('"') for stub in self._stubs}
            rest = _DECLARED.sub(lambda found: "" if (found[1] or found[2]) in defined else found[0], text)
            module = Module("\n".join([rest, stubs_ir, drivers]), trusted=True)
            self._core = _core.Interpreter(module._core, self._call_external_or_not_implemented, self._job["steps"])
            self._core.share(*self.memory.address_and_size_of_arena)
        except UnsupportedError as error:
            raise Ended("unsupported", str(error)) from None
        except Error as error:
            raise Ended("broken", str(error)) from None

    def _call_external_or_not_implemented(self, name: str, address: int, text: str, args: tuple[Any, ...]) -> object:
        """Handle external calls of the core: the recorder, and the functions of the no-op coroutine by address."""
        number, place = args if len(args) == 2 else (-1, 0)
        if name == RECORDER and 0 <= number < len(self._stubs):
            self._check_and_record_stub_call(self._stubs[number], place)
        elif address != self.memory.noop_function_address:
            return NotImplemented
        return None

    def _check_is_program_memory(self, address: int, size: int, what: str) -> None:
        """Raise if the memory range does not belong to the program, because a pointer may be arbitrary."""
        if not address or not self._core.owns(address, size):
            raise UndefinedError(f"{what} is at {address:#x}, where the program has no memory")

    def _check_and_record_stub_call(self, stub: Stub, address: int) -> None:
        self._check_is_program_memory(address, stub.size, f"what @{stub.header.name} is passed")
        for kind, offset in zip(stub.slots.types, stub.slots.offsets, strict=True):
            self._check_is_defined(kind, address + offset, f"an argument of @{stub.header.name}")
        self._recorders(stub.number, address)
        if stub.result is not None:
            self._core.wrote(address, stub.result.size)

    def _check_is_defined(self, kind: Kind | None, address: int, what: str) -> None:
        if kind is None:
            return
        self._check_is_program_memory(address, kind.size, what)
        try:
            check_value_is_defined(self._core, kind, address)
        except UndefinedError as error:
            raise UndefinedError(f"{what} is undefined: {error}") from None

    def read(self, kind: Kind, address: int) -> Any:
        self._check_is_defined(kind, address, "what is read")
        return super().read(kind, address)

    def write(self, address: int, data: bytes) -> None:
        self._check_is_program_memory(address, len(data), "what is written")
        super().write(address, data)
        self._core.wrote(address, len(data))

    def call_trampoline(self, name: str, slots: Slots, values: Sequence[Any], results: Slots) -> list[Any]:
        data = slots.write(values)
        buffer = ctypes.create_string_buffer(data, max(slots.size, results.size) + 64)
        address = -(-ctypes.addressof(buffer) // 64) * 64
        ctypes.memmove(address, data, len(data))
        self._core.share(ctypes.addressof(buffer), len(buffer))
        self._core.wrote(address, len(data))
        try:
            self._core.call(self._core.lookup(name), (address,))
            return self._read_results(results, address)
        finally:
            self._core.unshare(ctypes.addressof(buffer))

    def _read_results(self, results: Slots, address: int) -> list[Any]:
        for kind, offset in zip(results.types, results.offsets, strict=True):
            self._check_is_defined(kind, address + offset, "the result")
        return results.read(address)

    def _ending_of_exception(self, error: Exception) -> tuple[str, str]:
        how = _HOW.get(type(error))
        return (how, str(error) if how != "timeout" else "while it ran") if how else super()._ending_of_exception(error)
