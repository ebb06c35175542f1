"""Plain data for the drawings, read once from a frame or a coroutine.

It uses these attributes of any object:

    frame       function, size, align, lower_bound, fields (by offset), suspends, holes (offset, size)
    field       kind, name, type, value, def_block, use_block, why, offset, size, align, suspend (index in suspends or None),
                live (ranges of indices in suspends), variable, source_type (both optional)
    suspend     index, name, block, save_block, suspend_block, resume_block, destroy_block, is_final, live_count,
                live_bytes, location (optional)
    coroutine   name, custom_abi, shape, frame, cfg (blocks)
    block       name, successors (blocks), instructions (optional)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pycoro._demangle import demangle
from pycoro._escape import printable

KINDS = ("resume", "destroy", "promise", "index", "header", "alloca", "spill")

UNNAMED = "(unnamed)"
"""Display of a field of LLVM's frame whose value has no name."""


@dataclass(frozen=True)
class FieldView:
    """Field of a frame. `type` has no struct body if it has a name, and no quotes. `live` are ranges of indices in
    FrameView.suspends."""

    number: int
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
    live: tuple[range, ...]
    variable: str = ""
    source_type: str = ""
    """Source type of the variable."""

    @property
    def label(self) -> str:
        """Displayed name: the source variable's, else the IR's."""
        return self.variable or (display_value(self.name) if self.ir_value_name else self.name)

    @property
    def full_label(self) -> str:
        """Displayed name with the source variable's and the IR's."""
        return display_value(self.name, self.variable) if self.ir_value_name else self.name

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def is_header(self) -> bool:
        """True if it is a header slot of the lowering."""
        return self.kind in ("resume", "destroy", "index", "header")

    def is_live_at(self, suspend: int) -> bool:
        return any(suspend in places for places in self.live)

    def is_header_or_live_at(self, suspend: int) -> bool:
        """Return whether its bytes are meaningful at the suspend."""
        return self.is_header or self.is_live_at(suspend)

    @property
    def ir_value_name(self) -> str:
        """Name of the value in IR; empty for slots that the lowering adds."""
        return "%" + self.name if self.name and self.kind in ("promise", "alloca", "spill") else ""


@dataclass(frozen=True)
class SuspendView:
    """Suspend point; `live_count` fields with `live_bytes` are live across it, without the header."""

    number: int
    index: int
    name: str
    block: str
    save_block: str
    suspend_block: str
    resume_block: str
    destroy_block: str
    is_final: bool
    live_count: int
    live_bytes: int
    line: int = 0
    """Line in the source; 0 if unknown."""

    @property
    def label(self) -> str:
        """Short label for a column."""
        return "F" if self.is_final else str(self.number)

    @property
    def title(self) -> str:
        return "final suspend" if self.is_final else f"suspend {self.number}"


@dataclass(frozen=True)
class FrameView:
    function: str
    size: int
    align: int
    lower_bound: int
    fields: tuple[FieldView, ...]
    suspends: tuple[SuspendView, ...]
    holes: tuple[tuple[int, int], ...]

    @property
    def header_bytes(self) -> int:
        return sum(f.size for f in self.fields if f.is_header)

    def live_at(self, suspend: int) -> tuple[FieldView, ...]:
        """Return the fields that are live across a suspend, without the header."""
        return tuple(f for f in self.fields if f.is_live_at(suspend))

    @property
    def hole_bytes(self) -> int:
        return sum(size for _, size in self.holes)


@dataclass(frozen=True)
class BlockView:
    number: int
    name: str
    successors: tuple[int, ...]
    instructions: tuple[str, ...] = ()
    """Instructions as LLVM prints them; empty if not available."""


@dataclass(frozen=True)
class CoroutineView:
    name: str
    abi: str
    custom_abi: str
    promise: str
    frame: FrameView
    suspends: tuple[SuspendView, ...]
    blocks: tuple[BlockView, ...]


def display_name(function: str) -> str:
    """Return the displayed name of a function, demangled if it is a C++ symbol."""
    source = demangle(function)
    return printable(source if source != function else f"@{function}")


def display_value(name: str, variable: str = "") -> str:
    """Return the displayed name of a value in IR: its source variable's with the IR's if they differ. In a name such as
    ``_Z1fi.frame``, the symbol is demangled."""
    symbol, dot, rest = name.partition(".")
    source = demangle(symbol)
    in_ir = printable(f"%{name}" if source == symbol else f"{source}{dot}{rest}")
    if not variable:
        return in_ir
    return printable(variable) if variable == name else f"{printable(variable)} ({in_ir})"


def printable_without_sigil(name: str) -> str:
    """Return the escaped name of a block or value without its sigil, so that names from different sources compare equal."""
    return printable(name[1:] if name[:1] in ("%", "@") else name)


def _read_suspends(frame: Any) -> tuple[SuspendView, ...]:
    return tuple(
        SuspendView(
            number=index,
            index=s.index,
            name=printable_without_sigil(s.name),
            block=printable_without_sigil(s.block),
            save_block=printable_without_sigil(s.save_block),
            suspend_block=printable_without_sigil(s.suspend_block),
            resume_block=printable_without_sigil(s.resume_block),
            destroy_block=printable_without_sigil(s.destroy_block),
            is_final=s.is_final,
            live_count=s.live_count,
            live_bytes=s.live_bytes,
            line=location.line if (location := getattr(s, "location", None)) else 0,
        )
        for index, s in enumerate(frame.suspends)
    )


def read_frame(frame: Any) -> FrameView:
    suspends = _read_suspends(frame)
    fields = tuple(
        FieldView(
            number=index,
            kind=f.kind,
            name=printable_without_sigil(f.name),
            type=printable(f.type.partition(" = type ")[0].replace('"', "")),
            value=printable(f.value),
            def_block=printable_without_sigil(f.def_block),
            use_block=printable_without_sigil(f.use_block),
            why=printable(f.why),
            offset=f.offset,
            size=f.size,
            align=f.align,
            suspend=f.suspend,
            live=tuple(f.live),
            variable=printable(getattr(f, "variable", "")),
            source_type=printable(getattr(f, "source_type", "")),
        )
        for index, f in enumerate(frame.fields)
    )
    return FrameView(
        function=printable_without_sigil(frame.function),
        size=frame.size,
        align=frame.align,
        lower_bound=frame.lower_bound,
        fields=fields,
        suspends=suspends,
        holes=tuple((offset, size) for offset, size in frame.holes),
    )


def read_coroutine(coroutine: Any) -> CoroutineView:
    frame = read_frame(coroutine.frame)
    places = {printable_without_sigil(b.name): index for index, b in enumerate(coroutine.cfg)}
    blocks = tuple(
        BlockView(
            index,
            printable_without_sigil(b.name),
            tuple(places[printable_without_sigil(s.name)] for s in b.successors),
            tuple(map(printable, getattr(b, "instructions", ()))),
        )
        for index, b in enumerate(coroutine.cfg)
    )
    return CoroutineView(
        name=printable_without_sigil(coroutine.name),
        abi=coroutine.shape.abi,
        custom_abi=printable(coroutine.custom_abi or ""),
        promise=printable_without_sigil(getattr(coroutine.shape, "promise", None) or ""),
        frame=frame,
        suspends=frame.suspends,
        blocks=blocks,
    )
