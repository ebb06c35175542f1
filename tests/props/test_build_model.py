"""What pycoro.build makes does what its author wrote: random programs, destroyed at each suspend, against a model in plain Python;
as they stand, by the interpreter, and lowered, by the engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest
from build_programs import Body, Built, BuiltAsync, World, bodies, expected, expected_to_the_end
from hypothesis import given, settings
from hypothesis import strategies as st

import pycoro

COUNT = int(os.environ.get("PYCORO_BUILT", "8"))
STEPS = [(count,) for count in range(5)]


def _thrown(address: int) -> int:
    raise pycoro.interpreter.Thrown(address)


def runs(built: Built, *, lowered: bool, calls: Sequence[tuple[int, ...]] = STEPS) -> list[list[int]]:
    told: list[list[int]] = []
    world = World()
    externals: dict[str, Any] = {"tell": lambda value: world.tell(value), "pick": lambda: world.pick()}

    def drive(engine: pycoro.Engine) -> None:
        nonlocal world
        for arguments in calls:
            world = World()
            engine.call("drive", *arguments)
            told.append(world.told)

    if lowered:
        report = pycoro.lower(built.module, host=True)
        with pycoro.Engine(report, externals=externals, libraries=["libstdc++.so.6"], quick=True, trusted=True) as engine:
            drive(engine)
    else:
        with pycoro.Interpreter(built.module, externals={**externals, "_Unwind_RaiseException": _thrown}) as interpreter:
            drive(interpreter)
    return told


def check(body: Body, *, lazy: bool, task: bool, retcon: bool = False) -> None:
    wanted = [expected(body, steps, lazy=lazy or task, task=task) for (steps,) in STEPS]
    built = Built(body, lazy=lazy, task=task, retcon=retcon)
    again = Built(body, lazy=lazy, task=task, retcon=retcon)
    assert str(built.module) == str(again.module)
    assert not built.module.lint(), str(built.module.lint())
    assert runs(built, lowered=False) == wanted
    assert runs(built, lowered=True) == wanted


@settings(max_examples=COUNT, deadline=None)
@given(bodies(), st.booleans())
def test_generators(body: Body, lazy: bool) -> None:
    check(body, lazy=lazy, task=False)


@settings(max_examples=COUNT, deadline=None)
@given(bodies(task=True))
def test_tasks(body: Body) -> None:
    check(body, lazy=True, task=True)


@settings(max_examples=COUNT, deadline=None)
@given(bodies())
def test_continuations(body: Body) -> None:
    check(body, lazy=False, task=False, retcon=True)


@settings(max_examples=COUNT, deadline=None)
@given(bodies(task=True, quiet=True))
def test_async_coroutines(body: Body) -> None:
    built, wanted = BuiltAsync(body), [expected_to_the_end(body)]
    assert not built.module.lint(), str(built.module.lint())
    assert runs(built, lowered=False, calls=[()]) == wanted
    assert runs(built, lowered=True, calls=[()]) == wanted


@pytest.mark.parametrize("way", ["end", "return", "break", "continue", "throw", "destroy"])
def test_each_way_out_runs_the_same_cleanups(way: str) -> None:
    """One body for each way out of two nested scopes: the cleanups run once, the last deferred first."""
    leave = {"end": (), "throw": (("throw", 1),), "destroy": (("yield", 7),)}.get(way, ((way,),))
    inner = (("defer", 2), ("yield", 5), ("defer", 3), *leave)
    body = (("defer", 1), ("loop", 1, (("scope", inner),)))
    check(body, lazy=True, task=False)
    told = expected(body, 2, lazy=True, task=False)
    assert [value for value in told if value in (1, 2, 3)] == [3, 2, 1]
