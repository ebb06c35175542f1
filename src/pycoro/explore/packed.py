"""Compact encoding of the model for the page: a table of distinct text lines, and indices into it.

Clones repeat each other's lines, and diffs repeat the clones. `encode_model_for_page` does not modify the model; ``unpack.js`` of
the page decodes items when they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["HOWS", "SIGNS", "encode_model_for_page"]

HOWS = ("load", "store", "address", "define", "use")
"""Kinds of accesses, by number."""
SIGNS = " +-@"
"""Line prefixes of a diff, by number."""


class _TextTable:
    """Table of distinct texts."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, texts: Iterable[str]) -> list[int]:
        return [self.places.setdefault(text, len(self.places)) for text in texts]


def _pack_code(code: Mapping[str, Any], table: _TextTable) -> dict[str, Any]:
    marks = [number for line, how, field in code["marks"] for number in (line, HOWS.index(how), field)]
    return {**code, "lines": table(code["lines"]), "marks": marks}


def _pack_field(field: Mapping[str, Any], table: _TextTable) -> dict[str, Any]:
    return {**field, **{key: table(field[key]) for key in ("before", "after", "changes")}}


def _pack_coroutine(coroutine: Mapping[str, Any], table: _TextTable) -> dict[str, Any]:
    return {
        **coroutine,
        "fields": [_pack_field(field, table) for field in coroutine["fields"]],
        "ir": _pack_code(coroutine["ir"], table),
        "parts": [_pack_code(part, table) for part in coroutine["parts"]],
    }


def _pack_diff_of_change(change: Mapping[str, Any], table: _TextTable) -> dict[str, Any]:
    """Encode each line of a diff as its text index times four, plus its sign number."""
    texts = table(line[1:] for line in change["diff"])
    return {**change, "diff": [4 * text + SIGNS.index(line[0]) for text, line in zip(texts, change["diff"], strict=True)]}


def encode_model_for_page(model: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the result of `model` for the page."""
    table = _TextTable()
    coroutines = [_pack_coroutine(coroutine, table) for coroutine in model["coroutines"]]
    steps = [{**step, "changed": [_pack_diff_of_change(change, table) for change in step["changed"]]} for step in model["steps"]]
    return {**model, "coroutines": coroutines, "steps": steps, "texts": list(table.places)}
