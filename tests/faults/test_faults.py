"""The oracle detects faults that are planted in a copy of the engine.

This test searches for a few; `python tests/faults/mutants.py` searches for all and prints the table.
"""

from __future__ import annotations

import math
import signal

import pytest
from faulty import Faulty
from judge import Judge, JudgeError
from marks import FAULTY
from mutants import Finding, find, shrunk

from pycoro import oracle
from pycoro.fuzz import Serial

pytestmark = FAULTY

FEW = ("offset_short", "early_spill_dropped", "index_swapped", "final_not_marked", "slots_swapped", "live_cut_short")


@pytest.fixture(scope="module")
def findings(faulty: Faulty) -> dict[str, Finding]:
    return {finding.fault: finding for finding in find(Serial(), FEW, seed=1, most=200, seconds=math.inf)}


@pytest.mark.parametrize("fault", FEW)
def test_faults_are_found(findings: dict[str, Finding], fault: str) -> None:
    assert findings[fault].difference


def test_findings_are_shrunk(findings: dict[str, Finding]) -> None:
    small = shrunk(findings["offset_short"], seconds=math.inf)
    assert small.difference
    assert small.lines < 40


CRASH = oracle.Run("crashed", "SIGSEGV while it ran", ())


@pytest.mark.parametrize("way", [oracle.Interpreted, oracle.Passes])
def test_a_crashing_judge_stops_the_search(faulty: Faulty, monkeypatch: pytest.MonkeyPatch, way: type[oracle.Lowering]) -> None:
    run = Judge._run

    def crashing(self: Judge, asked: oracle.Lowering, texts: list[str]) -> list[oracle.Run]:
        return [CRASH for _ in texts] if isinstance(asked, way) else run(self, asked, texts)

    monkeypatch.setattr(Judge, "_run", crashing)
    with pytest.raises(JudgeError, match="without a fault, pycoro's lowering and the interpreter must both finish"):
        list(find(Serial(), FEW, seed=1, most=96, seconds=math.inf))


def test_an_engine_that_crashes_without_a_fault_is_not_searched(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Faulty, "_lowered", lambda *_: signal.raise_signal(signal.SIGKILL))
    with pytest.raises(JudgeError, match="The lowering: crashed: SIGKILL while it was lowered"):
        list(find(Serial(), FEW, seed=1, most=96, seconds=math.inf))


def test_failures_outside_of_the_engine_are_raised(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faulty.overwrite_dead_bytes", lambda *_: {}["nothing"])
    with pytest.raises(RuntimeError, match="KeyError: 'nothing'"):
        list(find(Serial(), FEW, seed=1, most=96, seconds=math.inf))
