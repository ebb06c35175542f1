"""Fixtures for tests of what lowers coroutines; pytest finds them where pycoro is installed.

``coro_module`` makes modules that are closed after the test, ``oracle`` compares lowerings by running them, and
``coro_no_leaks`` fails a test that leaves modules, reports or engines behind, or runs that leave memory.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pycoro import Module
    from pycoro.oracle import Oracle, Run

__all__ = ["coro_module", "coro_no_leaks", "oracle"]


@pytest.fixture
def coro_module() -> Iterator[Callable[..., Module]]:
    """A callable that makes a `Module` as the class does, of text, bytes or a path; it is closed after the test.

    >>> import pathlib, subprocess, sys
    >>> test = '''import pycoro
    ... def test_frame(coro_module):
    ...     module = coro_module(pycoro.examples.COUNTER)
    ...     assert module.coroutines["counter"].frame.size == 32
    ... '''
    >>> written = pathlib.Path("test_frame.py").write_text(test)
    >>> subprocess.run([sys.executable, "-m", "pytest", "-q", "test_frame.py"], stdout=subprocess.DEVNULL).returncode
    0
    """
    from pycoro import Module

    made: weakref.WeakSet[Module] = weakref.WeakSet()  # it must not keep what the test has dropped

    def make(source: object, **how: Any) -> Module:
        module = Module(source, **how)
        made.add(module)
        return module

    yield make
    for module in list(made):
        module.close()


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    """An `Oracle` that is kept for all tests.

    >>> import pathlib, subprocess, sys
    >>> test = '''import pycoro
    ... def test_lowering(oracle):
    ...     assert oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), reference="interpreter")
    ... '''
    >>> written = pathlib.Path("test_lowering.py").write_text(test)
    >>> subprocess.run([sys.executable, "-m", "pytest", "-q", "test_lowering.py"], stdout=subprocess.DEVNULL).returncode
    0
    """
    from pycoro.oracle import Oracle

    with Oracle() as shared:
        yield shared


@pytest.fixture
def coro_no_leaks() -> Iterator[Callable[[Run], None]]:
    """Every module, report and engine that the test makes must be gone after it; call it with a `Run` of the oracle, and
    that must have freed what it allocated, once, and written nowhere else.

    >>> import pathlib, subprocess, sys
    >>> test = '''import pycoro
    ... def test_memory(oracle, coro_no_leaks):
    ...     coro_no_leaks(oracle.run(pycoro.examples.COUNTER, ("resume", "destroy"), ramp="counter", args=(3, 6)))
    ... '''
    >>> written = pathlib.Path("test_memory.py").write_text(test)
    >>> subprocess.run([sys.executable, "-m", "pytest", "-q", "test_memory.py"], stdout=subprocess.DEVNULL).returncode
    0
    """
    from pycoro import _core

    gc.collect()
    before = _core.live()

    def check(run: Run) -> None:
        _must(run.how == "finished", f"the run did not come to its end: {run}")
        _must(not run.faults, f"a run touches memory that is not its own: {run}")
        _must(run.events[-1:] == (("left",),), f"a run leaves memory behind: {run}")

    yield check
    gc.collect()
    left = {name: count - before.get(name, 0) for name, count in _core.live().items() if count > before.get(name, 0)}
    _must(not left, f"the test leaves behind: {', '.join(f'{count} {name}' for name, count in left.items())}")


def _must(good: bool, said: str) -> None:
    """An assertion that ``python -O`` leaves in."""
    if not good:
        raise AssertionError(said)
