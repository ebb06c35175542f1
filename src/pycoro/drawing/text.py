"""Print frames and coroutines as text for a terminal, at most WIDTH columns wide if the names permit."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence

from pycoro.drawing.model import CoroutineView, FieldView, FrameView, SuspendView, display_name

WIDTH = 96
MAP_ROWS = 48  # of the memory map; the rest is counted
NARROWEST = 8  # minimal width of a shortened column
PASS_WIDTH = 60  # of the name of a pass; LLVM's pass strings have thousands of characters
MATRIX_COLUMNS = 16  # maximum number of suspends shown as marks; more are shown as ranges


_ASCII = str.maketrans(
    {"─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "●": "*", "·": ".", "░": ".", "⋯": "~", "…": "~", "┊": ":"}
    | {"←": "<", "→": ">", "◆": "*"}
)


def replace_characters_missing_in(text: str, encoding: str | None) -> str:
    """Replace characters that the encoding does not have by ASCII ones of the same width; None: ASCII."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.translate(_ASCII)
    return text


def shorten(text: str, width: int) -> str:
    """Cut a text in the middle, because the ends of a generated name are more informative."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return text[:head] + "…" + text[len(text) - (width - 1 - head) :]


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int], flexible: Sequence[int]) -> list[str]:
    """Format a table; the widest flexible columns shrink until it fits."""
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    while sum(widths) + 2 * len(widths) > WIDTH:
        widest = max(flexible, key=lambda i: widths[i])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    lines: list[str] = []
    for row in (heads, *rows):
        cells = [shorten(c, w) for c, w in zip(row, widths, strict=True)]
        line = "  ".join(c.rjust(w) if i in numeric else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
        lines.append("  " + line.rstrip())
    lines.insert(1, "  " + "─" * (max(len(line) for line in lines) - 2))
    return lines


# ---- Frames ----


def frame_summary(frame: FrameView) -> str:
    if frame.size == 0:
        return f"{display_name(frame.function)} needs no frame: nothing is live across a suspend"
    parts = [count(frame.size, "byte"), f"align {frame.align}", count(len(frame.fields), "field")]
    parts.append(f"{count(frame.hole_bytes, 'byte')} unused" if frame.hole_bytes else "no byte unused")
    bound = f"no layout is below {count(frame.lower_bound, 'byte')}"
    return f"frame of {display_name(frame.function)}: {', '.join(parts)}; {bound}"


def live_text(field: FieldView, frame: FrameView) -> str:
    """Return the suspends that a field is live across: a mark for each, or ranges if there are many."""
    suspends = frame.suspends
    if len(suspends) > MATRIX_COLUMNS:
        return " ".join(live_ranges(field, frame))
    if field.is_header:
        return "│" * len(suspends)
    return "".join("●" if field.is_live_at(s.number) else "·" for s in suspends)


def live_ranges(field: FieldView, frame: FrameView) -> list[str]:
    """Return the suspends that a field is live across as ranges: "1", "3-7", and a letter for the final one."""
    suspends = frame.suspends
    if field.is_header:
        return ["always"]
    if [(r.start, r.stop) for r in field.live] == [(0, len(suspends))]:
        return ["all"]
    final = bool(suspends and suspends[-1].is_final and field.is_live_at(len(suspends) - 1))
    stop = len(suspends) - 1 if suspends and suspends[-1].is_final else len(suspends)
    plain = [(r.start, min(r.stop, stop) - 1) for r in field.live if r.start < stop]
    return [str(a) if a == b else f"{a}-{b}" for a, b in plain] + [suspends[-1].label] * final


def title_of_forcing_suspend(field: FieldView, frame: FrameView) -> str:
    return "" if field.suspend is None else frame.suspends[field.suspend].title


FIELD_HEADS = ("offset", "size", "align", "kind", "name", "type", "forced by")


def field_cells(field: FieldView, frame: FrameView) -> list[str]:
    """Return the cells of a field under :data:`FIELD_HEADS`."""
    numbers = [str(field.offset), str(field.size), str(field.align)]
    return [*numbers, field.kind, field.full_label, field.type, title_of_forcing_suspend(field, frame)]


def _field_table(frame: FrameView) -> list[str]:
    heads = [*FIELD_HEADS, "live at"]
    if 0 < len(frame.suspends) <= MATRIX_COLUMNS:
        heads[-1] = "".join(s.label[-1] for s in frame.suspends) + " ← live at"
    rows = [[*field_cells(f, frame), live_text(f, frame)] for f in frame.fields]
    return table(heads, rows, numeric=(0, 1, 2), flexible=(4, 5))


def _cells_of_byte_range(frame: FrameView, start: int, step: int) -> list[tuple[int, int, tuple[FieldView, ...]]]:
    """Partition the bytes [start, start + step) into cells (from, to, fields)."""
    stop = min(start + step, frame.size)
    inside = [f for f in frame.fields if f.offset < stop and f.end > start]
    cuts = {start, stop}
    for f in inside:
        cuts.update((max(f.offset, start), min(f.end, stop)))
    edges = sorted(cuts)
    return [(a, b, tuple(f for f in inside if f.offset <= a and f.end >= b)) for a, b in itertools.pairwise(edges)]


def _cell_text(fields: tuple[FieldView, ...], start: int, width: int) -> str:
    """Return the text of a cell: the name where a field starts, dots where it continues, shading if unused."""
    if not fields:
        return "░" * width
    continued = "" if any(f.offset >= start for f in fields) else "⋯ "
    names = [f.label.removeprefix("%") or f.kind for f in fields if continued or f.offset >= start]
    return shorten(f" {continued}{'/'.join(names)}", width).ljust(width)


def memory_map(frame: FrameView) -> list[str]:
    """Draw the frame as boxes with a row for every 8 or 16 bytes; rows without a field border are omitted."""
    if frame.size == 0:
        return []
    step = 8 if frame.size <= 8 * MAP_ROWS else 16
    char_width = 80 // step
    border = "─" * (min(step, frame.size) * char_width - 1)
    lines = [f"{'':8}┌{border}┐"]
    borders = {0, *(b for f in frame.fields for b in (f.offset, f.end) if b < frame.size)}
    following = 0
    for start in sorted({b - b % step for b in borders}):
        if len(lines) > MAP_ROWS:
            lines.append(f"{'':8}… {count(frame.size - start, 'byte')} more, in the table")
            return lines
        if start > following:
            lines.append(f"{'┊':>6}  │{' ┊'.ljust(len(border))}│")
        cells = _cells_of_byte_range(frame, start, step)
        row = "│".join(_cell_text(fields, start, (b - a) * char_width - 1) for a, b, fields in cells)
        lines.append(f"{start:>6}  │{row}│")
        following = start + step
    if following < frame.size:
        lines.append(f"{'┊':>6}  │{' ┊'.ljust(len(border))}│")
    return [*lines, f"{frame.size:>6}  └{border}┘"]


def field_reason(field: FieldView) -> str:
    """Return the definition, the use and the reason of a field."""
    if field.is_header or not field.use_block:
        return field.why
    return f"from %{field.def_block} to %{field.use_block}: {field.why}"


def _reason_lines(frame: FrameView) -> list[str]:
    lines: list[str] = []
    for f in frame.fields:
        if f.why and not f.is_header and len(frame.fields) <= MAP_ROWS:
            story = f"{f.full_label}: {field_reason(f)}"
            lines += textwrap.wrap(story, WIDTH, initial_indent="  ", subsequent_indent="      ")
    return lines


def frame_lines(frame: FrameView) -> list[str]:
    if frame.size == 0:
        return [frame_summary(frame)]
    lines = textwrap.wrap(frame_summary(frame), WIDTH, subsequent_indent="  ")
    lines += ["", *_field_table(frame), "", *memory_map(frame)]
    reasons = _reason_lines(frame)
    if reasons:
        lines += ["", "Why each value is in the frame:", *reasons]
    return lines


# ---- Coroutines ----


def _live_values_and_bytes_text(suspend: SuspendView) -> str:
    return f"{count(suspend.live_count, 'value')}, {count(suspend.live_bytes, 'byte')}" if suspend.live_count else "nothing"


def suspend_table(coroutine: CoroutineView) -> list[str]:
    heads = ["suspend", "line", "value", "block", "saved in", "on resume", "on destroy", "live across"]
    rows: list[list[str]] = []
    for s in coroutine.suspends:
        saved = "" if s.save_block == s.block else "%" + s.save_block
        name = "%" + s.name if s.name else ""
        resume = "%" + s.resume_block if s.resume_block else "never" if s.is_final else "not known"
        destroy = "%" + s.destroy_block if s.destroy_block else "not known"
        title = "final" if s.is_final else str(s.number)
        rows.append([title, str(s.line or ""), name, "%" + s.block, saved, resume, destroy, _live_values_and_bytes_text(s)])
    used = [i for i in range(len(heads)) if i not in (1, 4) or any(row[i] for row in rows)]
    named = [at for at, i in enumerate(used) if 1 < i < len(heads) - 1]
    return table([heads[i] for i in used], [[row[i] for i in used] for row in rows], numeric=(), flexible=named)


def coroutine_lines(coroutine: CoroutineView) -> list[str]:
    abi = f"{coroutine.custom_abi} on the {coroutine.abi}" if coroutine.custom_abi else coroutine.abi
    about = f"coroutine {display_name(coroutine.name)}: {abi} ABI, {count(len(coroutine.blocks), 'block')}, "
    about += count(len(coroutine.suspends), "suspend point")
    if coroutine.promise:
        about += f", promise %{coroutine.promise}"
    lines = [*textwrap.wrap(about, WIDTH, subsequent_indent="  "), ""]
    if coroutine.suspends:
        lines += [*suspend_table(coroutine), ""]
    return [*lines, *frame_lines(coroutine.frame)]
