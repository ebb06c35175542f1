"""A failed run leaves the module unchanged to the byte, for any failure, point of failure and state of the module; later runs
act as on a fresh module.

``PYCORO_FAILURES=10000 pytest tests/props/test_failures.py`` draws more runs.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable

import pytest
from failing import REAL, TEXTS, WAYS, Run, Stopped, Trial, allocating, counters

import pycoro

FAILURES = int(os.environ.get("PYCORO_FAILURES", "200"))
SEED = os.environ.get("PYCORO_SEED", "0")

# ---- States of a module ----


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
    module.run("function(simplifycfg)")
    return module


STATES = [read, read_as_bitcode, seen_into, of_types, changed]
Content = tuple[str, bytes]


def content(module: pycoro.Module) -> Content:
    return str(module), module.bitcode()


def outcome(module: pycoro.Module, run: Run) -> tuple[str, Content]:
    """Return the result of a run, or its error, and the module's state afterwards."""
    try:
        run(module)
    except pycoro.Error as error:
        return str(error), content(module)
    return "", content(module)


def check_failure(trial: Trial, state: Callable[[str], pycoro.Module]) -> bool:
    """Return whether the run fails; a failed run must leave the module unchanged and usable."""
    module = state(trial.text)
    before, generation = content(module), module.generation
    views = list(module.functions.values()) if module._functions is not None else []
    texts = [str(view) for view in views]
    try:
        trial.run(module)
    except (Stopped, MemoryError, pycoro.Error):
        pass
    else:
        return False
    assert content(module) == before
    assert module.generation == generation
    assert [str(view) for view in views] == texts
    module.verify()
    assert outcome(module, trial.again) == outcome(state(trial.text), trial.again)
    return True


def test_a_failed_run_leaves_the_module_unchanged() -> None:
    failed, tried = Counter[str](), Counter[str]()
    number = 0
    while sum(failed[way.__name__] for way in WAYS) < FAILURES:
        r = random.Random(f"{SEED}:{number}")
        way, state = r.choices(list(WAYS), list(WAYS.values()))[0], r.choice(STATES)
        tried[way.__name__] += 1
        try:
            trial = way(r)
            happened = check_failure(trial, state)
        except BaseException as error:
            error.add_note(f"way {way.__name__}, state {state.__name__}, PYCORO_SEED={SEED}, number {number}")
            raise
        failed.update([way.__name__, state.__name__, trial.source] * happened)
        number += 1
        assert number < 20 * FAILURES, f"of {number} runs too few have failed: {failed}, of {tried}"
    print(f"seed {SEED}: {FAILURES} failures of {number} runs: {dict(failed)}")
    wanted = [*(way.__name__ for way in WAYS), *(state.__name__ for state in STATES), *(TEXTS if REAL else set(TEXTS) - {"real"})]
    assert not [name for name in wanted if not failed[name]], f"{failed}, of {tried}"


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_runs_after_a_failure_give_the_same_results(state: Callable[[str], pycoro.Module]) -> None:
    pipeline = pycoro.Pipeline("coro-early", pycoro.CoroSplit(), "coro-cleanup")
    failed, other = state(counters(4)), state(counters(4))
    with pytest.raises(MemoryError):
        allocating(failed, pipeline, 60)
    failed.run(pipeline)
    other.run(pipeline)
    assert content(failed) == content(other)
