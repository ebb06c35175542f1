"""A run that fails leaves the module byte for byte as it was: whatever fails, wherever, in whatever state the module is.

``PYCORO_FAILURES=10000 pytest tests/props/test_failures.py`` makes more of them."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import pycoro

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "api"))
from samples import COUNTER, both  # noqa: E402

FAILURES = int(os.environ.get("PYCORO_FAILURES", "1000"))
SEED = int(os.environ.get("PYCORO_SEED", "0"))
INPUTS = [path.read_text() for path in sorted((HERE / "inputs").glob("*.ll"))]
PIPELINES = [
    "coro-early,cgscc(coro-split),coro-cleanup",
    "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
    "coro-early,cgscc(coro-split,coro-annotation-elide),function(coro-elide),coro-cleanup",
    "coro-early,function(sroa,early-cse,simplifycfg),cgscc(coro-split),function(instcombine),coro-cleanup,globaldce",
    "default<O1>",
]
SUSPEND = "@llvm.coro.suspend(token none, i1 false)"


class Stopped(Exception):
    """What a callback and a handler of signals raise here."""


def counters(count: int, broken: int | None = None) -> str:
    """So many coroutines that call each other, of which one may be malformed."""
    parts = [COUNTER.replace("@counter", f"@c{i}") for i in range(count)]
    calls = [part.replace("%next = add", f"call ptr @c{i - 1}(i32 %i)\n  %next = add") for i, part in enumerate(parts)]
    text = [parts[0], *calls[1:]]
    if broken is not None:
        text[broken] = text[broken].replace(SUSPEND, SUSPEND.replace("false", "%wanted"))
    return both(*text)


# ---- The states that a module may be in ----


def read(text: str) -> pycoro.Module:
    return pycoro.Module(text, trusted=True)


def read_as_bitcode(text: str) -> pycoro.Module:
    return pycoro.Module(read(text).bitcode(), trusted=True)


def seen_into(text: str) -> pycoro.Module:
    module = read(text)
    assert module.functions
    return module


def of_types(text: str) -> pycoro.Module:
    module = read(text)
    assert module.types.i32.size == 4
    return module


def changed(text: str) -> pycoro.Module:
    module = read(text)
    module.run("coro-early,function(simplifycfg)")
    return module


STATES = [read, read_as_bitcode, seen_into, of_types, changed]

# ---- The ways in which a run may fail: each gives its text, and a run that raises if it has not come to its end before ----

Run = Callable[[pycoro.Module], object]


def at_an_allocation(r: random.Random) -> tuple[str, Run]:
    passes, n = r.choice(PIPELINES), int(10 ** r.uniform(0, 3.5))
    return r.choice(INPUTS), lambda module: module._core.run(passes, fail_allocation=n)


def in_a_callback(r: random.Random) -> tuple[str, Run]:
    passes, left = r.choice(PIPELINES), r.randrange(8)

    def stop(*_: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Stopped

    return r.choice(INPUTS), lambda module: module.run(passes, after_pass=stop)


def by_a_pass_of_ones_own(r: random.Random) -> tuple[str, Run]:
    left = r.randrange(3)

    class Spoils(pycoro.FunctionPass):
        name = "spoils"

        def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Stopped
            module.replace(COUNTER, trusted=True)

    return r.choice(INPUTS), lambda module: module.run(["coro-early", Spoils(), "cgscc(coro-split)"])


def by_rejection(r: random.Random) -> tuple[str, Run]:
    count, passes = r.randrange(1, 9), r.choice(PIPELINES)
    return counters(count, r.randrange(count)), lambda module: module.run(passes)


@contextmanager
def alarm(seconds: float) -> Generator[None, None, None]:
    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def by_a_signal(r: random.Random) -> tuple[str, Run]:
    seconds = 10 ** r.uniform(-4, -1.5)

    def until_signalled(module: pycoro.Module) -> None:
        with alarm(seconds):
            module.run(PIPELINES[0])

    return MANY, until_signalled


WAYS = [at_an_allocation] * 40 + [in_a_callback] * 20 + [by_rejection] * 20 + [by_a_pass_of_ones_own] * 10 + [by_a_signal]


MANY = counters(60)


def fails(r: random.Random, way: Callable[[random.Random], tuple[str, Run]]) -> bool:
    """Whether the run that is drawn fails; then the module is as it was, and fit to be run."""
    text, run = way(r)
    module = r.choice(STATES)(text)
    before, bitcode, generation = str(module), module.bitcode(), module.generation
    views = list(module.functions.values()) if module._functions is not None else []
    try:
        run(module)
    except (Stopped, MemoryError, pycoro.Error) as error:
        if isinstance(error, Stopped) and run.__name__ == "until_signalled" and module.generation > generation:
            return False  # the signal came when the run was over
    else:
        return False
    assert str(module) == before
    assert module.bitcode() == bitcode
    assert module.generation == generation
    assert [str(view) for view in views] == [str(view) for view in module.functions.values()][: len(views)]
    module.verify()
    module.run("function(instcombine),globaldce")  # what it holds is sound
    return True


def test_a_run_that_fails_leaves_the_module_as_it_was() -> None:
    r = random.Random(SEED)
    failed = Counter(way.__name__ for way in r.choices(WAYS, k=2 * FAILURES) if fails(r, way))
    assert failed.total() >= FAILURES and len(failed) == len(set(WAYS)), f"of {2 * FAILURES} runs have failed: {failed}"


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_what_is_run_after_a_failure_gives_what_it_gives_without_one(state: Callable[[str], pycoro.Module]) -> None:
    text = counters(4)
    failed, other = state(text), state(text)
    with pytest.raises(MemoryError):
        failed._core.run(PIPELINES[0], fail_allocation=60)
    failed.run(PIPELINES[0])
    other.run(PIPELINES[0])
    assert str(failed) == str(other) and failed.bitcode() == other.bitcode()
