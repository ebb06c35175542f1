"""Split textual IR into statements independently of line breaks: instructions, labels, function heads, braces, ellipses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from pycoro.upgrade.tokens import DEPTH

__all__ = ["FLOAT", "NAME", "Begin", "Statement", "blank_comments", "statement_starts", "statements"]

NAME = r'%(?:[-\w$.]*[-\w$]|"[^"]*")'
"""Local name; a trailing dot belongs to an ellipsis."""
FLOAT = r"half|bfloat|float|double|fp128|x86_fp80|ppc_fp128"
_CALLED = r"(?:(?:tail|musttail|notail)\s+)?(?:call|invoke)\s+(?=[\w{@%(\[<])"
_TYPE = rf'(?:(?:void|i\d+|ptr|token|{FLOAT})\b|target\s*\(|[\[{{<]|%[-\w$."]+[ *])'
_STARTS = {
    "set": rf"{NAME}\s*=(?!=)",
    "global": r'(?:@[-\w$.]+|@"[^"]*"|![-\w$.]+|\$[-\w$.]+)\s*=(?!=)',
    "head": r"define\b",
    "declaration": r"declare\b",
    "target": r"target\s+(?:triple|datalayout)\s*=|source_filename\s*=",
    "attributes": r"attributes\s+#\d+",
    "do": rf"br\s+(?=[%\w])|switch\s+(?=i\d)|(?:ret|store(?:\s+atomic)?(?:\s+volatile)?)\s+(?={_TYPE})|store\s+(?=\.\.)|{_CALLED}|"
    rf"resume\s+(?=[\[{{]|i\d+\s+[\d%]|ptr\s+%|%\S+\s+%)|cleanupret\s|catchret\s+from\b|indirectbr\s+(?={_TYPE})|"
    rf"callbr\s+(?={_TYPE})|fence\s+(?=syncscope|acquire|release|acq_rel|seq_cst)|(?:atomicrmw|cmpxchg)\s+(?=\w+\s)|"
    r"freeze\s+(?=i1)|unreachable(?![-\w$.:])",
    "record": r"#dbg_\w+\s*(?=\()",
    "label": r'(?:[-\w$.]+|"[^"]*"):(?=\s|$)',
    "left": r"\.\.+(?!\w)",
    "close": r"\}",
}
_START = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _STARTS.items()))
_ANYWHERE = ("set", "global", "target", "head", "declaration", "do", "record")
"""Kinds that never appear inside brackets, so they end an unclosed one."""
_DATA = re.compile(r"\b(?:prefix|prologue)\b")
_COMMENT = re.compile(r'"[^"]*"|;[^\n]*')
_PRINTED_COMMENT = re.compile(r'"[^"\n]*"|;\s*preds\s*=\s*%[-\w$.]+(?:\s*,\s*(?:%[-\w$.]+|\.\.\.))*|(?:;|//)[^\n]*')
_WORD = re.compile(rf'{_CALLED}|[%@$!#]?c?"[^"]*"|[%@$!#]?[-\w$.]+|\S')
_AN_OPERAND = re.compile(
    rf"^(?P<opcode>%\S+\s*=\s*[a-z]+(?:[ \t]+[a-z]+)*)$|(?<![-\w$.%@])(?P<type>i\d+|ptr|token|{FLOAT}|void|label|\*)$"
)
"""Pattern after which an operand follows."""
_COMMA_BEHIND = re.compile(r"\.+[ \t]*,")
_NO_OPERAND = re.compile(r"(?:\bto\s+(?!label)|\balloca\s+|\bret\s+(?=void))\S+$")
"""Type at the end of its instruction."""


class Begin(NamedTuple):
    """Start of a statement."""

    kind: str
    """Key of the start patterns; ``open`` for the brace of a body, ``prose`` for other text."""
    at: int
    after: int
    """End of the previous token; only white space and comments are in between."""


class Statement(NamedTuple):
    """Statement without comments, on one line."""

    kind: str
    """Kind as in `Begin`."""
    text: str


def blank_comments(text: str, *, printed: bool = False) -> str:
    """Replace comments by white space; with ``printed``, also those that documents start with ``//`` or break over lines."""

    def blank_comment(found: re.Match[str]) -> str:
        return found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0])

    # A list of predecessors ends before the line does.
    return (_PRINTED_COMMENT if printed else _COMMENT).sub(blank_comment, text)


def _is_ellipsis_an_operand(text: str, begin: int, last: int, at: int) -> bool:
    """Return whether an ellipsis is an operand of the current statement rather than omitted code after it."""
    if text[last - 1] in ",=" or _COMMA_BEHIND.match(text, at):
        return True
    statement = text[begin:last]
    found = _AN_OPERAND.search(statement)
    return found is not None and "\n" not in text[last:at] and not _NO_OPERAND.search(statement)


def statement_starts(text: str) -> Iterator[Begin]:
    """Yield the starts of statements in order; comments must be blanked."""
    begin, kind, depth, at = 0, "prose", 0, 0
    last, closed = 0, False
    # end of the previous token, and whether the statement has closed a parenthesis
    yield Begin("prose", 0, 0)
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = None if kind in ("set", "global", "target") and text[last - 1] == "=" else _START.match(text, at)
        found = start.lastgroup if start is not None else None
        if found == "label" and kind == "prose" and last > begin and "\n" not in text[last:at]:
            found = None  # a colon in prose
        if found == "left" and (kind == "head" or (kind in ("set", "do") and _is_ellipsis_an_operand(text, begin, last, at))):
            found = None
        if start is not None and found is not None and (not depth or found in _ANYWHERE):
            yield Begin(found, at, last)
            begin, kind, depth, at = at, found, 0, start.end()
            last, closed = begin + len(start[0].rstrip()), False
            if found in ("label", "close", "left"):
                yield Begin("prose", at, last)
                begin, kind = at, "prose"
            continue
        word = _WORD.match(text, at)
        assert word is not None
        before, at = at, word.end()
        depth = max(0, depth + DEPTH.get(word[0], 0))
        if word[0] == "{" and depth == 1 and kind == "head" and closed and _opens_function_body(text, begin, at):
            yield Begin("open", before, last)
            yield Begin("prose", at, at)
            begin, kind, depth = at, "prose", 0
        last, closed = at, closed or ")" in word[0]


def _opens_function_body(text: str, head: int, at: int) -> bool:
    """Return whether a brace opens a body; prefix and prologue data of a function has braces too."""
    if not _DATA.search(text, head, at):
        return True
    first = re.compile(r"\s*").match(text, at)
    assert first is not None
    found = _START.match(text, first.end())
    return found is not None and found.lastgroup in ("set", "do", "label", "record", "left")


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a printed listing in order."""
    text = blank_comments(text, printed=True)
    places = [*statement_starts(text), Begin("prose", len(text), len(text))]
    for place, following in itertools.pairwise(places):
        if words := " ".join(text[place.at : following.at].split()):
            yield Statement(place.kind, words)
