"""A listing's text as statements, wherever its lines end: an instruction, a label, a head, a brace, or what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["NAME", "Statement", "statements"]

NAME = r'%(?:[-\w$.]*[-\w$]|"[^"]*")'
"""A local name; a dot at its end is an ellipsis's."""
_CALLED = r"(?:(?:tail|musttail|notail)\s+)?(?:call|invoke)\s+(?=[\w{@%(\[<])"
_TYPE = r'(?:void\b|i\d+\b|ptr\b|float\b|double\b|token\b|[\[{<]|%[-\w$."]+[ *])'
_STARTS = {
    "set": rf"{NAME}\s*=(?!=)",
    "global": r'(?:@[-\w$.]+|@"[^"]*"|![-\w$.]+|\$[-\w$.]+)\s*=(?!=)',
    "head": r"define\b",
    "declaration": r"declare\b",
    "target": r"target\s+(?:triple|datalayout)\s*=|source_filename\s*=",
    "attributes": r"attributes\s+#\d+",
    "do": rf"br\s+(?=[%\w])|switch\s+(?=i\d)|(?:ret|store(?:\s+atomic)?(?:\s+volatile)?)\s+(?={_TYPE})|{_CALLED}|resume\s+(?=\{{)|"
    rf"cleanupret\s|catchret\s+from\b|indirectbr\s+ptr\b|callbr\s+(?={_TYPE})|fence\s+(?=syncscope|acquire|release|acq_rel|seq_cst)|"
    r"freeze\s+(?=i1)|unreachable(?![-\w$.:])",
    "label": r'(?:[-\w$.]+|"[^"]*"):(?=\s|$)',
    "left": r"\.\.+(?!\w)",
    "close": r"\}",
}
_START = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _STARTS.items()))
_ANYWHERE = ("set", "global", "target", "head", "declaration", "do")
"""What never stands between brackets, so that one that was not closed ends there."""
_COMMENT = re.compile(r'(?P<text>"[^"\n]*")|;\s*preds\s*=\s*%[-\w$.]+(?:\s*,\s*(?:%[-\w$.]+|\.\.\.))*|(?:;|//)[^\n]*')
_WORD = re.compile(rf'{_CALLED}|[%@$!#]?c?"[^"]*"|[%@$!#]?[-\w$.]+|\S')


class Statement(NamedTuple):
    """A statement without comments, in one line."""

    kind: str
    """A key of the starts; ``open`` for the brace behind a head, and ``prose`` for what is none of them."""
    text: str


def statements(text: str) -> Iterator[Statement]:
    """The statements in their order."""
    # A list of predecessors ends with it, though the line does not.
    text = _COMMENT.sub(lambda found: found["text"] or " ", text)
    begin, kind, depth, at = 0, "prose", 0, 0
    last, closed = 0, False
    """Where the word before ends, and whether the statement has closed a parenthesis by then."""

    def said(end: int) -> Iterator[Statement]:
        if words := " ".join(text[begin:end].split()):
            yield Statement(kind, words)

    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = None if kind in ("set", "global", "target") and text[last - 1] == "=" else _START.match(text, at)
        found = start.lastgroup if start is not None else None
        if found == "label" and kind == "prose" and last > begin and "\n" not in text[last:at]:
            found = None  # a colon among words
        if start is not None and found is not None and (not depth or found in _ANYWHERE):
            yield from said(at)
            begin, kind, depth, at = at, found, 0, start.end()
            last, closed = begin + len(start[0].rstrip()), False
            if found in ("label", "close", "left"):
                yield from said(at)
                begin, kind = at, "prose"
            continue
        word = _WORD.match(text, at)
        assert word is not None
        at = word.end()
        depth = max(0, depth + {"(": 1, "[": 1, "{": 1}.get(word[0], -1 if word[0] in ")]}" else 0))
        if word[0] == "{" and depth == 1 and kind == "head" and closed:
            yield from said(at - 1)
            yield Statement("open", "{")
            begin, kind, depth = at, "prose", 0
        last, closed = at, closed or ")" in word[0]
    yield from said(at)
