"""Instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.ir.core_property import core_property
from pycoro.ir.source_location import SourceLocation, source_location_from_core
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.ir.block import Block
    from pycoro.ir.function import Function

__all__ = ["Instruction"]


class Instruction(Value):
    """Instruction of a block. Attributes that do not apply to its opcode are ``None``, or empty if they are sequences.

    >>> for instruction in pycoro.Module(pycoro.examples.COUNTER).functions["counter"].walk():
    ...     if instruction.intrinsic == "llvm.coro.begin":
    ...         print(instruction.block.name, instruction.opcode, [operand.name for operand in instruction.arguments])
    begin call ['id', 'frame']
    """

    __slots__ = ()

    opcode = core_property(_core.ir_opcode, 'LLVM opcode: ``"add"``, ``"call"``, ``"getelementptr"``.')
    flags = core_property(
        _core.ir_flags,
        'LLVM keywords: ``"nuw"``, ``"nsw"``, ``"exact"``, ``"inbounds"``, ``"volatile"``, ``"nnan"``, ``"tail"`` ...',
    )
    metadata = core_property(
        _core.ir_metadata, 'Kinds of attached metadata, ``"dbg"``, ``"tbaa"``, custom ones; without debug records.'
    )

    parent = core_property(_core.ir_instruction_parent, "Block with the instruction.")
    next = core_property(_core.ir_next, "Next instruction in its block; ``None`` for the last.")
    previous = core_property(_core.ir_previous, "Previous instruction in its block; ``None`` for the first.")

    is_terminator = core_property(_core.ir_is_terminator, "True if it is a terminator.")
    successors = core_property(_core.ir_successors, "Successors of a terminator, one for each edge, in LLVM's order.")

    predicate = core_property(_core.ir_predicate, 'Predicate of ``icmp`` and ``fcmp``: ``"eq"``, ``"slt"``, ``"oge"`` ...')
    element_type = core_property(_core.ir_element_type, "Allocated type of ``alloca``; source element type of ``getelementptr``.")
    indices = core_property(
        _core.ir_indices, "Indices of ``extractvalue`` and ``insertvalue``; mask of ``shufflevector``, with ``None`` for poison."
    )
    align = core_property(_core.ir_align, "Alignment of a memory access in bytes.")
    ordering = core_property(
        _core.ir_ordering,
        'Ordering of an atomic access or a ``fence``: ``"monotonic"``, ``"seq_cst"`` ...; of ``cmpxchg``, on success.',
    )
    failure_ordering = core_property(_core.ir_failure_ordering, "Ordering of ``cmpxchg`` on failure.")
    operation = core_property(_core.ir_operation, 'Operation of ``atomicrmw``: ``"add"``, ``"xchg"`` ...')

    callee = core_property(
        _core.ir_callee, "Callee of ``call``, ``invoke`` or ``callbr``: a `Function`, an `InlineAsm`, or a pointer."
    )
    intrinsic = core_property(_core.ir_intrinsic, 'Name of the called intrinsic without type suffixes: ``"llvm.coro.suspend"``.')
    arguments = core_property(_core.ir_call_arguments, "Arguments of a call, without operand bundles.")
    bundles = core_property(_core.ir_bundles, "Operand bundles of a call as pairs of tag and values.")
    function_type = core_property(_core.ir_function_type, "Function type of a call.")
    calling_convention = core_property(
        _core.ir_calling_convention, 'Calling convention of a call as LLVM keyword: ``"fastcc"``, ``"cc64"``; ``"ccc"`` for C.'
    )
    attributes = core_property(_core.ir_attributes, "Attributes of a call, as in `Function.attributes`.")
    result_attributes = core_property(_core.ir_result_attributes, "Attributes of a call's result.")
    argument_attributes = core_property(_core.ir_call_attributes, "Attributes of each argument of a call.")

    @property
    def block(self) -> Block:
        """Block with the instruction."""
        return self.parent

    @property
    def function(self) -> Function:
        """Function with the instruction."""
        return self.parent.parent

    @property
    def cases(self) -> tuple[tuple[Value, Block], ...]:
        """Value and block of each case of a ``switch``; the default block is the first of ``successors``."""
        return tuple(zip(_core.ir_case_values(self), self.successors[1:], strict=False))

    @property
    def incoming(self) -> tuple[tuple[Value, Block], ...]:
        """Incoming value and block for each edge of a ``phi``."""
        return tuple(zip(self.operands, _core.ir_incoming_blocks(self), strict=False))

    @property
    def debug(self) -> SourceLocation | None:
        """Source location; ``None`` without debug information."""
        return source_location_from_core(_core.ir_location(self))
