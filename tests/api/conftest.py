"""What the tests of the Python surface share: a coroutine to look at, and a gate that lets no object leak."""

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
    """What collecting has made stays: the collections of `no_leaks` need not go through it, twice a test."""
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
    """Every module, report and engine that a test makes is gone after it. The traceback of a failure may hold some."""
    gc.collect()
    before = _core.live()
    yield
    request.node.funcargs.clear()  # pytest would keep the values of fixtures a little longer
    gc.collect()
    after = _core.live()
    if not request.node.stash.get(FAILED, False):
        assert {kind: count for kind, count in after.items() if count > before[kind]} == {}


@pytest.fixture(autouse=True, scope="session")
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    gc.collect()
    if not request.session.testsfailed:
        assert set(_core.live().values()) == {0}
