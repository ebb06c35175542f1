"""Convert a printed module line by line, and collect the constructs that the reader lacks."""

from __future__ import annotations

import re
from typing import NamedTuple

from pycoro._ir_syntax import WORD
from pycoro.downgrade import attributes, instructions, metadata
from pycoro.downgrade.intrinsics import downgrade_intrinsic_false_if_dropped
from pycoro.downgrade.line import Line, ignore_remark
from pycoro.errors import Diagnostic, RejectedError, UsageError
from pycoro.report import Remark

__all__ = ["READERS", "Downgraded", "check_reader_version", "downgrade"]

READERS = (19, 20, 21, 22)
"""LLVM versions whose readers are supported."""

_KEYWORDS = {*attributes.KEYWORDS, *instructions.KEYWORDS}
_CONVERTED = re.compile(
    rf"\b(?:{'|'.join(sorted(_KEYWORDS))})\b|@\"?llvm\.|^target datalayout|#dbg_declare_value|!(?:mem)?prof "
    rf"|{attributes.FLAGS_OF_STRUCT}"
)
_METADATA = re.compile(rf"\b(?:{'|'.join(sorted({*metadata.KEYWORDS, 'ptrtoaddr', 'ptrauth'}))})\b")
_UNKNOWN = re.compile(r'^(!\d+) = !\{!"unknown"', re.MULTILINE)
_LABEL = re.compile(f"^{WORD}:")
_HEAD = re.compile(rf"^define\b[^@\n]*@({WORD})\(")


class Downgraded(NamedTuple):
    """Result of a conversion.

    >>> made = pycoro.downgrade.downgrade("declare void @f(ptr captures(none))", 20)
    >>> made.text, [remark.message for remark in made.remarks]
    ('declare void @f(ptr nocapture)', ['captures(none) becomes nocapture'])
    """

    text: str
    """IR for the reader."""
    remarks: tuple[Remark, ...]
    """Changes in the order of the text; ``name`` is the conversion. Empty if nothing changed."""


def check_reader_version(llvm: object) -> int:
    """Return a supported LLVM version. Raises ``UsageError``."""
    if isinstance(llvm, bool) or not isinstance(llvm, int) or llvm not in READERS:
        raise UsageError(f"llvm must be one of {', '.join(map(str, READERS))}, not {llvm!r}")
    return llvm


def downgrade(text: str, llvm: int) -> Downgraded:
    """Convert textual IR, as LLVM 22 prints it, for the reader of LLVM 19, 20 or 21.

    Hints are dropped or get their older spelling. Raises ``RejectedError`` for constructs that the reader lacks and that change
    what the program does, with a diagnostic for each.

    >>> pycoro.downgrade.downgrade("declare void @f(ptr captures(none))", 20).text
    'declare void @f(ptr nocapture)'
    """
    target = check_reader_version(llvm)
    if target == 22:
        return Downgraded(text, ())
    remarks: list[Remark] = []
    rejected: list[Diagnostic] = []

    def report(conversion: str, function: str, message: str) -> None:
        remarks.append(Remark("downgrade", conversion, function, message, True))

    unknown = frozenset(_UNKNOWN.findall(text))
    layout = re.search(r'^target datalayout = "([^"\n]*)"', text, re.MULTILINE)
    narrow_index_spaces = instructions.address_spaces_with_narrow_index(layout[1]) if layout else frozenset[str]()
    empty = _attribute_groups_that_become_empty(text, target)
    converted = re.compile(rf"{_CONVERTED.pattern}|[ ](?:{'|'.join(sorted(empty))})\b") if empty else _CONVERTED
    renamed = metadata.declaration_nodes_with_other_linkage_name(text) if target < 22 else frozenset[str]()
    function, unused = "", _unused_prefix(text, "coro.end.result.")
    made: list[str] = []
    for number, row in enumerate(text.split("\n")):
        fresh = f"{unused}{number}"
        head = _HEAD.match(row)
        if head is not None:
            function = head[1].strip('"')
        elif row.startswith("}"):
            function = ""
        is_node = row.startswith("!")
        has_other_name = is_node and row.split(" ", 1)[0] in renamed
        if not ((_METADATA if is_node else converted).search(row) or has_other_name) or _LABEL.match(row):
            made.append(row)
            continue
        line = Line.parse(row, target, function, report)
        if is_node:
            metadata.downgrade_metadata(line)
            instructions.replace_or_reject_ptrtoaddr_and_ptrauth(line, narrow_index_spaces)
            if has_other_name:
                metadata.drop_linkage_name(line)
        elif line.line_kind == "attributes" and line.words[1].text in empty:
            line.report_conversion("attribute", f"the attribute group {line.words[1].text} is dropped")
            continue
        elif not _convert_line_false_if_dropped(line, fresh, unknown, narrow_index_spaces):
            continue
        else:
            line.words = [word for word in line.words if word.text not in empty]
        made.append(line.text)
        rejected += [
            Diagnostic(f"{problem}, which LLVM {target} cannot read", fix, function, "", row.strip(), "older-reader")
            for problem, fix in line.rejections
        ]
    if rejected:
        raise RejectedError("", rejected)
    return Downgraded("\n".join(made), tuple(remarks))


def _unused_prefix(text: str, prefix: str) -> str:
    """Return a prefix that no name of the module has."""
    while prefix in text:
        prefix += "x."
    return prefix


def _attribute_groups_that_become_empty(text: str, target: int) -> frozenset[str]:
    """Return the attribute groups without an attribute that the reader has; LLVM 19 does not parse empty groups."""
    found: set[str] = set()
    for row in re.findall(r"^attributes #\d+ = \{[^\n]*", text, re.MULTILINE):
        line = Line.parse(row, target, "", ignore_remark)
        attributes.drop_unsupported_attributes(line)
        if line.next_token_is(line.find_token("{"), "}"):
            found.add(line.words[1].text)
    return frozenset(found)


def _convert_line_false_if_dropped(line: Line, fresh: str, unknown: frozenset[str], narrow_index_spaces: frozenset[str]) -> bool:
    """Convert a line outside metadata; False: it is dropped."""
    if line.line_kind == "record":
        if line.words[0].text == "#dbg_declare_value":
            line.words[0].text = "#dbg_value"
            line.report_conversion("debug-info", "#dbg_declare_value becomes #dbg_value")
        metadata.downgrade_metadata(line)
        instructions.replace_or_reject_ptrtoaddr_and_ptrauth(line, narrow_index_spaces)
        return True
    if line.line_kind == "target":
        instructions.downgrade_data_layout(line)
        return True
    if not downgrade_intrinsic_false_if_dropped(line, fresh):
        return False
    _drop_unsupported_profiles(line, unknown)
    attributes.drop_unsupported_attributes(line)
    attributes.merge_unsupported_memory_locations(line)
    instructions.record_unsupported_instructions(line)
    instructions.record_unsupported_conventions_and_types(line)
    instructions.replace_or_reject_ptrtoaddr_and_ptrauth(line, narrow_index_spaces)
    return True


def _drop_unsupported_profiles(line: Line, unknown_profiles: frozenset[str]) -> None:
    """Drop branch weights that are explicitly unknown, and for LLVM 19 memory profiles, which may have operands that its verifier
    rejects."""
    at = line.find_token("!prof")
    if at >= 0 and line.words[at + 1].text in unknown_profiles:
        _drop_profile_attachment(line, at, "an unknown profile is dropped")
    at = line.find_token("!memprof")
    if at >= 0 and line.target < 20:
        _drop_profile_attachment(line, at, "a memory profile is dropped")


def _drop_profile_attachment(line: Line, token_index: int, message: str) -> None:
    comma = line.words[token_index - 1].text == ","
    line.remove(token_index - 1 if comma else token_index, token_index + 2)
    line.report_conversion("profile", message)
