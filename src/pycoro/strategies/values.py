"""Draw values: constants, values in scope, and computations, which are defined for every input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pycoro.strategies.choices import Choices
from pycoro.strategies.kinds import draw_constant, element_types, integer_width_or_0
from pycoro.strategies.model import Coroutine, Let, ReportValue, Returned, Statement
from pycoro.strategies.options import Options

__all__ = [
    "Draw",
    "Scope",
    "Statements",
    "add_value_to_scope",
    "draw_computation",
    "draw_condition",
    "draw_reports",
    "draw_value",
    "is_address",
]

Scope: TypeAlias = dict[str, tuple[str, ...]]
"""Names of the values in scope, by type. A pointer's type includes its pointee: ``ptr i32`` lives as long as the coroutine,
``loc i32`` only in a part of the body, and ``get i32`` is read-only.
"""

Statements: TypeAlias = list[Statement]


class Draw:
    """State of drawing one coroutine."""

    def __init__(self, choices: Choices, options: Options, types: tuple[str, ...]) -> None:
        self.choices = choices
        self.options = options
        self.types = types
        self.budget = 0
        self.depth = 0
        self.callees: tuple[Coroutine, ...] = ()  # coroutines that may be created
        self.children: dict[str, Coroutine] = {}  # children that may be resumed here, by name
        self.errors: list[str] = []  # swifterrors
        self.returned: Returned | None = None
        self.suspends = True  # true if a suspend is valid here
        self._count = 0

    def name(self, letter: str) -> str:
        """Return a new value name."""
        self._count += 1
        return f"%{letter}{self._count}"

    def kind(self) -> str:
        """Draw the type of a value."""
        return self.choices.pick(self.types)

    def add_result(self, scope: Scope, kind: str, text: str, letter: str = "v") -> Let:
        """Return an instruction, and add its result to the scope."""
        name = self.name(letter)
        add_value_to_scope(scope, kind, name)
        return Let(name, text)


def is_address(kind: str) -> bool:
    """Return True for the type of a pointer in a scope."""
    return kind.startswith(("ptr ", "loc ", "get "))


def add_value_to_scope(scope: Scope, kind: str, name: str) -> None:
    """Add a value to the scope."""
    scope[kind] = (*scope.get(kind, ()), name)


def draw_value(d: Draw, scope: Scope, kind: str) -> str:
    """Draw a value of the type, preferably a computed one."""
    known = scope.get(kind)
    if known and d.choices.draw_below(8):
        return d.choices.pick(known)
    return draw_constant(d.choices, kind)


def draw_condition(d: Draw, scope: Scope, statements_before: Statements) -> str:
    """Draw an i1, preferably not a constant."""
    known = scope.get("i1", ())
    if known and d.choices.chance(1, 2):
        return d.choices.pick(known)
    let = d.add_result(scope, "i1", _draw_compare(d, scope))
    statements_before.append(let)
    return let.name


def draw_reports(d: Draw, scope: Scope, max_reports: int) -> Statements:
    """Report some of the values in scope."""
    kinds = [kind for kind in scope if not is_address(kind)]
    reports: Statements = []
    for _ in range(d.choices.integer(0, max_reports)):
        kind = d.choices.pick(kinds) if kinds else "i32"
        known = scope.get(kind)
        reports.append(ReportValue(kind, d.choices.pick(known) if known else draw_constant(d.choices, kind)))
    return reports


# ---- instructions, by result type ----

_BINARY = ("add", "sub", "xor", "mul", "and", "or")
_INTRINSICS = ("llvm.umin", "llvm.smax", "llvm.uadd.sat")


def _draw_binary(d: Draw, scope: Scope, kind: str) -> str:
    return f"{d.choices.pick(_BINARY)} {kind} {draw_value(d, scope, kind)}, {draw_value(d, scope, kind)}"


def _draw_compare(d: Draw, scope: Scope, kind: str = "i1") -> str:
    of = d.choices.pick(("i32", *(k for k in d.types if integer_width_or_0(k) > 1)))
    predicate = d.choices.pick(("eq", "slt", "ugt", "ne"))
    return f"icmp {predicate} {of} {draw_value(d, scope, of)}, {draw_value(d, scope, of)}"


def _draw_select(d: Draw, scope: Scope, kind: str) -> str:
    return f"select i1 {draw_value(d, scope, 'i1')}, {kind} {draw_value(d, scope, kind)}, {kind} {draw_value(d, scope, kind)}"


def _draw_freeze(d: Draw, scope: Scope, kind: str) -> str:
    return f"freeze {kind} {draw_value(d, scope, kind)}"


def _draw_integer_cast_or_binary(d: Draw, scope: Scope, kind: str) -> str:
    """Draw a conversion from another integer type, by extension or truncation."""
    others = [k for k in ("i32", *d.types) if integer_width_or_0(k) and k != kind]
    if not others:
        return _draw_binary(d, scope, kind)
    of = d.choices.pick(others)
    how = "trunc" if integer_width_or_0(of) > integer_width_or_0(kind) else d.choices.pick(("zext", "sext"))
    return f"{how} {of} {draw_value(d, scope, of)} to {kind}"


def _draw_shift(d: Draw, scope: Scope, kind: str) -> str:
    operation, value = d.choices.pick(("shl", "lshr", "ashr")), draw_value(d, scope, kind)
    return f"{operation} {kind} {value}, {d.choices.integer(0, integer_width_or_0(kind) - 1)}"


def _draw_unsigned_division_or_binary(d: Draw, scope: Scope, kind: str) -> str:
    if not 3 < integer_width_or_0(kind) <= 64:
        return _draw_binary(d, scope, kind)
    return f"{d.choices.pick(('udiv', 'urem'))} {kind} {draw_value(d, scope, kind)}, {d.choices.integer(2, 7)}"


def _draw_min_max_or_saturating_add(d: Draw, scope: Scope, kind: str) -> str:
    name = d.choices.pick(_INTRINSICS)
    return f"call {kind} @{name}.{kind}({kind} {draw_value(d, scope, kind)}, {kind} {draw_value(d, scope, kind)})"


def _draw_pick_or_binary(d: Draw, scope: Scope, kind: str) -> str:
    """Draw an opaque value, the result of ``@pick``, for i32; for other types a binary operation."""
    return "call i32 @pick()" if kind == "i32" else _draw_binary(d, scope, kind)


def _draw_extraction_binary_or_freeze(d: Draw, scope: Scope, kind: str) -> str:
    """Draw an extraction from a vector or an aggregate."""
    for whole in d.types:
        parts = element_types(whole)
        if parts and kind in parts.kinds:
            index = parts.kinds.index(kind) if parts.brackets[0] == "{ " else d.choices.integer(0, len(parts.kinds) - 1)
            return f"{parts.extract} {whole} {draw_value(d, scope, whole)}, {parts.index_text(index)}"
    return _draw_binary(d, scope, kind) if integer_width_or_0(kind) else _draw_freeze(d, scope, kind)


def _draw_float(d: Draw, scope: Scope, kind: str) -> str:
    return f"{d.choices.pick(('fadd', 'fsub', 'fmul'))} {kind} {draw_value(d, scope, kind)}, {draw_value(d, scope, kind)}"


def _draw_negate(d: Draw, scope: Scope, kind: str) -> str:
    return f"fneg {kind} {draw_value(d, scope, kind)}"


def _draw_i32_to_float_conversion(d: Draw, scope: Scope, kind: str) -> str:
    return f"sitofp i32 {draw_value(d, scope, 'i32')} to {kind}"


def _draw_insertion(d: Draw, scope: Scope, kind: str) -> str:
    parts = element_types(kind)
    assert parts
    index = d.choices.integer(0, len(parts.kinds) - 1)
    part = parts.kinds[index]
    return f"{parts.insert} {kind} {draw_value(d, scope, kind)}, {part} {draw_value(d, scope, part)}, {parts.index_text(index)}"


def _draw_vector_operation(d: Draw, scope: Scope, kind: str) -> str:
    parts = element_types(kind)
    assert parts
    operations = ("add", "xor", "sub") if integer_width_or_0(parts.kinds[0]) else ("fadd", "fsub", "fmul")
    return f"{d.choices.pick(operations)} {kind} {draw_value(d, scope, kind)}, {draw_value(d, scope, kind)}"


Maker: TypeAlias = Callable[[Draw, Scope, str], str]
_INTEGER: tuple[Maker, ...] = (
    _draw_binary,
    _draw_binary,
    _draw_integer_cast_or_binary,
    _draw_pick_or_binary,
    _draw_select,
    _draw_extraction_binary_or_freeze,
    _draw_freeze,
    _draw_shift,
    _draw_unsigned_division_or_binary,
    _draw_min_max_or_saturating_add,
)
_BIT: tuple[Maker, ...] = (_draw_compare, _draw_compare, _draw_binary, _draw_integer_cast_or_binary, _draw_select)
_FLOATING: tuple[Maker, ...] = (
    _draw_float,
    _draw_i32_to_float_conversion,
    _draw_negate,
    _draw_select,
    _draw_extraction_binary_or_freeze,
    _draw_freeze,
)
_VECTOR: tuple[Maker, ...] = (_draw_insertion, _draw_vector_operation, _draw_select, _draw_freeze)
_AGGREGATE: tuple[Maker, ...] = (_draw_insertion, _draw_insertion, _draw_select, _draw_freeze)


def draw_computation(d: Draw, scope: Scope) -> Statements:
    """Draw a computation, preferably of values in scope."""
    kind = d.kind()
    parts = element_types(kind)
    if parts:
        makers = _VECTOR if parts.is_vector else _AGGREGATE
    else:
        makers = _BIT if kind == "i1" else _INTEGER if integer_width_or_0(kind) else _FLOATING
    return [d.add_result(scope, kind, d.choices.pick(makers)(d, scope, kind))]
