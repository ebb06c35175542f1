"""The oracle: run cases on two sides in child processes, and compare their events."""

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

from pycoro._subprocess import isolated_module_command
from pycoro._typecheck import check, check_booleans, check_list
from pycoro.errors import InternalError
from pycoro.module import Module
from pycoro.oracle._batch import Batch, batches
from pycoro.oracle._keywords import DEFAULTS, Asked, Compared, Ran, Sides, with_explicit_keywords
from pycoro.oracle._validate import check_case, check_steps, checked_given_limits, ir_of, schedules_of
from pycoro.oracle.case import Case
from pycoro.oracle.driven import case_for_child, for_host
from pycoro.oracle.lowerings import LLVM, Interpreted, Lowering, Side, check_passes, reference_of, side_of
from pycoro.oracle.trace import Run, Verdict, first_difference, with_interpreter_run
from pycoro.pipeline import DEFAULT

__all__ = ["Oracle", "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """Result of comparing a case.

    >>> from pycoro import oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> with oracle.Oracle() as runs:
    ...     [outcome] = runs.compare_cases([case], reference="interpreter")
    >>> outcome.equal, outcome.difference
    (True, '')
    """

    case: Case
    verdicts: tuple[Verdict, ...]
    """Verdict on each schedule."""
    unconfirmed: str = ""
    """Difference that appeared in a batch, but not when the case ran alone."""
    alone: bool = True
    """True if the case had a separate module. In a shared module its names had suffixes, so that bugs that depend on names or
    on a single coroutine may be hidden.
    """

    @property
    def difference(self) -> str:
        """First difference, as a sentence; empty if both sides behaved equally on all schedules."""
        return next((verdict.difference for verdict in self.verdicts if verdict.difference), "")

    @property
    def schedule(self) -> tuple[str, ...]:
        """Schedule of the difference, or the first schedule if there is none."""
        pairs = zip(self.case.schedules, self.verdicts, strict=True)
        return next((schedule for schedule, verdict in pairs if verdict.difference), self.case.schedules[0])

    @property
    def equal(self) -> bool:
        """True if both sides ran and behaved equally on all schedules."""
        return bool(self.verdicts) and all(verdict.equal for verdict in self.verdicts)

    @property
    def undecided(self) -> str:
        """Reason why a schedule without a difference is inconclusive; otherwise empty."""
        return next((verdict.undecided for verdict in self.verdicts if verdict.undecided), "")

    @property
    def executed(self) -> bool:
        """True if both sides ran all schedules to the end."""
        return bool(self.verdicts) and all(verdict.executed for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.equal


class Oracle:
    """Compares lowerings; a server process forks a child for each run, until ``close()`` or the end of ``with``.

    ``opt`` is the optimizer of LLVM 22. ``alignment`` is that of allocated memory, ``events`` the event limit of a run,
    ``steps`` the operation limit of a call in the interpreter, and ``timeout`` the processor time of a run in seconds. An
    oracle is thread-safe; runs are serialized.

    ``trusted=False`` is for untrusted modules and pass strings: lowered modules are interpreted, so that none of their code
    runs natively, and passes with effects outside of the module raise ``PipelineError``.

    >>> from pycoro import oracle
    >>> with oracle.Oracle(timeout=5) as runs:
    ...     how = {"ramp": "counter", "args": (3, 6), "promise": "i32", "reference": "interpreter"}
    ...     print(runs.compare(pycoro.examples.COUNTER, ("promise", "resume", "promise", "destroy"), **how))
    equal: 8 events, finished
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
        check_booleans(trusted=trusted)
        self._opt = opt
        self._trusted = trusted
        limits = {"alignment": alignment, "events": events, "steps": steps, "timeout": timeout}
        for name, value in limits.items():
            check(f"{name} must be a number", value, int, float)
        self._limits = checked_given_limits(limits)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    # ---- server process ----

    def _run_job(self, job: dict[str, Any]) -> list[list[Run]]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = isolated_module_command("pycoro.oracle._serve")
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert self._process.stdin and self._process.stdout
            try:
                pickle.dump(job, self._process.stdin)
                self._process.stdin.flush()
                answers = pickle.load(self._process.stdout)
            except (EOFError, BrokenPipeError):
                raise InternalError("the oracle's server process ended; see its output on stderr") from None
            except BaseException:  # such as a signal handler's: the next job must not read the answer of this one
                self._process.kill()
                self._process.wait()
                raise
        return [[Run(how, why, _lists_to_tuples(events)) for how, why, events in runs] for runs in answers]

    def execute(
        self, lowering: Lowering, cases: Sequence[Case], *, live: bool, limits: Mapping[str, Any] | None = None, most: int = 0
    ) -> list[list[Run]]:
        """Run cases with a lowering, and return the runs of each one's schedules. At most ``most`` cases share a module: by
        default 1 if `live`, otherwise many.
        """
        irs = tuple(for_host(case.ir) for case in cases)
        todo = [
            (batch, set(batch.members)) for batch in _shared_modules(irs, 1 if lowering.alone else most or (1 if live else _MANY))
        ]
        found: dict[int, list[Run]] = {}
        while todo:
            batch, members = todo.pop()
            answers = self._run_batch(lowering, batch, cases, live, {**self._limits, **(limits or {})})
            if len(members) > 1 and not any(run.began for run in itertools.chain.from_iterable(answers)):
                order = sorted(members)  # one case makes the module fail: bisect
                for part in (order[: len(order) // 2], order[len(order) // 2 :]):
                    todo += [(half, set(half.members)) for half in batches({number: irs[number] for number in part}, len(part))]
                continue
            found |= zip(batch.members, answers, strict=True)
        return [found[number] for number in range(len(cases))]

    def _run_batch(
        self, lowering: Lowering, batch: Batch, cases: Sequence[Case], live: bool, limits: Mapping[str, Any]
    ) -> list[list[Run]]:
        if not self._trusted:
            lowering.check_confined()
        theirs = "" if live else lowering.theirs
        lowered = batch.ir if theirs else lowering.lower(batch.ir)
        entries = [_checked_entry_for_child(cases[number], suffix) for number, suffix in batch.members.items()]
        if isinstance(lowered, Run):
            return [[lowered] * len(entry["schedules"]) for entry in entries]
        return self._run_job(
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

    # ---- single modules ----

    @with_explicit_keywords(Ran)
    def run_all(
        self,
        ir: str | Module,
        schedules: Iterable[Sequence[str]] = ((),),
        **how: Unpack[Ran],
    ) -> list[Run]:
        """Lower the module, unless ``passes`` is empty, and run each schedule in a separate process.

        ``passes`` is any lowering that `compare` accepts. The limits, from ``alignment`` on, override those of the oracle.
        """
        limits = checked_given_limits(how)
        case = _make_case(ir, schedules, how)
        check_case(case)
        return self._run_case(side_of(how.get("passes", DEFAULTS["passes"])), case, limits)

    def _run_case(self, side: Side, case: Case, limits: Mapping[str, Any]) -> list[Run]:
        """Run a validated case on one side."""
        if isinstance(side, Lowering):
            return self.execute(side, [case], live=True, limits=limits)[0]
        return side.runs(self, [case], live=True)[0]

    @with_explicit_keywords(Ran)
    def run(
        self,
        ir: str | Module,
        schedule: Sequence[str] = (),
        **how: Unpack[Ran],
    ) -> Run:
        """Lower the module and run one schedule; the arguments are those of `run_all`."""
        return self.run_all(ir, [schedule], **how)[0]

    def lower(self, ir: str | Module, passes: str = DEFAULT, timeout: float = 60) -> str | Run:
        """Return the module lowered by LLVM's passes, or a `Run` with the failure."""
        check("passes is a pass string", passes, str)
        checked_given_limits({"timeout": timeout})
        return LLVM(passes, self._opt, timeout).text(for_host(ir_of(ir)))

    @with_explicit_keywords(Compared)
    def compare_all(
        self,
        ir: str | Module,
        schedules: Iterable[Sequence[str]] = ((),),
        **how: Unpack[Compared],
    ) -> list[Verdict]:
        """Lower both sides once, and compare them on each schedule as `compare` does."""
        limits = checked_given_limits(how)
        case = _make_case(ir, schedules, how)
        sides = self._lowering_and_reference(how)
        check_case(case)
        return self._compare_in_separate_module(case, sides, _allocations_to_compare(case, how.get("allocation"), sides), limits)

    def _compare_in_separate_module(
        self, case: Case, sides: tuple[Side, Side], counts: Counts, limits: Mapping[str, Any]
    ) -> list[Verdict]:
        """Compare a case in a separate module; the verdicts on differences include the interpreter's run."""
        names = (sides[0].name, sides[1].name)
        ours, theirs = (self._run_case(side, case, limits) for side in sides)
        verdicts = _compare_runs(ours, theirs, counts, names)
        if _needs_no_interpreter_run(verdicts, *sides):
            return verdicts
        return _with_interpreter_runs(verdicts, self._run_case(Interpreted(), case, limits), counts, names)

    @with_explicit_keywords(Compared)
    def compare(
        self,
        ir: str | Module,
        schedule: Sequence[str] = (),
        **how: Unpack[Compared],
    ) -> Verdict:
        """Lower the module by a lowering and by a reference, run both, and compare their events.

        ``ramp`` is called with ``args`` (a string is a pointer to scratch memory, None is null). Then each step of
        ``schedule`` is applied to the returned handle: ``resume``, ``destroy``, ``done``, or ``promise`` (of the type
        ``promise``). A step that is invalid in the coroutine's state is recorded as skipped. An empty schedule
        only calls the function.

        External functions are recorded. ``returns`` lists their first results; later results are pseudo-random and equal in
        both runs. Functions with names of allocators return instrumented memory, aligned to ``alignment`` or to the
        requested alignment. ``timeout`` is the processor time of a run in seconds, ``events`` the event limit, and
        ``steps`` the operation limit of a call in the interpreter; they default to the oracle's.

        ``lowering`` is a pass string, a `Pipeline`, or a callable from IR to IR; the default is pycoro with ``passes``.
        ``reference`` is ``"llvm"``, which runs LLVM's ``passes`` in a child, ``"interpreter"``, ``"pycoro:PASSES"``, or a
        `Side`.

        ``allocation`` includes or excludes allocations in the comparison. None includes those that no lowering may change:

        - With ``llvm.coro.alloc``, none counts.
        - With a buffer that a small frame may use, the named allocation functions of frames do not count.
        - If only one side runs further passes, unobserved blocks do not count, since LLVM removes pairs of
          ``malloc`` and ``free``. Removals by a callable lowering count.

        Invalid arguments raise: ``ParseError`` or ``VerifyError`` for IR, ``PipelineError`` for a pass string,
        ``UsageError`` for an unknown function or unsuitable arguments, steps or values. If a side does not finish, the
        verdict is not `equal <Verdict.equal>` and gives the reason.

        >>> from pycoro import oracle
        >>> how = {"ramp": "counter", "args": (3, 6), "reference": "interpreter"}
        >>> print(oracle.compare(pycoro.examples.COUNTER, ("resume", "destroy"), **how))
        equal: 6 events, finished
        """
        return self.compare_all(ir, [schedule], **how)[0]

    # ---- many cases ----

    def _lowering_and_reference(self, how: Sides) -> tuple[Side, Side]:
        allocation = how.get("allocation")
        if allocation is not None:
            check_booleans(allocation=allocation)
        passes = check_passes(how.get("passes", DEFAULTS["passes"]))
        lowering, other = how.get("lowering"), how.get("reference", DEFAULTS["reference"])
        if other == "llvm":
            other = LLVM(passes, self._opt)
        return side_of(passes if lowering is None else lowering), reference_of(other, passes)

    @with_explicit_keywords(Sides)
    def compare_cases(
        self,
        cases: Sequence[Case],
        **how: Unpack[Sides],
    ) -> list[Outcome]:
        """Compare many cases, more than a hundred per second; the arguments are those of `compare`.

        Cases share modules and processes, unless the lowering is a callable. A case that does not finish equally on both
        sides is compared again alone, and the outcome is that of the second comparison. A bug that depends on names, or on
        being alone in a module, may be missed; `Outcome.alone` tells which cases were alone. Use `compare` where that
        matters.
        """
        cases = check_list("cases is a list of cases", cases)
        sides = self._lowering_and_reference(how)
        names = (sides[0].name, sides[1].name)
        for case in cases:
            check("a case is an oracle.Case", case, Case)
            if case.returns:
                check_case(case)  # renaming would hide an unknown function
        runs = [side.runs(self, cases, live=False) for side in sides]
        together = all(isinstance(side, Lowering) and not side.alone for side in sides) and len(cases) > 1
        outcomes: list[Outcome] = []
        for case, mine, yours in zip(cases, *runs, strict=True):
            counts = _allocations_to_compare(case, how.get("allocation"), sides)
            outcome = Outcome(case, tuple(_compare_runs(mine, yours, counts, names)), alone=not together)
            if not (outcome.equal and outcome.executed):
                check_case(case)
                again = Outcome(case, tuple(self._compare_in_separate_module(case, sides, counts, {})))
                outcome = replace(again, unconfirmed="" if again.difference else outcome.difference)
            outcomes.append(outcome)
        return outcomes

    def _run_live_in_shared_modules(self, side: Side, cases: Sequence[Case]) -> list[list[Run]]:
        """Run cases in shared modules, with a separate process for each run."""
        if isinstance(side, Lowering):
            return self.execute(side, cases, live=True, most=_MANY)
        return side.runs(self, cases, live=True)

    @with_explicit_keywords(Sides)
    def compare_apart(
        self,
        cases: Sequence[Case],
        **how: Unpack[Sides],
    ) -> list[Outcome]:
        """Compare cases that are expected to differ: each run has a separate process from the start, so that no comparison is
        repeated. The interpreter runs all differing cases at once.
        """
        sides = self._lowering_and_reference(how)
        names = (sides[0].name, sides[1].name)
        runs = [self._run_live_in_shared_modules(side, cases) if cases else [] for side in sides]
        found = [
            _compare_runs(a, b, _allocations_to_compare(c, how.get("allocation"), sides), names)
            for c, a, b in zip(cases, *runs, strict=True)
        ]
        for case, verdicts in zip(cases, found, strict=True):
            if case.returns or not any(verdict.ours.began or verdict.theirs.began for verdict in verdicts):
                check_case(case)
        differ = [number for number, verdicts in enumerate(found) if not _needs_no_interpreter_run(verdicts, *sides)]
        thirds = self._run_live_in_shared_modules(Interpreted(), [cases[number] for number in differ]) if differ else []
        for number, third in zip(differ, thirds, strict=True):
            found[number] = _with_interpreter_runs(
                found[number], third, _allocations_to_compare(cases[number], how.get("allocation"), sides), names
            )
        return [Outcome(case, tuple(verdicts), alone=len(cases) == 1) for case, verdicts in zip(cases, found, strict=True)]

    def close(self) -> None:
        """Terminate the server process; the next run starts a new one."""
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


def _lists_to_tuples(items: Sequence[Any]) -> tuple[Any, ...]:
    """Convert lists from JSON to tuples."""
    return tuple([_lists_to_tuples([*item]) if isinstance(item, list) else item for item in items])


def _make_case(ir: str | Module, schedules: Iterable[Sequence[str]], how: Asked) -> Case:
    """Return the arguments as a case."""
    args = tuple(check_list("args is a list of arguments", how.get("args", DEFAULTS["args"])))
    ramp, returns = how.get("ramp", DEFAULTS["ramp"]), how.get("returns")
    return Case(ir_of(ir), schedules_of(schedules), ramp, args, how.get("promise"), {} if returns is None else returns)


def _checked_entry_for_child(case: Case, suffix: str) -> dict[str, Any]:
    """Return the case as the child expects it."""
    entry = case_for_child(case, suffix)
    check_steps(entry["abi"], case.schedules)
    return entry


_MANY = 256
"""Maximum number of cases in one module."""


@lru_cache(maxsize=1)
def _shared_modules(irs: tuple[str, ...], most: int) -> tuple[Batch, ...]:
    """Return the modules that cases of these texts share; cached for the second side."""
    return tuple(batches(dict(enumerate(irs)), most))


class Counts(TypedDict):
    """Allocation keywords of `first_difference`."""

    allocation: bool | frozenset[str]
    unseen: bool


_RETCON = re.compile(r"@llvm\.coro\.id\.retcon[.\w]*\([^)]*@([-\w$.]+), ptr @([-\w$.]+)\)")


def _with_interpreter_runs(
    verdicts: Sequence[Verdict], third: Sequence[Run], counts: Counts, names: tuple[str, str]
) -> list[Verdict]:
    """Return the verdicts with the interpreter's run added to the differences."""
    pairs = zip(verdicts, third, strict=True)
    return [with_interpreter_run(v, run, **counts, names=names) if v.difference else v for v, run in pairs]


def _allocations_to_compare(case: Case, allocation: bool | None, sides: tuple[Side, Side]) -> Counts:
    """Return the allocations that count. By default these are the ones that no lowering may change, as `Oracle.compare`
    describes.
    """
    if allocation is not None:
        return {"allocation": allocation, "unseen": True}
    unseen = sides[0].optimizes == sides[1].optimizes
    if "@llvm.coro.alloc(" in case.ir:
        return {"allocation": False, "unseen": unseen}
    named = frozenset(name for pair in _RETCON.findall(case.ir) for name in pair)
    return {"allocation": named or "@llvm.coro.id.retcon" not in case.ir, "unseen": unseen}


def _needs_no_interpreter_run(verdicts: Sequence[Verdict], *sides: Side) -> bool:
    """Return True if the interpreter is not needed: there is no difference, or it is one of the sides."""
    return not any(verdict.difference for verdict in verdicts) or any(isinstance(side, Interpreted) for side in sides)


def _compare_runs(ours: Sequence[Run], theirs: Sequence[Run], counts: Counts, names: tuple[str, str]) -> list[Verdict]:
    pairs = zip(ours, theirs, strict=True)
    return [Verdict(a, b, "" if a == b else first_difference(a, b, **counts, names=names)) for a, b in pairs]
