"""Pictures that are kept: those of the README, and how all views look in a browser. `./dev pictures` makes them again.

The README's are two outputs of the notebook "The first hour". The screenshots are of a page with every view, which
is for the eye: looking at it is the test.
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
"""By the cell that shows it."""
SCREENS = {"light-1200.png": ("light", 1200, 1900), "dark-640.png": ("dark", 640, 2360)}
"""Theme, width, height."""
EXPLORER = {
    "explorer-light.png": (False, "[data-name=resume]"),
    "explorer-dark.png": (True, "[data-name='control flow']"),
}
"""Whether the system is dark, and which tab is pressed."""
LARGE = {"explorer-thousand-lines.png": "thousand", "explorer-two-hundred.png": "two_hundred"}
"""Programs of bench/explore.py, as the page opens."""
BACKGROUND = {"light": "background:#fff;color:#1f2933", "dark": "background:#12161c;color:#e4e9ef"}


def cells() -> dict[str, Any]:
    return {cell["id"]: cell for cell in json.loads(NOTEBOOK.read_text())["cells"]}


def of_notebook() -> dict[str, str]:
    """The README's pictures by the names of their files."""
    found = cells()
    return {name: "".join(found[cell]["outputs"][0]["data"]["image/svg+xml"]) for cell, name in README.items()}


def views() -> dict[str, Any]:
    """Everything that has a rich view, of the notebook's program."""
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
        "the frame of one that stands somewhere": life[2].frame,
        "its life": life,
        "why a value is in its frame": triangle.explain("last"),
        "what other passes have made of it": pycoro.diff(module, simpler),
        "what a run did": simpler.run("cgscc(coro-split),coro-cleanup,globaldce"),
    }


def html(view: Any) -> str:
    made = view._repr_mimebundle_() if hasattr(view, "_repr_mimebundle_") else {"text/html": view._repr_html_()}
    return made["text/html"]


def page(theme: str, shown: dict[str, Any]) -> str:
    parts = [f"<h3>{title}</h3>{html(view)}" for title, view in shown.items()]
    style = f"font:14px sans-serif;margin:16px;{BACKGROUND[theme]}"
    return f'<!doctype html><meta charset="utf-8"><body data-theme="{theme}" style="{style}">{"".join(parts)}'


def explorer(path: Path) -> str:
    """The explorer's page of a program in C++."""
    from pycoro import explore
    from pycoro.explore.unit import read

    return explore.page(explore.model(read(str(path)), folders=[path.parent]))


def shoot(text: str, width: int, height: int, out: Path, *, dark: bool = False, press: str = "") -> None:
    """The page as a window of that size shows it, in a system that is dark or not, behind a click on what ``press`` selects."""
    with tempfile.TemporaryDirectory() as folder, Browser(width, height) as browser:
        source = Path(folder) / "page.html"
        source.write_text(text)
        browser.dark(dark)
        browser.open(source)
        if press:
            browser.run(f"document.querySelector({json.dumps(press)}).click()")
        browser.picture(out)


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
