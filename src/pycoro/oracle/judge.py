"""The oracle: cases run two ways and compared by what they do, each run in a child, so that a crash is a result."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import TracebackType
from typing import Any

from pycoro.errors import UsageError
from pycoro.oracle._batch import Batch, batches
from pycoro.oracle._drivers import steps_of
from pycoro.oracle.abi import facts, for_host
from pycoro.oracle.case import Case
from pycoro.oracle.trace import Run, Verdict, first_difference, judged
from pycoro.oracle.ways import LLVM, Interpreted, Lowering, Way, reference, way
from pycoro.pipeline import DEFAULT

__all__ = ["Oracle", "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: Case
    verdicts: tuple[Verdict, ...]
    """One for each schedule."""
    unconfirmed: str = ""
    """A difference that showed among other cases in one process, and did not show when the case was alone."""

    @property
    def difference(self) -> str:
        """The first one, in a sentence; empty where both ways did the same on every schedule."""
        return next((verdict.difference for verdict in self.verdicts if verdict.difference), "")

    @property
    def schedule(self) -> tuple[str, ...]:
        """The schedule that shows the difference; the first where there is none."""
        pairs = zip(self.case.schedules, self.verdicts, strict=True)
        return next((schedule for schedule, verdict in pairs if verdict.difference), self.case.schedules[0])

    @property
    def equal(self) -> bool:
        """Whether both ways did the same."""
        return not self.difference

    @property
    def executed(self) -> bool:
        """Whether both ways ran every schedule to its end."""
        return all(verdict.executed for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.equal


class Oracle:
    """Runs comparisons; keeps a process that forks a child for each, until ``close()`` or the end of ``with``.

    ``opt`` is LLVM's optimizer, of LLVM 22. ``alignment`` is what functions that allocate promise, ``events`` how many
    are enough of a run, ``timeout`` the seconds of processor time it may take. Any thread may use an oracle; runs take turns.
    """

    def __init__(self, opt: str | None = None, *, alignment: int = 256, events: int = 2000, timeout: float = 10) -> None:
        self._opt = opt
        self._limits: dict[str, Any] = {"alignment": alignment, "events": events, "steps": 100_000_000, "timeout": timeout}
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    # ---- the other process ----

    def _ask(self, job: dict[str, Any]) -> list[list[Run]]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
                command = [sys.executable, "-m", "pycoro.oracle._serve"]
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            assert self._process.stdin and self._process.stdout
            try:
                pickle.dump(job, self._process.stdin)
                self._process.stdin.flush()
                answers = pickle.load(self._process.stdout)
            except (EOFError, BrokenPipeError):
                raise RuntimeError("the oracle's process ended; what it said is on stderr") from None
        return [[Run(how, why, _frozen(events)) for how, why, events in runs] for runs in answers]

    def execute(
        self, lowering: Lowering, cases: Sequence[Case], *, live: bool, limits: Mapping[str, Any] | None = None, most: int = 0
    ) -> list[list[Run]]:
        """What cases do by a lowering: for each the runs of its schedules. At most ``most`` go into one module: by default 1
        where they run `live`, else many."""
        irs = tuple(for_host(case.ir) for case in cases)
        todo = [(batch, set(batch.members)) for batch in _modules(irs, most or (1 if live else _MANY))]
        found: dict[int, list[Run]] = {}
        while todo:
            batch, members = todo.pop()
            answers = self._batch(lowering, batch, cases, live, {**self._limits, **(limits or {})})
            if len(members) > 1 and not any(map(_ran, itertools.chain.from_iterable(answers))):
                order = sorted(members)  # one of them spoils it for all: which?
                for part in (order[: len(order) // 2], order[len(order) // 2 :]):
                    todo += [(half, set(half.members)) for half in batches({number: irs[number] for number in part}, len(part))]
                continue
            found |= zip(batch.members, answers, strict=True)
        return [found[number] for number in range(len(cases))]

    def _batch(
        self, lowering: Lowering, batch: Batch, cases: Sequence[Case], live: bool, limits: Mapping[str, Any]
    ) -> list[list[Run]]:
        theirs = "" if live else lowering.theirs
        lowered = batch.ir if theirs else lowering.lower(batch.ir)
        entries = [_entry(cases[number], suffix) for number, suffix in batch.members.items()]
        if isinstance(lowered, Run):
            return [[lowered] * len(entry["schedules"]) for entry in entries]
        return self._ask(
            {
                "ir": lowered,
                "passes": lowering.passes,
                "theirs": theirs,
                "interpreted": lowering.interpreted,
                "entries": entries,
                "live": live,
                **limits,
            }
        )

    # ---- one module ----

    def run_all(
        self,
        ir: str,
        schedules: Iterable[Sequence[str]] = ((),),
        *,
        ramp: str = "f",
        args: Sequence[Any] = (),
        promise: str | None = None,
        returns: Mapping[str, Sequence[Any]] | None = None,
        passes: object = DEFAULT,
        **limits: Any,
    ) -> list[Run]:
        """Lowers the module (not at all where ``passes`` is empty), and runs each schedule in a process of its own.

        ``passes`` is any lowering that `compare` takes; ``limits`` are those of the oracle, for these runs.
        """
        case = Case(ir, tuple(map(tuple, schedules)), ramp, tuple(args), promise, returns or {})
        lowering = way(passes)
        if not isinstance(lowering, Lowering):
            return lowering.runs(self, [case], live=True)[0]
        return self.execute(lowering, [case], live=True, limits=_checked(limits))[0]

    def run(self, ir: str, schedule: Sequence[str] = (), **how: Any) -> Run:
        """Lowers the module and runs one schedule; the arguments are those of `run_all`."""
        return self.run_all(ir, [schedule], **how)[0]

    def lower(self, ir: str, passes: str = DEFAULT, timeout: float = 60) -> str | Run:
        """The module as LLVM's own passes lower it, or what became of the attempt."""
        return LLVM(passes, self._opt, timeout).text(for_host(ir))

    def compare_all(
        self,
        ir: str,
        schedules: Iterable[Sequence[str]] = ((),),
        *,
        passes: str = DEFAULT,
        lowering: object = None,
        reference: Way | str = "llvm",
        allocation: bool = True,
        **how: Any,
    ) -> list[Verdict]:
        """Makes both sides once for all schedules, and compares on each of them, as `compare` does."""
        schedules = [tuple(schedule) for schedule in schedules]
        ours, theirs = self._sides(passes if lowering is None else lowering, reference, passes)
        runs = [self.run_all(ir, schedules, passes=side, **how) for side in (ours, theirs)]
        verdicts = _verdicts(runs[0], runs[1], allocation, (ours.name, theirs.name))
        if all(verdicts) or _interprets(ours, theirs):
            return verdicts
        return _judged(verdicts, self.run_all(ir, schedules, passes=Interpreted(), **how), allocation, (ours.name, theirs.name))

    def compare(self, ir: str, schedule: Sequence[str] = (), **how: Any) -> Verdict:
        """Makes two of the module, by a lowering and by a reference, runs both, and compares.

        ``ramp`` is called with ``args`` (a string is a pointer to scratch memory); then each step of ``schedule`` is
        done to the handle that it gave: ``resume``, ``destroy``, ``done``, ``promise`` (of the type ``promise``). What
        the coroutine's state forbids is refused, not done. With no schedule the function is just called, as a driver.

        Functions that the module does not define are recorded; ``returns`` says what they give, in order, and after
        that they give values that look arbitrary but are the same in both runs. Those whose names look like allocation
        hand out memory that is watched, aligned to ``alignment`` or to what they are asked for. ``timeout`` is in
        seconds of processor time for each run, ``events`` is how many are enough, ``steps`` how many operations the
        interpreter may do in a call.

        ``lowering`` is a pass string, a `Pipeline`, or a callable from IR to IR; left out, it is pycoro's ``passes``.
        ``reference`` is ``"llvm"``, which runs LLVM's ``passes`` in a child, ``"pycoro:PASSES"``, or a `Way`.
        ``allocation=False`` leaves out what is allocated and freed, where two lowerings that put frames on the stack
        may choose differently.
        """
        return self.compare_all(ir, [schedule], **how)[0]

    # ---- many ----

    def _sides(self, lowering: object, other: Way | str, passes: str) -> tuple[Way, Way]:
        if other == "llvm":
            other = LLVM(passes, self._opt)
        return way(lowering), other if isinstance(other, Way) else reference(other, passes)

    def compare_cases(
        self,
        cases: Sequence[Case],
        *,
        passes: str = DEFAULT,
        lowering: object = None,
        reference: Way | str = "llvm",
        allocation: bool | None = True,
    ) -> list[Outcome]:
        """Compares many cases, at a hundred and more in a second; the arguments are those of `compare`. Where
        ``allocation`` is None, it counts as far as no lowering has a choice: not at all where coroutines ask
        ``llvm.coro.alloc``; but for frames, by the names of the functions that allocate and free those, where coroutines
        have a buffer that a small frame fits into, so that the interpreter, which has no frames, can be compared as well.

        Cases share modules and processes. One that does not end well on both sides and alike is compared once more,
        alone, and that is what its outcome says.
        """
        ours, theirs = self._sides(passes if lowering is None else lowering, reference, passes)
        sides = [side.runs(self, cases, live=False) for side in (ours, theirs)]
        names = (ours.name, theirs.name)
        outcomes = []
        for case, mine, yours in zip(cases, *sides, strict=True):
            counts = _counts(case, allocation)
            outcome = Outcome(case, tuple(_verdicts(mine, yours, counts, names)))
            if not (outcome.equal and outcome.executed):
                alone = [side.runs(self, [case], live=True)[0] for side in (ours, theirs)]
                verdicts = _verdicts(alone[0], alone[1], counts, names)
                if not (all(verdicts) or _interprets(ours, theirs)):
                    verdicts = _judged(verdicts, Interpreted().runs(self, [case], live=True)[0], counts, names)
                again = Outcome(case, tuple(verdicts))
                outcome = replace(again, unconfirmed="" if again.difference else outcome.difference)
            outcomes.append(outcome)
        return outcomes

    def _apart(self, side: Way, cases: Sequence[Case]) -> list[list[Run]]:
        """Runs that share modules, each in a process of its own."""
        if isinstance(side, Lowering):
            return self.execute(side, cases, live=True, most=_MANY)
        return side.runs(self, cases, live=True)

    def compare_apart(
        self,
        cases: Sequence[Case],
        *,
        passes: str = DEFAULT,
        reference: Way | str = "llvm",
        allocation: bool | None = True,
    ) -> list[Outcome]:
        """The same where most cases are expected to differ: each run has a process of its own from the start, so that nothing
        needs to be compared once more, and the interpreter says its word on all that differ at once."""
        ours, theirs = self._sides(passes, reference, passes)
        names = (ours.name, theirs.name)
        sides = [self._apart(side, cases) if cases else [] for side in (ours, theirs)]
        found = [_verdicts(a, b, _counts(c, allocation), names) for c, a, b in zip(cases, *sides, strict=True)]
        differ = [number for number, verdicts in enumerate(found) if not (all(verdicts) or _interprets(ours, theirs))]
        thirds = self._apart(Interpreted(), [cases[number] for number in differ]) if differ else []
        for number, third in zip(differ, thirds, strict=True):
            found[number] = _judged(found[number], third, _counts(cases[number], allocation), names)
        return [Outcome(case, tuple(verdicts)) for case, verdicts in zip(cases, found, strict=True)]

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


def _frozen(items: list[Any]) -> tuple[Any, ...]:
    """JSON knows lists only."""
    return tuple([_frozen(item) if isinstance(item, list) else item for item in items])


def _entry(case: Case, suffix: str) -> dict[str, Any]:
    """What the child needs to know of a case."""
    entry = facts(case, suffix)
    steps = steps_of(entry["abi"])
    wrong = [step for schedule in case.schedules for step in schedule if step.partition(" ")[0] not in steps]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is no step of a schedule; {', '.join(steps)} are")
    return entry


def _checked(limits: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = limits.keys() - {"alignment", "events", "steps", "timeout"}
    if unknown:
        raise TypeError(f"{min(unknown)!r} is no argument of a comparison")
    return limits


_MANY = 256
"""Cases in one module."""


@lru_cache(maxsize=1)
def _modules(irs: tuple[str, ...], most: int) -> tuple[Batch, ...]:
    """The modules that cases of these texts share: made once for both sides, which run the same cases one after the other."""
    return tuple(batches(dict(enumerate(irs)), most))


def _ran(run: Run) -> bool:
    """Whether it came to run, however it ended."""
    return bool(run.events) or run.how in ("finished", "undefined") or run.why.endswith("while it ran")


_RETCON = re.compile(r"@llvm\.coro\.id\.retcon[.\w]*\([^)]*@([-\w$.]+), ptr @([-\w$.]+)\)")


def _judged(
    verdicts: Sequence[Verdict], third: Sequence[Run], allocation: bool | frozenset[str], names: tuple[str, str]
) -> list[Verdict]:
    """Those that are differences, with a third opinion."""
    pairs = zip(verdicts, third, strict=True)
    return [verdict if verdict else judged(verdict, run, allocation=allocation, names=names) for verdict, run in pairs]


def _counts(case: Case, allocation: bool | None) -> bool | frozenset[str]:
    """What of the case's allocations counts. Where nothing is said, what no lowering has a choice in: all, or none where
    coroutines ask, or all but by the functions that are named for frames that do not fit a buffer."""
    if allocation is not None:
        return allocation
    if "@llvm.coro.alloc(" in case.ir:
        return False
    named = frozenset(name for pair in _RETCON.findall(case.ir) for name in pair)
    return named or "@llvm.coro.id.retcon" not in case.ir


def _interprets(*sides: Way) -> bool:
    return any(isinstance(side, Interpreted) for side in sides)


def _verdicts(
    ours: Sequence[Run], theirs: Sequence[Run], allocation: bool | frozenset[str], names: tuple[str, str]
) -> list[Verdict]:
    return [
        Verdict(a, b, "" if a == b else first_difference(a, b, allocation=allocation, names=names))
        for a, b in zip(ours, theirs, strict=True)
    ]
