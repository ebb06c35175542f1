"""Decode frame bytes and interpreter scalars to values by type, and format them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pycoro._escape import printable
from pycoro.running.kinds import Aggregate, Int, Kind, Pointer
from pycoro.running.source_types import Opaque, Record

__all__ = [
    "Spot",
    "field_and_offset_at_address",
    "reason_not_settable",
    "short_value_text",
    "value_from_memory",
    "value_from_scalars",
]

ELEMENTS = 8
"""Number of array elements that are printed; the rest is counted."""


class Spot(NamedTuple):
    """Memory of a named field, for printing pointers into it."""

    name: str
    address: int
    size: int
    """Size in bytes."""


def value_from_memory(kind: Kind, data: bytes, defined: Callable[[int, int], bool] | None = None, at: int = 0) -> Any:
    """Decode the value at an offset in ``data``. It contains None for bytes that are not ``defined``, by offset and size."""
    if isinstance(kind, Aggregate):
        places = zip(kind.offsets, kind.elements, strict=True)
        return kind.from_elements(value_from_memory(element, data, defined, at + offset) for offset, element in places)
    return kind.from_bytes(data[at : at + kind.size]) if defined is None or defined(at, kind.used) else None


def value_from_scalars(kind: Kind, bits: Iterator[int | None]) -> Any:
    """Build a value from its scalars, given as bits. It contains None for undefined scalars."""
    if isinstance(kind, Aggregate):
        return kind.from_elements(value_from_scalars(element, bits) for element in kind.elements)
    scalar = next(bits, None)
    return None if scalar is None else kind.from_bytes(scalar.to_bytes(max(kind.size, 16), "little")[: kind.size])


def reason_not_settable(kind: Kind) -> str:
    """Return the reason why the value cannot be set; empty if it can."""
    if isinstance(kind, Pointer):
        return "holds an address, which the coroutine would dereference"
    if isinstance(kind, Opaque):
        return f"has the type {printable(kind.text)}, which has no values in Python"
    if isinstance(kind, Record) and kind.is_union:
        return f"has the type {printable(kind.text)}, a union, whose active member is unknown"
    reasons = [reason_not_settable(element) for element in set(kind.elements)] if isinstance(kind, Aggregate) else []
    return max(reasons, default="")


def field_and_offset_at_address(address: int, spots: Sequence[Spot]) -> tuple[str, int] | None:
    """Return the field that contains an address, and the offset in it."""
    for spot in spots:
        if spot.address <= address < spot.address + spot.size:
            return spot.name, address - spot.address
    return None


def _pointer_text(address: int, spots: Sequence[Spot]) -> str:
    found = field_and_offset_at_address(address, spots)
    if found is None:
        return f"{address:#x}" if address else "null"
    name, offset = found
    return f"→ {name} + {offset}" if offset else f"→ {name}"


def _quoted_text_to_nul_or_empty(kind: Aggregate, value: Sequence[Any]) -> str:
    """Return an array of characters in quotes up to its NUL, if all of them are printable ASCII; empty otherwise."""
    if len(value) < 2 or not all(isinstance(element, Int) and element.is_character for element in set(kind.elements)):
        return ""
    end = next((at for at, character in enumerate(value) if character == 0), -1)
    if end < 1 or any(character is None or not 32 <= character < 127 for character in value[:end]):
        return ""
    return '"' + "".join(map(chr, value[:end])) + '"'


def short_value_text(kind: Kind, value: Any, spots: Sequence[Spot] = ()) -> str:
    """Format a value in a short form. A pointer into a field prints as that field."""
    if value is None:
        return "undef"
    if isinstance(kind, Pointer):
        return _pointer_text(value, spots)
    if word := kind.value_name_or_empty(value):
        return word
    if isinstance(kind, Aggregate):
        if text := _quoted_text_to_nul_or_empty(kind, value):
            return text
        parts = [
            short_value_text(element, item, spots) for element, item in zip(kind.elements[:ELEMENTS], value[:ELEMENTS], strict=True)
        ]
        parts += [f"… {len(value) - ELEMENTS} more"] if len(value) > ELEMENTS else []
        if isinstance(kind, Record):
            names = [f"{name} = " if name else "" for name in (*kind.names[:ELEMENTS], "")]
            return "{" + ", ".join(name + part for name, part in zip(names, parts, strict=False)) + "}"
        opening, closing = "{}" if kind.text.startswith(("{", "<{", "%")) else "[]"
        return opening + ", ".join(parts) + closing
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
