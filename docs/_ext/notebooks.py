"""Converts the notebooks with their saved outputs to MyST pages in docs/notebooks, for a toctree. It runs nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def fenced(language: str, text: str) -> str:
    """Return the text in a fence that is longer than those in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`{3,}", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def shown(output: dict[str, Any], picture: Path) -> Iterator[str]:
    """Yield an output as MyST; a picture is written to its file."""
    data = output.get("data", {})
    if output["output_type"] == "stream":
        if output["name"] == "stdout":
            yield fenced("text", ANSI.sub("", joined(output["text"])))
    elif output["output_type"] == "error":
        yield fenced("text", f"{output['ename']}: {ANSI.sub('', output['evalue'])}")
    elif "image/svg+xml" in data:
        picture.write_text(joined(data["image/svg+xml"]))
        title = re.search(r"<title>([^<]*)</title>", joined(data["image/svg+xml"]))
        yield f"```{{image}} {picture.name}\n:alt: {title[1] if title else 'output of the cell'}\n```"
    elif "text/plain" in data:
        yield fenced("text", joined(data["text/plain"]))


def page(path: Path, out: Path) -> str:
    parts: list[str] = []
    for cell in json.loads(path.read_text())["cells"]:
        source = joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif source.strip():
            parts.append(fenced("python", source))
        for number, output in enumerate(cell.get("outputs", ())):
            parts.extend(shown(output, out / f"{path.stem}-{cell['id']}-{number}.svg"))
    return "\n\n".join(parts) + "\n"


def write(app: Sphinx) -> None:
    out = Path(app.srcdir) / "notebooks"
    out.mkdir(exist_ok=True)
    wanted = {path.stem: path for path in (Path(app.srcdir).parent / "notebooks").glob("*.ipynb")}
    for old in out.glob("*"):
        old.unlink()
    for name, path in wanted.items():
        (out / f"{name}.md").write_text(page(path, out))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
