"""IR tests find faults that random programs miss, because they need calls of a coroutine's own functions, equal landing pads,
addresses of blocks, loops that are entered in several places, elided children, or calls that return an address."""

from __future__ import annotations

import re
import subprocess

import pytest
from drawn import Sample
from faulty import ROOT, Faulty
from marks import COMPILED, FAULTY

FOUND_BY = {
    "pads_with_other_instructions": "switch/last-pads",
    "own_resume_destroys": "switch/suspend-over",
    "own_resume_after_another": "switch/suspend-over-behind-branches",
    "label_of_next_block": "switch/block-addresses",
    "label_not_relative": "switch/block-addresses",
    "dispatched_value_of_other_target": "pipeline/loop-entry",
    "repaired_by_poison": "pipeline/loop-entry",
    "elided_lifetime_ends_early": "elide/one-after-the-other",
    "early_result_overlooked": "check/returned-before-begin",
}

pytestmark = [*FAULTY, COMPILED]


@pytest.mark.parametrize("fault", FOUND_BY)
def test_an_ir_test_finds_the_fault(faulty: Faulty, fault: str) -> None:
    path = ROOT / "tests" / "ir" / f"{FOUND_BY[fault]}.ll"
    ir = path.read_text()
    passes = re.search(r"; RUN: pycoro opt %s .*-passes='?([^' ]*)", ir)
    assert passes
    lowered = faulty.lower([(Sample(ir, passes[1]), [fault])])[0]
    checks = [
        subprocess.run(["FileCheck-22", str(path)], input=str(text), capture_output=True, text=True, check=False)
        for text in lowered
    ]
    assert [check.returncode for check in checks] == [0, 1], checks[0].stderr
