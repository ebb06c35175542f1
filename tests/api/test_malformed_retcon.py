"""Malformed returned-continuation coroutines, one for each rule: an exception with rule and location."""

from __future__ import annotations

import pytest

import pycoro

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"

GENERATOR = """
define { ptr, i32 } @f(ptr %buffer, i32 %n, i1 %wanted) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %more ]
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %i)
  br i1 %stop, label %cleanup, label %more
more:
  %next = add i32 %i, 1
  br label %loop
cleanup:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
declare { ptr, i32 } @prototype(ptr, i1)
declare { ptr, i32 } @takes_nothing()
declare { ptr, i32 } @takes_float(ptr, float)
declare { ptr, i64 } @returns_other(ptr, i1)
declare i32 @returns_number(ptr, i1)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.free(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare i8 @llvm.coro.suspend(token, i1)
declare token @llvm.coro.end.results(...)
declare void @llvm.coro.end(ptr, i1, token)
@variable = external global i32
"""

ID = "@llvm.coro.id.retcon(i32 8, i32 8,"
SUSPEND = "%stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %i)"
END = "call void @llvm.coro.end(ptr %frame, i1 false, token none)"
ONCE = ("call token @llvm.coro.id.retcon(", "call token @llvm.coro.id.retcon.once(")

CASES = {
    "id-size-is-constant": ((ID, "@llvm.coro.id.retcon(i32 %n, i32 8,"), "%entry"),
    "id-align-is-constant": ((ID, "@llvm.coro.id.retcon(i32 8, i32 %n,"), "%entry"),
    "id-align-is-power": ((ID, "@llvm.coro.id.retcon(i32 8, i32 12,"), "%entry"),
    "id-size-holds-pointer": ((ID, "@llvm.coro.id.retcon(i32 4, i32 4,"), "%entry"),
    "prototype-is-function": (("ptr @prototype,", "ptr @variable,"), "%entry"),
    "prototype-returns-as-function": (("ptr @prototype,", "ptr @returns_other,"), "%entry"),
    "prototype-takes-buffer": (("ptr @prototype,", "ptr @takes_nothing,"), "%entry"),
    "allocator": (("ptr @allocate,", "ptr @deallocate,"), "%entry"),
    "deallocator": (("ptr @deallocate)", "ptr @allocate)"), "%entry"),
    "suspend-of-abi": ((SUSPEND, "%s = call i8 @llvm.coro.suspend(token none, i1 false)\n  %stop = trunc i8 %s to i1"), "%loop"),
    "yield-count": ((SUSPEND, SUSPEND.replace("(i32 %i)", "(i32 %i, i32 %i)")), "%loop"),
    "yield-type": ((SUSPEND, SUSPEND.replace("(i32 %i)", "(ptr %frame)")), "%loop"),
    "resume-type": (("ptr @prototype,", "ptr @takes_float,"), "%loop"),
    "end-results": (
        (END, "%r = call token (...) @llvm.coro.end.results(i32 %i)\n  " + END.replace("token none", "token %r")),
        "%cleanup",
    ),
    "intrinsic-of-abi": ((END, "%memory = call ptr @llvm.coro.free(token %id, ptr %frame)\n  " + END), "%cleanup"),
    "end-before-return": (("  br label %loop\ncleanup", "  ret { ptr, i32 } zeroinitializer\ncleanup"), "%more"),
    "yields-once": (ONCE, "%loop"),
}


def rejection(text: str) -> pycoro.RejectedError:
    module = pycoro.Module(text)
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert str(module) == before
    return caught.value


@pytest.mark.parametrize("rule", CASES)
def test_each_rule(rule: str) -> None:
    (old, new), block = CASES[rule]
    assert old in GENERATOR
    text = GENERATOR.replace(old, new, 1)
    if rule == "yields-once":
        text = text.replace("{ ptr, i32 } @prototype", "void @prototype")
    if rule == "end-before-return":
        text = text.replace("[ %next, %more ]", "[ undef, %entry ]").replace(", [ undef, %entry ]", "")
    found = rejection(text).diagnostics[0]
    assert (found.rule, found.function, found.block) == (rule, "f", block)
    assert found.message and found.hint


def test_a_valid_coroutine_is_lowered() -> None:
    module = pycoro.Module(GENERATOR)
    module.run(PASSES)
    assert {"f", "f.resume.0"} <= set(module.functions)
    assert "llvm.coro" not in str(module)


def test_the_continuation_comes_first() -> None:
    text = GENERATOR.replace("define { ptr, i32 } @f", "define i32 @f").replace("ptr @prototype,", "ptr @returns_number,")
    assert rejection(text).diagnostics[0].rule == "continuation-comes-first"


def test_resume_values_match_the_prototype() -> None:
    text = GENERATOR.replace("@prototype(ptr, i1)", "@prototype(ptr, i1, i32)")
    assert rejection(text).diagnostics[0].rule == "resume-count"


def test_results_are_in_the_block_of_their_end() -> None:
    text = GENERATOR.replace(*ONCE, 1).replace("br i1 %stop, label %cleanup, label %more", "br label %cleanup")
    text = text.replace("[ %next, %more ]", "").replace("[ %n, %entry ], ", "[ %n, %entry ]")
    text = text.replace("more:\n  %next = add i32 %i, 1\n  br label %loop\n", "")
    text = text.replace("{ ptr, i32 } @prototype", "i32 @prototype")
    text = text.replace(SUSPEND, "%r = call token (...) @llvm.coro.end.results(i32 %i)\n  " + SUSPEND)
    assert rejection(text.replace(END, END.replace("token none", "token %r"))).diagnostics[0].rule == "results-beside-end"
    rejection(text.replace(END, END.replace("token none", "token %id")))
