"""Out of memory: for every n, the n-th allocation of Python fails in each method of the core."""

from __future__ import annotations

import gc

import pytest
from samples import COUNTER

from pycoro import _core, errors

testcapi = pytest.importorskip("_testcapi", reason="this Python comes without its own test hooks")

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def everything() -> None:
    module = _core.Module(COUNTER.encode())
    module.clone().functions()
    report, _ = module.explain()
    report.coroutines()
    report, _ = module.run(PASSES)
    report.coroutines(), report.steps(), report.remarks()
    module.text(), module.bitcode(), module.verify()
    _core.pipeline_check(PASSES)
    try:
        _core.pipeline_check("nothing")
    except errors.PipelineError as error:
        assert error.diagnostics
    engine = _core.Engine()
    for name in engine.missing(module):
        engine.define(name, 4096)
    engine.add(module)
    engine.lookup("counter")
    engine.close()
    module.close()


def fail_allocation(n: int) -> bool:
    """Return whether there was an n-th allocation."""
    try:
        testcapi.set_nomemory(n, n + 1)
        everything()
    except MemoryError:
        return True
    finally:
        testcapi.remove_mem_hooks()
    return False


def test_every_failed_python_allocation_raises_memory_error() -> None:
    everything()
    failed = [n for n in range(1, 1500) if fail_allocation(n)]
    assert len(failed) > 200
    assert failed[-1] < 1400, "there are more allocations than were tried"
    gc.collect()
    assert set(_core.live().values()) == {0}
