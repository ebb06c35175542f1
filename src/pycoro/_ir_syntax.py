"""Names in textual IR: regular expressions, which other patterns contain, and their quotes."""

from __future__ import annotations

import re

__all__ = ["DEFINITION", "GLOBAL", "LOCAL", "NAME", "WORD", "function_text", "split_at_top_level_commas", "unquote_name"]

WORD = r'(?:[-\w$.]+|"[^"]*")'
"""A name without its sigil, quoted or not; also a label."""

LOCAL = f"%{WORD}"
GLOBAL = f"@{WORD}"
NAME = f"(?:{LOCAL}|{GLOBAL})"

DEFINITION = re.compile(rf'define (?:"[^"]*"|[^"@])*@({WORD})\(')
"""Start of a function definition, with the function's name."""


def unquote_name(name: str) -> str:
    """Return an IR name without quotes and ``\1B`` escapes."""
    if name[:1] != '"':
        return name
    raw = re.sub(r"\\([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), name[1:-1])
    return raw.encode("latin-1", "replace").decode("utf-8", "surrogateescape")


def function_text(ir: str, name: str) -> str:
    """Return the text of a function of a printed module, by its unquoted name; empty if the module does not define it."""
    for head in re.finditer(f"^{DEFINITION.pattern}", ir, re.MULTILINE):
        if unquote_name(head[1]) == name:
            return ir[head.start() : ir.index("\n}", head.end()) + 2]
    return ""


def split_at_top_level_commas(text: str) -> list[str]:
    """Return the arguments, parameters or types of a list, without those of nested lists; none if the text is empty."""
    found, depth = [""], 0
    for piece in re.findall(r'"[^"]*"|[^"]', text):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(piece, 0)
        if piece == "," and not depth:
            found.append("")
        else:
            found[-1] += piece
    stripped = [piece.strip() for piece in found]
    return stripped if stripped != [""] else []
