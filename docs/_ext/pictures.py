"""Draws pictures and texts of the examples with pycoro, during the documentation build, into docs/_generated.

It writes NAME-frame.svg, NAME-cfg.svg and NAME.txt for every coroutine of docs/examples, the picture of the suspend epochs, and
explorer.html, an example of the explorer's page.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from sphinx.application import Sphinx

import pycoro
from pycoro.drawing.cfg import draw_route
from pycoro.drawing.layout import Edge, layered_layout
from pycoro.drawing.svg import Drawing, text_width
from pycoro.explore.unit import read_unit

# (name, description, epoch)
NODES = [
    ("entry", "defines %a", 0),
    ("no suspend", "uses %a", 0),
    ("first suspend", "suspend 0", 0),
    ("landing 0", "", 1),
    ("join", "defines %b, uses %a", 2),
    ("second suspend", "uses %b, suspend 1", 2),
    ("landing 1", "", 3),
    ("after", "uses %b", 3),
]
EDGES = [(0, 1), (0, 2), (2, 3), (1, 4), (3, 4), (4, 5), (5, 6), (6, 7), (7, 4)]
HOPS = {(2, 3), (5, 6)}
STYLES = ["index", "resume", "alloca", "spill"]
CAPTIONS = ["epoch 0: the ramp", "epoch 1: landing 0", "epoch 2: merge of 0, 1 and 3", "epoch 3: landing 1"]


def epochs() -> str:
    d = Drawing("Epochs of a coroutine with two suspends")
    sizes = [(max(text_width(name, 12), text_width(what, 10.5)) + 24, 40.0 if what else 26.0) for name, what, _ in NODES]
    layout = layered_layout(sizes, [Edge(a, b, "suspend" if (a, b) in HOPS else "") for a, b in EDGES])
    for route in layout.routes:
        draw_route(d, route, 20, 20)
    for (name, what, epoch), (x, y, w, h) in zip(NODES, layout.boxes, strict=True):
        d.rect(x + 20, y + 20, w, h, STYLES[epoch], round_=6 if what else 13)
        d.text(x + 20 + w / 2, y + 33, name, anchor="middle", bold=True)
        if what:
            d.text(x + 20 + w / 2, y + 48, what, "muted", anchor="middle", size=10.5)
    left = layout.width + 60
    for n, caption in enumerate(CAPTIONS):
        d.legend(left, 40 + 26 * n, [(STYLES[n], caption)])
    d.legend(left, 40 + 26 * 4, [("line-suspend", "from a suspend to its landing")])
    return d.finish(left + text_width(CAPTIONS[2], 11) + 50, layout.height + 40)


def running(path: Path, out: Path) -> None:
    """Draw the frame of @steps at a suspend, and a trace."""

    def fill(address: int) -> None:
        (ctypes.c_int64 * 4).from_address(address)[:] = [1, 2, 3, 5]

    def read(address: int) -> int:
        return sum((ctypes.c_int64 * 4).from_address(address))

    interpreter = pycoro.Interpreter(path.read_text(), externals={"fill": fill, "read": read})
    life = interpreter.trace("steps", [10])
    (out / "steps-life.svg").write_text(life.svg())
    assert life[1].frame is not None
    (out / "steps-running.svg").write_text(life[1].frame.svg())


def draw(app: Sphinx) -> None:
    out = Path(app.srcdir) / "_generated"
    out.mkdir(exist_ok=True)
    (out / "epochs.svg").write_text(epochs())
    running(Path(app.srcdir) / "examples" / "steps.ll", out)
    for path in sorted((Path(app.srcdir) / "examples").glob("*.ll")):
        with pycoro.Module.from_file(path) as module:
            for name, coroutine in module.coroutines.items():
                (out / f"{name}.txt").write_text(str(coroutine) + "\n")
                for kind, view in (("cfg", coroutine), ("frame", coroutine.frame)):
                    svg = view._repr_mimebundle_(include=["image/svg+xml"])["image/svg+xml"]
                    (out / f"{name}-{kind}.svg").write_text(svg)


def explorer(app: Sphinx, failed: Exception | None) -> None:
    """Write an explorer page next to the documentation, for C++ if clang is available."""
    if failed or app.builder.format != "html":
        return
    folder = Path(app.srcdir) / "examples"
    try:
        module = read_unit(str(folder / "generator.cpp"))
    except pycoro.UsageError:
        module = pycoro.Module.from_file(folder / "steps.ll")
    module.explore(folders=[folder]).write(Path(app.outdir) / "explorer.html")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", draw)
    app.connect("build-finished", explorer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
