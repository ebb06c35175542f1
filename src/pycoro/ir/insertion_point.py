"""Insertion point of a builder, and conversion of its operands."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, cast

from pycoro import _core
from pycoro._typecheck import check
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.constant import Constant
from pycoro.ir.constants import ConstantLike, constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import TypeLike, Types
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from typing import Self

    from pycoro.module import Module

__all__ = ["Debug", "InsertionPoint", "Operand"]

Operand: TypeAlias = ConstantLike
"""A value of the module, or a source of a constant; the instruction determines its type."""
Debug: TypeAlias = Instruction | tuple[int, int] | None


class InsertionPoint:
    """Insertion point in a module: none yet, the end of a block, or before an instruction."""

    __slots__ = ("_core", "_where", "debug")

    debug: Debug
    """Source location of new instructions: another instruction of the function, or line and column."""

    def __init__(self, where: Module | Function | Block | Instruction) -> None:
        self._where: Block | Instruction | None = None
        self.debug = None
        if isinstance(where, Block | Instruction):
            self._core: _core.Module = where.core
            self._move_insertion_point(where)
        elif isinstance(where, Function):
            self._core = where.core
        else:
            core = getattr(where, "_core", None)
            if not isinstance(core, _core.Module):
                raise TypeError(f"Builder() expects a Module, a Function, a Block or an Instruction, not {where!r}")
            self._core = core

    # ---- Position ----

    def _move_insertion_point(self, where: Block | Instruction) -> None:
        if where.core is not self._core:
            raise UsageError("the position is in another module; create a builder for that module")
        self._where = where
        self.debug = where if isinstance(where, Instruction) else None

    def at_end(self, block: Block) -> Self:
        """Move to the end of the block, without a debug location. Returns the builder."""
        check("block must be a Block", block, Block)
        self._move_insertion_point(block)
        return self

    def before(self, instruction: Instruction) -> Self:
        """Move before the instruction and use its debug location. Returns the builder."""
        check("instruction must be an Instruction", instruction, Instruction)
        self._move_insertion_point(instruction)
        return self

    def after(self, instruction: Instruction) -> Self:
        """Move after the instruction, or after all phis if it is one, and use its debug location. Returns the builder."""
        check("instruction must be an Instruction", instruction, Instruction)
        following = list(instruction.block.instructions)
        rest = following[following.index(instruction) + 1 :]
        where = next((other for other in rest if instruction.opcode != "phi" or other.opcode != "phi"), None)
        self._move_insertion_point(where or instruction.block)
        self.debug = instruction
        return self

    def at_start(self, block: Block) -> Self:
        """Move to the start of the block, after its phis and pad. Returns the builder."""
        check("block must be a Block", block, Block)
        heads = ("phi", "landingpad", "catchpad", "cleanuppad")
        first = next((instruction for instruction in block.instructions if instruction.opcode not in heads), None)
        self._move_insertion_point(first or block)
        return self

    @contextmanager
    def temporary_position(self, where: Block | Instruction) -> Generator[Self, None, None]:
        """Move there for a ``with`` block, then move back."""
        place, debug = self._where, self.debug
        self._move_insertion_point(where)
        try:
            yield self
        finally:
            self._where, self.debug = place, debug

    @property
    def block(self) -> Block:
        """Block of the insertion point."""
        where = self._position()[0]
        return where if isinstance(where, Block) else where.block

    @property
    def function(self) -> Function:
        """Function of the insertion point."""
        return self.block.parent

    @property
    def types(self) -> Types:
        """Types of the module."""
        return Types(self._core)

    def _position(self, name: str = "") -> tuple[Block | Instruction, Debug, str]:
        if self._where is None:
            raise UsageError("the builder has no position; call at_end(block) or before(instruction) first")
        return self._where, self.debug, name

    # ---- Operands ----

    def _value_or_constant(self, type: TypeLike, value: Operand) -> Value:
        return value if isinstance(value, Value) else constant(self._core, type, value)

    def _check_is_value(self, value: Operand) -> Value:
        """Check an operand that alone determines its type."""
        if not isinstance(value, Value):
            raise TypeError(f"{value!r} has no type here; pass a constant such as build.constant('i32', {value!r})")
        return value

    def _same_type_operands(self, left: Operand, right: Operand) -> tuple[Value, Value]:
        if isinstance(left, Value):
            return left, self._value_or_constant(_core.ir_type(left), right)
        return self._value_or_constant(_core.ir_type(self._check_is_value(right)), left), self._check_is_value(right)

    def _index_value_i32_or_i64(self, value: Operand) -> Value:
        return (
            value
            if isinstance(value, Value)
            else constant(self._core, "i32" if not isinstance(value, int) or -(1 << 31) <= value < 1 << 31 else "i64", value)
        )

    def constant(self, type: TypeLike, value: ConstantLike) -> Constant:
        """Create a constant: ``constant("i32", 7)``, ``constant("[2 x ptr]", [f, None])``. ``None`` is the zero of any type, and
        ``token none``."""
        result = cast("Value", constant(self._core, type, value))
        if isinstance(result, Constant):
            return result
        raise UsageError(f"{result} is not a constant")

    def poison(self, type: TypeLike) -> Constant:
        """Return ``poison``."""
        return _core.ir_poison(self._core, type)

    def undef(self, type: TypeLike) -> Constant:
        """Return ``undef``."""
        return _core.ir_undefined(self._core, type)
