"""GCC's self-checking programs, each built by `pycoro-c++` as a build system would: compiled and linked in one command."""

from __future__ import annotations

import pathlib
import sys

import gcctests
import pytest
from gcctests import harness

PYCORO = pathlib.Path(sys.executable).with_name("pycoro-c++")
CASES = {case.name: case for case in gcctests.cases(exceptions=True)}
NAMES = sorted({name for names in gcctests.KNOWN.values() for name in names.read_text().split()})
KNOWN = [pytest.param(name, id=name, marks=gcctests.together(name)) for name in NAMES]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CASES, reason="PYCORO_GCC_TESTS names no folder with GCC's coroutine tests"),
    pytest.mark.skipif(bool(harness.missing_tools()), reason="LLVM 22's tools are not installed"),
    pytest.mark.skipif(not PYCORO.exists(), reason="pycoro is not installed with its commands"),
]


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("name", KNOWN)
def test_is_built_and_passes(name, level, tmp_path):
    if pathlib.PurePath(name).name in harness.TOLD and level != "-O0":
        pytest.skip("tells whether the frame is allocated, and with pycoro it is not")
    case = CASES[name]
    if "-fno-exceptions" not in case.flags and name not in gcctests.KNOWN[True].read_text().split():
        case = next(c for c in gcctests.cases() if c.name == name)  # passes only without exceptions, with plain clang too
    program = tmp_path / "program"
    harness.call("pycoro-c++", [str(PYCORO), *harness.LINKER, level, "-w", *case.flags, str(case.path), "-o", str(program)])
    ours = harness.run(program)
    theirs = harness.clang_outcome(case.path, level, case.flags)
    if theirs.status:
        pytest.skip(f"fails with plain clang too: exit status {theirs.status}")
    assert ours == theirs
