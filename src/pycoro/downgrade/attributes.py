"""Attributes and instruction flags: hints are dropped or get their older spelling."""

from __future__ import annotations

from pycoro.downgrade.line import Line

__all__ = ["FLAGS_OF_STRUCT", "KEYWORDS", "drop_unsupported_attributes", "merge_unsupported_memory_locations"]

_FIRST = {
    "captures": 21,
    "coro_elide_safe": 20,
    "dead_on_return": 21,
    "nocreateundeforpoison": 22,
    "nodivergencesource": 20,
    "noext": 20,
    "samesign": 20,
    "sanitize_alloc_token": 22,
    "sanitize_realtime": 20,
    "sanitize_realtime_blocking": 20,
    "sanitize_type": 20,
}
"""First LLVM version that prints each attribute or flag. LLVM 20 also reads ``captures``, but its passes use ``nocapture``."""
_FIRST_LOCATION = {"errnomem": 21, "target_mem0": 22, "target_mem1": 22}
_PART_OF = {"errnomem": "other", "target_mem0": "inaccessiblemem", "target_mem1": "inaccessiblemem"}
"""Location of older versions that includes each newer one."""
_KINDS = {"none": 0, "read": 1, "write": 2, "readwrite": 3}
_FAST = {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}
_CASTS = ("fpext", "fptrunc")
_OF_STRUCTS = ("call", "phi", "select")
"""Opcodes that have fast-math flags for structs since LLVM 20."""

KEYWORDS = (*_FIRST, *_FIRST_LOCATION, *_CASTS, "nofpclass")
FLAGS_OF_STRUCT = rf"\b(?:{'|'.join(sorted(_FAST))}) [^\n]*\{{"
"""Pattern of lines that may have fast-math flags for a struct."""


def drop_unsupported_attributes(line: Line) -> None:
    """Drop attributes and flags that the reader does not parse; ``captures(none)`` becomes ``nocapture``."""
    newer = {word for word, first in _FIRST.items() if first > line.target}
    if line.target < 20:
        has_struct = any(word.text == "{" for word in line.words[:-2])  # the last token of a header is the start of the body
        _drop_fast_math_flags(line, (*_CASTS, *(_OF_STRUCTS if has_struct else ())))
        newer |= {"nofpclass"} if has_struct else set()
    at = 0
    while at < len(line.words):
        word = line.words[at].text
        if word not in newer:
            at += 1
            continue
        end = line.closing_bracket_or_last(at + 1) if line.next_token_is(at, "(") else at
        if word == "captures" and [inner.text for inner in line.words[at + 2 : end]] == ["none"]:
            line.words[at].text = "nocapture"
            line.remove(at + 1, end + 1)
            line.report_conversion("attribute", "captures(none) becomes nocapture")
            at += 1
        else:
            line.remove(at, end + 1)
            line.report_conversion("attribute", f"{word} is dropped")


def _drop_fast_math_flags(line: Line, opcodes: tuple[str, ...]) -> None:
    """Drop the fast-math flags after an opcode."""
    for at, word in enumerate(line.words):
        if word.text in opcodes:
            while line.words[at + 1].text in _FAST:
                line.report_conversion("flag", f"{line.words[at + 1].text} of {word.text} is dropped")
                line.remove(at + 1, at + 2)


def merge_unsupported_memory_locations(line: Line) -> None:
    """Merge memory locations that the reader lacks into the location that includes them."""
    newer = {location for location, first in _FIRST_LOCATION.items() if first > line.target}
    at = line.find_token("memory")
    while at >= 0:
        if line.next_token_is(at, "("):
            end = line.closing_bracket_or_last(at + 1)
            inner = [word.text for word in line.words[at + 2 : end]]
            if newer & set(inner):
                line.words[at + 2].text = _memory_operands_without_newer_locations(inner, newer)
                line.words[at + 2].before = ""
                line.remove(at + 3, end)
                line.report_conversion("memory", "memory locations become part of an older location")
        at = line.find_token("memory", at + 1)


def _memory_operands_without_newer_locations(words: list[str], newer: set[str]) -> str:
    """Return the operands of ``memory`` without the newer locations."""
    effects: dict[str, int] = {}
    default, pending = 0, ""
    for at, word in enumerate(words):
        if word in _KINDS:
            if pending:
                effects[pending] = _KINDS[word]
            else:
                default = _KINDS[word]
            pending = ""
        elif word not in (",", ":") and words[at + 1] == ":":
            pending = word
    other = default
    for location in sorted(newer & effects.keys()):
        if _PART_OF[location] == "other":
            other |= effects.pop(location)
        else:
            known = effects.get("inaccessiblemem", default)
            effects["inaccessiblemem"] = known | effects.pop(location)
    if other != default:
        effects = {"argmem": default, "inaccessiblemem": default} | effects
    names = {kind: name for name, kind in _KINDS.items()}
    located = [f"{name}: {names[kind]}" for name, kind in effects.items() if kind != other]
    return ", ".join([*([names[other]] if other or not located else []), *located])
