"""coro-early shares a cleanup with the destruction after an exception: where it must not, and input of any size."""

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


def is_shared(text: str) -> bool:
    """Return whether destroying after an exception continues in the cleanup of the final suspend."""
    module = pycoro.Module(text)
    module.run("coro-early,verify")
    unwound = str(module).split("\nunwound:", 1)[1]
    return "i8 1, label %over\n" in unwound.split("]", 1)[0]


def test_two_equal_cleanups_are_one() -> None:
    assert is_shared(COROUTINE)


@pytest.mark.parametrize("loads", [10, 300])
def test_sharing_does_not_depend_on_the_number_of_exception_loads(loads: int) -> None:
    more = "".join(f"  %more.{i} = load ptr, ptr %object.of\n" for i in range(loads))
    assert is_shared(module_with_changes(read=("  %its.object =", more + "  %its.object =")))


@pytest.mark.parametrize("ways", [3, 100])
@pytest.mark.parametrize("uses", ["%n", "%made"])
def test_values_of_one_predecessor_are_poison_after_the_shared_cleanup(ways: int, uses: str) -> None:
    cases = "".join(f"    i32 {i + 100}, label %way.{i}\n" for i in range(ways))
    blocks = "".join(
        f"way.{i}:\n  call void @use(i32 {uses if i == ways - 1 else 0})\n  br label %suspend\n\n" for i in range(ways)
    )
    text = module_with_changes(ways=(WAY, WAY + cases), blocks=("suspend:\n", blocks + "suspend:\n"))
    assert is_shared(text)
    module = pycoro.Module(text)
    module.run("coro-early,verify")
    assert ("phi i32 [ %made, %last ], [ poison, %unwound ]" in str(module)) is (uses == "%made")


def test_a_reentered_cleanup_with_another_index_is_not_shared() -> None:
    again = "  %again = call i1 @more()\n  br i1 %again, label %{}, label %{}\n"
    text = module_with_changes(
        number=("[ 2, %last ]", "[ 2, %last ], [ 2, %over ]"),
        one=("  br label %freed\n", again.format("over", "freed")),
        other=("  br label %lost.freed\n", again.replace("%again", "%once.more").format("lost", "lost.freed")),
    )
    assert not is_shared(text)
