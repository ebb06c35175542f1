"""Order and groups of the tests of a run by several workers."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run slow tests first, so that no worker waits for one at the end."""
    if hasattr(config, "workerinput"):
        _apply_groups(items)
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _apply_groups(items: list[pytest.Item]) -> None:
    """Give tests the ids with which pytest-xdist names their group.

    pytest-xdist 3.8 sets an attribute that pytest 9.2 does not read, so that each worker would create the costly fixtures of a
    group: https://github.com/pytest-dev/pytest-xdist/issues/1386. Other versions need nothing.
    """
    for item in items:
        grouped = vars(item).get("_nodeid", item.nodeid)
        if grouped != item.nodeid:
            item._id = type(item._id).parse(grouped)
