"""Each instruction and each function on lines of its own, as LLVM prints them and the steps look for them."""

from __future__ import annotations

from pycoro.upgrade.statements import begins, blanked

__all__ = ["apart"]

_INSIDE = {"set", "do", "record", "label", "close"}
_OUTSIDE = {"head", "declaration", "attributes", "global", "target"}


def apart(text: str) -> str:
    r"""The text with line breaks where something begins in the middle of a line.

    >>> from pycoro.upgrade.lines import apart
    >>> print(apart("declare void @g() define void @f() { call void @g() ret void }"))
    declare void @g()
    define void @f() {
    call void @g()
    ret void
    }
    """
    pieces: list[str] = []
    done, inside = 0, False
    for kind, at, after in begins(blanked(text)):
        if kind == "open":
            inside = True
        elif kind in (_INSIDE if inside else _OUTSIDE):
            if after and "\n" not in text[after:at]:
                pieces += [text[done:after], "\n"]
                done = at
            inside = inside and kind != "close"
    return "".join([*pieces, text[done:]])
