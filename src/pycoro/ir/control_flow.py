"""Control flow analyses of a function: dominator tree and natural loops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pycoro import _core
from pycoro._escape import printable
from pycoro.errors import UsageError
from pycoro.view import Life

if TYPE_CHECKING:
    from pycoro.ir.block import Block
    from pycoro.ir.function import Function
    from pycoro.ir.instruction import Instruction

__all__ = ["Dominators", "Flow", "Loop"]


class Flow:
    """Snapshot of a function's control flow, by block number. Stale when the module changes."""

    def __init__(self, function: Function) -> None:
        self.life = Life(function.core)
        self.name = function.name
        self.blocks = function.blocks
        self.number = {block: number for number, block in enumerate(self.blocks)}
        empty: tuple[int, ...] = ()
        graph = _core.ir_graph(function) or (empty,) * 6
        self.idom, self.first, self.last, self.loop_of, self.headers, self.parents = graph

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Loops, outer before inner."""
        return tuple(Loop(self, number) for number in range(len(self.headers)))

    def blocks_of_loop(self, loop: int) -> tuple[Block, ...]:
        """Return the blocks of a loop in order."""
        inside = [False] * len(self.headers)
        for number in range(loop, len(inside)):
            inside[number] = number == loop or (self.parents[number] >= 0 and inside[self.parents[number]])
        return tuple(block for block, of in zip(self.blocks, self.loop_of, strict=True) if of >= 0 and inside[of])

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Immediately dominated blocks of each block."""
        found: list[list[int]] = [[] for _ in self.blocks]
        for block, above in enumerate(self.idom):
            if above >= 0 and above != block:
                found[above].append(block)
        return tuple(tuple(blocks) for blocks in found)

    def number_of_block(self, block: Block) -> int:
        """Return the number of a block. Raises ``UsageError`` for a block of another function, ``StaleViewError``."""
        self.life.check_is_current()
        if block not in self.number:
            raise UsageError(f"{block!r} is not a block of @{self.name}")
        return self.number[block]


class Dominators:
    """Dominator tree of a function.

    Like LLVM, every block dominates an unreachable block, and an unreachable block dominates no reachable one. Stale when the
    module changes, even by an edit; get a new one from the function.

    >>> counter = pycoro.Module(pycoro.examples.COUNTER).functions["counter"]
    >>> entry, allocate, begin, *_ = counter.blocks
    >>> counter.dominators.idom(begin).name, counter.dominators.dominates(allocate, begin)
    ('entry', False)
    """

    __slots__ = ("_flow",)

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    @property
    def is_stale(self) -> bool:
        """True if the module has changed or was closed, so that any use raises."""
        return self._flow.life.is_stale

    def is_reachable(self, block: Block) -> bool:
        """Return whether the block is reachable from the entry."""
        return self._flow.idom[self._flow.number_of_block(block)] >= 0

    def idom(self, block: Block) -> Block | None:
        """Return the immediate dominator; ``None`` for the entry and for unreachable blocks."""
        flow, number = self._flow, self._flow.number_of_block(block)
        above = flow.idom[number]
        return flow.blocks[above] if above >= 0 and above != number else None

    def children(self, block: Block) -> tuple[Block, ...]:
        """Return the blocks that it immediately dominates."""
        flow = self._flow
        return tuple(flow.blocks[number] for number in flow.children[flow.number_of_block(block)])

    def dominates(self, a: Block | Instruction, b: Block | Instruction) -> bool:
        """Return whether every path to ``b`` contains ``a``. A block dominates itself and its instructions; of two instructions in
        a block, the earlier dominates the later; an instruction dominates itself."""
        from pycoro.ir.instruction import Instruction

        if isinstance(a, Instruction) and isinstance(b, Instruction) and a.block is b.block:
            self._flow.number_of_block(a.block)
            return next(i for i in a.block.instructions if i is a or i is b) is a
        at, to = (self._flow.number_of_block(x.block if isinstance(x, Instruction) else x) for x in (a, b))
        if at == to:
            return not isinstance(a, Instruction) or a.previous is None
        flow = self._flow
        if flow.idom[to] < 0:
            return True
        return flow.idom[at] >= 0 and flow.first[at] <= flow.first[to] and flow.last[to] <= flow.last[at]

    def __repr__(self) -> str:
        return f"<{'stale ' if self.is_stale else ''}Dominators of @{printable(self._flow.name)}>"


class Loop:
    """Natural loop: a header, and the blocks that reach it again without leaving the region that the header dominates. Loops with
    the same header are one; an irreducible cycle is not a loop. Stale when the module changes.

    >>> [loop] = pycoro.Module(pycoro.examples.COUNTER).functions["sum"].loops
    >>> loop.header.name, loop.depth, [(block.name, to.name) for block, to in loop.exits]
    ('loop', 1, [('loop', 'out')])
    """

    __slots__ = ("_flow", "_number")

    def __init__(self, flow: Flow, number: int) -> None:
        self._flow = flow
        self._number = number

    @property
    def is_stale(self) -> bool:
        """True if the module has changed or was closed, so that any use raises."""
        return self._flow.life.is_stale

    @property
    def header(self) -> Block:
        """Block through which the loop is entered."""
        self._flow.life.check_is_current()
        return self._flow.blocks[self._flow.headers[self._number]]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks in the order of the function, including those of nested loops."""
        self._flow.life.check_is_current()
        return self._flow.blocks_of_loop(self._number)

    @property
    def parent(self) -> Loop | None:
        """Enclosing loop."""
        self._flow.life.check_is_current()
        parent = self._flow.parents[self._number]
        return Loop(self._flow, parent) if parent >= 0 else None

    @property
    def children(self) -> tuple[Loop, ...]:
        """Directly nested loops."""
        self._flow.life.check_is_current()
        return tuple(Loop(self._flow, number) for number, parent in enumerate(self._flow.parents) if parent == self._number)

    @property
    def depth(self) -> int:
        """Nesting depth, 1 for an outermost loop."""
        self._flow.life.check_is_current()
        depth, loop = 0, self._number
        while loop >= 0:
            depth, loop = depth + 1, self._flow.parents[loop]
        return depth

    @property
    def latches(self) -> tuple[Block, ...]:
        """Blocks with an edge back to the header."""
        header = self.header
        return tuple(block for block in header.predecessors if block in self)

    @property
    def exits(self) -> tuple[tuple[Block, Block], ...]:
        """Exit edges: a block of the loop and its successor outside."""
        inside = set(self.blocks)
        return tuple((block, to) for block in self.blocks for to in block.successors if to not in inside)

    def __contains__(self, block: object) -> bool:
        flow = self._flow
        flow.life.check_is_current()
        from pycoro.ir.block import Block  # imports this module

        number = flow.number.get(block, -1) if isinstance(block, Block) else -1
        loop = flow.loop_of[number] if number >= 0 else -1
        while loop > self._number:  # outer loops have smaller numbers
            loop = flow.parents[loop]
        return bool(loop == self._number)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and self._flow is other._flow and self._number == other._number

    def __hash__(self) -> int:
        return hash((id(self._flow), self._number))

    def __repr__(self) -> str:
        if self.is_stale:
            return "<stale Loop>"
        return f"<Loop of {self.header!r}, depth {self.depth}>"
