"""Frame descriptions agree with the lowered code, for the test inputs, random coroutines and LLVM's tests if available.

C++ programs need clang: all of tests/real, and each ``PYCORO_EVERY``-th of the rest, including GCC's.
"""

from __future__ import annotations

import concurrent.futures
import functools
import os
import re
import shutil
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import pycoro
from pycoro import strategies

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import frames  # noqa: E402

IR = ROOT / "tests/ir"
LLVM = os.environ.get("PYCORO_LLVM_TESTS")
PACKED = (False, True)
DRAWN = 300
EVERY = int(os.environ.get("PYCORO_EVERY", "12"))

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("frame truth")]  # the tests share their inputs


def inputs() -> Iterator[tuple[str, str]]:
    for path in sorted(IR.rglob("*.ll")):
        yield str(path.relative_to(IR)), path.read_text()
    for path in sorted(Path(LLVM).rglob("*.ll")) if LLVM else ():
        yield path.name, path.read_text()
    for seed in range(DRAWN):
        yield f"seed {seed}", strategies.module([strategies.sample(seed)])


@functools.cache
def texts_of_split() -> list[tuple[str, str]]:
    """Return the modules that parse, as the input of coro-split."""
    texts = []
    for name, text in inputs():
        try:
            module = pycoro.Module(text)
            module.run("coro-early")
        except pycoro.Error:
            continue
        texts.append((name, str(module)))
    return texts


def inputs_of_split() -> Iterator[tuple[str, pycoro.Module]]:
    for name, text in texts_of_split():
        yield name, pycoro.Module(text, trusted=True)


def coroutines_of(module: pycoro.Module, packed: bool) -> list[pycoro.Coroutine]:
    """Return the coroutines, or None if one is rejected."""
    try:
        return list(module.preview(pycoro.CoroSplit(reuse_storage=packed)).values())
    except pycoro.Error:
        return []


def frame_facts(coroutine: pycoro.Coroutine) -> dict[str, object]:
    """Return all facts about the frame. Attribute and metadata numbers change with every split, and value numbers where a
    previously split ramp is called directly instead of through llvm.coro.prepare."""
    data = coroutine._data
    shown = {"value": r" [#!]\d+", "use": r" [#!]\d+|%\d+\b|[%@][\w.]+(?=\()"}
    fields = [{key: re.sub(shown[key], "", value) if key in shown else value for key, value in f.items()} for f in data["fields"]]
    return {key: data[key] for key in ("frame_size", "frame_align", "lower_bound", "suspends", "promise_offset")} | {
        "fields": fields
    }


@pytest.mark.parametrize("packed", PACKED)
def test_explain_agrees_with_split(packed: bool) -> None:
    judged = 0
    for name, module in inputs_of_split():
        before = str(module)
        said = {coroutine.name: coroutine for coroutine in coroutines_of(module, packed)}
        assert str(module) == before
        try:
            done = module.run(f"cgscc({pycoro.CoroSplit(reuse_storage=packed)})").coroutines
        except pycoro.Error:
            continue
        for name_of, coroutine in done.items():
            judged += 1
            assert frame_facts(said[name_of]) == frame_facts(coroutine), (name, name_of)
    assert judged > DRAWN


@pytest.mark.parametrize("packed", PACKED)
def test_no_frame_is_below_its_lower_bound(packed: bool) -> None:
    judged = 0
    for name, module in inputs_of_split():
        for coroutine in coroutines_of(module, packed):
            judged += 1
            assert coroutine.frame.lower_bound <= coroutine.frame.size, (name, coroutine.name)
    assert judged > DRAWN


def count_overlaps(coroutine: pycoro.Coroutine) -> int:
    """Count pairs of fields with common bytes; no such pair lives at one suspend."""
    pairs = [(a, b) for a, b in combinations(coroutine.frame, 2) if a.offset < b.end and b.offset < a.end]
    for suspend in coroutine.suspends:
        live = set(suspend.live)
        both = [(a.name, b.name) for a, b in pairs if a in live and b in live]
        assert not both, (coroutine.name, suspend.name)
    return len(pairs)


def test_fields_with_common_bytes_are_never_live_together() -> None:
    shared = 0
    for name, module in inputs_of_split():
        try:
            shared += sum(count_overlaps(coroutine) for coroutine in coroutines_of(module, packed=True))
        except AssertionError as error:
            error.add_note(name)
            raise
    assert shared > DRAWN // 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("presplit")


def programs() -> list[Path]:
    real = [path for path in frames.sources(None) if path.is_relative_to(ROOT / "tests/real")]
    return real + [path for path in frames.sources(None) if path not in real][::EVERY]


@pytest.mark.skipif(not (shutil.which("clang++-22") and shutil.which("opt-22")), reason="LLVM 22's tools are not installed")
@pytest.mark.parametrize("form", frames.FORMS)
def test_frames_of_programs_respect_lower_bound_and_liveness(form: str, folder: Path) -> None:
    simplify, judged, shared = frames.simplification(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = pool.map(lambda path: (path, frames.presplit(path, form, folder, simplify)), programs())
        for path, text in texts:
            module = pycoro.Module(text or "", trusted=True)
            module.run("coro-early")
            for packed in PACKED:
                for coroutine in module.preview(pycoro.CoroSplit(reuse_storage=packed)).values():
                    judged += 1
                    assert coroutine.frame.lower_bound <= coroutine.frame.size, (path, coroutine.name)
                    pairs = count_overlaps(coroutine)
                    assert packed or not pairs, (path, coroutine.name)
                    shared += pairs
    print(f"{form}: {judged} frames, {shared} pairs of fields share bytes")
    assert judged > 100 and shared > 100


def drawn_with_promise() -> Iterator[pycoro.Coroutine]:
    for _, module in inputs_of_split():
        for coroutine in coroutines_of(module, packed=True):
            if 0 < len(coroutine.suspends) <= 16 and any(f.kind == "promise" for f in coroutine.frame):
                yield coroutine


def rows_of_html(html: str) -> dict[str, str]:
    """Return the "live at" cells of the table of fields by name."""
    table = html[html.index("Fields, and why") :]
    cells = [re.findall(r"<code>(.*?)</code>", row, re.DOTALL) for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)]
    return {row[4]: row[7] for row in cells if row}


def test_every_view_lists_the_same_spilled_values() -> None:
    judged = 0
    for coroutine in drawn_with_promise():
        frame, suspends = coroutine.frame, coroutine.suspends
        text, html, svg = str(coroutine), rows_of_html(frame._repr_mimebundle_()["text/html"]), frame.svg()
        drawn = dict.fromkeys((f.kind for f in frame), 1)  # in the legend
        for f in frame:
            live = [f in s.live for s in suspends]
            assert live == [any(n in places for places in f.live) for n in range(len(suspends))]
            drawn[f.kind] += (1 + (len(suspends) if f.is_header else sum(live))) if f.size else 0
            if f.is_header:
                continue
            judged += 1
            assert f.kind != "promise" or all(live)
            dots = "".join("●" if here else "·" for here in live)
            assert re.search(rf"^ +{f.offset} .* {f.kind} .*{re.escape(dots)}$", text, re.MULTILINE), (f, text)
            in_ir = f"%{f.name}"
            shown = next(html[label] for label in (f"{f.variable} ({in_ir})", f.variable, in_ir) if label in html)
            assert (shown == "all") == all(live) and (shown == "") == (not any(live)), (f, shown)
        for kind, count in drawn.items():
            assert len(re.findall(rf'<rect[^>]*class="{kind}"', svg)) == count or count == 1, (coroutine, kind)
    assert judged > DRAWN // 4
