"""Light and dark colors of the page, including those of the pictures.

Text has a contrast of at least 4.5 to 1 on all backgrounds, as tests/api/test_explore.py verifies.
"""

from __future__ import annotations

from pycoro.drawing.svg import STYLES

__all__ = ["GROUNDS", "OWN", "TEXTS", "style_sheet"]

OWN = {
    "ground": ("#eef1f4", "#0c0f13"),
    "card": ("#ffffff", "#12161c"),
    "text": ("#1f2933", "#e4e9ef"),
    "muted": ("#525d6a", "#b4bec9"),
    "line": ("#c4ccd5", "#3a4451"),
    "rule": ("#e3e8ed", "#252d37"),
    "hover": ("#e6ebf0", "#252d37"),
    "inside": ("#f4f7fa", "#181e26"),
    "lit": ("#d6e6ff", "#16345e"),
    "lit-line": ("#2468c4", "#7db2ff"),
    "lit-strong": ("#1c5bb5", "#9cc4ff"),
    "on-lit": ("#ffffff", "#0c1a2e"),
    "focus": ("#b3540a", "#ffb366"),
    "word": ("#7a2d9c", "#dca8f2"),
    "plus": ("#dcf5e4", "#123a26"),
    "minus": ("#fce1e1", "#4a2024"),
    "minus-line": ("#d99696", "#b8666d"),
    "rail": ("#e9edf1", "#252d37"),
    "run": ("#4d7fbf", "#6fa3e3"),
    "go": ("#1d7044", "#46bd80"),
    "end": ("#b0323f", "#f08a96"),
}
"""Light and dark color by name."""

_PICTURES = ("promise", "alloca", "spill", "index", "suspend", "block")

TEXTS = ("text", "muted")
"""Text colors on `GROUNDS`."""
GROUNDS = (
    "ground",
    "card",
    "hover",
    "inside",
    "lit",
    "plus",
    "minus",
    "promise",
    "alloca",
    "spill",
    "index",
    "suspend",
    "block",
    "hole",
)


def light_and_dark_colors() -> dict[str, tuple[str, str]]:
    """Return all colors by name."""
    found = dict(OWN)
    for name in _PICTURES:
        fill, line, dark_fill, dark_line = STYLES[name]
        found[name], found[f"{name}-line"] = (fill, dark_fill), (line, dark_line)
    found["hole"] = OWN["inside"]
    return found


def style_sheet() -> str:
    """Return the colors as CSS variables, with dark values for a dark system or page."""

    def rule(where: str, dark: bool) -> str:
        scheme = f"color-scheme:{'dark' if dark else 'light'};"
        return f"{where}{{{scheme}{''.join(f'--{name}:{pair[dark]};' for name, pair in light_and_dark_colors().items())}}}"

    system = f"@media (prefers-color-scheme:dark){{{rule(':root:not([data-theme=light])', True)}}}"
    return "\n".join((rule(":root", False), system, rule(":root[data-theme=dark]", True))) + "\n"
