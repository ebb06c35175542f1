"""Random hooks of ABIs on random coroutines: hook modules do not change behavior compared with LLVM's ABI.

PYCORO_EXAMPLES=n draws n fresh ABIs, each with ten fresh coroutines; `pycoro fuzz --abis` is the campaign.
"""

from __future__ import annotations

import os
import random

import pytest

import pycoro
from pycoro import oracle, strategies
from pycoro.strategies.hooks import Hooks, sample_hooks

ABIS = int(os.environ.get("PYCORO_EXAMPLES", "12"))
FIRST = random.randrange(1 << 40) if "PYCORO_EXAMPLES" in os.environ else 0
EACH = 10
PROGRAMS = {
    "switch": strategies.ALL.but(callees=("switch", "async")).but(abis=("switch",)),
    "all": strategies.ALL,
}
OPTIMIZED = "cgscc(inline),function(coro-elide,sroa,simplifycfg)"


def lowering_with_hooks(hooks: Hooks, *more: str) -> oracle.ByPipeline:
    """Return the lowering with an ABI of these hooks for all coroutines."""
    drawn = strategies.decisions.DrawnABI(hooks=hooks)
    passes = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=drawn.abis), *more, "coro-cleanup")
    return oracle.ByPipeline(passes, f"the lowering by {hooks}")


def wrong_of(judge: oracle.Oracle, seed: int, count: int, what: str = "switch") -> list[str]:
    """Return the differences of some coroutines under one ABI, all from the seed."""
    hooks = sample_hooks(seed)
    cases = [
        oracle.Case(strategies.module([strategies.sample(f"{seed}-{n}", PROGRAMS[what])]), ramp="drives", name=f"seed {seed}-{n}")
        for n in range(count)
    ]
    way = lowering_with_hooks(hooks, OPTIMIZED) if seed % 2 else lowering_with_hooks(hooks)
    outcomes = judge.compare_cases(cases, reference=way, allocation=False)
    assert len(outcomes) == count
    return [f"{hooks}, {out.case.name}: {out.verdicts[0]}" for out in outcomes if not (out.equal and out.executed)]


@pytest.mark.parametrize("what", PROGRAMS)
def test_random_hooks(what: str) -> None:
    with oracle.Oracle() as judge:
        wrong = [said for seed in range(FIRST, FIRST + ABIS) for said in wrong_of(judge, seed, EACH, what)]
    assert not wrong, "\n".join(wrong)


def test_hooks_are_drawn_of_all_kinds() -> None:
    drawn = [sample_hooks(seed) for seed in range(200)]
    assert {len(hooks.noted) for hooks in drawn} == set(range(6))
    for word in ("allocates", "dispatches", "each", "result", "passed", "fields"):
        assert {bool(getattr(hooks, word)) for hooks in drawn} == {False, True}, word
