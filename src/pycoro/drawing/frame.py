"""Draw a frame as a memory map with fields colored by kind, next to the fields that are live across each suspend."""

from __future__ import annotations

from itertools import pairwise
from math import log2

from pycoro.drawing.model import KINDS, FieldView, FrameView, SuspendView, display_name
from pycoro.drawing.svg import Drawing, text_width
from pycoro.drawing.text import count, field_reason, frame_summary, live_ranges, shorten, title_of_forcing_suspend

FIELDS = 300  # maximum drawn; the rest is counted
SUSPENDS = 120
TOP, LEFT, MAP_LEFT = 100.0, 16.0, 72.0
LANES = 12  # maximum number of overlapping fields side by side; more become one box with their number
WHOLE = 8  # bytes up to which a row is drawn to scale; longer ones are shortened with a break mark


class _ByteScale:
    """Map from byte offsets to y: the height between two field borders grows with the logarithm of the distance."""

    def __init__(self, fields: list[FieldView], size: int):
        borders = {0, size}
        for f in fields:
            borders.update((f.offset, f.end))
        self.borders = sorted(b for b in borders if b <= size)
        base, step = (20.0, 4.0) if len(self.borders) <= 60 else (16.0, 1.5)
        self._y: dict[int, float] = {0: TOP}
        y = TOP
        for a, b in pairwise(self.borders):
            used = any(f.offset <= a and f.end >= b for f in fields) if len(fields) <= 60 else True
            y += (base if used else 13.0) + step * log2(b - a)
            self._y[b] = y
        self.end = y

    def __getitem__(self, offset: int) -> float:
        return self._y[offset]


def _overlap_lanes(fields: list[FieldView]) -> dict[int, tuple[int, int]]:
    """Return (lane, number of lanes) by `FieldView.number`: overlapping fields are drawn side by side."""
    lanes: dict[int, tuple[int, int]] = {}
    cluster: list[tuple[FieldView, int]] = []
    ends: list[int] = []

    def finish_cluster() -> None:
        lanes.update({f.number: (lane, len(ends)) for f, lane in cluster})
        cluster.clear()
        ends.clear()

    for f in fields:
        if ends and f.offset >= max(ends):
            finish_cluster()
        lane = next((n for n, end in enumerate(ends) if end <= f.offset), len(ends))
        if lane == len(ends):
            ends.append(0)
        ends[lane] = f.end
        cluster.append((f, lane))
    finish_cluster()
    return lanes


def field_tip(field: FieldView, frame: FrameView) -> str:
    lines = [
        f"{field.full_label} : {field.source_type and f'{field.source_type}, '}{field.type}",
        f"bytes {field.offset} to {field.end - 1}, align {field.align}",
    ]
    if field.suspend is not None:
        lines.append(f"forced by {title_of_forcing_suspend(field, frame)} in %{frame.suspends[field.suspend].block}")
    return "\n".join(filter(None, [*lines, field_reason(field), field.value]))


def suspend_tip(s: SuspendView) -> str:
    lines = [f"{s.title} in %{s.block}"]
    lines += [f"on resume: %{s.resume_block}"] if s.resume_block else []
    lines += [f"on destroy: %{s.destroy_block}"] if s.destroy_block else []
    return "\n".join(lines)


def _draw_break_marks(d: Drawing, ruler: _ByteScale) -> bool:
    """Draw a zigzag at each shortened row; return whether there are any."""
    long = [(a, b) for a, b in pairwise(ruler.borders) if b - a > WHOLE]
    for a, b in long:
        y = (ruler[a] + ruler[b]) / 2
        d.break_mark(MAP_LEFT - 15, y + 3)
    return bool(long)


def _draw_one_box_for_overlapping_fields(d: Drawing, overlapping_fields: list[FieldView], ruler: _ByteScale, width: float) -> None:
    """Draw one box for many overlapping fields."""
    first, end = min(f.offset for f in overlapping_fields), max(f.end for f in overlapping_fields)
    y, h = ruler[first], ruler[end] - ruler[first]
    names = "\n".join(f.label for f in overlapping_fields[:LANES])
    more = f"\n… {len(overlapping_fields) - LANES} more" if len(overlapping_fields) > LANES else ""
    d.rect(MAP_LEFT, y + 1, width, h - 2, overlapping_fields[0].kind, tip=f"bytes {first} to {end - 1}\n{names}{more}")
    d.text(MAP_LEFT + 8, y + h / 2, f"{count(len(overlapping_fields), 'value')} share {count(end - first, 'byte')}")


def _draw_map(d: Drawing, frame: FrameView, fields: list[FieldView], ruler: _ByteScale, width: float) -> None:
    for offset in ruler.borders[:-1]:
        d.text(MAP_LEFT - 8, ruler[offset] + 9, str(offset), "muted", anchor="end", size=10.5)
    d.text(MAP_LEFT - 8, ruler.end + 3, str(ruler.borders[-1]), "muted", anchor="end", size=10.5)
    for offset, size in frame.holes:
        if offset + size > ruler.borders[-1]:
            break
        y, h = ruler[offset], ruler[offset + size] - ruler[offset]
        d.rect(MAP_LEFT, y + 1, width, h - 2, "hole", tip=f"{count(size, 'byte')} unused", extra='stroke-dasharray="3 2"')
        d.text(MAP_LEFT + width / 2, y + h / 2, f"{count(size, 'byte')} unused", "muted", anchor="middle", size=10)
    lanes = _overlap_lanes(fields)
    crowds: dict[int, list[FieldView]] = {}
    cluster_end = -1
    start = 0
    for f in fields:
        start = f.offset if f.offset >= cluster_end else start
        cluster_end = max(cluster_end, f.end)
        lane, lane_count = lanes[f.number]
        if lane_count > LANES:
            crowds.setdefault(start, []).append(f)
            continue
        w = width / lane_count
        x, y, h = MAP_LEFT + lane * w, ruler[f.offset], ruler[f.end] - ruler[f.offset]
        d.rect(x, y + 1, w - (2 if lane + 1 < lane_count else 0), h - 2, f.kind, tip=field_tip(f, frame))
        size, middle = (12, y + h / 2)
        name = f.label
        about = (
            shorten(f.source_type or f.type, max(int((w - 60 - text_width(name, size)) / text_width("m", 10.5)), 12))
            + f" · {f.size}"
        )
        about_room = text_width(about, 10.5) + 16
        name_room = int((w - 16 - about_room) / text_width("m", size))
        if name_room < min(len(name), 8):
            name_room, about = int((w - 12) / text_width("m", size)), ""
        d.text(x + 8, middle, shorten(name, max(name_room, 1)), size=size)
        if about:
            d.text(x + w - 10, middle, about, "muted", anchor="end", size=10.5)
    for crowd in crowds.values():
        _draw_one_box_for_overlapping_fields(d, crowd, ruler, width)


def _live_suspend_ranges(field: FieldView, count: int) -> list[range]:
    """Return the ranges of suspends that the field is live across, up to ``count``."""
    found = [range(count)] if field.is_header else [range(r.start, min(r.stop, count)) for r in field.live if r.start < count]
    return [run for run in found if run]


def _draw_live_range_bars(
    d: Drawing, frame: FrameView, fields: list[FieldView], ruler: _ByteScale, left: float, suspend_width: float, max_suspends: int
) -> None:
    """Draw a bar for each range of suspends, for narrow columns."""
    for f in fields:
        y, h = ruler[f.offset], ruler[f.end] - ruler[f.offset]
        for run in _live_suspend_ranges(f, min(len(frame.suspends), max_suspends)):
            tip = f"{f.label} at {', '.join(live_ranges(f, frame)[:6])}"
            d.rect(left + run.start * suspend_width + 1, y + 1.5, len(run) * suspend_width - 6, h - 3, f.kind, tip=tip)


def _draw_suspend_columns_and_return_right(
    d: Drawing, frame: FrameView, fields: list[FieldView], ruler: _ByteScale, left: float, max_suspends: int = SUSPENDS
) -> float:
    suspends = frame.suspends[:max_suspends]
    if not suspends:
        return left
    column = 34.0 if len(suspends) <= 14 else 22.0 if len(suspends) <= 40 else 11.0
    d.text(left, TOP - 32, "live across suspend point", "muted", size=11)
    every = 1 if column > 20 else 5
    for n, s in enumerate(suspends):
        x = left + n * column
        d.rect(x, TOP, column - 4, ruler.end - TOP, "track", tip=suspend_tip(s))
        if s.is_final or n % every == 0:
            d.text(x + (column - 4) / 2, TOP - 11, s.label, "text", anchor="middle", size=11, bold=True)
        for f in fields if column > 20 else ():
            if f.is_header_or_live_at(s.number):
                y, h = ruler[f.offset], ruler[f.end] - ruler[f.offset]
                d.rect(x + 1, y + 1.5, column - 6, h - 3, f.kind, tip=f"{s.title}\n{field_tip(f, frame)}")
        if column > 20:
            total = frame.header_bytes + s.live_bytes
            d.text(x + (column - 4) / 2, ruler.end + 12, str(total), "muted", anchor="middle", size=10)
    if column <= 20:
        _draw_live_range_bars(d, frame, fields, ruler, left, column, max_suspends)
    right = left + len(suspends) * column
    if column > 20:
        d.text(right + 4, ruler.end + 12, "bytes", "muted", size=10)
        right += 40
    if len(suspends) < len(frame.suspends):
        note = f"… {count(len(frame.suspends) - len(suspends), 'more suspend')}"
        d.text(right + 4, TOP + 12, note, "muted", size=11)
        right += text_width(note, 11) + 8
    return max(right, left + text_width("live across suspend point", 11))


def frame_picture(frame: FrameView, most_fields: int = FIELDS, most_suspends: int = SUSPENDS) -> str:
    d = Drawing(f"Frame of {display_name(frame.function)}")
    d.text(LEFT, 24, shorten(f"Frame of {display_name(frame.function)}", 60), size=14, bold=True)
    if frame.size == 0:
        d.text(LEFT, 46, "No frame: nothing is live across a suspend.", "muted")
        return d.finish(max(380.0, text_width(shorten(f"Frame of {display_name(frame.function)}", 60), 14) + 40), 66)
    summary = frame_summary(frame).split(": ", 1)[1]
    d.text(LEFT, 44, summary, "muted", size=11)
    fields = [f for f in frame.fields if f.size][:most_fields]
    left_out = sum(1 for f in frame.fields if f.size) - len(fields)
    ruler = _ByteScale(fields, max(f.end for f in fields) if left_out else frame.size)
    most_lanes = max((lanes for _, lanes in _overlap_lanes(fields).values() if lanes <= LANES), default=1)
    width = min(max(320.0, 130.0 * most_lanes), 720.0)
    _draw_map(d, frame, fields, ruler, width)
    broken = _draw_break_marks(d, ruler)
    right = _draw_suspend_columns_and_return_right(d, frame, fields, ruler, MAP_LEFT + width + 24, most_suspends)
    y = ruler.end + 34
    if left_out:
        d.text(MAP_LEFT, y - 14, f"… {count(left_out, 'more field')} up to byte {frame.size}", "muted", size=11)
        y += 8
    kinds = [(kind, kind) for kind in KINDS if any(f.kind == kind for f in fields)]
    kinds += [("hole", "unused")] * bool(frame.holes) + [("break", "longer than drawn")] * broken
    right = max(right, LEFT + text_width(summary, 11), MAP_LEFT + width)
    end, y = d.legend(LEFT, y, kinds, right)
    return d.finish(max(right, end) + 16, y + 20)
