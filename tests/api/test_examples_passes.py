"""The passes in `examples/passes`: each runs, type-checks and prints the documented output."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import pycoro

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "passes"

SAYS = {
    "count": [
        "@sums: count-instructions: 29 instructions: 11 call, 2 sext",
        "@sums: count-suspends: 2 suspends, 32 bytes of frame",
    ],
    "trial": ["32 bytes of frame, 24 after 4 LLVM passes", "the frame has 24 bytes, but the limit is 16"],
    "drive": ["100\n5050\nresumed 1 times"],
    "yields": ["resumed 1 times without", "resumed 11 times with a yield every 1000 iterations"],
}


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("pycoro.registry._known", {})
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in (*SAYS, "program"):
        sys.modules.pop(name, None)


def example(name: str) -> ModuleType:
    if name == "drive":
        pytest.importorskip("llvmlite")
    return importlib.import_module(name)


@pytest.mark.parametrize("name", SAYS)
def test_each_example_runs(name: str) -> None:
    example(name)
    ran = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert all(line in ran.stdout for line in SAYS[name]), ran.stdout


@pytest.mark.xdist_group("mypy")
def test_examples_type_check() -> None:
    pytest.importorskip("mypy")
    files = sorted(str(file) for file in EXAMPLES.glob("*.py"))
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    command = [sys.executable, "-m", "mypy", *options, *files]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=EXAMPLES)
    assert ran.returncode == 0, ran.stdout


def test_counting_does_not_change_the_module() -> None:
    count = example("count")
    module = pycoro.Module(count.SUMS)
    before = str(module)
    report = module.run("count-instructions,count-suspends")
    assert str(module) == before
    assert [step.changed for step in report.steps] == [False, False]


def test_a_trial_run_does_not_change_the_module() -> None:
    trial = example("trial")
    module = pycoro.Module(trial.SUMS)
    before = str(module)
    module.run(trial.TryFirst())
    assert str(module) == before
    with pytest.raises(pycoro.RejectedError, match="24 bytes, but the limit is 23"):
        module.run([trial.TryFirst(most=23), "coro-early"])
    assert str(module) == before
