"""Random coroutines: pycoro's lowering does what LLVM's does, plain and optimized.

The few that are drawn are the same in every run; PYCORO_EXAMPLES=n draws n fresh ones for each pipeline.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

hypothesis = pytest.importorskip("hypothesis")

from coroutines import coroutines  # noqa: E402
from hypothesis import HealthCheck, given, note, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from test_oracle import PIPELINES  # noqa: E402

from pycoro import oracle  # noqa: E402

EXAMPLES = int(os.environ.get("PYCORO_EXAMPLES", "15"))


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


@pytest.mark.parametrize("passes", PIPELINES.values(), ids=PIPELINES)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="PYCORO_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(ir=coroutines(), seed=st.integers(0, 100))
def test_random_coroutines(both: oracle.Oracle, passes: str, ir: str, seed: int) -> None:
    note(ir)
    schedules = [("resume", "done") * count + ("destroy",) for count in (0, 1, 2, 4, 7)]
    args = (seed, seed / 4, bool(seed % 2))
    for schedule, verdict in zip(schedules, both.compare_all(ir, schedules, args=args, passes=passes), strict=True):
        note(f"{schedule}: {verdict}\n{verdict.ours}")
        assert verdict.equal and verdict.executed
        assert verdict.ours.events[-1] == ("left",)
