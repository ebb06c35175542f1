"""Draws the ratios of goals.py: a bar for each ratio of pycoro's value to LLVM's, and a mark at the goal."""

from __future__ import annotations

import html
from typing import NamedTuple

LINE, LEFT, WIDTH, MOST = 22, 560, 360, 1.5
"""Pixels of a row, of the names, of the bars; and the ratio at which a bar is truncated."""


class Bar(NamedTuple):
    name: str
    ratio: float
    goal: float | None
    met: bool | None


def x(ratio: float) -> float:
    return LEFT + WIDTH * min(ratio, MOST) / MOST


def drawn(bar: Bar, y: int) -> str:
    colour = {True: "#3a7d44", False: "#b3541e", None: "#777777"}[bar.met]
    name = html.escape(bar.name.replace("`", ""))
    parts = [
        f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{name}</text>',
        f'<rect x="{LEFT}" y="{y + 4}" width="{x(bar.ratio) - LEFT:.1f}" height="{LINE - 8}" fill="{colour}"/>',
        f'<text x="{x(bar.ratio) + 4:.1f}" y="{y + 15}">{bar.ratio:.2f}</text>',
    ]
    if bar.goal is not None:
        at = x(bar.goal)
        parts.append(f'<path d="M{at:.1f} {y}v{LINE}" stroke="#000000" stroke-width="2"><title>goal {bar.goal:g}</title></path>')
    return "\n".join(parts)


def svg(bars: list[Bar]) -> str:
    """Return the picture; a thin line marks the ratio 1."""
    height = LINE * (len(bars) + 1)
    rows = "\n".join(drawn(bar, LINE * number) for number, bar in enumerate(bars))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{height}" font-family="sans-serif"'
        f' font-size="11">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
        f'<path d="M{x(1):.1f} 0V{height}" stroke="#bbbbbb"/>\n{rows}\n</svg>\n'
    )
