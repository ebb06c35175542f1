"""The pytest plugin, Hypothesis's entry point and the lifecycle machine in other projects' tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from samples import COUNTER

import pycoro
from pycoro.oracle import Oracle, Run

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from pycoro.stateful import lifecycle

LEAKS = "declare ptr @malloc(i64)\ndefine void @f() {\n  %p = call ptr @malloc(i64 8)\n  ret void\n}\n"
QUICK = settings(
    max_examples=15,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def test_fixtures(coro_module: Callable[..., pycoro.Module], oracle: Oracle, coro_no_leaks: Callable[[Run], None]) -> None:
    module = coro_module(COUNTER, name="counter.ll")
    assert module.name == "counter.ll"
    run = oracle.run(COUNTER, ("resume", "destroy"), ramp="counter", args=(5,))
    assert [event for event in run.events if event[0] == "call"] == [("call", "print", 5), ("call", "print", 6)]
    coro_no_leaks(run)
    with pytest.raises(AssertionError, match="leaked memory"):
        coro_no_leaks(oracle.run(LEAKS))
    with pytest.raises(AssertionError, match="did not finish"):
        coro_no_leaks(oracle.run("define void @f() {\n  call void @llvm.trap()\n  unreachable\n}\n", passes=""))


def run_pytest(folder: Path, *options: str) -> str:
    """Return pytest's output for the tests in a directory, independent of this run's environment."""
    command = [sys.executable, *options, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=120).stdout


def test_the_leak_check_works_without_assertions(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(
        "from pycoro.oracle import Run\n"
        "def test_leaky(coro_no_leaks):\n    coro_no_leaks(Run('finished', '', (('left', 'block 0'),)))\n"
    )
    said = run_pytest(tmp_path, "-O")
    assert "the run leaked memory" in said and re.search(r"^1 failed", said, re.MULTILINE)


def test_the_leak_check_in_another_project(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(
        "import pycoro\nkept = []\n"
        "def test_clean(coro_no_leaks, coro_module):\n    coro_module('')\n"
        "def test_leaky(coro_no_leaks):\n    kept.append(pycoro.Module(''))\n"
    )
    said = run_pytest(tmp_path)
    assert "the test leaked: 1 modules" in said
    assert re.search(r"^2 passed.* 1 error", said, re.MULTILINE), "the gate is after the test"


@pytest.mark.parametrize("first", ["hypothesis", "pycoro.strategies"])
def test_hypothesis_resolves_programs_by_type(first: str) -> None:
    code = (
        f"import {first}, hypothesis, pycoro.strategies as s\n"
        "from hypothesis import strategies as st\n"
        "print(type(st.from_type(s.Program).example()).__name__, type(st.from_type(s.model.Coroutine).example()).__name__)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["Program", "Coroutine"], done.stderr


def count_from(number: int) -> Generator[int, None, None]:
    while True:
        yield number
        number += 1
        if number >= 100:
            return


def machine(model: Callable[[int], Generator[int, None, None]], ir: str = COUNTER) -> type:
    said: list[int] = []
    given = st.tuples(st.integers(95, 99))
    return lifecycle(ir, "counter", model, args=given, promise="i32", externals={"print": said.append})


def test_a_coroutine_agrees_with_its_model() -> None:
    run_state_machine_as_test(machine(count_from), settings=QUICK)


def test_a_machine_of_a_missing_function_is_an_error() -> None:
    """A misspelled allocator would never be watched, and leaks would be missed."""
    for wrong in ({"ramp": "countr"}, {"allocator": ("maloc", "free")}, {"externals": {"prnt": print}}):
        how = {"ramp": "counter", "allocator": ("malloc", "free"), "externals": {}, **wrong}
        with pytest.raises(pycoro.UsageError, match="did you mean"):
            lifecycle(COUNTER, how.pop("ramp"), count_from, **how)  # type: ignore[arg-type]


def test_a_wrong_model_is_detected() -> None:
    def one_less(number: int) -> Generator[int, None, None]:
        for value in count_from(number):
            if value != 98:
                yield value

    with pytest.raises(AssertionError, match="the promise is 98, not 99"):
        run_state_machine_as_test(machine(one_less), settings=QUICK)


def test_a_leak_is_detected() -> None:
    leaky = COUNTER.replace("call void @free(ptr %used)", "call void @print(i32 0)")
    with pytest.raises(AssertionError, match="blocks leaked"):
        run_state_machine_as_test(machine(count_from, leaky), settings=QUICK)
