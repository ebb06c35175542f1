"""The page: the model as JSON, beside the script and the style sheet that draw it, in one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any

from pycoro.explore.colours import style_sheet
from pycoro.explore.packed import pack

__all__ = ["LARGEST", "framed", "page"]

LARGEST = 2_900_000
"""Bytes of a page: of a model that is larger, diffs are left out, the longest first, and the page says how many."""

_PLAIN = 500_000
"""Bytes of a model that is not deflated."""

_SCRIPTS = ("dom.js", "unpack.js", "lights.js", "source.js", "frame.js", "graph.js", "passes.js", "main.js")


def _file(name: str) -> str:
    return (resources.files("pycoro.explore") / "page" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON that no reader of HTML takes for markup, whatever the names in it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _written(model: Mapping[str, Any]) -> str:
    """The model as the page has it: JSON, which a large model is deflated in."""
    text = _json(pack(model))
    if len(text) <= _PLAIN:
        return text
    return _json({"deflated": base64.b64encode(zlib.compress(text.encode(), 9)).decode()})


def _without(model: Mapping[str, Any], kept: int) -> dict[str, Any]:
    """The model with its shortest diffs, so many of them."""
    steps: list[Mapping[str, Any]] = model["steps"]
    sizes = [(sum(map(len, change["diff"])), at, n) for at, step in enumerate(steps) for n, change in enumerate(step["changed"])]
    left = {(at, n) for _, at, n in sorted(sizes)[:kept]}
    thinned: list[dict[str, Any]] = []
    for at, step in enumerate(steps):
        changed = [change for n, change in enumerate(step["changed"]) if (at, n) in left]
        thinned.append({**step, "changed": changed, "left_out": len(step["changed"]) - len(changed)})
    return {**model, "steps": thinned}


def fitting(model: Mapping[str, Any], most: int) -> str:
    """The model as JSON in at most so many bytes, as far as leaving out the longest diffs can bring it there."""
    text = _written(model)
    few, many = 0, sum(len(step["changed"]) for step in model["steps"])
    if len(text) <= most:
        return text
    while few < many:  # the most diffs that fit, by halves
        middle = (few + many + 1) // 2
        text = _written(_without(model, middle))
        few, many = (middle, many) if len(text) <= most else (few, middle - 1)
    return _written(_without(model, few))


def page(model: Mapping[str, Any], *, events: str = "") -> str:
    """A whole document that shows what :func:`pycoro.explore.model` gives.

    ``events`` is the address of a stream of events, on the server that serves the page, that says when it is to be loaded again.

    >>> model = pycoro.explore.model(pycoro.Module(pycoro.examples.COUNTER))
    >>> pycoro.explore.page(model).splitlines()[0]
    '<!doctype html>'
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
        model=fitting(model, LARGEST - shell),
    )


def framed(document: str, height: int) -> str:
    """The page in a frame, for a page of somebody else's, such as a notebook: neither can touch the other."""
    return (
        f'<iframe sandbox="allow-scripts" title="pycoro explore" srcdoc="{escape(document)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
