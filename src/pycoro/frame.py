"""Views of a coroutine frame: fields with offsets, the reason for each, and the suspends that it is live across."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from pycoro._escape import printable
from pycoro._suggest import UnknownNameError
from pycoro.errors import RejectedError
from pycoro.ir.source_location import SourceLocation, source_location_from_data
from pycoro.view import Life, View, attribute, format_count, word

__all__ = ["Frame", "FrameField", "Hole", "SuspendPoint"]


FieldKind: TypeAlias = Literal["resume", "destroy", "promise", "index", "header", "alloca", "spill"]
"""Purpose of a frame field: see `FrameField.kind`."""


class Hole(NamedTuple):
    """Unused bytes of a frame.

    >>> frame = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame
    >>> frame.size, frame.holes
    (32, (Hole(offset=28, size=4),))
    """

    offset: int
    """Offset in the frame, in bytes."""
    size: int
    """Size in bytes."""


class SourceTypes:
    """Source types of a coroutine's variables as plain data, with a cache of the types built from them."""

    __slots__ = ("built", "data")

    def __init__(self, data: tuple[dict[str, Any], ...]) -> None:
        self.data = data
        self.built: dict[int, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return SourceTypes, (self.data,)


NO_TYPES = SourceTypes(())


class FrameField(View):
    """Field of a frame: a header slot, a stack slot, or a value that is live across a suspend.

    >>> field = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame["%next"]
    >>> field.type, field.offset, field.kind
    ('i32', 24, 'spill')
    """

    __slots__ = ("_types",)

    def __init__(self, life: Life, data: dict[str, Any], types: SourceTypes = NO_TYPES) -> None:
        super().__init__(life, data)
        self._types = types

    offset = attribute(int, "Offset in the frame, in bytes.")
    size = attribute(int, "Size in bytes.")
    align = attribute(int, "Alignment in bytes.")
    type = attribute(str, 'LLVM type, as ``"i32"``.')
    kind = word[FieldKind](
        "``resume``, ``destroy``, ``index`` and ``header`` are slots of the header; ``promise``; ``alloca`` is a stack slot that "
        "is live across a suspend; ``spill`` is an SSA value that is.",
    )
    name = attribute(str, "Name of the IR value without the ``%``, or of the header slot.")
    value = attribute(str, "Instruction or argument that defines it, as LLVM prints it; empty for the header.")
    def_block = attribute(str, 'Block of its definition, ``"%entry"``.')
    use_block = attribute(str, "Block of its first use after a suspend; empty for the header.")
    use = attribute(
        str, "Instruction of that use, as LLVM prints it; empty for the header, and if the address matters rather than one use."
    )
    why = attribute(str, "Reason why it is in the frame, one sentence.")

    @property
    def variable(self) -> str:
        """Source variable that it stores, by debug information; empty if unknown."""
        self._life.check_is_current()
        name: str = self._data["source"]["name"]
        return name

    @property
    def source_type(self) -> str:
        """Source type of that variable, ``"const char *"``; empty if unknown."""
        self._life.check_is_current()
        number: int | None = self._data.get("source_type")
        return "" if number is None else str(self._types.data[number]["name"])

    @property
    def location(self) -> SourceLocation | None:
        """Location of that variable's declaration; None if unknown."""
        self._life.check_is_current()
        return source_location_from_data(self._data["source"], "")

    @property
    def def_location(self) -> SourceLocation | None:
        """Source location of the defining instruction; None if unknown, and for an argument."""
        self._life.check_is_current()
        return source_location_from_data(self._data["def_source"], "")

    @property
    def use_location(self) -> SourceLocation | None:
        """Source location of the instruction `use`; None if unknown."""
        self._life.check_is_current()
        return source_location_from_data(self._data["use_source"], "")

    @property
    def suspend(self) -> int | None:
        """Index in ``coroutine.suspends`` of the suspend that forces it into the frame; None for the header."""
        self._life.check_is_current()
        index: int | None = self._data["suspend"]
        return index

    @property
    def live(self) -> tuple[range, ...]:
        """Suspend points that it is live across, as ranges of indices into ``coroutine.suspends``: all of them for the promise,
        which the caller may access; none for the header, which belongs to the lowering."""
        self._life.check_is_current()
        return tuple(range(first, end) for first, end in self._data["live"])

    @property
    def end(self) -> int:
        """Offset of the first byte after it."""
        return self.offset + self.size

    @property
    def is_header(self) -> bool:
        """True if it is a header slot rather than a value of the program."""
        return self.kind in ("resume", "destroy", "index", "header")

    def row(self) -> dict[str, Any]:
        """Return the field as a table row of texts and numbers; sizes and offsets are in bytes."""
        return {
            "name": self.name,
            "variable": self.variable,
            "kind": self.kind,
            "offset": self.offset,
            "size": self.size,
            "align": self.align,
            "type": self.type,
            "source_type": self.source_type,
            "suspends": sum(map(len, self.live)),
            "location": str(self.location or ""),
            "why": self.why,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the field as dicts, lists, texts and numbers, for JSON: its row, and what defines, uses and forces it into the
        frame. ``live`` has a pair for each range of suspends, its end excluded."""
        data = super().to_dict()
        places = {"location": "source", "def_location": "def_source", "use_location": "use_source"}
        keys = ("file", "directory", "line", "column")
        row = {**self.row(), **{name: {key: data[source][key] for key in keys} for name, source in places.items()}}
        return {**row, **{key: data[key] for key in ("value", "def_block", "use_block", "use", "suspend", "live")}}

    def _repr_details(self) -> str:
        data = self._data
        return f"{data['name']}: {data['type']}, {format_count(data['size'], 'byte')} at {data['offset']}, {data['kind']}"


class SuspendPoint(View):
    """Suspend point of a coroutine, where it can be resumed or destroyed.

    >>> first, final = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].suspends
    >>> first.block, first.resume_block, [field.name for field in first.live]
    ('%yield', '%loop', ['promise', 'to', 'next'])
    >>> final.is_final
    True
    """

    __slots__ = ("_fields", "_place")

    name = attribute(str, 'Name of the suspend\'s result, ``"%s"``.')
    index = attribute(int, "Suspend index in the frame while suspended here.")
    block = attribute(str, "Block with the suspend.")
    save_block = attribute(str, "Block with its ``llvm.coro.save``; equal to `block` without one.")
    resume_block = attribute(str, "Successor on resume; empty if not known statically.")
    destroy_block = attribute(str, "Successor on destroy; empty if not known statically.")
    suspend_block = attribute(str, "Successor on suspend; empty if not known statically.")
    is_final = attribute(bool, "True if it is the final suspend, where the coroutine is done and can only be destroyed.")
    is_first_value = attribute(
        bool,
        "True if a ramp that suspends here has yielded its first value: at a ``co_yield`` if the frontend marks it, otherwise "
        "if the ramp stores to the promise before its first suspend.",
    )

    has_separate_save = attribute(
        bool,
        "True if a call between its ``llvm.coro.save`` and the suspend may resume the coroutine before it suspends.",
    )
    live_count = attribute(int, "Number of fields that are live across this suspend, without the header.")
    live_bytes = attribute(int, "Size of those fields in bytes.")

    def __init__(self, life: Life, data: dict[str, Any], place: int, fields: tuple[FrameField, ...]) -> None:
        super().__init__(life, data)
        self._place = place
        self._fields = fields

    @property
    def location(self) -> SourceLocation | None:
        """Source location, such as that of a ``co_await`` or ``co_yield``, by debug information; None if unknown."""
        self._life.check_is_current()
        return source_location_from_data(self._data["source"], "")

    @property
    def live(self) -> tuple[FrameField, ...]:
        """Fields that are live across this suspend, by offset."""
        self._life.check_is_current()
        return tuple(f for f in self._fields if any(first <= self._place < end for first, end in f._data["live"]))

    def _repr_details(self) -> str:
        data = self._data
        final = " (final)" if data["is_final"] else ""
        return f"{data['index']}{final} {data['name']} in {data['block']}, {data['live_count']} live"


class Frame(View):
    """Layout of a coroutine's frame: a sequence of fields by offset, also indexed by name.

    A name with its ``%`` is a value of the IR; one without is a header slot if there is one, else a value, else a source
    variable. ``pandas.DataFrame(frame.rows())`` is the frame as a data frame.

    >>> frame = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame
    >>> [(field.name, field.offset, field.size) for field in frame]
    [('resume', 0, 8), ('destroy', 8, 8), ('promise', 16, 4), ('to', 20, 4), ('next', 24, 4)]
    >>> frame["%next"].why
    'it is defined before a suspend and used after it'
    >>> "next" in frame, "more" in frame
    (True, False)
    """

    __slots__ = ("_fields", "_suspends")

    function = attribute(str, "Name of the coroutine without the ``@``.")
    size = attribute(int, "Size in bytes; 0 if the coroutine never suspends.", "frame_size")
    align = attribute(int, "Alignment in bytes.", "frame_align")
    lower_bound = attribute(
        int,
        "Lower bound of the size of all layouts with these live ranges, in bytes: the largest total of fields live at one point, "
        "rounded up. With ``reuse_storage`` live ranges may be shorter, and so the bound lower.",
    )

    def __init__(
        self, life: Life, data: dict[str, Any], fields: tuple[FrameField, ...], suspends: tuple[SuspendPoint, ...]
    ) -> None:
        super().__init__(life, data)
        self._fields = fields
        self._suspends = suspends

    @property
    def fields(self) -> tuple[FrameField, ...]:
        """Fields by offset. Fields that are never live at the same time may overlap."""
        self._life.check_is_current()
        return self._fields

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """The coroutine's suspend points in program order, the final one last."""
        self._life.check_is_current()
        return self._suspends

    @property
    def holes(self) -> tuple[Hole, ...]:
        """Unused bytes by offset: the cost of alignment."""
        holes: list[Hole] = []
        end = 0
        for field in sorted(self.fields, key=lambda field: field.offset):
            if field.offset > end:
                holes.append(Hole(end, field.offset - end))
            end = max(end, field.end)
        if self.size > end:
            holes.append(Hole(end, self.size - end))
        return tuple(holes)

    def why(self, name: str) -> str:
        """Return the reason for a field in one sentence. Raises ``KeyError`` if there is no such field."""
        field = self[name]
        place = f"{field.type}, {format_count(field.size, 'byte')} at offset {field.offset} of @{self.function}'s frame"
        parts: list[str] = []
        if field.def_block:
            parts.append(f"defined in {field.def_block}")
        if field.use_block:
            parts.append(f"used in {field.use_block}")
        if field.suspend is not None:
            point = self._data["suspends"][field.suspend]
            parts.append(f"live across suspend {field.suspend} ({point['name']} in {point['block']})")
        story = "; ".join(filter(None, [", ".join(parts), field.why.rstrip(".")]))
        return printable(f"{'' if field.is_header else '%'}{field.name} ({place}): {story}.")

    def _stage_text_or_empty(self, stage: str) -> str:
        """Return the result of a stage that is independent of the layout, as `Coroutines.stage_text` does; empty in a report, and
        if LLVM's ABIs reject the coroutine."""
        self._life.check_is_current()
        if self._life._module is None:
            return ""
        try:
            return self._life._module.stage_text(self.function, stage, False, None)[0]
        except RejectedError:
            return ""

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each field, for ``pandas.DataFrame``: see `FrameField.row`."""
        return [field.row() for field in self.fields]

    def to_dict(self) -> dict[str, Any]:
        """Return the frame as dicts, lists, texts and numbers, for JSON. Sizes and offsets are in bytes."""
        return {
            "function": self.function,
            "size": self.size,
            "align": self.align,
            "lower_bound": self.lower_bound,
            "fields": [field.to_dict() for field in self.fields],
            "holes": [hole._asdict() for hole in self.holes],
        }

    def __iter__(self) -> Iterator[FrameField]:
        return iter(self.fields)

    def __contains__(self, field: object) -> bool:
        """Return whether the frame has the field, or a field of that name."""
        return bool(self._fields_named(field)) if isinstance(field, str) else field in self.fields

    def __len__(self) -> int:
        return len(self.fields)

    @overload
    def __getitem__(self, key: int | str) -> FrameField: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[FrameField, ...]: ...
    def __getitem__(self, key: int | str | slice) -> FrameField | tuple[FrameField, ...]:
        if not isinstance(key, str):
            return self.fields[key]
        found = self._fields_named(key)
        if not found:
            names = dict.fromkeys(name for field in self.fields for name in (field.name, field.variable) if name)
            raise UnknownNameError("field", key, list(names))
        return found[0]

    def _fields_named(self, key: str) -> list[FrameField]:
        """Return the fields that a name means: header slots, then values of the IR, then source variables."""
        bare = key.removeprefix("%")
        headers = [field for field in self.fields if field.is_header and field.name == key]
        values = [field for field in self.fields if not field.is_header and field.name == bare]
        return headers + values + [field for field in self.fields if field.variable and field.variable == key]

    def _ipython_key_completions_(self) -> list[str]:
        names = (name for field in self._data["fields"] for name in (field["name"], field["source"]["name"]) if name)
        return list(dict.fromkeys(names))

    def _repr_details(self) -> str:
        data = self._data
        return f"of @{data['function']}: {format_count(data['frame_size'], 'byte')}, {format_count(len(self._fields), 'field')}"

    def __str__(self) -> str:
        from pycoro.drawing import views

        return views.frame_text(self)

    def svg(self) -> str:
        """Return the frame as an SVG picture."""
        from pycoro.drawing import views

        return views.frame_svg(self)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import views

        return views.frame_bundle(self, include, exclude)
