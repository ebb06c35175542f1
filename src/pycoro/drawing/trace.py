"""Draw the life of a coroutine as a table with a row for each stop and a column for each field: text, HTML and SVG from plain
data.

It uses these attributes of any object: `coroutine` and `stops` of a trace; `number`, `act`, `state` and `frame` (as in
`drawing.running`, or None) of a stop.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pycoro.drawing.model import KINDS, display_name, printable_without_sigil
from pycoro.drawing.running import ValueView, location_text, read_values
from pycoro.drawing.svg import Drawing, escape, text_width
from pycoro.drawing.text import count, shorten, table
from pycoro.drawing.views import bundle, scroll

STOPS, FIELDS = 200, 30
"""Maximum numbers that are drawn; the rest is counted."""
CELL = 22
"""Maximum length of a value in a cell; the tooltip has the full text."""
ROW, TOP, LEFT = 26.0, 84.0, 16.0


@dataclass(frozen=True)
class StopView:
    number: int
    act: str
    state: str
    at: str
    """Location if suspended, else empty."""
    values: dict[tuple[int, str], ValueView]


@dataclass(frozen=True)
class TraceView:
    name: str
    stops: tuple[StopView, ...]
    fields: tuple[tuple[int, str], ...]
    """Fields that are live at some stop, by offset and name, without the header."""


def read_trace(trace: Any) -> TraceView:
    stops: list[StopView] = []
    fields: set[tuple[int, str]] = set()
    for stop in trace.stops:
        shown = read_values(stop.frame) if stop.frame is not None else ()
        values = {(v.offset, v.name): v for v in shown if v.kind not in ("resume", "destroy", "index", "header")}
        fields |= {key for key, value in values.items() if value.live}
        stops.append(
            StopView(stop.number, stop.act, stop.state, location_text(stop.frame) if stop.frame is not None else "", values)
        )
    return TraceView(printable_without_sigil(trace.coroutine.name), tuple(stops), tuple(sorted(fields)))


def _stop_label(stop: StopView) -> str:
    return stop.at.split(",")[0] if stop.at else stop.state


def _trace_summary(trace: TraceView) -> str:
    return f"{count(len(trace.stops), 'stop')}, {count(len(trace.fields), 'field')} live at some of them"


def trace_text(trace: Any) -> str:
    view = read_trace(trace)
    fields = view.fields[:FIELDS]
    rows: list[list[str]] = []
    for stop in view.stops[:STOPS]:
        cells = [stop.values.get(key) for key in fields]
        texts = [f"{'*' if v.changed else ' '}{v.text}" if v and v.live else " ·" if v else "" for v in cells]
        rows.append([str(stop.number), stop.act, _stop_label(stop), *texts])
    heads = ["#", "", "at", *(f" {name}" for _, name in fields)]
    lines = [f"@{view.name}: {_trace_summary(view)} (* changed, · not live)", ""]
    lines += table(heads, rows, numeric=(0,), flexible=range(2, len(heads)))
    lines += [f"  … {count(len(view.stops) - STOPS, 'more stop')}"] if len(view.stops) > STOPS else []
    lines += [f"  … {count(len(view.fields) - FIELDS, 'more field')}"] if len(view.fields) > FIELDS else []
    return "\n".join(lines)


def _column_widths(view: TraceView, fields: tuple[tuple[int, str], ...]) -> list[float]:
    widths: list[float] = []
    for key in fields:
        texts = [shorten(key[1], CELL)] + [
            shorten(stop.values[key].text, CELL) for stop in view.stops[:STOPS] if key in stop.values
        ]
        widths.append(max(text_width(max(texts, key=len), 11.5) + 34, 64.0))
    return widths


def _draw_stop(d: Drawing, stop: StopView, fields: tuple[tuple[int, str], ...], widths: list[float], left: float, y: float) -> None:
    middle = y + ROW / 2 - 0.5
    d.text(LEFT + 18, middle, str(stop.number), "muted", anchor="end", size=10.5)
    d.text(LEFT + 28, middle, f"{stop.act} → {shorten(_stop_label(stop), 22)}", size=11.5)
    x = left
    for key, width in zip(fields, widths, strict=True):
        value = stop.values.get(key)
        if value is not None and value.live:
            d.rect(x, y + 1, width - 4, ROW - 3, value.kind, tip=f"stop {stop.number}, {stop.at}\n{value.tooltip}")
            if value.changed:
                d.text(x + 5, middle, "◆", "suspend-mark", size=10)
            d.text(x + 18, middle, shorten(value.text, CELL), size=11.5, bold=value.changed)
        elif value is not None:
            d.rect(x, y + 1, width - 4, ROW - 3, "hole", tip=f"stop {stop.number}\n{value.tooltip}", extra='stroke-dasharray="3 2"')
        x += width


def trace_picture(trace: Any) -> str:
    view = read_trace(trace)
    fields, stops = view.fields[:FIELDS], view.stops[:STOPS]
    widths = _column_widths(view, fields)
    left = LEFT + 40 + max((text_width(f"{s.act} → {shorten(_stop_label(s), 22)}", 11.5) for s in stops), default=0.0)
    d = Drawing(f"Execution of {display_name(view.name)}")
    d.text(LEFT, 24, shorten(f"Execution of {display_name(view.name)}", 60), size=14, bold=True)
    d.text(LEFT, 44, _trace_summary(view), "muted", size=11)
    x = left
    for (_, name), width in zip(fields, widths, strict=True):
        d.text(x + 4, TOP - 12, shorten(name, CELL), size=11.5, bold=True)
        x += width
    y = TOP
    for stop in stops:
        _draw_stop(d, stop, fields, widths, left, y)
        y += ROW
    for more, what in ((len(view.stops) - STOPS, "more stop"), (len(view.fields) - FIELDS, "more field")):
        if more > 0:
            d.text(LEFT, y + ROW / 2, f"… {count(more, what)}", "muted", size=11)
            y += ROW
    y += 18
    kinds = {value.kind for stop in stops for value in stop.values.values() if value.live}
    right = max(x, LEFT + text_width(f"Execution of {display_name(view.name)}", 14), LEFT + text_width(_trace_summary(view), 11))
    entries = [*((kind, kind) for kind in KINDS if kind in kinds), ("hole", "not live"), ("suspend-mark", "changed")]
    end, y = d.legend(LEFT, y, entries, right)
    return d.finish(max(right, end) + 16, y + 20)


def trace_html(trace: Any) -> str:
    return f'<div title="{escape(_trace_summary(read_trace(trace)))}">{scroll(trace_picture(trace))}</div>'


def trace_bundle(trace: Any, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
    """Return the result of `_repr_mimebundle_` for a trace."""
    makers = {"text/plain": trace_text, "text/html": trace_html, "image/svg+xml": trace_picture}
    return bundle(makers, trace, include, exclude)
