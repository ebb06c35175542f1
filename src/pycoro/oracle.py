"""Two lowerings of one module, pycoro's and LLVM's, run on the same schedule and compared by what they do.

What is compared: every call of a function that the module does not define, with its arguments; what is allocated and
freed; whether the coroutine is done; its promise, where the schedule asks for it; writes outside of allocated memory;
what is left in the end. Both run in processes of their own, so a crash, an abort or a loop without end is a result.

>>> verdict = pycoro.oracle.compare(ir, ramp="f", args=(4,), schedule=("resume", "resume", "destroy"))
>>> verdict.equal
True
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pycoro.engine import Engine
from pycoro.errors import UsageError
from pycoro.pipeline import DEFAULT

__all__ = ["Oracle", "Run", "Verdict", "compare", "first_difference", "for_host"]

Event = tuple[Any, ...]
STEPS = ("resume", "destroy", "done", "promise")


@dataclass(frozen=True, slots=True)
class Run:
    """What one lowering did."""

    how: str
    """``finished``; ``rejected`` by the lowering; ``broken``: it gave IR that cannot be compiled; ``crashed``;
    ``timeout``; ``stopped`` after too many events; ``unsupported``: this program cannot be executed; ``failed``: the
    oracle did."""
    why: str
    """More about it: the signal, or what was said."""
    events: tuple[Event, ...]
    """What happened, in order: ``("call", "print", 4)``, ``("free", "free", "block 0")``, ``("done", True)``."""

    def __str__(self) -> str:
        lines = [" ".join(map(str, event)) for event in self.events]
        return "\n".join([*lines, f"{self.how}: {self.why}" if self.why else self.how])


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two lowerings do the same."""

    ours: Run
    theirs: Run
    difference: str
    """The first difference, in one sentence; empty where there is none."""

    @property
    def equal(self) -> bool:
        """Whether both did the same."""
        return not self.difference

    @property
    def executed(self) -> bool:
        """Whether both ran to the end of the schedule: what is equal otherwise says little."""
        return self.ours.how == self.theirs.how == "finished"

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return self.difference or f"the same: {len(self.ours.events)} events, {self.ours.how}"


def _frozen(item: Any) -> Any:
    """JSON knows lists only."""
    return tuple(map(_frozen, item)) if isinstance(item, list) else item


def _without_allocation(run: Run) -> Run:
    events = (event for event in run.events if event[0] not in ("allocate", "free", "left"))
    blocks = (tuple("pointer" if str(word).startswith("block ") else word for word in event) for event in events)
    return Run(run.how, run.why, tuple(blocks))


def first_difference(ours: Run, theirs: Run, *, allocation: bool = True) -> str:
    """Where two runs part, in one sentence; empty where they do not."""
    if not allocation:
        ours, theirs = _without_allocation(ours), _without_allocation(theirs)
    for number, (mine, yours) in enumerate(zip(ours.events, theirs.events, strict=False), 1):
        if mine != yours:
            return f"event {number} is {_event(mine)} in pycoro's lowering, {_event(yours)} in LLVM's"
    count = min(len(ours.events), len(theirs.events))
    if len(ours.events) != len(theirs.events):
        more, run, less = ("pycoro's", ours, theirs) if len(ours.events) > count else ("LLVM's", theirs, ours)
        last = f", which {less.how}: {less.why}" if less.how != run.how else ""
        return f"event {count + 1}, {_event(run.events[count])}, is only in {more} lowering; the other ends{last}"
    if ours.how != theirs.how:
        return f"pycoro's lowering {_ending(ours)}, LLVM's {_ending(theirs)}, after {count} equal events"
    return ""


def _event(event: Event) -> str:
    return f"`{' '.join(map(str, event))}`"


def _ending(run: Run) -> str:
    return f"{run.how} ({run.why.splitlines()[0]})" if run.why else run.how


_HOST: list[str] = []


def for_host(ir: str) -> str:
    """The IR with this machine's triple and data layout, unless it names its own: frames are laid out by them."""
    if not _HOST:
        with Engine() as engine:
            _HOST[:] = [f'target datalayout = "{engine.data_layout}"', f'target triple = "{engine.triple}"']
    missing = [line for line in _HOST if not re.search(rf"^\s*{line.split('=')[0]}=", ir, re.MULTILINE)]
    return "\n".join([*missing, ir]) if len(missing) == len(_HOST) else ir


class Oracle:
    """Runs comparisons; keeps a process that forks a child for each run, until ``close()`` or the end of ``with``.

    ``opt`` is LLVM's optimizer, of LLVM 22. Any thread may use an oracle; runs take turns.
    """

    def __init__(self, opt: str | None = None) -> None:
        self._opt = opt or os.environ.get("PYCORO_OPT") or shutil.which("opt-22") or shutil.which("opt")
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def _ask(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
                command = [sys.executable, "-m", "pycoro._execute"]
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            assert self._process.stdin and self._process.stdout
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the oracle's process ended; what it said is on stderr")
        answers: list[dict[str, Any]] = json.loads(line)
        return answers

    def run_all(
        self,
        ir: str,
        schedules: Iterable[Sequence[str]] = ((),),
        *,
        ramp: str = "f",
        args: Sequence[Any] = (),
        promise: str | None = None,
        returns: Mapping[str, Sequence[Any]] | None = None,
        passes: str = DEFAULT,
        alignment: int = 256,
        events: int = 2000,
        timeout: float = 10,
    ) -> list[Run]:
        """Lowers the module by pycoro's passes (none where ``passes`` is empty), and runs each schedule."""
        schedules = [list(schedule) for schedule in schedules]
        wrong = [step for schedule in schedules for step in schedule if step not in STEPS]
        if wrong:
            raise UsageError(f"{wrong[0]!r} is no step of a schedule; {', '.join(STEPS)} are")
        job = {
            "ir": for_host(ir),
            "ramp": ramp,
            "args": list(args),
            "schedules": schedules,
            "promise": promise,
            "returns": {name: list(values) for name, values in (returns or {}).items()},
            "passes": passes,
            "alignment": alignment,
            "events": events,
            "timeout": timeout,
        }
        return [Run(answer["how"], answer["why"], tuple(map(_frozen, answer["events"]))) for answer in self._ask(job)]

    def run(self, ir: str, schedule: Sequence[str] = (), **how: Any) -> Run:
        """Lowers the module by pycoro's passes and runs one schedule; the arguments are those of `run_all`."""
        return self.run_all(ir, [schedule], **how)[0]

    def lower(self, ir: str, passes: str = DEFAULT, timeout: float = 60) -> str | Run:
        """The module as LLVM's own passes lower it, or what became of the attempt."""
        if not self._opt:
            raise FileNotFoundError("LLVM's optimizer is not on PATH: install opt-22, or say where it is in PYCORO_OPT")
        command = [self._opt, f"-passes={passes}", "-S", "-o", "-", "-"]
        try:
            done = subprocess.run(command, input=for_host(ir).encode(), capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return Run("timeout", "while it was lowered", ())
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "surrogateescape")
        said = done.stderr.decode("utf-8", "replace")
        fatal = re.search(r"LLVM ERROR: .*|error: .*", said)
        if fatal:
            return Run("rejected" if fatal[0].startswith("LLVM ERROR") else "broken", fatal[0], ())
        return Run("crashed", f"opt ended with status {done.returncode}", ())

    def compare_all(
        self,
        ir: str,
        schedules: Iterable[Sequence[str]] = ((),),
        *,
        passes: str = DEFAULT,
        allocation: bool = True,
        **how: Any,
    ) -> list[Verdict]:
        """Lowers the module twice, once for all schedules, and compares on each of them, as `compare` does."""
        schedules = list(schedules)
        ours = self.run_all(ir, schedules, passes=passes, **how)
        lowered = self.lower(ir, passes)
        theirs = [lowered] * len(schedules) if isinstance(lowered, Run) else self.run_all(lowered, schedules, passes="", **how)
        return [Verdict(a, b, first_difference(a, b, allocation=allocation)) for a, b in zip(ours, theirs, strict=True)]

    def compare(self, ir: str, schedule: Sequence[str] = (), **how: Any) -> Verdict:
        """Lowers the module twice, runs both, and compares.

        ``ramp`` is called with ``args`` (a string is a pointer to scratch memory); then each step of ``schedule`` is
        done to the handle that it gave: ``resume``, ``destroy``, ``done``, ``promise`` (of the type ``promise``). What
        the coroutine's state forbids is refused, not done. With no schedule the function is just called, as a driver.

        Functions that the module does not define are recorded; ``returns`` says what they give, in order, and after
        that they give values that look arbitrary but are the same in both runs. Those whose names look like allocation
        hand out memory that is watched, aligned to ``alignment`` or to what they are asked for. ``passes`` is the pass
        string of both lowerings, ``timeout`` is in seconds for each run, ``events`` is how many are enough.
        ``allocation=False`` leaves out what is allocated and freed, where two lowerings that put frames on the stack
        may choose differently.
        """
        return self.compare_all(ir, [schedule], **how)[0]

    def close(self) -> None:
        """Ends the process; the next run starts another."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                assert process.stdin and process.stdout
                process.stdin.close()
                process.wait()
                process.stdout.close()

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


_shared = Oracle()
atexit.register(_shared.close)


def compare(ir: str, **how: Any) -> Verdict:
    """`Oracle.compare` on an oracle that is kept for the process."""
    return _shared.compare(ir, **how)
