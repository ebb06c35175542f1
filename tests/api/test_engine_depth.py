"""Engines that are reentered by their callees, reinitialized, or closed while they run."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from samples import COUNTER
from test_continuation import MEMORY, SUMS, lowered

import pycoro

AGAIN = "declare void @again(i32)\ndefine void @f(i32 %n) {\n  call void @again(i32 %n)\n  ret void\n}\n"
ENDLESS = """
import sys
from pycoro import Engine, LimitError, Module  # imported now: that is deeper than the least limit
sys.setrecursionlimit(int(sys.argv[1]))
engines = []

def again(n):
    engines[n % len(engines)].call("f", n + 1)

for _ in range(int(sys.argv[2])):
    engines.append(Engine(Module(sys.argv[3]), externals={"again": again}))
for _ in range(2):
    try:
        engines[0].call("f", 0)
    except LimitError as error:
        print("told")
"""


@pytest.mark.parametrize(("limit", "engines"), [(100, 1), (1000, 1), (10**6, 1), (10**6, 8), (10**9, 1)])
def test_unbounded_calls_are_limit_errors_at_any_recursion_limit(limit: int, engines: int) -> None:
    command = [sys.executable, "-c", ENDLESS, str(limit), str(engines), AGAIN]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "told\ntold\n"), done.stderr[-2000:]


@pytest.mark.parametrize("limit", [60, 100, 1000])
@pytest.mark.parametrize("between", [0, 30])
def test_unbounded_ramps_are_limit_errors_at_any_recursion_limit(limit: int, between: int) -> None:
    """Ramps use more Python calls than functions, and so do callables that call back into the engine."""
    text = AGAIN.replace("void @f", "ptr @f").replace("ret void", "ret ptr null")

    def again(n: int, left: int = between) -> None:
        if left:
            again(n, left - 1)
        else:
            engine["f"].start(n + 1)

    was = sys.getrecursionlimit()
    with pycoro.Engine(pycoro.Module(text), externals={"again": again}) as engine:
        deep = len(inspect.stack(0))
        try:
            sys.setrecursionlimit(limit + deep)
            with pytest.raises(pycoro.LimitError, match="call each other"):
                engine["f"].start(0)
        finally:
            sys.setrecursionlimit(was)


LATE = """
@x = global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @construct, ptr null }]
define internal void @construct() {
  store i32 5, ptr @x
  ret void
}
define i32 @read() {
  %v = load i32, ptr @x
  ret i32 %v
}
"""


def call_at_depth_limit(do: Callable[[], object]) -> None:
    """Call `do` at the depth where a call into an engine raises LimitError."""

    def again(n: int) -> None:
        try:
            engine.call("f", n + 1)
        except pycoro.LimitError:
            if not told:
                with pytest.raises(pycoro.LimitError) as caught:
                    do()
                told.append(caught.value)

    told: list[pycoro.LimitError] = []
    with pycoro.Engine(pycoro.Module(AGAIN), externals={"again": again}) as engine:
        engine.call("f", 0)
    assert told


def test_rejected_calls_have_no_effect() -> None:
    with pycoro.Engine(pycoro.Module(LATE)) as engine:
        call_at_depth_limit(lambda: engine.call("read"))
        assert engine.call("read") == 5, "the constructors have run, if only now"
    with pycoro.Engine(pycoro.lower(COUNTER), externals={"print": lambda n: None}) as engine:
        handle = engine.start(next(name for name in engine if engine[name].is_ramp), 4)
        call_at_depth_limit(handle.destroy)
        assert not handle.destroyed
        call_at_depth_limit(handle.resume)
        handle.resume()
        handle.destroy()
        assert handle.destroyed
    with pycoro.Engine(lowered(SUMS.replace("SIZE", "32")), externals=MEMORY) as engine:
        running = engine.start_retcon("sums", 10)
        call_at_depth_limit(lambda: running.resume(1, False))
        assert running.yielded == (10, 0)
        running.resume(1, False)
        assert running.yielded == (11, 1)
        running.resume(0, True)


def depth_limit(size: int) -> int:
    """Return the call depth that a thread with that stack size reaches."""
    reached: list[int] = []

    def again(n: int) -> None:
        reached.append(n)
        engine.call("f", n + 1)

    def run() -> None:
        with pytest.raises(pycoro.LimitError):
            engine.call("f", 0)

    was, limit = threading.stack_size(size), sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        with pycoro.Engine(pycoro.Module(AGAIN), externals={"again": again}) as engine:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    finally:
        threading.stack_size(was)
        sys.setrecursionlimit(limit)
    return max(reached)


def test_a_larger_stack_allows_deeper_calls() -> None:
    assert 2 < depth_limit(256 << 10) < depth_limit(1 << 20) < depth_limit(32 << 20)


def test_an_engine_cannot_be_reinitialized() -> None:
    with pycoro.Engine(pycoro.Module(AGAIN), externals={"again": lambda n: None}) as engine:
        with pytest.raises(pycoro.UsageError, match="cannot be initialized twice"):
            engine.__init__()  # type: ignore[misc]
        engine.call("f", 1)
    with pycoro.Interpreter(AGAIN, externals={"again": lambda n: None}) as interpreter:
        with pytest.raises(pycoro.UsageError, match="cannot be initialized twice"):
            interpreter.__init__(AGAIN)  # type: ignore[misc]
        interpreter.call("f", 1)


def test_an_engine_cannot_be_closed_by_its_callees() -> None:
    def again(n: int) -> None:
        with pytest.raises(pycoro.BusyError):
            engine.close()
        with pytest.raises(pycoro.BusyError), engine:
            pass
        engine.__del__()

    with pycoro.Engine(pycoro.Module(AGAIN), externals={"again": again}) as engine:
        with pytest.raises(pycoro.BusyError):
            engine.call("f", 1)
        assert not engine.is_closed
        engine.close()
        assert engine.is_closed
