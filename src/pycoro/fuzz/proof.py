"""Judge of campaigns without execution: the checker of lowerings proves that each drawn coroutine is lowered correctly."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from pycoro import _core
from pycoro._typecheck import takes
from pycoro.errors import Error
from pycoro.fuzz.minimize import minimize_lines
from pycoro.fuzz.profiles import Drawn, draw
from pycoro.fuzz.shard import CHECKER, Failure, Shard, ShardResult, new_result
from pycoro.fuzz.variants import Variants
from pycoro.module import Module, Source
from pycoro.oracle import Case
from pycoro.pipeline import Pipeline
from pycoro.report import LOWERING_CHECK

__all__ = ["SPLIT", "Proof", "prove", "prove_shard", "reduce_refuted"]

_UNCHECKED = "the lowering is not checked: "
_VARYING = re.compile(r"'[^']*'|[@%#]?[-\w$.]*\d[-\w$.]*|@[-\w$.]+|%[-\w$.]+")


@dataclass
class Proof:
    """Answers of the checker about the coroutines of a module.

    >>> from pycoro import fuzz
    >>> proof = fuzz.prove(pycoro.examples.COUNTER, fuzz.PIPELINES["plain"])
    >>> proof.coroutines, proof.refuted, proof.unsupported
    (1, '', Counter())
    """

    coroutines: int = 0
    unsupported: Counter[str] = field(default_factory=Counter[str])
    """Number of coroutines without an answer, by the construct that the checker has no rule for."""
    refuted: str = ""
    """The first refutation; the other coroutines of the module have no answer then."""
    failed: str = ""
    """The reason why the module is not lowered at all."""


SPLIT: tuple[str, ...] = ("coro-early,cgscc(coro-split)", "coro-early,cgscc(coro-split<reuse-storage>)")
"""Pass strings that end with the lowering that is proved, with both layouts of frames."""


def _proof_of_failed_run(error: Error) -> Proof:
    """Return the answer about a module whose run failed."""
    first = next((one for one in error.diagnostics if one.rule == LOWERING_CHECK and not one.message.startswith(_UNCHECKED)), None)
    return Proof(refuted=f"@{first.function}: {first.message}") if first else Proof(failed=str(error))


def prove(ir: Source, passes: str | Pipeline) -> Proof:
    """Lower a module with the checker, without executing it.

    >>> from pycoro import fuzz
    >>> fuzz.prove("define void @f() { ret void }", "coro-early,cgscc(coro-split)").coroutines
    0
    """
    try:
        report = Module(ir).run(passes, verify=False, check=True)
    except Error as error:
        return _proof_of_failed_run(error)
    answers = report.proof.values()
    return Proof(len(answers), Counter(answer.removeprefix(_UNCHECKED) for answer in answers if answer != "proved"))


def _prove_text(ir: str, passes: str, coroutines: int) -> Proof:
    """Prove the text of a drawn program. Its coroutines are known, so that no report describes them, which takes as long."""
    try:
        warnings = _core.Module(ir.encode(), "<drawn>", trusted=True).run(passes, verify=False, check=True)[1]
    except Error as error:
        return _proof_of_failed_run(error)
    unchecked = (one["message"].removeprefix(_UNCHECKED) for one in warnings if one["rule"] == LOWERING_CHECK)
    return Proof(coroutines, Counter(unchecked))


def _failure_of_proof(shard: Shard, case: Case, drawn: Drawn, proof: Proof) -> Failure:
    problem = proof.refuted or proof.failed
    bucket = f"{'refuted' if proof.refuted else 'not lowered'}: {_VARYING.sub('N', problem.partition(chr(10))[0])}"
    settings = (shard.passes, CHECKER, shard.profile, drawn.choices, "", shard.allocation)
    return Failure(case, problem, bucket, *settings, blame="ours" if proof.refuted else "")


def _programs_of_shard(shard: Shard, seconds: dict[str, float]) -> Iterator[tuple[Drawn, Case, int]]:
    """Yield the programs of the shard, each as a case and the number of its coroutines. A drawn program is followed by its
    variants.
    """
    drawn, variants = None, None
    for number in range(shard.first, shard.first + shard.count):
        start = time.perf_counter()
        base, variant = divmod(number, shard.variants)
        if drawn is None or not variant:
            drawn, variants = draw(f"{shard.seed}:{base}", shard.profile), None
        case, coroutines = drawn.cases[0], drawn.coroutines
        if variant:
            variants = variants or Variants(case.ir)
            coroutines = variants.coroutines
            name = f"variant {variant} of {case.name}"
            case = replace(case, ir=variants.make(Random(f"{shard.seed}:{number}")), name=name)
        seconds["drawing"] += time.perf_counter() - start
        yield drawn, case, coroutines


@takes(shard=Shard)
def prove_shard(shard: Shard) -> ShardResult:
    """Draw the programs of the shard, and prove the lowering of each: as `run_shard`, without compiling or running.

    >>> from pycoro import fuzz
    >>> plain = fuzz.PIPELINES["plain"]
    >>> result = fuzz.prove_shard(fuzz.Shard(0, first=0, count=2, seed=0, profile="small", passes=plain))
    >>> result.programs, result.failures
    (2, [])
    """
    result, seconds = new_result(shard), defaultdict[str, float](float)
    for drawn, case, coroutines in _programs_of_shard(shard, seconds):
        start = time.perf_counter()
        proof = _prove_text(case.ir, shard.passes, coroutines)
        seconds["proving"] += time.perf_counter() - start
        result.programs += 1
        result.coroutines += coroutines
        result.runs += 1
        if proof.refuted or proof.failed:
            result.endings["refuted" if proof.refuted else "failed"] += 1
            result.failures.append(_failure_of_proof(shard, case, drawn, proof))
            continue
        result.judged += 1
        result.endings["coroutines proved"] += proof.coroutines - proof.unsupported.total()
        for construct, count in proof.unsupported.items():
            result.endings[f"not supported: {construct}"] += count
    result.seconds = dict(seconds)
    return result


@takes(failure=Failure)
def reduce_refuted(failure: Failure, seconds: float) -> Failure:
    """Return the failure with the smallest module found that the checker refutes; other failures are returned unchanged.

    >>> from pycoro import fuzz, oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> failure = fuzz.Failure(case, "no lowering", "not lowered: no lowering", "coro-early", "checker", "small", ())
    >>> fuzz.reduce_refuted(failure, seconds=1) is failure
    True
    """

    def which_candidates_are_refuted(irs: Sequence[str]) -> list[bool]:
        return [bool(prove(ir, failure.passes).refuted) for ir in irs]

    if not failure.bucket.startswith("refuted"):
        return failure
    ir = minimize_lines(failure.case.ir, which_candidates_are_refuted, seconds=seconds)
    return replace(failure, case=replace(failure.case, ir=ir), difference=prove(ir, failure.passes).refuted)
