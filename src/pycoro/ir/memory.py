"""Builder methods for memory accesses, aggregates and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.constants import constant
from pycoro.ir.insertion_point import InsertionPoint, Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

__all__ = ["Memory", "check_alignment_is_64_bit"]


def check_alignment_is_64_bit(align: int) -> int:
    if not 0 <= align < 1 << 64:
        raise UsageError(f"an alignment must be a power of two up to 2147483648, not {align}")
    return align


def _member_type(type: Type, indices: Sequence[int]) -> Type:
    for index in indices:
        if type.kind == "struct" and 0 <= index < len(type.elements):
            type = type.elements[index]
        elif type.kind == "array":
            type = type.element
        else:
            raise UsageError(f"{type} has no element {index}")
    return type


class Memory(InsertionPoint):
    """Memory accesses, aggregates and vectors."""

    __slots__ = ()

    # ---- Memory ----

    def alloca(self, type: TypeLike, count: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """Build ``alloca``. ``align`` is in bytes; 0 is the preferred alignment of the type."""
        number = None if count is None else self._index_value_i32_or_i64(count)
        return _core.ir_build_alloca(self._position(name), type, number, check_alignment_is_64_bit(align))

    def load(self, type: TypeLike, pointer: Value, *, align: int = 0, volatile: bool = False, name: str = "") -> Value:
        """Build ``load``."""
        return _core.ir_build_load(self._position(name), type, pointer, check_alignment_is_64_bit(align), volatile)

    def store(self, value: Value, pointer: Value, *, align: int = 0, volatile: bool = False) -> Instruction:
        """Build ``store``."""
        return _core.ir_build_store(
            self._position(), self._check_is_value(value), pointer, check_alignment_is_64_bit(align), volatile
        )

    def gep(
        self,
        type: TypeLike,
        pointer: Value,
        indices: Sequence[Operand],
        *,
        inbounds: bool = False,
        nusw: bool = False,
        nuw: bool = False,
        name: str = "",
    ) -> Value:
        """Build ``getelementptr``: ``gep(pair, pointer, [0, 1])`` is the address of the second element."""
        flags = 1 * inbounds | 2 * (nusw or inbounds) | 4 * nuw
        return _core.ir_build_gep(self._position(name), type, pointer, tuple(map(self._index_value_i32_or_i64, indices)), flags)

    # ---- Aggregates and vectors ----

    def extract_value(self, aggregate: Value, *indices: int, name: str = "") -> Value:
        """Build ``extractvalue``, one instruction for each index."""
        return _core.ir_build_extract_value(self._position(name), self._check_is_value(aggregate), indices)

    def insert_value(self, aggregate: Value, value: Operand, *indices: int, name: str = "") -> Value:
        """Build ``insertvalue``; for several indices, extract and reinsert the intermediate aggregates."""
        type = _core.ir_type(self._check_is_value(aggregate))
        if not isinstance(value, Value):
            value = constant(self._core, _member_type(type, indices), value)
        return _core.ir_build_insert_value(self._position(name), aggregate, value, indices)

    def extract_element(self, vector: Value, index: Operand, *, name: str = "") -> Value:
        """Build ``extractelement``."""
        return _core.ir_build_extract_element(
            self._position(name), self._check_is_value(vector), self._index_value_i32_or_i64(index)
        )

    def insert_element(self, vector: Value, value: Operand, index: Operand, *, name: str = "") -> Value:
        """Build ``insertelement``."""
        if not isinstance(value, Value):
            kind = _core.ir_type(self._check_is_value(vector))
            if kind.kind != "vector":
                raise UsageError(
                    f"insert_element expects a vector, not a value of type {kind}; use insert_value for a struct or an array"
                )
            value = constant(self._core, kind.element, value)
        return _core.ir_build_insert_element(
            self._position(name), self._check_is_value(vector), value, self._index_value_i32_or_i64(index)
        )

    def shuffle(self, left: Value, right: Operand, mask: Sequence[int], *, name: str = "") -> Value:
        """Build ``shufflevector``; a mask element of -1 is poison."""
        a, b = self._same_type_operands(left, right)
        return _core.ir_build_shuffle(self._position(name), a, b, tuple(mask))
