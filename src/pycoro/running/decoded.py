"""What bytes of a frame and scalars of an interpreter mean: values by type, and how a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pycoro._escape import printable
from pycoro.running.kinds import Aggregate, Int, Kind, Pointer
from pycoro.running.source_kinds import Opaque, Record

__all__ = ["Spot", "from_memory", "from_scalars", "not_set", "shown", "target_of"]

ELEMENTS = 8
"""Of an array that are shown; the others are counted."""


class Spot(NamedTuple):
    """Memory that belongs to a field: what points there is shown by its name."""

    name: str
    address: int
    size: int
    """In bytes."""


def from_memory(kind: Kind, data: bytes, defined: Callable[[int, int], bool] | None = None, at: int = 0) -> Any:
    """The value that lies at an offset in ``data``; None in it for what is not ``defined``, by offset and size in bytes."""
    if isinstance(kind, Aggregate):
        places = zip(kind.offsets, kind.elements, strict=True)
        return kind.made(from_memory(element, data, defined, at + offset) for offset, element in places)
    return kind.from_bytes(data[at : at + kind.size]) if defined is None or defined(at, kind.used) else None


def from_scalars(kind: Kind, bits: Iterator[int | None]) -> Any:
    """The value that is made of these scalars, each as its bits; None in it for one that is undefined."""
    if isinstance(kind, Aggregate):
        return kind.made(from_scalars(element, bits) for element in kind.elements)
    scalar = next(bits, None)
    return None if scalar is None else kind.from_bytes(scalar.to_bytes(max(kind.size, 16), "little")[: kind.size])


def not_set(kind: Kind) -> str:
    """Why nobody can say what its bytes shall be; empty where that can be said."""
    if isinstance(kind, Pointer):
        return "holds an address, and the coroutine would go where it leads"
    if isinstance(kind, Opaque):
        return f"is of type {printable(kind.text)}, which has no values in Python"
    if isinstance(kind, Record) and kind.is_union:
        return f"is of type {printable(kind.text)}, a union: which of its members is meant is not known"
    reasons = [not_set(element) for element in set(kind.elements)] if isinstance(kind, Aggregate) else []
    return max(reasons, default="")


def target_of(address: int, spots: Sequence[Spot]) -> tuple[str, int] | None:
    """The field that an address is in, and the offset there."""
    for spot in spots:
        if spot.address <= address < spot.address + spot.size:
            return spot.name, address - spot.address
    return None


def _pointer(address: int, spots: Sequence[Spot]) -> str:
    found = target_of(address, spots)
    if found is None:
        return f"{address:#x}" if address else "null"
    name, offset = found
    return f"→ {name} + {offset}" if offset else f"→ {name}"


def _characters(kind: Aggregate, value: Sequence[Any]) -> str:
    """Of bytes that are text up to a zero, that text; else nothing."""
    if len(value) < 2 or not all(isinstance(element, Int) and element.is_character for element in set(kind.elements)):
        return ""
    end = next((at for at, character in enumerate(value) if character == 0), -1)
    if end < 1 or any(character is None or not 32 <= character < 127 for character in value[:end]):
        return ""
    return '"' + "".join(map(chr, value[:end])) + '"'


def shown(kind: Kind, value: Any, spots: Sequence[Spot] = ()) -> str:
    """The value in a few words; a pointer that leads into a field by the field's name."""
    if value is None:
        return "undef"
    if isinstance(kind, Pointer):
        return _pointer(value, spots)
    if word := kind.said(value):
        return word
    if isinstance(kind, Aggregate):
        if text := _characters(kind, value):
            return text
        parts = [shown(element, item, spots) for element, item in zip(kind.elements[:ELEMENTS], value[:ELEMENTS], strict=True)]
        parts += [f"… {len(value) - ELEMENTS} more"] if len(value) > ELEMENTS else []
        if isinstance(kind, Record):
            names = [f"{name} = " if name else "" for name in (*kind.names[:ELEMENTS], "")]
            return "{" + ", ".join(name + part for name, part in zip(names, parts, strict=False)) + "}"
        opening, closing = "{}" if kind.text.startswith(("{", "<{", "%")) else "[]"
        return opening + ", ".join(parts) + closing
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
