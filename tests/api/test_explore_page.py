"""The explorer's page in a real browser: pointer and keyboard, light and dark themes, hostile names."""

from __future__ import annotations

import pathlib
import shutil
import sys
import threading
import urllib.error
import urllib.request

import pytest

import pycoro
from pycoro import explore
from pycoro.explore.serve import EVENTS, Server
from pycoro.explore.unit import read_unit

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
import browser as browsers  # noqa: E402

GENERATOR = ROOT / "docs" / "examples" / "generator.cpp"

pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not browsers.PROGRAM, reason="there is no Chromium: apt-get install chromium, or PYCORO_CHROMIUM=PATH"),
]
needs_clang = pytest.mark.skipif(shutil.which("clang++-22") is None, reason="clang++-22 is not installed")


@pytest.fixture(scope="module")
def browser():
    with browsers.Browser() as made:
        yield made


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "triangle.html"
    out.write_text(explore.page(explore.model(read_unit(str(GENERATOR)), folders=[GENERATOR.parent])))
    return out


@pytest.fixture
def opened(browser, page):
    browser.dark(False)
    browser.open(page)
    yield browser
    assert browser.errors == []


def texts(browser, selector):
    return browser.page.locator(selector).all_text_contents()


def press(browser, *keys):
    for key in keys:
        browser.page.keyboard.press(key)


LIT = {
    "source": "#source .name.lit",
    "row": ".fields tr.lit button",
    "suspends": ".heads .at",
    "how": "#panel .how.lit",
    "why": "#why h3",
}


def lit(browser):
    return {what: texts(browser, selector) for what, selector in LIT.items()}


SUM = {
    "source": ["sum", "sum", "sum"],
    "row": ["sum"],
    "suspends": ["1"],
    "how": ["addr", "store", "addr", "load", "store", "load"],
    "why": ["sum"],
}


@needs_clang
def test_hovering_a_variable_highlights_its_uses(opened):
    opened.page.hover(".fields tbody tr:nth-child(1)")
    assert lit(opened)["row"] == ["resume"]
    opened.page.hover('#source .name[aria-label^="sum, line 20"]')
    assert lit(opened) == SUM
    opened.page.hover('#source .name[aria-label^="rows, line 19"]')
    assert lit(opened)["suspends"] == ["0", "1", "F"]


@needs_clang
def test_by_keyboard_alone(opened):
    where = "document.activeElement.getAttribute('aria-label') || document.activeElement.id || document.activeElement.textContent"
    press(opened, "Tab", "Tab", "Tab")
    assert opened.page.evaluate(where) == "rows, line 17, in the frame"
    press(opened, "ArrowDown")
    assert opened.page.evaluate(where) == "sum, line 18, in the frame"
    assert lit(opened) == SUM
    assert opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", "focus is seen"
    press(opened, "Enter", "Tab", "Tab")
    assert opened.page.evaluate("document.activeElement.closest('tr').textContent.includes('resume')")
    press(opened, "End")
    assert lit(opened)["row"] == ["ref.tmp16"]
    press(opened, "Tab")
    assert opened.page.evaluate(where) == "ramp its address", "a way from the reason to the parts"
    press(opened, "Enter")
    assert texts(opened, "[role=tab][aria-selected=true]")[0].startswith("ramp")
    press(opened, "Escape")
    assert lit(opened)["row"] == []


@needs_clang
@pytest.mark.parametrize("name", ["sum", "ref.tmp16", "resume"])
def test_links_to_the_clones_are_visible_without_scrolling(opened, name):
    """The links to the clones are above the story of unknown length, in a window of a usual size."""
    opened.page.set_viewport_size({"width": 1360, "height": 900})
    try:
        opened.page.evaluate(
            f"[...document.querySelectorAll('.fields button')].find((each) => each.textContent === {name!r}).click()"
        )
        seen = """(() => {
          const card = document.getElementById('why').getBoundingClientRect();
          return [...document.querySelectorAll('#why .jumps button')].map((each) => {
            const box = each.getBoundingClientRect();
            return box.height > 0 && box.top >= card.top && box.bottom <= Math.min(card.bottom, innerHeight);
          });
        })()"""
        found = opened.page.evaluate(seen)
        assert found and all(found)
    finally:
        opened.page.set_viewport_size({"width": 1440, "height": 900})


@needs_clang
def test_arrow_keys_move_the_slider(opened):
    opened.page.evaluate("document.getElementById('scrub').focus()")
    assert texts(opened, "#step b") == ["2 of 3: coro-split"]
    press(opened, "ArrowRight")
    assert texts(opened, "#step b") == ["3 of 3: coro-cleanup"]
    press(opened, "Home")
    assert texts(opened, "#step b") == ["1 of 3: coro-early"]
    assert texts(opened, "#diff summary code")[0] == "triangle(int)", "the coroutine that is shown comes first"
    assert texts(opened, "#diff .minus")
    assert "1 of 3" in opened.page.evaluate("document.getElementById('step').textContent")
    address = opened.page.evaluate("location.href")
    opened.open("about:blank")
    opened.open(address)
    assert texts(opened, "#step b") == ["1 of 3: coro-early"], "the address remembers"


@needs_clang
def test_tabs_and_control_flow(opened):
    opened.page.evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()")
    press(opened, "Home", "ArrowRight")
    assert texts(opened, "[role=tab][aria-selected=true]")[0].startswith("control flow")
    labels = opened.page.evaluate("[...document.querySelectorAll('.box.path')].map((b) => b.ariaLabel)")
    assert any(label.startswith("%yield.suspend, suspend 1, line ") for label in labels)
    opened.page.evaluate("document.querySelector('.box.final').focus()")
    assert "llvm.coro.suspend" in texts(opened, "#block")[0]


WORST = """(() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4), weights = [0.2126, 0.7152, 0.0722];
  const light = (text) => channels(text).slice(0, 3).reduce((sum, c, at) => sum + linear(c / 255) * weights[at], 0);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let worst = [100, ""], seen = 0;
  for (const element of document.querySelectorAll("body *")) {
    const said = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!said || element.closest("svg, script, style") || !element.getClientRects().length) continue;
    const two = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    const ratio = (two[0] + 0.05) / (two[1] + 0.05);
    seen += 1;
    if (ratio < worst[0]) worst = [ratio, `${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`];
  }
  return [...worst, seen];
})()"""


@needs_clang
@pytest.mark.parametrize("dark", [False, True])
def test_contrast_in_the_rendered_page(opened, dark):
    opened.dark(dark)
    ratio, where, seen = opened.page.evaluate(WORST)
    assert seen > 100
    assert ratio >= 4.5, where
    opened.page.evaluate("document.getElementById('theme').click()")
    assert opened.page.evaluate("document.documentElement.dataset.theme") == ("light" if dark else "dark")


HOSTILE = "</script><script>document.title='hacked'</script><img src=x onerror=document.title='hacked'>"


def test_names_execute_no_script(browser, tmp_path):
    from test_explore import hostile_page

    for at, name in enumerate((HOSTILE, "${alert(1)}`'\"&lt;")):
        out = tmp_path / f"{at}.html"
        out.write_text(hostile_page(name))
        browser.open(out)
        for step in (
            "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.click())",
            "document.querySelector('.fields button').focus()",
        ):
            browser.page.evaluate(f"{step}; 0")
        assert browser.page.evaluate("document.title").endswith(name[-5:])
        assert browser.page.evaluate("document.images.length") == 0
        assert name in browser.page.evaluate("document.getElementById('pick').textContent")
        assert browser.errors == []
        assert [url for url in browser.requests if not url.startswith("file:")] == []


def test_an_iframe_in_a_notebook_renders(browser, tmp_path):
    out = tmp_path / "notebook.html"
    shown = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").explore()
    out.write_text(f"<!doctype html><body>{shown._repr_html_()}")
    browser.open(out)
    rows = browser.page.frame_locator("iframe").locator(".fields tbody tr")
    rows.first.wait_for()
    assert rows.count() > 3
    assert browser.errors == []


def test_two_hundred_suspends(browser, tmp_path):
    """The page draws; bench/explore.py measures such pages."""
    from test_views_looks import module_with_many_coroutines

    out = tmp_path / "many.html"
    out.write_text(pycoro.Module(module_with_many_coroutines(199)).explore().html())
    assert out.stat().st_size < 1_000_000
    assert '"deflated"' in out.read_text()
    browser.open(out)
    browser.page.evaluate("new Promise((done) => performance.getEntriesByName('drawn').length ? done() : setTimeout(done, 1500))")
    assert len(texts(browser, ".fields tbody tr")) > 200
    assert lit(browser)["row"] == ["variable"]
    assert browser.errors == []


def test_the_page_reloads_when_the_file_changes(browser, tmp_path):
    path = tmp_path / "steps.ll"
    text = (ROOT / "docs/examples/steps.ll").read_text()
    path.write_text(text)

    def make():
        return explore.page(explore.model(pycoro.Module.from_file(path)), events=EVENTS)

    with Server(make, [str(path)]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.open(server.address)
        assert texts(browser, "#pick option")[0].startswith("@steps ")
        with browser.page.expect_event("load"):
            path.write_text(text.replace("@steps(", "@strides("))
        assert texts(browser, "#pick option")[0].startswith("@strides ")
        assert browser.errors == []
        request = urllib.request.Request(server.address, headers={"Host": "elsewhere.example:80"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request)
        browser.open("about:blank")
        server.shutdown()
