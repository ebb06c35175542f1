"""Builder methods for atomic instructions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pycoro import _core
from pycoro.ir.insertion_point import InsertionPoint, Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.memory import check_alignment_is_64_bit
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

__all__ = ["Atomic"]

LoadOrdering: TypeAlias = Literal["unordered", "monotonic", "acquire", "seq_cst"]
StoreOrdering: TypeAlias = Literal["unordered", "monotonic", "release", "seq_cst"]
ChangeOrdering: TypeAlias = Literal["monotonic", "acquire", "release", "acq_rel", "seq_cst"]
FailureOrdering: TypeAlias = Literal["monotonic", "acquire", "seq_cst"]
FenceOrdering: TypeAlias = Literal["acquire", "release", "acq_rel", "seq_cst"]
Operation: TypeAlias = Literal[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "fmaximum",
    "fminimum",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
]


class Atomic(InsertionPoint):
    """Atomic instructions on pointers, and on integers and floats whose size is a power of two.

    ``single_thread`` orders them only relative to the same thread, such as a signal handler: ``syncscope("singlethread")``.
    Alignments are in bytes; 0 is the ABI alignment of the type.
    """

    __slots__ = ()

    def load_atomic(
        self,
        type: TypeLike,
        pointer: Value,
        ordering: LoadOrdering,
        *,
        align: int = 0,
        volatile: bool = False,
        single_thread: bool = False,
        name: str = "",
    ) -> Value:
        """Build ``load atomic``."""
        place = self._position(name)
        return _core.ir_build_load_atomic(place, type, pointer, ordering, check_alignment_is_64_bit(align), volatile, single_thread)

    def store_atomic(
        self,
        value: Value,
        pointer: Value,
        ordering: StoreOrdering,
        *,
        align: int = 0,
        volatile: bool = False,
        single_thread: bool = False,
    ) -> Instruction:
        """Build ``store atomic``."""
        stored = self._check_is_value(value)
        return _core.ir_build_store_atomic(
            self._position(), stored, pointer, ordering, check_alignment_is_64_bit(align), volatile, single_thread
        )

    def cmpxchg(
        self,
        pointer: Value,
        expected: Operand,
        value: Operand,
        ordering: ChangeOrdering,
        failure: FailureOrdering,
        *,
        align: int = 0,
        weak: bool = False,
        volatile: bool = False,
        single_thread: bool = False,
        name: str = "",
    ) -> Instruction:
        """Build ``cmpxchg``, which returns the old value and whether it equaled ``expected`` and was replaced. ``failure`` is the
        ordering if it did not."""
        old, new = self._same_type_operands(expected, value)
        place = self._position(name)
        flags = (check_alignment_is_64_bit(align), weak, volatile, single_thread)
        return _core.ir_build_cmpxchg(place, pointer, old, new, ordering, failure, *flags)

    def atomicrmw(
        self,
        operation: Operation,
        pointer: Value,
        value: Value,
        ordering: ChangeOrdering,
        *,
        align: int = 0,
        volatile: bool = False,
        single_thread: bool = False,
        name: str = "",
    ) -> Instruction:
        """Build ``atomicrmw``, which returns the old value."""
        flags = (check_alignment_is_64_bit(align), volatile, single_thread)
        return _core.ir_build_atomicrmw(self._position(name), operation, pointer, self._check_is_value(value), ordering, *flags)

    def fence(self, ordering: FenceOrdering, *, single_thread: bool = False) -> Instruction:
        """Build ``fence``."""
        return _core.ir_build_fence(self._position(), ordering, single_thread)
