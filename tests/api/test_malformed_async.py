"""Malformed async coroutines, one for each rule: an exception with rule and location, and an unchanged module."""

from __future__ import annotations

import pytest
from async_program import PASSES, chain

import pycoro

ID = "call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @f1.fp)"
SUSPEND = "@llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @caller_of"
END = "call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false, ptr @transfer, ptr %caller, ptr %context)"
GLOBAL = "@f1.fp = global <{ i32, i32 }> <{ i32 0, i32 24 }>"

MORE = """
@other = external global i32
@four = global { i32, i32, i32, i32 } zeroinitializer
@unknown = external global <{ i32, i32 }>
declare i32 @number_of(ptr)
declare ptr @two_of(ptr, ptr)
declare ptr @any_of(...)
declare swifttailcc i32 @gives(ptr, ptr)
declare swifttailcc void @takes(ptr, i32)
declare swifttailcc void @takes_any(...)
declare swifttailcc void @takes_more(ptr, ptr, ptr)
declare token @llvm.coro.end.results(...)
declare void @llvm.coro.end(ptr, i1, token)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.alloc(token)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.suspend.async.p0(i32, ptr, ptr, ...)
"""

# (rule, location, valid text, replacement)
CASES = [
    ("id-size-is-constant", "%id =", ID, ID.replace("i32 24", "i32 %word")),
    ("id-align-is-constant", "%id =", ID, ID.replace("i32 16", "i32 %word")),
    ("id-argument-is-constant", "%id =", ID, ID.replace("i32 0", "i32 %word")),
    ("id-align-is-power", "%id =", ID, ID.replace("i32 16", "i32 24")),
    ("id-argument", "%id =", ID, ID.replace("i32 0", "i32 7")),
    ("id-argument", "%id =", ID, ID.replace("i32 0", "i32 1")),
    ("async-function-pointer", "%id =", ID, ID.replace("@f1.fp", "@transfer")),
    ("async-function-pointer", "%id =", ID, ID.replace("@f1.fp", "@four")),
    ("async-function-pointer", "%id =", ID, ID.replace("@f1.fp", "@unknown")),
    ("async-function-pointer", "%id =", ID, ID.replace("ptr @f1.fp", "ptr null")),
    ("async-function-pointer", "%id =", GLOBAL, "@f1.fp = external global <{ i32, i32 }>"),
    ("async-function-pointer", "%id =", GLOBAL, "@f1.fp = global <{ i32, ptr }> zeroinitializer"),
    (
        "async-result",
        "%came.too =",
        "%back = call",
        "%came.too = call ptr (i32, ptr, ptr, ...) @llvm.coro.suspend.async.p0(i32 0, ptr %hdl, ptr @caller_of, ptr @root, "
        "ptr %hdl)\n  %back = call",
    ),
    ("async-indices-are-constant", "%came =", SUSPEND, SUSPEND.replace("i32 0", "i32 %word")),
    ("async-indices", "%came =", SUSPEND, SUSPEND.replace("i32 0", "i32 1")),
    ("async-indices", "%came =", SUSPEND, SUSPEND.replace("i32 0", "i32 256")),
    ("async-indices", "%came =", SUSPEND, SUSPEND.replace("i32 0", "i32 65536")),
    ("async-resume", "%came =", SUSPEND, SUSPEND.replace("%back", "null")),
    ("async-resume", "%came =", SUSPEND, SUSPEND.replace("%back", "%callee")),
    ("async-resume", "%came =", SUSPEND, SUSPEND.replace("%back", "%context")),
    ("async-projection", "%came =", SUSPEND, SUSPEND.replace("@caller_of", "null")),
    ("async-projection", "%came =", SUSPEND, SUSPEND.replace("@caller_of", "%callee")),
    ("async-projection", "%came =", SUSPEND, SUSPEND.replace("@caller_of", "@number_of")),
    ("async-projection", "%came =", SUSPEND, SUSPEND.replace("@caller_of", "@two_of")),
    ("async-projection", "%came =", SUSPEND, SUSPEND.replace("@caller_of", "@any_of")),
    ("async-callee", "%came =", "ptr @transfer, ptr @f2", "ptr %callee, ptr @f2"),
    ("async-callee", "%came =", "ptr @transfer, ptr @f2", "ptr @gives, ptr @f2"),
    ("async-callee", "%came =", "ptr @transfer, ptr @f2", "ptr @takes_any, ptr @f2"),
    ("async-callee", "%came =", "ptr @caller_of,\n", "ptr @caller_of)\n ;"),
    ("async-arguments", "%came =", "ptr @transfer, ptr @f2", "ptr @takes, ptr @f2"),
    ("async-arguments", "%came =", "ptr @transfer, ptr @f2", "ptr @takes_more, ptr @f2"),
    ("async-callee", "@llvm.coro.end.async", END, END.replace("@transfer", "%caller")),
    ("async-callee", "@llvm.coro.end.async", END, END.replace("@transfer", "@gives")),
    ("async-arguments", "@llvm.coro.end.async", END, END.replace("@transfer", "@takes")),
    ("async-arguments", "@llvm.coro.end.async", END, END.replace("@transfer", "@takes_more")),
    ("async-arguments", "@llvm.coro.end.async", END, END.replace(", ptr %context)", ", ptr %context, ptr %context)")),
    ("unwind-is-constant", "@llvm.coro.end.async", END, END.replace("i1 false", "i1 %odd")),
    ("suspend-of-abi", "%s =", "%back = call", "%s = call i8 @llvm.coro.suspend(token none, i1 false)\n  %back = call"),
    ("intrinsic-of-abi", "%s =", "%back = call", "%s = call i1 @llvm.coro.alloc(token %id)\n  %back = call"),
    ("intrinsic-of-abi", "%s =", "%back = call", "%s = call token @llvm.coro.save(ptr %hdl)\n  %back = call"),
    (
        "end-results",
        "@llvm.coro.end(",
        END,
        "%r = call token (...) @llvm.coro.end.results(i32 1)\n  call void @llvm.coro.end(ptr %hdl, i1 false, token %r)",
    ),
]


def broken(old: str, new: str) -> str:
    """Return the first link of a chain, with the edit."""
    text = chain(2)
    words = "entry:\n  %word = load i32, ptr %context\n  %odd = trunc i32 %word to i1\n"
    assert old in text
    return text.replace("entry:\n", words, 1).replace(old, new, 1) + MORE


@pytest.mark.parametrize(("rule", "where", "old", "new"), CASES, ids=lambda case: case[:24].strip())
def test_each_rule(rule: str, where: str, old: str, new: str) -> None:
    module = pycoro.Module(broken(old, new))
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert str(module) == before
    found = caught.value.diagnostics[0]
    assert (found.rule, found.function, found.block) == (rule, "f1", "%entry")
    assert where in found.instruction
    assert found.message and found.hint


def test_one_suspend_per_resume_function() -> None:
    text = chain(2).replace("%again = call ptr @llvm.coro.async.resume()", "%again = bitcast ptr %back to ptr", 1)
    module = pycoro.Module(text)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert caught.value.diagnostics[0].rule == "one-suspend-a-resume"


@pytest.mark.parametrize("attribute", ["swifterror", "byval(i64)", "inalloca(i64)", "preallocated(i64)"])
def test_the_context_is_shared_memory(attribute: str) -> None:
    text = """
        define void @f(ptr ATTRIBUTE %context) {
          %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
          %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
          call void @use(ptr %hdl)
          ret void
        }
        @f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
        declare void @use(ptr)
    """
    with pytest.raises(pycoro.RejectedError, match="of the context parameter|swifterror") as caught:
        pycoro.Module(text.replace("ATTRIBUTE", attribute)).run("coro-early,coro-split")
    assert caught.value.diagnostics[0].rule == "id-argument"


def test_an_async_coroutine_returns_void() -> None:
    text = chain(1).replace("define swifttailcc void @f1", "define swifttailcc i64 @f1")
    with pytest.raises(pycoro.RejectedError) as caught:
        pycoro.Module(text).run(PASSES)
    assert caught.value.diagnostics[0].rule == "async-returns-void"


def test_a_valid_coroutine_is_lowered() -> None:
    module = pycoro.Module(broken(ID, ID))
    module.run(PASSES)
    assert {"f1", "f1.resume.0", "f1.resume.1"} <= set(module.functions)
