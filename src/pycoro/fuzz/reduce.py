"""Reduce a failure: first by its choices, then by edits of its IR, then with llvm-reduce."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pycoro._subprocess import isolated_module_command
from pycoro._typecheck import takes
from pycoro.errors import Error
from pycoro.fuzz.database import Database
from pycoro.fuzz.irlines import normalized_lines_of
from pycoro.fuzz.minimize import minimize_lines
from pycoro.fuzz.profiles import Drawn, from_choices
from pycoro.fuzz.shard import Failure, problem_bucket_schedule_trace, side_with_bug
from pycoro.oracle import Case, Interpreted, Oracle, Outcome, read_reproducer
from pycoro.oracle._validate import check_case
from pycoro.strategies.choices import shrink

__all__ = ["reduce", "reduce_choices", "reduce_structure", "reduce_with_llvm", "reproduce_failure"]

_STEPS = 2_000_000
"""Step limit of the interpreter; longer runs count as infinite loops."""


def reproduce_failure(oracle: Oracle, failure: Failure) -> Failure | None:
    """Return the failure with its current difference; None if it has none or another kind."""
    outcome = oracle.compare_cases(
        [failure.case], passes=failure.passes, reference=failure.reference, allocation=failure.allocation
    )[0]
    difference, bucket, schedule, trace = problem_bucket_schedule_trace(outcome)
    if bucket != failure.bucket:
        return None
    return replace(failure, case=failure.case.only(schedule), difference=difference, trace=trace)


def _find_same_failure(oracle: Oracle, failure: Failure, drawn: Drawn) -> Failure | None:
    """Return the same failure in a drawn program, on any of its drives."""
    candidates = (replace(failure, case=case, choices=drawn.choices) for case in drawn.cases)
    return next((found for candidate in candidates if (found := reproduce_failure(oracle, candidate))), None)


def reduce_choices(oracle: Oracle, failure: Failure, seconds: float) -> Failure:
    """Reduce the number and size of the choices within the time limit."""
    best, end = failure, time.monotonic() + seconds

    def interesting(choices: Sequence[int]) -> bool:
        nonlocal best
        if time.monotonic() >= end:
            return False
        drawn = from_choices(choices, failure.profile)
        if len(drawn.cases[0].ir) > len(best.case.ir):
            return False
        found = _find_same_failure(oracle, failure, drawn)
        best = found or best
        return found is not None

    if failure.choices:
        shrink(failure.choices, interesting)
    return best


def _well_defined_cases(oracle: Oracle, cases: Sequence[Case]) -> list[bool]:
    """Return which cases the interpreter runs to their end, without undefined behavior or an infinite loop."""
    runs = oracle.execute(Interpreted(), cases, live=True, most=64, limits={"steps": _STEPS})
    return [all(run.how == "finished" for run in schedules) for schedules in runs]


def _is_valid_case(case: Case) -> bool:
    """Return True if the module still has the functions that the case calls; otherwise nothing would be compared."""
    try:
        check_case(case)
    except Error:
        return False
    return True


def _is_same_bucket_and_blame(failure: Failure, outcome: Outcome) -> bool:
    """Return True if an outcome is the same kind of difference, attributed to the same side if known."""
    side = side_with_bug(outcome)
    return problem_bucket_schedule_trace(outcome)[1] == failure.bucket and (
        side == failure.blame if failure.blame else side != "program"
    )


def reduce_structure(oracle: Oracle, failure: Failure, seconds: float) -> Failure:
    """Remove functions, blocks, instructions and parameters that the failure does not need. A program without undefined
    behavior stays so.
    """
    meaning = _well_defined_cases(oracle, [failure.case])[0]
    how: dict[str, Any] = {"passes": failure.passes, "reference": failure.reference, "allocation": failure.allocation}

    def which_candidates_fail(irs: Sequence[str]) -> list[bool]:
        cases = [replace(failure.case, ir=ir) for ir in irs]
        good = _well_defined_cases(oracle, cases) if meaning else [True] * len(cases)
        if failure.case.returns or not meaning:
            good = [may and _is_valid_case(case) for may, case in zip(good, cases, strict=True)]
        outcomes = iter(oracle.compare_apart([case for case, may in zip(cases, good, strict=True) if may], **how))
        return [may and _is_same_bucket_and_blame(failure, next(outcomes)) for may in good]

    return replace(failure, case=replace(failure.case, ir=minimize_lines(failure.case.ir, which_candidates_fail, seconds=seconds)))


def reduce_with_llvm(failure: Failure, seconds: float) -> Failure:
    """Reduce the module with llvm-reduce; without llvm-reduce, return the failure unchanged.

    Candidates with undefined behavior are discarded, so that the result still shows a bug.
    """
    tool = shutil.which("llvm-reduce-22") or shutil.which("llvm-reduce")
    if not tool:
        return failure
    with tempfile.TemporaryDirectory(prefix="pycoro-reduce-") as folder:
        original, script, reduced = (Path(folder) / name for name in ("case.ll", "test.sh", "reduced.ll"))
        Database.write(original, failure)
        command = isolated_module_command("pycoro.fuzz._interesting", str(original), failure.bucket)
        script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$1"\n')
        script.chmod(0o755)
        call = [tool, f"--test={script}", "--abort-on-invalid-reduction=false", "-o", str(reduced), str(original)]
        process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # it saves its best result
            process.wait()
        finally:
            process.kill()
        if not reduced.exists():
            return failure
        return replace(failure, case=replace(failure.case, ir=reduced.read_text()))


@takes(failure=Failure)
def reduce(oracle: Oracle, failure: Failure, seconds: float) -> Failure:
    """Return a smaller case of the same failure, with its current difference, after about that many seconds.

    >>> from pycoro import fuzz, oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> failure = fuzz.Failure(case, "event 3 differs", "finished/finished", fuzz.PIPELINES["plain"], "interpreter", "small", ())
    >>> with oracle.Oracle() as runs:
    ...     fuzz.reduce(runs, failure, seconds=1) == failure
    True
    """
    best = reduce_choices(oracle, failure, seconds / 6)
    best = reproduce_failure(oracle, reduce_structure(oracle, best, seconds * 2 / 3)) or best
    other = reduce_with_llvm(best, seconds / 6)
    if len(normalized_lines_of(other.case.ir)) < len(normalized_lines_of(best.case.ir)):
        best = reproduce_failure(oracle, other) or best
    return best


def shows_same_difference(original: str, bucket: str, candidate: str) -> bool:
    """Return True if the candidate, run with the options of the original, shows a difference of the same bucket."""
    case, how = read_reproducer(original)
    ir = Path(candidate).read_text()
    if any(word in ir for word in ("undef", "poison", "blockaddress")) or not _is_valid_case(replace(case, ir=ir)):
        return False
    with Oracle(timeout=3) as oracle:
        outcome = oracle.compare_cases([replace(case, ir=ir)], **how)[0]
    return problem_bucket_schedule_trace(outcome)[1] == bucket
