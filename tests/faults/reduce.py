"""Reduction of IR by lines: whatever can go while something stays true of the text goes."""

from __future__ import annotations

from collections.abc import Callable


def reduced(text: str, holds: Callable[[str], bool]) -> str:
    """The text without the lines that ``holds`` does not need: halves first, then ever smaller pieces, until no single
    line can go. ``holds`` must be true of the text as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    size = max(1, len(lines) // 2)
    while True:
        start, before = 0, len(lines)
        while start < len(lines):
            rest = lines[:start] + lines[start + size :]
            if holds("\n".join(rest) + "\n"):
                lines = rest
            else:
                start += size
        if size == 1 and len(lines) == before:
            return "\n".join(lines) + "\n"
        size = max(1, size // 2)
