"""The table of goals: its comparisons, and its completeness in the documentation."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

import pycoro

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/real")]
import frames  # noqa: E402
import goals  # noqa: E402
from goals import GOALS, Asked, Row  # noqa: E402


def test_every_missed_goal_has_a_reason_and_next_step() -> None:
    assert len({goal.what.split(" (")[0] for goal in GOALS.values()}) == len(GOALS)
    assert [key for key, goal in GOALS.items() if goal.goal is not None and not (goal.reason and goal.next)] == []


@pytest.mark.parametrize(
    ("key", "theirs", "ours", "met"),
    [
        ("run", 10.0, 6.0, True),
        ("run", 10.0, 6.1, False),
        ("run", None, 6.0, None),
        ("run", 10.0, None, None),
        ("start", 20.0, 80.0, True),
        ("start", 20.0, 81.0, False),
        ("frame-larger", None, 0, True),
        ("frame-larger", None, 1, False),
        ("located-O1", 93.0, 93.0, True),
        ("located-O1", 93.0, 87.0, False),
        ("running-hand", None, 3.0, None),
    ],
)
def test_met_goals_are_marked(key: str, theirs: float | None, ours: float | None, met: bool | None) -> None:
    row = Row(key, theirs, ours)
    assert row.met is met and row.data()["met"] is met
    assert ("reason" in row.data()) == (met is False) == ("missed" in goals.shown(row))


def test_rows_are_printed_when_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def some(asked: Asked) -> Iterator[Row]:
        assert (asked.rounds, asked.every) == (2, 3) and asked.folder.is_dir()
        yield Row("run", 10.0, 7.0)
        yield Row("start", 10.0, 7.0, "of nothing")

    monkeypatch.setitem(goals.GROUPS, "whole", some)
    asked = ["--rows", "whole", "--rounds", "2", "--every", "3"]
    assert goals.main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("| 10.0 | 7.0 | 0.700 | ≤ 0.6 | **missed** |") and "(of nothing) | 10 | 7 |" in lines[3]
    assert lines[-1].startswith("- `Module.run`") and GOALS["run"].next in lines[-1]
    assert goals.main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["row"], row["measure"], row["met"]) for row in told] == [("run", 0.7, False), ("start", -3.0, True)]


def test_ratio_rows_are_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    def some(_: Asked) -> Iterator[Row]:
        yield Row("run", 10.0, 7.0)
        yield Row("run-mean", None, 0.5)
        yield Row("start", 10.0, 7.0)

    monkeypatch.setitem(goals.GROUPS, "whole", some)
    assert goals.main(["--rows", "whole", "--plot", str(tmp_path / "rows.svg")]) == 0
    root = ElementTree.parse(tmp_path / "rows.svg").getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [goals.GOALS["run"].what.replace("`", ""), "0.70", goals.GOALS["run-mean"].what.replace("`", ""), "0.50"]
    assert [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")] == ["goal 0.6", "goal 0.45"]


def test_unmeasurable_groups_do_not_affect_other_groups(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(asked: Asked) -> Iterator[Row]:
        yield Row("resume", 2.0, 1.0)
        raise FileNotFoundError("llc-22")

    for name in goals.GROUPS:
        monkeypatch.setitem(goals.GROUPS, name, fails if name == "text" else lambda asked: iter(()))
    assert goals.main([]) == 1
    out, err = capsys.readouterr()
    assert ".resume" in out and "text: llc-22" in err and "not measured: passes," in err


def test_unmeasured_rows_are_unchanged_in_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setitem(goals.GROUPS, "text", lambda asked: iter([Row("resume", 1000.0, 900.0), Row("text", 9.0, 9.0, "1 (one)")]))
    assert goals.main(["--rows", "text", "--write", str(page)]) == 0
    monkeypatch.setitem(goals.GROUPS, "frames", lambda asked: iter([Row("frame-larger", None, 1)]))
    monkeypatch.setitem(goals.GROUPS, "text", lambda asked: iter([Row("text", 100.0, 90.0)]))
    assert goals.main(["--rows", "text", "frames", "--write", str(page)]) == 0
    lines = [line for line in page.read_text().splitlines() if line.startswith("| ")][2:]
    shown = [goals.shown(row) for row in (Row("frame-larger", None, 1), Row("resume", 1000.0, 900.0), Row("text", 100.0, 90.0))]
    assert lines == shown
    said = page.read_text().split("Reasons for missed goals:")
    assert said[1].strip() == f"- {goals.why(GOALS['frame-larger'])}"
    assert f"\n- {GOALS['run'].what}\n" in said[0] and f"\n- {GOALS['text'].what}\n" not in said[0]


def test_the_page_has_every_goal_with_reasons() -> None:
    page = (ROOT / "docs/goals.md").read_text()
    rows = goals.known(page)
    assert list(rows) == [key for key in GOALS if key in rows]
    for key, goal in GOALS.items():
        assert (key in rows) != (f"\n- {goal.what}\n" in page)
        assert (f"- {goals.why(goal)}" in page) == rows.get(key, "").endswith("**missed** |")


OVER_ALIGNED = """
define ptr @f() presplitcoroutine {{
  %local = alloca i32, align 64
  %id = call token @llvm.coro.id(i32 {promised}, ptr null, ptr null, ptr null)
  %memory = call ptr @allocate()
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %local)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @use(ptr %local)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
declare ptr @allocate()
declare void @use(ptr)
"""


@pytest.mark.parametrize(("promised", "aligned"), [(0, False), (32, False), (64, True)])
def test_frames_with_wrong_llvm_layout_are_not_compared(promised: int, aligned: bool) -> None:
    module = pycoro.Module(OVER_ALIGNED.format(promised=promised))
    frame = module.preview(pycoro.CoroSplit())["f"].frame
    assert frames.is_aligned(frame) is aligned
    row = frames.Row("here", "f", 128, 128, 128, 72, aligned)
    assert frames.comparable({"O0": [row]}) == {"O0": [row] if aligned else []}
