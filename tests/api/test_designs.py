"""Two designs that LLVM never released, as documents describe them, are converted by the tests' package `documents`."""

from __future__ import annotations

import re

import pytest
from documents import convert

import pycoro
from pycoro import oracle
from pycoro.upgrade import erase_placeholders_of_unused_results, upgrade

FIRST = """\
%awaiter = type { i8 }
declare i8* @_Znwm(i64)
declare void @_ZdlPv(i8*)
declare i32 @llvm.coro.size()
declare i8* @llvm.coro.init(i8*)
declare i1 @llvm.coro.suspend(i8*, i8*)
declare void @llvm.coro.param(i8*, i8*)
declare i1 @llvm.coro.done(i8*)
declare void @llvm.coro.resume(i8*)
declare void @llvm.coro.destroy(i8*)
declare void @print(i32)

define internal void @_RampFn(i8* %awaiter, i8* %frame) {
  ret void
}

define i8* @fib(i32 %n) {
entry:
  %n.addr = alloca i32
  %n.copy = alloca i32
  %i = alloca i32
  %ref.tmp = alloca %awaiter
  store i32 %n, i32* %n.addr
  %0 = call i32 @llvm.coro.size()
  %1 = zext i32 %0 to i64
  %call = call noalias i8* @_Znwm(i64 %1)
  %2 = call i8* @llvm.coro.init(i8* %call)
  %3 = bitcast i32* %n.addr to i8*
  %4 = bitcast i32* %n.copy to i8*
  %got = load i32, i32* %n.addr
  store i32 %got, i32* %n.copy
  call void @llvm.coro.param(i8* %3, i8* %4)
  store i32 0, i32* %n.addr
  %5 = call i1 @llvm.coro.done(i8* null)
  br i1 %5, label %coro.ret, label %coro.start

coro.start:
  %6 = getelementptr %awaiter, %awaiter* %ref.tmp, i32 0, i32 0
  %7 = call i1 @llvm.coro.suspend(i8* %6, i8* bitcast (void (i8*, i8*)* @_RampFn to i8*))
  br i1 %7, label %init.ready, label %coro.cleanup

init.ready:
  store i32 0, i32* %i
  br label %for.cond

for.cond:
  %8 = load i32, i32* %i
  %now = bitcast i8* %3 to i32*
  %9 = load i32, i32* %now
  %10 = icmp slt i32 %8, %9
  br i1 %10, label %for.body, label %final

for.body:
  call void @print(i32 %8)
  %11 = call i1 @llvm.coro.suspend(i8* %6, i8* bitcast (void (i8*, i8*)* @_RampFn to i8*))
  br i1 %11, label %for.inc, label %coro.cleanup

for.inc:
  %12 = add i32 %8, 1
  store i32 %12, i32* %i
  br label %for.cond

final:
  %13 = call i1 @llvm.coro.suspend(i8* %6, i8* bitcast (void (i8*, i8*)* @_RampFn to i8*))
  br i1 %13, label %coro.ret, label %coro.cleanup

coro.cleanup:
  call void @_ZdlPv(i8* %2)
  br label %coro.ret

coro.ret:
  ret i8* %2
}

define i32 @main() {
entry:
  %g = call i8* @fib(i32 5)
  br label %while
while:
  call void @llvm.coro.resume(i8* %g)
  %done = call i1 @llvm.coro.done(i8* %g)
  br i1 %done, label %end, label %while
end:
  call void @llvm.coro.destroy(i8* %g)
  ret i32 0
}
"""


def printed(verdict: oracle.Verdict) -> list[int]:
    return [int(found) for found in re.findall(r"call print (\d+)", str(verdict.ours))]


def converted(text: str) -> tuple[pycoro.Module, list[str]]:
    """Return the converted module, and the names of its steps."""
    made = convert(text)
    module = pycoro.Module(made.text, host=True)
    erase_placeholders_of_unused_results(module)
    return module, [remark.name for remark in made.remarks]


def test_the_design_of_2015_runs():
    """The document's generator has a copied parameter and three suspends, the last of which is final."""
    module, names = converted(FIRST)
    steps = [name for name in names if name.startswith("first-")]
    assert steps == ["first-start", "first-begin", "first-param", *["first-suspend"] * 3, "first-free", "first-end"]
    assert not module.lint()
    assert [point.is_final for point in module.coroutines["fib"].suspends] == [False, False, True]
    verdict = oracle.compare(str(module), ramp="main", reference="interpreter")
    assert verdict and verdict.executed
    assert printed(verdict) == [0, 1, 2, 3, 4]  # 5 is in the copy only
    assert "free _ZdlPv block 0" in str(verdict.ours)


def test_the_design_of_2015_is_destroyed_early():
    text = FIRST.replace("br i1 %done, label %end, label %while", "br label %end")
    verdict = oracle.compare(str(converted(text)[0]), ramp="main", reference="interpreter")
    assert verdict and printed(verdict) == [0] and "free _ZdlPv block 0" in str(verdict.ours)


def test_coroutines_without_a_start_are_unchanged():
    text = FIRST.replace("call i1 @llvm.coro.done(i8* null)", "call i1 @llvm.coro.done(i8* %2)")
    assert ("first-design", "fib") in [(remark.name, remark.function) for remark in convert(text).remarks]
    with pytest.raises(pycoro.ParseError):
        pycoro.Module(convert(text).text)


SECOND = """\
declare i1 @llvm.coro.init()
declare void @llvm.coro.init.end()
define i8* @foo(i32 %val) {
entry:
  %val1 = alloca i32, align 4, !coroutine_frame_alloca !2
  %promise = alloca i32, align 4, !coroutine_frame_alloca !5
  %0 = call token @llvm.coro.id(i32 16, i8* null, i8* null, i8* null)
  %1 = call i1 @llvm.coro.alloc(token %0)
  br i1 %1, label %coro.alloc, label %coro.begin

coro.alloc:
  %2 = call i64 @llvm.coro.size.i64()
  %call = call noalias nonnull i8* @_Znwm(i64 %2)
  br label %coro.begin

coro.begin:
  %3 = phi i8* [ null, %entry ], [ %call, %coro.alloc ]
  %4 = call i8* @llvm.coro.begin(token %0, i8* %3)
  %5 = call i1 @llvm.coro.init()
  br i1 %5, label %coro.init, label %coro.init.ready

coro.init:
  store i32 %val, i32* %val1, align 4
  call void @llvm.coro.init.end()
  br label %coro.init.ready

coro.init.ready:
  store i32 7, i32* %promise, align 4
  %6 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %6, label %out [ i8 0, label %next  i8 1, label %cleanup ]

next:
  %7 = load i32, i32* %val1, align 4
  call void @print(i32 %7)
  br label %cleanup

cleanup:
  %8 = call i8* @llvm.coro.free(token %0, i8* %4)
  call void @_ZdlPv(i8* %8)
  br label %out

out:
  %9 = call i1 @llvm.coro.end(i8* %4, i1 false)
  ret i8* %4
}

define i32 @main() {
  %h = call i8* @foo(i32 5)
  %p = call i8* @llvm.coro.promise(i8* %h, i32 4, i1 false)
  %q = bitcast i8* %p to i32*
  %v = load i32, i32* %q
  call void @print(i32 %v)
  call void @llvm.coro.resume(i8* %h)
  ret i32 0
}
!2 = !{i1 false, i32 0}
!5 = !{i1 true, i32 3}
"""


def test_the_proposal_that_split_after_the_parameters_runs():
    module, steps = converted(SECOND)
    assert "second-init" in steps and "second-promise" in steps
    assert module.coroutines["foo"].shape.promise == "promise"
    verdict = oracle.compare(str(module), ramp="main", reference="interpreter")
    assert verdict and verdict.executed and printed(verdict) == [7, 5]


@pytest.mark.parametrize("text", [FIRST, SECOND])
def test_the_package_does_not_convert_the_designs(text: str) -> None:
    assert "llvm.coro.init" in upgrade(text).text
    assert not [remark for remark in upgrade(text).remarks if remark.name.startswith(("first-", "second-"))]
