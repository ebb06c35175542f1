"""The ABIs in `examples/abis`: each runs, lowers every executable test of the switched-resume ABI, and agrees with the
standard ABI on random coroutines."""

from __future__ import annotations

import functools
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pycoro
from pycoro import oracle, strategies

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "abis"
COUNT = int(os.environ.get("PYCORO_EXAMPLES", "20"))
FIRST = random.randrange(1 << 40) if "PYCORO_EXAMPLES" in os.environ else 0
SWITCH = strategies.ALL.but(callees=("switch", "async")).but(abis=("switch",))

SAYS = {
    "arena": "two frames, 24 bytes apart",
    "resume_pointer": "clones: steps.resume, steps.destroy, steps.cleanup, steps.resume.0, steps.resume.1",
    "trace": "suspended at suspend 0",
    "callers_frame": "in the caller's buffer: True",
    "poll": "task 1 is ready",
    "tagged": "awaited by main_task",
}

needs_clang = pytest.mark.skipif(not (shutil.which("clang-22") or shutil.which("clang")), reason="needs clang")
EACH = [pytest.param(name, marks=needs_clang if name == "tagged" else ()) for name in SAYS]


def abi(name: str) -> pycoro.SwitchABI:
    sys.path.insert(0, str(EXAMPLES))
    try:
        module = __import__(name)
    finally:
        sys.path.remove(str(EXAMPLES))
    made = {
        "arena": lambda: module.Arena(),
        "resume_pointer": lambda: module.ResumePointer(),
        "trace": lambda: module.Trace(),
        "callers_frame": lambda: module.CallersFrame(1 << 16),
        "poll": lambda: module.Poll(),
        "tagged": lambda: module.Tagged(),
    }[name]()
    assert isinstance(made, pycoro.SwitchABI)
    return made


@pytest.mark.parametrize("name", EACH)
def test_it_runs_by_itself(name: str) -> None:
    script = EXAMPLES / f"{name}.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout
    assert len(script.read_text().splitlines()) < 100


# ---- Every executable test ----

PROGRAMS = sorted(path for path in (ROOT / "tests" / "ir" / "switch").glob("*.ll") if "lli" in path.read_text())


def lower(text: str, abis: list[pycoro.ABI]) -> str:
    module = pycoro.Module(text)
    module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=abis), "coro-cleanup"), verify_each=True)
    return str(module)


def run(text: str, tmp_path: Path) -> tuple[int, str]:
    program = tmp_path / "program.ll"
    program.write_text(text)
    lli = shutil.which("lli-22") or shutil.which("lli")
    assert lli, "the IR tests need lli, too"
    done = subprocess.run([lli, str(program)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


TELLS = dict.fromkeys(("alloc-and-free.ll", "captured-used-after-free.ll"), ("arena", "callers_frame"))
"""Tests whose output depends on allocations that an ABI replaces."""


@functools.cache
def run_standard(path: Path, folder: Path) -> tuple[int, str]:
    """Return what a program does with the standard ABI, for the tests of all ABIs."""
    return run(lower(path.read_text(), []), folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("standard")


@pytest.mark.xdist_group("example ABIs")
@pytest.mark.parametrize("name", EACH)
def test_every_executable_ir_test_passes(name: str, tmp_path: Path, folder: Path) -> None:
    made, ran = abi(name), 0
    for path in PROGRAMS:
        text = path.read_text()
        if not re.search(r"^define .*@main\(", text, re.MULTILINE) or ("triple" in text and "x86_64" not in text):
            continue
        if name in TELLS.get(path.name, ()):
            continue
        try:
            own = lower(text, [made])
        except pycoro.RejectedError as error:
            assert name == "tagged", error
            assert "data layout" in str(error)  # clang compiles for this machine only
            continue
        assert run(own, tmp_path) == run_standard(path, folder), path.name
        ran += 1
    assert ran >= 35


# ---- Random coroutines ----


def lowering_with_abi(made: pycoro.ABI, *more: str) -> oracle.ByPipeline:
    """Return the lowering with an ABI for all coroutines, optimized or not."""
    passes = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[made]), *more, "coro-cleanup")
    return oracle.ByPipeline(passes, f"{type(made).__name__}'s lowering")


@pytest.fixture(scope="module")
def judge() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


@pytest.mark.parametrize("more", [(), ("cgscc(inline),function(coro-elide,sroa,simplifycfg)",)], ids=["plain", "optimized"])
@pytest.mark.parametrize("name", EACH)
def test_random_coroutines(judge: oracle.Oracle, name: str, more: tuple[str, ...]) -> None:
    cases = [
        oracle.Case(strategies.module([strategies.sample(seed, SWITCH)]), ramp="drives", name=f"seed {seed}")
        for seed in range(FIRST, FIRST + COUNT)
    ]
    outcomes = judge.compare_cases(cases, reference=lowering_with_abi(abi(name), *more), allocation=False)
    wrong = [f"{outcome.case.name}: {outcome.verdicts[0]}" for outcome in outcomes if not (outcome.equal and outcome.executed)]
    assert not wrong, "\n".join(wrong)
