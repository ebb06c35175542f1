"""Frame contents of a suspended coroutine in an interpreter: SSA values by name, and allocas in the program's memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro.errors import UndefinedError
from pycoro.running.decoded import Spot, field_and_offset_at_address, short_value_text, value_from_memory, value_from_scalars
from pycoro.running.frame_snapshot import NOT_KNOWN, Decoded, kind_of, name_of
from pycoro.running.kinds import Aggregate, Kind, Kinds, Pointer

if TYPE_CHECKING:
    from pycoro import _core
    from pycoro.frame import FrameField, SuspendPoint

__all__ = ["InterpreterFrame", "InterpreterSnapshot"]


class InterpreterSnapshot:
    """Snapshot of the fields that an interpreter has read."""

    def __init__(self, suspend: SuspendPoint | None, fields: Mapping[tuple[int, str], Decoded]) -> None:
        self.suspend = suspend
        self._fields = fields

    def has_place_for(self, field: FrameField) -> bool:
        return not field.is_header  # header slots belong to the lowering, which did not run

    def decode_field(self, field: FrameField) -> Decoded:
        return self._fields.get((field.offset, field.name), NOT_KNOWN)


def _bits_of(kind: Kind, value: Any) -> Iterator[int]:
    """Yield the bits of each scalar in a value. Raises TypeError or OverflowError."""
    if not isinstance(kind, Aggregate):
        yield int.from_bytes(kind.to_bytes(value), sys.byteorder)
        return
    items = tuple(value)
    if len(items) != len(kind.elements):
        raise TypeError(f"{kind.text} has {len(kind.elements)} elements, not {len(items)}")
    for element, item in zip(kind.elements, items, strict=True):
        yield from _bits_of(element, item)


class InterpreterFrame:
    """Values of one suspended coroutine."""

    def __init__(self, core: _core.Interpreter, kinds: Kinds, address: int, places: Mapping[str, int]) -> None:
        self._core, self._kinds, self._address, self._places = core, kinds, address, places

    def _field_bits(self, field: FrameField) -> tuple[int | None, ...]:
        place = self._places.get(field.name)
        return () if place is None else self._core.saved_value(self._address, place)

    def _field_type(self, field: FrameField) -> Kind | None:
        """Return the type of a field; an SSA value has scalars of the LLVM type."""
        kind = kind_of(field, self._kinds)
        return self._kinds.find_kind(field._data["spelled"]) if field.kind == "spill" and isinstance(kind, Aggregate) else kind

    def address_of(self, field: FrameField) -> int | None:
        """Return the address of an alloca; None if it has no memory yet or cannot be identified."""
        bits, kind = self._field_bits(field), kind_of(field, self._kinds)
        size = kind.size if kind else field.size
        return bits[0] if len(bits) == 1 and bits[0] and self._core.owns(bits[0], size or 1) else None

    def decode(self, fields: Iterable[FrameField]) -> dict[tuple[int, str], Decoded]:
        """Decode the value of each field."""
        fields = tuple(fields)
        memory = {field.name: address for field in fields if field.kind != "spill" and (address := self.address_of(field))}
        spots = [Spot(name_of(field), memory[field.name], field.size) for field in fields if field.name in memory]
        return {(field.offset, field.name): self._decode_field(field, memory.get(field.name), spots) for field in fields}

    def _decode_field(self, field: FrameField, address: int | None, spots: list[Spot]) -> Decoded:
        kind = self._field_type(field)
        if kind is None:
            return NOT_KNOWN
        if field.kind == "spill":
            bits = self._field_bits(field)
            if not bits:
                return NOT_KNOWN
            value = value_from_scalars(kind, iter(bits))
        elif not kind.size:
            value = kind.from_bytes(b"")
        elif address is None:
            return NOT_KNOWN
        else:
            value = self._decode_value_at(kind, address)
        target = field_and_offset_at_address(value, spots) if isinstance(kind, Pointer) and value else None
        return Decoded(value, short_value_text(kind, value, spots), target)

    def _decode_value_at(self, kind: Kind, address: int) -> Any:
        data = ctypes.string_at(address, kind.size)
        if self._core.defined(address, kind.size):
            return value_from_memory(kind, data)
        return value_from_memory(kind, data, partial(_is_defined, self._core, address))

    def write_field(self, field: FrameField, kind: Kind, value: Any, to_recompute: Iterable[str]) -> None:
        """Replace an SSA value. Recompute the values named in `to_recompute`, which are not in the frame of a lowered coroutine.
        Raises TypeError or OverflowError.
        """
        place = self._places.get(field.name)
        bits = tuple(_bits_of(self._field_type(field) or kind, value))
        places = tuple(self._places[name] for name in to_recompute if name in self._places)
        if place is None or not (
            self._core.set_saved_value(self._address, place, bits) and self._core.recompute(self._address, place, places)
        ):
            raise UndefinedError(
                f"{printable(field.name)} cannot be set, because the interpreter does not know a value of this name"
            )


def _is_defined(core: _core.Interpreter, address: int, offset: int, size: int) -> bool:
    return core.defined(address + offset, size)
