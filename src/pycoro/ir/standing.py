"""Where a builder stands, and what the operands that it is given stand for."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, cast

from pycoro import _core
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.constant import Constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.making import ConstantLike, constant
from pycoro.ir.types import TypeLike, Types
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from typing import Self

    from pycoro.module import Module

__all__ = ["Debug", "Operand", "Standing"]

Operand: TypeAlias = ConstantLike
"""A value of the module, or what a constant is made of where its type is known from the rest of the instruction."""
Debug: TypeAlias = Instruction | tuple[int, int] | None


class Standing:
    """Stands in a module: nowhere yet, at the end of a block, or before an instruction."""

    __slots__ = ("_core", "_where", "debug")

    debug: Debug
    """Where in the source the instructions are from: as another instruction of the function, or by line and column of it."""

    def __init__(self, where: Module | Function | Block | Instruction) -> None:
        self._where: Block | Instruction | None = None
        self.debug = None
        if isinstance(where, Block | Instruction):
            self._core: _core.Module = where.core
            self._stand(where)
        elif isinstance(where, Function):
            self._core = where.core
        else:
            core = getattr(where, "_core", None)
            if not isinstance(core, _core.Module):
                raise TypeError(f"a builder is of a Module, a Function, a Block or an Instruction, not of {where!r}")
            self._core = core

    # ---- The place ----

    def _stand(self, where: Block | Instruction) -> None:
        if where.core is not self._core:
            raise UsageError("the place is in another module: a builder is of one module")
        self._where = where
        self.debug = where if isinstance(where, Instruction) else None

    def at_end(self, block: Block) -> Self:
        """Builds at the end of the block from now on, with no debug place. Gives the builder."""
        check("a Block is needed", block, Block)
        self._stand(block)
        return self

    def before(self, instruction: Instruction) -> Self:
        """Builds before the instruction from now on, with its debug place. Gives the builder."""
        check("an Instruction is needed", instruction, Instruction)
        self._stand(instruction)
        return self

    def after(self, instruction: Instruction) -> Self:
        """Builds behind the instruction, and behind the phis where it is one, from now on, with its debug place."""
        check("an Instruction is needed", instruction, Instruction)
        following = list(instruction.block.instructions)
        rest = following[following.index(instruction) + 1 :]
        where = next((other for other in rest if instruction.opcode != "phi" or other.opcode != "phi"), None)
        self._stand(where or instruction.block)
        self.debug = instruction
        return self

    def at_start(self, block: Block) -> Self:
        """Builds at the start of the block from now on: behind its phis and its landingpad."""
        check("a Block is needed", block, Block)
        heads = ("phi", "landingpad", "catchpad", "cleanuppad")
        first = next((instruction for instruction in block.instructions if instruction.opcode not in heads), None)
        self._stand(first or block)
        return self

    @contextmanager
    def standing(self, where: Block | Instruction) -> Generator[Self, None, None]:
        """Builds there within ``with``, and where it was behind it."""
        place, debug = self._where, self.debug
        self._stand(where)
        try:
            yield self
        finally:
            self._where, self.debug = place, debug

    @property
    def block(self) -> Block:
        """The block that it builds in."""
        if self._where is None:
            raise UsageError("the builder stands nowhere: begin by at_end(block) or before(instruction)")
        return self._where if isinstance(self._where, Block) else self._where.block

    @property
    def function(self) -> Function:
        """The function that it builds in."""
        return self.block.parent

    @property
    def types(self) -> Types:
        """The types of the module."""
        return Types(self._core)

    def _place(self, name: str = "") -> tuple[Block | Instruction, Debug, str]:
        if self._where is None:
            raise UsageError("the builder stands nowhere: begin by at_end(block) or before(instruction)")
        return self._where, self.debug, name

    # ---- Operands ----

    def _of(self, type: TypeLike, value: Operand) -> Value:
        return value if isinstance(value, Value) else constant(self._core, type, value)

    def _typed(self, value: Operand) -> Value:
        """An operand that nothing else says the type of."""
        if not isinstance(value, Value):
            raise TypeError(f"{value!r} has no type here: give a constant, as build.constant('i32', {value!r})")
        return value

    def _both(self, left: Operand, right: Operand) -> tuple[Value, Value]:
        if isinstance(left, Value):
            return left, self._of(_core.ir_type(left), right)
        return self._of(_core.ir_type(self._typed(right)), left), self._typed(right)

    def _index(self, value: Operand) -> Value:
        return (
            value
            if isinstance(value, Value)
            else constant(self._core, "i32" if not isinstance(value, int) or -(1 << 31) <= value < 1 << 31 else "i64", value)
        )

    def constant(self, type: TypeLike, value: ConstantLike) -> Constant:
        """A constant: ``constant("i32", 7)``, ``constant("[2 x ptr]", [f, None])``. ``None`` is the zero of any type, and
        ``token none``."""
        made = cast("Value", constant(self._core, type, value))
        if isinstance(made, Constant):
            return made
        raise UsageError(f"{made} is no constant")

    def poison(self, type: TypeLike) -> Constant:
        """``poison``."""
        return _core.ir_poison(self._core, type)

    def undef(self, type: TypeLike) -> Constant:
        """``undef``."""
        return _core.ir_undefined(self._core, type)
