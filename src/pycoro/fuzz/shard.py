"""Shards, the units of work of a campaign, and their results. Both can be pickled and sent to other machines."""

from __future__ import annotations

import atexit
import os
import re
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from pycoro._escape import printable
from pycoro._typecheck import takes
from pycoro.fuzz.profiles import Drawn, draw
from pycoro.oracle import Case, Oracle, Outcome, Passes, Verdict

__all__ = [
    "BLAME",
    "BROKEN_BY_LLVM",
    "CHECKER",
    "Blame",
    "Failure",
    "Shard",
    "ShardResult",
    "bucket_of",
    "is_broken_by_llvm_memcpyopt",
    "new_result",
    "problem_bucket_schedule_trace",
    "run_shard",
    "side_with_bug",
]

Blame = Literal["ours", "theirs", "both", "program", ""]
"""The side with the bug according to the interpreter; empty if unknown."""
CHECKER = "checker"
"""Reference of failures that the checker of lowerings found, without a second lowering."""


@dataclass(frozen=True)
class Shard:
    """Programs number ``first`` to ``first + count - 1`` of a campaign.

    >>> from pycoro import fuzz
    >>> plain = fuzz.PIPELINES["plain"]
    >>> shard = fuzz.Shard(number=0, first=0, count=2, seed=0, profile="small", passes=plain, reference="interpreter")
    >>> fuzz.run_shard(shard).programs
    2
    """

    number: int
    first: int
    count: int
    seed: int
    profile: str
    passes: str
    reference: str = "llvm"
    allocation: bool | None = None
    variants: int = 1
    """Number of programs for each drawn one: itself, and variants of it that only the checker judges."""


BLAME: dict[Blame, str] = {
    "ours": "bug in pycoro according to the interpreter",
    "theirs": "bug in the reference according to the interpreter",
    "both": "bugs in both lowerings according to the interpreter",
    "program": "the program has undefined behavior according to the interpreter",
    "": "undecided by the interpreter",
}
"""Descriptions of the values of `Blame`."""


def blame_text(reference: str, blame: Blame) -> str:
    """Return the side with the bug in words; a reference named ``CHECKER`` is the checker of lowerings."""
    return "by the checker of lowerings" if reference == CHECKER else BLAME[blame]


@dataclass(frozen=True)
class Failure:
    """A difference or another result that needs attention.

    >>> from pycoro import fuzz, oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> failure = fuzz.Failure(case, "event 3 differs", "finished/finished", "coro-early", "interpreter", "small", ())
    >>> failure.case.ramp, failure.difference
    ('counter', 'event 3 differs')
    """

    case: Case
    """Case with the failing schedule only."""
    difference: str
    bucket: str
    """Key of equal-looking differences."""
    passes: str
    reference: str
    profile: str
    choices: tuple[int, ...]
    trace: str = ""
    """Events of both sides."""
    allocation: bool | None = None
    blame: Blame = ""
    """Side with the bug according to the interpreter: ``"ours"``, ``"theirs"``, ``"both"``, ``"program"``, or empty."""

    @property
    def blame_text(self) -> str:
        """Side with the bug in words: ``"bug in the reference according to the interpreter"``."""
        return blame_text(self.reference, self.blame)

    def __str__(self) -> str:
        return printable(f"{self.bucket} ({self.blame_text}): {self.difference.partition(chr(10))[0]}")


@dataclass
class ShardResult:
    """Results of a shard.

    >>> from pycoro import fuzz
    >>> fuzz.ShardResult(0, programs=64, runs=192, judged=190).failures
    []
    """

    number: int
    worker: str = ""
    programs: int = 0
    coroutines: int = 0
    runs: int = 0
    judged: int = 0
    """Number of runs that both sides executed to the end or the event limit, or that differ."""
    endings: Counter[str] = field(default_factory=Counter[str])
    """Endings of the runs of the tested lowering: ``"different"``, `BROKEN_BY_LLVM`, or a value of `Run.how`."""
    events: int = 0
    """Number of events that it executed."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """Wall-clock seconds, by phase."""
    failures: list[Failure] = field(default_factory=list[Failure])


NOT_RUN = ("rejected", "broken", "unsupported", "undefined", "failed")
"""Endings that are failures even if both sides have them: every drawn program can be lowered and run, so nothing was compared."""

_VARYING = re.compile(r"[@%#]?[-\w$.]*\d[-\w$.]*")


def bucket_of(verdict: Verdict) -> str:
    """Return a difference without details that vary between programs."""
    endings = f"{verdict.ours.how}/{verdict.theirs.how}"
    if verdict.executed:
        at = _first_different_event(verdict)
        kinds = [str(run.events[at][0]) if at < len(run.events) else "end" for run in (verdict.ours, verdict.theirs)]
        return f"{endings}: {' against '.join(kinds)}"
    why = next((run.why for run in (verdict.ours, verdict.theirs) if run.how != "finished"), "")
    return f"{endings}: {_VARYING.sub('N', why.partition(chr(10))[0])}"


def _first_different_event(verdict: Verdict) -> int:
    """Return the index of the first event that differs; the number of common events if none does."""
    pairs = zip(verdict.ours.events, verdict.theirs.events, strict=False)
    return next(
        (number for number, (a, b) in enumerate(pairs) if a != b), min(len(verdict.ours.events), len(verdict.theirs.events))
    )


_MOVED_ERROR = re.compile(r"is broken after .*(memcpyopt|default<|lto<).*: swifterror value when used in a callsite", re.DOTALL)
BROKEN_BY_LLVM = "broken by LLVM's memcpyopt"
"""Ending of a run without a comparison, because LLVM's memcpyopt replaced a `swifterror` alloca of a call by an equal one.
Neither lowering is at fault.
"""


def is_broken_by_llvm_memcpyopt(verdict: Verdict) -> bool:
    """Return True if a comparison failed because a lowering ended with `BROKEN_BY_LLVM`."""
    others = [run for run in (verdict.ours, verdict.theirs) if run.how != "finished"]
    return bool(others) and all(run.how in NOT_RUN and _MOVED_ERROR.search(run.why) for run in others)


def problem_bucket_schedule_trace(outcome: Outcome) -> tuple[str, str, tuple[str, ...], str]:
    """Return the problem of an outcome, its bucket, schedule and trace; all empty if there is none."""
    for schedule, verdict in zip(outcome.case.schedules, outcome.verdicts, strict=True):
        trace = f"{verdict.ours}\n---\n{verdict.theirs}"
        if is_broken_by_llvm_memcpyopt(verdict):
            continue
        if verdict.difference:
            return verdict.difference, bucket_of(verdict), schedule, trace
        if verdict.ours.how in NOT_RUN:
            return f"neither lowering was run: {verdict.ours.why}", f"not run: {bucket_of(verdict)}", schedule, trace
        if verdict.ours.how == "crashed":
            return f"both lowerings crash: {verdict.ours.why}", f"both: {bucket_of(verdict)}", schedule, trace
        if verdict.undecided:
            return f"not compared: {verdict.undecided}", f"not compared: {bucket_of(verdict)}", schedule, trace
        if verdict.ours.faults:
            fault = " ".join(map(str, verdict.ours.faults[0]))
            return f"both lowerings: {fault}", "both: " + re.sub(r"\d+", "N", fault), schedule, trace
    if outcome.unconfirmed:
        return (
            f"does not occur if the program is lowered alone: {outcome.unconfirmed}",
            "unconfirmed",
            outcome.case.schedules[0],
            "",
        )
    return "", "", (), ""


def side_with_bug(outcome: Outcome) -> Blame:
    """Return the side with the bug, a key of `BLAME`; the tested lowering is pycoro's."""
    verdict = next((verdict for verdict in outcome.verdicts if verdict.difference), None)
    if verdict is None or verdict.interpreted is None:
        return ""
    if verdict.interpreted.how == "undefined":
        return "program"
    blamed: dict[str, Blame] = {"": "", "neither": "both", Passes.ours: "theirs"}
    return blamed.get(verdict.agrees, "ours")


@cache
def _process_oracle() -> Oracle:
    """Return the oracle of this process."""
    oracle = Oracle()
    atexit.register(oracle.close)
    return oracle


def _failures_of_outcomes(shard: Shard, drawn: Drawn, outcomes: list[Outcome]) -> list[Failure]:
    found: list[Failure] = []
    for outcome in outcomes:
        difference, bucket, schedule, trace = problem_bucket_schedule_trace(outcome)
        if difference:
            case = outcome.case.only(schedule)
            how = (shard.passes, shard.reference, shard.profile, drawn.choices, trace, shard.allocation)
            found.append(Failure(case, difference, bucket, *how, blame=side_with_bug(outcome)))
    return found


def _ending_of_verdict(verdict: Verdict) -> str:
    if is_broken_by_llvm_memcpyopt(verdict):
        return BROKEN_BY_LLVM
    return "different" if verdict.difference else verdict.ours.how


def new_result(shard: Shard) -> ShardResult:
    """Return the empty result of a shard that this process runs."""
    return ShardResult(shard.number, f"{socket.gethostname()}:{os.getpid()}")


@takes(shard=Shard)
def run_shard(shard: Shard) -> ShardResult:
    """Draw the programs of the shard, and compare each on all its drives.

    >>> from pycoro import fuzz
    >>> plain = fuzz.PIPELINES["plain"]
    >>> shard = fuzz.Shard(0, first=0, count=2, seed=0, profile="small", passes=plain, reference="interpreter")
    >>> result = fuzz.run_shard(shard)
    >>> result.programs, result.failures
    (2, [])
    """
    result = new_result(shard)
    start = time.perf_counter()
    programs = [draw(f"{shard.seed}:{number}", shard.profile) for number in range(shard.first, shard.first + shard.count)]
    drawn = time.perf_counter()
    cases = [case for program in programs for case in program.cases]
    outcomes = iter(
        _process_oracle().compare_cases(cases, passes=shard.passes, reference=shard.reference, allocation=shard.allocation)
    )
    result.seconds = {"drawing": drawn - start, "comparing": time.perf_counter() - drawn}
    for program in programs:
        own = [next(outcomes) for _ in program.cases]
        result.programs += 1
        result.coroutines += program.coroutines
        verdicts = [verdict for outcome in own for verdict in outcome.verdicts]
        result.runs += len(verdicts)
        result.judged += sum(
            bool(verdict.difference or verdict.equal) and not is_broken_by_llvm_memcpyopt(verdict) for verdict in verdicts
        )
        result.endings.update(map(_ending_of_verdict, verdicts))
        result.events += sum(verdict.events[0] for verdict in verdicts)
        result.failures += _failures_of_outcomes(shard, program, own)
    return result
