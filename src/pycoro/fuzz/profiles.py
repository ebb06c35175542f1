"""Profiles of drawn programs, and their cases for the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycoro._suggest import closest_name_or_empty, unknown_name_message
from pycoro.errors import PipelineError, UsageError
from pycoro.oracle import Case
from pycoro.oracle.lowerings import check_passes
from pycoro.pipeline import DEFAULT
from pycoro.strategies import ALL, SMALL, Options, module
from pycoro.strategies.choices import Choices, Recorded, Seeded
from pycoro.strategies.draw import program
from pycoro.strategies.text import drivers

__all__ = ["PIPELINES", "PROFILES", "TURNS", "ByteChoices", "Drawn", "draw", "from_choices", "named_pipeline_or_pass_string"]

PROFILES: dict[str, Options] = {
    "all": ALL,
    "small": SMALL,
    "built": ALL.but(built=4),
    "quiet": ALL.but(exceptions=False, children=False, fails=False),
    "callers": SMALL.but(callers=3, coroutines=3, callees=("switch",), exceptions=True, parameters=2, variables=2),
    "lives": SMALL.but(lives=True, late=True, locals=True, variables=4, statements=16, addresses=False),
}
"""Bounds of drawn programs, by name.

>>> from pycoro import fuzz
>>> fuzz.PROFILES["small"].abis
('switch',)
"""

_SIMPLIFIED = "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,gvn"
_LOWERED = f"coro-early,function({_SIMPLIFIED}),cgscc(coro-split<reuse-storage>),coro-cleanup"
_CLAIMS = "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),gvn,memcpyopt,dse"

PIPELINES: dict[str, str] = {
    "plain": DEFAULT,
    "reuse": "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup",
    "optimized": f"{_LOWERED},cgscc(inline,function-attrs,function({_CLAIMS}))",
    "whole": f"{_LOWERED},default<O2>",
    "O2": "default<O2>",
}
"""Pass strings that both sides run, by name. In `optimized`, the passes after the split exploit all memory attributes of a
lowering; `whole` adds slow passes that exploit no further attributes.

>>> from pycoro import fuzz
>>> fuzz.PIPELINES["plain"]
'coro-early,cgscc(coro-split),coro-cleanup'
"""

TURNS: tuple[str, ...] = ("plain", "reuse", "optimized") * 3 + ("whole",)
"""Rotation of the pass strings over the shards.

>>> from pycoro import fuzz
>>> set(fuzz.TURNS) <= set(fuzz.PIPELINES)
True
"""


@dataclass(frozen=True)
class Drawn:
    """A drawn program and its cases.

    >>> from pycoro import fuzz
    >>> drawn = fuzz.draw(17, "small")
    >>> fuzz.from_choices(drawn.choices, "small").cases[0].ir == drawn.cases[0].ir
    True
    """

    cases: tuple[Case, ...]
    """One case for each drive; they share the module text."""
    coroutines: int
    choices: tuple[int, ...]
    """The choices; `from_choices` recreates the program from them."""


class ByteChoices(Choices):
    """Choices from the bytes of a coverage-guided fuzzer, followed by the simplest ones."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self.made: list[int] = []

    def draw_below(self, count: int) -> int:
        """Consume as many bytes as the count needs, in little-endian order."""
        size = ((count - 1).bit_length() + 7) // 8
        number = int.from_bytes(self._data[self._at : self._at + size], "little")
        self._at += size
        self.made.append(number % count)
        return number % count


def _draw_program(choices: Seeded | Recorded | ByteChoices, profile: str, name: str) -> Drawn:
    if profile not in PROFILES:
        raise UsageError(unknown_name_message("profile", profile, PROFILES))
    made = program(choices, PROFILES[profile])
    ir = module([made])
    cases = tuple(Case(ir, ramp=function, name=f"{name}, {function}") for function in drivers([made]))
    return Drawn(cases, len(made.coroutines) + len(made.built), tuple(choices.made))


def draw(seed: int | str, profile: str = "all") -> Drawn:
    """Return the program of the seed, reproducibly.

    >>> from pycoro import fuzz
    >>> drawn = fuzz.draw(17, "small")
    >>> [case.ramp for case in drawn.cases][:1], "define" in drawn.cases[0].ir
    (['drive0'], True)
    """
    return _draw_program(Seeded(seed), profile, f"seed {seed} of {profile}")


def from_choices(choices: Sequence[int] | bytes, profile: str = "all") -> Drawn:
    """Return the program of the choices; every sequence, including bytes, is valid.

    >>> from pycoro import fuzz
    >>> fuzz.from_choices(b"", "small").coroutines
    1
    """
    source = ByteChoices(choices) if isinstance(choices, bytes) else Recorded(choices)
    return _draw_program(source, profile, f"choices of {profile}")


def named_pipeline_or_pass_string(name: str) -> str:
    """Return the pass string of that name, or the argument if it is a pass string. Raises ``PipelineError`` or ``UsageError``."""
    try:
        return check_passes(PIPELINES.get(name, name))
    except PipelineError:
        near = closest_name_or_empty(name, PIPELINES)
        if not near:
            raise
        raise UsageError(f"{name!r} is neither a pass string nor a name in fuzz.PIPELINES; did you mean {near!r}?") from None
