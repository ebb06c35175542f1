"""Put each instruction and function on its own line, as the steps expect."""

from __future__ import annotations

from pycoro.upgrade.statements import blank_comments, statement_starts

__all__ = ["split_lines"]

_INSIDE = {"set", "do", "record", "label", "close"}
_OUTSIDE = {"head", "declaration", "attributes", "global", "target"}


def split_lines(text: str) -> str:
    r"""Insert line breaks before statements that start in the middle of a line.

    >>> from pycoro.upgrade.lines import split_lines
    >>> print(split_lines("declare void @g() define void @f() { call void @g() ret void }"))
    declare void @g()
    define void @f() {
    call void @g()
    ret void
    }
    """
    pieces: list[str] = []
    done, inside = 0, False
    for kind, at, after in statement_starts(blank_comments(text)):
        if kind == "open":
            inside = True
        elif kind in (_INSIDE if inside else _OUTSIDE):
            if after and "\n" not in text[after:at]:
                pieces += [text[done:after], "\n"]
                done = at
            inside = inside and kind != "close"
    return "".join([*pieces, text[done:]])
