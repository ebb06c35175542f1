"""A faulty engine: a build of a copy of csrc/ with the faults of faults.toml, and lowering by it."""

from __future__ import annotations

import ctypes
import fcntl
import importlib.machinery
import importlib.util
import itertools
import os
import pickle
import signal
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drawn import Sample, abi
from overwrite import overwrite_dead_bytes
from planted import NUMBER, ROOT, table, write

from pycoro._abi_methods import Methods, engine_arguments_of_abi
from pycoro.errors import Error, RejectedError
from pycoro.oracle import Run, for_host

Job = tuple[Sample, int]  # and the number of a fault or 0
BUILD = ROOT / "build" / "faults"
SOURCE = BUILD / "source"
OBJECTS = SOURCE / "build" / "engine"
EXTENSION = OBJECTS / "_core.abi3.so"
SECONDS = 5  # of processor time for one lowering


def build() -> Path:
    """Build the extension module in one process at a time, if it is out of date.

    Files without a fault have the compiler, options, relative paths and contents of `./dev setup`, whose objects ccache has.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _build()


def _build() -> Path:
    tools = {"env": os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}}
    options = [
        f"-DCMAKE_C_COMPILER={sysconfig.get_config_var('CC').split()[0]}",
        "-DCMAKE_BUILD_TYPE=Release",  # without assertions of the stages: the oracle must detect the faults
        "-DPYCORO_WERROR=ON",
        "-DPYCORO_PYTHON=ON",
        "-DPYCORO_INSTALL_C=OFF",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    write(SOURCE)
    configure = ["cmake", "-S", SOURCE, "-B", OBJECTS, "-G", "Ninja", *options]
    for command in (configure, ["cmake", "--build", OBJECTS, "--target", "_core"]):
        done = subprocess.run(command, capture_output=True, text=True, **tools)
        if done.returncode:
            raise RuntimeError(f"the build with faults failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return EXTENSION


def _load(path: Path) -> Any:
    """Load the module under a separate name: the package pycoro keeps the correct engine."""
    loader = importlib.machinery.ExtensionFileLoader("faulty._core", str(path))
    spec = importlib.util.spec_from_loader("faulty._core", loader)
    assert spec
    core = importlib.util.module_from_spec(spec)
    loader.exec_module(core)
    return core


class Faulty:
    """Lowers with a fault or with none. Bytes that the report calls dead are overwritten, so that a wrong report shows."""

    def __init__(self, built: bool = False) -> None:
        path = EXTENSION if built else build()
        self._core = _load(path)
        self._number = ctypes.c_uint.in_dll(ctypes.CDLL(str(path)), NUMBER)
        self.faults = {fault.name: fault.what for fault in table().values()}
        """Descriptions of the faults, by name."""
        self._numbers = {name: number for number, name in enumerate(self.faults, 1)}

    def _report(self, module: Any, passes: str, abis: tuple[Methods, ...] | None, fault: int) -> Any:
        """Return the report of the coroutines in the module, lowered with the fault."""
        self._number.value = fault
        try:
            return module.run(passes, abis=abis)[0].coroutines()
        finally:
            self._number.value = 0

    def _lowered(self, sample: Sample, fault: int) -> Run | str:
        """Lower a sample; frames of an ABI with private fields are not overwritten, since no report lists these."""
        abis = tuple(map(engine_arguments_of_abi, abi(sample).abis)) if sample.abi else None
        try:
            module = self._core.Module(for_host(sample.ir).encode(), "sample", trusted=True)
            report = self._report(module, sample.passes, abis, fault)
            return module.text() if abis else overwrite_dead_bytes(module.text(), report)
        except RejectedError as error:
            return Run("rejected", str(error), ())
        except Error as error:
            return Run("broken", str(error), ())

    def _child(self, sink: int, jobs: Sequence[Job]) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        for job in jobs:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            done: Run | str | RuntimeError
            try:
                done = self._lowered(*job)
            except Exception:  # raised outside of the engine
                done = RuntimeError(f"the judge failed:\n{traceback.format_exc()}")
            with open(sink, "wb", closefd=False) as file:
                pickle.dump(done, file)

    def _first(self, jobs: Sequence[Job]) -> list[Run | str]:
        """Return the results of the jobs up to one that ends the process. Failures outside of the engine are raised."""
        source, sink = os.pipe()
        child = os.fork()
        if not child:
            try:
                self._child(sink, jobs)
            finally:
                os._exit(1)
        os.close(sink)
        done: list[Run | str] = []
        with open(source, "rb") as file:
            while file.peek(1):
                try:
                    done.append(pickle.load(file))
                except EOFError:
                    break
        status = os.waitpid(child, 0)[1]
        if failed := next((one for one in done if isinstance(one, RuntimeError)), None):
            raise failed
        if len(done) < len(jobs):
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else signal.SIGABRT
            how = "timeout" if number == signal.SIGPROF else "crashed"
            done.append(Run(how, f"{signal.Signals(number).name} while it was lowered", ()))
        return done

    def _all(self, jobs: Sequence[Job]) -> list[Run | str]:
        done = list[Run | str]()
        while len(done) < len(jobs):
            done += self._first(jobs[len(done) :])
        return done

    def lower(self, asked: Sequence[tuple[Sample, Sequence[str]]]) -> list[list[Run | str]]:
        """Lower each sample without a fault, then with each of some faults, in child processes that may crash; return the
        outcomes."""
        jobs = [(sample, [0, *map(self._numbers.__getitem__, faults)]) for sample, faults in asked]
        done = iter(self._all([(sample, number) for sample, numbers in jobs for number in numbers]))
        return [list(itertools.islice(done, len(numbers))) for _, numbers in jobs]
