"""The example frontend that uses llvmlite: its generators run, and are optimized away in their consumers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pycoro

pytest.importorskip("llvmlite", reason="llvmlite is not installed: pip install llvmlite")
FOLDER = Path(__file__).parents[2] / "examples" / "llvmlite"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="not run in a checkout")


@pytest.fixture
def example() -> Any:
    """Load the example by path: `bench` also has a module named generators."""
    spec = importlib.util.spec_from_file_location("example_llvmlite", FOLDER / "generators.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_program() -> None:
    done = subprocess.run([sys.executable, "generators.py", "4"], cwd=FOLDER, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 4 13 28\n46\n", "")


@pytest.mark.parametrize("passes", ["default<O0>", "default<O2>"])
def test_generated_values(example: Any, passes: str) -> None:
    wanted = [2 - 5 * n + n**3 for n in range(10)]
    with pycoro.Engine(example.compiled(example.emit([2, -5, 0, 1]), "values", passes=passes)) as engine:
        with engine.start("values", 10) as values:
            assert list(values) == wanted
        with engine.start("values", 10) as values:
            assert next(values) == wanted[0]  # and is destroyed there
        assert engine.call("sum", 10) == sum(wanted)


def test_the_linter_finds_nothing_and_the_frame_is_elided(example: Any) -> None:
    read = pycoro.Module(example.emit([1, 2]), host=True)
    pycoro.ir.Builder(read).add_attribute(read.functions["values"], "presplitcoroutine")
    assert not read.lint()
    lowered = example.compiled(example.emit([1, 2]), "values").module
    assert not [
        i for block in lowered.functions["sum"].blocks for i in block.instructions if i.opcode == "call" and "malloc" in str(i)
    ]
