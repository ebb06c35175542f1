"""coro-early merges two cleanups: where it must not, and input of any size."""

from __future__ import annotations

import pytest

import pycoro

COROUTINE = """\
define ptr @f(i32 %n) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %never
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %made = call i32 @make()
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %last ]
  call void @end(ptr %promise)
  br label %freed

freed:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  br label %lost.freed

lost.freed:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

declare void @may_throw()
declare i32 @make()
declare i1 @more()
declare void @use(i32)
declare void @end(ptr)
declare void @free(ptr)
declare ptr @malloc(i32)
declare i32 @__gxx_personality_v0(...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
"""
WAY = "    i32 2, label %suspend\n"


def module_with_changes(**by: tuple[str, str]) -> str:
    text = COROUTINE
    for old, new in by.values():
        assert old in text
        text = text.replace(old, new)
    return text


def is_joined(text: str) -> bool:
    module = pycoro.Module(text)
    module.run("coro-early,verify")
    return "br i1 %ramp, label %over" in str(module)


def test_two_cleanups_are_merged() -> None:
    assert is_joined(COROUTINE)


@pytest.mark.parametrize(("loads", "joined"), [(10, True), (300, False)])
def test_merging_depends_on_the_number_of_exception_loads(loads: int, joined: bool) -> None:
    more = "".join(f"  %more.{i} = load ptr, ptr %object.of\n" for i in range(loads))
    assert is_joined(module_with_changes(read=("  %its.object =", more + "  %its.object ="))) is joined


@pytest.mark.parametrize("ways", [3, 100])
@pytest.mark.parametrize(("uses", "joined"), [("%n", True), ("%made", False)])
def test_values_of_one_predecessor_are_not_used_after_the_merged_cleanup(ways: int, uses: str, joined: bool) -> None:
    cases = "".join(f"    i32 {i + 100}, label %way.{i}\n" for i in range(ways))
    blocks = "".join(
        f"way.{i}:\n  call void @use(i32 {uses if i == ways - 1 else 0})\n  br label %suspend\n\n" for i in range(ways)
    )
    text = module_with_changes(ways=(WAY, WAY + cases), blocks=("suspend:\n", blocks + "suspend:\n"))
    assert is_joined(text) is (joined and ways < 64)


def test_a_reentered_cleanup_with_another_index_is_not_merged() -> None:
    again = "  %again = call i1 @more()\n  br i1 %again, label %{}, label %{}\n"
    text = module_with_changes(
        number=("[ 2, %last ]", "[ 2, %last ], [ 2, %over ]"),
        one=("  br label %freed\n", again.format("over", "freed")),
        other=("  br label %lost.freed\n", again.replace("%again", "%once.more").format("lost", "lost.freed")),
    )
    assert not is_joined(text)
