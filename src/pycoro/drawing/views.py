"""Frames and coroutines as text, HTML, SVG and DOT: pure functions over the plain data of `drawing.model`.

No other program is needed, and every name from IR is escaped for its context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from pycoro.drawing.cfg import cfg_picture, edge_kinds
from pycoro.drawing.frame import frame_picture
from pycoro.drawing.model import CoroutineView, FieldView, FrameView, SuspendView, read_coroutine, read_frame
from pycoro.drawing.svg import escape
from pycoro.drawing.text import (
    FIELD_HEADS,
    coroutine_lines,
    count,
    field_cells,
    field_reason,
    frame_lines,
    frame_summary,
    live_ranges,
)

T = TypeVar("T")

CELL = 1_000_000
"""Maximum bytes of a notebook cell; browsers become slow at more."""

# Maximum bytes of a picture, a table and the text in a cell: two pictures as HTML and one as SVG, two tables, and the text are
# below CELL. The rest is left out, with a note of its size; but a control flow graph has all suspends.
_PICTURE, _DETAILS, _TEXT = 200_000, 150_000, 30_000
_SEES_ALL = "print it to see them all"


def frame_text(frame: Any) -> str:
    return "\n".join(frame_lines(read_frame(frame)))


def coroutine_text(coroutine: Any) -> str:
    return "\n".join(coroutine_lines(read_coroutine(coroutine)))


def _first_picture_that_fits_or_last(draw: Callable[[int], str], *steps: int) -> str:
    """Return the first picture that fits a cell, drawing ever less; the last one if none fits."""
    picture = ""
    for step in steps:
        picture = draw(step)
        if len(picture.encode()) <= _PICTURE:
            break
    return picture


def _frame_in_cell(view: FrameView) -> str:
    return _first_picture_that_fits_or_last(
        lambda most: frame_picture(view, most, max(most, 20)), 1000, 300, 200, 120, 80, 50, 30, 15
    )


def _cfg_in_cell(view: CoroutineView) -> str:
    return _first_picture_that_fits_or_last(lambda most: cfg_picture(view, most), 160, 90, 45, 25, 12)


def _keep_first_lines_that_fit_cell(text: str) -> str:
    """Cut a text after the lines that fit a cell."""
    if len(text.encode()) <= _TEXT:
        return text
    lines, size = text.splitlines(), 0
    for number, line in enumerate(lines):
        size += len(line.encode()) + 1
        if size > _TEXT:
            return "\n".join([*lines[:number], f"… {count(len(lines) - number, 'more line')}; {_SEES_ALL}"])
    return text


def frame_svg(frame: Any) -> str:
    return frame_picture(read_frame(frame))


def coroutine_svg(coroutine: Any, *, instructions: bool = False) -> str:
    return cfg_picture(read_coroutine(coroutine), instructions=instructions)


# ---- HTML ----


def scroll(inner: str) -> str:
    return f'<div style="overflow-x:auto">{inner}</div>'


def _scroll_in_window(inner: str, style: str = "") -> str:
    """Return a picture or table that scrolls in both directions, because it may be larger than a window."""
    return f'<div style="{style}max-width:100%;max-height:1200px;overflow:auto">{inner}</div>'


def _html_table(heads: list[str], items: Sequence[T], cells: Callable[[T], list[str]]) -> str:
    """Return a table with a row for each item, up to the size that fits a cell."""
    head = "".join(f'<th style="text-align:left">{escape(h)}</th>' for h in heads)
    lines: list[str] = []
    size = 0
    for item in items:
        line = "".join(f'<td style="text-align:left"><code>{escape(c)}</code></td>' for c in cells(item))
        size += len(line.encode())
        if size > _DETAILS:
            break
        lines.append(f"<tr>{line}</tr>")
    left_out = len(items) - len(lines)
    if left_out:
        lines.append(f'<tr><td colspan="{len(heads)}">… {count(left_out, "more row")}; {_SEES_ALL}</td></tr>')
    return _scroll_in_window(f'<table cellpadding="3"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>')


def _frame_details(frame: FrameView) -> str:
    if not frame.fields:
        return ""

    def cells(f: FieldView) -> list[str]:
        return [*field_cells(f, frame), ", ".join(live_ranges(f, frame)), field_reason(f)]

    table = _html_table([*FIELD_HEADS, "live at", "why"], frame.fields, cells)
    return f"<details><summary>Fields, and why they are there</summary>{table}</details>"


def _suspend_details(coroutine: CoroutineView) -> str:
    if not coroutine.suspends:
        return ""

    def cells(s: SuspendView) -> list[str]:
        blocks = ("%" + b if b else "" for b in (s.block, s.save_block, s.resume_block, s.destroy_block))
        return [s.title, str(s.line or ""), "%" + s.name, *blocks]

    heads = ["suspend", "line", "value", "block", "saved in", "on resume", "on destroy"]
    return f"<details><summary>Suspend points</summary>{_html_table(heads, coroutine.suspends, cells)}</details>"


def frame_html(frame: Any) -> str:
    view = read_frame(frame)
    return f'<div title="{escape(frame_summary(view))}">{_scroll_in_window(_frame_in_cell(view))}{_frame_details(view)}</div>'


def coroutine_html(coroutine: Any) -> str:
    view = read_coroutine(coroutine)
    row = "".join(_scroll_in_window(picture, "flex:none;") for picture in (_cfg_in_cell(view), _frame_in_cell(view.frame)))
    details = _suspend_details(view) + _frame_details(view.frame)
    side_by_side = f'<div style="display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start">{row}</div>'
    return f"<div>{side_by_side}{details}</div>"


# ---- DOT ----


def _dot_quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text).replace("\n", "\\n") + '"'


def coroutine_graph(coroutine: Any) -> tuple[list[tuple[str, dict[str, Any]]], list[tuple[str, str, dict[str, str]]]]:
    """Return nodes and edges of the control flow graph by block name, with their attributes."""
    view = read_coroutine(coroutine)
    suspends, kinds = {s.block: s.number for s in view.suspends}, edge_kinds(view)
    nodes: list[tuple[str, dict[str, Any]]] = [(f"%{b.name}", {"suspend": suspends.get(b.name)}) for b in view.blocks]
    edges = [
        (f"%{b.name}", f"%{view.blocks[target].name}", {"kind": kinds.get((b.number, target), "")})
        for b in view.blocks
        for target in dict.fromkeys(b.successors)
    ]
    return nodes, edges


def coroutine_dot(coroutine: Any) -> str:
    """Return the control flow graph in Graphviz's DOT language, with every block."""
    view = read_coroutine(coroutine)
    suspends = {s.block: s for s in view.suspends}
    colors = {"resume": "#2e9e63", "destroy": "#d1495b", "suspend": "#8b96a3"}
    kinds = edge_kinds(view)
    lines = [f"digraph {_dot_quoted(view.name)} {{", '  node [shape=box, fontname="monospace"];']
    for b in view.blocks:
        s = suspends.get(b.name)
        label = f"%{b.name}" + (f"\n{s.title}" if s else "")
        look = f', style=filled, fillcolor="{"#e7ddfa" if s.is_final else "#fdeac4"}"' if s else ""
        lines.append(f"  n{b.number} [label={_dot_quoted(label)}{look}];")
    for b in view.blocks:
        for target in dict.fromkeys(b.successors):
            kind = kinds.get((b.number, target), "")
            look = f' [color="{colors[kind]}", label="{kind}"]' if kind else ""
            lines.append(f"  n{b.number} -> n{target}{look};")
    return "\n".join([*lines, "}", ""])


# ---- Notebooks ----


def bundle(
    makers: Mapping[str, Callable[[Any], str]],
    thing: Any,
    include: Collection[str] | None,
    exclude: Collection[str] | None,
) -> dict[str, str]:
    wanted = [kind for kind in makers if (not include or kind in include) and not (exclude and kind in exclude)]
    return {kind: makers[kind](thing) for kind in wanted}


def frame_bundle(frame: Any, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
    """Return the result of `_repr_mimebundle_` for a frame."""
    makers: dict[str, Callable[[Any], str]] = {
        "text/plain": lambda frame: _keep_first_lines_that_fit_cell(frame_text(frame)),
        "text/html": frame_html,
        "image/svg+xml": lambda frame: _frame_in_cell(read_frame(frame)),
    }
    return bundle(makers, frame, include, exclude)


def coroutine_bundle(
    coroutine: Any, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """Return the result of `_repr_mimebundle_` for a coroutine."""
    makers: dict[str, Callable[[Any], str]] = {
        "text/plain": lambda coroutine: _keep_first_lines_that_fit_cell(coroutine_text(coroutine)),
        "text/html": coroutine_html,
        "image/svg+xml": lambda coroutine: _cfg_in_cell(read_coroutine(coroutine)),
    }
    return bundle(makers, coroutine, include, exclude)
