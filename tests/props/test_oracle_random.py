"""Random programs: pycoro's lowering behaves as LLVM's, plain, optimized, and with elided frames.

Each run draws the same few; PYCORO_EXAMPLES=n draws n fresh programs for each test.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from test_oracle import ELIDING, PIPELINES

from pycoro import oracle, strategies

EXAMPLES = int(os.environ.get("PYCORO_EXAMPLES", "40"))
FIRST = random.randrange(1 << 40) if "PYCORO_EXAMPLES" in os.environ else 0
ALLOCATING = strategies.ALL.but(callees=("switch", "async"))  # no lowering may choose whether to allocate
SWITCH = ALLOCATING.but(abis=("switch",))
ASYNC = ALLOCATING.but(abis=("async",))
RETURNED = strategies.ALL.but(abis=("retcon", "retcon.once"))  # frames of different size fit different buffers
WAYS = {  # passes, options, and whether both lowerings must allocate alike; None: unless they may choose
    "plain": (PIPELINES["plain"], SWITCH, True),
    "optimized": (PIPELINES["optimized"], SWITCH, True),
    # LLVM's lowered returned-continuation ramps cannot be inlined into another coroutine: two llvm.coro.begin
    "eliding": (ELIDING, SWITCH.but(callees=("switch",)), False),
    "async": (PIPELINES["plain"], ASYNC, True),
    "async-optimized": (PIPELINES["optimized"], ASYNC, True),
    "returned": (PIPELINES["plain"], RETURNED, None),
    "returned-optimized": (PIPELINES["optimized"], RETURNED, None),
}


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


def case(program: strategies.Program, name: str = "") -> oracle.Case:
    return oracle.Case(strategies.module([program]), ramp="drives", name=name)


def judge(outcome: oracle.Outcome) -> str:
    """Describe a failure; empty if both lowerings ran, agreed and leaked nothing."""
    (verdict,) = outcome.verdicts
    if not (verdict.equal and verdict.executed):
        return f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
    words = {str(word) for event in verdict.ours.events for word in event}
    stray = words & {"stray write", "what was not allocated"} or any(word.endswith("second time") for word in words)
    return str(verdict.ours) if stray or verdict.ours.events[-1] != ("left",) else ""


@pytest.mark.parametrize("how", WAYS)
def test_random_programs(both: oracle.Oracle, how: str) -> None:
    """Draws by seed, many in one module: inspect a failing one with `strategies.sample(seed, options)`."""
    passes, options, allocation = WAYS[how]
    cases = [case(strategies.sample(seed, options), f"seed {seed}") for seed in range(FIRST, FIRST + EXAMPLES)]
    outcomes = both.compare_cases(cases, passes=passes, allocation=allocation)
    wrong = {outcome.case.name: said for outcome in outcomes if (said := judge(outcome))}
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())
    assert sum(len(outcome.verdicts[0].ours.events) for outcome in outcomes) > 10 * EXAMPLES


def test_hypothesis_draws_and_shrinks(both: oracle.Oracle) -> None:
    """Uses Hypothesis, which shrinks a failing program."""
    hypothesis = pytest.importorskip("hypothesis")

    @hypothesis.settings(max_examples=10, deadline=None, derandomize=True, database=None)
    @hypothesis.given(strategies.programs(strategies.SMALL))
    def does_the_same(program: strategies.Program) -> None:
        (outcome,) = both.compare_cases([case(program)])
        assert not judge(outcome)

    does_the_same()
