"""Basic blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.ir.core_property import core_property
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pycoro.ir.function import Function
    from pycoro.ir.instruction import Instruction

__all__ = ["Block"]


class Block(Value):
    """Basic block of a function. Iterating yields its instructions.

    >>> loop = pycoro.Module(pycoro.examples.COUNTER).functions["counter"].blocks[3]
    >>> loop.name, [block.name for block in loop.predecessors], [block.name for block in loop.successors]
    ('loop', ['yield', 'begin'], ['yield', 'final'])
    """

    __slots__ = ()

    parent = core_property(_core.ir_block_parent, "Function with the block.")
    instructions = core_property(_core.ir_instructions, "Instructions in order.")
    terminator = core_property(_core.ir_terminator, "Terminator; ``None`` while the block is under construction.")

    @property
    def function(self) -> Function:
        """Function with the block."""
        return self.parent

    @property
    def successors(self) -> tuple[Block, ...]:
        """Successors without duplicates."""
        terminator = self.terminator
        return tuple(dict.fromkeys(terminator.successors)) if terminator else ()

    @property
    def predecessors(self) -> tuple[Block, ...]:
        """Predecessors without duplicates, in unspecified order."""
        return tuple(dict.fromkeys(_core.ir_predecessors(self)))

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def _repr_details(self) -> str:
        return f"%{self.name}" if self.name else "unnamed"
