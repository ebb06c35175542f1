"""Upgrade steps for changes of the coroutine intrinsics and the IR around them, each a function over the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from pycoro._dialect import KEYWORD_END, KEYWORD_START
from pycoro._ir_syntax import WORD, split_at_top_level_commas
from pycoro.upgrade.calls import Call, Reporter, position_of_first_function_attribute, replace_calls_inside_functions
from pycoro.upgrade.newer import convert_attributes_of_newer_llvm, convert_float_literals_of_newer_llvm
from pycoro.upgrade.pointers import with_opaque_pointers_and_counts
from pycoro.upgrade.statements import FLOAT
from pycoro.upgrade.swift import convert_swift_dialect
from pycoro.upgrade.tokens import index_after_closing_bracket

__all__ = ["STEPS", "UNUSED", "Step"]

UNUSED = "pycoro.unused"
"""Metadata of placeholders for unused numbered results; they are erased after parsing."""


def _plural(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def convert_typed_pointers(text: str, report: Reporter) -> str:
    """Convert ``i8*`` to ``ptr``, and add the pointee types to attributes."""
    text, changed, named = with_opaque_pointers_and_counts(text)
    if changed:
        report("typed-pointers", "", f"{_plural(changed, 'typed pointer')} converted to ptr")
    if named:
        report("typed-attributes", "", f"{_plural(named, 'attribute')} got the pointee type of their pointer")
    return text


# ---- coro.end ----


def convert_coro_ends_to_void_with_token(text: str, report: Reporter) -> str:
    """Make ``llvm.coro.end`` return void, compute its old result by ``llvm.coro.is_in_ramp``, and add the token of results."""

    def convert_end(call: Call) -> str | None:
        given = [*call.arguments]
        old_token = call.name == "llvm.coro.end" and len(given) == 2
        old_result = re.match(r"i1\b", call.type) is not None
        if not old_token and not old_result:
            return None
        if old_token:
            given.append("token none")
            report("coro-end-token", call.function, "llvm.coro.end gets a third argument, the token of results: none")
        kind = re.sub(r"^i1\b", "void", call.type)
        kind = re.sub(r"\(ptr, i1\)$", "(ptr, i1, token)", kind)
        made = call.text(kind, call.name, given, call.suffix)
        if not old_result:
            return made
        report("coro-end-void", call.function, f"@{call.name} returns void")
        if call.is_used:
            report("coro-end-result", call.function, f"{call.result} becomes the negated llvm.coro.is_in_ramp")
            name = "in.ramp." + re.sub(r"\W", ".", call.result[1:])
            made += f"\n{call.indent}%{name} = call i1 @llvm.coro.is_in_ramp()\n{call.indent}{call.result} = xor i1 %{name}, true"
        elif call.is_numbered or not call.result:
            name = f"{call.result} = " if call.result else ""
            made += f"\n{call.indent}{name}freeze i1 poison, !{UNUSED} !{{}}"
        return made

    return replace_calls_inside_functions(text, r"llvm\.coro\.end(?:\.async)?", convert_end)


# ---- Other calls ----


def make_coro_suspends_return_i8(text: str, report: Reporter) -> str:
    """Make ``llvm.coro.suspend`` return an ``i8``."""

    def convert_suspend(call: Call) -> str | None:
        if not re.match(r"i1\b", call.type) or not call.arguments or not call.arguments[0].startswith("token"):
            return None
        report("coro-suspend-i8", call.function, f"{call.result} is an i8: -1, 0 or 1")
        kind = re.sub(r"^i1\b", "i8", call.type)
        return call.text(kind, call.name, call.arguments, call.suffix)

    return replace_calls_inside_functions(text, r"llvm\.coro\.suspend", convert_suspend)


def replace_coro_param_calls_by_true(text: str, report: Reporter) -> str:
    """Replace the result of ``llvm.coro.param`` by true: parameters are always copied, and optimizations remove needless copies."""

    def remove_param(call: Call) -> str | None:
        report("coro-param", call.function, "llvm.coro.param is removed: the parameter is copied")
        if not call.result:
            return f"{call.indent}; llvm.coro.param"
        return f"{call.indent}{call.result} = or i1 true, true"

    return replace_calls_inside_functions(text, r"llvm\.coro\.param", remove_param)


def remove_calls_of_coro_dead(text: str, report: Reporter) -> str:
    """Remove ``llvm.coro.dead`` of LLVM 23: the escape analysis of the handle does not need it."""

    def comment_instead_of(call: Call) -> str:
        report("coro-dead", call.function, "llvm.coro.dead is removed: LLVM 22 does not have it")
        return f"{call.indent}; llvm.coro.dead"

    return replace_calls_inside_functions(text, r"llvm\.coro\.dead", comment_instead_of)


_CHANGED = r"\bi1 @llvm\.coro\.(?:end|end\.async|suspend)\(|@llvm\.coro\.end\(ptr, i1\)|@llvm\.coro\.(?:param|dead)\("
_DECLARED = re.compile(rf"^declare\b[^@\n]*(?:{_CHANGED})[^\n]*\n?", re.MULTILINE)


def remove_changed_declarations(text: str, report: Reporter) -> str:
    """Remove declarations of changed intrinsics; LLVM adds them where they are called."""
    left, count = _DECLARED.subn("", text)
    if count:
        report("coro-declarations", "", f"{_plural(count, 'declaration')} of changed coroutine intrinsics removed, for LLVM to add")
    return left


# ---- Attributes ----

_OLD = {
    r'"coroutine\.presplit"(?:="[^"]*")?': "the text attribute",
    rf"{KEYWORD_START}presplitcoroutine_custom_abi{KEYWORD_END}": "presplitcoroutine_custom_abi",
}


def mark_coroutines_presplit(text: str, report: Reporter) -> str:
    """Mark coroutines by ``presplitcoroutine``."""
    for old, what in _OLD.items():
        text, count = re.subn(old, "presplitcoroutine", text)
        if count:
            report("presplit-attribute", "", f"presplitcoroutine replaces {what}")
    groups = set(re.findall(r"^attributes (#\d+) = \{[^}]*\bpresplitcoroutine\b", text, re.MULTILINE))
    pieces: list[str] = []
    done = 0
    for head in re.finditer(rf"^define\b[^@\n]*@({WORD})\(", text, re.MULTILINE):
        head_stop = index_after_closing_bracket(text, head.end() - 1)
        opened, end = text.find("{\n", head_stop), text.find("\n}", head_stop)
        if head_stop < 0 or opened < 0:
            continue
        head_end = text[head_stop:opened]
        if (
            "presplitcoroutine" in head_end
            or groups & set(re.findall(r"#\d+", head_end))
            or not _has_own_unsplit_id_and_intrinsic_to_split(text[opened:end])
        ):
            continue
        at = position_of_first_function_attribute(text, head_stop)
        pieces += [text[done:at], " presplitcoroutine"]
        done = at
        report("presplit-attribute", head[1].strip('"'), "the coroutine gets the attribute presplitcoroutine")
    return "".join([*pieces, text[done:]])


def _has_own_unsplit_id_and_intrinsic_to_split(body: str) -> bool:
    """Return whether the body has an unsplit id of its own and an intrinsic to split."""
    found = re.search(r"@llvm\.coro\.id\(", body)
    if not found or not re.search(r"@llvm\.coro\.(?:suspend|end|size|align|alloc|free)\b", body):
        return False
    given = split_at_top_level_commas(body[found.end() : index_after_closing_bracket(body, found.end() - 1) - 1])
    return len(given) == 4 and given[3] == "ptr null"


# ---- Missing declarations ----

_CALL = re.compile(
    r"^[ \t]*(?:%\S+[ \t]*=[ \t]*)?(?:(?:tail|musttail|notail)[ \t]+)?(?:call|invoke)\b(?P<type>[^@\n=;]*?)@"
    rf"(?P<name>(?!llvm\.(?!coro\.id\.retcon\.once\.dynamic\()){WORD})\s*\(",
    re.MULTILINE,
)
_HEAD = r'(?:[^@;="]|"[^"]*"(?:="[^"]*")?)*'
_DEFINED = re.compile(rf"(?:{KEYWORD_START}(?:define|declare)\b{_HEAD}|^[ \t]*)@({WORD})(?=\s*[(=])", re.MULTILINE)
_WORD = rf"(?:void|{FLOAT}|ptr(?: addrspace\(\d+\))?|i\d+|token|metadata|%[-\w$.]+)"


def _first_type_or_empty(text: str) -> str:
    """Return the type at the start of an argument or result; empty if unknown."""
    if text[:1] in "[{<":
        end = index_after_closing_bracket(text.replace("<", "(").replace(">", ")"), 0)
        return text[:end] if end > 0 else ""
    found = re.match(_WORD, text)
    return found[0] if found else ""


def _result_type_without_attributes(text: str) -> str:
    """Return the result type of a call without attributes, with the parameter list of a variadic function."""
    words = text.strip()
    while words:
        found = re.match(r"(?:\w+cc|cc ?\d+|noalias|noundef|nonnull|zeroext|signext|align \d+|\w+\(\d+\))\s+", words)
        if not found:
            break
        words = words[found.end() :]
    return words


def declare_missing_functions(text: str, report: Reporter) -> str:
    """Declare functions that are called but not declared. LLVM declares its own intrinsics."""
    known = set(_DEFINED.findall(text))
    made: list[str] = []
    for found in _CALL.finditer(text):
        name = found["name"]
        end = index_after_closing_bracket(text, found.end() - 1)
        if name in known or end < 0:
            continue
        gives = _result_type_without_attributes(found["type"])
        kind = _first_type_or_empty(gives)
        kinds = [_first_type_or_empty(argument) for argument in split_at_top_level_commas(text[found.end() : end - 1])]
        if not kind or not all(kinds):
            continue
        taken = gives[len(kind) :].strip() or f"({', '.join(kinds)})"
        known.add(name)
        made.append(f"declare {kind} @{name}{taken}")
        report("declaration", name, "declared with the type of its call")
    return "\n".join([text.rstrip("\n"), "", *made, ""]) if made else text


Step: TypeAlias = Callable[[str, Reporter], str]
"""Converts a text, and reports its changes."""

STEPS: tuple[Step, ...] = (
    convert_typed_pointers,
    convert_attributes_of_newer_llvm,
    convert_float_literals_of_newer_llvm,
    convert_swift_dialect,
    convert_coro_ends_to_void_with_token,
    make_coro_suspends_return_i8,
    replace_coro_param_calls_by_true,
    remove_calls_of_coro_dead,
    remove_changed_declarations,
    mark_coroutines_presplit,
    declare_missing_functions,
)
"""Steps in order; each sees the result of the previous ones."""
