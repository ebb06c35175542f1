"""The tables of facts about LLVM 22, compared with the installed LLVM."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import levels
import pytest

CSRC = Path(__file__).parents[2] / "csrc"
FACTS = CSRC / "facts" / "22"
SECTIONS = {"Module": "MODULE", "CGSCC": "CGSCC", "Function": "FUNCTION", "LoopNest": "LOOP", "Loop": "LOOP"}


@pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs opt-22")
def test_names_of_passes() -> None:
    printed = subprocess.run(["opt-22", "--print-passes"], capture_output=True, text=True, check=True).stdout
    level, told = None, set()
    for line in printed.splitlines():
        if not line.startswith(" "):
            heading = re.fullmatch(r"(\w+) passes( with params)?:", line)
            level = SECTIONS.get(heading[1]) if heading else None
        elif level and (name := line.strip().partition("<")[0]):
            told.add((level, name))
    ours = set(re.findall(r'"(coro-[a-z-]+)"', (CSRC / "run" / "passes.def").read_text()))
    listed = set(re.findall(r'^LLVM_PASS_NAME\((\w+), "(.+)"\)$', (FACTS / "llvm_pass_names.def").read_text(), re.MULTILINE))
    assert listed == {(level, name) for level, name in told if name not in ours}


@pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs opt-22")
def test_levels() -> None:
    """The table equals the output of opt."""
    assert (FACTS / "llvm_levels.def").read_text() == levels.table()
