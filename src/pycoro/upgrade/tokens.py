"""The words of textual IR, as far as its types need them: strings, comments and names are one word each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Token", "closing", "split_arguments", "tokens"]

_WORDS = re.compile(r"""(?P<space>\s+|;[^\n]*)|(?P<word>[%@$!^#]?c?"(?:[^"])*"|[%@$!^#][-\w$.]+|[-\w$.]+|\.\.\.|.)""", re.DOTALL)
_BRACKETS = re.compile(r'"[^"]*"|;[^\n]*|[()\[\]{}]')
OPENS = {"(": ")", "[": "]", "{": "}", "<": ">"}
CLOSES = {close: open for open, close in OPENS.items()}


@dataclass(slots=True)
class Token:
    """A word with what stands before it: white space and comments."""

    before: str
    text: str
    opened: int = -1
    """Of a closing bracket, the place of the opening one."""
    pointee: str = ""
    """Of a ``ptr`` that was a typed pointer: what it pointed at."""


def tokens(text: str) -> Iterator[Token]:
    """The words, and an empty one at the end with what stands behind them."""
    before = ""
    for found in _WORDS.finditer(text):
        if found["space"] is not None:
            before += found["space"]
        else:
            yield Token(before, found["word"])
            before = ""
    yield Token(before, "")


def closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one at a place; -1 where none does."""
    depth = 0
    for found in _BRACKETS.finditer(text, at):
        depth += {"(": 1, "[": 1, "{": 1}.get(found[0], -1 if found[0] in ")]}" else 0)
        if not depth:
            return found.end()
    return -1


def split_arguments(text: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    found, depth = [""], 0
    for piece in re.findall(r'"[^"]*"|[^"]', text):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(piece, 0)
        if piece == "," and not depth:
            found.append("")
        else:
            found[-1] += piece
    stripped = [piece.strip() for piece in found]
    return stripped if stripped != [""] else []
