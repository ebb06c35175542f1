"""The frame of a coroutine: what lies where in it, why, and across which suspends."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from pycoro._nearest import UnknownName
from pycoro._printable import printable
from pycoro.ir.place import Place, place_in
from pycoro.view import Life, View, attribute, counted, word

__all__ = ["Frame", "FrameField", "Hole", "SuspendPoint"]


FieldKind: TypeAlias = Literal["resume", "destroy", "promise", "index", "header", "alloca", "spill"]
"""What a field of a frame is for: see `FrameField.kind`."""


class Hole(NamedTuple):
    """Bytes of a frame that no field uses.

    >>> frame = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame
    >>> frame.size, frame.holes
    (32, (Hole(offset=28, size=4),))
    """

    offset: int
    """In bytes from the start of the frame."""
    size: int
    """In bytes."""


class SourceTypes:
    """Of the variables of one coroutine, as plain data, and what was made of it."""

    __slots__ = ("data", "made")

    def __init__(self, data: tuple[dict[str, Any], ...]) -> None:
        self.data = data
        self.made: dict[int, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return SourceTypes, (self.data,)


NO_TYPES = SourceTypes(())


class FrameField(View):
    """One field of a frame: a slot of the header, a variable, or a value that must outlive a suspend.

    >>> field = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame["%next"]
    >>> field.type, field.offset, field.kind
    ('i32', 24, 'spill')
    """

    __slots__ = ("_types",)

    def __init__(self, life: Life, data: dict[str, Any], types: SourceTypes = NO_TYPES) -> None:
        super().__init__(life, data)
        self._types = types

    offset = attribute(int, "In bytes from the start of the frame.")
    size = attribute(int, "In bytes.")
    align = attribute(int, "In bytes.")
    type = attribute(str, 'LLVM\'s type, as ``"i32"``.')
    kind = word[FieldKind](
        "``resume``, ``destroy`` and ``index`` are the header; ``promise``; ``alloca`` is a variable whose address or "
        "content is needed after a suspend; ``spill`` is an SSA value that is.",
    )
    name = attribute(str, "Of the source value, without the ``%``; or of the slot of the header.")
    value = attribute(str, "The instruction or argument that defines it, as LLVM prints it; empty for the header.")
    def_block = attribute(str, 'The block it is defined in, ``"%entry"``.')
    use_block = attribute(str, "The block of its first use after a suspend; empty for the header.")
    use = attribute(
        str, "The instruction of that use, as LLVM prints it; empty for the header, and where it is the address that counts."
    )
    why = attribute(str, "Why it is in the frame, in one sentence.")

    @property
    def variable(self) -> str:
        """The source's variable that it is, or whose value it holds, by debug information; empty where that names none."""
        self._life.check()
        name: str = self._data["source"]["name"]
        return name

    @property
    def source_type(self) -> str:
        """Of that variable, as the source has it, ``"const char *"``; empty where debug information does not say."""
        self._life.check()
        number: int | None = self._data.get("source_type")
        return "" if number is None else str(self._types.data[number]["name"])

    @property
    def place(self) -> Place | None:
        """Where that variable is declared; None where nothing is known of it."""
        self._life.check()
        return place_in(self._data["source"], "")

    @property
    def suspend(self) -> int | None:
        """The suspend point that forced it into the frame, a place in ``coroutine.suspends``; None for the header."""
        self._life.check()
        index: int | None = self._data["suspend"]
        return index

    @property
    def live(self) -> tuple[range, ...]:
        """The suspend points that it must survive: ranges of places in ``coroutine.suspends``, in order. All of them for the
        promise, which the outside may look at; none for the header, which is the lowering's own and always there."""
        self._life.check()
        return tuple(range(first, end) for first, end in self._data["live"])

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.offset + self.size

    @property
    def is_header(self) -> bool:
        """Whether it is a slot of the header rather than a value of the source."""
        return self.kind in ("resume", "destroy", "index", "header")

    def _brief(self) -> str:
        data = self._data
        return f"{data['name']}: {data['type']}, {counted(data['size'], 'byte')} at {data['offset']}, {data['kind']}"


class SuspendPoint(View):
    """A place where the coroutine may suspend, to be resumed or destroyed there.

    >>> first, final = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].suspends
    >>> first.block, first.resume_block, [field.name for field in first.live]
    ('%yield', '%loop', ['promise', 'to', 'next'])
    >>> final.is_final
    True
    """

    __slots__ = ("_fields", "_place")

    name = attribute(str, 'Of the suspend\'s result, ``"%s"``.')
    index = attribute(int, "The number that the frame holds while suspended here.")
    block = attribute(str, "The block that holds the suspend.")
    save_block = attribute(str, "The block that holds its ``llvm.coro.save``; the same where it has none.")
    resume_block = attribute(str, "Where control goes when it is resumed; empty where that is not known statically.")
    destroy_block = attribute(str, "Where control goes when it is destroyed; empty where that is not known statically.")
    suspend_block = attribute(str, "Where control goes when it suspends; empty where that is not known statically.")
    is_final = attribute(bool, "Whether it is the final suspend, after which the coroutine is done and only destroyed.")
    is_first_value = attribute(
        bool,
        "Whether a ramp that stops here has made its first value: at a ``co_yield``, where the frontend tells; else where the "
        "ramp itself stores to the promise before it first suspends.",
    )

    is_saved_apart = attribute(
        bool,
        "Whether something is called between its ``llvm.coro.save`` and it, which may resume the coroutine before it suspends.",
    )
    live_count = attribute(int, "How many fields of the frame must survive this suspend, the header not counted.")
    live_bytes = attribute(int, "How many bytes these have.")

    def __init__(self, life: Life, data: dict[str, Any], place: int, fields: tuple[FrameField, ...]) -> None:
        super().__init__(life, data)
        self._place = place
        self._fields = fields

    @property
    def place(self) -> Place | None:
        """Where it is in the source, as ``co_await`` or ``co_yield`` of C++, by debug information; None where that does not say."""
        self._life.check()
        return place_in(self._data["source"], "")

    @property
    def live(self) -> tuple[FrameField, ...]:
        """The fields of the frame that must survive this suspend, by offset: those whose own ``live`` has it."""
        self._life.check()
        return tuple(f for f in self._fields if any(first <= self._place < end for first, end in f._data["live"]))

    def _brief(self) -> str:
        data = self._data
        final = " (final)" if data["is_final"] else ""
        return f"{data['index']}{final} {data['name']} in {data['block']}, {data['live_count']} live"


class Frame(View):
    """The layout of a coroutine's frame: a sequence of fields by offset, which names look up as well.

    A name with its ``%`` means a value of the source; one without means a slot of the header first.

    >>> frame = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"].frame
    >>> [(field.name, field.offset, field.size) for field in frame]
    [('resume', 0, 8), ('destroy', 8, 8), ('promise', 16, 4), ('to', 20, 4), ('next', 24, 4)]
    >>> frame["%next"].why
    'it is defined before a suspend and used after it'
    """

    __slots__ = ("_fields", "_suspends")

    function = attribute(str, "The coroutine's name, without the ``@``.")
    size = attribute(int, "In bytes; 0 where the coroutine never suspends and needs no frame.", "frame_size")
    align = attribute(int, "In bytes.", "frame_align")
    lower_bound = attribute(
        int, "In bytes; no layout can be smaller: the widest set of fields that are needed at one place, rounded up."
    )

    def __init__(
        self, life: Life, data: dict[str, Any], fields: tuple[FrameField, ...], suspends: tuple[SuspendPoint, ...]
    ) -> None:
        super().__init__(life, data)
        self._fields = fields
        self._suspends = suspends

    @property
    def fields(self) -> tuple[FrameField, ...]:
        """The fields, by offset. Fields that are never live together may share bytes."""
        self._life.check()
        return self._fields

    @property
    def suspends(self) -> tuple[SuspendPoint, ...]:
        """The coroutine's suspend points in program order, the final one last."""
        self._life.check()
        return self._suspends

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The bytes that no field uses, by offset: what alignment costs."""
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
        """Why the field is there, in a sentence. ``KeyError`` where there is none of that name."""
        field = self[name]
        place = f"{field.type}, {counted(field.size, 'byte')} at offset {field.offset} of @{self.function}'s frame"
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

    def __iter__(self) -> Iterator[FrameField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @overload
    def __getitem__(self, key: int | str) -> FrameField: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[FrameField, ...]: ...
    def __getitem__(self, key: int | str | slice) -> FrameField | tuple[FrameField, ...]:
        if not isinstance(key, str):
            return self.fields[key]
        bare = key.removeprefix("%")
        found = [field for field in self.fields if field.name == bare and not (field.is_header and bare != key)]
        if not found:
            raise UnknownName("field", key, [field.name for field in self.fields])
        return min(found, key=lambda field: not field.is_header)

    def _ipython_key_completions_(self) -> list[str]:
        return [field["name"] for field in self._data["fields"]]

    def _brief(self) -> str:
        data = self._data
        return f"of @{data['function']}: {counted(data['frame_size'], 'byte')}, {counted(len(self._fields), 'field')}"

    def __str__(self) -> str:
        from pycoro.drawing import views

        return views.frame_text(self)

    def svg(self) -> str:
        """The frame as a picture, as SVG: needs no other program."""
        from pycoro.drawing import views

        return views.frame_svg(self)

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import views

        return views.frame_bundle(self, include, exclude)
