"""Reachability with constant propagation through phis, as in sparse conditional constant propagation."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value
from pycoro.lint.body import Body, constant_integer_or_none
from pycoro.lint.constants import successor_for

__all__ = ["blocks_reachable_up_to_end_or_suspend"]

T = TypeVar("T")


class _FlagSensitiveReachability(Generic[T]):
    """Worklist over edges. Frontends merge paths and separate them by a flag: ``phi i1 [ true, %done ], [ false, %suspended ]``. A
    phi with the same constant on all edges taken so far counts as that constant until another edge contradicts it."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.owner: dict[int, T] = {}
        self.edges: set[tuple[int, int]] = set()
        self.known: dict[Instruction, int | None] = {}
        """Values of phis; None for those that are not constant."""
        self.todo: deque[tuple[int, int, T]] = deque()

    def propagate(self) -> None:
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
                self.merge_into_phi(phi, came)
            if new:
                self.add_out_edges_unless_end_or_suspend(block)

    def constant_value(self, value: Value) -> int | None:
        return self.known.get(value) if isinstance(value, Instruction) else constant_integer_or_none(value)

    def merge_into_phi(self, phi: Instruction, came: int) -> None:
        """Merge the value of one more edge into a phi."""
        given = next((value for value, block in phi.incoming if self.body.number[block] == came), None)
        number = None if given is None else self.constant_value(given)
        if phi in self.known and self.known[phi] == number:
            return
        changed = phi in self.known
        self.known[phi] = None if changed else number
        if changed:
            self.revisit_users_of_phi(phi)

    def revisit_users_of_phi(self, phi: Instruction) -> None:
        """Revisit users of a phi that is no longer constant."""
        todo = [phi]
        for changed in todo:
            for user in changed.users:
                if not isinstance(user, Instruction) or user not in self.body.position:
                    continue
                if user.opcode == "phi" and self.known.get(user) is not None:
                    self.known[user] = None
                    todo.append(user)
                elif user.is_terminator and self.body.position[user][0] in self.owner:
                    self.add_out_edges_unless_end_or_suspend(self.body.position[user][0])

    def add_out_edges_unless_end_or_suspend(self, block: int) -> None:
        """Add the out-edges of a block, except after an ``llvm.coro.end``, where clones return, and after a suspend, whose edges
        are queried separately."""
        if block not in self.body.first_end and block not in self.body.suspend_blocks:
            self.todo.extend((block, to, self.owner[block]) for to in self.feasible_successors(block))

    def feasible_successors(self, block: int) -> list[int]:
        body = self.body
        last = body.code[block][-1]
        if last.opcode in ("br", "switch") and len(last.successors) > 1:
            number = self.constant_value(last.operands[0])
            if number is not None:
                return [body.number[successor_for(last, number)]]
        return body.successors[block]


def blocks_reachable_up_to_end_or_suspend(body: Body, starts: Iterable[tuple[int, int, T]]) -> dict[int, T]:
    """Return the blocks reachable from the edges, each with the data of the first edge that reaches it, up to the next
    ``llvm.coro.end`` or suspend."""
    found = _FlagSensitiveReachability[T](body)
    found.todo.extend(starts)
    found.propagate()
    return found.owner
