"""What the pictures are drawn from: plain data, read once from a frame or a coroutine.

Every drawing starts here, so that what a drawing needs to know of the engine's objects is said in this file alone.
It needs these attributes, and any object that has them will do:

frame       function, size, align, lower_bound, fields (by offset), suspends
field       kind, name, type, value, def_block, use_block, why, offset, size, align, suspend (place in suspends or None)
suspend     index, name, block, save_block, suspend_block, resume_block, destroy_block, is_final, live (fields)
coroutine   name, shape, frame, cfg (blocks)
block       name, successors (blocks)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pycoro._printable import printable

KINDS = ("resume", "destroy", "promise", "index", "alloca", "spill")


@dataclass(frozen=True)
class FieldView:
    """One field of a frame. `type` has no body where it has a name, and no quotes; `live` are the places, in
    FrameView.suspends, of the suspends that it survives."""

    place: int
    kind: str
    name: str
    type: str
    value: str
    def_block: str
    use_block: str
    why: str
    offset: int
    size: int
    align: int
    suspend: int | None
    live: tuple[int, ...]

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def is_header(self) -> bool:
        """Whether the lowering needs the field whatever the coroutine computes: it is live at every suspend."""
        return self.kind not in ("alloca", "spill")

    @property
    def source(self) -> str:
        """The source value's name as IR spells it; empty for the slots that the lowering adds."""
        return "%" + self.name if self.name and self.kind in ("promise", "alloca", "spill") else ""


@dataclass(frozen=True)
class SuspendView:
    """One suspend point; `live` are places in FrameView.fields."""

    place: int
    index: int
    name: str
    block: str
    save_block: str
    suspend_block: str
    resume_block: str
    destroy_block: str
    is_final: bool
    live: tuple[int, ...]

    @property
    def label(self) -> str:
        """Short enough for the head of a column."""
        return "F" if self.is_final else str(self.place)

    @property
    def title(self) -> str:
        return "final suspend" if self.is_final else f"suspend {self.place}"


@dataclass(frozen=True)
class FrameView:
    function: str
    size: int
    align: int
    lower_bound: int
    fields: tuple[FieldView, ...]
    suspends: tuple[SuspendView, ...]
    holes: tuple[tuple[int, int], ...] = field(default=())

    @property
    def hole_bytes(self) -> int:
        return sum(size for _, size in self.holes)


@dataclass(frozen=True)
class BlockView:
    place: int
    name: str
    successors: tuple[int, ...]


@dataclass(frozen=True)
class CoroutineView:
    name: str
    abi: str
    promise: str
    frame: FrameView
    suspends: tuple[SuspendView, ...]
    blocks: tuple[BlockView, ...]


def bare(name: str) -> str:
    """A block's or value's name without the sign of IR, so that names from different places compare equal; as it is shown."""
    return printable(name[1:] if name[:1] in ("%", "@") else name)


def find_holes(fields: Iterable[FieldView], size: int) -> tuple[tuple[int, int], ...]:
    """Bytes of the frame that no field ever uses, as (offset, size)."""
    holes, at = [], 0
    for f in sorted(fields, key=lambda f: (f.offset, f.end)):
        if f.offset > at:
            holes.append((at, f.offset - at))
        at = max(at, f.end)
    if size > at:
        holes.append((at, size - at))
    return tuple(holes)


def _read_suspends(frame: Any) -> tuple[SuspendView, ...]:
    places = {id(f): place for place, f in enumerate(frame.fields)}
    return tuple(
        SuspendView(
            place=place,
            index=s.index,
            name=bare(s.name),
            block=bare(s.block),
            save_block=bare(s.save_block),
            suspend_block=bare(s.suspend_block),
            resume_block=bare(s.resume_block),
            destroy_block=bare(s.destroy_block),
            is_final=s.is_final,
            live=tuple(sorted(places[id(f)] for f in s.live)),
        )
        for place, s in enumerate(frame.suspends)
    )


def read_frame(frame: Any) -> FrameView:
    suspends = _read_suspends(frame)
    live: list[list[int]] = [[] for _ in frame.fields]
    for s in suspends:
        for f in s.live:
            live[f].append(s.place)
    fields = tuple(
        FieldView(
            place=place,
            kind=f.kind,
            name=bare(f.name),
            type=printable(f.type.partition(" = type ")[0].replace('"', "")),
            value=printable(f.value),
            def_block=bare(f.def_block),
            use_block=bare(f.use_block),
            why=printable(f.why),
            offset=f.offset,
            size=f.size,
            align=f.align,
            suspend=f.suspend,
            live=tuple(live[place]),
        )
        for place, f in enumerate(frame.fields)
    )
    return FrameView(
        function=bare(frame.function),
        size=frame.size,
        align=frame.align,
        lower_bound=frame.lower_bound,
        fields=fields,
        suspends=suspends,
        holes=find_holes(fields, frame.size),
    )


def read_coroutine(coroutine: Any) -> CoroutineView:
    frame = read_frame(coroutine.frame)
    places = {bare(b.name): place for place, b in enumerate(coroutine.cfg)}
    blocks = tuple(
        BlockView(place, bare(b.name), tuple(places[bare(s.name)] for s in b.successors)) for place, b in enumerate(coroutine.cfg)
    )
    return CoroutineView(
        name=bare(coroutine.name),
        abi=coroutine.shape.abi,
        promise=bare(getattr(coroutine.shape, "promise", None) or ""),
        frame=frame,
        suspends=frame.suspends,
        blocks=blocks,
    )
