"""The model in few bytes, as the page has it: each line of text once, in a table, and elsewhere its place in that.

Parts of a coroutine repeat each other's lines, and diffs repeat the parts. `pack` leaves the model as it is; the page's
``unpack.js`` reads what it makes, where it is shown and not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["HOWS", "SIGNS", "pack"]

HOWS = ("load", "store", "address", "define", "use")
"""What a line does with a field, by number."""
SIGNS = " +-@"
"""What the lines of a diff begin with, by number."""


class _Table:
    """Texts by their places."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, texts: Iterable[str]) -> list[int]:
        return [self.places.setdefault(text, len(self.places)) for text in texts]


def _code(code: Mapping[str, Any], table: _Table) -> dict[str, Any]:
    marks = [number for line, how, field in code["marks"] for number in (line, HOWS.index(how), field)]
    return {**code, "lines": table(code["lines"]), "marks": marks}


def _field(field: Mapping[str, Any], table: _Table) -> dict[str, Any]:
    return {**field, **{key: table(field[key]) for key in ("before", "after", "changes")}}


def _coroutine(coroutine: Mapping[str, Any], table: _Table) -> dict[str, Any]:
    return {
        **coroutine,
        "fields": [_field(field, table) for field in coroutine["fields"]],
        "ir": _code(coroutine["ir"], table),
        "parts": [_code(part, table) for part in coroutine["parts"]],
    }


def _change(change: Mapping[str, Any], table: _Table) -> dict[str, Any]:
    """A line of a diff is the place of its text times four, and its sign."""
    texts = table(line[1:] for line in change["diff"])
    return {**change, "diff": [4 * text + SIGNS.index(line[0]) for text, line in zip(texts, change["diff"], strict=True)]}


def pack(model: Mapping[str, Any]) -> dict[str, Any]:
    """What `model` gives, for the page."""
    table = _Table()
    coroutines = [_coroutine(coroutine, table) for coroutine in model["coroutines"]]
    steps = [{**step, "changed": [_change(change, table) for change in step["changed"]]} for step in model["steps"]]
    return {**model, "coroutines": coroutines, "steps": steps, "texts": list(table.places)}
