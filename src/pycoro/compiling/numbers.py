"""Emit arithmetic with Python's results and exceptions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pycoro.compiling.kinds import BOOL, FLOAT, INT, Kind
from pycoro.compiling.runtime_abi import Builder
from pycoro.ir import Value

__all__ = ["Numbers"]

_ORDER: Mapping[str, tuple[Any, Any]] = {
    "==": ("eq", "oeq"), "!=": ("ne", "une"), "<": ("slt", "olt"), "<=": ("sle", "ole"), ">": ("sgt", "ogt"), ">=": ("sge", "oge"),
}  # fmt: skip
_MIRROR = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXACT = 2**53


class Raise(Protocol):
    """Emitter of a conditional raise."""

    def __call__(self, condition: Value, error: type[BaseException], *arguments: object) -> None: ...


def _python_exception_arguments(of: Callable[[], object]) -> tuple[object, ...]:
    """Return the arguments of the exception that Python raises."""
    try:
        of()
    except (ArithmeticError, ValueError) as error:
        return error.args
    raise AssertionError("nothing was raised")


def zero_division_arguments(sign: str, zero: float) -> tuple[object, ...]:
    return _python_exception_arguments(lambda: eval(f"a {sign} b", {"a": type(zero)(1), "b": zero}))


class Numbers:
    """Emitter of numeric operations; ``emit_raise_if`` emits their exceptions."""

    def __init__(self, c: Builder, emit_raise_if: Raise) -> None:
        self.c = c
        self.emit_raise_if = emit_raise_if

    def emit_arithmetic(self, sign: str, kind: Kind, left: Value, right: Value) -> Value:
        """Emit ``left sign right`` for operands of the type ``kind``; the result of ``/`` is a float."""
        c = self.c
        if kind is FLOAT:
            return self._emit_float_arithmetic(sign, left, right)
        if sign in ("+", "-", "*"):
            return self._emit_arithmetic_with_overflow({"+": "sadd", "-": "ssub", "*": "smul"}[sign], sign, left, right)
        if sign in ("&", "|", "^"):
            return {"&": c.and_, "|": c.or_, "^": c.xor}[sign](left, right)
        if sign in ("<<", ">>"):
            return self._emit_shift(sign, left, right)
        self.emit_raise_if(c.icmp("eq", right, 0), ZeroDivisionError, *zero_division_arguments(sign, 0))
        return {"//": self._emit_floor_division, "%": self._emit_floor_modulo, "/": self._emit_true_division}[sign](left, right)

    def emit_raise_if_too_large(self, condition: Value, sign: str) -> None:
        self.emit_raise_if(condition, OverflowError, f"the result of {sign} has more than 64 bits")

    def _emit_arithmetic_with_overflow(self, operation: str, sign: str, left: Value, right: Value) -> Value:
        """Emit ``llvm.sadd``, ``ssub`` or ``smul`` ``.with.overflow``, and the error for the operator ``sign``."""
        both = self.c.intrinsic(f"llvm.{operation}.with.overflow.i64", [left, right])
        self.emit_raise_if_too_large(self.c.extract_value(both, 1), sign)
        return self.c.extract_value(both, 0)

    def _emit_shift(self, sign: str, left: Value, right: Value) -> Value:
        c = self.c
        self.emit_raise_if(c.icmp("slt", right, 0), ValueError, *_python_exception_arguments(lambda: 1 << -1))
        few = c.icmp("ult", right, 64)
        by = c.select(few, right, c.constant("i64", 63))
        if sign == ">>":
            return c.ashr(left, by)
        made = c.shl(left, by)
        fits = c.or_(c.icmp("eq", left, 0), c.and_(few, c.icmp("eq", c.ashr(made, by), left)))
        self.emit_raise_if_too_large(c.not_(fits), sign)
        return made

    def _emit_needs_floor_adjustment(self, right: Value, rest: Value) -> Value:
        """Return an i1: the remainder is not zero and has another sign than the divisor, so the floor is one less."""
        c = self.c
        return c.and_(c.icmp("ne", rest, 0), c.icmp("slt", c.xor(rest, right), 0))

    def _emit_floor_division(self, left: Value, right: Value) -> Value:
        c = self.c
        worst = c.and_(c.icmp("eq", left, -(2**63)), c.icmp("eq", right, -1))
        self.emit_raise_if_too_large(worst, "//")
        quotient, rest = c.sdiv(left, right), c.srem(left, right)
        return c.sub(quotient, c.zext(self._emit_needs_floor_adjustment(right, rest), "i64"))

    def _emit_floor_modulo(self, left: Value, right: Value) -> Value:
        c = self.c
        # the remainder by -1 is 0 even for the smallest int
        by = c.select(c.icmp("eq", right, -1), c.constant("i64", 1), right)
        rest = c.srem(left, by)
        return c.add(rest, c.select(self._emit_needs_floor_adjustment(right, rest), right, c.constant("i64", 0)))

    def _emit_true_division(self, left: Value, right: Value) -> Value:
        """Emit a division with one rounding; ints that a float cannot represent are divided by Python."""
        c = self.c
        wide = [c.icmp("ugt", c.add(each, _EXACT), 2 * _EXACT) for each in (left, right)]
        start, slow, join = c.block, c.new_block("slow"), c.new_block("divided")
        quick = c.fdiv(c.sitofp(left, "double"), c.sitofp(right, "double"))
        c.branch_if(c.or_(*wide), slow, join)
        c.at_end(slow)
        exact = c.call(c.declare("pycoro.divide", "double (i64, i64)"), [left, right])
        c.branch(join)
        c.at_end(join)
        return c.phi("double", [(quick, start), (exact, slow)])

    # ---- Floats ----

    def _emit_float_arithmetic(self, sign: str, left: Value, right: Value) -> Value:
        c = self.c
        if sign in ("+", "-", "*"):
            return {"+": c.fadd, "-": c.fsub, "*": c.fmul}[sign](left, right)
        self.emit_raise_if(c.fcmp("oeq", right, 0.0), ZeroDivisionError, *zero_division_arguments(sign, 0.0))
        if sign == "/":
            return c.fdiv(left, right)
        rest = c.frem(left, right)
        some = c.fcmp("une", rest, 0.0)
        other = c.xor(c.fcmp("olt", right, 0.0), c.fcmp("olt", rest, 0.0))
        moved = c.and_(some, other)
        if sign == "%":
            zero = c.intrinsic("llvm.copysign.f64", [c.constant("double", 0.0), right])
            return c.select(some, c.select(moved, c.fadd(rest, right), rest), zero)
        quotient: Value = c.fdiv(c.fsub(left, rest), right)
        quotient = c.select(moved, c.fsub(quotient, c.constant("double", 1.0)), quotient)
        floor: Value = c.intrinsic("llvm.floor.f64", [quotient])
        near = c.fcmp("ogt", c.fsub(quotient, floor), 0.5)
        floor = c.select(near, c.fadd(floor, c.constant("double", 1.0)), floor)
        zero = c.intrinsic("llvm.copysign.f64", [c.constant("double", 0.0), c.fdiv(left, right)])
        return c.select(c.fcmp("une", quotient, 0.0), floor, zero)

    def emit_power(self, kind: Kind, base: Value, exponent: int) -> Value:
        c = self.c
        if kind is FLOAT:
            if not exponent:
                return c.constant("double", 1.0)
            made = c.intrinsic("llvm.pow.f64", [base, c.constant("double", float(exponent))])
            infinite = [c.fcmp("oeq", self._emit_absolute_value(each), math.inf) for each in (made, base)]
            error = _python_exception_arguments(lambda: 1e300**2)
            self.emit_raise_if(c.and_(infinite[0], c.not_(infinite[1])), OverflowError, *error)
            return made
        found: Value = c.constant("i64", 1)
        for index, bit in enumerate(f"{exponent:b}" if exponent else ""):
            if index:
                found = self._emit_arithmetic_with_overflow("smul", "**", found, found)
            if bit == "1":
                found = self._emit_arithmetic_with_overflow("smul", "**", found, base) if index else base
        return found

    def _emit_absolute_value(self, value: Value) -> Value:
        return self.c.intrinsic("llvm.fabs.f64", [value])

    def emit_negation(self, kind: Kind, value: Value) -> Value:
        if kind is FLOAT:
            return self.c.fneg(value)
        return self._emit_arithmetic_with_overflow("ssub", "-", self.c.constant("i64", 0), value)

    # ---- Comparisons and conversions ----

    def emit_comparison(self, sign: str, kinds: tuple[Kind, Kind], left: Value, right: Value) -> Value:
        """Emit a comparison, exact between int and float as in Python."""
        c = self.c
        integers, floats = _ORDER[sign]
        if kinds == (INT, INT):
            return c.icmp(integers, left, right)
        if kinds == (FLOAT, FLOAT):
            return c.fcmp(floats, left, right)
        if kinds == (FLOAT, INT):
            return self.emit_comparison(_MIRROR[sign], (INT, FLOAT), right, left)
        rounded = c.sitofp(left, "double")
        same = c.fcmp("oeq", rounded, right)
        above = c.fcmp("oge", right, 2.0**63)
        whole = c.intrinsic("llvm.fptosi.sat.i64.f64", [right], result="i64")
        exact = c.select(above, c.constant("i1", sign in ("<", "<=", "!=")), c.icmp(integers, left, whole))
        return c.select(same, exact, c.fcmp(floats, rounded, right))

    def emit_truth_value(self, kind: Kind, value: Value) -> Value:
        if kind is BOOL:
            return value
        return self.c.icmp("ne", value, 0) if kind is INT else self.c.fcmp("une", value, 0.0)

    def emit_conversion(self, of: Kind, to: Kind, value: Value) -> Value:
        """Emit a conversion that loses nothing but precision of a float."""
        c = self.c
        if of is BOOL:
            return c.uitofp(value, "double") if to is FLOAT else c.zext(value, "i64")
        return c.sitofp(value, "double") if to is FLOAT and of is INT else value

    def emit_float_to_int(self, value: Value) -> Value:
        """Emit the conversion of a float to int by truncation."""
        c = self.c
        self.emit_raise_if(c.fcmp("uno", value, value), ValueError, *_python_exception_arguments(lambda: int(math.nan)))
        self.emit_raise_if(
            c.fcmp("oeq", self._emit_absolute_value(value), math.inf),
            OverflowError,
            *_python_exception_arguments(lambda: int(math.inf)),
        )
        outside = c.or_(c.fcmp("oge", value, 2.0**63), c.fcmp("olt", value, -(2.0**63)))
        self.emit_raise_if_too_large(outside, "int()")
        return c.fptosi(value, "i64")

    def emit_builtin(self, name: str, kind: Kind, values: list[Value]) -> Value:
        """Emit a builtin with arguments of the type ``kind``."""
        c, value = self.c, values[0]
        if name in ("min", "max"):
            if kind is BOOL:
                return functools.reduce(c.and_ if name == "min" else c.or_, values)
            for other in values[1:]:
                value = c.select(self.emit_comparison("<" if name == "min" else ">", (kind, kind), other, value), other, value)
            return value
        if name == "abs" and kind is INT:
            return c.select(
                c.icmp("slt", value, 0), self._emit_arithmetic_with_overflow("ssub", "abs()", c.constant("i64", 0), value), value
            )
        if name == "sqrt":
            self.emit_raise_if(c.fcmp("olt", value, 0.0), ValueError, *_python_exception_arguments(lambda: math.sqrt(-1.0)))
        if name in ("sin", "cos"):
            self.emit_raise_if(
                c.fcmp("oeq", self._emit_absolute_value(value), math.inf),
                ValueError,
                *_python_exception_arguments(lambda: math.sin(math.inf)),
            )
        if name == "isnan":
            return c.fcmp("uno", value, value)
        if name in ("isinf", "isfinite"):
            return c.fcmp("oeq" if name == "isinf" else "olt", self._emit_absolute_value(value), math.inf)
        intrinsic = {"abs": "fabs", "round": "roundeven", "int": ""}.get(name, name)
        made = c.intrinsic(f"llvm.{intrinsic}.f64", [value]) if intrinsic else value
        return self.emit_float_to_int(made) if name in ("round", "floor", "ceil", "trunc", "int") else made
