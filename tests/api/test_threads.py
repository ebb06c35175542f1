"""Tests of threads: several may use different modules in parallel, and one at a time may use a module."""

from __future__ import annotations

import pathlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType

import pytest
from samples import COUNTER, PLAIN

import pycoro

sys.path.append(str(pathlib.Path(__file__).parent.parent.parent / "bench"))
from families import diamonds

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def test_one_module_from_two_threads(module: pycoro.Module) -> None:
    inside, done = threading.Event(), threading.Event()

    def hold(*_: str) -> None:
        inside.set()
        assert done.wait(120)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(module.run, PASSES, after_pass=hold)
        assert inside.wait(120)
        for use in (module.bitcode, module.verify, module.close, module.copy, lambda: str(module)):
            with pytest.raises(pycoro.BusyError, match="in use by another thread"):
                use()
        with pytest.raises(pycoro.BusyError):
            module.run(PASSES)
        assert "in use" in repr(module)
        assert module.generation == 0 or not module.is_closed
        done.set()
        running.result(120)
    module.verify()


def test_two_modules_in_parallel() -> None:
    meet = threading.Barrier(2, timeout=120)

    def lower(_: int) -> str:
        return str(pycoro.lower(COUNTER, after_pass=lambda *_: meet.wait() and None).module)

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lower, range(2))
    assert one == other == str(pycoro.lower(COUNTER).module)


def test_many_threads_get_the_same_result() -> None:
    expected = str(pycoro.lower(COUNTER).module)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: str(pycoro.lower(COUNTER).module), range(40))) == {expected}


def test_views_are_read_by_any_thread_while_the_module_is_held(module: pycoro.Module) -> None:
    frame = module.coroutines["counter"].frame
    sizes = []

    def look(*_: str) -> None:
        with ThreadPoolExecutor(1) as pool:
            sizes.append(pool.submit(lambda: frame.size).result(120))

    module.run("coro-early", after_pass=look)
    assert sizes and sizes[0] > 0


def test_the_gil_is_released_while_llvm_reads() -> None:
    big = "".join(PLAIN.replace("@plain", f"@plain{i}") for i in range(30_000))
    interval, order = sys.getswitchinterval(), []

    def read() -> None:
        order.append("begin")
        pycoro.Module(big).close()
        order.append("end")

    thread = threading.Thread(target=read)
    sys.setswitchinterval(1000)  # no thread gets the GIL that another one does not release
    try:
        thread.start()
        while thread.is_alive():
            order.append("tick")
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert "tick" in order[order.index("begin") : order.index("end")]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals here")
def test_ctrl_c_stops_a_run(module: pycoro.Module) -> None:
    before = str(module)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def start_timer(name: str, *_: str) -> None:
        if name == "coro-early":
            signal.setitimer(signal.ITIMER_REAL, 0.05)

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            module.run("coro-early," + ",".join(["function(instcombine)"] * 100_000), after_pass=start_timer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert str(module) == before
    module.verify()


def split_interrupted(module: pycoro.Module, after: float) -> bool:
    """Lower the module, with a signal after that many seconds of processor time in coro-split. Return whether the signal
    stopped the run, or False if coro-split had ended before. A signal in coro-split that does not stop the run fails the
    test."""
    passes: list[str] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Where the engine does not check for signals, Python does at its first call after the pass.
        assert frame is not None and frame.f_code is not ended.__code__, "coro-split has ended before the signal was seen"
        raise KeyboardInterrupt

    def ended(name: str, *_: str) -> None:
        passes.append(name)
        if name == "coro-early":
            signal.setitimer(signal.ITIMER_PROF, after)
        else:
            left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            assert left > 0, f"{name} ended although a signal came {after:.3f} s after its start"

    old = signal.signal(signal.SIGPROF, interrupt)
    try:
        module.run("coro-early,cgscc(coro-split)", after_pass=ended)
    except KeyboardInterrupt:
        assert passes == ["coro-early"], "no pass has ended in the meantime"
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    return False


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals here")
@pytest.mark.parametrize("part", [0.05, 0.25, 0.4])  # the last third of the time is the verification of the result, without checks
def test_ctrl_c_stops_the_lowering_of_one_large_coroutine(part: float) -> None:
    """The signal comes during the analysis or the creation of a clone, at a fraction of the pass's time on this machine; the
    run must stop before the pass ends."""
    module = pycoro.Module(diamonds(16_000))
    before = str(module)
    times: list[float] = []
    for _ in range(2):  # the first run is slower, and so is lowering a copy, which the interrupted module is not
        pycoro.Module(before).run("coro-early,cgscc(coro-split)", after_pass=lambda *_: times.append(time.process_time()))
    after = (times[3] - times[2]) * part
    for _ in range(8):
        if split_interrupted(module, after):
            break
        module, after = pycoro.Module(before), after / 2  # the machine is faster now
    else:
        pytest.fail("no signal came before coro-split had ended")
    assert module.generation == 0 and str(module) == before
    module.verify()


def test_the_switch_interval_is_unchanged(module: pycoro.Module) -> None:
    before = sys.getswitchinterval()
    module.run(PASSES)
    assert sys.getswitchinterval() == before


def test_concurrent_use_succeeds_or_is_an_error(counter: str) -> None:
    module = pycoro.Module(counter)
    frame = module.coroutines["counter"].frame
    uses = [
        lambda: module.run("coro-early"),
        lambda: str(module),
        lambda: module.copy(),
        lambda: list(module.coroutines.items()),
        lambda: module.functions["counter"].type,
        lambda: frame.why("i"),
        lambda: repr(module),
        lambda: module.verify(),
    ]
    start = threading.Barrier(len(uses), timeout=120)

    def hammer(use: Callable[[], object]) -> int:
        answers = 0
        start.wait()
        for _ in range(100):
            try:
                use()
                answers += 1
            except (pycoro.BusyError, pycoro.StaleViewError):
                time.sleep(0.0001)
        return answers

    with ThreadPoolExecutor(len(uses)) as pool:
        assert sum(pool.map(hammer, uses)) >= 100
    module.verify()
    assert "counter" in module.coroutines
