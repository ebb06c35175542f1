"""Random runs that fail: a module, a pipeline, and a failure at some point."""

from __future__ import annotations

import functools
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pycoro
from pycoro import strategies
from pycoro.pipeline import abi_arguments_of, call_with_python_passes, escaped_pass_string

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("api", "real")]
import coroharness as harness  # noqa: E402
from samples import COUNTER, join_modules  # noqa: E402

INPUTS = [path.read_text() for path in sorted((HERE / "inputs").glob("*.ll"))]
SUSPEND = "@llvm.coro.suspend(token none, i1 false)"
LEVELS = ("O0", "O1", "O2", "O3", "Os", "Oz")

Item = str | pycoro.Pass
Run = Callable[[pycoro.Module], object]


class Stopped(Exception):
    """Raised by callbacks and signal handlers of these tests."""


# ---- Modules ----


def counters(count: int, broken: int | None = None) -> str:
    """Return that many coroutines that call each other; one may be malformed."""
    parts = [COUNTER.replace("@counter", f"@c{i}") for i in range(count)]
    calls = [part.replace("%next = add", f"call ptr @c{i - 1}(i32 %i)\n  %next = add") for i, part in enumerate(parts)]
    text = [parts[0], *calls[1:]]
    if broken is not None:
        text[broken] = text[broken].replace(SUSPEND, SUSPEND.replace("false", "%wanted"))
    return join_modules(*text)


@functools.cache
def compiled(source: Path, level: str) -> str:
    """Return a program of tests/real after clang's front end."""
    with tempfile.TemporaryDirectory() as folder:
        return harness.emit_ir(source, Path(folder, "presplit.ll"), level).read_text()


@functools.cache
def compiled_with_a_malformed_one(source: Path, level: str) -> str:
    return str(pycoro.link([compiled(source, level), counters(2, 1)]))


def random_program(r: random.Random) -> tuple[Path, str]:
    """Draw from few programs: clang takes longer than a run."""
    return r.choice([source for program in harness.programs() for source in harness.sources(program)][::3]), r.choice(
        harness.LEVELS
    )


TEXTS: dict[str, Callable[[random.Random], str]] = {
    "inputs": lambda r: r.choice(INPUTS),
    "drawn": lambda r: strategies.module([strategies.sample(r.randrange(10**6))]),
    "counters": lambda r: counters(r.randrange(2, 9)),
    "real": lambda r: compiled(*random_program(r)),
}
"""Sources of modules."""
REAL = not harness.missing_tools()


def text_of(r: random.Random) -> tuple[str, str]:
    kinds = ["inputs", "drawn"] * 4 + ["counters"] + ["real"] * REAL
    kind = r.choice(kinds)
    return kind, TEXTS[kind](r)


# ---- Pipelines ----


class Looks(pycoro.FunctionPass):
    """A custom pass that changes nothing."""

    def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
        assert function.name in module.functions


def split_of(r: random.Random, own: Sequence[pycoro.abi.ABI] = ()) -> pycoro.CoroSplit:
    drawn = strategies.sample_abi(r.randrange(10**6)).abis if r.random() < 0.3 else ()
    return pycoro.CoroSplit(reuse_storage=r.random() < 0.5, abis=tuple(own) or drawn)


def items_of(r: random.Random, split: pycoro.CoroSplit) -> list[Item]:
    """Return the passes of a complete lowering, with all of pycoro's passes and some of LLVM's."""
    simplify = "function(sroa,early-cse,simplifycfg)"
    ways: list[list[Item]] = [
        ["coro-early", split, "coro-cleanup"],
        ["coro-early", pycoro.CGSCC(split, pycoro.CoroAnnotationElide()), "function(coro-elide)", "coro-cleanup"],
        ["coro-early", simplify, pycoro.CGSCC("inline", split), "function(instcombine,coro-elide)", "coro-cleanup", "globaldce"],
        ["coro-early", simplify, split, "coro-cleanup", "cgscc(inline)", simplify],
    ]
    if not split.abis and r.random() < 0.25:
        return [f"default<{r.choice(LEVELS)}>"]
    items = r.choice(ways)
    if r.random() < 0.25:
        items.insert(r.randrange(len(items) + 1), Looks())
    return items


# ---- Failures ----


@dataclass(frozen=True)
class Trial:
    """A run that may fail, and one without the cause of failure."""

    text: str
    source: str
    """Origin of the text."""
    run: Run
    again: Run


def after(times: int) -> Callable[[], None]:
    """Return a callback that raises after that many calls."""

    def call() -> None:
        nonlocal times
        times -= 1
        if times < 0:
            raise Stopped

    return call


def allocating(module: pycoro.Module, pipeline: pycoro.Pipeline, n: int) -> None:
    """Run the pipeline; the engine's n-th allocation fails."""

    def run(callers: Any) -> object:
        hooks = module._python_pass_callbacks(callers, pipeline)
        return module._core.run(
            escaped_pass_string(str(pipeline)), fail_allocation=n, abis=abi_arguments_of(pipeline), callers=hooks
        )

    call_with_python_passes(pipeline, run)


def memory(r: random.Random) -> Trial:
    source, text = text_of(r)
    pipeline = pycoro.Pipeline(*items_of(r, split_of(r)))
    n = int(10 ** r.uniform(0, 3.5))
    return Trial(text, source, lambda module: allocating(module, pipeline, n), pipeline.run)


def callback(r: random.Random) -> Trial:
    source, text = text_of(r)
    pipeline = pycoro.Pipeline(*items_of(r, split_of(r)))
    stop = after(int(10 ** r.uniform(0, 1.5)) - 1)
    return Trial(text, source, lambda module: pipeline.run(module, after_pass=lambda *_: stop()), pipeline.run)


def random_changes(r: random.Random) -> Run:
    """Return the changes that a custom pass makes before it fails."""
    return r.choice(
        [
            lambda module: module.replace(COUNTER, trusted=True),
            lambda module: module.run("coro-early,coro-split"),
            lambda module: pycoro.ir.Builder(module).declare("spoilt", "void ()"),
            lambda module: None,
        ]
    )


def random_failing_pass(r: random.Random, fail: Callable[[pycoro.Module], object]) -> pycoro.Pass:
    """Return a custom pass of any kind that makes these changes."""

    class OnModule(pycoro.ModulePass):
        def run(self, module: pycoro.Module) -> None:
            fail(module)

    class OnFunction(pycoro.FunctionPass):
        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            fail(module)

    class OnCoroutine(pycoro.CoroutinePass):
        def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
            assert coroutine.frame.size >= 0
            fail(module)

    return r.choice([OnModule, OnFunction, OnCoroutine])()


def pipeline_with_failing_pass(r: random.Random, fail: Callable[[pycoro.Module], object]) -> tuple[Run, Run]:
    """Return a pipeline with a failing pass at a random place, and without it."""
    items = items_of(r, split_of(r))
    failing = list(items)
    failing.insert(r.randrange(len(items) + 1), random_failing_pass(r, fail))
    return pycoro.Pipeline(*failing).run, pycoro.Pipeline(*items).run


def own_pass(r: random.Random) -> Trial:
    source, text = text_of(r)
    stop, first = after(r.randrange(3)), random_changes(r)

    def fail(module: pycoro.Module) -> None:
        try:
            stop()
        except Stopped:
            first(module)
            raise

    return Trial(text, source, *pipeline_with_failing_pass(r, fail))


def broken_by_own_pass(r: random.Random) -> Trial:
    """The custom pass leaves a module that does not verify."""
    source, text = text_of(r)

    def leave_open(module: pycoro.Module) -> None:
        bodies = [function for function in module.functions.values() if not function.is_declaration]
        pycoro.ir.Builder(module).add_block("open", function=bodies[-1])  # without a terminator

    return Trial(text, source, *pipeline_with_failing_pass(r, leave_open))


METHODS = ("select", "check", "keep_in_frame", "rematerialize", "order", "check_frame")


def abi_method(r: random.Random) -> Trial:
    """An ABI's method raises, or rejects the coroutine."""
    source, text = text_of(r)
    refuses, method, count = r.random() < 0.3, r.choice(METHODS), r.randrange(4)
    stop = after(count)

    def members(fails: bool) -> dict[str, Any]:
        answers: dict[str, Callable[..., Any]] = {
            "select": lambda self, coroutine: True,
            "check": lambda self, coroutine: None,
            "keep_in_frame": lambda self, value: None,
            "rematerialize": lambda self, value, default: default,
            "order": lambda self, fields: fields,
            "check_frame": lambda self, frame: None,
        }

        def failing(self: pycoro.abi.ABI, *about: Any) -> Any:
            try:
                stop()
            except Stopped:
                if refuses and method in ("check", "check_frame"):
                    self.reject("this one is not wanted")
                raise
            return answers[method](self, *about)

        return {**answers, method: failing} if fails else answers

    def pipeline(fails: bool, drawn: random.Random) -> pycoro.Pipeline:
        kinds: list[Any] = [pycoro.SwitchABI, pycoro.RetconABI, pycoro.AsyncABI]
        abis = [type("Own", (kind,), members(fails))() for kind in kinds]
        return pycoro.Pipeline(*items_of(drawn, split_of(drawn, abis)))

    seed = r.random()
    return Trial(text, source, pipeline(True, random.Random(seed)).run, pipeline(False, random.Random(seed)).run)


def rejection(r: random.Random) -> Trial:
    """A coroutine is rejected, usually the last that is visited."""
    kind = r.choice(["drawn"] * 6 + ["counters"] * 3 + ["real"] * REAL)
    if kind == "drawn":
        abi = r.choice(list(strategies.broken.RULES_OF))
        program = strategies.sample(r.randrange(10**6), strategies.ALL.but(abis=(abi,), built=0))
        text = strategies.broken.Malformed(program, r.choice(list(strategies.broken.RULES_OF[abi]))).text()
    elif kind == "counters":
        count = r.randrange(1, 9)
        text = counters(count, r.choice([count - 1, r.randrange(count)]))
    else:
        text = compiled_with_a_malformed_one(*random_program(r))
    return Trial(text, kind, pycoro.Pipeline(*items_of(r, split_of(r))).run, lambda m: m.run("function(instcombine),globaldce"))


def late_rejection(r: random.Random) -> Trial:
    """A valid module is lowered; then a pass replaces it by a malformed one, which a second split rejects."""
    source, text = text_of(r)
    items = items_of(r, split_of(r))

    def put(module: pycoro.Module) -> None:
        module.replace(counters(3, 2), trusted=True)

    return Trial(text, source, pycoro.Pipeline(*items, put, pycoro.CoroSplit()).run, pycoro.Pipeline(*items).run)


@contextmanager
def alarm(seconds: float) -> Generator[None, None, None]:
    armed = True

    def stop(*_: object) -> None:
        if armed:
            raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


MANY = counters(60)


def interruption(r: random.Random) -> Trial:
    """A signal handler raises at a random time of the run."""
    source, text = ("real", compiled(*random_program(r))) if REAL and r.random() < 0.3 else ("counters", MANY)
    pipeline = pycoro.Pipeline(*items_of(r, split_of(r)))
    with pycoro.Module(text, trusted=True) as module:
        start = time.monotonic()
        pipeline.run(module)
        share = r.random() * (time.monotonic() - start)

    def until_signalled(module: pycoro.Module) -> None:
        generation = module.generation
        try:
            with alarm(max(share, 1e-5)):
                pipeline.run(module)
        except Stopped:
            if module.generation == generation:
                raise  # otherwise the signal came after the run

    return Trial(text, source, until_signalled, pipeline.run)


WAYS: dict[Callable[[random.Random], Trial], int] = {
    memory: 30,
    callback: 15,
    own_pass: 15,
    broken_by_own_pass: 8,
    abi_method: 15,
    rejection: 20,
    late_rejection: 8,
    interruption: 3,
}
"""Weights: waiting for a signal takes time."""
