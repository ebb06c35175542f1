"""The faulty engine, built on first use."""

from __future__ import annotations

import pytest
from faulty import Faulty


@pytest.fixture(scope="session")
def faulty() -> Faulty:
    return Faulty()
