"""LLVM types as text: their elements, constants of them, and functions that report their values.

Only types that pass in one register between any compiled code and Python are reported directly. The functions that
`reporter_name` names split all other values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.strategies.choices import Choices

__all__ = [
    "AGGREGATES",
    "FLOATS",
    "INTEGERS",
    "SCALARS",
    "VECTORS",
    "abi_alignment",
    "draw_constant",
    "element_types",
    "integer_width_or_0",
    "reporter_definition",
    "reporter_name",
    "size_in_array",
    "type_in_function_name",
    "type_in_intrinsic_name",
    "types_passed_in_register",
    "types_that_report_splits_into",
]

INTEGERS = ("i32", "i64", "i8", "i1", "i16", "i128", "i37")
FLOATS = ("double", "float")
SCALARS = INTEGERS + FLOATS
VECTORS = ("<4 x i32>", "<2 x double>", "<8 x i32>", "<3 x i16>", "<16 x i8>", "<4 x float>")
AGGREGATES = ("{ i8, i64 }", "[3 x i16]", "{ i1, float, i16 }", "{ i32, [2 x double] }", "[2 x { i8, i32 }]")
REPORTED_DIRECTLY = ("i1", "i8", "i16", "i32", "i64", "float", "double", "ptr")


class Elements(NamedTuple):
    """Element types of a type."""

    kinds: tuple[str, ...]
    extract: str
    insert: str
    brackets: tuple[str, str]

    @property
    def is_vector(self) -> bool:
        return self.extract == "extractelement"

    def index_text(self, number: int) -> str:
        """Return an element number as instructions spell it."""
        return f"i32 {number}" if self.is_vector else f"{number}"


@cache
def element_types(kind: str) -> Elements | None:
    """Return the elements of a vector, struct or array; None for any other type."""
    many = re.fullmatch(r"[<\[](\d+) x (.*)[>\]]", kind)
    if many and kind[0] == "<":
        return Elements((many[2],) * int(many[1]), "extractelement", "insertelement", ("<", ">"))
    if many:
        return Elements((many[2],) * int(many[1]), "extractvalue", "insertvalue", ("[", "]"))
    if kind.startswith("{"):
        return Elements(tuple(split_at_top_level_commas(kind[1:-1])), "extractvalue", "insertvalue", ("{ ", " }"))
    return None


@cache
def integer_width_or_0(kind: str) -> int:
    """Return the width of an integer; 0 for any other type."""
    return int(kind[1:]) if re.fullmatch(r"i\d+", kind) else 0


@cache
def abi_alignment(kind: str) -> int:
    """Return the ABI alignment in bytes, with 64-bit pointers."""
    parts = element_types(kind)
    if parts and not parts.is_vector:
        return max(abi_alignment(part) for part in parts.kinds)
    if parts:
        return 1 << (size_in_array(parts.kinds[0]) * len(parts.kinds) - 1).bit_length()
    return {"float": 4, "double": 8, "ptr": 8}.get(kind) or 1 << ((integer_width_or_0(kind) + 7) // 8 - 1).bit_length()


@cache
def size_in_array(kind: str) -> int:
    """Return the stride of an array of the type, in bytes."""
    parts = element_types(kind)
    if not parts or parts.is_vector:
        return abi_alignment(kind)
    end = 0
    for part in parts.kinds:
        end = -(-end // abi_alignment(part)) * abi_alignment(part) + size_in_array(part)
    return -(-end // abi_alignment(kind)) * abi_alignment(kind)


@cache
def type_in_function_name(kind: str) -> str:
    """Return the type as part of a function name."""
    return re.sub(r"\W+", "_", kind.replace("<", "v").replace("{", "s").replace("[", "a")).strip("_")


@cache
def type_in_intrinsic_name(kind: str) -> str:
    """Return the type as part of an intrinsic name."""
    parts = element_types(kind)
    if parts and kind[0] == "{":
        return f"sl_{''.join(map(type_in_intrinsic_name, parts.kinds))}s"
    if parts:
        return f"{'v' if kind[0] == '<' else 'a'}{len(parts.kinds)}{type_in_intrinsic_name(parts.kinds[0])}"
    return {"ptr": "p0", "float": "f32", "double": "f64"}.get(kind, kind)


def types_passed_in_register(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the types that pass in a register. LLVM's x86 code is wrong for a tail call with larger stack arguments than its
    caller's.
    """
    return tuple(kind for kind in kinds if 0 < integer_width_or_0(kind) <= 64 or kind in FLOATS)


def draw_constant(choices: Choices, kind: str) -> str:
    """Draw a constant of the type."""
    parts = element_types(kind)
    if parts:
        if choices.chance(1, 3):
            return "zeroinitializer"
        left, right = parts.brackets
        return left + ", ".join(f"{part} {draw_constant(choices, part)}" for part in parts.kinds) + right
    if kind == "i1":
        return choices.pick(("false", "true"))
    if kind in FLOATS:
        return f"{choices.pick((0, 1, -1, 3, 100))}.{choices.pick(('0', '5', '25'))}"
    width = integer_width_or_0(kind)
    wide = choices.pick((0, 1, 2, 5, 7, -1, -3, 100, 1 << 31, (1 << 62) + 3, (1 << 100) + (1 << 65) + 9))
    return str(wide if -(1 << (width - 1)) <= wide < 1 << (width - 1) else wide % (1 << (width - 1)))


def reporter_name(kind: str) -> str:
    """Return the name of the function that reports a value of the type."""
    return f"report_{type_in_function_name(kind)}"


def types_that_report_splits_into(kind: str) -> tuple[str, ...]:
    """Return the types of the values that a value is split into."""
    parts = element_types(kind)
    return parts.kinds if parts else () if kind in REPORTED_DIRECTLY else ("i64",)


def _line_calling_reporter(kind: str, value: str) -> str:
    return f"  call void @{reporter_name(kind)}({kind} {value})"


@cache
def reporter_definition(kind: str) -> str:
    """Return the function `reporter_name`: an external declaration, or a definition that splits the value."""
    if kind in REPORTED_DIRECTLY:
        return f"declare void @{reporter_name(kind)}({kind})"
    lines = [f"define internal void @{reporter_name(kind)}({kind} %v) noinline {{"]
    parts = element_types(kind)
    if parts:
        for number, part in enumerate(parts.kinds):
            lines += [
                f"  %e{number} = {parts.extract} {kind} %v, {parts.index_text(number)}",
                _line_calling_reporter(part, f"%e{number}"),
            ]
    elif integer_width_or_0(kind) > 64:
        lines += [f"  %low = trunc {kind} %v to i64", _line_calling_reporter("i64", "%low")]
        lines += [
            f"  %shifted = lshr {kind} %v, 64",
            f"  %high = trunc {kind} %shifted to i64",
            _line_calling_reporter("i64", "%high"),
        ]
    else:
        lines += [f"  %wide = sext {kind} %v to i64", _line_calling_reporter("i64", "%wide")]
    return "\n".join([*lines, "  ret void", "}"])
