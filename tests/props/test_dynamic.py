"""Random coroutines of the dynamic returned-continuation ABI, which LLVM 22 cannot lower: the interpreter is the reference. The
caller allocates the frame by its coroutine function pointer, with bytes after it that nothing may write; the allocator and the
frame that allocations are passed are checked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

import pycoro
from pycoro import oracle, strategies

OPTIONS = strategies.Options(abis=("retcon.once.dynamic",))
LOWERINGS = ("coro-early,cgscc(coro-split),coro-cleanup", "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup", "default<O2>")


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_random_programs(both: oracle.Oracle, lowering: str) -> None:
    """Each run draws the same few; PYCORO_EXAMPLES=2000 draws more."""
    seeds = range(int(os.environ.get("PYCORO_EXAMPLES", "60")))
    programs = {seed: strategies.module([strategies.sample(seed, OPTIONS)]) for seed in seeds}
    cases = [oracle.Case(ir, ramp="drives", name=f"seed {seed}") for seed, ir in programs.items()]
    for outcome in both.compare_cases(cases, lowering=lowering, reference="interpreter", allocation=False):
        assert outcome.equal and outcome.executed, f"{outcome.case.name}: {outcome.verdicts[0]}\n{outcome.case.ir}"


def test_a_frame_that_is_too_small_is_a_difference(both: oracle.Oracle) -> None:
    def shrink(ir: str) -> str:
        return re.sub(r"(\.cfp = internal global .*, i32 )\d+( }>)", r"\g<1>0\2", str(pycoro.lower(ir).module))

    programs = [strategies.module([strategies.sample(seed, OPTIONS)]) for seed in range(12)]
    verdicts = [both.compare(ir, ramp="drives", lowering=shrink, reference="interpreter", allocation=False) for ir in programs]
    assert sum(not verdict.equal for verdict in verdicts) >= 8
