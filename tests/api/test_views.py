"""The views, drawn from plain data without an engine."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pytest
import views_data as data

from pycoro.drawing import running, views

SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = [data.counter, data.shared, data.frameless, data.hostile, lambda: data.many(60, 100)]


def shapes(svg, tag, style=None):
    return [e for e in ElementTree.fromstring(svg).iter(SVG + tag) if style is None or e.get("class") == style]


def texts(svg):
    return [e.text for e in shapes(svg, "text")]


def tips(svg):
    return [e.findtext(SVG + "title") or "" for e in shapes(svg, "rect")]


def box(rect):
    return tuple(float(rect.get(a)) for a in ("x", "y", "width", "height"))


# ---- Text ----


def test_frame_text_has_a_row_for_every_field():
    frame = data.shared().frame
    text = views.frame_text(frame)
    for f in frame.fields:
        name = f.name if f.kind in ("resume", "destroy", "index") else "%" + f.name
        cells = rf"^ +{f.offset} +{f.size} +{f.align} +{f.kind} +{re.escape(name)} +{re.escape(f.type)} "
        assert re.search(cells, text, re.M), f.name


def test_frame_text_marks_where_a_field_is_live():
    text = views.frame_text(data.shared().frame)
    assert re.search(r"%row\.left .*suspend 0 +●··$", text, re.M)
    assert re.search(r"%vec .*suspend 0 +●●·$", text, re.M)
    assert re.search(r"%flag .*suspend 1 +·●·$", text, re.M)


def test_frame_text_says_why_and_what_is_unused():
    text = views.frame_text(data.counter().frame)
    assert "%n.val: from %loop to %resume: defined before suspend %s0, used after it" in text
    assert "24 bytes" in text and "3 bytes unused" in text and "no layout is below 21 bytes" in text


def test_counts_of_one_are_singular():
    frame = data.frame("a", 1, [data.field("spill", "c", "i8", 0, 1)], [])
    assert "frame of @a: 1 byte, " in views.frame_text(frame) and views.frame_text(frame).count("1 bytes") == 0


@pytest.mark.parametrize(("omitted", "note"), [(1, "… 1 more field"), (2, "… 2 more fields")])
def test_a_picture_of_a_running_frame_counts_omitted_fields(omitted, note):
    field = SimpleNamespace(kind="spill", offset=0, size=1)
    item = SimpleNamespace(field=field, name="x", type="i8", live=True, changed=False, text="1")
    coroutine = SimpleNamespace(name="f", frame=SimpleNamespace(size=1))
    frame = SimpleNamespace(coroutine=coroutine, suspend=None, location=None, fields=[item] * (running.ROWS + omitted))
    assert note in texts(running.frame_picture(frame))


@pytest.mark.parametrize("sample", SAMPLES)
def test_text_fits_a_terminal(sample):
    text = views.coroutine_text(sample())
    assert max(map(len, text.splitlines())) <= 100


def test_memory_map_places_names_by_offset():
    lines = views.frame_text(data.counter().frame).splitlines()
    (row,) = [line for line in lines if re.match(r" +16  │", line)]
    assert re.fullmatch(r" +16  │ n\.val +│ index +│░+│", row)
    assert row.index("index") - row.index("n.val") == 40  # four of eight bytes in 80 columns


def test_memory_map_elides_rows_of_a_huge_field():
    huge = data.field("alloca", "huge", "[134217728 x i64]", 16, 1 << 30, suspend=0)
    tail = data.field("spill", "tail", "i64", 16 + (1 << 30), 8, suspend=0)
    fields = [*data.header(), huge, tail]
    suspends = [data.suspend(0, "%a", "%b", "%c", live=[2, 3])]
    lines = views.frame_text(data.frame("f", 24 + (1 << 30), fields, suspends)).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("     0  │ resume"))
    shown = [line.split()[:3:2] for line in lines[first : first + 5]]
    assert shown == [["0", "resume"], ["16", "huge"], ["┊", "┊"], [str(tail.offset), "tail"], [str(24 + (1 << 30))]]


def test_many_suspends_are_ranges():
    text = views.frame_text(data.many(30, 30).frame)
    assert re.search(r"%value\.4 .*suspend 4 +4-6$", text, re.M)


def test_coroutine_text_lists_suspends():
    text = views.coroutine_text(data.shared())
    assert re.search(r"^  0 +%s0 +%await\.0 +%prepare +%ready\.0 +%cleanup +3 values, 96 bytes$", text, re.M)
    assert re.search(r"^  final +%s2 +%final ", text, re.M)


def test_text_for_a_coroutine_without_a_frame():
    assert "needs no frame" in views.frame_text(data.frameless().frame)


# ---- SVG ----


@pytest.mark.parametrize("sample", SAMPLES)
def test_pictures_are_closed_documents(sample):
    coroutine = sample()
    for svg in (views.frame_svg(coroutine.frame), views.coroutine_svg(coroutine)):
        root = ElementTree.fromstring(svg)
        assert root.tag == SVG + "svg"
        assert not list(root.iter(SVG + "script")) and not re.search(r"""(href|src|url\(|\bon\w+=["'])""", svg)
        width, height = (float(root.get(a)) for a in ("width", "height"))
        for rect in root.iter(SVG + "rect"):
            x, y, w, h = box(rect)
            assert x >= 0 and y >= 0 and x + w <= width and y + h <= height


def test_pictures_have_a_dark_form():
    svg = views.frame_svg(data.counter().frame)
    assert "prefers-color-scheme:dark" in svg and '[data-jp-theme-light="false"]' in svg


def test_names_are_escaped_everywhere():
    coroutine = data.hostile()
    for markup in (
        views.frame_svg(coroutine.frame),
        views.coroutine_svg(coroutine),
        views.frame_html(coroutine.frame),
        views.coroutine_html(coroutine),
    ):
        assert "<script" not in markup and "&lt;script&gt;" in markup


def test_names_that_xml_cannot_hold_are_replaced():
    frame = data.frame("a\x00b\x1b\ud800", 8, [data.field("spill", "c\x07", "i64", 0, 8)], [])
    ElementTree.fromstring(views.frame_svg(frame))


def test_frame_picture_colors_by_kind_and_shows_liveness():
    frame = data.shared().frame
    svg = views.frame_svg(frame)
    chip = 1  # of the legend
    for kind, columns in {"promise": 3, "alloca": 2, "spill": 3, "index": 3, "resume": 3}.items():
        fields = sum(1 for f in frame.fields if f.kind == kind)
        assert len(shapes(svg, "rect", kind)) == fields + columns + chip, kind


def test_frame_picture_grows_downwards_with_offsets():
    frame = data.many(5, 12).frame
    svg = views.frame_svg(frame)
    tops = {}
    for rect in shapes(svg, "rect"):
        tip = rect.findtext(SVG + "title") or ""
        match = re.match(r"%?([\w.]+) : \w+\nbytes (\d+) to", tip)
        if match:
            tops[int(match[2])] = box(rect)[1]
    assert sorted(tops) == [f.offset for f in frame.fields]
    assert [tops[o] for o in sorted(tops)] == sorted(tops.values())


def test_fields_that_share_bytes_are_side_by_side():
    svg = views.frame_svg(data.shared().frame)
    left, right = (
        next(box(r) for r in shapes(svg, "rect", "alloca") if (r.findtext(SVG + "title") or "").startswith(name))
        for name in ("%row.left", "%row.right")
    )
    assert left[1] == right[1] and left[0] + left[2] <= right[0] and left[3] > right[3]


def test_frame_picture_has_reasons():
    assert any("from %loop to %resume: defined before" in tip for tip in tips(views.frame_svg(data.counter().frame)))


def test_cfg_picture_has_every_block_once_and_highlights_suspends():
    coroutine = data.shared()
    svg = views.coroutine_svg(coroutine)
    for block in coroutine.cfg:
        assert texts(svg).count(block.name) == 1
    assert len(shapes(svg, "rect", "suspend")) == 2 and len(shapes(svg, "rect", "final")) == 1


def test_cfg_picture_colours_resume_and_destroy_edges():
    svg = views.coroutine_svg(data.counter())
    legend = 1
    for style in ("line-resume", "line-destroy", "line-suspend"):
        assert len(shapes(svg, "path", style)) >= 1 + legend, style
    assert "on resume" in texts(svg) and "on destroy" in texts(svg)


def test_sixty_suspends_are_all_drawn():
    svg = views.coroutine_svg(data.many(60, 10))
    assert {f"%step.{n}" for n in range(60)} <= set(texts(svg))


def test_thousands_of_blocks_collapse_except_those_with_suspends():
    coroutine = data.many(1000, 3000)
    svg = views.coroutine_svg(coroutine)
    assert len(svg) < 400_000
    assert {f"suspend {n}" for n in range(1000)} <= set(texts(svg)) and "%after.7" not in texts(svg)
    assert len(views.frame_svg(coroutine.frame)) < 1_000_000


def test_blocks_far_from_the_entry_are_left_out():
    edges = {f"%b{n}": [f"%b{max(n - 1, 0)}", f"%b{n + 1}"] for n in range(1000)} | {"%b1000": []}
    coroutine = data.coroutine(data.frame("ladder", 0, [], []), data.cfg(edges))
    svg = views.coroutine_svg(coroutine)
    assert len(svg) < 400_000
    assert any(re.fullmatch(r"… \d+ more blocks", t or "") for t in texts(svg))


def test_chains_fold_when_the_graph_is_large():
    edges = {f"%b{n}": [f"%b{n + 1}"] for n in range(2000)} | {"%b2000": []}
    coroutine = data.coroutine(data.frame("chain", 0, [], []), data.cfg(edges))
    assert "2001 blocks" in texts(views.coroutine_svg(coroutine))


# ---- HTML, DOT, bundles ----


def test_html_holds_the_picture_and_the_reasons():
    html = views.frame_html(data.counter().frame)
    assert html.count("<svg") == 1 and "from %loop to %resume: defined before" in html and "<details>" in html
    assert views.coroutine_html(data.counter()).count("<svg") == 2


def test_dot_has_every_block_and_edge():
    coroutine = data.shared()
    dot = views.coroutine_dot(coroutine)
    assert dot.count(" -> ") == sum(len({s.name for s in b.successors}) for b in coroutine.cfg)
    assert dot.count("[label=") == len(coroutine.cfg)
    assert '"%await.0\\nsuspend 0"' in dot


def test_dot_escapes_quotes():
    assert r"\"</svg>" in views.coroutine_dot(data.hostile())


@pytest.mark.parametrize(
    ("bundle", "thing"),
    [(views.frame_bundle, data.counter().frame), (views.coroutine_bundle, data.counter())],
)
def test_bundles_honour_include_and_exclude(bundle, thing):
    assert set(bundle(thing)) == {"text/plain", "text/html", "image/svg+xml"}
    assert set(bundle(thing, include=["image/svg+xml"])) == {"image/svg+xml"}
    assert set(bundle(thing, exclude=["text/html"])) == {"text/plain", "image/svg+xml"}
    assert set(bundle(thing, include=["text/html"], exclude=["text/html"])) == set()
