"""Tokenize textual IR as far as types require: strings, comments and names are single tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["DEPTH", "DEPTH_OF_TYPES", "Token", "index_after_closing_bracket", "tokens"]

_WORDS = re.compile(r"""(?P<space>\s+|;[^\n]*)|(?P<word>[%@$!^#]?c?"(?:[^"])*"|[%@$!^#][-\w$.]+|[-\w$.]+|\.\.\.|.)""", re.DOTALL)
_BRACKETS = re.compile(r'"[^"]*"|;[^\n]*|[()\[\]{}]')
OPENS = {"(": ")", "[": "]", "{": "}", "<": ">"}
CLOSES = {close: open for open, close in OPENS.items()}
DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
"""Change of the nesting depth by each bracket; ``<`` and ``>`` are not counted, because predicates and prose have them too."""
DEPTH_OF_TYPES = {**DEPTH, "<": 1, ">": -1}


@dataclass(slots=True)
class Token:
    """Token with the preceding white space and comments."""

    before: str
    text: str
    opened: int = -1
    """Index of the opening bracket of a closing one."""
    pointee: str = ""
    """Pointee of a ``ptr`` that was a typed pointer."""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens, and an empty one for the text after the last."""
    before = ""
    for found in _WORDS.finditer(text):
        if found["space"] is not None:
            before += found["space"]
        else:
            yield Token(before, found["word"])
            before = ""
    yield Token(before, "")


def index_after_closing_bracket(text: str, opening_index: int) -> int:
    """Return the index after the bracket that closes the one at an index; -1 if there is none."""
    depth = 0
    for found in _BRACKETS.finditer(text, opening_index):
        depth += DEPTH.get(found[0], 0)
        if not depth:
            return found.end()
    return -1
