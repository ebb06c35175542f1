"""Edits that break each rule of the switch ABI in the text of a coroutine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["BEGIN", "FIRST", "ODD", "SWITCH", "Break"]


class Break(NamedTuple):
    """A rule violation: edits (each replaces one match), code placed before the body, and declarations.

    An edit that matches nothing in the coroutine is applied to the rest of the module. ``@F`` is the coroutine's name.
    """

    what: str
    edits: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = ()
    before: str = ""
    after: str = ""
    suspend: str = ""
    declarations: str = ""
    yields: bool = False
    """True if a retcon or async coroutine must yield a value."""
    twice: bool = False
    """True if a coroutine that yields once gets a second suspend."""


SUSPEND = "call i8 @llvm.coro.suspend(token none, i1 false)"
BEGIN = r"%hdl = call ptr @llvm\.coro\.begin\(token %id, ptr (%\w+)\)"
END = r"call void @llvm\.coro\.end\(ptr %hdl, i1 false, token none\)"
ODD = "  %odd = icmp ne ptr @free_aligned, null\n"
FIRST = r"^  %id = "
NESTED = """first.pad:
  %catch = catchswitch within none [label %handler] unwind label %outer

handler:
  %pad = catchpad within %catch [ptr null, i32 64, ptr null]
  invoke void @stranger() [ "funclet"(token %pad) ] to label %caught unwind label %inner

caught:
  catchret from %pad to label %cleanup

inner:
  %inner.pad = cleanuppad within %pad []
  call void @llvm.coro.end(ptr %hdl, i1 true, token none) [ "funclet"(token %inner.pad) ]
  cleanupret from %inner.pad unwind label %outer

outer:
  %outer.pad = cleanuppad within none []
  cleanupret from %outer.pad unwind to caller

cleanup:"""

SWITCH: dict[str, Break] = {
    "one-id": Break("llvm.coro.id is called twice", after="%stray = call token @llvm.coro.id(i32 0, ptr %hdl, ptr null, ptr null)"),
    "one-begin": Break("llvm.coro.begin is called twice", before="%second = call ptr @llvm.coro.begin(token %id, ptr %hdl)"),
    "custom-abi": Break(
        "llvm.coro.begin.custom.abi selects an unknown ABI",
        ((BEGIN, r"%hdl = call ptr @llvm.coro.begin.custom.abi(token %id, ptr \1, i32 7)"),),
    ),
    "coro-id": Break(
        "llvm.coro.id is missing",
        (
            (r"  %id = call token .*\n(  %need = .*\n)?", "  %need = icmp ne ptr @free_aligned, null\n"),
            (r"llvm\.coro\.begin\(token %id", "llvm.coro.begin(token none"),
            (r"= call ptr @llvm\.coro\.free\(token %id, ptr %hdl\)", "= getelementptr i8, ptr %hdl, i64 0"),
        ),
    ),
    "begin-dominates": Break("a suspend comes before llvm.coro.begin", ((FIRST + r"(.*)", rf"  %id = \1\n  %first = {SUSPEND}"),)),
    "one-final-suspend": Break(
        "two suspends are final",
        before=f"%last.a = {SUSPEND.replace('false', 'true')}",
        after=f"%last.b = {SUSPEND.replace('false', 'true')}",
    ),
    "final-is-constant": Break(
        "the final flag of a suspend is not a constant",
        ((FIRST, ODD + "  %id = "),),
        suspend=SUSPEND.replace("i1 false", "i1 %odd"),
    ),
    "suspend-of-abi": Break("a suspend belongs to another ABI", before="call void (...) @llvm.coro.suspend.retcon.isVoid()"),
    "one-suspend-a-save": Break(
        "two suspends share a save",
        before="%shared = call token @llvm.coro.save(ptr %hdl)\n  %one = " + SUSPEND.replace("none", "%shared"),
        after="%other = " + SUSPEND.replace("none", "%shared"),
    ),
    "suspend-names-save": Break("the token of a suspend is not that of a save", suspend=SUSPEND.replace("none", "%id")),
    "one-fallthrough-end": Break(
        "a fallthrough path has two ends",
        ((END, "call void @llvm.coro.end(ptr %hdl, i1 false, token none)\n  " + END.replace("\\", "")),),
    ),
    "unwind-is-constant": Break(
        "the unwind flag of an end is not a constant",
        ((FIRST, ODD + "  %id = "), (END, "call void @llvm.coro.end(ptr %hdl, i1 %odd, token none)")),
    ),
    "end-of-abi": Break(
        "an end belongs to another ABI", before="call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)"
    ),
    "end-results": Break(
        "an end has results",
        (
            (
                END,
                "%results = call token (...) @llvm.coro.end.results(i32 1)\n"
                "  call void @llvm.coro.end(ptr %hdl, i1 false, token %results)",
            ),
        ),
    ),
    "static-alloca": Break(
        "an alloca of unknown size is live across a suspend",
        ((FIRST, "  %many = alloca <vscale x 4 x i32>\n  %id = "),),
        before="store <vscale x 4 x i32> zeroinitializer, ptr %many",
        after="%lost = load <vscale x 4 x i32>, ptr %many",
        suspend=SUSPEND,
    ),
    "sized-spill": Break(
        "a value of unknown size is live across a suspend",
        before="%wide = call <vscale x 4 x i32> @wide()",
        after="call void @take.wide(<vscale x 4 x i32> %wide)",
        suspend=SUSPEND,
        declarations="declare <vscale x 4 x i32> @wide()\ndeclare void @take.wide(<vscale x 4 x i32>)\n",
    ),
    "token-across-suspend": Break(
        "a token is live across a suspend",
        before="%token = call token @llvm.experimental.convergence.anchor()",
        after='call void @together() convergent [ "convergencectrl"(token %token) ]',
        suspend=SUSPEND,
        declarations="declare void @together() convergent\n",
    ),
    "alloca-token": Break(
        "the token of llvm.coro.alloca.free is not that of an alloca.alloc", before="call void @llvm.coro.alloca.free(token none)"
    ),
    "alloca-align": Break(
        "the alignment of llvm.coro.alloca.alloc is not a power of two",
        before="%room = call token @llvm.coro.alloca.alloc.i32(i32 8, i32 12)",
        after="call void @llvm.coro.alloca.free(token %room)",
    ),
    "promise-is-alloca": Break(
        "the promise is not an alloca of the coroutine",
        ((r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 @place,"),),
        declarations="@place = global i32 0\n",
    ),
    "alias-before-begin": Break(
        "an alloca selected before llvm.coro.begin is used after a suspend",
        (
            (
                FIRST,
                "  %some = alloca i32\n  store i32 0, ptr %some\n  %pair = insertvalue { ptr, i32 } undef, ptr %some, 0\n"
                "  %inside = freeze { ptr, i32 } %pair\n  %id = ",
            ),
        ),
        before="%there = extractvalue { ptr, i32 } %inside, 0\n  store i32 0, ptr %there",
        after="%again = extractvalue { ptr, i32 } %inside, 0\n  %found = load i32, ptr %again",
        suspend=SUSPEND,
    ),
    "id-align-is-constant": Break(
        "the alignment of llvm.coro.id is not a constant",
        ((FIRST, "  %unknown = call i32 @pick.align()\n  %id = "), (r"@llvm\.coro\.id\(i32 0", "@llvm.coro.id(i32 %unknown")),
        declarations="declare i32 @pick.align()\n",
    ),
    "id-align-is-power": Break(
        "the alignment of llvm.coro.id is not a power of two", ((r"@llvm\.coro\.id\(i32 0", "@llvm.coro.id(i32 24"),)
    ),
    "promise-align-fits": Break(
        "the alignment of the promise exceeds that of its address computation",
        (
            (r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 %huge,"),
            (FIRST, "  %huge = alloca i8, align 4294967296\n  %id = "),
        ),
    ),
    "promise-constant": Break(
        "the alignment of a promise is not a constant",
        before="%where = ptrtoint ptr %hdl to i32\n  %far = call ptr @llvm.coro.promise(ptr %hdl, i32 %where, i1 false)",
    ),
    "promise-align": Break(
        "the alignment of a promise is not a power of two",
        before="%odd.place = call ptr @llvm.coro.promise(ptr %hdl, i32 12, i1 false)",
    ),
    "begin-names-id": Break(
        "llvm.coro.begin names another id",
        ((r"^  %id = (.*)$", r"  %other.id = \1\n  %id = \1"),),
    ),
    "begin-once": Break(
        "a loop from a suspend reaches llvm.coro.begin",
        (
            (FIRST, ODD + "  %id = "),
            (r"^  %hdl = ", "  br label %again\n\nagain:\n  %hdl = "),
        ),
        suspend=SUSPEND,
    ),
    "token-use": Break(
        "a coroutine token is passed to an ordinary function",
        before='call void @stranger() [ "from"(token %id) ]',
        declarations="declare void @stranger()\n",
    ),
    "unwind-end-in-cleanuppad": Break(
        "the funclet bundle of an unwind end does not name a pad",
        before='call void @llvm.coro.end(ptr %hdl, i1 true, token none) [ "from"() ]',
    ),
    "unwind-end-outermost": Break(
        "an unwind end is in a nested funclet pad",
        (
            (
                r"presplitcoroutine( uwtable)?( personality ptr @__gxx_personality_v0)?",
                "presplitcoroutine personality ptr @__gxx_personality_v0",
            ),
            (r"label %start$", "label %first.part"),
            (r"^start:$", "first.part:\n  invoke void @stranger() to label %start unwind label %first.pad\n\nstart:"),
            (r"^cleanup:$", NESTED),
        ),
        declarations="declare void @stranger()\n",
    ),
    "alloca-before-begin": Break(
        "memory allocated before llvm.coro.begin is used after a suspend",
        ((FIRST, "  %room = call token @llvm.coro.alloca.alloc.i32(i32 8, i32 8)\n  %id = "),),
        after="%early = call ptr @llvm.coro.alloca.get(token %room)",
        suspend=SUSPEND,
    ),
    "alloca-freed-late": Break(
        "llvm.coro.alloca.free runs after the frame was freed",
        ((r"^(  %dead\.cleanup = .*)$", r"\1\n  call void @llvm.coro.alloca.free(token %room)"),),
        before="%room = call token @llvm.coro.alloca.alloc.i32(i32 8, i32 8)",
        suspend=SUSPEND,
    ),
}
"""Violations for the switch ABI."""
