"""Generates presplit coroutines as IR that grow in one dimension each, the N of the benchmarks."""

from __future__ import annotations

import re
from collections.abc import Callable

from parts import AFTER_EACH, END, KEEP, LIFETIME, LIVES, LOADED, MADE, USED, VARIABLE, coroutine, each, suspend

ESCAPES = "  call void @keep(ptr %a{i})\n"


def suspends(n: int) -> str:
    """N consecutive suspends; a different value is live across each."""
    return coroutine(each(n, MADE + AFTER_EACH + USED) + END)


def diamonds(n: int) -> str:
    """N consecutive if-diamonds and one suspend in the middle: many blocks, few values live across a suspend."""
    body = ["  br label %d0\n\n"]
    for i in range(n):
        after = f"d{i + 1}" if i + 1 < n else "out"
        body.append(
            f"d{i}:\n  br i1 %c, label %l{i}, label %r{i}\n\nl{i}:\n  %x{i} = call i64 @make(i64 {i})\n"
            f"  br label %j{i}\n\nr{i}:\n  br label %j{i}\n\nj{i}:\n"
            f"  %p{i} = phi i64 [ %x{i}, %l{i} ], [ %n, %r{i} ]\n  call void @use(i64 %p{i})\n"
        )
        body.append(suspend(0, after) if i == n // 2 else f"  br label %{after}\n\n")
    return coroutine("".join(body) + "out:\n" + END)


def values(n: int) -> str:
    """N values that are all live across N consecutive suspends."""
    return coroutine(each(n, MADE) + each(n, AFTER_EACH) + each(n, USED) + END)


def variables(n: int) -> str:
    """N escaping allocas and N consecutive suspends; one alloca is used after each."""
    return coroutine(each(n, ESCAPES) + each(n, AFTER_EACH + LOADED + USED) + END, each(n, VARIABLE), KEEP)


def spills(n: int) -> str:
    """N values live across one suspend."""
    return coroutine(each(n, MADE) + suspend(0, "b0") + "b0:\n" + each(n, USED) + END)


def lifetimes(n: int) -> str:
    """N allocas with lifetimes, each live across its own suspend."""
    start, end = (f"  call void @llvm.lifetime.{edge}.p0(ptr %a{{i}})\n" for edge in ("start", "end"))
    return coroutine(each(n, start + ESCAPES + AFTER_EACH + LOADED + end) + END, each(n, VARIABLE), LIFETIME)


def relived(n: int) -> str:
    """One alloca with N lifetimes between two suspends, each in its own block."""
    body = each(n, "  br label %l{i}\n\nl{i}:\n" + LIVES)
    return coroutine(f"{suspend(0, 'b0')}b0:\n{body}{suspend(1, 'b1')}b1:\n{END}", "  %a = alloca i64\n", LIFETIME)


def continuations(n: int) -> str:
    """N consecutive suspends of a returned-continuation coroutine: N functions of one step each."""
    body = [
        "define { ptr, i64 } @f(ptr %buffer, i64 %n) {\nentry:\n"
        "  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @free)\n"
        "  %frame = call ptr @llvm.coro.begin(token %id, ptr null)\n  br label %b0\n\n"
    ]
    for i in range(n):
        body.append(
            f"b{i}:\n  %v{i} = call i64 @make(i64 {i})\n"
            f"  %s{i} = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %v{i})\n"
            f"  %w{i} = add i64 %v{i}, %n\n  call void @use(i64 %w{i})\n  br i1 %s{i}, label %end, label %b{i + 1}\n\n"
        )
    body.append(
        f"b{n}:\n  br label %end\n\nend:\n  call void @llvm.coro.end(ptr %frame, i1 false, token none)\n  unreachable\n}}\n\n"
        "declare { ptr, i64 } @prototype(ptr, i1 zeroext)\ndeclare ptr @allocate(i64)\ndeclare void @free(ptr)\n"
        "declare i64 @make(i64)\ndeclare void @use(i64)\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
        "declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)\n"
        "declare i1 @llvm.coro.suspend.retcon.i1(...)\ndeclare void @llvm.coro.end(ptr, i1, token)\n"
    )
    return "".join(body)


def tasks(n: int) -> str:
    """N consecutive suspends of an async coroutine: N functions of one step each."""
    body = [
        "@f.pointer = global <{ i32, i32 }> <{ i32 0, i32 16 }>\n\n"
        "define swifttailcc void @f(ptr swiftasync %context, i64 %n) presplitcoroutine {\nentry:\n"
        "  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.pointer)\n"
        "  %frame = call ptr @llvm.coro.begin(token %id, ptr null)\n"
    ]
    for i in range(n):
        body.append(
            f"  %v{i} = call i64 @make(i64 {i})\n  %r{i} = call ptr @llvm.coro.async.resume()\n"
            f"  %s{i} = call {{ ptr }} (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %r{i}, ptr @same, "
            f"ptr @go, ptr %context, ptr %r{i})\n  %w{i} = add i64 %v{i}, %n\n  call void @use(i64 %w{i})\n"
        )
    body.append(
        "  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %frame, i1 false)\n  unreachable\n}\n\n"
        "define ptr @same(ptr %context) {\n  ret ptr %context\n}\n\n"
        "define swifttailcc void @go(ptr %context, ptr %back) {\n"
        "  musttail call swifttailcc void @next(ptr swiftasync %context, ptr %back)\n  ret void\n}\n\n"
        "declare swifttailcc void @next(ptr swiftasync, ptr)\ndeclare i64 @make(i64)\ndeclare void @use(i64)\n"
        "declare token @llvm.coro.id.async(i32, i32, i32, ptr)\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
        "declare ptr @llvm.coro.async.resume()\ndeclare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)\n"
        "declare void @llvm.coro.end.async(ptr, i1, ...)\n"
    )
    return "".join(body)


DEBUGGED = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "v", scope: !5, file: !1, line: 2, type: !6)
"""


def debugged(ir: str) -> str:
    """Add debug information: every instruction of @f has its own line, and every value describes the variable."""
    before, start, rest = ir.partition("define swifttailcc void @f(" if "define swifttailcc void @f(" in ir else "define ")
    head, _, rest = rest.partition(" {\n")
    body, end, after = rest.partition("\n}\n")
    written, nodes = [], [DEBUGGED]
    for line in body.splitlines():
        ends = line.startswith("  ") and not line.startswith("    ") and not line.endswith("[")
        if ends:
            line += f", !dbg !{9 + len(nodes)}"
            nodes.append(f"!{9 + len(nodes)} = !DILocation(line: {10 + len(nodes)}, column: 3, scope: !5)\n")
        written.append(line)
        if made := re.match(r"  (%v\d+) = call i64 @make", line):
            written.append(f"    #dbg_value(i64 {made[1]}, !7, !DIExpression(), !{8 + len(nodes)})")
    return before + start + head + " !dbg !5 {\n" + "\n".join(written) + end + after + "".join(nodes)


def suspends_debugged(n: int) -> str:
    return debugged(suspends(n))


def continuations_debugged(n: int) -> str:
    return debugged(continuations(n))


def tasks_debugged(n: int) -> str:
    return debugged(tasks(n))


# Each family with its sizes, and the largest size for LLVM, which takes minutes or gigabytes beyond it.
FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...], int]] = {
    "suspends in a row": (suspends, (10, 100, 1000, 10000), 10000),
    "diamonds, one suspend": (diamonds, (2000, 4000, 8000, 16000, 32000, 64000), 16000),
    "values over as many suspends": (values, (10, 100, 1000, 4000), 4000),
    "variables over as many suspends": (variables, (10, 100, 1000, 4000), 4000),
    "continuations in a row": (continuations, (10, 100, 300, 1000, 10000), 300),
    "suspends in a row, -g": (suspends_debugged, (250, 500, 1000, 2000), 2000),
    "continuations in a row, -g": (continuations_debugged, (250, 500, 1000, 2000), 500),
    "async suspends in a row, -g": (tasks_debugged, (250, 500, 1000, 2000), 500),
}
