"""Control flow after a suspend for each of its results."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body
from pycoro.lint.constants import fold_if_computed_from_source, successor_for

if TYPE_CHECKING:
    from pycoro.ir.value import Value

__all__ = ["DESTROYED", "RESUMED", "SUSPENDED", "Outcome", "outcome_of_suspend", "successor_for_suspend_result"]

SUSPENDED, RESUMED, DESTROYED = -1, 0, 1
"""Results of ``llvm.coro.suspend``."""

MAX_BLOCKS = 8
"""Maximum number of blocks between a suspend and the branch on its result."""


def _is_suspend_result_or_its_phi(value: Value, suspend: Instruction, predecessor: int, body: Body) -> bool:
    """Return whether a value is the suspend's result, in a block entered from ``predecessor``."""
    if value is suspend:
        return True
    if isinstance(value, Instruction) and value.opcode == "phi" and predecessor >= 0:
        return any(given is suspend and body.number[block] == predecessor for given, block in value.incoming)
    return False


def successor_for_suspend_result(body: Body, block: int, suspend: Instruction, result: int, predecessor: int = -1) -> int | None:
    """Return the successor for a result; ``None`` if the terminator does not depend on it."""
    last = body.code[block][-1]
    if last.opcode not in ("br", "switch") or (last.opcode == "br" and len(last.successors) != 2):
        return None

    def is_suspend_result(value: Value) -> bool:
        return _is_suspend_result_or_its_phi(value, suspend, predecessor, body)

    number = fold_if_computed_from_source(last.operands[0], is_suspend_result, result)
    if number is None:
        return None
    return body.number[successor_for(last, number)]


class Outcome(NamedTuple):
    """Continuation of a coroutine after a suspend with one of its results."""

    block: int | None
    """Block after the branch on the result; ``None`` if the coroutine ended, or if unknown."""
    came: int
    """Its predecessor."""
    ended: bool
    """True if ``llvm.coro.end`` comes first."""
    done: list[Instruction]
    """Instructions executed until then."""


def outcome_of_suspend(body: Body, suspend: Instruction, result: int) -> Outcome:
    """Follow control from a suspend through the branches on its result."""
    block, at = body.position[suspend]
    done: list[Instruction] = []
    came, branched = -1, False
    for _ in range(MAX_BLOCKS):
        to = successor_for_suspend_result(body, block, suspend, result, came)
        if branched and to is None:
            return Outcome(block, came, False, done)
        if block in body.first_end and body.first_end[block] > at:
            return Outcome(None, came, True, done + list(body.code[block][at + 1 : body.first_end[block]]))
        done += body.code[block][at + 1 :]
        branched = branched or to is not None
        if to is None:
            if len(body.successors[block]) != 1:
                return Outcome(None, came, not body.successors[block], done)
            to = body.successors[block][0]
        came, block, at = block, to, -1
    return Outcome(block if branched else None, came, False, done)
