"""The checker of lowerings from Python, the command line, the fuzzer and pytest."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pycoro
from pycoro import fuzz, oracle

PLAIN = fuzz.PIPELINES["plain"]


class SpillsAll(pycoro.SwitchABI):
    """Rematerializes nothing."""

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        return False

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


class Spy:
    """The engine's module, which records whether a run is checked."""

    def __init__(self, core: Any) -> None:
        self.core, self.checks = core, list[bool]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.core, name)

    def run(self, *args: Any, **options: Any) -> Any:
        self.checks.append(options["check"])
        return self.core.run(*args, **options)


@pytest.mark.parametrize(("options", "checked"), [({}, True), ({"check": True}, True), ({"check": False}, False)])
def test_own_abis_are_checked_by_default(options: dict[str, bool], checked: bool) -> None:
    module = pycoro.Module(pycoro.examples.COUNTER)
    module._core = spy = Spy(module._core)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[SpillsAll()])), **options)
    assert spy.checks == [checked]
    assert not report.warnings
    assert report.proof == ({"counter": "proved"} if options.get("check") else {})


class Noted(pycoro.SwitchABI):
    """Hooks of which some decide by a branch whether they are executed."""

    hook_module = """
    @abi.header = global { i32, ptr } { i32 7, ptr null }
    declare void @noted(ptr, i32)
    define void @abi.begin(ptr %frame, ptr %header, ptr %name) {
      call void @noted(ptr %name, i32 0)
      ret void
    }
    define void @abi.save(ptr %frame, i32 %index) {
      %first = icmp eq i32 %index, 0
      br i1 %first, label %out, label %note
    note:
      call void @noted(ptr %frame, i32 %index)
      ret void
    out:
      ret void
    }
    define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed) {
      call void @noted(ptr %frame, i32 %index)
      ret void
    }
    define void @abi.end(ptr %frame, i32 %part) {
      call void @noted(ptr %frame, i32 %part)
      ret void
    }
    """

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


class Dispatched(pycoro.SwitchABI):
    """Stores the index of the suspend by its hooks."""

    hook_module = """
    declare void @noted(ptr, i32)
    declare i32 @told(ptr)
    define void @abi.save(ptr %frame, i32 %index) {
      call void @noted(ptr %frame, i32 %index)
      ret void
    }
    define i32 @abi.dispatch(ptr %frame) {
      %index = call i32 @told(ptr %frame)
      ret i32 %index
    }
    """

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


class Typed(pycoro.SwitchABI):
    """Clones with a result and a parameter."""

    hook_module = """
    declare i64 @abi.clone.go(ptr, i32)
    define i64 @abi.suspend(ptr %frame, i32 %index) {
      %number = zext i32 %index to i64
      ret i64 %number
    }
    define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header, i32 %given) {
      ret void
    }
    define i64 @abi.end(ptr %frame) {
      ret i64 -1
    }
    """

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


class ForEachSuspend(Noted):
    """A clone for each suspend."""

    resume_functions = "suspend"


class Allocating(pycoro.RetconABI):
    """Allocates the frames that the buffer has no room for."""

    hook_module = """
    declare ptr @malloc(i64)
    declare void @free(ptr)
    define ptr @abi.alloc(i64 %size, i64 %align) {
      %memory = call ptr @malloc(i64 %size)
      ret ptr %memory
    }
    define void @abi.free(ptr %memory) {
      call void @free(ptr %memory)
      ret void
    }
    """

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


@pytest.mark.parametrize("abi", [Noted(), Dispatched(), Typed(), ForEachSuspend()])
def test_hooks_are_proved(abi: pycoro.ABI) -> None:
    module = pycoro.Module(pycoro.examples.COUNTER)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[abi])), check=True)
    assert report.proof == {"counter": "proved"}


def test_allocating_hooks_of_continuations_are_proved() -> None:
    module = pycoro.Module((Path(__file__).parents[1] / "ir" / "retcon" / "generator-allocated.ll").read_text())
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Allocating()])), check=True)
    assert set(report.proof.values()) == {"proved"}


def test_llvm_abis_are_not_checked_by_default() -> None:
    module = pycoro.Module(pycoro.examples.COUNTER)
    module._core = spy = Spy(module._core)
    module.run(PLAIN)
    assert spy.checks == [False]


def test_verify_each_and_check_lowering(tmp_path: Path) -> None:
    source = tmp_path / "counter.ll"
    source.write_text(pycoro.examples.COUNTER)
    command = [sys.executable, "-m", "pycoro", "opt", f"-passes={PLAIN}", "-check-lowering", "-verify-each", "-S", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "@counter.resume" in done.stdout


def test_shard_by_the_checker() -> None:
    shard = fuzz.Shard(0, first=0, count=4, seed=5, profile="small", passes=PLAIN)
    result = fuzz.prove_shard(shard)
    assert (result.programs, result.failures) == (4, [])
    assert result.endings["coroutines proved"] > 0
    assert set(result.seconds) == {"drawing", "proving"}


@pytest.mark.parametrize("profile", ["small", "all", "callers", "lives"])
def test_variants_are_valid_and_proved(profile: str) -> None:
    shard = fuzz.Shard(0, first=0, count=48, seed=5, profile=profile, passes=PLAIN, variants=16)
    result = fuzz.prove_shard(shard)
    assert (result.programs, result.failures) == (48, [])
    assert result.endings["coroutines proved"] > 0.95 * result.coroutines


def test_variants_differ_and_are_reproducible() -> None:
    variants = fuzz.Variants(fuzz.draw(3, "small").cases[0].ir)
    made = [variants.make(random.Random(number)) for number in (*range(20), 0)]
    assert len(set(made)) > 15
    assert made[0] == made[-1]
    assert "@drive" not in made[0]


def test_fuzz_command_with_the_checker() -> None:
    command = [sys.executable, "-m", "pycoro", "fuzz", "--judge", "checker", "--count", "6", "--workers", "0", "--profile", "small"]
    done = subprocess.run([*command, "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "coroutines proved" in done.stdout
    assert subprocess.run([*command, "--abis"], capture_output=True).returncode == 2
    assert subprocess.run([sys.executable, "-m", "pycoro", "fuzz", "--variants", "2"], capture_output=True).returncode == 2


def failure_of_checker(ir: str, difference: str) -> fuzz.Failure:
    case = oracle.Case(ir, (("resume", "destroy"),), "counter", (3, 6))
    return fuzz.Failure(case, difference, "refuted: N", PLAIN, "checker", "small", (), blame="ours")


def test_report_of_a_refuted_lowering() -> None:
    failure = failure_of_checker(pycoro.examples.COUNTER, "@counter: another value")
    results = fuzz.Results({0: fuzz.ShardResult(0, programs=1, runs=1, judged=1, failures=[failure])})
    report = fuzz.CampaignReport(fuzz.Settings(fuzz.Budget(1), pipelines=(PLAIN,)), ["pycoro"], results)
    assert not report.ok
    assert "1. refuted: N (1 times; by the checker of lowerings)" in report.lines()
    assert [(item["reference"], item["abi"]) for item in report.to_dict()["differences"]] == [("checker", "")]


@pytest.mark.parametrize(("ir", "now"), [(pycoro.examples.COUNTER, ""), ("not IR", "expected top-level entity")])
def test_failures_of_the_checker_are_proved_again(tmp_path: Path, ir: str, now: str) -> None:
    path = fuzz.Database(tmp_path).add(failure_of_checker(ir, "@counter: another value"))
    with oracle.Oracle() as compared:
        [(replayed, was, found)] = fuzz.Database(tmp_path).replay(compared)
    assert (replayed, was) == (path, "@counter: another value")
    assert now in found if now else not found


def test_reproducers_of_the_checker_can_be_run(tmp_path: Path) -> None:
    path = fuzz.Database(tmp_path).add(failure_of_checker(pycoro.examples.COUNTER, "@counter: another value"))
    case, how = oracle.read_reproducer(path)
    with oracle.Oracle() as compared:
        assert not compared.compare_cases([case], **how)[0].verdicts[0].difference


UNSUPPORTED = [
    # a block in a pad and outside of pads, of which no call names a pad
    ("check/heap-in-pad", "@shared", "  call void @free(ptr %block)\n", "", "a call by the lowering in a block of several pads"),
    # such a call may not be executed
    (
        "check/heap-in-pad",
        "@shared",
        "cleanup:\n",
        "cleanup:\n  store volatile i32 0, ptr null\n",
        "a call by the lowering in a block of several pads",
    ),
    # the address before llvm.coro.begin is used, too
    (
        "check/chosen-before-begin",
        "@frozen",
        "  %id =",
        "  store i32 1, ptr %p\n  %id =",
        "a freeze that may choose several values",
    ),
    # what unwinds to a pad of the lowering is no marker
    (
        "switch/pad-left-by-others",
        "@f",
        'invoke void @llvm.seh.scope.end() [ "funclet"(token %pad)',
        'invoke void @work(ptr %promise) [ "funclet"(token %pad)',
        "an exit of a pad by the lowering",
    ),
]


@pytest.mark.parametrize(("file", "function", "old", "new", "construct"), UNSUPPORTED)
def test_near_relatives_of_what_is_proved(file: str, function: str, old: str, new: str, construct: str) -> None:
    text = Path(__file__).parents[1].joinpath("ir", f"{file}.ll").read_text()
    start = text.index(f"define ptr {function}(")
    assert not fuzz.prove(text, PLAIN).unsupported
    changed = text[:start] + text[start:].replace(old, new, 1)
    assert fuzz.prove(changed, PLAIN).unsupported == {construct: 1}


def test_a_module_that_is_not_lowered() -> None:
    proof = fuzz.prove("not IR", PLAIN)
    assert proof.failed
    assert not proof.refuted


def test_fixture_proves(coro_proved) -> None:
    assert "counter.resume" in coro_proved(pycoro.examples.COUNTER).functions


def test_fixture_needs_a_split(coro_proved) -> None:
    with pytest.raises(AssertionError, match="add coro-split"):
        coro_proved(pycoro.examples.COUNTER, "coro-early")
