"""The page: the model as JSON, beside the script and the style sheet that draw it, in one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any

from pycoro.explore.colours import style_sheet

__all__ = ["LARGEST", "framed", "page"]

LARGEST = 2_900_000
"""Bytes of a page: of a model that is larger, diffs are left out, the longest first, and the page says how many."""

_SCRIPTS = ("dom.js", "lights.js", "source.js", "frame.js", "graph.js", "passes.js", "main.js")


def _file(name: str) -> str:
    return (resources.files("pycoro.explore") / "page" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON that no reader of HTML takes for markup, whatever the names in it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def fitting(model: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The model in at most so many bytes of JSON, as far as leaving out diffs can bring it there."""
    excess = len(_json(model)) - most
    if excess <= 0:
        return dict(model)
    sizes = [
        (len(_json(change)), at, place) for at, step in enumerate(model["steps"]) for place, change in enumerate(step["changed"])
    ]
    gone: set[tuple[int, int]] = set()
    for size, at, place in sorted(sizes, reverse=True):
        if excess <= 0:
            break
        gone.add((at, place))
        excess -= size
    steps: list[dict[str, Any]] = []
    for at, step in enumerate(model["steps"]):
        left = [change for place, change in enumerate(step["changed"]) if (at, place) not in gone]
        steps.append({**step, "changed": left, "left_out": len(step["changed"]) - len(left)})
    return {**model, "steps": steps}


def page(model: Mapping[str, Any], *, events: str = "") -> str:
    """A whole document that shows what :func:`pycoro.explore.model` gives.

    ``events`` is the address of a stream of events, on the server that serves the page, that says when it is to be loaded again.
    """
    style, script = style_sheet() + _file("page.css"), '"use strict";\n{\n' + "".join(map(_file, _SCRIPTS)) + "}\n"
    shell = len(style) + len(script) + 4000
    return Template(_file("page.html")).substitute(
        title=escape(model["title"]),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        connect="'self'" if events else "'none'",
        events=escape(events),
        model=_json(fitting(model, LARGEST - shell)),
    )


def framed(document: str, height: int) -> str:
    """The page in a frame, for a page of somebody else's, such as a notebook: neither can touch the other."""
    return (
        f'<iframe sandbox="allow-scripts" title="pycoro explore" srcdoc="{escape(document)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
