"""GCC's self-checking programs: the names in passing.txt pass, and none of them has gone from the suite."""
import gcctests
import pytest

KNOWN = gcctests.KNOWN.read_text().split()
CASES = {case.name: case for case in gcctests.cases()}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CASES, reason="PYCORO_GCC_TESTS names no folder with GCC's coroutine tests"),
    pytest.mark.skipif(bool(gcctests.harness.missing_tools()), reason="LLVM 22's tools are not installed"),
]


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    """The results of the programs that this session asks for."""
    folder = tmp_path_factory.mktemp("gcc")
    asked = [item.callspec.params["name"] for item in request.session.items if item.path == request.path]
    ahead = gcctests.harness.Ahead([name for name in asked if name in CASES],
                                   lambda name: gcctests.examine(CASES[name], folder))
    yield ahead
    ahead.close()


@pytest.mark.parametrize("name", KNOWN)
def test_passes(name, results):
    assert name in CASES, "no such program in the suite"
    result = results(name)
    assert result.outcome == "pass", result.why
