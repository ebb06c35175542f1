"""Builder methods for arithmetic, comparisons and casts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.insertion_point import InsertionPoint, Operand
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

__all__ = ["Arithmetic", "fast_flag_bits"]

IntPredicate: TypeAlias = Literal["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]
FloatPredicate: TypeAlias = Literal[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true"
]

_NUW, _NSW, _EXACT, _DISJOINT, _NNEG = 1, 2, 4, 8, 16
_FAST = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")


def fast_flag_bits(fast: bool | Sequence[str]) -> int:
    flags = _FAST if fast is True else () if fast is False else fast
    for flag in flags:
        if flag not in _FAST:
            raise UsageError(f"unknown fast-math flag {flag!r}; the flags are {', '.join(_FAST)}")
    return sum(1 << _FAST.index(flag) for flag in set(flags))


class Arithmetic(InsertionPoint):
    """Arithmetic, comparisons and casts."""

    __slots__ = ()

    # ---- Arithmetic ----

    def binary(
        self,
        opcode: str,
        left: Operand,
        right: Operand,
        *,
        nuw: bool = False,
        nsw: bool = False,
        exact: bool = False,
        disjoint: bool = False,
        fast: bool | Sequence[str] = False,
        name: str = "",
    ) -> Value:
        """Build a binary operation by its opcode, as ``"add"``; each opcode also has a method."""
        a, b = self._same_type_operands(left, right)
        flags = _NUW * nuw | _NSW * nsw | _EXACT * exact | _DISJOINT * disjoint
        return _core.ir_build_binary(self._position(name), opcode, a, b, flags, fast_flag_bits(fast))

    def add(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """Build ``add``."""
        return self.binary("add", left, right, nuw=nuw, nsw=nsw, name=name)

    def sub(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """Build ``sub``."""
        return self.binary("sub", left, right, nuw=nuw, nsw=nsw, name=name)

    def mul(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """Build ``mul``."""
        return self.binary("mul", left, right, nuw=nuw, nsw=nsw, name=name)

    def shl(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """Build ``shl``."""
        return self.binary("shl", left, right, nuw=nuw, nsw=nsw, name=name)

    def udiv(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """Build ``udiv``."""
        return self.binary("udiv", left, right, exact=exact, name=name)

    def sdiv(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """Build ``sdiv``."""
        return self.binary("sdiv", left, right, exact=exact, name=name)

    def urem(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """Build ``urem``."""
        return self.binary("urem", left, right, name=name)

    def srem(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """Build ``srem``."""
        return self.binary("srem", left, right, name=name)

    def lshr(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """Build ``lshr``."""
        return self.binary("lshr", left, right, exact=exact, name=name)

    def ashr(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """Build ``ashr``."""
        return self.binary("ashr", left, right, exact=exact, name=name)

    def and_(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """Build ``and``."""
        return self.binary("and", left, right, name=name)

    def or_(self, left: Operand, right: Operand, *, disjoint: bool = False, name: str = "") -> Value:
        """Build ``or``."""
        return self.binary("or", left, right, disjoint=disjoint, name=name)

    def xor(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """Build ``xor``."""
        return self.binary("xor", left, right, name=name)

    def fadd(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``fadd``."""
        return self.binary("fadd", left, right, fast=fast, name=name)

    def fsub(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``fsub``."""
        return self.binary("fsub", left, right, fast=fast, name=name)

    def fmul(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``fmul``."""
        return self.binary("fmul", left, right, fast=fast, name=name)

    def fdiv(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``fdiv``."""
        return self.binary("fdiv", left, right, fast=fast, name=name)

    def frem(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``frem``."""
        return self.binary("frem", left, right, fast=fast, name=name)

    def fneg(self, value: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """Build ``fneg``."""
        return _core.ir_build_fneg(self._position(name), self._check_is_value(value), fast_flag_bits(fast))

    def neg(self, value: Value, *, name: str = "") -> Value:
        """Build ``sub 0, value``."""
        return self.sub(0, value, name=name)

    def not_(self, value: Value, *, name: str = "") -> Value:
        """Build ``xor value, -1``."""
        return self.xor(value, -1, name=name)

    def freeze(self, value: Operand, *, name: str = "") -> Value:
        """Build ``freeze``."""
        return _core.ir_build_freeze(self._position(name), self._check_is_value(value))

    def icmp(self, predicate: IntPredicate, left: Operand, right: Operand, *, name: str = "") -> Value:
        """Build ``icmp`` of integers or pointers."""
        return _core.ir_build_compare(self._position(name), "icmp", predicate, *self._same_type_operands(left, right), 0)

    def fcmp(
        self, predicate: FloatPredicate, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = ""
    ) -> Value:
        """Build ``fcmp``."""
        return _core.ir_build_compare(
            self._position(name), "fcmp", predicate, *self._same_type_operands(left, right), fast_flag_bits(fast)
        )

    def select(self, condition: Operand, true: Operand, false: Operand, *, name: str = "") -> Value:
        """Build ``select``."""
        a, b = self._same_type_operands(true, false)
        return _core.ir_build_select(self._position(name), self._value_or_constant("i1", condition), a, b)

    # ---- Casts ----

    def cast(
        self, opcode: str, value: Value, type: TypeLike, *, nuw: bool = False, nsw: bool = False, nneg: bool = False, name: str = ""
    ) -> Value:
        """Build a cast by its opcode, as ``"zext"``; each opcode also has a method."""
        flags = _NUW * nuw | _NSW * nsw | _NNEG * nneg
        return _core.ir_build_cast(self._position(name), opcode, self._check_is_value(value), type, flags)

    def trunc(self, value: Value, type: TypeLike, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """Build ``trunc``."""
        return self.cast("trunc", value, type, nuw=nuw, nsw=nsw, name=name)

    def zext(self, value: Value, type: TypeLike, *, nneg: bool = False, name: str = "") -> Value:
        """Build ``zext``."""
        return self.cast("zext", value, type, nneg=nneg, name=name)

    def sext(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``sext``."""
        return self.cast("sext", value, type, name=name)

    def fptrunc(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``fptrunc``."""
        return self.cast("fptrunc", value, type, name=name)

    def fpext(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``fpext``."""
        return self.cast("fpext", value, type, name=name)

    def fptoui(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``fptoui``."""
        return self.cast("fptoui", value, type, name=name)

    def fptosi(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``fptosi``."""
        return self.cast("fptosi", value, type, name=name)

    def uitofp(self, value: Value, type: TypeLike, *, nneg: bool = False, name: str = "") -> Value:
        """Build ``uitofp``."""
        return self.cast("uitofp", value, type, nneg=nneg, name=name)

    def sitofp(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``sitofp``."""
        return self.cast("sitofp", value, type, name=name)

    def ptrtoint(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``ptrtoint``."""
        return self.cast("ptrtoint", value, type, name=name)

    def inttoptr(self, value: Value, type: TypeLike = "ptr", *, name: str = "") -> Value:
        """Build ``inttoptr``."""
        return self.cast("inttoptr", value, type, name=name)

    def bitcast(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``bitcast``; return the value itself if it already has the type."""
        return self.cast("bitcast", value, type, name=name)

    def addrspacecast(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """Build ``addrspacecast``."""
        return self.cast("addrspacecast", value, type, name=name)
