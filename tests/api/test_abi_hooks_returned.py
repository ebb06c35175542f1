"""Hooks of ABIs that derive from the returned-continuation and async ABIs: their effects, places and names."""

from __future__ import annotations

import ctypes

import pytest
from async_program import Executor, chain, chain_result
from test_continuation import INTRINSICS, MODIFY, SUMS, Memory

import pycoro
from pycoro.oracle import for_host

TRACE = """
@abi.header = constant { i64, i64 } { i64 77, i64 0 }
declare void @told(i32, i64, i64)
define void @abi.begin(ptr %frame, ptr %header, ptr %name) {
  %magic = load i64, ptr %header
  %letter = load i8, ptr %name
  %first = zext i8 %letter to i64
  call void @told(i32 0, i64 %magic, i64 %first)
  ret void
}
define void @abi.save(ptr %frame, i32 %index, ptr %clone, ptr %header) {
  %count.at = getelementptr { i64, i64 }, ptr %header, i32 0, i32 1
  %count = load i64, ptr %count.at
  %more = add i64 %count, 1
  store i64 %more, ptr %count.at
  %known = icmp ne ptr %clone, null
  %wide = zext i1 %known to i64
  call void @told(i32 1, i64 %wide, i64 %more)
  ret void
}
define void @abi.suspend(ptr %frame, i32 %index, i1 %final) {
  %wide = zext i32 %index to i64
  %last = zext i1 %final to i64
  call void @told(i32 2, i64 %wide, i64 %last)
  ret void
}
define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header) {
  %count.at = getelementptr { i64, i64 }, ptr %header, i32 0, i32 1
  %count = load i64, ptr %count.at
  %wide = zext i32 %index to i64
  call void @told(i32 3, i64 %wide, i64 %count)
  ret void
}
define void @abi.end(ptr %frame, i32 %kind) {
  %wide = zext i32 %kind to i64
  %some = icmp ne ptr %frame, null
  %known = zext i1 %some to i64
  call void @told(i32 4, i64 %wide, i64 %known)
  ret void
}
"""
BEGIN, SAVE, SUSPEND, RESUMED, END = range(5)

OWN_MEMORY = """
@asked = global i64 0
@given.back = global i64 0
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @abi.alloc(i64 %size, i64 %align, i32 %start) {
  store i64 %size, ptr @asked
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}
define void @abi.free(ptr %memory, i64 %size) {
  store i64 %size, ptr @given.back
  call void @free(ptr %memory)
  ret void
}
"""


def of(base: type[pycoro.ABI], text: object) -> pycoro.ABI:
    class Own(base):  # type: ignore[misc, valid-type]
        hook_module = text

        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

    return Own()


def lowered(base: type[pycoro.ABI], hook_module: object, ir: str) -> pycoro.Report:
    passes = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(base, hook_module)]), "coro-cleanup")
    return pycoro.Module(for_host(ir)).run(passes, verify_each=True)


class Told(list[tuple[int, int, int]]):
    """Events of a trace."""

    def __call__(self, what: int, one: int, other: int) -> None:
        self.append((what, one, other))


def suspended(index: int, count: int) -> list[tuple[int, int, int]]:
    return [(SAVE, 1, count), (SUSPEND, index, 0)]


@pytest.mark.parametrize("size", [8, 128])
def test_a_generator_is_traced(size: int) -> None:
    told, memory = Told(), Memory()
    report = lowered(pycoro.RetconABI, TRACE, SUMS.replace("SIZE", str(size)) + INTRINSICS)
    frame = report.coroutines["sums"].frame
    assert frame.fields[0].kind == "header" and frame.fields[0].offset == 0
    with pycoro.Engine(report, externals=memory.externals | {"told": told}) as engine:
        sums = engine.start_retcon("sums", 5)
        assert sums.yielded == (5, 0)
        sums.resume(10, False)
        assert sums.yielded == (15, 1)
        sums.resume(0, True)
        assert sums.done
    resumed = [(RESUMED, 0, 1), *suspended(0, 2), (RESUMED, 0, 2), (END, 1, 1)]
    assert told == [(BEGIN, 77, ord("s")), *suspended(0, 1), *resumed]
    assert not memory.live and len(memory.sizes) == (size == 8)


def test_a_yield_once_coroutine_is_traced() -> None:
    told, memory = Told(), Memory()
    report = lowered(pycoro.RetconABI, TRACE, MODIFY.replace("i32 32, i32 8", "i32 64, i32 8") + INTRINSICS)
    value = ctypes.c_int32(7)
    with pycoro.Engine(report, externals=memory.externals | {"told": told}) as engine:
        modify = engine.start_retcon("modify", ctypes.addressof(value))
        modify.resume(False)
        assert modify.results == (7, False)
    assert told == [(BEGIN, 77, ord("m")), *suspended(0, 1), (RESUMED, 0, 1), (END, 1, 1)]


def test_the_abi_allocates_a_frame_that_does_not_fit() -> None:
    memory = Memory()
    report = lowered(pycoro.RetconABI, OWN_MEMORY, SUMS.replace("SIZE", "8") + INTRINSICS)
    with pycoro.Engine(report, externals=memory.externals) as engine:
        sums = engine.start_retcon("sums", 5)
        sums.resume(1, False)
        sums.resume(0, True)

        def number(name: str) -> int:
            return int.from_bytes(ctypes.string_at(engine.address(name), 8), "little")

        assert number("asked") == number("given.back") == report.coroutines["sums"].frame.size
    assert not memory.sizes


def test_a_frame_that_fits_is_not_allocated() -> None:
    report = lowered(pycoro.RetconABI, OWN_MEMORY, SUMS.replace("SIZE", "64") + INTRINSICS)
    assert "@malloc(i64" not in str(report.module).replace("declare ptr @malloc(i64)", "")


def test_async_functions_are_traced() -> None:
    told = Told()

    def lower(ir: str) -> pycoro.Module:
        return lowered(pycoro.AsyncABI, TRACE, ir).module

    executor = Executor(chain(2), lower, {"told": told})
    assert executor.start("f1", 4) == chain_result(2, 4)
    assert not executor.live and not executor.overrun
    assert told.count((BEGIN, 77, ord("f"))) == 2 and told.count((END, 1, 1)) == 2
    saves = [entry for entry in told if entry[0] == SAVE]
    resumptions = [entry for entry in told if entry[0] == RESUMED]
    assert len(saves) == len(resumptions) == len([entry for entry in told if entry[0] == SUSPEND]) > 4
    assert all(known == 1 for _, known, _ in saves)


def test_the_header_is_in_the_context() -> None:
    def context(hook_module: str | None) -> pycoro.AsyncShape:
        shape = lowered(pycoro.AsyncABI, hook_module, chain(1)).coroutines["f1"].shape
        assert isinstance(shape, pycoro.AsyncShape)
        return shape

    assert context(TRACE).context_size == context(None).context_size + 16


@pytest.mark.parametrize("base", [pycoro.RetconABI, pycoro.AsyncABI])
@pytest.mark.parametrize(
    "hook",
    [
        "define i32 @abi.dispatch(ptr %f) {\n ret i32 0\n}",
        "define void @abi.resume(ptr %f) {\n ret void\n}",
        "declare void @abi.clone.go(ptr)",
        "define ptr @abi.alloc(i64 %s) {\n ret ptr null\n}\ndefine void @abi.free(ptr %m) {\n ret void\n}",
    ],
    ids=["dispatch", "resume", "clone", "alloc"],
)
def test_unsupported_hooks_are_named(base: type[pycoro.ABI], hook: str) -> None:
    ir = chain(1) if base is pycoro.AsyncABI else SUMS.replace("SIZE", "64") + INTRINSICS
    if "abi.alloc" in hook and base is pycoro.RetconABI:
        lowered(base, hook, ir)
        return
    module = pycoro.Module(for_host(ir))
    before = str(module)
    with pytest.raises(pycoro.UsageError, match="cannot have this hook") as caught:
        module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(base, hook)])))
    (told,) = caught.value.diagnostics
    assert told.rule == "hook-module" and told.function.startswith("abi.") and str(module) == before


@pytest.mark.parametrize("base", [pycoro.RetconABI, pycoro.AsyncABI])
def test_parts_applies_to_the_switched_resume_abi_only(base: type[pycoro.ABI]) -> None:
    with pytest.raises(TypeError, match=r"Own\.resume_functions requires a SwitchABI"):
        type("Own", (base,), {"resume_functions": "suspend"})


@pytest.mark.parametrize("base, given", [(pycoro.RetconABI, 16), (pycoro.AsyncABI, 16)])
def test_an_over_aligned_header_is_rejected(base: type[pycoro.ABI], given: int) -> None:
    ir = chain(1) if base is pycoro.AsyncABI else SUMS.replace("SIZE", "64") + INTRINSICS
    lowered(base, f"@abi.header = global i64 0, align {given}", ir)
    with pytest.raises(pycoro.RejectedError, match="header exceeds that of the coroutine"):
        lowered(base, f"@abi.header = global i64 0, align {2 * given}", ir)


FAILS = """
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin
alloc:
  %size = call i64 @llvm.coro.size.i64()
  %m = call ptr @maybe(i64 %size)
  %none = icmp eq ptr %m, null
  br i1 %none, label %ret, label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %m, %alloc ]
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %ret [ i8 0, label %clean  i8 1, label %clean ]
clean:
  %b = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @given(ptr %b)
  br label %ret
ret:
  %r = phi ptr [ null, %alloc ], [ %h, %begin ], [ %h, %clean ]
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %r
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare ptr @maybe(i64)
declare void @given(ptr)
"""


@pytest.mark.parametrize("has_memory", [True, False])
def test_an_end_without_a_frame_calls_no_hook(has_memory: bool) -> None:
    told, memory = Told(), Memory()
    ended = "declare void @told(i32, i64, i64)\n" + TRACE[TRACE.index("define void @abi.end") :]
    report = lowered(pycoro.SwitchABI, ended, FAILS)
    give = memory.allocate if has_memory else lambda size: 0
    with pycoro.Engine(report, externals={"maybe": give, "given": memory.deallocate, "told": told}) as engine:
        handle = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(engine.address("f"))(3)
        assert bool(handle) == has_memory == bool(memory.live) and told == []
        if handle:
            engine.handle(handle).resume()
            assert told == [(END, 1, 1)]
    assert not memory.live
