"""The interpreter computes the same values as compiled code: all operations on integers of several widths, on floats and
between them, for corner and random values."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

import pycoro
from pycoro.errors import UndefinedError
from pycoro.oracle import for_host

WIDTHS = (1, 7, 8, 13, 32, 33, 64)
BINARY = ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"]
PREDICATES = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]
ORDERS = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
PAIRED = ["smax", "smin", "umax", "umin", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"]
CHECKED = ["sadd", "uadd", "ssub", "usub", "smul", "umul"]
REAL = ["floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt", "fabs"]


def functions() -> Iterator[tuple[str, str]]:
    """Yield a name and the IR of each function."""
    for width in WIDTHS:
        kind = f"i{width}"
        two = f"({kind} %a, {kind} %b)"
        for op in BINARY:
            yield f"{op}.{kind}.{kind}", f"define {kind} @NAME{two} {{\n  %r = {op} {kind} %a, %b\n  ret {kind} %r\n}}"
        for order in PREDICATES:
            yield f"{order}.{kind}.{kind}", f"define i1 @NAME{two} {{\n  %r = icmp {order} {kind} %a, %b\n  ret i1 %r\n}}"
        for name in PAIRED:
            call = f"%r = call {kind} @llvm.{name}.{kind}({kind} %a, {kind} %b)"
            yield f"{name}.{kind}.{kind}", f"define {kind} @NAME{two} {{\n  {call}\n  ret {kind} %r\n}}"
        for name in CHECKED:
            call = f"%r = call {{ {kind}, i1 }} @llvm.{name}.with.overflow.{kind}({kind} %a, {kind} %b)"
            get = f"%o = extractvalue {{ {kind}, i1 }} %r, 1"
            yield f"{name}.over.{kind}.{kind}", f"define i1 @NAME{two} {{\n  {call}\n  {get}\n  ret i1 %o\n}}"
        for name in ("ctpop", "bitreverse"):
            call = f"%r = call {kind} @llvm.{name}.{kind}({kind} %a)"
            yield f"{name}.{kind}", f"define {kind} @NAME({kind} %a) {{\n  {call}\n  ret {kind} %r\n}}"
        for name in ("ctlz", "cttz", "abs"):
            call = f"%r = call {kind} @llvm.{name}.{kind}({kind} %a, i1 false)"
            yield f"{name}.{kind}", f"define {kind} @NAME({kind} %a) {{\n  {call}\n  ret {kind} %r\n}}"
        for name in ("fshl", "fshr"):
            call = f"%r = call {kind} @llvm.{name}.{kind}({kind} %a, {kind} %b, {kind} %a)"
            yield f"{name}.{kind}.{kind}", f"define {kind} @NAME{two} {{\n  {call}\n  ret {kind} %r\n}}"
        for real in ("float", "double"):
            for op in ("sitofp", "uitofp"):
                yield (
                    f"{op}.{real}.{kind}",
                    f"define {real} @NAME({kind} %a) {{\n  %r = {op} {kind} %a to {real}\n  ret {real} %r\n}}",
                )
            for op in ("fptosi", "fptoui"):
                yield (
                    f"{op}.{width}.{real}",
                    f"define {kind} @NAME({real} %a) {{\n  %r = {op} {real} %a to {kind}\n  ret {kind} %r\n}}",
                )
    for narrow, wide in ((1, 8), (7, 33), (13, 64), (32, 64)):
        for op, a, b in (("zext", narrow, wide), ("sext", narrow, wide), ("trunc", wide, narrow)):
            yield f"{op}.{b}.i{a}", f"define i{b} @NAME(i{a} %a) {{\n  %r = {op} i{a} %a to i{b}\n  ret i{b} %r\n}}"
    yield from reals()


def reals() -> Iterator[tuple[str, str]]:
    for kind in ("float", "double"):
        two = f"({kind} %a, {kind} %b)"
        for op in ("fadd", "fsub", "fmul", "fdiv", "frem"):
            yield f"{op}.{kind}.{kind}", f"define {kind} @NAME{two} {{\n  %r = {op} {kind} %a, %b\n  ret {kind} %r\n}}"
        for order in ORDERS:
            yield f"f{order}.{kind}.{kind}", f"define i1 @NAME{two} {{\n  %r = fcmp {order} {kind} %a, %b\n  ret i1 %r\n}}"
        for name in REAL:
            suffix = "f32" if kind == "float" else "f64"
            call = f"%r = call {kind} @llvm.{name}.{suffix}({kind} %a)"
            yield f"{name}.{kind}", f"define {kind} @NAME({kind} %a) {{\n  {call}\n  ret {kind} %r\n}}"
        yield f"fneg.{kind}", f"define {kind} @NAME({kind} %a) {{\n  %r = fneg {kind} %a\n  ret {kind} %r\n}}"
    yield "fptrunc.double", "define float @NAME(double %a) {\n  %r = fptrunc double %a to float\n  ret float %r\n}"
    yield "fpext.float", "define double @NAME(float %a) {\n  %r = fpext float %a to double\n  ret double %r\n}"


def values(kind: str, rng: random.Random) -> list[Any]:
    if kind[0] != "i":
        return [0.0, -0.0, 1.5, -2.5, 3.0, 1e-30, -1e30, math.inf, math.nan, rng.uniform(-100, 100)]
    width = int(kind[1:])
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return sorted({0, low, high, -1, min(1, high), min(3, high), rng.randint(low, high), rng.randint(low, high)})


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return bool(a == b)


@pytest.fixture(scope="module")
def program() -> dict[str, str]:
    return {f"f.{name}": ir for name, ir in functions()}


def test_interpreted_values_equal_compiled_ones(program: dict[str, str]) -> None:
    text = for_host("\n".join(ir.replace("NAME", name, 1) for name, ir in program.items()))
    rng, checked, undefined = random.Random(7), 0, 0
    with pycoro.Engine(pycoro.Module(text), quick=True) as engine, pycoro.Interpreter(text) as run:
        for name in program:
            kinds = run[name].type.partition("(")[2].rstrip(")").split(", ")
            first, *rest = [values(kind, rng) for kind in kinds]
            for args in [(a, *more) for a in first for more in ([(b,) for b in rest[0]] if rest else [()])]:
                try:
                    expected = run.call(name, *args)
                except UndefinedError:
                    undefined += 1  # a division, a shift or a conversion; the processor may trap
                    continue
                assert same(engine.call(name, *args), expected), f"{name}{args}: {expected}"
                checked += 1
    assert checked > 10000
    assert 0 < undefined < checked / 5


FLAGGED = {
    "fneg": "%r = fneg FLAGS double %x",
    "fadd": "%r = fadd FLAGS double %x, 1.0",
    "fptrunc": "%s = fptrunc FLAGS double %x to float\n  %r = fpext float %s to double",
    "fpext": "%s = fptrunc double %x to float\n  %r = fpext FLAGS float %s to double",
    "fcmp": "%c = fcmp FLAGS uno double %x, 1.0\n  %r = uitofp i1 %c to double",
    "phi": "br label %next\nnext:\n  %r = phi FLAGS double [ %x, %entry ]",
    "a chosen operand": "%r = select FLAGS i1 true, double %x, double 1.0",
    "fabs": "%r = call FLAGS double @llvm.fabs.f64(double %x)",
    "copysign": "%r = call FLAGS double @llvm.copysign.f64(double 1.0, double %x)",
    "minnum": "%r = call FLAGS double @llvm.minnum.f64(double %x, double 1.0)",
    "fmuladd": "%r = call FLAGS double @llvm.fmuladd.f64(double 1.0, double 1.0, double %x)",
    "a result": "%r = call FLAGS double @same(double %x)",
    "an argument": "%r = call FLAGS double @one(double %x)",
    "a result of the host": "%r = call FLAGS double @host(double %x)",
    "an array": "%a = insertvalue [2 x double] undef, double %x, 1\n"
    "  %b = select FLAGS i1 true, [2 x double] %a, [2 x double] undef\n  %r = extractvalue [2 x double] %b, 1",
}
FLAGS_REST = """
declare double @host(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.fmuladd.f64(double, double, double)
define double @same(double %x) {
  ret double %x
}
define double @one(double %x) {
  ret double 1.0
}
"""


def flagged(body: str, flags: str) -> pycoro.Interpreter:
    head = "define double @f(double %x) {\nentry:\n  "
    text = f"{head}{body.replace('FLAGS', flags)}\n  ret double %r\n}}\n{FLAGS_REST}"
    return pycoro.Interpreter(text, externals={"host": lambda x: x})


@pytest.mark.parametrize("body", FLAGGED.values(), ids=FLAGGED)
@pytest.mark.parametrize(("flags", "forbidden"), [("nnan", math.nan), ("ninf", math.inf), ("ninf", -math.inf)])
def test_fast_math_flags_forbid_values(body: str, flags: str, forbidden: float) -> None:
    permitted = math.inf if flags == "nnan" else math.nan
    for value in (2.0, permitted):
        with_flags, without = flagged(body, flags).call("f", value), flagged(body, "").call("f", value)
        assert with_flags == without or (math.isnan(with_flags) and math.isnan(without))
    flagged(body, "").call("f", forbidden)
    with pytest.raises(UndefinedError):
        flagged(body, flags).call("f", forbidden)


@pytest.mark.parametrize("callee", ["same", "host"])
def test_fast_math_flags_of_a_tail_call_forbid_values(callee: str) -> None:
    """The result is that of the caller, whose own call may have no flags."""
    ir = f"define double @tail(double %x) {{\n  %r = musttail call FLAGS double @{callee}(double %x)\n  ret double %r\n}}\n"
    ir += f"define double @f(double %x) {{\n  %r = call double @tail(double %x)\n  ret double %r\n}}\n{FLAGS_REST}"
    for flags, value in (("", math.nan), ("nnan", math.inf)):
        run = pycoro.Interpreter(ir.replace("FLAGS", flags), externals={"host": lambda x: x})
        assert run.call("f", value) == value or math.isnan(value)
    with pytest.raises(UndefinedError):
        pycoro.Interpreter(ir.replace("FLAGS", "nnan"), externals={"host": lambda x: x}).call("f", math.nan)


def test_fast_math_flags_permit_values_that_are_not_chosen() -> None:
    """LLVM 22 reads the flags of a select so: it makes ``minnum`` of one without its nnan."""
    assert flagged("%r = select nnan i1 false, double %x, double 1.0", "").call("f", math.nan) == 1.0


def test_fast_math_flags_forbid_one_lane() -> None:
    body = "%v = insertelement <2 x double> <double 0x7FF8000000000000, double 0.0>, double %x, i32 1\n"
    body += "  %n = fneg nnan <2 x double> %v\n  %r = extractelement <2 x double> %n, i32 LANE"
    assert flagged(body.replace("LANE", "1"), "").call("f", 2.0) == -2.0
    with pytest.raises(UndefinedError):
        flagged(body.replace("LANE", "0"), "").call("f", 2.0)
