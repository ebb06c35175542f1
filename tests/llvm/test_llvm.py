"""Every LLVM input of the switched-resume ABI without special needs is lowered; so is every async one."""

import checklines
import llvmtests
import pytest

CASES = llvmtests.cases()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CASES, reason="PYCORO_LLVM_TESTS names no folder with LLVM's coroutine tests"),
    pytest.mark.skipif(bool(llvmtests.harness.missing_tools()), reason="LLVM 22's tools are not installed"),
]


@pytest.mark.parametrize("case", [case for case in CASES if case.plain], ids=lambda case: case.name)
def test_plain_switch_inputs_are_lowered(case, tmp_path):
    why = llvmtests.attempt(case.path, llvmtests.PLAIN, tmp_path)
    if why:
        own = llvmtests.run_own_passes(case, tmp_path)
        assert not own, f"{llvmtests.PLAIN}: {why}; {case.own_passes or 'no passes of its own'}: {own}"


@pytest.mark.parametrize("case", [case for case in CASES if case.abi == "async"], ids=lambda case: case.name)
def test_async_inputs_are_lowered(case, tmp_path):
    result = llvmtests.examine(case, tmp_path)
    assert result.lowered, result.plain
    assert not result.no_object or result.llvm_too


@pytest.mark.parametrize("case", [case for case in CASES if not case.plain], ids=lambda case: case.name)
def test_other_inputs_never_crash_the_process(case, tmp_path):
    """Inputs are lowered or rejected with a message: unsupported ones must not crash, hang or fail silently."""
    command = [*llvmtests.harness.opt_command(), str(case.path), f"-passes={llvmtests.PLAIN}", "-S", "-o", str(tmp_path / "out.ll")]
    try:
        llvmtests.harness.call("lower", command, llvmtests.TIMEOUT)
    except llvmtests.harness.StepFailed as failed:
        assert failed.status == 1, str(failed)
        assert len(str(failed).splitlines()) > 1, "rejected without a word"


def test_listed_check_lines_hold():
    """LLVM's CHECK lines hold in the files that check_lines.txt names."""
    names = set(checklines.PASSING.read_text().split())
    assert len(names) > 30
    results = checklines.run([case.path for case in CASES if case.name in names])
    assert [str(result) for result in results if not result.passed] == []
    assert {result.name for result in results} == names
