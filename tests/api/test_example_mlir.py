"""The programs in MLIR's async dialect in examples/mlir: lowered by pycoro and by LLVM, they print the documented output."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import pycoro

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "mlir"
TOOLS = ("mlir-opt-22", "mlir-translate-22", "cc")
PROGRAMS = {
    found[1]: found[2].split(", ")
    for found in re.finditer(r"^\| \[(\w+)\.mlir\][^|]*\|[^|]*\| ([\d, ]+) \|", (FOLDER / "README.md").read_text(), re.MULTILINE)
}
LEVELS = {
    "O0": pycoro.pipeline.DEFAULT,
    "O2": "default<O2>",
    "reuse-storage": "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
}


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


def output(lower: Callable[[pycoro.Module], object], source: str, program: Path) -> list[str]:
    """Return what a program prints that `lower` lowers."""
    module = pycoro.Module(EXAMPLE.translate(source), host=True)
    lower(module)
    EXAMPLE.link(module.emit(level=2), program)
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout.split()


def text(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


def test_every_program_is_in_the_table() -> None:
    assert set(PROGRAMS) == {path.stem for path in FOLDER.glob("*.mlir")}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_lowered_by_pycoro_prints_the_documented_output(name: str, level: str, tmp_path: Path) -> None:
    assert output(lambda module: module.run(LEVELS[level]), text(name), tmp_path / name) == PROGRAMS[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_llvm_s_lowering_prints_the_same(name: str, tmp_path: Path) -> None:
    opt = shutil.which("opt-22") or "/usr/lib/llvm-22/bin/opt"
    if not Path(opt).exists():
        pytest.skip("opt-22 not found")

    def lower(module: pycoro.Module) -> None:
        command = [opt, "-S", "-passes=coro-early,cgscc(coro-split),coro-cleanup"]
        module.replace(subprocess.run(command, input=str(module), capture_output=True, text=True, check=True).stdout)

    assert output(lower, text(name), tmp_path / name) == PROGRAMS[name]


@pytest.mark.parametrize("count", [400, 1000])
def test_many_awaits_in_one_function(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame has one slot for each result that is live across the following awaits."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    source = importlib.import_module("mlir_awaits").awaits(count)
    reports: list[pycoro.Report] = []
    lowered = output(lambda module: reports.append(module.run(pycoro.pipeline.DEFAULT)), source + MAIN, tmp_path / "all")
    expected = 0
    for i in range(count):
        expected = (expected + 1) * (3 + i) % 2**64
    assert int(lowered[0]) % 2**64 == expected
    assert reports[0].coroutines["all"].frame.size < 17 * count


def test_the_command_of_the_tutorial(tmp_path: Path) -> None:
    program = tmp_path / "await"
    python = [sys.executable, FOLDER / "lower.py", FOLDER / "await.mlir", "-o", program, "--frames"]
    printed = subprocess.run(python, capture_output=True, text=True, check=True).stdout
    assert "hypotenuse" in printed
    assert subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout == "25\n"
