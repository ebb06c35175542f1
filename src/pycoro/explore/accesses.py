"""Map lines of printed IR to the frame fields that they access: by name before the split, by address in clones.

Addresses are followed through ``getelementptr`` with constant offsets inside the frame. Other addresses, such as phis and
variable indices, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pycoro._ir_syntax import unquote_name
from pycoro.coroutine import AsyncShape, Coroutine, RetconShape
from pycoro.explore.printed import REGISTER
from pycoro.frame import FrameField

__all__ = ["Mark", "accesses_by_address", "accesses_by_value_name"]


@dataclass(frozen=True, slots=True)
class Mark:
    """An access of a line to a field."""

    line: int
    """Line number from 0."""
    how: str
    """``load``, ``store``, ``address`` (computed or escaping), ``define`` or ``use``."""
    field: int
    """Index of the field in the frame."""


_REGISTER = REGISTER.pattern
_ASSIGNED = re.compile(rf"^ *{_REGISTER} = (\w+)")
_BYTES = re.compile(rf"getelementptr [\w() ]*\bi8, ptr(?: addrspace\(\d+\))? {_REGISTER}, i\d+ (-?\d+)")
_INSIDE = re.compile(rf'getelementptr [^%]*(?:%"?[\w.: ]+"?, |[^%]*)ptr(?: addrspace\(\d+\))? {_REGISTER},')
_STORE = re.compile(rf"^ *store .*, ptr(?: addrspace\(\d+\))? {_REGISTER}(?:,|$)")
_STORE_OF = re.compile(rf'^ *store ptr ([%@](?:"[^"]*"|[-a-zA-Z$._0-9]+)), ptr {_REGISTER}')
_LOAD_OF = re.compile(rf"^ *{_REGISTER} = load ptr, ptr {_REGISTER}")
_ARGUMENT = re.compile(rf"{_REGISTER}(?=,|\)| \{{|$)")
_FIELD_ADDRESS = re.compile(r"^(.*)\.(?:reload|spill)\.addr\d*$")


def accesses_by_value_name(lines: Sequence[str], fields: Sequence[FrameField]) -> list[Mark]:
    """Return definitions and uses of field values by IR name, in the unsplit function."""
    known = {field.name: index for index, field in enumerate(fields) if not field.is_header}
    marks: list[Mark] = []
    for number, line in enumerate(lines):
        names = dict.fromkeys(unquote_name(name) for name in REGISTER.findall(line))
        assigned = _ASSIGNED.match(line)
        stored = _STORE.match(line)
        for name in names:
            if name not in known:
                continue
            how = "use"
            if (assigned and unquote_name(assigned[1]) == name) or (number == 0):
                how = "define"
            elif stored and unquote_name(stored[1]) == name:
                how = "store"
            elif assigned and assigned[2] == "load":
                how = "load"
            marks.append(Mark(number, how, known[name]))
    return marks


def _argument_names(head: str) -> list[str]:
    """Return the names of a function's arguments in order."""
    return [unquote_name(name) for name in _ARGUMENT.findall(head.partition("(")[2])]


def _frame_addresses(coroutine: Coroutine, lines: Sequence[str], *, is_ramp: bool) -> dict[str, int]:
    """Return the offsets from the frame of names that hold an address in it."""
    given, shape = _argument_names(lines[0]) if lines else [], coroutine.shape
    if isinstance(shape, AsyncShape):
        return {"async.ctx.frameptr": 0}
    if isinstance(shape, RetconShape):
        at = (shape.storage_argument or 0) if is_ramp else 0
        buffer = given[at] if at < len(given) else None
        return (
            {} if buffer is None else {buffer: 0} if shape.frame_in_storage else _frame_name_in_buffer_with_offset_0(buffer, lines)
        )
    if not is_ramp:
        return {given[0]: 0} if given else {}
    first = coroutine.clones[0] if coroutine.clones else ""
    into = next((into for what, into in _stored_addresses_with_destinations(lines) if what in (f"@{first}", f'@"{first}"')), None)
    return {} if into is None else {unquote_name(into): 0}


def _stored_addresses_with_destinations(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield stored addresses with their destinations."""
    return ((found[1], found[2]) for line in lines if (found := _STORE_OF.match(line)))


def _frame_name_in_buffer_with_offset_0(buffer: str, lines: Sequence[str]) -> dict[str, int]:
    """Return the register that is stored to a buffer, else that loaded from it, at offset 0 of the frame; empty if none."""
    loaded = ((found[1], found[2]) for line in lines if (found := _LOAD_OF.match(line)))
    names = [
        unquote_name(what[1:])
        for what, into in _stored_addresses_with_destinations(lines)
        if unquote_name(into) == buffer and what.startswith("%")
    ]
    names += [unquote_name(name) for name, source in loaded if unquote_name(source) == buffer]
    return {names[0]: 0} if names else {}


class _FieldsByOffset:
    """Map from frame bytes to fields."""

    def __init__(self, fields: Sequence[FrameField]) -> None:
        self._spans = [(field.offset, field.end) for field in fields]
        self._names = {field.name: index for index, field in enumerate(fields)}
        self._known: dict[int, tuple[int, ...]] = {}

    def fields_at_byte(self, offset: int, address_name: str) -> tuple[int, ...]:
        """Return the fields that contain the byte; of overlapping ones, the field with that name."""
        own = _FIELD_ADDRESS.match(address_name)
        meant = self._names.get(own[1]) if own else None
        if meant is not None and self._spans[meant][0] <= offset < self._spans[meant][1]:
            return (meant,)
        if offset not in self._known:
            here = (index for index, (first, end) in enumerate(self._spans) if first <= offset < end)
            self._known[offset] = tuple(here)
        return self._known[offset]


def accesses_by_address(coroutine: Coroutine, lines: Sequence[str], *, is_ramp: bool) -> list[Mark]:
    """Return loads, stores and address uses of fields in a clone."""
    layout = _FieldsByOffset(coroutine.frame.fields)
    roots = _frame_addresses(coroutine, lines, is_ramp=is_ramp)
    offsets, meant = dict(roots), dict[str, tuple[int, ...]]()
    if not roots:
        return []

    def fields_of_address(name: str) -> Iterable[int]:
        return meant.get(name) or layout.fields_at_byte(offsets[name], "")

    marks: list[Mark] = []
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("  #dbg_"):
            continue
        assigned = _ASSIGNED.match(line)
        derived = _base_and_offset_or_none(line, offsets) if assigned and assigned[2] == "getelementptr" else None
        if assigned and derived is not None:
            name = unquote_name(assigned[1])
            offsets[name] = derived[1]
            meant[name] = meant.get(derived[0], ()) if derived[1] == offsets[derived[0]] and derived[0] in meant else ()
            meant[name] = meant[name] or layout.fields_at_byte(derived[1], name)
            marks += (Mark(number, "address", place) for place in meant[name])
            continue
        stored = _STORE.match(line)
        into = unquote_name(stored[1]) if stored else ""
        for name in dict.fromkeys(unquote_name(found) for found in REGISTER.findall(line)):
            if name not in offsets or (name in roots and _uses_frame_address_itself(line, name, into)):
                continue
            how = "store" if name == into else "load" if assigned and assigned[2] == "load" else "address"
            marks += (Mark(number, how, place) for place in fields_of_address(name))
    return marks


def _uses_frame_address_itself(line: str, name: str, stored_to: str) -> bool:
    """Return True if the line uses the address of the whole frame, rather than that of its first field."""
    return name != stored_to and not re.search(r"= load ", line)


def _base_and_offset_or_none(line: str, offsets: dict[str, int]) -> tuple[str, int] | None:
    """Return the base address that an address is computed from, and its offset."""
    found = _BYTES.search(line)
    if found and unquote_name(found[1]) in offsets:
        base = unquote_name(found[1])
        return base, offsets[base] + int(found[2])
    inside = _INSIDE.search(line)
    if inside and unquote_name(inside[1]) in offsets:  # an unknown offset in a struct field
        base = unquote_name(inside[1])
        return base, offsets[base]
    return None
