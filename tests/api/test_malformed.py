"""Malformed coroutines, one for each rule: an exception with rule and location, an unchanged module, a live process."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from samples import COUNTER

import pycoro

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


class Shape(NamedTuple):
    """Edits of the counter that break one rule, the expected location, and declarations for the edits."""

    rule: str
    block: str
    instruction: str
    edits: tuple[tuple[str, str], ...]
    more: str = ""


ID = "%id = call token @llvm.coro.id(i32 0, ptr %last, ptr null, ptr null)"
BEGIN = "%frame = call ptr @llvm.coro.begin(token %id, ptr %place)"
SUSPEND = "%s = call i8 @llvm.coro.suspend(token none, i1 false)"
END = "call void @llvm.coro.end(ptr %frame, i1 false, token none)"
AFTER = "%next = add i32 %i, 1"
PERSONALITY = " presplitcoroutine personality ptr @__CxxFrameHandler3"
TRIED = "invoke void @print(i32 0) to label %fine unwind label %thrown\n\nfine:\n  call void @free(ptr %used)"

SHAPES = [
    Shape("one-id", "%resumed", "%stray =", ((AFTER, ID.replace("%id", "%stray").replace("%last", "%place") + "\n  " + AFTER),)),
    Shape(
        "one-id",
        "%resumed",
        "%stray =",
        ((AFTER, "%stray = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %place, ptr @f, ptr @f, ptr @f)\n  " + AFTER),),
        "declare void @f()\ndeclare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)\n",
    ),
    Shape("one-begin", "%entry", "%id =", ((BEGIN, "%frame = getelementptr i8, ptr %place, i64 0"),)),
    Shape("one-begin", "%begin", "%second =", ((BEGIN, BEGIN + "\n" + BEGIN.replace("%frame", "%second")),)),
    Shape(
        "custom-abi",
        "%begin",
        "%frame =",
        ((BEGIN, "%frame = call ptr @llvm.coro.begin.custom.abi(token %id, ptr %place, i32 3)"),),
        "declare ptr @llvm.coro.begin.custom.abi(token, ptr, i32)\n",
    ),
    Shape("begin-dominates", "%entry", "%first =", ((ID, ID + "\n  " + SUSPEND.replace("%s", "%first")),)),
    Shape(
        "begin-dominates",
        "%begin",
        "%early =",
        ((BEGIN, "%early = call ptr @llvm.coro.frame()\n  %frame = call ptr @llvm.coro.begin(token %id, ptr %early)"),),
        "declare ptr @llvm.coro.frame()\n",
    ),
    Shape(
        "begin-once",
        "%begin",
        "%frame =",
        (
            ("label %loop, label %end", "label %begin, label %end"),
            (", [ %next, %resumed ]", ""),
            ("[ %memory, %allocate ]", "[ %memory, %allocate ], [ null, %resumed ]"),
        ),
    ),
    Shape("one-final-suspend", "%end", "%e =", ((SUSPEND, SUSPEND.replace("false", "true")),)),
    Shape("final-is-constant", "%loop", "%s =", ((SUSPEND, SUSPEND.replace("false", "%wanted")),)),
    Shape(
        "suspend-of-abi",
        "%loop",
        "@llvm.coro.suspend.retcon",
        ((SUSPEND, "call void (...) @llvm.coro.suspend.retcon.isVoid()\n  %s = add i8 0, 0"),),
        "declare void @llvm.coro.suspend.retcon.isVoid(...)\n",
    ),
    Shape(
        "one-suspend-a-save",
        "%loop",
        "%saved = call token @llvm.coro.save",
        (
            (SUSPEND, "%saved = call token @llvm.coro.save(ptr %frame)\n  " + SUSPEND.replace("none", "%saved")),
            ("i8 0, label %never", "i8 0, label %never\n    i8 3, label %never"),
            ("%e = call i8 @llvm.coro.suspend(token none", "%e = call i8 @llvm.coro.suspend(token %saved"),
        ),
        "declare token @llvm.coro.save(ptr)\n",
    ),
    Shape("one-fallthrough-end", "%out", "@llvm.coro.end", (("  unreachable", "  " + END + "\n  ret ptr %frame"),)),
    Shape(
        "unknown-intrinsic",
        "%loop",
        "@llvm.coro.stranger",
        ((SUSPEND, "call void @llvm.coro.stranger(ptr %frame)\n  " + SUSPEND),),
        "declare void @llvm.coro.stranger(ptr)\n",
    ),
    Shape(
        "token-use",
        "%loop",
        "@llvm.stranger",
        ((SUSPEND, "call void @llvm.stranger(token %id)\n  " + SUSPEND),),
        "declare void @llvm.stranger(token)\n",
    ),
    Shape(
        "token-use",
        "%loop",
        "%asked = call i1 @llvm.coro.alloc",
        (
            (
                SUSPEND,
                "%r = call token @llvm.coro.alloca.alloc.i64(i64 8, i32 8)\n  %asked = call i1 @llvm.coro.alloc(token %r)\n  "
                + SUSPEND,
            ),
        ),
        "declare token @llvm.coro.alloca.alloc.i64(i64, i32)\n",
    ),
    Shape("id-align-is-constant", "%entry", "%id =", ((ID, ID.replace("i32 0", "i32 poison")),)),
    Shape("id-align-is-power", "%entry", "%id =", ((ID, ID.replace("i32 0", "i32 24")),)),
    Shape("unwind-is-constant", "%out", "@llvm.coro.end", ((END, END.replace("false", "%wanted")),)),
    Shape(
        "unwind-end-in-cleanuppad",
        "%handler",
        "@llvm.coro.end(ptr null, i1 true",
        (
            (" presplitcoroutine", PERSONALITY),
            ("call void @free(ptr %used)", TRIED),
            (
                "\nout:",
                """
thrown:
  %catch = catchswitch within none [label %handler] unwind to caller

handler:
  %pad = catchpad within %catch [ptr null, i32 64, ptr null]
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  catchret from %pad to label %out

out:""",
            ),
        ),
        "declare i32 @__CxxFrameHandler3(...)\n",
    ),
    Shape(
        "unwind-end-outermost",
        "%inner",
        "@llvm.coro.end(ptr null, i1 true",
        (
            (" presplitcoroutine", PERSONALITY),
            ("call void @free(ptr %used)", TRIED),
            (
                "\nout:",
                """
thrown:
  %catch = catchswitch within none [label %handler] unwind label %outer

handler:
  %pad = catchpad within %catch [ptr null, i32 64, ptr null]
  invoke void @print(i32 0) [ "funclet"(token %pad) ] to label %caught unwind label %inner

caught:
  catchret from %pad to label %out

inner:
  %cleanup.pad = cleanuppad within %pad []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %cleanup.pad) ]
  cleanupret from %cleanup.pad unwind label %outer

outer:
  %outer.pad = cleanuppad within none []
  cleanupret from %outer.pad unwind to caller

out:""",
            ),
        ),
        "declare i32 @__CxxFrameHandler3(...)\n",
    ),
    Shape(
        "static-alloca",
        "%begin",
        "%many = alloca",
        ((BEGIN, "%many = alloca <vscale x 4 x i32>\n  " + BEGIN), (AFTER, AFTER + "\n  store i32 %next, ptr %many")),
    ),
    Shape("promise-is-alloca", "%entry", "%id =", ((ID, ID.replace("%last", "@there")),), "@there = global i32 0\n"),
    Shape(
        "token-across-suspend",
        "%cleanup",
        "(token %room)",
        (
            (BEGIN, BEGIN + "\n  %room = call token @llvm.call.preallocated.setup(i32 0)"),
            ("%used = call ptr", "call void @llvm.call.preallocated.teardown(token %room)\n  %used = call ptr"),
        ),
        "declare token @llvm.call.preallocated.setup(i32)\ndeclare void @llvm.call.preallocated.teardown(token)\n",
    ),
    Shape(
        "alloca-token",
        "%cleanup",
        "(token none)",
        (("%used = call ptr", "call void @llvm.coro.alloca.free(token none)\n  %used = call ptr"),),
        "declare void @llvm.coro.alloca.free(token)\n",
    ),
    Shape(
        "alloca-align",
        "%begin",
        "%room =",
        ((BEGIN, BEGIN + "\n  %room = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 12)"),),
        "declare token @llvm.coro.alloca.alloc.i32(i32, i32)\n",
    ),
    Shape(
        "alloca-freed-late",
        "%cleanup",
        "(token %room)",
        (
            (BEGIN, BEGIN + "\n  %room = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 4)"),
            ("  call void @free(ptr %used)", "  call void @free(ptr %used)\n  call void @llvm.coro.alloca.free(token %room)"),
        ),
        "declare token @llvm.coro.alloca.alloc.i32(i32, i32)\ndeclare void @llvm.coro.alloca.free(token)\n",
    ),
    Shape(
        "alloca-before-begin",
        "%begin",
        "%room =",
        ((BEGIN, "%room = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 4)\n  " + BEGIN),),
        "declare token @llvm.coro.alloca.alloc.i32(i32, i32)\n",
    ),
    Shape(
        "sized-spill",
        "%loop",
        "%wide =",
        (
            (SUSPEND, "%wide = call <vscale x 4 x i32> @wide()\n  " + SUSPEND),
            (AFTER, "call void @use(<vscale x 4 x i32> %wide)\n  " + AFTER),
        ),
        "declare <vscale x 4 x i32> @wide()\ndeclare void @use(<vscale x 4 x i32>)\n",
    ),
    Shape(
        "alias-before-begin",
        "%entry",
        "%inside = freeze",
        (
            (
                ID,
                "%some = alloca i32\n  %pair = insertvalue { ptr, i32 } undef, ptr %some, 0\n"
                "  %inside = freeze { ptr, i32 } %pair\n  " + ID,
            ),
            (AFTER, "%at = extractvalue { ptr, i32 } %inside, 0\n  store i32 1, ptr %at\n  " + AFTER),
        ),
    ),
]


def broken(shape: Shape) -> str:
    text = COUNTER
    for old, new in shape.edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text.replace("; Prints", shape.more + "; Prints")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.rule)
@pytest.mark.parametrize("form", ["text", "bitcode"])
def test_malformed_coroutines_are_rejected_with_their_location(shape: Shape, form: str) -> None:
    module = pycoro.Module(broken(shape))
    if form == "bitcode":
        module = pycoro.Module(module.bitcode())
    before, generation = str(module), module.generation
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert str(module) == before
    assert module.generation == generation
    first = caught.value.diagnostics[0]
    assert (first.rule, first.function, first.block) == (shape.rule, "counter", shape.block)
    assert shape.instruction in first.instruction
    assert first.message and first.hint
    assert caught.value.exit_status == 1


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.rule)
def test_explain_rejects_malformed_coroutines(shape: Shape) -> None:
    module = pycoro.Module(broken(shape))
    with pytest.raises(pycoro.RejectedError) as caught:
        module.coroutines["counter"]
    assert caught.value.diagnostics[0].rule == shape.rule


def test_a_split_coroutine_is_a_plain_function(module: pycoro.Module) -> None:
    module.run("coro-early,cgscc(coro-split)")
    assert list(module.coroutines) == []
    with pytest.raises(KeyError):
        module.coroutines["counter"]
