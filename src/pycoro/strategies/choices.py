"""Where the choices of a drawn program come from: hypothesis, a seed, or choices that were made before.

All that is drawn is drawn through `Choices.integer`; 0 is always the simplest choice, so that programs get simpler as
choices get smaller and fewer, whoever makes them smaller.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["Choices", "Recorded", "Seeded", "shrink"]

T = TypeVar("T")


class Choices(ABC):
    """A source of choices.

    >>> from pycoro import strategies
    >>> choices = strategies.Seeded(1)
    >>> isinstance(choices, strategies.Choices), choices.integer(3, 3), choices.pick(["only"])
    (True, 3, 'only')
    """

    @abstractmethod
    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``."""

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``; ``low`` is the simplest."""
        return low + self.below(high - low + 1) if high > low else low

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; the first is the simplest."""
        return items[self.below(len(items))] if len(items) > 1 else items[0]

    def chance(self, wins: int, of: int) -> bool:
        """True ``wins`` times ``of`` so many; False is simpler."""
        return wins > 0 and self.below(of) >= of - wins


class Seeded(Choices):
    """Choices of a pseudo-random generator, the same for the same seed. They are kept in ``made``.

    >>> from pycoro import strategies
    >>> first, second = strategies.Seeded(17), strategies.Seeded(17)
    >>> [first.below(100) for _ in range(5)] == [second.below(100) for _ in range(5)]
    True
    >>> len(first.made)
    5
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)
        self.made: list[int] = []

    def below(self, count: int) -> int:
        choice = int(self._random.random() * count)
        self.made.append(choice)
        return choice


class Recorded(Choices):
    """Choices that were made before; where they end, the simplest. What was asked for is kept in ``made``.

    >>> from pycoro import strategies
    >>> choices = strategies.Recorded([3, 1])
    >>> [choices.below(10) for _ in range(4)]
    [3, 1, 0, 0]
    """

    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = iter(choices)
        self.made: list[int] = []

    def below(self, count: int) -> int:
        choice = min(next(self._choices, 0), count - 1)
        self.made.append(choice)
        return choice


def shrink(choices: Sequence[int], interesting: Callable[[Sequence[int]], bool], tries: int = 2000) -> list[int]:
    """Fewer and smaller choices for which ``interesting`` still holds, after at most so many tries.

    Runs of choices are left out, the longest first; then single ones are made smaller. For use with `Recorded`.

    >>> from pycoro import strategies
    >>> strategies.shrink([5, 90, 3, 72, 8], lambda choices: any(choice > 50 for choice in choices))
    [51]
    """
    best, left = list(choices), tries

    def better(candidate: list[int]) -> bool:
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
            _leave_out(lambda: best, better, run, run)
        for run in range(_SHORT, 0, -1):
            _leave_out(lambda: best, better, run, 1)
        _lower(lambda: best, better)
        if best == before:
            break
    return best


_SHORT = 8
"""Runs of up to so many choices are tried wherever they begin: those of one thing of several, mostly."""
_FEW = 48
"""Where no more choices are left, runs of any length are left out behind one that says how many of something there are."""


def _leave_out(best: Callable[[], list[int]], better: Callable[[list[int]], bool], run: int, stride: int) -> None:
    """Leaves runs of so many choices out, the last ones first."""
    start = len(best()) - run
    while start >= 0:
        now = best()
        start -= run if better(now[:start] + now[start + run :]) else stride


def _lower(best: Callable[[], list[int]], better: Callable[[list[int]], bool]) -> None:
    """Makes choices smaller: at best with some left out behind them, as where they said how many of something follow."""
    for place in range(len(best()) - 1, -1, -1):
        if place >= len(best()) or not best()[place]:
            continue
        head, value, tail = best()[:place], best()[place], best()[place + 1 :]
        most = len(tail) if len(best()) <= _FEW else min(len(tail), _SHORT)
        fewer = [[*head, value - 1, *tail[run:]] for run in range(most, 0, -1)]
        smaller = [[*head, lower, *tail] for lower in dict.fromkeys((0, value // 2, value - 1))]
        any(better(candidate) for candidate in [*fewer, *smaller])
