"""Random ABIs: coroutines behave as with the standard ABIs, and frames agree with their descriptions.

`pycoro fuzz --abis --count 20000` is the campaign; PYCORO_EXAMPLES=n tries n fresh pairs here.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

import pycoro
from pycoro import oracle, strategies

EXAMPLES = int(os.environ.get("PYCORO_EXAMPLES", "40"))
FIRST = random.randrange(1 << 40) if "PYCORO_EXAMPLES" in os.environ else 0
EACH = 8  # programs for each ABI
OPTIONS = strategies.ALL
STANDARD = "coro-early,cgscc(coro-split),coro-cleanup"
REUSING = "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"


def lowering(abi: strategies.decisions.DrawnABI, *, reuse: bool = False) -> oracle.ByPipeline:
    """Return the lowering by the ABI only."""
    return oracle.ByPipeline(pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=reuse, abis=abi.abis), "coro-cleanup"))


def compare(judge: oracle.Oracle, first: int, count: int, *, reuse: bool = False) -> list[str]:
    """Compare programs from a number on, lowered by the ABI of that number and by the standard one; return the differences."""
    abi = strategies.sample_abi(first)
    programs = {f"seed {seed}": strategies.sample(seed, OPTIONS) for seed in range(first, first + count)}
    cases = [oracle.Case(strategies.module([program]), ramp="drives", name=name) for name, program in programs.items()]
    standard = f"pycoro:{REUSING if reuse else STANDARD}"
    outcomes = judge.compare_cases(cases, lowering=lowering(abi, reuse=reuse), reference=standard, allocation=False)
    return [
        f"{outcome.case.name}, {abi}: {outcome.difference or outcome.unconfirmed or outcome.verdicts[0]}"
        for outcome in outcomes
        if outcome.unconfirmed or not outcome.equal
    ]


@pytest.fixture(scope="module")
def judge() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


@pytest.mark.parametrize("reuse", [False, True], ids=["plain", "reuse"])
def test_random_abis_agree_with_the_standard_ones(judge: oracle.Oracle, reuse: bool) -> None:
    wrong: list[str] = []
    for first in range(FIRST, FIRST + EXAMPLES, EACH):
        wrong += compare(judge, first, EACH, reuse=reuse)
    assert not wrong, "\n".join(wrong)


def frames(
    abi: strategies.decisions.DrawnABI, program: strategies.Program, reuse: bool
) -> Iterator[tuple[pycoro.Coroutine, pycoro.Coroutine]]:
    """Return frames as described and as lowered."""
    text = strategies.module([program])
    split = pycoro.CoroSplit(reuse_storage=reuse, abis=abi.abis)
    early = pycoro.Module(text)
    early.run("coro-early")
    explained = {name: early.preview(split)[name] for name in early.preview(split)}
    lowered = pycoro.Module(text).run(pycoro.Pipeline("coro-early", split)).coroutines
    for name in lowered:
        yield explained[name], lowered[name]


@pytest.mark.parametrize("reuse", [False, True], ids=["plain", "reuse"])
def test_frame_descriptions_agree_with_the_lowering(reuse: bool) -> None:
    judged, seen = 0, Counter[str]()
    for seed in range(FIRST, FIRST + EXAMPLES):
        abi, program = strategies.sample_abi(seed), strategies.sample(seed, OPTIONS)
        for explained, lowered in frames(abi, program, reuse):
            frame = lowered.frame
            assert [(field.name, field.offset, field.live) for field in explained.frame] == [
                (field.name, field.offset, field.live) for field in frame
            ]
            assert frame.lower_bound <= frame.size and frame.size % frame.align == 0
            for field in frame:
                assert field.offset % field.align == 0 and field.end <= frame.size
            for point in frame.suspends:  # values live at one suspend share no byte, and both sides list them
                live = sorted(point.live, key=lambda field: field.offset)
                for before, after in pairwise(live):
                    assert before.end <= after.offset or not before.size or not after.size
                assert len(live) == point.live_count and sum(field.size for field in live) == point.live_bytes
            assert sum(hole.size for hole in frame.holes) <= frame.size
            assert not frame.size or (str(frame).count("\n") > len(frame) and "<svg" in frame.svg())
            judged += 1
            seen.update(name for name in ("gap", "keep", "spill", "hooks") if getattr(abi, name))
    assert judged > EXAMPLES and len(seen) == 4


def test_random_abis_are_deterministic() -> None:
    program = strategies.sample(3, OPTIONS)
    texts = {str(pycoro.lower(strategies.module([program]), lowering(strategies.sample_abi(5)).pipeline).module) for _ in range(3)}
    assert len(texts) == 1
    drawn = strategies.sample_abi(5)
    assert eval(repr(drawn), {**vars(strategies.decisions), **vars(strategies.hooks)}) == drawn


def test_an_abi_without_decisions_equals_the_standard_one() -> None:
    for seed in range(20):
        text = strategies.module([strategies.sample(seed, OPTIONS)])
        own = pycoro.lower(text, lowering(strategies.decisions.DrawnABI()).pipeline).module
        assert str(own) == str(pycoro.lower(text, STANDARD).module)


def test_hypothesis_draws_and_shrinks_them(judge: oracle.Oracle) -> None:
    hypothesis = pytest.importorskip("hypothesis")

    @hypothesis.settings(max_examples=10, deadline=None, derandomize=True, database=None)
    @hypothesis.given(strategies.programs(strategies.SMALL), strategies.abis())
    def does_the_same(program: strategies.Program, abi: strategies.decisions.DrawnABI) -> None:
        case = oracle.Case(strategies.module([program]), ramp="drives")
        (outcome,) = judge.compare_cases([case], lowering=lowering(abi), reference=f"pycoro:{STANDARD}", allocation=False)
        assert outcome.equal, outcome.verdicts

    does_the_same()
    settings = hypothesis.settings(max_examples=200, database=None, derandomize=True, deadline=None)
    smallest = hypothesis.find(strategies.abis(), lambda abi: abi.gap > 0, settings=settings)
    assert smallest == strategies.decisions.DrawnABI(gap=1)


def test_a_wrong_abi_is_detected(judge: oracle.Oracle) -> None:
    """The comparison detects an ABI that rematerializes a load after the memory changed."""

    class Wrong(pycoro.SwitchABI):
        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            return default or "@pick()" in value.value

    options = OPTIONS.but(abis=("switch",))
    cases = [oracle.Case(strategies.module([strategies.sample(seed, options)]), ramp="drives") for seed in range(30)]
    wrong = oracle.ByPipeline(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Wrong()]), "coro-cleanup"))
    outcomes = judge.compare_cases(cases, lowering=wrong, reference=f"pycoro:{STANDARD}", allocation=False)
    assert any(outcome.difference for outcome in outcomes)
