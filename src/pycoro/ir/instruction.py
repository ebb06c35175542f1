"""Instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro import _core
from pycoro.ir.look import look
from pycoro.ir.place import Place, place_of
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.ir.block import Block
    from pycoro.ir.function import Function

__all__ = ["Instruction"]


class Instruction(Value):
    """An instruction of a block. What only some opcodes have is ``None`` for the others, or empty where there may be several.

    >>> for instruction in pycoro.Module(pycoro.examples.COUNTER).functions["counter"].walk():
    ...     if instruction.intrinsic == "llvm.coro.begin":
    ...         print(instruction.block.name, instruction.opcode, [operand.name for operand in instruction.arguments])
    begin call ['id', 'frame']
    """

    __slots__ = ()

    opcode = look(_core.ir_opcode, 'In LLVM\'s words: ``"add"``, ``"call"``, ``"getelementptr"``.')
    flags = look(
        _core.ir_flags,
        'As LLVM writes them: ``"nuw"``, ``"nsw"``, ``"exact"``, ``"inbounds"``, ``"volatile"``, ``"nnan"``, ``"tail"`` ...',
    )
    metadata = look(_core.ir_metadata, 'The kinds that are attached, ``"dbg"``, ``"tbaa"``, a program\'s own; not debug records.')

    parent = look(_core.ir_instruction_parent, "The block.")
    next = look(_core.ir_next, "The instruction behind it in its block; ``None`` for the last.")
    previous = look(_core.ir_previous, "The instruction before it in its block; ``None`` for the first.")

    is_terminator = look(_core.ir_is_terminator, "Whether it ends its block.")
    successors = look(_core.ir_successors, "Of a terminator, the blocks that it may go to, one for each edge, in LLVM's order.")

    predicate = look(_core.ir_predicate, 'Of ``icmp`` and ``fcmp``: ``"eq"``, ``"slt"``, ``"oge"`` ...')
    element_type = look(
        _core.ir_element_type, "Of ``alloca`` what is allocated; of ``getelementptr`` what the pointer is taken for."
    )
    indices = look(
        _core.ir_indices, "Of ``extractvalue`` and ``insertvalue``; of ``shufflevector`` its mask, with ``None`` for poison."
    )
    align = look(_core.ir_align, "Of what touches memory, in bytes.")
    ordering = look(
        _core.ir_ordering, 'Of an atomic access or a ``fence``: ``"monotonic"``, ``"seq_cst"`` ...; of ``cmpxchg``, if it succeeds.'
    )
    failure_ordering = look(_core.ir_failure_ordering, "Of ``cmpxchg``, if it fails.")
    operation = look(_core.ir_operation, 'Of ``atomicrmw``: ``"add"``, ``"xchg"`` ...')

    callee = look(_core.ir_callee, "What a ``call``, ``invoke`` or ``callbr`` calls: a `Function`, an `InlineAsm`, any pointer.")
    intrinsic = look(_core.ir_intrinsic, 'What is called of LLVM\'s own, without the types at the end: ``"llvm.coro.suspend"``.')
    arguments = look(_core.ir_call_arguments, "Of a call, without those of its bundles.")
    bundles = look(_core.ir_bundles, "The operand bundles of a call: of each its tag and its values.")
    function_type = look(_core.ir_function_type, "As what a call calls its callee.")
    calling_convention = look(
        _core.ir_calling_convention, 'Of a call, as LLVM writes it: ``"fastcc"``, ``"cc64"``; ``"ccc"`` for C\'s.'
    )
    attributes = look(_core.ir_attributes, "Of a call, as `Function.attributes`.")
    result_attributes = look(_core.ir_result_attributes, "Of a call's result.")
    argument_attributes = look(_core.ir_call_attributes, "Of each of a call's arguments.")

    @property
    def block(self) -> Block:
        """The block."""
        return self.parent

    @property
    def function(self) -> Function:
        """The function."""
        return self.parent.parent

    @property
    def cases(self) -> tuple[tuple[Value, Block], ...]:
        """Of a ``switch``, the value and the block of each case; the default is the first of ``successors``."""
        return tuple(zip(_core.ir_case_values(self), self.successors[1:], strict=False))

    @property
    def incoming(self) -> tuple[tuple[Value, Block], ...]:
        """Of a ``phi``, a value and the block that it comes from for each edge."""
        return tuple(zip(self.operands, _core.ir_incoming_blocks(self), strict=False))

    @property
    def debug(self) -> Place | None:
        """Where in a source it is from; ``None`` where there is no debug information of it."""
        return place_of(_core.ir_place(self))
