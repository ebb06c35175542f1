"""Fixtures of the API tests: a sample coroutine, and a check that no object leaks."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator

import pytest
from samples import COUNTER

import pycoro
from pycoro import _core

FAILED = pytest.StashKey[bool]()


@pytest.fixture
def counter() -> str:
    return COUNTER


@pytest.fixture
def module(counter: str) -> Iterator[pycoro.Module]:
    with pycoro.Module(counter, name="counter.ll") as module:
        yield module


def pytest_collection_finish() -> None:
    """Freeze the objects that collection made, so that the `gc.collect()` calls of `no_leaks` skip them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that every module, report and engine of a test is freed after it. A failing test's traceback may hold some."""
    gc.collect()
    before = _core.live()
    yield
    request.node.funcargs.clear()  # pytest would keep the values of fixtures longer
    gc.collect()
    after = _core.live()
    if not request.session.testsfailed:  # otherwise a traceback may hold modules
        gc.freeze()  # the next collections do not visit what is left, such as the modules that the test imported
    if not request.node.stash.get(FAILED, False):
        assert {kind: count for kind, count in after.items() if count > before[kind]} == {}


@pytest.fixture(autouse=True, scope="session")
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.collect()
    if not request.session.testsfailed:
        assert set(_core.live().values()) == {0}
