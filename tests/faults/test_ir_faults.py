"""IR tests find faults that random programs miss, because they need calls of a coroutine's own functions, or equal landing pads."""

from __future__ import annotations

import re
import subprocess

import pytest
from drawn import Sample
from faulty import ROOT, Faulty
from marks import COMPILED, FAULTY

FOUND_BY = {
    "pads_with_other_instructions": "last-pads",
    "own_resume_destroys": "suspend-over",
    "own_resume_after_another": "suspend-over-behind-branches",
}

pytestmark = [*FAULTY, COMPILED]


@pytest.mark.parametrize("fault", FOUND_BY)
def test_an_ir_test_finds_the_fault(faulty: Faulty, fault: str) -> None:
    path = ROOT / "tests" / "ir" / "switch" / f"{FOUND_BY[fault]}.ll"
    ir = path.read_text()
    passes = re.search(r"; RUN: pycoro opt %s .*-passes='([^']*)'.*\| FileCheck %s$", ir, re.MULTILINE)
    assert passes
    lowered = faulty.lower([(Sample(ir, passes[1]), [fault])])[0]
    checks = [
        subprocess.run(["FileCheck-22", str(path)], input=str(text), capture_output=True, text=True, check=False)
        for text in lowered
    ]
    assert [check.returncode for check in checks] == [0, 1], checks[0].stderr
