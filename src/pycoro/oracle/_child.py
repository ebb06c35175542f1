"""Run a job in a child process: lower and compile a module with its world, then run its entries."""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from pycoro import _core
from pycoro.errors import Error, RejectedError, UnsupportedError, UsageError
from pycoro.module import Module
from pycoro.oracle._drivers import DRIVERS, Driver
from pycoro.oracle._headers import Headers, define_external_globals, text_before_functions
from pycoro.oracle._memory import Memory
from pycoro.oracle._recorders import Recorders
from pycoro.oracle._world import RECORDER, Slots, stubs_module
from pycoro.running.kinds import Kind

__all__ = ["Child", "Ended", "write_json_line"]

_Enter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)  # without releasing the GIL, because the process has a single thread
_Recorder = ctypes.PYFUNCTYPE(None, ctypes.c_int32, ctypes.c_void_p)


def write_json_line(file: int, *item: object) -> None:
    """Write one line of JSON without a buffer, so that it is complete even if the process dies next."""
    data = json.dumps(item).encode() + b"\n"
    while data:
        data = data[os.write(file, data) :]


class Ended(Exception):
    """Raised at the end of a job, with the ending and its reason."""


class Child:
    """One job. With ``live``, every event is written immediately, so that a crash loses none."""

    def __init__(self, job: dict[str, Any], file: int) -> None:
        self._job = job
        self._file = file
        self.live = bool(job["live"])
        self._events: list[tuple[object, ...]] = []
        self.memory = Memory(self.log_event, job["alignment"])
        self.headers = Headers("")
        self._drivers: list[Driver | str] = []
        self._keep: list[object] = []

    # ---- events ----

    def set_output_file(self, file: int) -> None:
        """Set the output file of a fork of this process."""
        self._file = file

    def log_event(self, *event: object) -> None:
        self._events.append(event)
        if self.live:
            write_json_line(self._file, "event", *event)
        if len(self._events) >= self._job["events"]:
            self.write_ending_and_exit("stopped", f"after {len(self._events)} events")

    def write_ending_and_exit(self, how: str, why: str) -> NoReturn:
        """Terminate the process, because the compiled caller cannot be unwound."""
        self._write_ending(how, why)
        os._exit(0)

    def _write_ending(self, how: str, why: str = "") -> None:
        write_json_line(self._file, "run", how, why, () if self.live else self._events)

    # ---- compiled code ----

    def _record_stub_call(self, number: int, address: int) -> None:
        try:
            self._recorders(number, address)
        except BaseException as error:
            self.write_ending_and_exit("failed", f"{type(error).__name__}: {error}")

    def pop_arguments_of_last_call(self) -> Sequence[tuple[Kind | None, Any]]:
        return self._recorders.pop_arguments_of_last_call()

    def write(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))

    def read(self, kind: Kind, address: int) -> Any:
        return kind.from_bytes(ctypes.string_at(address, kind.size))

    def call_trampoline(self, name: str, slots: Slots, values: Sequence[Any], results: Slots) -> list[Any]:
        data = slots.write(values)
        buffer = ctypes.create_string_buffer(data, max(slots.size, results.size) + 64)
        address = -(-ctypes.addressof(buffer) // 64) * 64  # values may be stored with their alignment
        ctypes.memmove(address, data, len(data))
        _Enter(self._engine.lookup(name))(address)
        return results.read(address)

    # ---- the job ----

    def _lower_module(self) -> Module:
        try:
            module = Module(self._job["ir"], trusted=True)
        except Error as error:
            raise Ended("broken", str(error)) from None
        if self._job["passes"] or self._job["theirs"]:
            try:
                if self._job["theirs"]:
                    module._core.run_llvm(self._job["theirs"])
                else:
                    module._core.run_in_place(self._job["passes"])
                module.verify()
            except RejectedError as error:
                raise Ended("rejected", str(error)) from None
            except Error as error:
                raise Ended("broken", str(error)) from None
        return module

    def _add_drivers_return_declares_and_trampolines(self) -> tuple[str, str]:
        """Return the declarations of callees, and the IR of all trampolines. An entry without a driver has the reason in its
        place.
        """
        trampolines: dict[str, str] = {}
        for number, entry in enumerate(self._job["entries"]):
            try:
                driver = DRIVERS[entry["abi"]](self, entry, number)
                self._drivers.append(driver)
                trampolines |= driver.trampolines
            except (UsageError, UnsupportedError) as error:
                self._drivers.append(error.message)
        used = {driver.header.name: driver.header for driver in self._drivers if isinstance(driver, Driver)}
        declared = {header.declaration_line("declare") for header in used.values()}
        declared |= {line for driver in self._drivers if isinstance(driver, Driver) for line in driver.declarations}
        return "\n".join(sorted(declared)), "\n".join(trampolines.values())

    def prepare_runs(self) -> None:
        """Prepare all runs. Raises `Ended`."""
        module = self._lower_module()
        outline = module._core.outline()
        if " = external " in outline:
            module = Module(define_external_globals(str(module)), trusted=True)
        self.headers = Headers(outline)
        stubs_ir, stubs = stubs_module(self.headers.undefined_functions())
        self._recorders = Recorders(stubs, self.memory, self.log_event)
        callback = _Recorder(self._record_stub_call)
        self._keep.append(callback)
        self._engine = _core.Engine(quick=True)
        target = "\n".join(re.findall(r"^target .*$", text_before_functions(outline), re.MULTILINE)) + "\n"
        try:
            self._engine.define(RECORDER, ctypes.cast(callback, ctypes.c_void_p).value or 0)
            self._engine.take(Module(target + stubs_ir, trusted=True)._core)
            self._engine.take(module._core)
            self._engine.take(Module("\n".join([target, *self._add_drivers_return_declares_and_trampolines()]), trusted=True)._core)
            self._engine.run_constructors()
        except RejectedError as error:
            raise Ended("broken", str(error)) from None
        except Error as error:
            raise Ended("unsupported", str(error)) from None

    def run(self, entry: int, schedule: Sequence[str]) -> None:
        """Execute one run and write its result. It may not return, because compiled code cannot be unwound."""
        self._events = []
        self.memory.clear()
        self._recorders.begin_run(self._job["entries"][entry]["returns"])
        driver = self._drivers[entry]
        if isinstance(driver, str):
            self._write_ending("unsupported", driver)
            return
        try:
            driver.start_and_run_schedule(schedule)
            self.memory.log_stray_writes()
            self.log_event("left", *self.memory.leaked_blocks())
        except Exception as error:
            self._write_ending(*self._ending_of_exception(error))
            return
        self._write_ending("finished")

    def _ending_of_exception(self, error: Exception) -> tuple[str, str]:
        """Return the ending and the reason of a run that an exception ended."""
        return "failed", f"{type(error).__name__}: {error}"
