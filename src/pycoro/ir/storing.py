"""Building what uses memory, and what takes aggregates and vectors apart."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.instruction import Instruction
from pycoro.ir.making import constant
from pycoro.ir.standing import Operand, Standing
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

__all__ = ["Storing", "alignment"]


def alignment(align: int) -> int:
    if not 0 <= align < 1 << 64:
        raise UsageError(f"an alignment is a power of two, up to 2147483648, and not {align}")
    return align


def _member(type: Type, indices: Sequence[int]) -> Type:
    for index in indices:
        if type.kind == "struct" and 0 <= index < len(type.elements):
            type = type.elements[index]
        elif type.kind == "array":
            type = type.element
        else:
            raise UsageError(f"{type} has no element {index}")
    return type


class Storing(Standing):
    """Instructions that load and store, and those of aggregates and vectors."""

    __slots__ = ()

    # ---- Memory ----

    def alloca(self, type: TypeLike, count: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """``alloca``. ``align`` is in bytes; 0 is what the type asks for."""
        number = None if count is None else self._index(count)
        return _core.ir_build_alloca(self._place(name), type, number, alignment(align))

    def load(self, type: TypeLike, pointer: Value, *, align: int = 0, volatile: bool = False, name: str = "") -> Value:
        """``load``."""
        return _core.ir_build_load(self._place(name), type, pointer, alignment(align), volatile)

    def store(self, value: Value, pointer: Value, *, align: int = 0, volatile: bool = False) -> Instruction:
        """``store``."""
        return _core.ir_build_store(self._place(), self._typed(value), pointer, alignment(align), volatile)

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
        """``getelementptr``: ``gep(pair, pointer, [0, 1])`` is the address of the second element."""
        flags = 1 * inbounds | 2 * (nusw or inbounds) | 4 * nuw
        return _core.ir_build_gep(self._place(name), type, pointer, tuple(map(self._index, indices)), flags)

    # ---- Aggregates and vectors ----

    def extract_value(self, aggregate: Value, *indices: int, name: str = "") -> Value:
        """``extractvalue``: one instruction for each index."""
        return _core.ir_build_extract_value(self._place(name), self._typed(aggregate), indices)

    def insert_value(self, aggregate: Value, value: Operand, *indices: int, name: str = "") -> Value:
        """``insertvalue``; with several indices what lies between is taken out, and put back."""
        type = _core.ir_type(self._typed(aggregate))
        if not isinstance(value, Value):
            value = constant(self._core, _member(type, indices), value)
        return _core.ir_build_insert_value(self._place(name), aggregate, value, indices)

    def extract_element(self, vector: Value, index: Operand, *, name: str = "") -> Value:
        """``extractelement``."""
        return _core.ir_build_extract_element(self._place(name), self._typed(vector), self._index(index))

    def insert_element(self, vector: Value, value: Operand, index: Operand, *, name: str = "") -> Value:
        """``insertelement``."""
        if not isinstance(value, Value):
            kind = _core.ir_type(self._typed(vector))
            if kind.kind != "vector":
                raise UsageError(f"what an element is put into is a vector, and not of type {kind}")
            value = constant(self._core, kind.element, value)
        return _core.ir_build_insert_element(self._place(name), self._typed(vector), value, self._index(index))

    def shuffle(self, left: Value, right: Operand, mask: Sequence[int], *, name: str = "") -> Value:
        """``shufflevector``; an element of the mask that is -1 may be anything."""
        a, b = self._both(left, right)
        return _core.ir_build_shuffle(self._place(name), a, b, tuple(mask))
