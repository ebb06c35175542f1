"""Cases of tests/elision find faults in elision that random programs miss; `python tests/faults/elided.py` searches for all."""

from __future__ import annotations

import pytest
from elided import Cases, elisions
from faulty import Faulty
from marks import COMPILED, FAULTY

SHOWN = {
    "exception_overlooked": "cleanup_forgets_it",
    "jump_below_overlooked": "helper_jumps_away",
    "perhaps_destroyed": "replaces_its_handle",
    "resumed_quietly": "apart_throws_when_known",
    "passed_by": "apart_passes_by_its_catch",
    "unwound_memory": "ramp_throws_when_in_memory",
    "unwound_destroyed": "helper_throws",
}

pytestmark = [*FAULTY, COMPILED]


@pytest.fixture(scope="module")
def cases(faulty: Faulty, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(faulty, tmp_path_factory.mktemp("elided"))


@pytest.mark.parametrize("fault", SHOWN)
def test_elision_faults_are_found(cases: Cases, fault: str) -> None:
    case = next(case for case in elisions.cases() if case.name == SHOWN[fault])
    assert cases.shown(case, [fault])[fault]


def test_a_case_without_a_fault_has_no_differences(cases: Cases) -> None:
    case = next(case for case in elisions.cases() if case.name == "helper_jumps_away")
    assert cases.shown(case, ["final_not_marked"]) == {}
