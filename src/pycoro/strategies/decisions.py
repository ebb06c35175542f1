"""Draw ABIs with decisions that are valid for any coroutine, and otherwise unusual.

A `DrawnABI` is plain data and prints as the expression that recreates it. Its decisions are pure functions of it and the
coroutine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from pycoro.abi import ABI, AsyncABI, Candidate, Fields, RematCandidate, RetconABI, SpillCandidate, SwitchABI
from pycoro.frame import FrameField
from pycoro.strategies.choices import Choices, Seeded
from pycoro.strategies.hooks import Hooks, hooks
from pycoro.strategies.plain import Plain

__all__ = ["DrawnABI", "abi", "sample_abi"]

Order = Literal["own", "reversed", "shuffled"]
ORDERS: tuple[Order, ...] = ("own", "reversed", "shuffled")
GAPS = (0, 1, 8, 60, 500)
QUARTERS = (0, 1, 2, 4)


def _as_method_ignoring_abi(decide: Callable[..., object]) -> Callable[..., object]:
    """Adapt a function to a method that ignores its ABI."""

    def call_without_abi(_: ABI, *about: Any) -> object:
        return decide(*about)

    return call_without_abi


@dataclass(frozen=True, slots=True, repr=False)
class DrawnABI(Plain):
    """Decisions of the ABIs in a pipeline run. The default instance overrides none.

    >>> from pycoro import strategies
    >>> drawn = strategies.decisions.DrawnABI(order="reversed")
    >>> split = pycoro.CoroSplit(abis=drawn.abis)
    >>> report = pycoro.lower(pycoro.examples.COUNTER, ["coro-early", split, "coro-cleanup"])
    >>> [field.name for field in report.coroutines["counter"].frame if not field.is_header]
    ['promise', 'next', 'to']
    """

    seed: int = 0
    """Seed of the random decisions."""
    order: Order = "own"
    """Order of the frame fields: pycoro's, reversed, or random."""
    gap: int = 0
    """Largest gap between fields, in bytes. With gaps, every field has an explicit offset."""
    keep: int = 0
    """Probability in quarters that an optional frame resident is placed contrary to pycoro's choice."""
    spill: int = 0
    """Probability in quarters that a rematerializable value is spilled."""
    hooks: Hooks | None = None
    """Hooks of each ABI."""

    @property
    def abis(self) -> tuple[ABI, ...]:
        """Return the ABIs for ``CoroSplit(abis=...)``: one for each kind, which selects every coroutine that it can lower."""
        return tuple(self._make_abi(kind) for kind in (SwitchABI, RetconABI, AsyncABI))

    def _make_abi(self, kind: type[ABI]) -> ABI:
        members: dict[str, Any] = {"select": _select_always}
        if self.hooks:
            members["hook_module"] = self.hooks.ir_for_abi(kind)
        if self.hooks and self.hooks.values:
            members["header"] = _as_method_ignoring_abi(self._header_values_of_hooks)
        if self.hooks and kind is SwitchABI:
            members["resume_functions"] = "suspend" if self.hooks.each else "dispatch"
        if self.keep:
            members["keep_in_frame"] = _as_method_ignoring_abi(self._draw_opposite_of_keep_in_frame_or_none)
        if self.spill:
            members["rematerialize"] = _as_method_ignoring_abi(self._rematerialize_unless_drawn_to_spill)
        if self.gap:
            members["layout"] = _as_method_ignoring_abi(self._offsets_with_random_gaps)
        elif self.order != "own":
            members["order"] = _as_method_ignoring_abi(self._order_fields)
        drawn: Any = type("Drawn", (kind,), members)
        return cast("ABI", drawn())

    def _header_values_of_hooks(self, _: Candidate) -> Mapping[int, int]:
        return self.hooks.values if self.hooks else {}

    def _random_for(self, *about: object) -> random.Random:
        return random.Random(f"{self.seed}:{about}")

    def _draw_chance(self, quarters: int, *about: object) -> bool:
        return self._random_for(*about).randrange(4) < quarters

    def _draw_opposite_of_keep_in_frame_or_none(self, value: SpillCandidate) -> bool | None:
        if value.obstacle or not self._draw_chance(self.keep, "keep", value.name, value.type):
            return None
        return not value.is_in_frame

    def _rematerialize_unless_drawn_to_spill(self, value: RematCandidate, default: bool) -> bool:
        return default and not self._draw_chance(self.spill, "spill", value.name, value.type)

    def _order_fields(self, fields: Sequence[FrameField]) -> Sequence[FrameField]:
        ordered = list(fields)
        if self.order == "reversed":
            ordered.reverse()
        elif self.order == "shuffled":
            self._random_for("order", [(field.name, field.size) for field in fields]).shuffle(ordered)
        return ordered

    def _offsets_with_random_gaps(self, fields: Fields) -> Mapping[FrameField, int]:
        chance = self._random_for("layout", [(field.name, field.size) for field in fields])
        offsets: dict[FrameField, int] = {}
        end = fields.start
        for field in self._order_fields(fields):
            at = end + chance.randrange(self.gap + 1)
            offsets[field] = -(-at // field.align) * field.align
            end = offsets[field] + field.size
        return offsets


def _select_always(self: ABI, coroutine: Candidate) -> bool:
    return True


def abi(choices: Choices) -> DrawnABI:
    """Draw an ABI; the simplest one overrides nothing.

    >>> from pycoro import strategies
    >>> strategies.decisions.abi(strategies.choices.Recorded([]))
    DrawnABI()
    """
    return DrawnABI(
        choices.integer(0, 999),
        choices.pick(ORDERS),
        choices.pick(GAPS),
        choices.pick(QUARTERS),
        choices.pick(QUARTERS),
        hooks(choices) if choices.chance(1, 2) else None,
    )


def sample_abi(seed: int | str) -> DrawnABI:
    """Return an ABI drawn from the seed: fast, reproducible and without hypothesis.

    >>> from pycoro import strategies
    >>> strategies.sample_abi("a seed") == strategies.decisions.abi(strategies.choices.Seeded("a seed"))
    True
    """
    return abi(Seeded(seed))
