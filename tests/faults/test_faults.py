"""The oracle sees faults that are planted in a copy of the engine.

Only a few are looked for here; `python tests/faults/mutants.py` looks for all and prints the table.
"""

from __future__ import annotations

import pytest
from faulty import Faulty
from mutants import Finding, find, shrunk

from pycoro.fuzz import Serial

pytestmark = pytest.mark.xdist_group("faults")  # who builds is who tests

FEW = ("offset_short", "early_spill_dropped", "index_swapped", "final_not_marked", "slots_swapped", "live_cut_short")


@pytest.fixture(scope="module")
def faulty() -> Faulty:
    return Faulty()


@pytest.fixture(scope="module")
def findings(faulty: Faulty) -> dict[str, Finding]:
    return {finding.fault: finding for finding in find(Serial(), FEW, seed=1, most=200, seconds=120)}


@pytest.mark.parametrize("fault", FEW)
def test_found(findings: dict[str, Finding], fault: str) -> None:
    assert findings[fault].difference


def test_shrunk(findings: dict[str, Finding]) -> None:
    small = shrunk(findings["offset_short"], seconds=60)
    assert small.difference
    assert small.lines < 40
