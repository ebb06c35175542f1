"""Draw accesses to memory: allocas, addresses in them, loads and stores. Every load reads initialized memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pycoro.strategies.choices import Choices
from pycoro.strategies.kinds import abi_alignment, draw_constant, element_types, integer_width_or_0, size_in_array
from pycoro.strategies.model import Do, Let, ReportValue, Variable
from pycoro.strategies.values import Draw, Scope, Statements, add_value_to_scope, draw_value, is_address

__all__ = [
    "add_alloca_to_scope",
    "addresses_in_scope",
    "draw_access_or_pick",
    "draw_alignment_or_0",
    "draw_alloca",
    "draw_element_address",
]


def addresses_in_scope(scope: Scope, writable_pointee: str = "") -> list[tuple[str, str]]:
    """Return the addresses in scope with their types: all except those of pointers, or the writable ones of one pointee type."""
    return [
        (kind, name)
        for kind, names in scope.items()
        if is_address(kind) and (kind[4:] == writable_pointee and kind[:4] != "get " if writable_pointee else kind[4:] != "ptr")
        for name in names
    ]


def draw_alloca(d: Draw, letter: str, *, early: bool) -> Variable:
    """Draw an alloca with a constant initial value."""
    kind = d.kind()
    if d.choices.chance(1, 4) and not element_types(kind):
        kind = f"[{d.choices.pick((4, 8))} x {kind}]"
    return Variable(
        d.name(letter), kind, draw_constant(d.choices, kind), draw_alignment_or_0(d.choices, kind, d.options.alignment), early
    )


def draw_alignment_or_0(choices: Choices, kind: str, max_alignment: int) -> int:
    """Draw an explicit alignment of at least the natural one; 0 for none."""
    least, most = abi_alignment(kind).bit_length() - 1, max_alignment.bit_length() - 1
    return 1 << choices.integer(least, most) if least <= most and choices.chance(1, 4) else 0


def draw_element_address(d: Draw, scope: Scope, base: tuple[str, str], index: str = "") -> Let | None:
    """Draw the address of an element; None if the pointee has none. ``index`` names an i32 that is reduced to a valid index."""
    kind, name = base
    parts = element_types(kind[4:])
    if not parts:
        return None
    number = d.choices.integer(0, len(parts.kinds) - 1)
    where = kind[:4] + parts.kinds[number]
    if parts.is_vector and integer_width_or_0(parts.kinds[number]) % 8:
        return None
    return d.add_result(scope, where, f"getelementptr inbounds {kind[4:]}, ptr {name}, i32 0, i32 {index or number}", "p")


# ---- accesses through addresses ----


def _draw_load(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    kind, name = where
    let = d.add_result(scope, kind[4:], f"load {kind[4:]}, ptr {name}")
    return [let, ReportValue(kind[4:], let.name)] if d.choices.chance(1, 2) and kind[4:] in d.types else [let]


def _draw_store(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    kind, name = where
    return [Do(f"store {kind[4:]} {draw_value(d, scope, kind[4:])}, ptr {name}")]


def _draw_element_address_or_load(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Draw the address of an element; the index is computed if the number of elements is a power of two."""
    parts = element_types(where[0][4:])
    out: Statements = []
    index = ""
    if parts and parts.brackets[0] == "[" and len(parts.kinds) in (2, 4, 8) and d.choices.chance(1, 2):
        let = Let(d.name("i"), f"and i32 {draw_value(d, scope, 'i32')}, {len(parts.kinds) - 1}")
        out.append(let)
        index = let.name
    let_or_none = draw_element_address(d, scope, where, index)
    return [*out, let_or_none] if let_or_none else _draw_load(d, scope, where)


def _draw_call_with_i32_address_or_store(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Pass the address of an i32 to a function that loads and stores through it."""
    known = addresses_in_scope(scope, "i32")
    if not known:
        return _draw_store(d, scope, where)
    p, q = d.choices.pick(known)[1], d.choices.pick(known)[1]
    if d.choices.chance(1, 2):
        return [d.add_result(scope, "i32", f"call i32 @sum(ptr {p}, ptr {q})")]
    return [Do(f"call void @touch(ptr {p})")]


def _draw_memset(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    bytes_ = size_in_array(where[0][4:])
    return [Do(f"call void @llvm.memset.p0.i64(ptr {where[1]}, i8 0, i64 {bytes_}, i1 false)")]


def _draw_memmove_between_equal_types(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Copy between allocas of the same type, possibly the same alloca."""
    other = d.choices.pick([p for p in addresses_in_scope(scope) if p[0][4:] == where[0][4:]])[1]
    bytes_ = size_in_array(where[0][4:])
    return [Do(f"call void @llvm.memmove.p0.p0.i64(ptr {where[1]}, ptr {other}, i64 {bytes_}, i1 false)")]


def _draw_address_select(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Select one of two addresses of the same kind."""
    other = d.choices.pick(scope[where[0]])
    return [d.add_result(scope, where[0], f"select i1 {draw_value(d, scope, 'i1')}, ptr {where[1]}, ptr {other}", "p")]


def _draw_and_report_address_comparison(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    other = d.choices.pick(scope[where[0]])
    let = d.add_result(scope, "i1", f"icmp eq ptr {where[1]}, {other}")
    return [let, ReportValue("i1", let.name)]


def _draw_store_of_address_or_value(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Store the address of an i32 to an alloca; the pointee lives as long as the coroutine."""
    kept, known = scope.get("ptr ptr"), scope.get("ptr i32")
    if not kept or not known:
        return _draw_store(d, scope, where)
    place, address = d.choices.pick(kept), d.choices.pick(known)
    if d.choices.chance(1, 2):
        return [Do(f"call void @keep(ptr {place}, ptr {address})")]
    return [Do(f"store ptr {address}, ptr {place}")]


def _draw_load_of_address_or_value(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Load a stored address of an i32, or a value if no address is stored."""
    kept = scope.get("ptr ptr")
    if not kept:
        return _draw_load(d, scope, where)
    return [d.add_result(scope, "ptr i32", f"load ptr, ptr {d.choices.pick(kept)}", "p")]


def _draw_report_of_misaligned_bits(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Report the misaligned bits of an address, which are zero."""
    number, rest = Let(d.name("i"), f"ptrtoint ptr {where[1]} to i64"), d.name("i")
    mask = min(abi_alignment(where[0][4:]), 16) - 1
    return [number, Let(rest, f"and i64 {number.name}, {mask}"), ReportValue("i64", rest)]


def _draw_byte_store_and_load_or_store(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Store the lowest byte of a wider integer, and load all of it."""
    wide = [(kind, name) for kind, name in addresses_in_scope(scope) if kind[4:] in ("i16", "i32", "i64") and kind[:4] != "get "]
    if not wide:
        return _draw_store(d, scope, where)
    of = d.choices.pick(wide)
    return [Do(f"store i8 {d.choices.integer(0, 127)}, ptr {of[1]}"), *_draw_load(d, scope, of)]


def _draw_load_store_load(d: Draw, scope: Scope, where: tuple[str, str]) -> Statements:
    """Load from one address, store to another, and load from the first again."""
    other = d.choices.pick([p for p in addresses_in_scope(scope) if p[0][:4] != "get "])
    return [*_draw_load(d, scope, where), *_draw_store(d, scope, other), *_draw_load(d, scope, where)]


Maker: TypeAlias = Callable[[Draw, Scope, tuple[str, str]], Statements]
_READING: tuple[Maker, ...] = (
    _draw_load,
    _draw_element_address_or_load,
    _draw_address_select,
    _draw_and_report_address_comparison,
    _draw_report_of_misaligned_bits,
)
_PLAIN: tuple[Maker, ...] = (
    _draw_load,
    _draw_store,
    _draw_load,
    _draw_store,
    _draw_element_address_or_load,
    _draw_call_with_i32_address_or_store,
)
_ADDRESSES: tuple[Maker, ...] = (
    *_PLAIN,
    _draw_address_select,
    _draw_store_of_address_or_value,
    _draw_load_of_address_or_value,
    _draw_load_of_address_or_value,
    _draw_and_report_address_comparison,
    _draw_memset,
    _draw_memmove_between_equal_types,
    _draw_report_of_misaligned_bits,
)
_LIVES: tuple[Maker, ...] = (*_PLAIN, _draw_byte_store_and_load_or_store, _draw_load_store_load)


def draw_access_or_pick(d: Draw, scope: Scope) -> Statements:
    """Draw an access through an address."""
    known = addresses_in_scope(scope)
    if not known:
        let = d.add_result(scope, "i32", "call i32 @pick()")
        return [let]
    where = d.choices.pick(known)
    if where[0].startswith("get "):
        makers = _READING
    elif d.options.lives and d.choices.chance(1, 2):
        makers = _LIVES
    else:
        makers = _ADDRESSES if d.options.addresses else _PLAIN
    return d.choices.pick(makers)(d, scope, where)


def add_alloca_to_scope(scope: Scope, item: Variable, *, address_kind: str = "ptr") -> None:
    """Add the address of an alloca to the scope."""
    add_value_to_scope(scope, f"{address_kind} {item.kind}", item.name)
