"""The frame of a coroutine that is suspended, as it was when somebody looked: values by type, what has changed, what is dead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, overload

from pycoro._escape import printable
from pycoro._suggest import UnknownNameError
from pycoro.coroutine import Coroutine
from pycoro.errors import UsageError
from pycoro.frame import FrameField, SuspendPoint
from pycoro.ir.place import Place
from pycoro.running.decoded import Spot, from_memory, not_set, shown, target_of
from pycoro.running.kinds import Int, Kind, Kinds, Pointer
from pycoro.running.source_kinds import source_kind

__all__ = ["NOT_KNOWN", "BytesLook", "Decoded", "FieldValue", "Look", "RunningFrame", "kind_of", "name_of", "settable", "survives"]


class Decoded(NamedTuple):
    """What a field held."""

    value: Any
    text: str
    target: tuple[str, int] | None = None


NOT_KNOWN = Decoded(None, "?")
"""Of a type without values in Python, or of a field that nobody can look into."""


def name_of(field: FrameField) -> str:
    """As the source calls it, else as the IR does."""
    return field.variable or (field.name if field.is_header else f"%{field.name}")


def kind_of(field: FrameField, kinds: Kinds) -> Kind | None:
    """The type of its values, the source's where that is known; None where they have none in Python. A variable of several elements
    is an array of them."""
    if of_source := source_kind(field):
        return of_source
    kind = kinds.known(field._data["spelled"]) if field._data["spelled"] else None
    if kind is None or field._data["realign"] or kind.size in (0, field.size):
        return kind
    count, rest = divmod(field.size, kind.size)
    return None if rest else kinds.known(f"[{count} x {kind.text}]")


def survives(field: FrameField, suspend: int) -> bool:
    """Whether its bytes mean something while the coroutine is suspended there."""
    return field.is_header or any(suspend in places for places in field.live)


class Look(Protocol):
    """What was there when somebody looked."""

    @property
    def suspend(self) -> SuspendPoint | None: ...
    def holds(self, field: FrameField) -> bool:
        """Whether it is there at all."""
        ...

    def decoded(self, field: FrameField) -> Decoded: ...


class BytesLook:
    """All bytes of a frame that lies in memory as it was laid out."""

    def __init__(
        self, coroutine: Coroutine, kinds: Kinds, address: int, data: bytes, suspend: SuspendPoint | None, code: Mapping[int, str]
    ) -> None:
        self.suspend = suspend
        self._kinds, self._address, self._data, self._code = kinds, address, data, code
        self._coroutine = coroutine

    def holds(self, field: FrameField) -> bool:
        return True

    def _spots(self) -> tuple[Spot, ...]:
        """The fields by address, those first that survive here; and the whole."""
        suspend = self.suspend._place if self.suspend else -1
        fields = sorted(self._coroutine.frame.fields, key=lambda field: not survives(field, suspend))
        whole = Spot("the frame", self._address, len(self._data))
        return (*(Spot(name_of(field), self._address + field.offset, field.size) for field in fields), whole)

    def decoded(self, field: FrameField) -> Decoded:
        kind = kind_of(field, self._kinds)
        if kind is None:
            return NOT_KNOWN
        at = field.offset
        if realign := field._data["realign"]:
            at += -(self._address + at) % realign
        value = from_memory(kind, self._data, at=at)
        if isinstance(kind, Pointer) and value in self._code:
            return Decoded(value, f"@{printable(self._code[value])}")
        if field.kind == "index" and isinstance(kind, Int):
            value = value & (1 << kind.bits) - 1
            most = 1 << kind.bits - 1  # the bit that an engine marks a coroutine by that runs, and does not clear at the end
            value -= most if value >= most and len(self._coroutine.suspends) < most else 0
        spots = self._spots()
        target = target_of(value, spots) if isinstance(kind, Pointer) else None
        return Decoded(value, shown(kind, value, spots), target)


def settable(frame: RunningFrame, name: str, kinds: Kinds) -> tuple[FrameField, Kind]:
    """The field that is to hold another value. ``UsageError`` where that is not safe, ``KeyError`` where there is none."""
    found = frame[name]
    kind = kind_of(found.field, kinds)
    shown = f"{printable(found.name)} of the coroutine @{frame.coroutine.name}"
    if found.field.is_header:
        raise UsageError(f"{shown} is the lowering's own: it is not set")
    if not found.live:
        raise UsageError(f"{shown} is not live where the coroutine stands: nothing would read it")
    if kind is None:
        raise UsageError(f"{shown} is of type {printable(found.field.type)}, which has no values in Python")
    if why := not_set(kind):
        raise UsageError(f"{shown} {why}: it is not set")
    return found.field, kind


class FieldValue:
    """A field of a frame, and what it held when somebody looked. Plain data, which is never stale.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     with engine["counter"](3, 6) as handle:
    ...         handle.frame["%to"]
    <FieldValue %to = 6>
    """

    __slots__ = ("_decoded", "changed", "field", "live", "name")

    field: FrameField
    """What it is: offset, size, type, why it is there."""
    name: str
    """As the source calls it, by debug information; else as the IR does, ``"%x"``."""
    live: bool
    """Whether the coroutine needs it where it stands. What is not live has no value: its bytes are left over, or another's."""
    changed: bool | None
    """Whether it was another, or was not live, when Python last resumed the coroutine; None where that is not known."""

    def __init__(self, field: FrameField, look: Look, before: Look | None) -> None:
        self.field, self.name = field, name_of(field)
        self.live = look.suspend is not None and survives(field, look.suspend._place)
        self._decoded = look.decoded(field) if self.live else None
        self.changed = None if before is None else self.live and self._differs(before)

    def _differs(self, before: Look) -> bool:
        if before.suspend is None or not survives(self.field, before.suspend._place):
            return True
        then, now = before.decoded(self.field), self._decoded
        return now is None or (repr(then.value), then.text) != (repr(now.value), now.text)

    @property
    def type(self) -> str:
        """The source's, ``"unsigned int"``, by debug information; else LLVM's."""
        return self.field.source_type or self.field.type

    @property
    def value(self) -> Any:
        """As Python sees a value of its type: ints, floats, addresses, and tuples of them, None in them for what is undefined. Of
        the source's types, where these are known: a struct is a tuple whose members have their names, ``value.x``, and a
        number may be unsigned, or a bool. None where it is not live, or its type has no values in Python."""
        return self._decoded.value if self._decoded else None

    @property
    def text(self) -> str:
        """The value in a few words, ``"{x = 1, y = 2}"``, enumerators by their names; a pointer into the frame by where it leads,
        ``"→ %buffer + 8"``; empty where it is not live."""
        return self._decoded.text if self._decoded else ""

    @property
    def target(self) -> tuple[str, int] | None:
        """Of a pointer into the frame, the name of the field that it leads to and the offset there, in bytes; else None."""
        return self._decoded.target if self._decoded else None

    def to_dict(self) -> dict[str, Any]:
        """A row of a table: texts, numbers, flags."""
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
        said = f" = {self.text}" if self.live else ", not live"
        return f"<FieldValue {printable(self.name)}{said}{', changed' if self.changed else ''}>"


class RunningFrame:
    """The frame of a suspended coroutine as it was when ``handle.frame`` was asked for. It does not change with the coroutine.

    A sequence of :class:`FieldValue` by offset, which names look up as well: those of the source's variables, and of the IR's
    values, with or without their ``%``.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     with engine["counter"](3, 6) as handle:
    ...         handle.resume()
    ...         [(field.name, field.value, field.changed) for field in handle.frame.live]
    [('%promise', 4, True), ('%to', 6, False), ('%next', 5, True)]
    """

    __slots__ = ("__weakref__", "address", "coroutine", "fields", "suspend")

    coroutine: Coroutine
    """Whose layout it is, as it was lowered."""
    address: int
    """Of the frame: the handle's, for the switch ABI; in an interpreter that of the buffer or the context, for the others."""
    suspend: SuspendPoint | None
    """Where the coroutine stood; None where an exception has ended it."""
    fields: tuple[FieldValue, ...]
    """All of them by offset, those that are not live among them."""

    def __init__(self, coroutine: Coroutine, address: int, look: Look, before: Look | None) -> None:
        self.coroutine, self.address, self.suspend = coroutine, address, look.suspend
        self.fields = tuple(FieldValue(field, look, before) for field in coroutine.frame.fields if look.holds(field))

    @property
    def place(self) -> Place | None:
        """Of the suspend, in the source; None where debug information does not say."""
        return self.suspend.place if self.suspend else None

    @property
    def live(self) -> tuple[FieldValue, ...]:
        """The fields that are live, the header's slots left out."""
        return tuple(field for field in self.fields if field.live and not field.field.is_header)

    @property
    def changed(self) -> tuple[FieldValue, ...]:
        """Those of them that have changed since Python last resumed the coroutine."""
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
        """``KeyError`` where there is none of the name. Of several, the one that is live. Numbers count by offset."""
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
        """The frame as dicts, lists, texts and numbers. Sizes and offsets are in bytes."""
        point = self.suspend
        return {
            "coroutine": self.coroutine.name,
            "address": self.address,
            "suspend": point._place if point else None,
            "place": str(self.place) if self.place else None,
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
        """The frame as a picture, as SVG: needs no other program."""
        from pycoro.drawing import running

        return running.frame_svg(self)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import running

        return running.frame_bundle(self, include, exclude)
