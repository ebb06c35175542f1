"""Suggestions for unknown names in error messages."""

from __future__ import annotations

import pytest

from pycoro._suggest import closest_name, unknown_name


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("conter", ["main", "counter"], "counter"),
        ("@f", ["g", "f"], "f"),
        ("%x", ["y", "x"], "x"),
        ("@", ["f"], ""),
        ("", ["f"], ""),
        ("zebra", ["main", "counter"], ""),
        ("f", [], ""),
    ],
)
def test_the_nearest_name(name: str, names: list[str], found: str) -> None:
    assert closest_name(name, iter(names)) == found


def test_the_sentence_names_it_or_lists_some() -> None:
    assert unknown_name("function", "conter", ["main", "counter"]) == "no function 'conter'; did you mean 'counter'?"
    assert unknown_name("function", "zebra", ["main", "counter"]) == "no function 'zebra'; there are 'main', 'counter'"
    assert unknown_name("function", "zebra", ["main"]) == "no function 'zebra'; there is 'main'"
    assert unknown_name("function", "zebra", []) == "no function 'zebra'; there are none"
    assert unknown_name("field", "zebra", map(str, range(10))).endswith("'7' and 2 more")
