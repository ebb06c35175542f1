"""The pictures of the README and the documentation exist, are small, and equal pycoro's output."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import xml.etree.ElementTree as tree

import pytest

import pycoro

ROOT = pathlib.Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_the_readme_shows_two_pictures_of_the_notebook(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    spec = importlib.util.spec_from_file_location("screens", ROOT / "docs/_ext/screens.py")
    assert spec is not None
    assert spec.loader is not None
    screens = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(screens)
    shown = re.findall(r"!\[[^]]+\]\((docs/pictures/[^)]+)\)", (ROOT / "README.md").read_text())
    assert [pathlib.Path(path).name for path in shown] == list(screens.README.values())
    for name, svg in screens.of_notebook().items():
        assert (PICTURES / name).read_text().strip() == svg.strip(), "./dev pictures"
        tree.fromstring(svg)


def test_screenshots_are_small():
    kept = list(PICTURES.iterdir())
    page = (ROOT / "docs/reference/pictures.md").read_text()
    assert {path.suffix for path in kept} == {".png", ".svg"}
    assert all(path.read_bytes().startswith(b"\x89PNG") and path.name in page for path in kept if path.suffix == ".png")
    assert sum(path.stat().st_size for path in kept) < 2_000_000


@pytest.mark.parametrize("name", ["steps", "walk", "squares"])
def test_a_usual_frame_fits_a_narrow_page(name):
    """A frame fits 640 pixels with the page's margins."""
    module = pycoro.Module.from_file(ROOT / f"docs/examples/{name}.ll")
    for coroutine in module.coroutines.values():
        for picture in (coroutine.svg(), coroutine.frame.svg()):
            width = re.match(r'<svg [^>]*width="([\d.]+)"', picture)
            assert width is not None
            assert float(width[1]) <= 620


def test_legends_stay_in_their_picture():
    frame = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").coroutines["steps"].frame
    picture = tree.fromstring(frame.svg())
    texts = [element for element in picture.iter("{http://www.w3.org/2000/svg}text") if element.get("text-anchor") is None]
    ends = [float(element.get("x", 0)) + 0.605 * float(element.get("font-size", 0)) * len(element.text or "") for element in texts]
    assert max(ends) <= float(picture.get("width", 0))
    assert len({element.get("y") for element in texts if (element.text or "") in ("resume", "longer than drawn")}) == 3


def test_tables_and_explanations_fit_too():
    module = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll")
    for made in (module, module.coroutines, pycoro.lower(module)):
        assert 'cellpadding="4"' in made._repr_mimebundle_()["text/html"], "columns stand apart where no page styles them"
        assert "border-spacing:8px" in made._repr_mimebundle_()["text/html"], "and where a page takes the padding away"
    assert "white-space:pre-wrap" in module.coroutines["steps"].explain("%first")._repr_html_()
