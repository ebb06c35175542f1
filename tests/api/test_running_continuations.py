"""Running frames of coroutines without handles: returned continuations, yield-once, async; compiled and interpreted."""

from __future__ import annotations

import ctypes
import pickle
from typing import Any

import pytest
from async_program import PASSES, Executor, chain
from test_continuation import INTRINSICS, MODIFY, SUMS, Memory

import pycoro
from pycoro.oracle import for_host

MACHINES = ["engine", "interpreter"]

# Two suspends with different live values, which the continuation tells apart.
PAIR = """
define { ptr, i32, i64 } @pair(i32 %start, ptr %buffer) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 SIZE, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  %square = mul i32 %start, %start
  %kept = sdiv i32 %start, 3
  %first = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s(i32 %start, i64 0)
  %plus = extractvalue { i32, i1 } %first, 0
  %second = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s(i32 %kept, i64 1)
  %times = extractvalue { i32, i1 } %second, 0
  %sum = add i32 %plus, %times
  %third = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s(i32 %sum, i64 2)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
"""


def made(how: str, size: int, memory: Memory) -> Any:
    ir = INTRINSICS + (SUMS + PAIR).replace("SIZE", str(size)) + MODIFY
    externals = {"allocate": memory.allocate, "deallocate": memory.deallocate}
    if how == "interpreter":
        return pycoro.Interpreter(ir, externals=externals)
    return pycoro.Engine(pycoro.lower(ir, host=True), externals=externals)


def values(frame: pycoro.RunningFrame) -> dict[str, Any]:
    return {item.name: item.value for item in frame.live}


@pytest.mark.parametrize("how", MACHINES)
@pytest.mark.parametrize("size", [32, 8], ids=["in the buffer", "on the heap"])
def test_live_fields_have_values(how, size):
    memory = Memory()
    running = made(how, size, memory).start_retcon("sums", 100)
    assert values(running.frame) == {"%sum": 100, "%count": 0}
    assert running.frame["sum"].changed is None
    running.resume(5, False)
    assert values(running.frame) == {"%sum": 105, "%count": 1}
    assert {item.name for item in running.frame.changed} == {"%sum", "%count"}
    running.set("%sum", 1000)
    assert running.frame["sum"].value == 1000
    running.resume(1, False)
    assert running.yielded == (1001, 2)
    running.resume(0, True)
    for use in (lambda: running.frame, lambda: running.suspend, lambda: running.set("sum", 1)):
        with pytest.raises(pycoro.LifecycleError, match="@sums has ended, and its frame is freed"):
            use()
    assert not memory.live


@pytest.mark.parametrize("how", MACHINES)
def test_the_continuation_identifies_the_suspend(how):
    running = made(how, 32, Memory()).start_retcon("pair", 9)
    seen = [(running.suspend.name, values(running.frame))]
    for given in (4, 5):
        running.resume(given, False)
        seen.append((running.suspend.name, values(running.frame)))
    assert seen == [("%first", {"%kept": 3}), ("%second", {"%plus": 4}), ("%third", {})]
    assert " is at suspend 2, %third in %entry" in str(running.frame)
    running.resume(0, True)


@pytest.mark.parametrize("how", MACHINES)
def test_a_yield_once_coroutine(how):
    place = ctypes.c_int32(5)
    running = made(how, 32, Memory()).start_retcon("modify", place)
    assert values(running.frame) == {"%object": ctypes.addressof(place), "%copy": 5, "%old": 5}
    running.set("copy", 8)
    with pytest.raises(pycoro.UsageError, match="%object of the coroutine @modify .* holds an address"):
        running.set("object", 0)
    running.resume(False)
    assert running.results == (5, False)
    assert place.value == 8


@pytest.mark.parametrize("how", MACHINES)
def test_a_life_cycle(how):
    machine = made(how, 8, Memory())
    life = machine.trace("sums", [7], [(1, False), (2, False), (0, True), (9, False)])
    assert [stop.state for stop in life] == ["suspended", "suspended", "suspended", "ended"]
    assert [values(stop.frame) for stop in life.stops[:3]] == [
        {"%sum": 7, "%count": 0}, {"%sum": 8, "%count": 1}, {"%sum": 10, "%count": 2},
    ]  # fmt: skip
    assert str(pickle.loads(pickle.dumps(life))) == str(life)
    life.svg()
    for wrong in (None, 3, "resume"):
        with pytest.raises(pycoro.UsageError, match=r"list of tuples with the arguments of each resume \(i32, i1\)"):
            machine.trace("sums", [7], wrong)


def test_a_running_coroutine_s_frame_is_unavailable():
    seen: list[str] = []

    class Looking(Memory):
        def deallocate(self, address: int) -> None:
            with pytest.raises(pycoro.LifecycleError, match="is running") as error:
                running.frame  # noqa: B018
            seen.append(str(error.value))
            super().deallocate(address)

    running = made("engine", 8, Looking()).start_retcon("sums", 1)
    running.resume(0, True)
    assert len(seen) == 1


def test_a_frame_without_a_known_layout_is_an_error():
    memory = Memory()
    externals = {"allocate": memory.allocate, "deallocate": memory.deallocate}
    report = pycoro.lower(INTRINSICS + SUMS.replace("SIZE", "32"), host=True)
    told, untold = pycoro.Engine(report, externals=externals), pycoro.Engine(report.module, externals=externals)
    running = told.start_retcon("sums", 1)
    with pytest.raises(pycoro.LifecycleError, match="no coroutine of this engine resumes at"):
        untold.frame_of(running._address, running.buffer)
    ((address, name),) = untold._continuations._unreported.items()
    assert name == "sums.resume.0"
    with pytest.raises(pycoro.UsageError, match="add the report of its lowering to the engine"):
        untold.frame_of(address, running.buffer)
    with pytest.raises(pycoro.LifecycleError, match="the memory is not mapped"):
        told.frame_of(running._address, 64)
    with pytest.raises(TypeError):
        told.frame_of("sums", running.buffer)
    told.close()
    with pytest.raises(pycoro.ClosedError):
        running.frame  # noqa: B018


# ---- Async ----


def test_a_suspended_async_coroutine():
    seen: list[dict[str, Any]] = []
    queue: list[tuple[int, int]] = []

    def enqueue(continuation: int, context: int) -> None:
        seen.append(values(executor.engine.frame_of(continuation, context)))
        queue.append((continuation, context))

    executor = Executor(chain(1), lambda ir: pycoro.lower(ir, PASSES), {"enqueue": enqueue})
    context = executor.enter("f1", 4)
    while queue:
        executor.engine.call("run", *queue.pop(0))
    executor.dealloc(context)
    assert executor.results == [6]
    assert [(found["%i"], found["%sum"], found["%n"]) for found in seen] == [(0, 0, 4), (1, 0, 4), (2, 1, 4), (3, 3, 4)]
    with pytest.raises(pycoro.UsageError, match=r"@f1 is async, so a client cannot resume it.*Engine\.frame_of"):
        executor.engine.trace("f1", [context])


def test_an_interpreted_async_coroutine():
    seen: list[dict[str, Any]] = []
    queue: list[tuple[int, int]] = []
    kept: list[Any] = []

    def alloc(size: int) -> Any:
        kept.append((ctypes.c_int64 * (size // 8 + 1))())
        return kept[-1]

    def enqueue(continuation: int, context: int) -> None:
        seen.append(values(machine.frame_of(continuation, context)))
        queue.append((continuation, context))

    results: list[int] = []
    own = {"task_alloc": alloc, "task_dealloc": lambda _: None, "enqueue": enqueue, "finished": results.append}
    machine = pycoro.Interpreter(for_host(chain(1)), externals=own)
    context = alloc(24)
    context[1], context[2] = machine.address("root"), 4
    machine.call("run", machine.address("f1"), context)
    while queue:
        machine.call("run", *queue.pop(0))
    assert results == [6]
    assert [(found["%i"], found["%sum"], found["%n"]) for found in seen] == [(0, 0, 4), (1, 0, 4), (2, 1, 4), (3, 3, 4)]
    with pytest.raises(pycoro.LifecycleError, match="there is no frame of a coroutine"):
        machine.frame_of(0, 64)
    with pytest.raises(pycoro.UsageError, match="@f1 is async"):
        machine.trace("f1", [context])
