"""Text fragments to build presplit coroutines: a head, suspends, code repeated N times, an end."""

from __future__ import annotations

HEAD = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f(i64 %n, i1 %c) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
"""
TAIL = """\
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i64 @make(i64)
declare void @use(i64)
"""

KEEP = "declare void @keep(ptr)\n"
LIFETIME = KEEP + "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
MADE = "  %v{i} = call i64 @make(i64 {i})\n"
USED = "  call void @use(i64 %v{i})\n"
VARIABLE = "  %a{i} = alloca i64\n"
LOADED = "  %v{i} = load i64, ptr %a{i}\n"
LIVES = "  call void @llvm.lifetime.start.p0(ptr %a)\n  call void @keep(ptr %a)\n  call void @llvm.lifetime.end.p0(ptr %a)\n"
END = "  br label %cleanup\n\n"
TARGET, _, BEGIN = HEAD.partition("define")
BODY_TAIL, _, DECLARED = TAIL.partition("declare")


def each(n: int, text: str) -> str:
    """Return the text N times, with the number for each {i}."""
    return "".join(text.replace("{i}", str(i)) for i in range(n))


def suspend(index: int | str, then: str) -> str:
    return (
        f"  %s{index} = call i8 @llvm.coro.suspend(token none, i1 false)\n"
        f"  switch i8 %s{index}, label %suspend [\n    i8 0, label %{then}\n    i8 1, label %cleanup\n  ]\n\n"
    )


AFTER_EACH = suspend("{i}", "b{i}") + "b{i}:\n"


def coroutine(body: str, variables: str = "", more: str = "") -> str:
    """Return a module with one coroutine. `body` starts in its entry and ends with a branch to %cleanup."""
    return HEAD.replace("entry:\n", "entry:\n" + variables) + body + TAIL + more


def resumed(body: str, variables: str = "", more: str = "") -> str:
    """The same, where `body` starts after a suspend; an alloca %a is initialized before it."""
    stored = "  store i64 %n, ptr %a\n" if variables.startswith("  %a = alloca i64\n") else ""
    return coroutine(f"{stored}{suspend(0, 'begin')}begin:\n{body}", variables, LIFETIME + more)


def small(name: str) -> str:
    """Return a separate coroutine with one suspend, without declarations."""
    return f"define{BEGIN}".replace("@f(", f"@{name}(") + suspend(0, "cleanup") + BODY_TAIL


def module(*functions: str) -> str:
    return TARGET + "\n".join(functions) + "declare" + DECLARED + LIFETIME
