"""Builder for the body of one function: tracks reachability of the insertion point, source line and created blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycoro.build.spec import Source
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

    __slots__ = ("_ended", "_exit_blocks", "_line", "_user_blocks", "anchor", "complete", "created", "home")

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module)
        self._line: tuple[int, int] | None = None
        self._ended = "the body has not started"
        self._exit_blocks: list[Block] = []
        self._user_blocks: set[Block] = set()
        self.created: list[Block] = []
        self.home = function
        self.complete = False
        self.anchor: Instruction

    # ---- Position ----

    def _move_insertion_point(self, where: Block | Instruction) -> None:
        super()._move_insertion_point(where)
        if self._line is not None:
            self.debug = self._line

    def _position(self, name: str = "") -> tuple[Block | Instruction, Instruction | tuple[int, int] | None, str]:
        if self._where is None:
            raise UsageError(f"cannot build here: {self._ended}. Use at_end(block) to continue elsewhere")
        return super()._position(name)

    @property
    def open(self) -> bool:
        """True if the insertion point is reachable: not after ``return_``, ``break_`` and the like, nor in a block with a
        terminator."""
        return self._where is not None and (isinstance(self._where, Instruction) or self.block.terminator is None)

    def at(self, line: int, column: int = 0) -> None:
        """Set the source location of the following instructions, if the function has a ``source``."""
        if self._line is not None:
            self._line = self.debug = (line, column)

    def describe(self, source: Source) -> None:
        """Enable debug information."""
        self.describe_function(
            self.home, source.file, source.line, directory=source.directory, name=source.name, optimized=source.optimized
        )
        self._line = (source.line, 0)

    def end(self, why: str) -> None:
        """Make the insertion point unreachable; ``why`` is the reason for errors."""
        self._where, self._ended = None, why

    def new_block(self, name: str) -> Block:
        """Create a block, to branch to and to build in by ``at_end``."""
        block = self.internal_block(name)
        self._user_blocks.add(block)
        return block

    def internal_block(self, name: str) -> Block:
        """Create a block that only the builder uses, after the existing blocks and before the exit blocks."""
        if self.complete:
            raise UsageError(f"@{self.home.name} is complete: its with block has ended")
        ends = self._exit_blocks
        block = self.add_block(name, function=self.home, before=ends[min(1, len(ends) - 1)] if ends else None)
        self.created.append(block)
        return block

    def new_exit_block(self, name: str) -> Block:
        """Create an exit block before all others but the one that was created first, which remains the last block."""
        block = self.add_block(name, function=self.home, before=self._exit_blocks[0] if self._exit_blocks else None)
        self.created.append(block)
        self._exit_blocks.append(block)
        return block

    def variable(self, type: TypeLike, value: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """Create an ``alloca`` at the start of the function, initialized here unless the value is None. It may be used after
        suspends and is placed in the frame if necessary."""
        self._position()
        with self.temporary_position(self.anchor):
            made = self.alloca(type, align=align, name=name)
        if name and self._line is not None:
            self.describe_variable(made, name, self._line[0])
        if value is not None:
            self.store(self._value_or_constant(type, value), made, align=align)
        return made

    # ---- Disabled methods of Builder ----

    def ret(self, value: Operand | None = None) -> Instruction:
        """Raise ``UsageError``: use :meth:`return_`, which runs the cleanups."""
        raise UsageError("ret would skip the cleanups; use return_()")

    def resume(self, value: Value) -> Instruction:
        """Raise ``UsageError``: use :meth:`throw_on` for an exception, ``HandleValue(c, handle).resume()`` for a coroutine."""
        raise UsageError(
            "resume would skip the cleanups; use throw_on(exception), or HandleValue(c, handle).resume() for a coroutine"
        )

    # ---- Erasing blocks ----

    def internal_blocks(self) -> set[Block]:
        """Return the blocks that only the builder uses."""
        return set(self.created) - self._user_blocks

    @staticmethod
    def is_used_outside_or_successor_may_have_phi(block: Block, dead: set[Block], own: set[Block]) -> bool:
        """Return whether a block outside ``dead`` branches to the block or uses its values, or is a successor that may have a phi:
        one with phis, or one that the user created."""
        if not dead.issuperset(block.predecessors):
            return True
        users = (user for instruction in block.instructions for user in instruction.users)
        if any(isinstance(user, Instruction) and user.block not in dead for user in users):
            return True
        outside = [successor for successor in block.successors if successor not in dead]
        return not own.issuperset(outside) or any(i.opcode == "phi" for to in outside for i in to.instructions[:1])

    def erase_blocks(self, blocks: Sequence[Block]) -> None:
        """Erase blocks that are referenced only by each other."""
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
        self._exit_blocks = [block for block in self._exit_blocks if not block.is_stale]
