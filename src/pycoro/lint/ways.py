"""Where control goes behind a suspend, for each of the results that it may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pycoro.ir.instruction import Instruction
from pycoro.lint.body import Body, constant_of
from pycoro.lint.constants import folded, wrapped

if TYPE_CHECKING:
    from pycoro.ir.value import Value

__all__ = ["DESTROYED", "RESUMED", "SUSPENDED", "Way", "behind", "chosen"]

SUSPENDED, RESUMED, DESTROYED = -1, 0, 1
"""What ``llvm.coro.suspend`` gives."""

FOLLOWED = 8
"""How many blocks may lie between a suspend and the branch on its result."""


def _tests(value: Value, suspend: Instruction, came: int, body: Body) -> bool:
    """Whether a value is the suspend's result, in a block that was come to from ``came``."""
    if value is suspend:
        return True
    if isinstance(value, Instruction) and value.opcode == "phi" and came >= 0:
        return any(given is suspend and body.number[block] == came for given, block in value.incoming)
    return False


def chosen(body: Body, block: int, suspend: Instruction, result: int, came: int = -1) -> int | None:
    """Where the branch at the end of a block goes on that result; ``None`` where it does not ask for it."""
    last = body.code[block][-1]
    if last.opcode not in ("br", "switch") or (last.opcode == "br" and len(last.successors) != 2):
        return None

    def is_source(value: Value) -> bool:
        return _tests(value, suspend, came, body)

    asked = last.operands[0]
    number = folded(asked, is_source, result)
    if number is None:
        return None
    if last.opcode == "br":
        return body.number[last.successors[0 if number else 1]]
    bits = asked.type.bits or 64
    for value, to in last.cases:
        case = constant_of(value)
        if case is not None and wrapped(case, bits) == number:
            return body.number[to]
    return body.number[last.successors[0]]


class Way(NamedTuple):
    """What becomes of a coroutine behind a suspend, on one of its results."""

    block: int | None
    """Where control is once the result has been asked for; ``None`` where the coroutine has ended, or that cannot be told."""
    came: int
    """The block that it came from."""
    ended: bool
    """Whether an ``llvm.coro.end`` comes first."""
    done: list[Instruction]
    """What is done until then."""


def behind(body: Body, suspend: Instruction, result: int) -> Way:
    """Follows control from a suspend through the branches that ask for its result."""
    block, at = body.place[suspend]
    done: list[Instruction] = []
    came, asked = -1, False
    for _ in range(FOLLOWED):
        to = chosen(body, block, suspend, result, came)
        if asked and to is None:
            return Way(block, came, False, done)
        if block in body.end_in and body.end_in[block] > at:
            return Way(None, came, True, done + list(body.code[block][at + 1 : body.end_in[block]]))
        done += body.code[block][at + 1 :]
        asked = asked or to is not None
        if to is None:
            if len(body.successors[block]) != 1:
                return Way(None, came, not body.successors[block], done)
            to = body.successors[block][0]
        came, block, at = block, to, -1
    return Way(block if asked else None, came, False, done)
