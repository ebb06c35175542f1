"""Functions with many awaits in MLIR's async dialect, and the command of examples/mlir. tests/real/producers runs its programs."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pycoro

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "mlir"
TOOLS = ("mlir-opt-22", "mlir-translate-22", "cc")
MAIN = """
func.func @main() -> i32 {
  %n = arith.constant 3 : i64
  %value = async.call @all(%n) : (i64) -> !async.value<i64>
  %sum = async.await %value : !async.value<i64>
  vector.print %sum : i64
  %zero = arith.constant 0 : i32
  return %zero : i32
}
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_mlir", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = load(FOLDER / "lower.py")
missing = [tool for tool in TOOLS if not shutil.which(tool)]
missing += [name for name in EXAMPLE.RUNTIME if not (EXAMPLE.LIBRARIES / name).exists()]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not found: apt-get install mlir-22-tools libmlir-22")


@pytest.mark.parametrize("count", [400, 1000])
def test_many_awaits_in_one_function(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame has one slot for each result that is live across the following awaits."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    source = importlib.import_module("mlir_awaits").awaits(count)
    report = pycoro.lower(EXAMPLE.translate(source + MAIN), host=True)
    EXAMPLE.link(report.module.emit(), tmp_path / "all")
    printed = subprocess.run([tmp_path / "all"], capture_output=True, text=True, timeout=60, check=True).stdout
    expected = 0
    for i in range(count):
        expected = (expected + 1) * (3 + i) % 2**64
    assert int(printed) % 2**64 == expected
    assert report.coroutines["all"].frame.size < 17 * count


def test_the_command_of_the_tutorial(tmp_path: Path) -> None:
    program = tmp_path / "await"
    python = [sys.executable, FOLDER / "lower.py", FOLDER / "await.mlir", "-o", program, "--frames"]
    printed = subprocess.run(python, capture_output=True, text=True, check=True).stdout
    assert "hypotenuse" in printed
    assert subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout == "25\n"
