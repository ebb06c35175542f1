"""Snapshots of the frame of a suspended coroutine: typed values, changes, and liveness."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, overload

from pycoro._escape import printable
from pycoro._suggest import UnknownNameError
from pycoro._typecheck import check, short_repr
from pycoro.coroutine import Coroutine
from pycoro.drawing.model import display_name
from pycoro.errors import UsageError
from pycoro.frame import FrameField, SuspendPoint
from pycoro.ir.source_location import SourceLocation
from pycoro.running.decoded import Spot, field_and_offset_at_address, reason_not_settable, short_value_text, value_from_memory
from pycoro.running.kinds import Int, Kind, Kinds, Pointer
from pycoro.running.source_types import source_kind

__all__ = [
    "NOT_KNOWN",
    "Decoded",
    "FieldValue",
    "MemorySnapshot",
    "RunningFrame",
    "Snapshot",
    "find_settable_field",
    "is_header_or_live_at",
    "kind_of",
    "name_of",
]


class Decoded(NamedTuple):
    """Decoded content of a field."""

    value: Any
    text: str
    target: tuple[str, int] | None = None


NOT_KNOWN = Decoded(None, "?")
"""Content of a field that is unreadable or has a type without values in Python."""


def name_of(field: FrameField) -> str:
    """Return the source name of a field, or else its IR name."""
    return field.variable or (field.name if field.is_header else f"%{field.name}")


def kind_of(field: FrameField, kinds: Kinds) -> Kind | None:
    """Return the type of a field: the source type if known; None if it has no values in Python. An alloca of several elements
    is an array.
    """
    if of_source := source_kind(field):
        return of_source
    kind = kinds.find_kind(field._data["spelled"]) if field._data["spelled"] else None
    if kind is None or field._data["realign"] or kind.size in (0, field.size):
        return kind
    count, rest = divmod(field.size, kind.size)
    return None if rest else kinds.find_kind(f"[{count} x {kind.text}]")


def is_header_or_live_at(field: FrameField, suspend: int) -> bool:
    """Return True if the field is live at that suspend."""
    return field.is_header or any(suspend in places for places in field.live)


class Snapshot(Protocol):
    """Frame contents at one moment."""

    @property
    def suspend(self) -> SuspendPoint | None: ...
    def has_place_for(self, field: FrameField) -> bool:
        """Return True unless only the lowering creates the field and the frame is interpreted."""
        ...

    def decode_field(self, field: FrameField) -> Decoded: ...


class MemorySnapshot:
    """Copy of all bytes of a lowered frame."""

    def __init__(
        self, coroutine: Coroutine, kinds: Kinds, address: int, data: bytes, suspend: SuspendPoint | None, code: Mapping[int, str]
    ) -> None:
        self.suspend = suspend
        self._kinds, self._address, self._data, self._code = kinds, address, data, code
        self._coroutine = coroutine

    def has_place_for(self, field: FrameField) -> bool:
        return True

    def _spots_of_fields_and_frame(self) -> tuple[Spot, ...]:
        """Return the fields by address, live ones first, and the whole frame last."""
        suspend = self.suspend._place if self.suspend else -1
        fields = sorted(self._coroutine.frame.fields, key=lambda field: not is_header_or_live_at(field, suspend))
        whole = Spot("the frame", self._address, len(self._data))
        return (*(Spot(name_of(field), self._address + field.offset, field.size) for field in fields), whole)

    def decode_field(self, field: FrameField) -> Decoded:
        kind = kind_of(field, self._kinds)
        if kind is None:
            return NOT_KNOWN
        at = field.offset
        if realign := field._data["realign"]:
            at += -(self._address + at) % realign
        value = value_from_memory(kind, self._data, at=at)
        if isinstance(kind, Pointer) and value in self._code:
            return Decoded(value, f"clone of {display_name(self._code[value])}")
        if field.kind == "index" and isinstance(kind, Int):
            value = value & (1 << kind.bits) - 1
            most = 1 << kind.bits - 1  # the bit that an engine sets while the coroutine runs, and does not clear at the end
            value -= most if value >= most and len(self._coroutine.suspends) < most else 0
        spots = self._spots_of_fields_and_frame()
        target = field_and_offset_at_address(value, spots) if isinstance(kind, Pointer) else None
        return Decoded(value, short_value_text(kind, value, spots), target)


def find_settable_field(frame: RunningFrame, name: str, kinds: Kinds) -> tuple[FrameField, Kind]:
    """Return the field to overwrite. Raises ``UsageError`` if that is unsafe, ``KeyError`` if it is unknown."""
    found = frame[name]
    kind = kind_of(found.field, kinds)
    shown = f"{printable(found.name)} of the coroutine @{frame.coroutine.name}"
    if found.field.is_header:
        raise UsageError(f"{shown} is a header slot, which resume and destroy depend on; set another field")
    if not found.live:
        raise UsageError(f"{shown} is not live at this suspend, so the coroutine would not read it")
    if kind is None:
        given = printable(found.field.type)
        raise UsageError(f"{shown} is of type {given}, which has no values in Python; write to its memory by ctypes")
    if why := reason_not_settable(kind):
        raise UsageError(f"{shown} cannot be set, because it {why}")
    return found.field, kind


class FieldValue:
    """A frame field and its content at the time of the snapshot. Plain data that is never stale.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     with engine["counter"](3, 6) as handle:
    ...         handle.frame["%to"]
    <FieldValue %to = 6>
    """

    __slots__ = ("_decoded", "changed", "field", "live", "name")

    field: FrameField
    """Description of the field: offset, size, type, and the reason why it is in the frame."""
    name: str
    """Source name by debug information, or else the IR name, ``"%x"``."""
    live: bool
    """True if the field is live at the suspend. A field that is not live has no value: its bytes are stale or belong to
    another one.
    """
    changed: bool | None
    """True if it differs, or was not live, when Python last resumed the coroutine; None if unknown."""

    def __init__(self, field: FrameField, look: Snapshot, before: Snapshot | None) -> None:
        check("field must be a FrameField", field, FrameField)
        for snapshot in (look,) if before is None else (look, before):
            if not hasattr(snapshot, "decode_field"):
                raise TypeError(
                    f"a field value needs a snapshot of a frame, not {short_repr(snapshot)}; handle.frame has the values"
                )
        self.field, self.name = field, name_of(field)
        self.live = look.suspend is not None and is_header_or_live_at(field, look.suspend._place)
        self._decoded = look.decode_field(field) if self.live else None
        self.changed = None if before is None else self.live and self._has_changed_since(before)

    def _has_changed_since(self, before: Snapshot) -> bool:
        if before.suspend is None or not is_header_or_live_at(self.field, before.suspend._place):
            return True
        then, now = before.decode_field(self.field), self._decoded
        return now is None or (repr(then.value), then.text) != (repr(now.value), now.text)

    @property
    def type(self) -> str:
        """Source type by debug information, such as ``"unsigned int"``, or else the LLVM type."""
        return self.field.source_type or self.field.type

    @property
    def value(self) -> Any:
        """Value in Python: an int, a float, an address, or a tuple of these, with None for undefined elements. With debug
        information, a struct is a tuple with named members, ``value.x``, and a number may be unsigned or a bool. None if it
        is not live, or its type has no values in Python.
        """
        return self._decoded.value if self._decoded else None

    @property
    def text(self) -> str:
        """Short form of the value, such as ``"{x = 1, y = 2}"``, with names of enumerators. A pointer into the frame prints as
        its target, ``"→ %buffer + 8"``. Empty if it is not live.
        """
        return self._decoded.text if self._decoded else ""

    @property
    def target(self) -> tuple[str, int] | None:
        """For a pointer into the frame, the name of the target field and the offset in bytes; otherwise None."""
        return self._decoded.target if self._decoded else None

    def to_dict(self) -> dict[str, Any]:
        """Return a table row of texts, numbers and flags."""
        field = self.field
        return {
            "name": self.name,
            "type": self.type,
            "kind": field.kind,
            "offset": field.offset,
            "size": field.size,
            "live": self.live,
            "changed": self.changed,
            "value": self.value,
            "text": self.text,
        }

    def __repr__(self) -> str:
        state = f" = {self.text}" if self.live else ", not live"
        return f"<FieldValue {printable(self.name)}{state}{', changed' if self.changed else ''}>"


class RunningFrame:
    """Snapshot of the frame of a suspended coroutine, as `Handle.frame` returns it. Later resumes do not change it.

    It is a sequence of :class:`FieldValue` by offset, and also maps names of source variables and IR values, with or
    without their ``%``, to fields.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     with engine["counter"](3, 6) as handle:
    ...         handle.resume()
    ...         [(field.name, field.value, field.changed) for field in handle.frame.live]
    [('%promise', 4, True), ('%to', 6, False), ('%next', 5, True)]
    """

    __slots__ = ("__weakref__", "address", "coroutine", "fields", "suspend")

    coroutine: Coroutine
    """Coroutine with this layout, as it was lowered."""
    address: int
    """Address of the frame: the handle for the switch ABI; in an interpreter, the buffer or context for the other ABIs."""
    suspend: SuspendPoint | None
    """Current suspend point; None if an exception ended the coroutine."""
    fields: tuple[FieldValue, ...]
    """All fields by offset, including those that are not live."""

    def __init__(self, coroutine: Coroutine, address: int, look: Snapshot, before: Snapshot | None) -> None:
        self.coroutine, self.address, self.suspend = coroutine, address, look.suspend
        self.fields = tuple(FieldValue(field, look, before) for field in coroutine.frame.fields if look.has_place_for(field))

    @property
    def location(self) -> SourceLocation | None:
        """Source place of the suspend; None without debug information."""
        return self.suspend.location if self.suspend else None

    @property
    def live(self) -> tuple[FieldValue, ...]:
        """Live fields, without the header slots."""
        return tuple(field for field in self.fields if field.live and not field.field.is_header)

    @property
    def changed(self) -> tuple[FieldValue, ...]:
        """Live fields that changed since Python last resumed the coroutine."""
        return tuple(field for field in self.live if field.changed)

    def __iter__(self) -> Iterator[FieldValue]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @overload
    def __getitem__(self, name: int | str) -> FieldValue: ...
    @overload
    def __getitem__(self, name: slice) -> tuple[FieldValue, ...]: ...
    def __getitem__(self, name: int | str | slice) -> FieldValue | tuple[FieldValue, ...]:
        """Return the field of that name, preferring a live one, or the fields at positions by offset. Raises ``KeyError`` for
        an unknown name.
        """
        if not isinstance(name, str):
            return self.fields[name]
        bare = name.removeprefix("%")
        found = [item for item in self.fields if name == item.name or bare == item.field.name]
        if not found:
            raise UnknownNameError("field", name, [item.name for item in self.fields])
        return min(found, key=lambda item: (not item.live, item.field.is_header))

    def _ipython_key_completions_(self) -> list[str]:
        return [item.name for item in self.fields]

    def to_dict(self) -> dict[str, Any]:
        """Return the frame as dicts, lists, texts and numbers. Sizes and offsets are in bytes."""
        point = self.suspend
        return {
            "coroutine": self.coroutine.name,
            "address": self.address,
            "suspend": point._place if point else None,
            "location": str(self.location) if self.location else None,
            "fields": [field.to_dict() for field in self.fields],
        }

    def __repr__(self) -> str:
        at = f"at {self.suspend.name}" if self.suspend else "ended by an exception"
        live = f"{len(self.live)} of {len(self.fields)} fields live"
        return f"<RunningFrame of @{printable(self.coroutine.name)} {printable(at)}: {live}>"

    def __str__(self) -> str:
        from pycoro.drawing import running

        return running.frame_text(self)

    def svg(self) -> str:
        """Return the frame as an SVG picture."""
        from pycoro.drawing import running

        return running.frame_picture(self)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import running

        return running.frame_bundle(self, include, exclude)
