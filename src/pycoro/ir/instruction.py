"""Instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.ir.look import look
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.ir.block import Block
    from pycoro.ir.function import Function

__all__ = ["Instruction"]


class Instruction(Value):
    """An instruction of a block. What applies to some opcodes alone is ``None`` for the others."""

    __slots__ = ()

    opcode = look(_core.ir_opcode, 'In LLVM\'s words: ``"add"``, ``"call"``, ``"getelementptr"``.')
    parent = look(_core.ir_instruction_parent, "The block.")

    @property
    def block(self) -> Block:
        """The block."""
        return self.parent

    @property
    def function(self) -> Function:
        """The function."""
        return self.parent.parent
