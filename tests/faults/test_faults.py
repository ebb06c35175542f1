"""The oracle sees faults of the engine that are planted there; a release build has none of them in its code.

Only a few are looked for here; `python tests/faults/mutants.py` looks for all and prints the table.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from faulty import ROOT, Faulty
from mutants import Finding, find, shrunk

from pycoro.fuzz import Serial

pytestmark = pytest.mark.xdist_group("faults")  # who builds is who tests

FEW = ("offset_short", "early_spill_dropped", "index_swapped", "final_not_marked", "slots_swapped", "live_cut_short")
PLANTING = re.compile(r"FAULTY\([^()]*\)")
PLANTED = sorted(path for path in ROOT.glob("csrc/*/*.c") if PLANTING.search(path.read_text()))


@pytest.fixture(scope="module")
def faulty() -> Faulty:
    return Faulty()


@pytest.fixture(scope="module")
def findings(faulty: Faulty) -> dict[str, Finding]:
    return {finding.fault: finding for finding in find(Serial(), FEW, seed=1, most=200, seconds=120)}


@pytest.mark.parametrize("fault", FEW)
def test_found(findings: dict[str, Finding], fault: str) -> None:
    assert findings[fault].difference


def test_shrunk(findings: dict[str, Finding]) -> None:
    small = shrunk(findings["offset_short"], seconds=60)
    assert small.difference
    assert small.lines < 40


def test_every_fault_is_planted_once(faulty: Faulty) -> None:
    planted = re.findall(r"FAULTY\([^(),]*, (\w+)\)", "".join(path.read_text() for path in PLANTED))
    assert sorted(planted) == sorted(faulty.faults)


def compiled(source: str, folder: Path) -> bytes:
    """The object code of the source as a release build has it, without what debuggers read."""
    includes = [ROOT / "csrc", ROOT / "csrc/include"]
    includes.append(Path(subprocess.check_output(["llvm-config-22", "--includedir"], text=True).strip()))
    folder.mkdir(exist_ok=True)
    (folder / "planted.c").write_text(source)
    command = ["cc", "-std=c11", "-O1", "-fPIC", "-fvisibility=hidden"]
    subprocess.run([*command, *(f"-I{path}" for path in includes), "-c", "planted.c"], cwd=folder, check=True)
    return (folder / "planted.o").read_bytes()


@pytest.mark.parametrize("path", PLANTED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_code_in_a_release_build(path: Path, tmp_path: Path) -> None:
    source = path.read_text()
    assert compiled(source, tmp_path / "with") == compiled(PLANTING.sub("false", source), tmp_path / "without")
