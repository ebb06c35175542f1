"""Test that the cost of an operation grows nearly linearly with its input.

Requires: the operation runs in this process. Guarantees: other processes change no result: processor time counts, and the minima of
alternated runs are compared until they satisfy the bound. Noise only makes single runs slower, so linear operations pass in the
end, and quadratic ones, at 16 times the time for four times the input, never.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["assert_nearly_linear", "processor_seconds"]

ROUNDS = 8


def processor_seconds(action: Callable[[], object]) -> float:
    """Return the processor time of an action in this process."""
    before = time.process_time()
    action()
    return time.process_time() - before


def assert_nearly_linear(prepare: Callable[[int], Callable[[], object]], size: int, slack: float = 0.02) -> None:
    """Assert that four times the size takes less than eight times the time, plus ``slack`` seconds for small inputs. ``prepare``
    returns the timed action on a new input of a size; the small one is timed three times, since its noise could hide growth.
    """
    small, large = [], []
    for _ in range(ROUNDS):
        small += [processor_seconds(prepare(size)) for _ in range(3)]
        large.append(processor_seconds(prepare(4 * size)))
        if min(large) < 8 * min(small) + slack:
            return
    raise AssertionError(f"{min(large):.3f} s for size {4 * size}, {min(small):.3f} s for size {size}, in {ROUNDS} rounds")
