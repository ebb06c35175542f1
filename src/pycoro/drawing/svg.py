"""Write SVG: shapes with named styles, all text escaped, without scripts, ids or external resources.

Each style has a light and a dark form. The shapes contain the light one, for viewers without style sheets; the style sheet
replaces it by the dark one if the page or the system is dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape as escape_markup

FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
CHAR = 0.605  # width of a character over the font size

# name: (light fill, light stroke, dark fill, dark stroke)
STYLES = {
    "page": ("#ffffff", "#d5dae1", "#12161c", "#333b46"),
    "text": ("#1f2933", "none", "#e4e9ef", "none"),
    "muted": ("#525d6a", "none", "#b4bec9", "none"),
    "track": ("#f4f6f8", "none", "#1b212a", "none"),
    "hole": ("#ffffff", "#b9c1cb", "#12161c", "#4a5462"),
    "resume": ("#d9e6f7", "#86a9d8", "#1d3656", "#5a88c0"),
    "destroy": ("#f8dcdc", "#d99696", "#4b2529", "#b8666d"),
    "promise": ("#e7ddfa", "#ac94dc", "#36295c", "#8f76cc"),
    "index": ("#e6e9ed", "#a5afbb", "#2c333d", "#707c8a"),
    "header": ("#dbeeea", "#86b8ae", "#1d3b36", "#5a9186"),
    "alloca": ("#d5f0e2", "#74bf9a", "#16402f", "#44a078"),
    "spill": ("#fdeac4", "#dcab45", "#4d3a10", "#c7962f"),
    "block": ("#f6f8fa", "#a5afbb", "#222933", "#66717e"),
    "suspend": ("#fdeac4", "#c98a12", "#4d3a10", "#e0a93a"),
    "final": ("#e7ddfa", "#8f72cf", "#36295c", "#a58be0"),
    "suspend-mark": ("#855600", "none", "#f0bd55", "none"),
    "break": ("none", "#525d6a", "none", "#b4bec9"),
    "line": ("none", "#6b7683", "none", "#8b96a3"),
    "line-resume": ("none", "#217a4b", "none", "#46bd80"),
    "line-destroy": ("none", "#c03a4d", "none", "#e5707f"),
    "line-suspend": ("none", "#6b7683", "none", "#8b96a3"),
    "head": ("#6b7683", "none", "#8b96a3", "none"),
    "head-resume": ("#217a4b", "none", "#46bd80", "none"),
    "head-destroy": ("#c03a4d", "none", "#e5707f", "none"),
    "head-suspend": ("#6b7683", "none", "#8b96a3", "none"),
}

# Selectors of the dark styles: a dark system unless the page is marked as light, or a page marked as dark
# (JupyterLab, Sphinx's furo, VS Code).
_SYSTEM = (":root.pycoro", 'body:not([data-jp-theme-light="true"]):not([data-theme="light"]) .pycoro')
_PAGE = ('[data-jp-theme-light="false"] .pycoro', '[data-theme="dark"] .pycoro', ".vscode-dark .pycoro")


# Dashes that distinguish edges without color.
DASHES = {"suspend": 'stroke-dasharray="3 3"', "destroy": 'stroke-dasharray="9 3 2 3"'}

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Escape text for XML; characters that XML cannot represent become U+FFFD."""
    return escape_markup(_NOT_XML.sub("\ufffd", text))


def number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text_width(text: str, size: float = 12) -> float:
    return len(text) * size * CHAR


def arrow_head_path(x: float, y: float, *, left: bool = False) -> str:
    """Return the path data of an arrow head at (x, y) that points down, or left."""
    a, b = (
        (f"{number(x + 8)} {number(y - 4)}", f"{number(x + 8)} {number(y + 4)}")
        if left
        else (
            f"{number(x - 4)} {number(y - 8)}",
            f"{number(x + 4)} {number(y - 8)}",
        )
    )
    return f"M{number(x)} {number(y)}L{a}L{b}Z"


class Drawing:
    """Collects shapes; `finish` returns the document."""

    def __init__(self, title: str):
        self._title = title
        self._parts: list[str] = []
        self._used = {"page"}

    def _style_attributes(self, style: str) -> str:
        self._used.add(style)
        fill, stroke, _, _ = STYLES[style]
        return f'class="{style}" fill="{fill}"' + (f' stroke="{stroke}"' if stroke != "none" else "")

    def _add_element(self, tag: str, attributes: str, tip: str) -> None:
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(f"<{tag} {attributes}>{inner}</{tag}>" if inner else f"<{tag} {attributes}/>")

    def rect(
        self, x: float, y: float, w: float, h: float, style: str, *, round_: float = 3, tip: str = "", extra: str = ""
    ) -> None:
        where = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" rx="{number(round_)}"'
        self._add_element("rect", f"{where} {self._style_attributes(style)}" + (f" {extra}" if extra else ""), tip)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        style: str = "text",
        *,
        anchor: str = "",
        size: float = 12,
        bold: bool = False,
    ) -> None:
        """Draw a line of text centered at `y`. Pointer events pass through to the shape below, which has the tooltip."""
        where = f'x="{number(x)}" y="{number(y + size * 0.35)}" font-size="{number(size)}"'
        where += f' text-anchor="{anchor}"' if anchor else ""
        where += ' font-weight="600"' if bold else ""
        self._parts.append(f'<text {where} {self._style_attributes(style)} pointer-events="none">{escape(text)}</text>')

    def rects_of_one_style(self, boxes: Sequence[tuple[float, float, float, float, str]], style: str) -> None:
        """Draw rectangles (x, y, width, height, tip) of one style; its attributes are written once."""
        self._parts.append(f"<g {self._style_attributes(style)}>")
        for x, y, w, h, tip in boxes:
            where = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
            self._add_element("rect", where, tip)
        self._parts.append("</g>")

    def texts_of_one_style(self, texts: Sequence[tuple[float, float, str]], style: str, *, size: float) -> None:
        """Draw texts centered at (x, y) in one style; its attributes are written once."""
        font = f'font-size="{number(size)}" text-anchor="middle"'
        self._parts.append(f'<g {font} {self._style_attributes(style)} pointer-events="none">')
        self._parts += [f'<text x="{number(x)}" y="{number(y + size * 0.35)}">{escape(text)}</text>' for x, y, text in texts]
        self._parts.append("</g>")

    def path(self, d: str, style: str, *, extra: str = "") -> None:
        self._add_element("path", f'd="{d}" {self._style_attributes(style)}' + (f" {extra}" if extra else ""), "")

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, str]], max_right: float = 1e9) -> tuple[float, float]:
        """Draw samples with names in rows up to `max_right`; return the right end of the longest row and the center of the last."""
        left, end = x, x
        for style, name in entries:
            width = 19 + text_width(name, 11)
            if x > left and x + width > max_right:
                x, y = left, y + 20
            if style == "break":
                self.break_mark(x, y)
            elif style == "suspend-mark":
                self.text(x + 2, y, "◆", style, size=11)
            elif style.startswith("line"):
                dash = DASHES.get(style.removeprefix("line-"), "")
                self.path(f"M{number(x - 6)} {number(y)}h22", style, extra=f'stroke-width="2" {dash}'.strip())
            else:
                extra = 'stroke-dasharray="3 2"' if style == "hole" else ""
                self.rect(x, y - 6, 14, 12, style, extra=extra)
            self.text(x + 19, y, name, "muted", size=11)
            end = max(end, x + width)
            x += width + 16
        return end, y

    def break_mark(self, x: float, y: float) -> None:
        """Draw a break mark."""
        self.path(f"M{number(x)} {number(y + 2)}l3 -5l4 6l3 -5", "break", extra='stroke-width="1.4"')

    def _style_sheet(self) -> str:
        used = [name for name in STYLES if name in self._used]

        def rules(where: Sequence[str]) -> str:
            out: list[str] = []
            for name in used:
                _, _, fill, stroke = STYLES[name]
                selector = ",".join(f"{w} .{name}" for w in where)
                out.append(f"{selector}{{fill:{fill};stroke:{stroke}}}")
            return "".join(out)

        return f"@media (prefers-color-scheme:dark){{{rules(_SYSTEM)}}}{rules(_PAGE)}"

    def finish(self, width: float, height: float) -> str:
        w, h = number(width), number(height)
        inner = f'x="0.5" y="0.5" width="{number(width - 1)}" height="{number(height - 1)}"'
        page = f'<rect {inner} rx="8" {self._style_attributes("page")}/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="pycoro" role="img" width="{w}" height="{h}" '
            f'viewBox="0 0 {w} {h}" font-family="{escape(FONT)}">'
            f"<title>{escape(self._title)}</title><style>{self._style_sheet()}</style>"
            f"{page}{''.join(self._parts)}</svg>"
        )
