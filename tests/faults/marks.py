"""Marks of the tests with a faulty engine."""

from __future__ import annotations

import shutil

import pytest

NEEDED = ("clang++-22", "llc-22")

FAULTY = [
    pytest.mark.slow,  # the first test builds the engine
    pytest.mark.xdist_group("faults"),  # one process builds it and runs all tests
]
COMPILED = pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason=f"not installed: {NEEDED}")
