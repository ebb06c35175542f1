"""Building what computes: arithmetic, comparisons, casts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.standing import Operand, Standing
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

__all__ = ["Computing", "fast_flags"]

IntPredicate: TypeAlias = Literal["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]
FloatPredicate: TypeAlias = Literal[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true"
]

_NUW, _NSW, _EXACT, _DISJOINT, _NNEG = 1, 2, 4, 8, 16
_FAST = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")


def fast_flags(fast: bool | Sequence[str]) -> int:
    words = _FAST if fast is True else () if fast is False else fast
    for word in words:
        if word not in _FAST:
            raise UsageError(f"there is no fast-math flag {word!r}; there are {', '.join(_FAST)}")
    return sum(1 << _FAST.index(word) for word in set(words))


class Computing(Standing):
    """Instructions that compute."""

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
        """An operation of two operands of one type by its opcode, as ``"add"``; each has a method of its own as well."""
        a, b = self._both(left, right)
        flags = _NUW * nuw | _NSW * nsw | _EXACT * exact | _DISJOINT * disjoint
        return _core.ir_build_binary(self._place(name), opcode, a, b, flags, fast_flags(fast))

    def add(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """``add``."""
        return self.binary("add", left, right, nuw=nuw, nsw=nsw, name=name)

    def sub(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """``sub``."""
        return self.binary("sub", left, right, nuw=nuw, nsw=nsw, name=name)

    def mul(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """``mul``."""
        return self.binary("mul", left, right, nuw=nuw, nsw=nsw, name=name)

    def shl(self, left: Operand, right: Operand, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """``shl``."""
        return self.binary("shl", left, right, nuw=nuw, nsw=nsw, name=name)

    def udiv(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """``udiv``."""
        return self.binary("udiv", left, right, exact=exact, name=name)

    def sdiv(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """``sdiv``."""
        return self.binary("sdiv", left, right, exact=exact, name=name)

    def urem(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """``urem``."""
        return self.binary("urem", left, right, name=name)

    def srem(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """``srem``."""
        return self.binary("srem", left, right, name=name)

    def lshr(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """``lshr``."""
        return self.binary("lshr", left, right, exact=exact, name=name)

    def ashr(self, left: Operand, right: Operand, *, exact: bool = False, name: str = "") -> Value:
        """``ashr``."""
        return self.binary("ashr", left, right, exact=exact, name=name)

    def and_(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """``and``."""
        return self.binary("and", left, right, name=name)

    def or_(self, left: Operand, right: Operand, *, disjoint: bool = False, name: str = "") -> Value:
        """``or``."""
        return self.binary("or", left, right, disjoint=disjoint, name=name)

    def xor(self, left: Operand, right: Operand, *, name: str = "") -> Value:
        """``xor``."""
        return self.binary("xor", left, right, name=name)

    def fadd(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``fadd``."""
        return self.binary("fadd", left, right, fast=fast, name=name)

    def fsub(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``fsub``."""
        return self.binary("fsub", left, right, fast=fast, name=name)

    def fmul(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``fmul``."""
        return self.binary("fmul", left, right, fast=fast, name=name)

    def fdiv(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``fdiv``."""
        return self.binary("fdiv", left, right, fast=fast, name=name)

    def frem(self, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``frem``."""
        return self.binary("frem", left, right, fast=fast, name=name)

    def fneg(self, value: Operand, *, fast: bool | Sequence[str] = False, name: str = "") -> Value:
        """``fneg``."""
        return _core.ir_build_fneg(self._place(name), self._typed(value), fast_flags(fast))

    def neg(self, value: Value, *, name: str = "") -> Value:
        """``sub 0, value``."""
        return self.sub(0, value, name=name)

    def not_(self, value: Value, *, name: str = "") -> Value:
        """``xor value, -1``: of an integer."""
        return self.xor(value, -1, name=name)

    def freeze(self, value: Operand, *, name: str = "") -> Value:
        """``freeze``."""
        return _core.ir_build_freeze(self._place(name), self._typed(value))

    def icmp(self, predicate: IntPredicate, left: Operand, right: Operand, *, name: str = "") -> Value:
        """``icmp``, of integers or pointers."""
        return _core.ir_build_compare(self._place(name), "icmp", predicate, *self._both(left, right), 0)

    def fcmp(
        self, predicate: FloatPredicate, left: Operand, right: Operand, *, fast: bool | Sequence[str] = False, name: str = ""
    ) -> Value:
        """``fcmp``."""
        return _core.ir_build_compare(self._place(name), "fcmp", predicate, *self._both(left, right), fast_flags(fast))

    def select(self, condition: Operand, true: Operand, false: Operand, *, name: str = "") -> Value:
        """``select``."""
        a, b = self._both(true, false)
        return _core.ir_build_select(self._place(name), self._of("i1", condition), a, b)

    # ---- Casts ----

    def cast(
        self, opcode: str, value: Value, type: TypeLike, *, nuw: bool = False, nsw: bool = False, nneg: bool = False, name: str = ""
    ) -> Value:
        """A cast by its opcode, as ``"zext"``; each has a method of its own as well."""
        flags = _NUW * nuw | _NSW * nsw | _NNEG * nneg
        return _core.ir_build_cast(self._place(name), opcode, self._typed(value), type, flags)

    def trunc(self, value: Value, type: TypeLike, *, nuw: bool = False, nsw: bool = False, name: str = "") -> Value:
        """``trunc``."""
        return self.cast("trunc", value, type, nuw=nuw, nsw=nsw, name=name)

    def zext(self, value: Value, type: TypeLike, *, nneg: bool = False, name: str = "") -> Value:
        """``zext``."""
        return self.cast("zext", value, type, nneg=nneg, name=name)

    def sext(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``sext``."""
        return self.cast("sext", value, type, name=name)

    def fptrunc(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``fptrunc``."""
        return self.cast("fptrunc", value, type, name=name)

    def fpext(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``fpext``."""
        return self.cast("fpext", value, type, name=name)

    def fptoui(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``fptoui``."""
        return self.cast("fptoui", value, type, name=name)

    def fptosi(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``fptosi``."""
        return self.cast("fptosi", value, type, name=name)

    def uitofp(self, value: Value, type: TypeLike, *, nneg: bool = False, name: str = "") -> Value:
        """``uitofp``."""
        return self.cast("uitofp", value, type, nneg=nneg, name=name)

    def sitofp(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``sitofp``."""
        return self.cast("sitofp", value, type, name=name)

    def ptrtoint(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``ptrtoint``."""
        return self.cast("ptrtoint", value, type, name=name)

    def inttoptr(self, value: Value, type: TypeLike = "ptr", *, name: str = "") -> Value:
        """``inttoptr``."""
        return self.cast("inttoptr", value, type, name=name)

    def bitcast(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``bitcast``; of a value of that type already, the value."""
        return self.cast("bitcast", value, type, name=name)

    def addrspacecast(self, value: Value, type: TypeLike, *, name: str = "") -> Value:
        """``addrspacecast``."""
        return self.cast("addrspacecast", value, type, name=name)
