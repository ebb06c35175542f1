"""How often a coroutine can be resumed at the most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.lint.body import Body, arguments, constant_of
from pycoro.lint.ways import RESUMED, behind

if TYPE_CHECKING:
    from pycoro.ir.instruction import Instruction

__all__ = ["most_resumes"]


def _going_on(body: Body) -> list[list[int]] | None:
    """Of each block, those that it goes to when every suspend of it is resumed; ``None`` where that cannot be told."""
    goes = [list(behind) for behind in body.successors]
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        way = behind(body, suspend, RESUMED)
        final = constant_of(arguments(suspend)[1]) == 1
        if way.block is None and not way.ended and not final:
            return None
        goes[body.place[suspend][0]] = [] if final or way.block is None else [way.block]
    for block in body.end_in:
        goes[block] = []
    return goes


def _weights(body: Body) -> list[int]:
    """Of each block, how many suspends of it can be resumed at."""
    found = [0] * len(body.blocks)
    for suspend in body.calls.get("llvm.coro.suspend", ()):
        found[body.place[suspend][0]] += _resumable(suspend)
    return found


def _resumable(suspend: Instruction) -> int:
    return int(constant_of(arguments(suspend)[1]) != 1)


def most_resumes(body: Body) -> int | None:
    """The most resumes that any way through a coroutine of the switch ABI has; ``None`` where a loop suspends, or it cannot be
    told: a suspend's result is asked for more than once, or what is unwound may come back."""
    known = body.program.resumes
    if body.function not in known:
        known[body.function] = _count(body) if body.switched and not body.calls.get("llvm.coro.await.suspend.handle") else None
    return known[body.function]


def _count(body: Body) -> int | None:
    goes, weights = _going_on(body), _weights(body)
    if goes is None:
        return None
    state = [0] * len(goes)  # 0: not seen, 1: on the way, 2: done
    longest = [0] * len(goes)
    stack = [(0, 0)]
    state[0] = 1
    while stack:
        block, at = stack[-1]
        if at < len(goes[block]):
            stack[-1] = block, at + 1
            to = goes[block][at]
            if state[to] == 1:
                return None  # a loop; one that does not suspend is taken for one that does
            if not state[to]:
                state[to] = 1
                stack.append((to, 0))
            continue
        longest[block] = weights[block] + max((longest[to] for to in goes[block]), default=0)
        state[block] = 2
        stack.pop()
    return longest[0]
