"""Reduction of IR as text: whatever can go while something stays true of it goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Holds = Callable[[str], bool]
Which = Callable[[Sequence[str]], list[bool]]  # of which of many texts it seems true: cheaper than to ask of each
_CHOICE = re.compile(r"^ *(?:br i1|switch) .*(?:\n +i\d+ .*)*\n", re.MULTILINE)


def _without(pieces: list[str], gone: Sequence[int]) -> list[str]:
    left = set(gone)
    return [piece for number, piece in enumerate(pieces) if number not in left]


def _apart(pieces: list[str], parts: list[list[int]], gone: list[int], holds: Holds) -> list[int]:
    """What can go of parts that can each go alone, and of what is gone already: all, or else what can of each half."""
    more = [number for part in parts for number in part]
    if not parts or holds("".join(_without(pieces, gone + more))):
        return gone + more
    if len(parts) == 1:
        return gone
    middle = len(parts) // 2
    return _apart(pieces, parts[middle:], _apart(pieces, parts[:middle], gone, holds), holds)


def _fewer(pieces: list[str], size: int, holds: Holds, which: Which) -> list[str]:
    """Without the pieces that can go, tried ``size`` at a time, then ever fewer, down to single ones."""
    while size:
        parts = [list(range(start, min(start + size, len(pieces)))) for start in range(0, len(pieces), size)]
        seem = which(["".join(_without(pieces, part)) for part in parts])
        gone = _apart(pieces, [part for part, may in zip(parts, seem, strict=True) if may], [], holds)
        pieces = _without(pieces, gone)
        size = size if gone and size == 1 else size // 2
    return pieces


def _decided(text: str) -> list[str]:
    """The text with one branch or switch less: it goes one of its ways."""
    found = []
    for choice in _CHOICE.finditer(text):
        for way in dict.fromkeys(re.findall(r"label (%[\w.]+)", choice[0])):
            found.append(f"{text[: choice.start()]}  br label {way}\n{text[choice.end() :]}")
    return found


def reduced(text: str, holds: Holds, which: Which) -> str:
    """The text without functions, lines and branches that ``holds`` does not need; it must be true of the whole."""
    text = re.sub(r"\n\s*\n", "\n", text)
    functions = re.split(r"^(?=define|declare|@)", text, flags=re.MULTILINE)
    text = "".join(_fewer(functions, 1, holds, which))
    while True:
        lines = text.splitlines(keepends=True)
        text = "".join(_fewer(lines, len(lines) // 2, holds, which))
        decided = _decided(text)
        shorter = (other for other, may in zip(decided, which(decided), strict=True) if may and holds(other))
        following = next(shorter, None)
        if following is None:
            return text
        text = following
