"""Constant folding: the value of an integer if the result of a suspend is known, as in csrc/ir/constant_fold.c."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.lint.body import constant_integer_or_none

if TYPE_CHECKING:
    from pycoro.ir.block import Block
    from pycoro.ir.value import Value

__all__ = ["as_signed", "fold_if_computed_from_source", "is_foldable", "successor_for"]

STEPS = 64
"""Limit of instructions in the computation of a value."""
CASTS = ("trunc", "zext", "sext", "bitcast", "freeze")
INTRINSICS: dict[str, tuple[Callable[[int, int], int], bool]] = {
    "llvm.smax": (max, True),
    "llvm.smin": (min, True),
    "llvm.umax": (max, False),
    "llvm.umin": (min, False),
    "llvm.scmp": (lambda a, b: (a > b) - (a < b), True),
    "llvm.ucmp": (lambda a, b: (a > b) - (a < b), False),
    "llvm.expect": (lambda a, _: a, True),
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def _truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _as_unsigned(number: int, bits: int) -> int:
    return number & ((1 << bits) - 1)


OPERATIONS: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "and": lambda a, b, _: a & b,
    "or": lambda a, b, _: a | b,
    "xor": lambda a, b, _: a ^ b,
    "shl": lambda a, b, bits: a << _as_unsigned(b, bits),
    "lshr": lambda a, b, bits: _as_unsigned(a, bits) >> _as_unsigned(b, bits),
    "ashr": lambda a, b, bits: a >> _as_unsigned(b, bits),
    "udiv": lambda a, b, bits: _as_unsigned(a, bits) // _as_unsigned(b, bits),
    "urem": lambda a, b, bits: _as_unsigned(a, bits) % _as_unsigned(b, bits),
    "sdiv": lambda a, b, _: _truncated_quotient(a, b),
    "srem": lambda a, b, _: a - b * _truncated_quotient(a, b),
}
"""Operations on two signed numbers; the caller wraps results to the type."""


def as_signed(number: int, bits: int) -> int:
    """Return the number modulo 2^bits, as a signed number."""
    number = _as_unsigned(number, bits)
    return number - (1 << bits) if number >> (bits - 1) else number


def _integer_width(value: Value) -> int:
    """Return the width of an integer in bits; 0 for other values."""
    if isinstance(value, Function):  # its `type` is text
        return 0
    return value.type.bits or 0 if value.type.kind == "integer" else 0


def _folded_intrinsic_or_empty(instruction: Instruction) -> str:
    """Return the key of `INTRINSICS` that a call's callee begins with; empty if none does."""
    name = instruction.intrinsic or "" if instruction.opcode == "call" else ""
    return next((choice for choice in INTRINSICS if name == choice or name.startswith(choice + ".")), "")


def _operands_of(instruction: Instruction) -> tuple[Value, ...]:
    return tuple(instruction.arguments or ()) if instruction.opcode == "call" else tuple(instruction.operands)


def is_foldable(instruction: Instruction) -> bool:
    """Return whether an instruction computes an integer from integers by an operation that is folded."""
    known = (
        instruction.opcode in OPERATIONS
        or instruction.opcode in (*CASTS, "icmp", "select")
        or _folded_intrinsic_or_empty(instruction)
    )
    return bool(known) and all(map(_integer_width, (instruction, *_operands_of(instruction))))


def _icmp_as_signed_i1(predicate: str, a: int, b: int, bits: int) -> int:
    if predicate[0] == "u":
        a, b = _as_unsigned(a, bits), _as_unsigned(b, bits)
    return -COMPARISONS[predicate if predicate in ("eq", "ne") else predicate[1:]](a, b)


class _ConstantFolder:
    def __init__(self, is_source: Callable[[Value], bool], result: int) -> None:
        self.is_source, self.result, self.steps_left, self.uses_source = is_source, result, STEPS, False

    def fold_value(self, value: Value) -> int | None:
        if self.is_source(value):
            self.uses_source = True
            return self.result
        number = constant_integer_or_none(value)
        if number is not None:
            return as_signed(number, _integer_width(value)) if _integer_width(value) else None
        self.steps_left -= 1
        if self.steps_left < 0 or not isinstance(value, Instruction) or not is_foldable(value):
            return None
        if value.opcode == "select":
            condition = self.fold_value(value.operands[0])
            return None if condition is None else self.fold_value(value.operands[1 if condition else 2])
        known = [number for number in map(self.fold_value, _operands_of(value)) if number is not None]
        return self.fold_instruction_except_select(value, known) if len(known) == len(_operands_of(value)) else None

    def fold_instruction_except_select(self, of: Instruction, operand_values: list[int]) -> int | None:
        bits, width = _integer_width(of), _integer_width(_operands_of(of)[0])
        if of.opcode in OPERATIONS:
            shift, divide = of.opcode in ("shl", "lshr", "ashr"), of.opcode.endswith(("div", "rem"))
            if (shift and _as_unsigned(operand_values[1], bits) >= bits) or (divide and not operand_values[1]):
                return None  # poison, or undefined
            return as_signed(OPERATIONS[of.opcode](operand_values[0], operand_values[1], bits), bits)
        if of.opcode == "icmp":
            return _icmp_as_signed_i1(of.predicate or "eq", operand_values[0], operand_values[1], width)
        if of.opcode == "call":
            choose, signed = INTRINSICS[_folded_intrinsic_or_empty(of)]
            return as_signed(choose(*(number if signed else _as_unsigned(number, width) for number in operand_values)), bits)
        return as_signed(_as_unsigned(operand_values[0], width) if of.opcode == "zext" else operand_values[0], bits)


def fold_if_computed_from_source(value: Value, is_source: Callable[[Value], bool], source_value: int) -> int | None:
    """Return a value as a signed number, if the source that it is computed from is ``source_value``; ``None`` if that is
    unknown, or if it is not computed from the source.
    """
    folding = _ConstantFolder(is_source, source_value)
    number = folding.fold_value(value)
    return number if folding.uses_source else None


def successor_for(terminator: Instruction, number: int) -> Block:
    """Return the successor of a conditional br or a switch if its operand is a number."""
    if terminator.opcode == "br":
        return terminator.successors[0 if number else 1]
    bits = _integer_width(terminator.operands[0])
    for value, to in terminator.cases:
        case = constant_integer_or_none(value)
        if case is not None and as_signed(case, bits) == as_signed(number, bits):
            return to
    return terminator.successors[0]
