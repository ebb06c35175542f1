"""Frames and coroutines as text, HTML, SVG and DOT: pure functions over plain data (drawing.model says which).

Nothing here needs another program, and every name from IR is escaped for where it is put.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from pycoro.drawing.cfg import cfg_picture, edge_kinds
from pycoro.drawing.frame import frame_picture
from pycoro.drawing.model import CoroutineView, FrameView, read_coroutine, read_frame
from pycoro.drawing.svg import escape
from pycoro.drawing.text import (
    FIELD_HEADS,
    coroutine_lines,
    count,
    field_cells,
    frame_lines,
    frame_summary,
    live_ranges,
    reason,
)

_REASONS = 400  # rows of an HTML table; more make notebooks slow, and the object has them all


def frame_text(frame: Any) -> str:
    return "\n".join(frame_lines(read_frame(frame)))


def coroutine_text(coroutine: Any) -> str:
    return "\n".join(coroutine_lines(read_coroutine(coroutine)))


def frame_svg(frame: Any) -> str:
    return frame_picture(read_frame(frame))


def coroutine_svg(coroutine: Any) -> str:
    return cfg_picture(read_coroutine(coroutine))


# ---- HTML ----


def scroll(inner: str) -> str:
    return f'<div style="overflow-x:auto">{inner}</div>'


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th style="text-align:left">{escape(h)}</th>' for h in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left"><code>{escape(c)}</code></td>' for c in row) + "</tr>" for row in rows
    )
    return scroll(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def _frame_details(frame: FrameView) -> str:
    if not frame.fields:
        return ""
    heads = [*FIELD_HEADS, "live at", "why"]
    rows = [[*field_cells(f, frame), ", ".join(live_ranges(f, frame)), reason(f)] for f in frame.fields[:_REASONS]]
    more = len(frame.fields) - len(rows)
    note = f"<p>… {count(more, 'field')} more</p>" if more > 0 else ""
    return f"<details><summary>Fields, and why they are there</summary>{_table(heads, rows)}{note}</details>"


def _suspend_details(coroutine: CoroutineView) -> str:
    if not coroutine.suspends:
        return ""
    heads = ["suspend", "value", "block", "saved in", "on resume", "on destroy"]
    rows = [
        [
            s.title,
            "%" + s.name,
            *("%" + b if b else "" for b in (s.block, s.save_block, s.resume_block, s.destroy_block)),
        ]
        for s in coroutine.suspends[:_REASONS]
    ]
    return f"<details><summary>Suspend points</summary>{_table(heads, rows)}</details>"


def frame_html(frame: Any) -> str:
    view = read_frame(frame)
    return f'<div title="{escape(frame_summary(view))}">{scroll(frame_picture(view))}{_frame_details(view)}</div>'


def coroutine_html(coroutine: Any) -> str:
    view = read_coroutine(coroutine)
    row = "".join(f'<div style="flex:none">{picture}</div>' for picture in (cfg_picture(view), frame_picture(view.frame)))
    details = _suspend_details(view) + _frame_details(view.frame)
    side_by_side = f'<div style="display:flex;gap:12px;align-items:flex-start">{row}</div>'
    return f"<div>{scroll(side_by_side)}{details}</div>"


# ---- DOT ----


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text).replace("\n", "\\n") + '"'


def coroutine_graph(coroutine: Any) -> tuple[list[tuple[str, dict[str, Any]]], list[tuple[str, str, dict[str, str]]]]:
    """Nodes and edges of the control flow graph, by the names of blocks, with what they are."""
    view = read_coroutine(coroutine)
    suspends, kinds = {s.block: s.place for s in view.suspends}, edge_kinds(view)
    nodes: list[tuple[str, dict[str, Any]]] = [(f"%{b.name}", {"suspend": suspends.get(b.name)}) for b in view.blocks]
    edges = [
        (f"%{b.name}", f"%{view.blocks[target].name}", {"kind": kinds.get((b.place, target), "")})
        for b in view.blocks
        for target in dict.fromkeys(b.successors)
    ]
    return nodes, edges


def coroutine_dot(coroutine: Any) -> str:
    """The control flow graph in Graphviz' language, for those who have it: every block, whatever their number."""
    view = read_coroutine(coroutine)
    suspends = {s.block: s for s in view.suspends}
    colours = {"resume": "#2e9e63", "destroy": "#d1495b", "suspend": "#8b96a3"}
    kinds = edge_kinds(view)
    lines = [f"digraph {_quoted(view.name)} {{", '  node [shape=box, fontname="monospace"];']
    for b in view.blocks:
        s = suspends.get(b.name)
        label = f"%{b.name}" + (f"\n{s.title}" if s else "")
        look = f', style=filled, fillcolor="{"#e7ddfa" if s.is_final else "#fdeac4"}"' if s else ""
        lines.append(f"  n{b.place} [label={_quoted(label)}{look}];")
    for b in view.blocks:
        for target in dict.fromkeys(b.successors):
            kind = kinds.get((b.place, target), "")
            look = f' [color="{colours[kind]}", label="{kind}"]' if kind else ""
            lines.append(f"  n{b.place} -> n{target}{look};")
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
    """What `_repr_mimebundle_` of a frame returns."""
    makers = {"text/plain": frame_text, "text/html": frame_html, "image/svg+xml": frame_svg}
    return bundle(makers, frame, include, exclude)


def coroutine_bundle(
    coroutine: Any, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """What `_repr_mimebundle_` of a coroutine returns."""
    makers = {"text/plain": coroutine_text, "text/html": coroutine_html, "image/svg+xml": coroutine_svg}
    return bundle(makers, coroutine, include, exclude)
