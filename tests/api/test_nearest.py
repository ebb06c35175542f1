"""What is said of names that are not there."""

from __future__ import annotations

import pytest

from pycoro._nearest import nearest, unknown


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
    assert nearest(name, iter(names)) == found


def test_the_sentence_names_it_or_lists_some() -> None:
    assert unknown("function", "conter", ["main", "counter"]) == "no function 'conter'; did you mean 'counter'?"
    assert unknown("function", "zebra", ["main", "counter"]) == "no function 'zebra'; there are 'main', 'counter'"
    assert unknown("function", "zebra", ["main"]) == "no function 'zebra'; there is 'main'"
    assert unknown("function", "zebra", []) == "no function 'zebra'; there are none"
    assert unknown("field", "zebra", map(str, range(10))).endswith("'7' and 2 more")
