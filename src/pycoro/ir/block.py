"""Basic blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.ir.look import look
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pycoro.ir.function import Function
    from pycoro.ir.instruction import Instruction

__all__ = ["Block"]


class Block(Value):
    """A basic block of a function. Iterating gives its instructions.

    >>> loop = pycoro.Module(pycoro.examples.COUNTER).functions["counter"].blocks[3]
    >>> loop.name, [block.name for block in loop.predecessors], [block.name for block in loop.successors]
    ('loop', ['yield', 'begin'], ['yield', 'final'])
    """

    __slots__ = ()

    parent = look(_core.ir_block_parent, "The function.")
    instructions = look(_core.ir_instructions, "In their order.")
    terminator = look(_core.ir_terminator, "The instruction that ends it; ``None`` while it is being built.")

    @property
    def function(self) -> Function:
        """The function."""
        return self.parent

    @property
    def successors(self) -> tuple[Block, ...]:
        """Where control may go from it, each once."""
        terminator = self.terminator
        return tuple(dict.fromkeys(terminator.successors)) if terminator else ()

    @property
    def predecessors(self) -> tuple[Block, ...]:
        """Where control may come from, each once, in no order that means something."""
        return tuple(dict.fromkeys(_core.ir_predecessors(self)))

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def _brief(self) -> str:
        return f"%{self.name}" if self.name else "without a name"
