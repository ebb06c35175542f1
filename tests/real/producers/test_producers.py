"""Coroutines of producers other than clang behave as expected when pycoro lowers them; the documentation has the results."""

from __future__ import annotations

import producer_runs as runs
import pytest

GROUPS = runs.grouped()


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(GROUPS), ids=", ".join)
def test_each_producer(key: runs.Key) -> None:
    """The row of the page has the measured counts: `python tests/real/producers/producer_runs.py --write` updates it."""
    if tools := runs.missing(key[3], GROUPS[key][0]):
        pytest.skip(f"{tools} not found")
    row = runs.measured(key, GROUPS[key])
    assert row.wrong == []
    assert runs.line(key, row) in runs.PAGE.read_text().splitlines()


def test_the_page_has_no_other_rows() -> None:
    rows = [line for line in runs.PAGE.read_text().splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    assert {tuple(row.strip("| ").split(" | ")[:4]) for row in rows[1:]} == set(GROUPS)
