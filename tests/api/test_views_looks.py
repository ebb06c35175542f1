"""Appearance of pictures: contrast, edges without color, line breaks, small cells, source names, ASCII."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as tree

import pytest
import views_data as data
from contrast import contrast

import pycoro
from pycoro.cli import main
from pycoro.drawing import svg, views

FILLS = [
    name
    for name, look in svg.STYLES.items()
    if look[0] != "none" and not name.startswith(("text", "muted", "head", "suspend-mark"))
]


@pytest.mark.parametrize(("text", "dark"), list(itertools.product(("text", "muted", "suspend-mark"), (0, 2))))
def test_text_is_readable_on_everything(text, dark):
    assert [fill for fill in FILLS if contrast(svg.STYLES[text][dark], svg.STYLES[fill][dark]) < 4.5] == []


def test_edges_differ_without_color():
    picture = views.coroutine_svg(data.counter())
    dashes = {
        kind: set(re.findall(rf'class="line-{kind}"[^>]*?(stroke-dasharray="[^"]*"|/>)', picture))
        for kind in ("resume", "destroy", "suspend")
    }
    assert len({frozenset(found) for found in dashes.values()}) == 3, dashes


def test_edges_after_a_returning_suspend_have_a_legend():
    blocks = data.cfg({"%loop": ["%resume", "%cleanup"], "%resume": ["%loop"], "%cleanup": []})
    frame = data.frame("f", 16, [], [data.suspend(0, "%loop", "%loop", "")])
    picture = views.coroutine_svg(data.coroutine(frame, blocks))
    assert picture.count('class="line-resume"') == 3, "two edges, and the legend"
    assert ">on resume</text>" in picture


def test_truncated_fields_have_a_break_mark():
    ir = GENERATOR.format(count=1).replace("alloca i64", "alloca [9 x i64]")
    frame = pycoro.Module(ir).coroutines["big"].frame
    assert "longer than drawn" in frame.svg()
    assert "longer than drawn" not in pycoro.Module(GENERATOR.format(count=1)).coroutines["big"].frame.svg()


GENERATOR = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare i64 @get()
declare void @use(i64)
declare void @look(ptr)
define ptr @big(ptr %memory) presplitcoroutine {{
entry:
  %variable = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @look(ptr %variable)
  br label %b0
"""
SUSPEND = """b{k}:
  %v{k} = call i64 @get()
  %w{k} = call i64 @get()
  %s{k} = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s{k}, label %out [ i8 0, label %r{k}
                                i8 1, label %out ]
r{k}:
  call void @use(i64 %v{k})
  call void @use(i64 %w{k})
  br label %b{next}
"""
GENERATOR_END = """b{count}:
  call void @look(ptr %variable)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""
GENERATOR += SUSPEND.format(k=0, next=1) + GENERATOR_END.replace("b{count}", "b1")


def module_with_many_coroutines(count: int) -> str:
    head, _, _ = GENERATOR.partition("b0:")
    body = "".join(SUSPEND.format(k=k, next=k + 1) for k in range(count))
    return head.format() + body + GENERATOR_END.format(count=count)


def test_a_cell_shows_a_frame_with_53_suspends_whole():
    coroutine = pycoro.Module(module_with_many_coroutines(53)).coroutines["big"]
    frame = coroutine.frame
    assert (len(coroutine.suspends), len(frame.fields)) == (53, 110)
    for thing, rows in ((frame, 110), (coroutine, 110 + 53)):
        bundle = thing._repr_mimebundle_()
        page = bundle["text/html"]
        assert "…" not in page and page.count("<tr><td") == rows
        assert all(f">{views.read_frame(frame).fields[at].label}</text>" in page for at in range(110))
        assert "max-height:1200px;overflow:auto" in page
        assert sum(len(text.encode()) for text in bundle.values()) < 1_000_000
    assert frame._repr_mimebundle_()["image/svg+xml"] == frame.svg()


@pytest.mark.parametrize(("count", "reuse"), [(200, False), (200, True), (800, False)])
def test_a_cell_is_limited_to_what_browsers_show_fast(count, reuse):
    coroutine = pycoro.Module(module_with_many_coroutines(count)).preview(pycoro.CoroSplit(reuse_storage=reuse))["big"]
    for thing in (coroutine, coroutine.frame):
        bundle = thing._repr_mimebundle_()
        assert sum(len(text.encode()) for text in bundle.values()) < 1_000_000
        notes = re.findall(r">… \d+ more (row|suspend|field)", bundle["text/html"])
        assert count < 800 or {*notes} == {"row", "suspend", "field"}
        assert ("more rows; print it to see them all<" in bundle["text/html"]) == ("row" in notes)
        tree.fromstring(bundle["image/svg+xml"])
    if reuse:
        assert re.search(r">\d+ values share 8 bytes<", coroutine.frame.svg())


def test_blocks_have_their_instructions():
    coroutine = pycoro.Module(module_with_many_coroutines(1)).coroutines["big"]
    entry, first = coroutine.cfg[0], coroutine.cfg[1]
    assert entry.instructions[0] == "%variable = alloca i64, align 8"
    assert first.instructions[-1] == "switch i8 %s0, label %out [ i8 0, label %r0 i8 1, label %out ]"
    plain, full = coroutine.svg(), coroutine.svg(instructions=True)
    assert "call void @use(i64 %v0)" in plain, "in the tip"
    assert ">call void @use(i64 %v0)</text>" not in plain
    assert ">call void @use(i64 %v0)</text>" in full
    assert ">… 3 more</text>" in full
    report = pycoro.lower(module_with_many_coroutines(1))
    assert report.coroutines["big"].cfg[0].instructions == ()


def test_source_names_are_shown():
    frame = data.counter()
    frame.frame.fields[2].variable = "rows"
    frame.frame.function = frame.name = "_Z4walkiPKc"
    picture = views.frame_svg(frame.frame)
    assert ">rows</text>" in picture
    assert "rows (%n.val) : i32" in picture
    assert "walk(int, char const*)" in picture


def test_pictures_stack_in_a_narrow_window():
    assert "flex-wrap:wrap" in views.coroutine_html(data.counter())


def test_ascii_on_a_limited_terminal(tmp_path, monkeypatch, capfdbinary):
    import io
    import sys

    (tmp_path / "big.ll").write_text(module_with_many_coroutines(1))
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii", errors="replace"))
    assert main(["explain", str(tmp_path / "big.ll")]) == 0
    sys.stdout.flush()
    text = out.getvalue().decode("ascii")
    assert "?" not in text
    assert "+-----" in text


@pytest.mark.parametrize(
    ("options", "title"),
    [(["--what=frame"], "Frame of @big"), (["--what=cfg"], "Control flow of @big"), ([], "Control flow of @big")],
)
def test_svg_and_html_files_have_the_expected_title(tmp_path, capsys, options, title):
    (tmp_path / "big.ll").write_text(module_with_many_coroutines(1))
    files = {kind: tmp_path / f"out.{kind}" for kind in ("svg", "html")}
    given = [f"--{kind}={file}" for kind, file in files.items()]
    assert main(["explain", str(tmp_path / "big.ll"), *given, *options]) == 0
    assert f"<title>{title}</title>" in files["svg"].read_text()
    page = files["html"].read_text()
    assert page.startswith("<!doctype html>") and ">@big</td>" in page and page.count("<svg") == 2
    assert main(["explain", str(tmp_path / "big.ll"), "--what=cfg"]) == 2
    assert "--what needs --svg=FILE" in capsys.readouterr().err
