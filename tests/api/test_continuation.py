"""Returned-continuation coroutines driven from Python: yields, resumption, results, memory."""

from __future__ import annotations

import ctypes
import pathlib
import threading

import pytest

import pycoro
from pycoro.oracle import for_host

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"
INTRINSICS = """
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare { i32, i1 } @llvm.coro.suspend.retcon.sl_i32i1s(...)
declare token @llvm.coro.end.results(...)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
"""

# Sums the values it is resumed with; yields the sum so far and the number of resumes.
SUMS = """
define { ptr, i32, i64 } @sums(i32 %start, ptr %buffer) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 SIZE, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %sum = phi i32 [ %start, %entry ], [ %next, %more ]
  %count = phi i64 [ 0, %entry ], [ %again, %more ]
  %given = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s(i32 %sum, i64 %count)
  %stop = extractvalue { i32, i1 } %given, 1
  br i1 %stop, label %end, label %more
more:
  %plus = extractvalue { i32, i1 } %given, 0
  %next = add i32 %sum, %plus
  %again = add i64 %count, 1
  br label %loop
end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
declare { ptr, i32, i64 } @prototype(ptr, i32, i1 zeroext)
"""

# Yields the address of a copy; the continuation writes the copy back unless it is abandoned.
MODIFY = """
define { ptr, ptr } @modify(ptr %buffer, ptr %object) {
entry:
  %copy = alloca i32
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @after, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  %old = load i32, ptr %object
  store i32 %old, ptr %copy
  %abandoned = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %copy)
  br i1 %abandoned, label %end, label %commit
commit:
  %new = load i32, ptr %copy
  store i32 %new, ptr %object
  br label %end
end:
  %results = call token (...) @llvm.coro.end.results(i32 %old, i1 %abandoned)
  call void @llvm.coro.end(ptr %frame, i1 false, token %results)
  unreachable
}
declare { i32, i1 } @after(ptr, i1 zeroext)
"""


class Memory:
    """An allocator that tracks live blocks."""

    def __init__(self) -> None:
        self.live: dict[int, object] = {}
        self.sizes: list[int] = []

    def allocate(self, size: int) -> int:
        memory = ctypes.create_string_buffer(size + 16)
        address = -(-ctypes.addressof(memory) // 16) * 16
        self.live[address] = memory
        self.sizes.append(size)
        return address

    def deallocate(self, address: int) -> None:
        del self.live[address]

    @property
    def externals(self) -> dict[str, object]:
        return {"allocate": self.allocate, "deallocate": self.deallocate}


def lowered(text: str) -> pycoro.Report:
    return pycoro.Module(for_host(text + INTRINSICS)).run(PASSES)


@pytest.mark.parametrize("size, allocations", [(8, 1), (64, 0)])
def test_a_generator_whose_frame_fits_the_buffer_or_does_not(size: int, allocations: int) -> None:
    memory = Memory()
    with pycoro.Engine(lowered(SUMS.replace("SIZE", str(size))), externals=memory.externals) as engine:
        sums = engine.start_retcon("sums", 5)
        assert (sums.yielded, sums.done, len(memory.live)) == ((5, 0), False, allocations)
        sums.resume(10, False)
        assert sums.yielded == (15, 1)
        sums.resume(-20, False)
        assert (sums.yielded, repr(sums)) == ((-5, 2), "<Continuation @sums: yields -5, 2>")
        sums.resume(0, True)
        assert (sums.yielded, sums.done, sums.results) == ((), True, None)
        with pytest.raises(pycoro.LifecycleError, match="has ended"):
            sums.resume(0, True)
    assert not memory.live and len(memory.sizes) == allocations


def test_with_abandons_unfinished_continuations() -> None:
    memory = Memory()
    engine = pycoro.Engine(lowered(SUMS.replace("SIZE", "8")), externals=memory.externals)
    with engine.start_retcon("sums", 1, abandon=(0, True)) as sums:
        sums.resume(1, False)
        assert memory.live
    assert sums.done and not memory.live
    with engine.start_retcon("sums", 1) as kept:
        pass
    assert not kept.done and memory.live
    with pytest.raises(TypeError, match="abandon is a tuple of the values to resume it with, not 3"):
        engine.start_retcon("sums", 1, abandon=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("abandoned", [False, True])
def test_an_accessor_that_yields_once(abandoned: bool) -> None:
    memory = Memory()
    with pycoro.Engine(lowered(MODIFY), externals=memory.externals) as engine:
        thing = ctypes.c_int32(20)
        access = engine.start_retcon("modify", ctypes.addressof(thing))
        (place,) = access.yielded
        ctypes.c_int32.from_address(place).value += 1
        with pytest.raises(pycoro.LifecycleError, match="has no results before its end"):
            access.results  # noqa: B018
        access.resume(abandoned)
        assert access.done and access.results == (20, abandoned)
        assert thing.value == (20 if abandoned else 21)


def test_the_shape_describes_arguments_and_results() -> None:
    sums, modify = (pycoro.Module(text + INTRINSICS) for text in (SUMS.replace("SIZE", "8"), MODIFY))
    sums.run("coro-early")
    modify.run("coro-early")
    shape = sums.coroutines["sums"].shape
    assert isinstance(shape, pycoro.RetconShape)
    assert (shape.abi, shape.once, shape.storage_size, shape.storage_align, shape.storage_argument) == ("retcon", False, 8, 8, 1)
    assert (shape.yields, shape.resumed_with, shape.results) == (("i32", "i64"), ("i32", "i1"), ())
    assert (shape.allocator, shape.deallocator, shape.prototype) == ("allocate", "deallocate", "prototype")
    assert not shape.frame_in_storage
    assert shape.resume_type == "cc 0 { ptr, i32, i64 } (ptr, i32, i1 zeroext)"
    once = modify.coroutines["modify"].shape
    assert isinstance(once, pycoro.RetconShape)
    assert (once.once, once.results, once.frame_in_storage) == (True, ("i32", "i1"), True)


def test_a_wrong_number_of_values_is_a_type_error() -> None:
    with pycoro.Engine(lowered(SUMS.replace("SIZE", "64")), externals=Memory().externals) as engine:
        with pytest.raises(TypeError):
            engine.start_retcon("sums")
        with pytest.raises(KeyError):
            engine.start_retcon("no such")
        sums = engine.start_retcon("sums", 1)
        with pytest.raises(TypeError):
            sums.resume()


# Emits the buffer at each resume; yields no values.
SHOWS = """
define ptr @shows(ptr %buffer) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @shown, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @show(ptr %buffer)
  br i1 %stop, label %end, label %loop
end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
declare ptr @shown(ptr, i1 zeroext)
declare void @show(ptr)
"""
MEMORY = {"allocate": id, "deallocate": id}


def test_a_running_continuation_cannot_be_resumed() -> None:
    told: list[str] = []

    def elsewhere() -> None:
        with pytest.raises(pycoro.LifecycleError) as caught:
            running.resume(True)
        told.append(str(caught.value))

    def show(_: int) -> None:
        assert "running" in repr(running)
        with pytest.raises(pycoro.LifecycleError, match="@shows is running; resume it after it has suspended"):
            running.resume(False)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    with pycoro.Engine(lowered(SHOWS), externals={"show": show, **MEMORY}) as engine:
        running = engine.start_retcon("shows")
        running.resume(False)
        running.resume(False)
        assert len(told) == 2 and "yields" in repr(running)
        running.resume(True)
        assert running.done and repr(running).endswith("ended>")


def test_errors_during_a_call_lose_no_continuation() -> None:
    def show(_: int) -> None:
        if raising:
            raise LookupError

    raising: list[int] = []
    with pycoro.Engine(lowered(SHOWS), externals={"show": show, **MEMORY}) as engine:
        running = engine.start_retcon("shows")
        with pytest.raises(TypeError):
            running.resume()
        with pytest.raises(TypeError):
            running.resume("text")
        raising.append(1)
        with pytest.raises(LookupError):
            running.resume(False)
        assert not running.done
        with pytest.raises(LookupError):
            running.resume(True)
        assert running.done
        raising.clear()
        left = engine.start_retcon("shows")
    for _ in range(2):
        with pytest.raises(pycoro.ClosedError):
            left.resume(True)


def test_a_module_without_its_report_says_so() -> None:
    report = lowered(SUMS.replace("SIZE", "64"))
    with pycoro.Engine(report.module, externals=Memory().externals) as engine, pytest.raises(pycoro.UsageError, match="report"):
        engine.start_retcon("sums", 1)


def test_ir_tests_run_in_the_jit() -> None:
    text = (pathlib.Path(__file__).parent.parent / "ir" / "retcon" / "generator-in-buffer.ll").read_text()
    with pycoro.Engine(pycoro.Module(for_host(text)).run(PASSES), externals=Memory().externals) as engine:
        assert engine.call("main") == 0
