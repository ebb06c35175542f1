"""GCC's self-checking programs, with exceptions off and on: those in the two lists of passing programs exist and pass."""

import gcctests
import pytest

CASES = {exceptions: {case.name: case for case in gcctests.cases(exceptions)} for exceptions in (False, True)}
KNOWN = [
    pytest.param(exceptions, name, id=f"{name}{'-exceptions' if exceptions else ''}", marks=gcctests.together(name))
    for exceptions, names in gcctests.KNOWN.items()
    for name in names.read_text().split()
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CASES[False], reason="PYCORO_GCC_TESTS names no folder with GCC's coroutine tests"),
    pytest.mark.skipif(bool(gcctests.harness.missing_tools()), reason="LLVM 22's tools are not installed"),
]


@pytest.mark.parametrize(("exceptions", "name"), KNOWN)
def test_listed_programs_pass(exceptions, name, tmp_path):
    assert name in CASES[exceptions], "no such program in the suite"
    result = gcctests.examine(CASES[exceptions][name], tmp_path)
    assert result.outcome == "pass", result.why
