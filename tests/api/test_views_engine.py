"""Views of the engine's objects: the output in the documentation."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import pycoro

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def steps():
    return pycoro.Module.from_file(EXAMPLES / "steps.ll").coroutines["steps"]


def test_str_is_the_text_and_repr_one_line(steps):
    assert str(steps).startswith("coroutine @steps: switch ABI, 8 blocks, 3 suspend points, promise %result\n")
    assert str(steps.frame).startswith("frame of @steps: ")
    assert "\n" not in repr(steps) and "\n" not in repr(steps.frame)


def test_variables_are_live_within_their_lifetimes(steps):
    live = {field.name: [n for n, s in enumerate(steps.suspends) if field in s.live] for field in steps.frame}
    assert (live["first"], live["second"], live["scale"]) == ([0], [1], [0])
    assert steps.frame["second"].suspend == 1


def test_a_frame_is_no_smaller_than_its_lower_bound(steps):
    assert 0 < steps.frame.lower_bound <= steps.frame.size


def test_notebooks_get_pictures(steps):
    for thing in (steps, steps.frame):
        bundle = thing._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
        assert bundle["text/plain"] == str(thing)
        ElementTree.fromstring(bundle["image/svg+xml"])
        assert set(thing._repr_mimebundle_(exclude={"text/html"})) == {"text/plain", "image/svg+xml"}


def test_resume_edges_have_a_color(steps):
    root = ElementTree.fromstring(steps._repr_mimebundle_()["image/svg+xml"])
    drawn = [path.get("class") for path in root.iter("{http://www.w3.org/2000/svg}path")]
    assert drawn.count("head-resume") == 2  # the final suspend is never resumed
    assert drawn.count("head-destroy") >= 1


def test_dot_of_the_engines_graph(steps):
    dot = steps.to_dot()
    assert dot.startswith('digraph "steps" {') and dot.count("[label=") == len(steps.cfg)


def test_views_of_a_changed_module_do_not_draw(steps):
    module = pycoro.Module.from_file(EXAMPLES / "steps.ll")
    stale = module.coroutines["steps"]
    module.run("coro-early,cgscc(coro-split),coro-cleanup")
    for draw in (str, lambda c: c._repr_mimebundle_(), lambda c: c.to_dot(), lambda c: str(c.frame)):
        with pytest.raises(pycoro.StaleViewError):
            draw(stale)
