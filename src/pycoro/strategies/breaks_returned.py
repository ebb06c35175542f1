"""Edits that break each rule of the retcon and async ABIs in the text of a coroutine.

The coroutine gets a suspend before its body, with ``before`` and ``after`` around that suspend. A coroutine that yields
once has them around its only suspend. ``@SUSPEND`` is the call of a suspend, and ``@F`` the coroutine's name.
"""

from __future__ import annotations

import re

from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.strategies.breaks import FIRST, ODD, SWITCH, Break

__all__ = ["ASYNC", "DYNAMIC", "ONCE", "RETCON"]

_END = r"@llvm\.coro\.end\(ptr %hdl, i1 false, token [\w%]+\)"
_END_ASYNC = r"@llvm\.coro\.end\.async\(ptr %hdl, i1 false"
_ID = r"(@llvm\.coro\.id\.retcon(?:\.once)?)\(i32 (\d+), i32 (\d+),"
_RESULT = r"^define (swiftcc )?(\{ )?ptr"
_UNKNOWN = "  %unknown = call i32 @pick.number()\n  %id = "
_PICK = "declare i32 @pick.number()\n"


_DYNAMIC_ID = r"(@llvm\.coro\.id\.retcon\.once\.dynamic\(i32 -1, i32) \d+,"
_ONE_LESS = ((r"(@llvm\.coro\.id\.retcon\.once\.dynamic\(i32, i32(?:, ptr){5}), ptr\)", r"\1)"),)


_YIELDS = r"(@llvm\.coro\.suspend\.retcon\.\w+)\((.*)\)\n"


def _append_yielded_value(found: re.Match[str]) -> str:
    """Append one value to the yielded ones."""
    return f"{found[1]}({found[2]}{', ' if found[2] else ''}i64 7)\n"


def _replace_first_yielded_value_by_handle(found: re.Match[str]) -> str:
    """Replace a yielded value by one of another type; the first operand is the handle."""
    return f"{found[1]}({', '.join(['ptr %hdl', *split_at_top_level_commas(found[2])[1:]])})\n"


_SHARED = (
    "token-use",
    "unwind-end-in-cleanuppad",
    "unwind-end-outermost",
    "one-begin",
    "one-id",
    "begin-names-id",
    "static-alloca",
    "sized-spill",
    "token-across-suspend",
    "alloca-token",
    "alloca-align",
    "alias-before-begin",
)

_COMMON: dict[str, Break] = {rule: SWITCH[rule] for rule in _SHARED} | {
    "custom-abi": Break(
        SWITCH["custom-abi"].what,
        ((r"@llvm\.coro\.begin\(token %id, ptr null\)", "@llvm.coro.begin.custom.abi(token %id, ptr null, i32 7)"),),
    ),
    "coro-id": Break(
        SWITCH["coro-id"].what,
        ((r"^  %id = .*\n", ""), (r"llvm\.coro\.begin\(token %id", "llvm.coro.begin(token none")),
    ),
    "begin-dominates": Break(SWITCH["begin-dominates"].what, ((FIRST, "  %first = @SUSPEND\n  %id = "),)),
    "suspend-of-abi": Break(
        "a suspend belongs to another ABI", before="%front.other = call i8 @llvm.coro.suspend(token none, i1 false)"
    ),
}

_CONTINUED: dict[str, Break] = _COMMON | {
    "begin-once": Break(
        SWITCH["begin-once"].what,
        (
            (FIRST, ODD + "  %id = "),
            (r"^  %hdl = ", "  br label %again\n\nagain:\n  %hdl = "),
            (
                r"^(  br i1 %\S+, label %\w+, label )%(resume\d+)$",
                r"\1%front.next\n\nfront.next:\n  br i1 %odd, label %again, label %\2",
            ),
        ),
    ),
    "unwind-is-constant": Break(
        "the unwind flag of an end is not a constant",
        ((FIRST, ODD + "  %id = "), (_END, "@llvm.coro.end(ptr %hdl, i1 %odd, token none)")),
    ),
    "id-size-is-constant": Break(
        "the size of the buffer is not a constant", ((FIRST, _UNKNOWN), (_ID, r"\1(i32 %unknown, i32 \3,")), declarations=_PICK
    ),
    "id-align-is-constant": Break(
        "the alignment of the buffer is not a constant", ((FIRST, _UNKNOWN), (_ID, r"\1(i32 \2, i32 %unknown,")), declarations=_PICK
    ),
    "id-align-is-power": Break("the alignment of the buffer is not a power of two", ((_ID, r"\1(i32 \2, i32 12,"),)),
    "id-size-holds-pointer": Break("the buffer is smaller than a pointer", ((_ID, r"\1(i32 4, i32 4,"),)),
    "prototype-is-function": Break(
        "the prototype is not a function", ((r"ptr @F\.prototype,", "ptr @place,"),), declarations="@place = global i32 0\n"
    ),
    "prototype-takes-buffer": Break(
        "the prototype does not take the buffer first", ((r"@F\.prototype\(ptr, i1", "@F.prototype(i64, i1"),)
    ),
    "buffer-is-shared": Break(
        "the buffer is a copy of the caller's", ((r"^(define [^\n]*@F\([^\n]*ptr) %buffer\b", r"\1 byval(i64) %buffer"),)
    ),
    "continuation-comes-first": Break("the first result is not a pointer", ((_RESULT, r"define \1\2i64"),)),
    "allocator": Break("the allocator returns void", ((r"ptr @alloc_frame,", "ptr @free_frame,"),)),
    "deallocator": Break("the deallocator returns a value", ((r"ptr @free_frame\)", "ptr @alloc_frame)"),)),
    "type-id": Break(
        "the id has two type ids",
        ((r"(%id = call token @llvm\.coro\.id\.retcon[.\w]*\(.*\))", r'\1 [ "coro-type-id"(i64 7, i64 9) ]'),),
    ),
    "intrinsic-of-abi": Break(
        "an intrinsic belongs to another ABI", before="%front.memory = call ptr @llvm.coro.free(token %id, ptr %hdl)"
    ),
    "yield-count": Break("a suspend yields one value more", ((_YIELDS, _append_yielded_value),)),
    "yield-type": Break(
        "a suspend yields a value of another type", ((_YIELDS, _replace_first_yielded_value_by_handle),), yields=True
    ),
    "resume-count": Break("the prototype takes one value more", ((r"@F\.prototype\(ptr, i1", "@F.prototype(ptr, i1, i64"),)),
    "resume-type": Break("the prototype takes a value of another type", ((r"@F\.prototype\(ptr, i1", "@F.prototype(ptr, float"),)),
    "end-names-results": Break(
        "the token of an end is not that of results", ((_END, "@llvm.coro.end(ptr %hdl, i1 false, token %id)"),)
    ),
    "end-results": Break(
        "an end has an unexpected result",
        (
            (
                "call void " + _END,
                "%gives = call token (...) @llvm.coro.end.results(i32 1, i8 2, ptr %hdl)\n"
                "  call void @llvm.coro.end(ptr %hdl, i1 false, token %gives)",
            ),
        ),
    ),
    "end-before-return": Break("a continuation returns without an end", ((f"  call void {_END}\n  unreachable", "  @RETURN"),)),
}

RETCON: dict[str, Break] = _CONTINUED | {
    "prototype-returns-as-function": Break(
        "the prototype returns another type",
        ((r"ptr @F\.prototype,", "ptr @other.prototype,"),),
        declarations="declare i64 @other.prototype(ptr, i1)\n",
    ),
}
"""Violations for returned continuations."""


def _move_end_to_new_block(found: re.Match[str]) -> str:
    """Move the end to a new block after the block with its results."""
    return (
        f"  %apart = {found[2] or 'call token (...) @llvm.coro.end.results()'}\n"
        "  br label %far\n\nfar:\n  call void @llvm.coro.end(ptr %hdl, i1 false, token %apart)"
    )


ONCE: dict[str, Break] = _CONTINUED | {
    "yields-once": Break("the coroutine yields twice", twice=True),
    "results-beside-end": Break(
        "the results of an end are in another block",
        (
            (
                f"(?:  (%results\\d+) = (call .*)\n)?  call void {_END}",
                _move_end_to_new_block,
            ),
        ),
    ),
}
"""Violations for coroutines that yield once."""

DYNAMIC: dict[str, Break] = {rule: how for rule, how in ONCE.items() if not rule.startswith("id-")} | {
    "id-align-is-constant": Break(
        "the alignment of the frame is not a constant",
        ((FIRST, _UNKNOWN), (_DYNAMIC_ID, r"\1 %unknown,")),
        declarations=_PICK,
    ),
    "id-align-is-power": Break("the alignment of the frame is not a power of two", ((_DYNAMIC_ID, r"\1 12,"),)),
    "dynamic-operands": Break("the id has no deallocator", ((r", ptr @free_dynamic\)", ")"), *_ONE_LESS)),
    "coroutine-function-pointer": Break("the coroutine function pointer is not a global", ((r"ptr @F\.cfp,", "ptr null,"),)),
    "dynamic-arguments": Break(
        "the allocator is not a parameter", ((r"ptr %allocator, ptr %buffer", "ptr @allocator, ptr %buffer"),)
    ),
    "dynamic-prototype": Break(
        "the prototype does not take the allocator", ((r"@F\.prototype\(ptr, ptr", "@F.prototype(ptr, i64"),)
    ),
    "allocator": Break("an allocator returns void", ((r"ptr @alloc_dynamic,", "ptr @free_dynamic,"),)),
    "deallocator": Break("a deallocator returns a value", ((r"ptr @free_dynamic\)", "ptr @alloc_dynamic)"),)),
    "prototype-takes-buffer": Break(
        "the prototype does not take the frame first", ((r"@F\.prototype\(ptr, ptr", "@F.prototype(i64, ptr"),)
    ),
    "resume-count": Break(
        "the prototype takes one value more", ((r"@F\.prototype\(ptr, ptr, i1", "@F.prototype(ptr, ptr, i1, i64"),)
    ),
    "resume-type": Break(
        "the prototype takes a value of another type", ((r"@F\.prototype\(ptr, ptr, i1", "@F.prototype(ptr, ptr, float"),)
    ),
}
"""Violations for coroutines that yield once in a frame of the caller."""

_CONTEXT = r"@llvm\.coro\.id\.async\(i32 16, i32 16, i32 0, ptr @F\.pointer\)"
_HANDS = r"\(i32 0, ptr (%resume\d+), ptr @project, ptr @F\.hand, ptr %context"


def _break_with_arguments_of_async_id(rule: str, description: str, new_arguments: str) -> tuple[str, Break]:
    return rule, Break(description, ((FIRST, _UNKNOWN), (_CONTEXT, f"@llvm.coro.id.async({new_arguments})")), declarations=_PICK)


def _break_with_arguments_of_async_suspend(rule: str, description: str, new_arguments: str) -> tuple[str, Break]:
    return rule, Break(description, ((FIRST, _UNKNOWN), (_HANDS, f"({new_arguments}")), declarations=_PICK)


ASYNC: dict[str, Break] = (
    _COMMON
    | dict(
        (
            _break_with_arguments_of_async_id(
                "id-size-is-constant", "the size is computed", "i32 %unknown, i32 16, i32 0, ptr @F.pointer"
            ),
            _break_with_arguments_of_async_id(
                "id-align-is-constant", "the alignment is computed", "i32 16, i32 %unknown, i32 0, ptr @F.pointer"
            ),
            _break_with_arguments_of_async_id(
                "id-argument-is-constant",
                "the index of the context parameter is not a constant",
                "i32 16, i32 16, i32 %unknown, ptr @F.pointer",
            ),
            _break_with_arguments_of_async_id(
                "id-align-is-power", "the context is aligned to no power of two", "i32 16, i32 12, i32 0, ptr @F.pointer"
            ),
            _break_with_arguments_of_async_id(
                "id-argument", "no parameter is the context", "i32 16, i32 16, i32 99, ptr @F.pointer"
            ),
            _break_with_arguments_of_async_id(
                "async-function-pointer", "there is no async function pointer", "i32 16, i32 16, i32 0, ptr null"
            ),
            _break_with_arguments_of_async_suspend(
                "async-indices-are-constant",
                "the index of the context result is not a constant",
                r"i32 %unknown, ptr \1, ptr @project, ptr @F.hand, ptr %context",
            ),
            _break_with_arguments_of_async_suspend(
                "async-indices", "no result is the context", r"i32 9, ptr \1, ptr @project, ptr @F.hand, ptr %context"
            ),
            _break_with_arguments_of_async_suspend(
                "async-resume", "a suspend names no resume", "i32 0, ptr null, ptr @project, ptr @F.hand, ptr %context"
            ),
            _break_with_arguments_of_async_suspend(
                "async-projection", "a suspend names no projection", r"i32 0, ptr \1, ptr null, ptr @F.hand, ptr %context"
            ),
            _break_with_arguments_of_async_suspend(
                "async-callee", "nothing is handed over to", r"i32 0, ptr \1, ptr @project, ptr %hdl, ptr %context"
            ),
            _break_with_arguments_of_async_suspend(
                "async-arguments", "a byte is no context", r"i32 0, ptr \1, ptr @project, ptr @F.hand, i8 0"
            ),
        )
    )
    | {
        "begin-once": Break(
            SWITCH["begin-once"].what,
            (
                (FIRST, ODD + "  %id = "),
                (r"^  %hdl = ", "  br label %again\n\nagain:\n  %hdl = "),
                (r"label %start$", "label %first.part"),
                (r"^start:$", "first.part:"),
                (r"^(  %back\d+ = call .*)$", r"\1\n  br i1 %odd, label %again, label %start\n\nstart:"),
            ),
        ),
        "async-returns-void": Break(
            "the coroutine returns a number", ((r"^define swifttailcc void @F\(", "define swifttailcc i64 @F("),)
        ),
        "async-result": Break(
            "the result of a suspend is not a struct",
            before="%front.came = call ptr (i32, ptr, ptr, ...) @llvm.coro.suspend.async.p0(i32 0, ptr %hdl, ptr @project, "
            "ptr @F.hand, ptr %hdl)",
        ),
        "one-suspend-a-resume": Break(
            "two suspends share a resume", ((r"^  (%back\d+ = )(call .*)$", r"  %front.back = \2\n  \1\2"),)
        ),
        "unwind-is-constant": Break(
            "the unwind flag of an end is not a constant",
            ((FIRST, ODD + "  %id = "), (_END_ASYNC, "@llvm.coro.end.async(ptr %hdl, i1 %odd")),
        ),
        "end-results": Break(
            "an end has results",
            before="%gives = call token (...) @llvm.coro.end.results(i32 1)\n"
            "  call void @llvm.coro.end(ptr %hdl, i1 false, token %gives)",
        ),
        "intrinsic-of-abi": Break(
            "an intrinsic belongs to another ABI", before="%front.asks = call i1 @llvm.coro.alloc(token %id)"
        ),
        "alloca-before-begin": SWITCH["alloca-before-begin"],
    }
)
"""Violations for async coroutines."""
