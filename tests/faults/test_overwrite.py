"""Bytes that a report calls dead at all suspends may be overwritten while the coroutine is suspended."""

from __future__ import annotations

import pytest
from drawn import PIPELINES
from overwrite import overwrite_dead_bytes

import pycoro
from pycoro import oracle, strategies

SOME = 24
OPTIONS = strategies.ALL.but(abis=("switch",), children=True, elision=True)


@pytest.mark.parametrize("passes", PIPELINES)
def test_overwriting_dead_bytes_does_not_change_behavior(passes: str) -> None:
    cases = list[oracle.Case]()
    for seed in range(SOME):
        module = pycoro.Module(oracle.for_host(strategies.module([strategies.sample(seed, OPTIONS)])))
        report = module.run(passes)
        changed = overwrite_dead_bytes(str(module), [coroutine._data for coroutine in report.coroutines.values()])
        assert "i8 -86" in changed
        cases += [oracle.Case(text, ramp="drive0") for text in (str(module), changed)]
    with oracle.Oracle(alignment=16) as both:
        runs = [runs[0] for runs in both.execute(oracle.Passes(""), cases, live=True)]
    for seed, (plain, changed) in enumerate(zip(runs[::2], runs[1::2], strict=True)):
        assert plain.how == "finished"
        assert not oracle.first_difference(plain, changed), seed
