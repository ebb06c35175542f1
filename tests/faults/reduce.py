"""Reduction of IR as text: whatever can go while something stays true of it goes."""

from __future__ import annotations

import re
from collections.abc import Callable


def _fewer(pieces: list[str], size: int, holds: Callable[[str], bool]) -> list[str]:
    """Without the pieces that can go, tried ``size`` at a time, then ever fewer, until no single one can go."""
    while pieces:
        start, before = 0, len(pieces)
        while start < len(pieces):
            rest = pieces[:start] + pieces[start + size :]
            if holds("".join(rest)):
                pieces = rest
            else:
                start += size
        if size == 1 and len(pieces) == before:
            break
        size = max(1, size // 2)
    return pieces


def reduced(text: str, holds: Callable[[str], bool]) -> str:
    """The text without the functions, then without the lines, that ``holds`` does not need; true of it as it is."""
    text = re.sub(r"\n\s*\n", "\n", text)
    functions = re.split(r"^(?=define|declare|@)", text, flags=re.MULTILINE)
    lines = "".join(_fewer(functions, 1, holds)).splitlines(keepends=True)
    return "".join(_fewer(lines, max(1, len(lines) // 4), holds))
