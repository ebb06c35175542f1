"""Layered drawing of a coroutine's control flow as plain data: boxes of blocks, and edges as SVG paths."""

from __future__ import annotations

from typing import Any

from pycoro.coroutine import Coroutine
from pycoro.drawing.cfg import graph_folded_if_large, route_path
from pycoro.drawing.layout import layered_layout
from pycoro.drawing.model import read_coroutine
from pycoro.drawing.svg import number

__all__ = ["layout_graph"]

_MARGIN = 16.0


def layout_graph(coroutine: Coroutine) -> dict[str, Any]:
    """Return ``boxes`` and ``routes`` of a layered_layout drawing, with ``width`` and ``height``. In large functions, each chain of
    blocks is one box.
    """
    view = read_coroutine(coroutine)
    nodes, edges = graph_folded_if_large(view)
    layout = layered_layout([node.size for node in nodes], edges)
    boxes = [
        {
            "x": round(x + _MARGIN),
            "y": round(y + _MARGIN),
            "w": round(w),
            "h": round(h),
            "style": node.style,
            "lines": node.lines,
            "blocks": ["%" + view.blocks[block].name for block in node.blocks],
            "suspends": [suspend.number for suspend in node.suspends],
        }
        for node, (x, y, w, h) in zip(nodes, layout.boxes, strict=True)
    ]
    routes: list[dict[str, Any]] = []
    for route in layout.routes:
        data, (x, y) = route_path(route, _MARGIN, _MARGIN)
        arrow = [float(number(x)), float(number(y)), "left" if route.shape == "loop" else "down"] if route.arrow else None
        routes.append({"d": data, "kind": route.kind, "arrow": arrow})
    return {
        "width": round(layout.width + 2 * _MARGIN, 1),
        "height": round(layout.height + 2 * _MARGIN, 1),
        "boxes": boxes,
        "routes": routes,
        "folded": sum(len(node.blocks) != 1 for node in nodes) > 0,
    }
