"""Find and rewrite functions and calls in textual IR."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.upgrade.tokens import index_after_closing_bracket

__all__ = ["Call", "Reporter", "function_ranges", "position_of_first_function_attribute", "replace_calls_inside_functions"]

Reporter: TypeAlias = Callable[[str, str, str], None]
"""Reports a change: step, function, sentence."""

_HEAD = (
    r'^(?P<indent>[ \t]*)(?:(?P<result>%(?:[-\w$.]+|"[^"]*"))[ \t]*=[ \t]*)?'
    r"(?P<how>(?:(?:tail|musttail|notail)[ \t]+)?(?:call|invoke)\b)(?P<type>[^@\n;=]*?)[ \t]*@(?P<name>NAME)[ \t]*\("
)
_UNNAMED = re.compile(r"\s*(?:local_)?unnamed_addr\b")


@dataclass(frozen=True, slots=True)
class Call:
    """Call in textual IR."""

    indent: str
    result: str
    """Result, ``"%x"``; empty without one."""
    how: str
    """Opcode with its tail marker, ``"tail call"``."""
    type: str
    """Text before the callee's name: attributes and the result or function type."""
    name: str
    arguments: tuple[str, ...]
    suffix: str
    """Rest of the line."""
    function: str
    """Name of the enclosing function."""
    body: str
    """Text of the enclosing function."""

    @property
    def is_used(self) -> bool:
        """True if its result is used."""
        uses = rf"(?<![-\w$.]){re.escape(self.result)}(?![-\w$.])"
        return bool(self.result) and len(re.findall(uses, self.body)) > 1

    @property
    def is_numbered(self) -> bool:
        """True if its result has a number, which must stay in sequence."""
        return self.result[1:].isdigit()

    def text(self, type: str, name: str, arguments: Sequence[str], suffix: str) -> str:
        """Return the call with another type, callee, operands and end of the line. A call that returns ``void`` has no result."""
        result = "" if not self.result or type.startswith("void") else f"{self.result} = "
        return f"{self.indent}{result}{self.how} {type} @{name}({', '.join(arguments)}){suffix}"


def function_ranges(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, name) of each function definition."""
    found: list[tuple[int, int, str]] = []
    for head in re.finditer(r'^define\b[^@\n]*@([-\w$.]+|"[^"]*")', text, re.MULTILINE):
        end = text.find("\n}", head.start())
        found.append((head.start(), len(text) if end < 0 else end, head[1].strip('"')))
    return found


def position_of_first_function_attribute(text: str, parameters_end: int) -> int:
    """Return the index of the first attribute of a function whose parameters end at an index."""
    unnamed = _UNNAMED.match(text, parameters_end)
    return unnamed.end() if unnamed else parameters_end


def replace_calls_inside_functions(text: str, name: str, change: Callable[[Call], str | None]) -> str:
    """Replace each call of functions that match a pattern by the result of ``change``; ``None`` keeps it."""
    pattern = re.compile(_HEAD.replace("NAME", name), re.MULTILINE)
    pieces: list[str] = []
    done = 0
    places = function_ranges(text)
    number = 0
    for found in pattern.finditer(text):
        end = index_after_closing_bracket(text, found.end() - 1)
        if end < 0 or found.start() < done:
            continue
        while number + 1 < len(places) and places[number + 1][0] <= found.start():
            number += 1
        start, stop, function = places[number] if places else (0, len(text), "")
        inside = start <= found.start() < stop
        line = text.find("\n", end)
        line = len(text) if line < 0 else line
        given = tuple(split_at_top_level_commas(text[found.end() : end - 1]))
        call = Call(
            found["indent"],
            found["result"] or "",
            found["how"],
            re.sub(r"\.\.\.\s*\)$", "...)", " ".join(found["type"].split())),
            found["name"],
            given,
            text[end:line],
            function,
            text[start:stop],
        )
        replacement = change(call) if inside else None
        if replacement is not None:
            pieces += [text[done : found.start()], replacement]
            done = line
    return "".join([*pieces, text[done:]])
