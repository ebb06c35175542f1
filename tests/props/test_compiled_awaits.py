"""Random coroutines of the subset that pycoro.compile supports: compiled, they behave as in Python.

They await each other, Python coroutines, futures and non-awaitables. They are driven manually (sent to, thrown into and closed),
by a small event loop that cancels some, and by asyncio. `PYCORO_COMPILED=20000 pytest tests/props/test_compiled_awaits.py` runs
that many; PYCORO_COMPILED_SEED draws others.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import compiled_awaits as awaits
import compiled_drawn as drawn
import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

COUNT = int(os.environ.get("PYCORO_COMPILED", "12"))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # coroutines that are never awaited
        yield


def test_random_coroutines_behave_as_in_python() -> None:
    seen = {"programs": 0, "lives": 0, "of more than 64 bits": 0}

    @seed(int(os.environ.get("PYCORO_COMPILED_SEED", "7")))
    @settings(max_examples=COUNT, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        awaits.programs(),
        st.lists(st.tuples(awaits.ARGUMENTS, awaits.STEPS), min_size=3, max_size=4),
        st.lists(st.tuples(awaits.TASKS, awaits.EVENTS), min_size=2, max_size=3),
    )
    def held(texts: tuple[str, str], lives: list[Any], loops: list[Any]) -> None:
        note("\n".join(texts))
        seen["programs"] += 1
        spaces = {how: awaits.loaded(texts, how) for how in ("compiled", "python", "checked")}
        ways: list[tuple[Callable[..., list[str]], list[Any]]] = [
            (awaits.trace_of_run, lives), (awaits.run_in_small_loop, loops), (awaits.run_in_asyncio, loops)
        ]  # fmt: skip
        for way, cases in ways:
            for case in cases:
                found, before = way(spaces["compiled"], *case), drawn.overflows
                assert found == way(spaces["checked"], *case), (way.__name__, case)
                seen["lives"] += 1
                if drawn.overflows > before:
                    seen["of more than 64 bits"] += 1
                else:
                    assert found == way(spaces["python"], *case), (way.__name__, case)

    held()
    print(seen)
    assert seen["programs"] >= COUNT and seen["lives"] >= 7 * COUNT
