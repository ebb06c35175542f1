"""Malformed programs: each is refused by the rule that it breaks, and left as it is; LLVM's reader finds nothing wrong."""

from __future__ import annotations

import pytest

import pycoro
from pycoro import strategies as s

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def check(malformed: s.Malformed) -> None:
    module = pycoro.Module(malformed.text())
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    first = caught.value.diagnostics[0]
    assert (first.rule, first.function) == (malformed.rule, malformed.program.coroutines[-1].name)
    assert first.message and first.hint
    assert str(module) == before


@pytest.mark.parametrize("rule", s.RULES)
@pytest.mark.parametrize("options", [s.SMALL, s.ALL.but(abis=("switch",))], ids=["small", "all"])
def test_every_rule_is_named(rule: str, options: s.Options) -> None:
    for seed in range(5):
        program = s.sample(seed, options)
        check(s.Malformed(program, rule))
        with pycoro.Module(s.module([program])) as module:
            module.run(PASSES)


def test_malformed_programs_print_as_what_makes_them() -> None:
    malformed = s.Malformed(s.sample(3, s.SMALL), "one-begin")
    assert eval(repr(malformed), vars(s).copy()) == malformed


def test_hypothesis_draws_them() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    hypothesis.settings(max_examples=20, deadline=None, derandomize=True, database=None)(hypothesis.given(s.malformed())(check))()
    two = s.malformed(rules=("coro-id", "one-begin"))
    settings = hypothesis.settings(max_examples=100, database=None, derandomize=True, deadline=None)
    small = hypothesis.find(two, lambda malformed: malformed.rule == "one-begin", settings=settings)
    assert small == s.Malformed(s.Program((s.Coroutine("f", (), guarded=False),), (s.Drive("f"),)), "one-begin")
