"""Calls in textual IR: where they are, what they give, and what they are given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pycoro.upgrade.tokens import closing, split_arguments

__all__ = ["Call", "places_of", "rewritten"]

_HEAD = (
    r'^(?P<indent>[ \t]*)(?:(?P<result>%(?:[-\w$.]+|"[^"]*"))[ \t]*=[ \t]*)?'
    r"(?P<how>(?:(?:tail|musttail|notail)[ \t]+)?(?:call|invoke)\b)(?P<type>[^@\n;=]*?)[ \t]*@(?P<name>NAME)\("
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call."""

    indent: str
    result: str
    """``"%x"``; empty where it has none."""
    how: str
    """``"tail call"``."""
    type: str
    """What stands between that and the name: attributes, and what it gives, or the function's type."""
    name: str
    arguments: tuple[str, ...]
    behind: str
    """The rest of its line."""
    function: str
    """What it is in."""
    body: str
    """The function's text."""

    @property
    def used(self) -> bool:
        """Whether its result is used."""
        uses = rf"(?<![-\w$.]){re.escape(self.result)}(?![-\w$.])"
        return bool(self.result) and len(re.findall(uses, self.body)) > 1

    @property
    def numbered(self) -> bool:
        """Whether its result has a number for a name, which must not be left out."""
        return self.result[1:].isdigit()


def places_of(text: str) -> list[tuple[int, int, str]]:
    """Of each function that is defined: from where to where, and its name."""
    found: list[tuple[int, int, str]] = []
    for head in re.finditer(r'^define\b[^@\n]*@([-\w$.]+|"[^"]*")', text, re.MULTILINE):
        end = text.find("\n}", head.start())
        found.append((head.start(), len(text) if end < 0 else end, head[1].strip('"')))
    return found


def rewritten(text: str, name: str, change: Callable[[Call], str | None]) -> str:
    """The text with each call of functions whose name a pattern matches as ``change`` gives it; ``None`` leaves it as it is."""
    pattern = re.compile(_HEAD.replace("NAME", name), re.MULTILINE)
    pieces: list[str] = []
    done = 0
    places = places_of(text)
    number = 0
    for found in pattern.finditer(text):
        end = closing(text, found.end() - 1)
        if end < 0 or found.start() < done:
            continue
        while number + 1 < len(places) and places[number + 1][0] <= found.start():
            number += 1
        start, stop, function = places[number] if places else (0, len(text), "")
        inside = start <= found.start() < stop
        line = text.find("\n", end)
        line = len(text) if line < 0 else line
        given = tuple(split_arguments(text[found.end() : end - 1]))
        call = Call(
            found["indent"],
            found["result"] or "",
            found["how"],
            found["type"].strip(),
            found["name"],
            given,
            text[end:line],
            function,
            text[start:stop],
        )
        put = change(call) if inside else None
        if put is not None:
            pieces += [text[done : found.start()], put]
            done = line
    return "".join([*pieces, text[done:]])
