"""GCC's self-checking programs, with exceptions off and on: those in the two lists of passing programs exist and pass."""

import gcctests
import pytest

CASES = {exceptions: {case.name: case for case in gcctests.cases(exceptions)} for exceptions in (False, True)}
KNOWN = [
    pytest.param((exceptions, name), id=f"{name}{'-exceptions' if exceptions else ''}")
    for exceptions, names in gcctests.KNOWN.items()
    for name in names.read_text().split()
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CASES[False], reason="PYCORO_GCC_TESTS names no folder with GCC's coroutine tests"),
    pytest.mark.skipif(bool(gcctests.harness.missing_tools()), reason="LLVM 22's tools are not installed"),
]


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    """Return the results of the programs that this session selects."""
    folders = {exceptions: tmp_path_factory.mktemp("gcc") for exceptions in CASES}
    asked = [item.callspec.params["which"] for item in request.session.items if item.path == request.path]
    there = [(exceptions, name) for exceptions, name in asked if name in CASES[exceptions]]
    ahead = gcctests.harness.Ahead(there, lambda which: gcctests.examine(CASES[which[0]][which[1]], folders[which[0]]))
    yield ahead
    ahead.close()


@pytest.mark.parametrize("which", KNOWN)
def test_listed_programs_pass(which, results):
    exceptions, name = which
    assert name in CASES[exceptions], "no such program in the suite"
    result = results(which)
    assert result.outcome == "pass", result.why
