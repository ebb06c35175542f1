"""pytest fixtures for tests of coroutine lowering. pytest loads them where pycoro is installed.

``coro_module`` creates modules and closes them after the test, ``coro_proved`` proves lowerings, ``oracle`` compares them by
running them, and ``coro_no_leaks`` fails a test that leaks modules, reports, engines or the memory of a run.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pycoro import Module
    from pycoro.module import Source
    from pycoro.oracle import Oracle, Run

__all__ = ["coro_module", "coro_no_leaks", "coro_proved", "oracle"]


@pytest.fixture
def coro_module() -> Iterator[Callable[..., Module]]:
    """Callable that creates a `Module` from text, bytes or a path; all are closed after the test.

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

    created: weakref.WeakSet[Module] = weakref.WeakSet()  # weak, to free modules that the test drops

    def make(source: Source, **options: Any) -> Module:
        module = Module(source, **options)
        created.add(module)
        return module

    yield make
    for module in list(created):
        module.close()


@pytest.fixture
def coro_proved() -> Callable[..., Module]:
    """Callable that lowers a source of `Module` by passes, and fails the test unless the checker proves each coroutine that the
    passes split. It returns the lowered module.

    >>> import pathlib, subprocess, sys
    >>> test = '''import pycoro
    ... def test_proved(coro_proved):
    ...     assert "counter.resume" in coro_proved(pycoro.examples.COUNTER).functions
    ... '''
    >>> written = pathlib.Path("test_proved.py").write_text(test)
    >>> subprocess.run([sys.executable, "-m", "pytest", "-q", "test_proved.py"], stdout=subprocess.DEVNULL).returncode
    0
    """
    import pycoro
    from pycoro.pipeline import DEFAULT

    def prove(source: Source, passes: Any = DEFAULT) -> Module:
        report = pycoro.lower(source, passes, check=True)  # raises InternalError for a refuted lowering
        left = {name: answer for name, answer in report.proof.items() if answer != "proved"}
        _require(not left, f"the checker of lowerings has no proof: {left}")
        _require(bool(report.proof), "the passes split no coroutine, so that nothing is proved; add coro-split")
        return report.module

    return prove


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    """`Oracle` shared by all tests of the session.

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
    """Checks that every module, report and engine of the test is freed. Call it with a `Run` of the oracle to check that the run
    freed each allocation once and wrote nowhere else.

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

    def check_run(run: Run) -> None:
        _require(run.how == "finished", f"the run did not finish: {run}")
        _require(not run.faults, f"the run accessed memory outside its allocations: {run}")
        _require(run.events[-1:] == (("left",),), f"the run leaked memory: {run}")

    yield check_run
    gc.collect()
    left = {name: count - before.get(name, 0) for name, count in _core.live().items() if count > before.get(name, 0)}
    _require(not left, f"the test leaked: {', '.join(f'{count} {name}' for name, count in left.items())}")


def _require(condition: bool, message: str) -> None:
    """Assert a condition, even under ``python -O``."""
    if not condition:
        raise AssertionError(message)
