"""Building what several threads may do to the same memory."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pycoro import _core
from pycoro.ir.instruction import Instruction
from pycoro.ir.standing import Operand, Standing
from pycoro.ir.storing import alignment
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


class Atomic(Standing):
    """Atomic instructions: of integers and floats whose size is a power of two, and of pointers.

    ``single_thread`` orders them only with what the same thread does, as a signal handler: ``syncscope("singlethread")``.
    Alignments are in bytes; 0 is what the type asks for.
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
        """``load atomic``."""
        place = self._place(name)
        return _core.ir_build_load_atomic(place, type, pointer, ordering, alignment(align), volatile, single_thread)

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
        """``store atomic``."""
        stored = self._typed(value)
        return _core.ir_build_store_atomic(self._place(), stored, pointer, ordering, alignment(align), volatile, single_thread)

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
        """``cmpxchg``: gives what was there, and whether that was what is expected, so that ``value`` is there now. ``failure`` is
        the ordering where it was not."""
        old, new = self._both(expected, value)
        place = self._place(name)
        flags = (alignment(align), weak, volatile, single_thread)
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
        """``atomicrmw``: gives what was there."""
        flags = (alignment(align), volatile, single_thread)
        return _core.ir_build_atomicrmw(self._place(name), operation, pointer, self._typed(value), ordering, *flags)

    def fence(self, ordering: FenceOrdering, *, single_thread: bool = False) -> Instruction:
        """``fence``."""
        return _core.ir_build_fence(self._place(), ordering, single_thread)
