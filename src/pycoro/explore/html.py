"""Render the page: one self-contained HTML file with the model as JSON, the script and the style sheet."""

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

from pycoro.explore.colors import style_sheet
from pycoro.explore.packed import encode_model_for_page

__all__ = ["LARGEST", "page", "page_in_sandboxed_frame"]

LARGEST = 2_900_000
"""Maximum size of a page in bytes. In a larger model, the longest diffs are omitted, and the page shows their number."""

_PLAIN = 500_000
"""Maximum size in bytes of an uncompressed model."""

_SCRIPTS = ("dom.js", "unpack.js", "lights.js", "source.js", "frame.js", "graph.js", "passes.js", "main.js")


def _read_page_file(name: str) -> str:
    return (resources.files("pycoro.explore") / "page" / name).read_text("utf-8")


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _html_safe_json(data: Any) -> str:
    """Return JSON without characters that HTML could interpret as markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _embedded_model_deflated_if_large(model: Mapping[str, Any]) -> str:
    """Return the model as embedded in the page: JSON, deflated if large."""
    text = _html_safe_json(encode_model_for_page(model))
    if len(text) <= _PLAIN:
        return text
    return _html_safe_json({"deflated": base64.b64encode(zlib.compress(text.encode(), 9)).decode()})


def _keep_shortest_diffs(model: Mapping[str, Any], kept: int) -> dict[str, Any]:
    """Return the model with only the ``kept`` shortest diffs."""
    steps: list[Mapping[str, Any]] = model["steps"]
    sizes = [(sum(map(len, change["diff"])), at, n) for at, step in enumerate(steps) for n, change in enumerate(step["changed"])]
    left = {(at, n) for _, at, n in sorted(sizes)[:kept]}
    thinned: list[dict[str, Any]] = []
    for at, step in enumerate(steps):
        changed = [change for n, change in enumerate(step["changed"]) if (at, n) in left]
        thinned.append({**step, "changed": changed, "left_out": len(step["changed"]) - len(changed)})
    return {**model, "steps": thinned}


def embedded_model_with_diffs_that_fit(model: Mapping[str, Any], max_bytes: int) -> str:
    """Return the model as JSON, deflated if large, of at most ``max_bytes``; larger if that needs more than omitting all diffs."""
    text = _embedded_model_deflated_if_large(model)
    few, many = 0, sum(len(step["changed"]) for step in model["steps"])
    if len(text) <= max_bytes:
        return text
    while few < many:  # binary search for the most diffs that fit
        middle = (few + many + 1) // 2
        text = _embedded_model_deflated_if_large(_keep_shortest_diffs(model, middle))
        few, many = (middle, many) if len(text) <= max_bytes else (few, middle - 1)
    return _embedded_model_deflated_if_large(_keep_shortest_diffs(model, few))


def page(model: Mapping[str, Any], *, events: str = "") -> str:
    """Return an HTML document that shows a model of :func:`pycoro.explore.model`.

    ``events`` is the address of a server-sent event stream on the same server, which triggers reloads.

    >>> model = pycoro.explore.model(pycoro.Module(pycoro.examples.COUNTER))
    >>> pycoro.explore.page(model).splitlines()[0]
    '<!doctype html>'
    """
    style, script = (
        style_sheet() + _read_page_file("page.css"),
        '"use strict";\n{\n' + "".join(map(_read_page_file, _SCRIPTS)) + "}\n",
    )
    shell = len(style) + len(script) + 4000
    return Template(_read_page_file("page.html")).substitute(
        title=escape(model["title"]),
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        connect="'self'" if events else "'none'",
        events=escape(events),
        model=embedded_model_with_diffs_that_fit(model, LARGEST - shell),
    )


def page_in_sandboxed_frame(document: str, height: int) -> str:
    """Return the page in a sandboxed frame for another page, such as a notebook."""
    return (
        f'<iframe sandbox="allow-scripts" title="pycoro explore" srcdoc="{escape(document)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
