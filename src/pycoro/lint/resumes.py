"""Upper bound on the number of times that a coroutine can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.lint.after_suspend import RESUMED, outcome_of_suspend
from pycoro.lint.body import Body, arguments, constant_integer_or_none

if TYPE_CHECKING:
    from pycoro.ir.instruction import Instruction

__all__ = ["max_resumes"]


def _resumed_successors(body: Body) -> list[list[int]] | None:
    """Return the successors of each block if every suspend is resumed; ``None`` if unknown."""
    successors = [list(targets) for targets in body.successors]
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        outcome = outcome_of_suspend(body, suspend, RESUMED)
        final = constant_integer_or_none(arguments(suspend)[1]) == 1
        if outcome.block is None and not outcome.ended and not final:
            return None
        successors[body.position[suspend][0]] = [] if final or outcome.block is None else [outcome.block]
    for block in body.first_end:
        successors[block] = []
    return successors


def _resumable_suspends_per_block(body: Body) -> list[int]:
    """Return the number of resumable suspends of each block."""
    found = [0] * len(body.blocks)
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        found[body.position[suspend][0]] += _count_if_resumable(suspend)
    return found


def _count_if_resumable(suspend: Instruction) -> int:
    return int(constant_integer_or_none(arguments(suspend)[1]) != 1)


def max_resumes(body: Body) -> int | None:
    """Return the maximum number of resumes on any path through a switch coroutine; ``None`` if a loop suspends or the paths are
    unknown."""
    known = body.program.resumes
    if body.function not in known:
        known[body.function] = (
            _compute_max_resumes(body) if body.is_switch and not body.calls.get("llvm.coro.await.suspend.handle") else None
        )
    return known[body.function]


def _compute_max_resumes(body: Body) -> int | None:
    successors, weights = _resumed_successors(body), _resumable_suspends_per_block(body)
    if successors is None:
        return None
    state = [0] * len(successors)  # 0: not seen, 1: on the stack, 2: done
    longest = [0] * len(successors)
    stack = [(0, 0)]
    state[0] = 1
    while stack:
        block, at = stack[-1]
        if at < len(successors[block]):
            stack[-1] = block, at + 1
            to = successors[block][at]
            if state[to] == 1:
                return None  # a loop; treated as if it suspends
            if not state[to]:
                state[to] = 1
                stack.append((to, 0))
            continue
        longest[block] = weights[block] + max((longest[to] for to in successors[block]), default=0)
        state[block] = 2
        stack.pop()
    return longest[0]
