"""Draw the frame of a suspended coroutine with its values, as text, HTML and SVG, from plain data.

It uses these attributes of any object; `field` is as in `drawing.model`:

    running frame   coroutine (name, frame.size), suspend or None, location or None, fields
    field value     field, name, type, live, changed, text
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pycoro._escape import printable
from pycoro.drawing.model import KINDS, display_name, printable_without_sigil
from pycoro.drawing.svg import Drawing, escape, text_width
from pycoro.drawing.text import count, shorten, table
from pycoro.drawing.views import bundle, scroll
from pycoro.errors import Error

ROW, TOP, LEFT = 26.0, 74.0, 16.0
ROWS = 300
VALUE = 46
"""Maximum length of a value in a picture; the tooltip has the full text."""


@dataclass(frozen=True)
class ValueView:
    """Field with its value."""

    kind: str
    name: str
    type: str
    offset: int
    size: int
    live: bool
    changed: bool
    text: str

    @property
    def tooltip(self) -> str:
        state = self.text + (" (changed)" if self.changed else "") if self.live else "not live"
        return f"{self.name} : {self.type}\nbytes {self.offset} to {self.offset + self.size - 1}\n{state}"


def _short_type(text: str) -> str:
    return printable(text.partition(" = type ")[0].replace('"', ""))


def read_values(frame: Any) -> tuple[ValueView, ...]:
    return tuple(
        ValueView(
            kind=item.field.kind,
            name=printable(item.name),
            type=_short_type(item.type),
            offset=item.field.offset,
            size=item.field.size,
            live=item.live,
            changed=bool(item.changed),
            text=printable(item.text),
        )
        for item in frame.fields
    )


def location_text(frame: Any) -> str:
    """Return the location as "suspend 1, %s1 in %again, a.cpp:12:3"."""
    point = frame.suspend
    if point is None:
        return "ended by an exception"
    title = "final suspend" if point.is_final else f"suspend {point._place}"
    at = [title, f"%{printable_without_sigil(point.name)} in %{printable_without_sigil(point.block)}"]
    return ", ".join(at + ([printable(str(frame.location))] if frame.location else []))


def _live_summary(values: Sequence[ValueView]) -> str:
    values = [value for value in values if value.kind not in ("resume", "destroy", "index", "header")]
    live, changed = sum(value.live for value in values), sum(value.changed for value in values)
    return f"{live} of {count(len(values), 'field')} live" + (f", {changed} changed" if changed else "")


# ---- Text ----


def frame_text(frame: Any) -> str:
    values = read_values(frame)
    rows = [["*" * v.changed, str(v.offset), str(v.size), v.name, v.type, v.text if v.live else "· not live"] for v in values]
    lines = [
        f"@{printable_without_sigil(frame.coroutine.name)} is at {location_text(frame)}:",
        f"  {_live_summary(values)} (* since the last resume)",
        "",
    ]
    return "\n".join([*lines, *table(["", "offset", "size", "name", "type", "value"], rows, numeric=(1, 2), flexible=(3, 4, 5))])


# ---- Pictures ----


def _row_width(values: Sequence[ValueView]) -> float:
    return min(max((text_width(f"{v.name}{v.type} · {v.size}") + 44 for v in values), default=200.0), 380.0)


def _draw_field(d: Drawing, value: ValueView, x: float, y: float, width: float) -> None:
    """Draw the box of a field: colored if live, like unused bytes otherwise."""
    dashed = "" if value.live else 'stroke-dasharray="3 2"'
    d.rect(x, y + 1, width, ROW - 3, value.kind if value.live else "hole", tip=value.tooltip, extra=dashed)
    about = f"{value.type} · {value.size}"
    room = int((width - 24 - text_width(about, 10.5)) / text_width("m"))
    if room < min(len(value.name), 8):
        room, about = int((width - 14) / text_width("m")), ""
    d.text(x + 8, y + ROW / 2 - 0.5, shorten(value.name, max(room, 1)), "text" if value.live else "muted")
    if about:
        d.text(x + width - 8, y + ROW / 2 - 0.5, about, "muted", anchor="end", size=10.5)


def frame_picture(frame: Any) -> str:
    name, values = printable_without_sigil(frame.coroutine.name), read_values(frame)
    title = shorten(f"{display_name(name)} at {location_text(frame)}", 84)
    d = Drawing(f"Running frame of {display_name(name)}")
    d.text(LEFT, 24, title, size=14, bold=True)
    d.text(LEFT, 44, f"{_live_summary(values)} · frame of {count(frame.coroutine.frame.size, 'byte')}", "muted", size=11)
    width, left, y = _row_width(values), LEFT + 44, TOP - 10
    right = left + width
    for value in values[:ROWS]:
        d.text(left - 8, y + ROW / 2, str(value.offset), "muted", anchor="end", size=10.5)
        _draw_field(d, value, left, y, width)
        text = shorten(value.text, VALUE) if value.live else "not live"
        at = left + width + 14
        if value.changed:
            d.text(at, y + ROW / 2, "◆", "suspend-mark", size=11)
        d.text(at + 16, y + ROW / 2, text, "text" if value.live else "muted", bold=value.changed)
        right = max(right, at + 16 + text_width(text))
        y += ROW
    if len(values) > ROWS:
        d.text(left, y + ROW / 2, f"… {count(len(values) - ROWS, 'more field')}", "muted", size=11)
        y += ROW
    y += 20
    kinds = [(kind, kind) for kind in KINDS if any(value.kind == kind and value.live for value in values)]
    kinds += [("hole", "not live")] if any(not value.live for value in values) else []
    kinds += [("suspend-mark", "changed since the last resume")] if any(value.changed for value in values) else []
    right = max(right, LEFT + text_width(title, 14))
    end, y = d.legend(LEFT, y, kinds, right)
    return d.finish(max(right, end) + 20, y + 20)


def frame_html(frame: Any) -> str:
    return f'<div title="{escape(_live_summary(read_values(frame)))}">{scroll(frame_picture(frame))}</div>'


def handle_html(handle: Any) -> str:
    """Return the state of a coroutine, and its frame where that can be read."""
    head = f"<p>{escape(repr(handle)[1:-1])}</p>"
    try:
        return head + frame_html(handle.frame)
    except Error:  # it is running, done, destroyed, or has no known layout
        return head


def frame_bundle(frame: Any, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
    """Return the result of `_repr_mimebundle_` for a running frame."""
    makers = {"text/plain": frame_text, "text/html": frame_html, "image/svg+xml": frame_picture}
    return bundle(makers, frame, include, exclude)
