"""Create constants from Python values, and guess the result types of overloaded intrinsics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.ir.constant import Constant

__all__ = ["ConstantLike", "candidate_result_types", "constant"]

ConstantLike: TypeAlias = Value | int | float | bytes | Sequence["ConstantLike"] | None
"""Source of a constant: a number, None for the zero of any type, bytes for an array of them, a sequence for an aggregate or
vector, or a constant."""


def _integer_constant(core: _core.Module, type: Type, value: int) -> Constant:
    if not -(1 << (type.bits - 1)) <= value < 1 << type.bits:
        raise UsageError(f"{value} does not fit {type}")
    size = (type.bits + 63) // 64 * 8
    return _core.ir_integer(core, type, (value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))


def _aggregate_constant(core: _core.Module, type: Type, value: Sequence[ConstantLike]) -> Constant:
    kinds = type.elements if type.kind == "struct" else None
    count = len(kinds) if kinds is not None else type.count
    if len(value) != count:
        raise UsageError(f"a constant of type {type} needs {count} elements, not {len(value)}")
    parts = kinds if kinds is not None else [type.element] * len(value)
    return _core.ir_aggregate(core, type, tuple(constant(core, part, item) for part, item in zip(parts, value, strict=True)))


def constant(core: _core.Module, type: TypeLike, value: ConstantLike) -> Constant:
    """Create a constant of a type from a Python value. Raises ``TypeError``, ``UsageError``."""
    kind = core.type_read(type) if isinstance(type, str) else type
    if value is None:
        return _core.ir_zero(core, kind)
    if isinstance(value, Value):
        if _core.ir_type(value) != kind:
            raise UsageError(f"expected a constant of type {kind}, got one of type {_core.ir_type(value)}")
        return value  # type: ignore[return-value]  # the user of the result checks for a constant
    if kind.kind == "integer" and isinstance(value, int):
        return _integer_constant(core, kind, int(value))
    if kind.kind == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        return _core.ir_real(core, kind, float(value))
    if kind.kind == "array" and isinstance(value, bytes):
        if str(kind.element) != "i8" or kind.count != len(value):
            raise UsageError(f"{len(value)} bytes make a constant of type [{len(value)} x i8], not {kind}")
        return _core.ir_text_constant(core, value)
    if kind.kind in ("struct", "array", "vector") and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _aggregate_constant(core, kind, value)
    raise TypeError(f"{value!r} is not a constant of type {kind}")


# ---- Intrinsics ----

_SUFFIX = re.compile(r"(?:nx)?(v\d+)?(i\d+|f16|bf16|f32|f64|f80|f128|p\d+|isVoid)")
_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double", "f80": "x86_fp80", "f128": "fp128"}


def _type_of_intrinsic_suffix(suffix: str) -> str:
    """Return the type for a suffix of an intrinsic's name; empty for another word."""
    found = _SUFFIX.fullmatch(suffix)
    if not found:
        return ""
    word = found[2]
    if word == "isVoid":
        return "void"
    text = _FLOATS.get(word, word)
    if word.startswith("p") and word[1:].isdigit():
        text = "ptr" if word == "p0" else f"ptr addrspace({word[1:]})"
    return f"<{'vscale x ' * suffix.startswith('nx')}{found[1][1:]} x {text}>" if found[1] else text


def candidate_result_types(name: str, arguments: Sequence[Value]) -> Iterator[str]:
    """Yield candidate result types of an overloaded intrinsic, likely ones first; LLVM checks them."""
    kinds = [str(_core.ir_type(value)) for value in arguments]
    words = [word for word in map(_type_of_intrinsic_suffix, name.split(".")[2:]) if word]
    first = kinds[:1]
    candidates = [*words, *kinds, "void", "ptr", "i1", "i32", "i64", *(f"{{ {kind}, i1 }}" for kind in first)]
    yield from (text for text in dict.fromkeys(candidates) if text not in ("metadata", "token"))
