"""What the faults are looked for with: random coroutines, with the ways to lower and to run them."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "props"))
from coroutines import coroutines

PIPELINES = (
    "coro-early,cgscc(coro-split),coro-cleanup",
    "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
    "coro-early,function(sroa,early-cse,simplifycfg),cgscc(coro-split<reuse-storage>),coro-cleanup",
)


@dataclasses.dataclass(frozen=True)
class Sample:
    """A module with a coroutine, how it is lowered, called, and resumed."""

    ir: str
    passes: str
    args: tuple[Any, ...]
    schedules: tuple[tuple[str, ...], ...]

    @property
    def how(self) -> dict[str, Any]:
        return {"args": self.args}


@st.composite
def samples(draw: Any) -> Sample:
    seed = draw(st.integers(0, 100))
    schedules = tuple(("resume", "done") * count + ("destroy",) for count in (0, 1, 2, 4, 7))
    args = (seed, seed / 4, bool(seed % 2))
    return Sample(draw(coroutines()), draw(st.sampled_from(PIPELINES)), args, schedules)
