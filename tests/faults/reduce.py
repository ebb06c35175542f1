"""Reduction of IR as text: whatever can go while something stays true of it goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Holds = Callable[[str], bool]
_CHOICE = re.compile(r"^ *(?:br i1|switch) .*(?:\n +i\d+ .*)*\n", re.MULTILINE)


def _fewer(pieces: list[str], size: int, holds: Holds) -> list[str]:
    """Without the pieces that can go, tried ``size`` at a time, then ever fewer, down to single ones. The last come
    first: what is defined early is used later."""
    while size:
        end = len(pieces)
        while end > 0:
            start = max(0, end - size)
            rest = pieces[:start] + pieces[end:]
            if holds("".join(rest)):
                pieces = rest
            end = start
        size //= 2
    return pieces


def _decided(text: str) -> Iterator[str]:
    """The text with one branch or switch less: it goes one of its ways."""
    for choice in _CHOICE.finditer(text):
        for way in dict.fromkeys(re.findall(r"label (%[\w.]+)", choice[0])):
            yield f"{text[: choice.start()]}  br label {way}\n{text[choice.end() :]}"


def reduced(text: str, holds: Holds) -> str:
    """The text without functions, lines and branches that ``holds`` does not need; it must be true of the whole."""
    text = re.sub(r"\n\s*\n", "\n", text)
    functions = re.split(r"^(?=define|declare|@)", text, flags=re.MULTILINE)
    text = "".join(_fewer(functions, 1, holds))
    while True:
        lines = text.splitlines(keepends=True)
        text = "".join(_fewer(lines, len(lines) // 2, holds))
        decided = next(filter(holds, _decided(text)), None)
        if decided is None:
            return text
        text = decided
