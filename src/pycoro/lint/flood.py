"""What is reached from some places, as far as constants that phis are given do not say otherwise."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value
from pycoro.lint.body import Body, constant_of

__all__ = ["flood"]

T = TypeVar("T")
VARIES = None


class _Flood(Generic[T]):
    """Frontends merge ways, and take them apart again by a flag: ``phi i1 [ true, %done ], [ false, %suspended ]``. So a phi whose
    values on all ways that are taken are one constant is that constant, until another way is found to be taken."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.owner: dict[int, T] = {}
        self.edges: set[tuple[int, int]] = set()
        self.known: dict[Instruction, int | None] = {}
        self.todo: deque[tuple[int, int, T]] = deque()

    def run(self) -> None:
        while self.todo:
            came, block, of = self.todo.popleft()
            if (came, block) in self.edges:
                continue
            self.edges.add((came, block))
            new = block not in self.owner
            self.owner.setdefault(block, of)
            for phi in self.body.code[block]:
                if phi.opcode != "phi":
                    break
                self.meet(phi, came)
            if new:
                self.leave(block)

    def value(self, value: Value) -> int | None:
        return self.known.get(value, VARIES) if isinstance(value, Instruction) else constant_of(value)

    def meet(self, phi: Instruction, came: int) -> None:
        """One more way to a phi."""
        given = next((value for value, block in phi.incoming if self.body.number[block] == came), None)
        number = VARIES if given is None else self.value(given)
        if phi in self.known and self.known[phi] == number:
            return
        changed = phi in self.known
        self.known[phi] = VARIES if changed else number
        if changed:
            self.again(phi)

    def again(self, phi: Instruction) -> None:
        """What stands on a phi that was taken for a constant, and is none."""
        todo = [phi]
        for changed in todo:
            for user in changed.users:
                if not isinstance(user, Instruction) or user not in self.body.place:
                    continue
                if user.opcode == "phi" and self.known.get(user, VARIES) is not VARIES:
                    self.known[user] = VARIES
                    todo.append(user)
                elif user.is_terminator and self.body.place[user][0] in self.owner:
                    self.leave(self.body.place[user][0])

    def leave(self, block: int) -> None:
        """The ways out of a block; none behind an ``llvm.coro.end``, where a part other than the ramp is over, nor behind a
        suspend, whose ways are asked for by themselves."""
        if block not in self.body.end_in and block not in self.body.suspends_in:
            self.todo.extend((block, to, self.owner[block]) for to in self.taken(block))

    def taken(self, block: int) -> list[int]:
        body = self.body
        last = body.code[block][-1]
        if last.opcode in ("br", "switch") and len(last.successors) > 1:
            number = self.value(last.operands[0])
            if number is not VARIES and last.opcode == "br":
                return [body.number[last.successors[0 if number else 1]]]
            if number is not VARIES:
                chosen = [to for value, to in last.cases if constant_of(value) == number]
                return [body.number[chosen[0] if chosen else last.successors[0]]]
        return body.successors[block]


def flood(body: Body, starts: Iterable[tuple[int, int, T]]) -> dict[int, T]:
    """The blocks that are reached from edges, each with what belongs to the first edge that it is reached from. What lies behind an
    ``llvm.coro.end`` or a suspend is not."""
    found = _Flood[T](body)
    found.todo.extend(starts)
    found.run()
    return found.owner
