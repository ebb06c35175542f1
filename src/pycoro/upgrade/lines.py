"""Put each call, function head and declaration on a separate line, as the steps expect."""

from __future__ import annotations

import itertools
import re

from pycoro.upgrade.statements import Begin, blank_comments, statement_starts

__all__ = ["put_each_statement_on_one_line"]

_INSIDE = {"set", "do", "record", "label", "close"}
_OUTSIDE = {"head", "declaration", "attributes", "global", "target"}
_CALL = re.compile(r"(?:%\S+\s*=\s*)?(?:(?:tail|musttail|notail)\s+)?(?:call|invoke)\b")
_BREAK = re.compile(r"[ \t]*(;[^\n]*)?\n\s*(?!\s|to\s+label\b)")
"""Line break with the comment before it. The destinations of an invoke stay on their own line."""


def put_each_statement_on_one_line(text: str) -> str:
    r"""Insert line breaks before statements that start in the middle of a line, and join the lines of a call or function head.

    >>> from pycoro.upgrade.lines import put_each_statement_on_one_line
    >>> print(put_each_statement_on_one_line("declare void @g() define void @f() { call void @g() ret void }"))
    declare void @g()
    define void @f() {
    call void @g()
    ret void
    }
    """
    pieces: list[str] = []
    done, inside = 0, False
    text = _join_lines_of_calls_and_heads(text)
    for kind, at, after in statement_starts(blank_comments(text)):
        if kind == "open":
            inside = True
        elif kind in (_INSIDE if inside else _OUTSIDE):
            if after and "\n" not in text[after:at]:
                pieces += [text[done:after], "\n"]
                done = at
            inside = inside and kind != "close"
    return "".join([*pieces, text[done:]])


def _join_lines_of_calls_and_heads(text: str) -> str:
    """Join the lines of each call, function head and declaration; their comments follow them."""
    pieces: list[str] = []
    done = 0
    places = [*statement_starts(blank_comments(text)), Begin("prose", len(text), len(text))]
    for place, following in itertools.pairwise(places):
        start, end = place.at, following.after
        if "\n" in text[start:end] and (place.kind in ("head", "declaration") or _CALL.match(text, start)):
            statement = text[start:end]
            comments = "".join(f" {found[1]}\n" for found in _BREAK.finditer(statement) if found[1])
            pieces += [text[done:start], _BREAK.sub(" ", statement), comments]
            done = end
    return "".join([*pieces, text[done:]])
