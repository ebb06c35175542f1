"""Types of source variables from debug information: Python values with the member names of the source."""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from pycoro._suggest import UnknownNameError
from pycoro.errors import OverflowUsageError
from pycoro.frame import FrameField, SourceTypes
from pycoro.running.kinds import MOST_LEAVES, MOST_NESTED, POINTER_SIZE, Aggregate, Float, Int, Kind, Pointer

__all__ = ["Members", "Opaque", "Record", "source_kind"]


class Members(tuple[Any, ...]):
    """Members of a struct: a tuple with named attributes. Base classes are members with the name of the class. Names that are
    not valid attributes are looked up as ``value["operator"]``.
    """

    def __new__(cls, names: Iterable[str], values: Iterable[Any]) -> Members:
        made = super().__new__(cls, values)
        made.__dict__["names"] = tuple(names)
        return made

    def __getattribute__(self, name: str) -> Any:
        names = object.__getattribute__(self, "__dict__").get("names", ())
        return self[name] if name in names else object.__getattribute__(self, name)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            names = self.__dict__["names"]
            if key not in names:
                raise UnknownNameError("member", key, names)
            key = names.index(key)
        return super().__getitem__(key)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *filter(None, self.__dict__["names"])]

    def __reduce__(self) -> tuple[Any, ...]:
        return Members, (self.__dict__["names"], tuple(self))

    def __repr__(self) -> str:
        return "(" + ", ".join(f"{name or '_'}={item!r}" for name, item in zip(self.__dict__["names"], self, strict=True)) + ")"


class Number(Int):
    """An integer, character, bool or enumeration."""

    def __init__(self, text: str, size: int, signed: bool, *, character: bool = False) -> None:
        super().__init__(text, size, 1, 8 * size)
        self.signed, self.is_character = signed, character and size == 1
        self._character = character

    def _from_bits(self, value: int) -> int:
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def value_name_or_empty(self, value: Any) -> str:
        shown = chr(value) if self._character and 32 <= value < 0xD800 else ""
        return f"{value} {shown!r}" if shown.isprintable() and shown else ""


class Truth(Number):
    """A bool of one or more bytes."""

    def _from_bits(self, value: int) -> bool:
        return bool(value & (1 << self.bits) - 1)

    def to_c(self, value: Any) -> int:
        if value not in (0, 1):
            raise OverflowUsageError(f"{value} does not fit {self.text}")
        return super().to_c(value)


class Enumeration(Number):
    """An integer with named values."""

    def __init__(self, text: str, size: int, signed: bool, names: dict[int, str]) -> None:
        super().__init__(text, size, signed)
        self._names = names

    def value_name_or_empty(self, value: Any) -> str:
        return self._names.get(value, "")


class BitField(Int):
    """A bit-field of an integer."""

    def __init__(self, base: Number, shift: int, bits: int) -> None:
        super().__init__(f"{base.text} : {bits}", (shift + bits + 7) // 8, 1, bits)
        self._base, self._shift = base, shift
        self.used, self.is_character = self.size, False

    def from_bytes(self, data: bytes) -> Any:
        value = int.from_bytes(data, sys.byteorder) >> self._shift & (1 << self.bits) - 1
        if self._base.signed and value >> (self.bits - 1):
            value -= 1 << self.bits
        return self._base._from_bits(value)

    def write(self, data: bytearray, at: int, value: Any) -> None:
        mask = (1 << self.bits) - 1 << self._shift
        old = int.from_bytes(data[at : at + self.size], sys.byteorder)
        new = (self.to_c(value) << self._shift & mask) | (old & ~mask)
        data[at : at + self.size] = new.to_bytes(self.size, sys.byteorder)

    def value_name_or_empty(self, value: Any) -> str:
        return self._base.value_name_or_empty(value)


class Real(Float):
    """A floating-point number of the source."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__({2: "half", 4: "float", 8: "double"}[size], size, 1)
        self.text = text


class LongDouble(Kind):
    """The C type on x86: ten bytes, and padding."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(text, size, 1)
        self.used = 10

    def from_bytes(self, data: bytes) -> float:
        return float(ctypes.c_longdouble.from_buffer_copy(data).value)

    def to_bytes(self, value: Any) -> bytes:
        return bytes(ctypes.c_longdouble(value))


class Opaque(Kind):
    """Bytes of an unknown type, or of one without values in Python, as hexadecimal text."""

    def from_bytes(self, data: bytes) -> str:
        return data.hex()

    def to_bytes(self, value: Any) -> bytes:
        raise TypeError(f"{self.text} has no values in Python")

    def value_name_or_empty(self, value: Any) -> str:
        return f"<{self.size} byte{'s' * (self.size != 1)}>"


class Record(Aggregate):
    """A struct, class or union: its bases and members."""

    def __init__(self, text: str, size: int, parts: Sequence[tuple[str, Kind, int]], *, is_union: bool) -> None:
        super().__init__(text, size, 1, [kind for _, kind, _ in parts], [at for _, _, at in parts])
        self.names = tuple(name for name, _, _ in parts)
        self.is_union = is_union

    def from_elements(self, values: Iterable[Any]) -> Members:
        return Members(self.names, values)

    def write(self, data: bytearray, at: int, value: Any) -> None:
        if self.is_union:
            raise TypeError(f"{self.text} is a union, whose active member is unknown")
        super().write(data, at, value)


_X86 = platform.machine() in ("x86_64", "AMD64") and ctypes.sizeof(ctypes.c_longdouble) == 16


def _float_kind(text: str, size: int) -> Kind | None:
    if size in (2, 4, 8) and text not in ("__bf16", "std::bfloat16_t"):
        return Real(text, size)
    return LongDouble(text, size) if text == "long double" and size == 16 and _X86 else None


def _read_member(types: SourceTypes, part: tuple[Any, ...], depth: int) -> tuple[str, Kind, int] | None:
    """Return name, type and offset in bytes of a member; None if unknown."""
    name, number, offset, bits, _ = part
    kind = _kind_or_opaque_at_index(types, number, depth + 1) if number is not None else None
    if kind is None:
        return None
    if bits:
        return (name, BitField(kind, offset % 8, bits), offset // 8) if isinstance(kind, Number) else None
    return None if offset % 8 else (name, kind, offset // 8)


def _record_kind(types: SourceTypes, data: dict[str, Any], depth: int) -> Kind | None:
    parts = [_read_member(types, part, depth) for part in data["parts"]]
    known = [part for part in parts if part is not None]
    leaves = sum(kind.leaves for _, kind, _ in known if isinstance(kind, Aggregate))
    if len(known) < len(parts) or leaves > MOST_LEAVES or any(at + kind.size > data["size"] for _, kind, at in known):
        return None
    return Record(data["name"], data["size"], known, is_union=data["kind"] == "union")


def _array_kind(types: SourceTypes, data: dict[str, Any], depth: int) -> Kind | None:
    element, count = _kind_or_opaque_at_index(types, data["element"], depth + 1), data["count"]
    if (element.leaves if isinstance(element, Aggregate) else 1) * count > MOST_LEAVES:
        return None
    return Aggregate(data["name"], data["size"], 1, [element] * count, [element.size * at for at in range(count)])


def _kind_from_data(types: SourceTypes, data: dict[str, Any], depth: int) -> Kind | None:
    name, size, signed = data["name"], data["size"], data["is_signed"]
    if not size or depth > MOST_NESTED:
        return None
    match data["kind"]:
        case "integer" | "character":
            return Number(name, size, signed, character=data["kind"] == "character")
        case "boolean":
            return Truth(name, size, signed)
        case "enumeration":
            mask = 0 if signed else (1 << 8 * size) - 1
            return Enumeration(
                name, size, signed, {part[4] & mask if mask else part[4]: part[0] for part in reversed(data["parts"])}
            )
        case "float":
            return _float_kind(name, size)
        case "pointer" if size == POINTER_SIZE:
            return Pointer(name, size, 1)
        case "record" | "union":
            return _record_kind(types, data, depth)
        case "array":
            return _array_kind(types, data, depth)
        case _:
            return None


def _kind_or_opaque_at_index(types: SourceTypes, number: int, depth: int = 0) -> Kind:
    if number not in types.built:
        data = types.data[number]
        types.built[number] = _kind_from_data(types, data, depth) or Opaque(data["name"] or "?", data["size"], 1)
    made: Kind = types.built[number]
    return made


def source_kind(field: FrameField) -> Kind | None:
    """Return the source type of the variable in the field; None if unknown, or if only its size is known."""
    number = field._data.get("source_type")
    kind = None if number is None else _kind_or_opaque_at_index(field._types, number)
    return None if isinstance(kind, Opaque) else kind
