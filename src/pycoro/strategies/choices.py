"""Sources of the choices behind a drawn program: hypothesis, a seed, or a recorded sequence.

Every choice is a call of `Choices.draw_below`, and 0 is always the simplest one. Smaller and fewer choices give simpler
programs.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["Choices", "Recorded", "Seeded", "shrink"]

T = TypeVar("T")


class Choices(ABC):
    """Abstract source of choices.

    >>> from pycoro import strategies
    >>> choices = strategies.choices.Seeded(1)
    >>> isinstance(choices, strategies.choices.Choices), choices.integer(3, 3), choices.pick(["only"])
    (True, 3, 'only')
    """

    @abstractmethod
    def draw_below(self, count: int) -> int:
        """Return a number from 0 to ``count - 1``."""

    def integer(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``; ``low`` is the simplest."""
        return low + self.draw_below(high - low + 1) if high > low else low

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items; the first is the simplest."""
        return items[self.draw_below(len(items))] if len(items) > 1 else items[0]

    def chance(self, wins: int, of: int) -> bool:
        """Return True with probability ``wins / of``; False is simpler."""
        return wins > 0 and self.draw_below(of) >= of - wins


class Seeded(Choices):
    """Choices of a pseudo-random generator, reproducible by seed and recorded in ``made``.

    >>> from pycoro import strategies
    >>> first, second = strategies.choices.Seeded(17), strategies.choices.Seeded(17)
    >>> [first.draw_below(100) for _ in range(5)] == [second.draw_below(100) for _ in range(5)]
    True
    >>> len(first.made)
    5
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self.made: list[int] = []

    def draw_below(self, count: int) -> int:
        choice = int(self._random.random() * count)
        self.made.append(choice)
        return choice


class Recorded(Choices):
    """Replay of recorded choices, then the simplest ones; ``made`` records the results.

    >>> from pycoro import strategies
    >>> choices = strategies.choices.Recorded([3, 1])
    >>> [choices.draw_below(10) for _ in range(4)]
    [3, 1, 0, 0]
    """

    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = iter(choices)
        self.made: list[int] = []

    def draw_below(self, count: int) -> int:
        choice = min(next(self._choices, 0), count - 1)
        self.made.append(choice)
        return choice


def shrink(choices: Sequence[int], interesting: Callable[[Sequence[int]], bool], tries: int = 2000) -> list[int]:
    """Return fewer and smaller choices for which ``interesting`` still holds, after at most ``tries`` tries.

    First it deletes runs of choices, longest first; then it lowers single ones. Use the result with `Recorded`.

    >>> from pycoro import strategies
    >>> strategies.choices.shrink([5, 90, 3, 72, 8], lambda choices: any(choice > 50 for choice in choices))
    [51]
    """
    best, left = list(choices), tries

    def replace_best_if_interesting(candidate: list[int]) -> bool:
        nonlocal best, left
        if left <= 0 or candidate == best:
            return False
        left -= 1
        if interesting(candidate):
            best = candidate
            return True
        return False

    while left > 0:
        before = list(best)
        for run in [len(before) >> shift for shift in range(1, len(before).bit_length())]:
            _try_to_delete_runs(lambda: best, replace_best_if_interesting, run, run)
        for run in range(_SHORT, 0, -1):
            _try_to_delete_runs(lambda: best, replace_best_if_interesting, run, 1)
        _try_to_decrease_or_delete_choices(lambda: best, replace_best_if_interesting)
        if best == before:
            break
    return best


_SHORT = 8
"""Runs up to this length are tried at every offset; longer ones only at multiples."""
_FEW = 48
"""Up to this number of choices, runs of any length are deleted together with a decrement of the count before them."""


def _try_to_delete_runs(
    best: Callable[[], list[int]], replace_best_if_interesting: Callable[[list[int]], bool], run_length: int, stride: int
) -> None:
    """Delete runs of that length, the last ones first."""
    start = len(best()) - run_length
    while start >= 0:
        now = best()
        start -= run_length if replace_best_if_interesting(now[:start] + now[start + run_length :]) else stride


def _try_to_decrease_or_delete_choices(
    best: Callable[[], list[int]], replace_best_if_interesting: Callable[[list[int]], bool]
) -> None:
    """Lower choices; also try to delete choices after a lowered one, which may be their count."""
    for place in range(len(best()) - 1, -1, -1):
        if place >= len(best()) or not best()[place]:
            continue
        head, value, tail = best()[:place], best()[place], best()[place + 1 :]
        most = len(tail) if len(best()) <= _FEW else min(len(tail), _SHORT)
        fewer = [[*head, value - 1, *tail[run:]] for run in range(most, 0, -1)]
        smaller = [[*head, lower, *tail] for lower in dict.fromkeys((0, value // 2, value - 1))]
        any(replace_best_if_interesting(candidate) for candidate in [*fewer, *smaller])
