"""GCC's self-checking programs: the names in passing.txt pass, and none of them has gone from the suite."""
import gcctests
import pytest

KNOWN = gcctests.KNOWN.read_text().split()
CASES = {case.name: case for case in gcctests.cases()}
pytestmark = [
    pytest.mark.skipif(not CASES, reason="PYCORO_GCC_TESTS names no folder with GCC's coroutine tests"),
    pytest.mark.skipif(bool(gcctests.harness.missing_tools()), reason="LLVM 22's tools are not installed"),
]


@pytest.mark.parametrize("name", KNOWN)
def test_passes(name, tmp_path):
    assert name in CASES, "no such program in the suite"
    result = gcctests.examine(CASES[name], tmp_path)
    assert result.outcome == "pass", result.why
