"""The oracle: cases run two ways and compared by what they do, each run in a child, so that a crash is a result."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import TracebackType
from typing import Any, TypedDict, Unpack

from pycoro._subprocess import isolated_command
from pycoro._typecheck import check, check_flags, check_list
from pycoro.module import Module
from pycoro.oracle._asked import check_case, check_limits, check_steps, ir_of, schedules_of
from pycoro.oracle._batch import Batch, batches
from pycoro.oracle._keywords import DEFAULTS, Asked, Compared, Ran, Sides, spelt_out
from pycoro.oracle.case import Case
from pycoro.oracle.driven import facts, for_host
from pycoro.oracle.trace import Run, Verdict, first_difference, judged
from pycoro.oracle.ways import LLVM, Interpreted, Lowering, Way, check_passes, reference_of, way
from pycoro.pipeline import DEFAULT

__all__ = ["Oracle", "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    >>> from pycoro import oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> with oracle.Oracle() as runs:
    ...     [outcome] = runs.compare_cases([case], reference="interpreter")
    >>> outcome.equal, outcome.difference
    (True, '')
    """

    case: Case
    verdicts: tuple[Verdict, ...]
    """One for each schedule."""
    unconfirmed: str = ""
    """A difference that showed among other cases in one process, and did not show when the case was alone."""
    alone: bool = True
    """Whether the case had a module to itself. Where it did not, its names had suffixes and there were other coroutines: a fault
    that depends on either may have stayed hidden."""

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
        """Whether both ways were executed and did the same, on every schedule."""
        return bool(self.verdicts) and all(verdict.equal for verdict in self.verdicts)

    @property
    def undecided(self) -> str:
        """Why nothing is known of a schedule though no difference was seen; else empty."""
        return next((verdict.undecided for verdict in self.verdicts if verdict.undecided), "")

    @property
    def executed(self) -> bool:
        """Whether both ways ran every schedule to its end."""
        return bool(self.verdicts) and all(verdict.executed for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.equal


class Oracle:
    """Runs comparisons; keeps a process that forks a child for each, until ``close()`` or the end of ``with``.

    ``opt`` is LLVM's optimizer, of LLVM 22. ``alignment`` is what functions that allocate promise, ``events`` how many
    are enough of a run, ``steps`` how many operations the interpreter may do in a call, ``timeout`` the seconds of processor time
    that a run may take. Any thread may use an oracle; runs take turns.

    ``trusted=False`` is for modules and pass strings of somebody else's: what was lowered is interpreted and not compiled, so
    that no code of theirs runs, and passes that do more than change a module are a ``PipelineError``.

    >>> from pycoro import oracle
    >>> with oracle.Oracle(timeout=5) as runs:
    ...     how = {"ramp": "counter", "args": (3, 6), "promise": "i32", "reference": "interpreter"}
    ...     print(runs.compare(pycoro.examples.COUNTER, ("promise", "resume", "promise", "destroy"), **how))
    the same: 8 events, finished
    """

    def __init__(
        self,
        opt: str | None = None,
        *,
        alignment: int = 256,
        events: int = 2000,
        steps: int = 100_000_000,
        timeout: float = 10,
        trusted: bool = True,
    ) -> None:
        check("opt is the name of LLVM's optimizer, or None", opt, str, os.PathLike, type(None))
        check_flags(trusted=trusted)
        self._opt = opt
        self._trusted = trusted
        limits = {"alignment": alignment, "events": events, "steps": steps, "timeout": timeout}
        for name, value in limits.items():
            check(f"{name} is a number", value, int, float)
        self._limits = check_limits(limits)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    # ---- the other process ----

    def _ask(self, job: dict[str, Any]) -> list[list[Run]]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = isolated_command("pycoro.oracle._serve")
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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
        todo = [(batch, set(batch.members)) for batch in _modules(irs, 1 if lowering.alone else most or (1 if live else _MANY))]
        found: dict[int, list[Run]] = {}
        while todo:
            batch, members = todo.pop()
            answers = self._batch(lowering, batch, cases, live, {**self._limits, **(limits or {})})
            if len(members) > 1 and not any(run.began for run in itertools.chain.from_iterable(answers)):
                order = sorted(members)  # one of them spoils it for all: which?
                for part in (order[: len(order) // 2], order[len(order) // 2 :]):
                    todo += [(half, set(half.members)) for half in batches({number: irs[number] for number in part}, len(part))]
                continue
            found |= zip(batch.members, answers, strict=True)
        return [found[number] for number in range(len(cases))]

    def _batch(
        self, lowering: Lowering, batch: Batch, cases: Sequence[Case], live: bool, limits: Mapping[str, Any]
    ) -> list[list[Run]]:
        if not self._trusted:
            lowering.check_confined()
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
                "trusted": self._trusted,
                "entries": entries,
                "live": live,
                **limits,
            }
        )

    # ---- one module ----

    @spelt_out(Ran)
    def run_all(
        self,
        ir: str | Module,
        schedules: Iterable[Sequence[str]] = ((),),
        **how: Unpack[Ran],
    ) -> list[Run]:
        """Lowers the module (not at all where ``passes`` is empty), and runs each schedule in a process of its own.

        ``passes`` is any lowering that `compare` takes; the limits, from ``alignment`` on, are those of the oracle, for these runs.
        """
        limits = check_limits(how)
        case = _case(ir, schedules, how)
        check_case(case)
        return self._runs(way(how.get("passes", DEFAULTS["passes"])), case, limits)

    def _runs(self, side: Way, case: Case, limits: Mapping[str, Any]) -> list[Run]:
        """What a case that was checked does by one way."""
        if isinstance(side, Lowering):
            return self.execute(side, [case], live=True, limits=limits)[0]
        return side.runs(self, [case], live=True)[0]

    @spelt_out(Ran)
    def run(
        self,
        ir: str | Module,
        schedule: Sequence[str] = (),
        **how: Unpack[Ran],
    ) -> Run:
        """Lowers the module and runs one schedule; the arguments are those of `run_all`."""
        return self.run_all(ir, [schedule], **how)[0]

    def lower(self, ir: str | Module, passes: str = DEFAULT, timeout: float = 60) -> str | Run:
        """The module as LLVM's own passes lower it, or what became of the attempt."""
        check("passes is a pass string", passes, str)
        check_limits({"timeout": timeout})
        return LLVM(passes, self._opt, timeout).text(for_host(ir_of(ir)))

    @spelt_out(Compared)
    def compare_all(
        self,
        ir: str | Module,
        schedules: Iterable[Sequence[str]] = ((),),
        **how: Unpack[Compared],
    ) -> list[Verdict]:
        """Makes both sides once for all schedules, and compares on each of them, as `compare` does."""
        limits = check_limits(how)
        case = _case(ir, schedules, how)
        sides = self._sides(how)
        check_case(case)
        return self._alone(case, sides, _counts(case, how.get("allocation"), sides), limits)

    def _alone(self, case: Case, sides: tuple[Way, Way], counts: Counts, limits: Mapping[str, Any]) -> list[Verdict]:
        """The verdicts on a case in a module of its own, where they are differences with the interpreter's word."""
        names = (sides[0].name, sides[1].name)
        ours, theirs = (self._runs(side, case, limits) for side in sides)
        verdicts = _verdicts(ours, theirs, counts, names)
        if _settled(verdicts, *sides):
            return verdicts
        return _judged(verdicts, self._runs(Interpreted(), case, limits), counts, names)

    @spelt_out(Compared)
    def compare(
        self,
        ir: str | Module,
        schedule: Sequence[str] = (),
        **how: Unpack[Compared],
    ) -> Verdict:
        """Makes two of the module, by a lowering and by a reference, runs both, and compares.

        ``ramp`` is called with ``args`` (a string is a pointer to scratch memory, None is null); then each step of ``schedule`` is
        done to the handle that it gave: ``resume``, ``destroy``, ``done``, ``promise`` (of the type ``promise``). What
        the coroutine's state forbids is refused, not done. With no schedule the function is just called, as a driver.

        Functions that the module does not define are recorded; ``returns`` says what they give, in order, and after
        that they give values that look arbitrary but are the same in both runs. Those whose names look like allocation
        hand out memory that is watched, aligned to ``alignment`` or to what they are asked for. ``timeout`` is in
        seconds of processor time for each run, ``events`` is how many are enough, ``steps`` how many operations the
        interpreter may do in a call; left out, they are the oracle's own.

        ``lowering`` is a pass string, a `Pipeline`, or a callable from IR to IR; left out, it is pycoro's ``passes``.
        ``reference`` is ``"llvm"``, which runs LLVM's ``passes`` in a child, ``"interpreter"``, ``"pycoro:PASSES"``, or a `Way`.

        ``allocation`` says whether what is allocated and freed counts: None, as far as no lowering has a choice. That is not at all
        where coroutines ask ``llvm.coro.alloc``; but for frames, by the names of the functions that allocate and free those,
        where coroutines have a buffer that a small frame fits into; but for what nobody sees before it is freed where the passes of
        one side alone are more than the lowering of coroutines: LLVM leaves out pairs of ``malloc`` and ``free``. What a callable
        leaves out counts.

        What could never run is no comparison: ``ParseError`` or ``VerifyError`` for what is no IR, ``PipelineError`` for a pass
        string, ``UsageError`` for a function that is not there, for arguments, steps or values that are not its own. What ran
        on one side only, or to no end, makes a verdict that is not `equal <Verdict.equal>`, and says why.

        >>> from pycoro import oracle
        >>> how = {"ramp": "counter", "args": (3, 6), "reference": "interpreter"}
        >>> print(oracle.compare(pycoro.examples.COUNTER, ("resume", "destroy"), **how))
        the same: 6 events, finished
        """
        return self.compare_all(ir, [schedule], **how)[0]

    # ---- many ----

    def _sides(self, how: Sides) -> tuple[Way, Way]:
        allocation = how.get("allocation")
        if allocation is not None:
            check_flags(allocation=allocation)
        passes = check_passes(how.get("passes", DEFAULTS["passes"]))
        lowering, other = how.get("lowering"), how.get("reference", DEFAULTS["reference"])
        if other == "llvm":
            other = LLVM(passes, self._opt)
        return way(passes if lowering is None else lowering), reference_of(other, passes)

    @spelt_out(Sides)
    def compare_cases(
        self,
        cases: Sequence[Case],
        **how: Unpack[Sides],
    ) -> list[Outcome]:
        """Compares many cases, at a hundred and more in a second; the arguments are those of `compare`.

        Cases share modules and processes, but where the lowering is a callable. One that does not end well on both sides and alike
        is compared once more, alone, and that is what its outcome says. So a difference is one that the case shows by itself; but
        a fault that shows only by the names of the case, or where it is the only one in its module, is not seen:
        `Outcome.alone` says which had a module to themselves. Use `compare` for what must be.
        """
        cases = check_list("cases is a list of cases", cases)
        sides = self._sides(how)
        names = (sides[0].name, sides[1].name)
        for case in cases:
            check("a case is an oracle.Case", case, Case)
            if case.returns:
                check_case(case)  # what nobody calls by that name would stay unseen
        runs = [side.runs(self, cases, live=False) for side in sides]
        together = all(isinstance(side, Lowering) and not side.alone for side in sides) and len(cases) > 1
        outcomes: list[Outcome] = []
        for case, mine, yours in zip(cases, *runs, strict=True):
            counts = _counts(case, how.get("allocation"), sides)
            outcome = Outcome(case, tuple(_verdicts(mine, yours, counts, names)), alone=not together)
            if not (outcome.equal and outcome.executed):
                check_case(case)
                again = Outcome(case, tuple(self._alone(case, sides, counts, {})))
                outcome = replace(again, unconfirmed="" if again.difference else outcome.difference)
            outcomes.append(outcome)
        return outcomes

    def _apart(self, side: Way, cases: Sequence[Case]) -> list[list[Run]]:
        """Runs that share modules, each in a process of its own."""
        if isinstance(side, Lowering):
            return self.execute(side, cases, live=True, most=_MANY)
        return side.runs(self, cases, live=True)

    @spelt_out(Sides)
    def compare_apart(
        self,
        cases: Sequence[Case],
        **how: Unpack[Sides],
    ) -> list[Outcome]:
        """The same where most cases are expected to differ: each run has a process of its own from the start, so that nothing
        needs to be compared once more, and the interpreter says its word on all that differ at once."""
        sides = self._sides(how)
        names = (sides[0].name, sides[1].name)
        runs = [self._apart(side, cases) if cases else [] for side in sides]
        found = [_verdicts(a, b, _counts(c, how.get("allocation"), sides), names) for c, a, b in zip(cases, *runs, strict=True)]
        for case, verdicts in zip(cases, found, strict=True):
            if case.returns or not any(verdict.ours.began or verdict.theirs.began for verdict in verdicts):
                check_case(case)
        differ = [number for number, verdicts in enumerate(found) if not _settled(verdicts, *sides)]
        thirds = self._apart(Interpreted(), [cases[number] for number in differ]) if differ else []
        for number, third in zip(differ, thirds, strict=True):
            found[number] = _judged(found[number], third, _counts(cases[number], how.get("allocation"), sides), names)
        return [Outcome(case, tuple(verdicts), alone=len(cases) == 1) for case, verdicts in zip(cases, found, strict=True)]

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


def _frozen(items: Sequence[Any]) -> tuple[Any, ...]:
    """JSON knows lists only."""
    return tuple([_frozen([*item]) if isinstance(item, list) else item for item in items])


def _case(ir: str | Module, schedules: Iterable[Sequence[str]], how: Asked) -> Case:
    """What is asked for, as a case."""
    args = tuple(check_list("args is a list of arguments", how.get("args", DEFAULTS["args"])))
    ramp, returns = how.get("ramp", DEFAULTS["ramp"]), how.get("returns")
    return Case(ir_of(ir), schedules_of(schedules), ramp, args, how.get("promise"), {} if returns is None else returns)


def _entry(case: Case, suffix: str) -> dict[str, Any]:
    """What the child needs to know of a case."""
    entry = facts(case, suffix)
    check_steps(entry["abi"], case.schedules)
    return entry


_MANY = 256
"""Cases in one module."""


@lru_cache(maxsize=1)
def _modules(irs: tuple[str, ...], most: int) -> tuple[Batch, ...]:
    """The modules that cases of these texts share: made once for both sides, which run the same cases one after the other."""
    return tuple(batches(dict(enumerate(irs)), most))


class Counts(TypedDict):
    """What of allocations counts: keywords of `first_difference`."""

    allocation: bool | frozenset[str]
    unseen: bool


_RETCON = re.compile(r"@llvm\.coro\.id\.retcon[.\w]*\([^)]*@([-\w$.]+), ptr @([-\w$.]+)\)")


def _judged(verdicts: Sequence[Verdict], third: Sequence[Run], counts: Counts, names: tuple[str, str]) -> list[Verdict]:
    """Those that are differences, with a third opinion."""
    pairs = zip(verdicts, third, strict=True)
    return [judged(v, run, **counts, names=names) if v.difference else v for v, run in pairs]


def _counts(case: Case, allocation: bool | None, sides: tuple[Way, Way]) -> Counts:
    """What of the case's allocations counts. Where nothing is said, what no lowering has a choice in: all, or none where
    coroutines ask, or all but by the functions that are named for frames that do not fit a buffer; and what nobody sees not where
    the passes of one side alone may leave it out."""
    if allocation is not None:
        return {"allocation": allocation, "unseen": True}
    unseen = sides[0].optimizes == sides[1].optimizes
    if "@llvm.coro.alloc(" in case.ir:
        return {"allocation": False, "unseen": unseen}
    named = frozenset(name for pair in _RETCON.findall(case.ir) for name in pair)
    return {"allocation": named or "@llvm.coro.id.retcon" not in case.ir, "unseen": unseen}


def _settled(verdicts: Sequence[Verdict], *sides: Way) -> bool:
    """Whether the interpreter has nothing to add: there is no difference, or it is one of the sides."""
    return not any(verdict.difference for verdict in verdicts) or any(isinstance(side, Interpreted) for side in sides)


def _verdicts(ours: Sequence[Run], theirs: Sequence[Run], counts: Counts, names: tuple[str, str]) -> list[Verdict]:
    pairs = zip(ours, theirs, strict=True)
    return [Verdict(a, b, "" if a == b else first_difference(a, b, **counts, names=names)) for a, b in pairs]
