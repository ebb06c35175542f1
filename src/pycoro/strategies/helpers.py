"""Helper functions of drawn programs: they report values, access memory, throw and await."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pycoro.strategies.callers import OWNING
from pycoro.strategies.kinds import reporter_definition, types_that_report_splits_into

__all__ = ["HELPERS", "needed_helpers"]

HELPERS = {
    "alloc_aligned": "declare ptr @alloc_aligned(i64, i64)",
    "free_aligned": "declare void @free_aligned(ptr)",
    "next": "@next = internal global ptr null",
    "with": "@with = internal global ptr null",
    "caller_of": """define internal ptr @caller_of(ptr %context) {
  %caller = load ptr, ptr %context
  ret ptr %caller
}""",
    "project": """define internal ptr @project(ptr %context) {
  ret ptr %context
}""",
    "alloc_frame": "declare ptr @alloc_frame(i64)",
    "free_frame": "declare void @free_frame(ptr)",
    "llvm.coro.id.retcon.once.dynamic": "declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)",
    "allocator": "@allocator = internal global ptr null",
    "alloc_dynamic": """define internal ptr @alloc_dynamic(ptr %frame, ptr %allocator, i64 %size) noinline {
  call void @check_allocator(ptr %allocator, ptr @allocator)
  %whole = add i64 %size, 16
  %memory = call ptr @alloc_frame(i64 %whole)
  store ptr %frame, ptr %memory
  %given = getelementptr i8, ptr %memory, i64 16
  ret ptr %given
}""",
    "free_dynamic": """define internal void @free_dynamic(ptr %frame, ptr %allocator, ptr %given) noinline {
  call void @check_allocator(ptr %allocator, ptr @allocator)
  %memory = getelementptr i8, ptr %given, i64 -16
  %owner = load ptr, ptr %memory
  call void @check_allocator(ptr %owner, ptr %frame)
  call void @free_frame(ptr %memory)
  ret void
}""",
    "check_allocator": """define internal void @check_allocator(ptr %given, ptr %wanted) noinline {
  %equal = icmp eq ptr %given, %wanted
  br i1 %equal, label %fine, label %wrong

fine:
  ret void

wrong:
  call void @llvm.trap()
  unreachable
}""",
    "pick": "declare i32 @pick()",
    "begin_op": "declare void @begin_op(ptr)",
    "_Unwind_RaiseException": "declare i32 @_Unwind_RaiseException(ptr)",
    "__gxx_personality_v0": "declare i32 @__gxx_personality_v0(...)",
    "touch": """define internal void @touch(ptr %p) noinline {
  %v = load i32, ptr %p
  %w = mul i32 %v, 5
  %x = add i32 %w, 1
  store i32 %x, ptr %p
  ret void
}""",
    "raise_error": """define internal swiftcc void @raise_error(i64 %by, ptr swifterror %error) noinline {
  %old = load ptr, ptr %error
  %number = ptrtoint ptr %old to i64
  %sum = add i64 %number, %by
  %new = inttoptr i64 %sum to ptr
  store ptr %new, ptr %error
  ret void
}""",
    "sum": """define internal i32 @sum(ptr %p, ptr %q) noinline {
  %v = load i32, ptr %p
  %w = load i32, ptr %q
  %x = sub i32 %v, %w
  ret i32 %x
}""",
    "keep": """define internal void @keep(ptr %place, ptr %p) noinline {
  store ptr %p, ptr %place
  ret void
}""",
    "exception": "@exception = internal global [32 x i8] zeroinitializer, align 16",
    "may_throw": """define internal i32 @may_throw(i32 %v) noinline uwtable {
  %odd = trunc i32 %v to i1
  br i1 %odd, label %throw, label %fine

fine:
  %more = add i32 %v, 1
  ret i32 %more

throw:
  %never = call i32 @_Unwind_RaiseException(ptr @exception)
  unreachable
}""",
    "await_void": """define internal void @await_void(ptr %awaiter, ptr %frame) {
  %v = load i32, ptr %awaiter
  call void @report_i32(i32 %v)
  ret void
}""",
    "await_bool": """define internal i1 @await_bool(ptr %awaiter, ptr %frame) {
  %v = load i1, ptr %awaiter
  ret i1 %v
}""",
    "await_handle": """define internal ptr @await_handle(ptr %awaiter, ptr %frame) {
  %v = load ptr, ptr %awaiter
  ret ptr %v
}""",
    **OWNING,
}
"""Helpers by name. The host supplies the declared ones, which allocate, free or record; ``_Unwind_RaiseException`` throws."""


def needed_helpers(text: str, reported: Iterable[str], *, nounwind: bool = False) -> list[str]:
    """Return the helpers that the text needs, transitively, if it reports values of the types. With ``nounwind``, declarations
    are nounwind except those that throw.
    """
    found: list[str] = []
    texts = [text]
    while texts:
        for name in sorted(set(re.findall(r"@([\w.]+)", texts.pop()))):
            if name in HELPERS and name not in found:
                found.append(name)
                texts.append(HELPERS[name])
    kinds = {*reported, *(["i32"] if "await_void" in found else [])}
    while more := {part for kind in kinds for part in types_that_report_splits_into(kind)} - kinds:
        kinds |= more
    texts = [HELPERS[name] for name in HELPERS if name in found] + [reporter_definition(kind) for kind in sorted(kinds)]
    return [_nounwind_if_declaration_that_never_throws(text) for text in texts] if nounwind else texts


def _nounwind_if_declaration_that_never_throws(text: str) -> str:
    plain = not text.startswith("declare") or "@_Unwind" in text or "personality" in text
    return text if plain else f"{text} nounwind"
