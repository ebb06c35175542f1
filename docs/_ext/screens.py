"""Generates the pictures in the repository: the README's, and screenshots of all views in a browser. Run it by `./dev pictures`.

The README's pictures are two outputs of the notebook "The first hour". The screenshots show a page with every view, for visual
inspection.
"""

from __future__ import annotations

import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from browser import Browser

HERE = Path(__file__).resolve().parents[1]
PICTURES = HERE / "pictures"
NOTEBOOK = HERE.parent / "notebooks" / "00-first-hour.ipynb"
README = {"frame": "triangle-frame.svg", "life": "triangle-life.svg"}
"""The README's pictures, by the notebook cell that shows them."""
SCREENS = {"light-1200.png": ("light", 1200, 1900), "dark-640.png": ("dark", 640, 2360)}
"""Theme, width, height."""
EXPLORER = {
    "explorer-light.png": (False, "[data-name=resume]"),
    "explorer-dark.png": (True, "[data-name='control flow']"),
}
"""Whether the system theme is dark, and the selector of the tab to press."""
LARGE = {"explorer-thousand-lines.png": "thousand", "explorer-two-hundred.png": "two_hundred"}
"""Programs of bench/explore.py, shown when the page opens."""
BACKGROUND = {"light": "background:#fff;color:#1f2933", "dark": "background:#12161c;color:#e4e9ef"}


def cells() -> dict[str, Any]:
    return {cell["id"]: cell for cell in json.loads(NOTEBOOK.read_text())["cells"]}


def of_notebook() -> dict[str, str]:
    """Return the README's pictures by file name."""
    found = cells()
    return {name: "".join(found[cell]["outputs"][0]["data"]["image/svg+xml"]) for cell, name in README.items()}


def views() -> dict[str, Any]:
    """Return all objects with a rich view, for the notebook's program."""
    import pycoro

    said: dict[str, Any] = {}
    for cell in ("import", "source", "frame"):
        exec("".join(cells()[cell]["source"]), said)
    module, triangle = said["module"], said["triangle"]
    simpler = pycoro.Module(said["ir"])
    simpler.run("coro-early,function(sroa,early-cse,simplifycfg)")
    steps = pycoro.Module.from_file(HERE / "examples" / "steps.ll")
    life = pycoro.Interpreter(module).trace(triangle.name, [3])
    return {
        "a module": module,
        "a coroutine, and its frame": steps.coroutines["steps"],
        "the frame of a suspended coroutine": life[2].frame,
        "a trace": life,
        "why a value is in its frame": triangle.explain("last"),
        "the effect of other passes": pycoro.diff(module, simpler),
        "the report of a run": simpler.run("cgscc(coro-split),coro-cleanup,globaldce"),
    }


def html(view: Any) -> str:
    made = view._repr_mimebundle_() if hasattr(view, "_repr_mimebundle_") else {"text/html": view._repr_html_()}
    return made["text/html"]


def page(theme: str, shown: dict[str, Any]) -> str:
    parts = [f"<h3>{title}</h3>{html(view)}" for title, view in shown.items()]
    style = f"font:14px sans-serif;margin:16px;{BACKGROUND[theme]}"
    return f'<!doctype html><meta charset="utf-8"><body data-theme="{theme}" style="{style}">{"".join(parts)}'


def explorer(path: Path) -> str:
    """Return the explorer's page of a C++ program."""
    from pycoro import explore
    from pycoro.explore.unit import read_unit

    return explore.page(explore.model(read_unit(str(path)), folders=[path.parent]))


def shoot(text: str, width: int, height: int, out: Path, *, dark: bool = False, press: str = "") -> None:
    """Save a screenshot of a page, in a light or dark system, after a click on the element that ``press`` selects."""
    with tempfile.TemporaryDirectory() as folder, Browser(width, height) as browser:
        source = Path(folder) / "page.html"
        source.write_text(text)
        browser.dark(dark)
        browser.open(source)
        if press:
            browser.page.click(press)
        browser.page.screenshot(path=out)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name, svg in of_notebook().items():
        (PICTURES / name).write_text(svg + "\n")
    shown = views()
    for name, (theme, width, height) in SCREENS.items():
        shoot(page(theme, shown), width, height, PICTURES / name)
    text = explorer(HERE / "examples" / "generator.cpp")
    for name, (dark, press) in EXPLORER.items():
        shoot(text, 1360, 900, PICTURES / name, dark=dark, press=press)
    with tempfile.TemporaryDirectory() as folder:
        drawn = runpy.run_path(str(HERE.parent / "bench" / "explore.py"))
        for name, program in LARGE.items():
            path = Path(folder) / f"{program}.cpp"
            path.write_text(drawn[program]())
            shoot(explorer(path), 1360, 900, PICTURES / name)
    for path in sorted(PICTURES.iterdir()):
        print(f"{path.relative_to(HERE.parent)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    sys.exit(main())
