"""Where a body is built: a builder that knows whether control gets there, from which line it is, and its function's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycoro.build.given import Source
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Placed"]


class Placed(Builder):
    """Builds the body of one function.

    >>> with pycoro.build.function(pycoro.Module(""), "f") as f:
    ...     f.open, isinstance(f, pycoro.build.Placed)
    ...     f.return_()
    ...     f.open
    (True, True)
    False
    """

    __slots__ = ("_authors", "_ended", "_ends", "_line", "anchor", "home", "made", "whole")

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module)
        self._line: tuple[int, int] | None = None
        self._ended = "the body has not begun"
        self._ends: list[Block] = []
        self._authors: set[Block] = set()
        self.made: list[Block] = []
        self.home = function
        self.whole = False
        self.anchor: Instruction

    # ---- The place ----

    def _move(self, where: Block | Instruction) -> None:
        super()._move(where)
        if self._line is not None:
            self.debug = self._line

    def _position(self, name: str = "") -> tuple[Block | Instruction, Instruction | tuple[int, int] | None, str]:
        if self._where is None:
            raise UsageError(f"nothing is built here: {self._ended}. To build elsewhere, at_end(block)")
        return super()._position(name)

    @property
    def open(self) -> bool:
        """Whether control may get to the place where is built: it does not behind ``return_``, ``break_`` and the like, nor where
        the block has an end already."""
        return self._where is not None and (isinstance(self._where, Instruction) or self.block.terminator is None)

    def at(self, line: int, column: int = 0) -> None:
        """What is built from now on is from that place of the source, until the next ``at``. Nothing, where the function was not
        told its ``source``."""
        if self._line is not None:
            self._line = self.debug = (line, column)

    def describe(self, source: Source) -> None:
        """Has debug information from now on."""
        self.describe_function(
            self.home, source.file, source.line, directory=source.directory, name=source.name, optimized=source.optimized
        )
        self._line = (source.line, 0)

    def end(self, why: str) -> None:
        """Nothing follows here: why, for who tries to build."""
        self._where, self._ended = None, why

    def new_block(self, name: str) -> Block:
        """A new block of the body: to branch to, and to build in by ``at_end``."""
        made = self.own_block(name)
        self._authors.add(made)
        return made

    def own_block(self, name: str) -> Block:
        """A new block that only the builder knows, behind those that there are, and before those that the function ends by."""
        if self.whole:
            raise UsageError(f"@{self.home.name} is whole: its with has ended")
        ends = self._ends
        made = self.add_block(name, function=self.home, before=ends[min(1, len(ends) - 1)] if ends else None)
        self.made.append(made)
        return made

    def new_end(self, name: str) -> Block:
        """A new block among those that the function ends by, before the one that was there first."""
        made = self.add_block(name, function=self.home, before=self._ends[0] if self._ends else None)
        self.made.append(made)
        self._ends.append(made)
        return made

    def variable(self, type: TypeLike, value: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """A variable: an ``alloca`` at the function's start, which holds the value from here on; unset where that is None. It
        may be used behind suspends like any other, and lies in the frame where it has to."""
        self._position()
        with self.standing(self.anchor):
            made = self.alloca(type, align=align, name=name)
        if name and self._line is not None:
            self.describe_variable(made, name, self._line[0])
        if value is not None:
            self.store(self._operand(type, value), made, align=align)
        return made

    # ---- What is elsewhere in a builder ----

    def ret(self, value: Operand | None = None) -> Instruction:
        """``UsageError``: a body is left by :meth:`return_`, which runs the cleanups."""
        raise UsageError("ret would leave out the cleanups: a body ends by return_()")

    def resume(self, value: Value) -> Instruction:
        """``UsageError``: an exception goes on by :meth:`throw_on`, a coroutine by ``Handle(c, handle).resume()``."""
        raise UsageError("resume would leave out the cleanups: throw_on(exception) throws on; Handle(c, handle).resume() resumes")

    # ---- Blocks that go ----

    def own_blocks(self) -> set[Block]:
        """Those that only the builder knows."""
        return set(self.made) - self._authors

    @staticmethod
    def is_known_outside(block: Block, dead: set[Block], own: set[Block]) -> bool:
        """Whether another block than the dead ones leads to it or has a value of it, or is led to by it and may have a phi of it:
        one with phis, or one that is not the builder's own."""
        if not dead.issuperset(block.predecessors):
            return True
        users = (user for instruction in block.instructions for user in instruction.users)
        if any(isinstance(user, Instruction) and user.block not in dead for user in users):
            return True
        outside = [successor for successor in block.successors if successor not in dead]
        return not own.issuperset(outside) or any(i.opcode == "phi" for to in outside for i in to.instructions[:1])

    def erase_blocks(self, blocks: Sequence[Block]) -> None:
        """Erases blocks that only they themselves know."""
        for block in blocks:
            for instruction in block.instructions:
                if instruction.users:
                    kind = instruction.type
                    self.replace(instruction, self.constant(kind, None) if kind.kind == "token" else self.poison(kind))
        for block in blocks:
            for instruction in block.instructions:
                if instruction.opcode == "phi" or instruction.is_terminator:
                    self.erase(instruction)
        for block in blocks:
            self.erase(block)
        self._ends = [block for block in self._ends if not block.stale]
