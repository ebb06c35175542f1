"""Frame: names, holes and sentences, for hand-written layouts."""

from __future__ import annotations

from typing import Any

import pytest

from pycoro import Hole
from pycoro.coroutine import Coroutine
from pycoro.frame import Frame
from pycoro.view import Life


def field(kind: str, name: str, offset: int, size: int, suspend: int | None = None, **more: Any) -> dict[str, Any]:
    texts = dict.fromkeys(("type", "value", "def_block", "use_block", "why"), "")
    return {
        **texts,
        "kind": kind,
        "name": name,
        "offset": offset,
        "size": size,
        "align": size,
        "suspend": suspend,
        "live": (),
        "source": {"name": ""},
    } | more


def frame(*fields: dict[str, Any], size: int) -> Frame:
    suspend = dict.fromkeys(("save_block", "suspend_block", "resume_block", "destroy_block"), "%b")
    data = {
        "function": "f",
        "abi": "switch",
        "id": "",
        "promise": "",
        "promise_offset": 0,
        "frame_size": size,
        "frame_align": 8,
        "lower_bound": size,
        "end_count": 1,
        "fields": fields,
        "source_types": (),
        "suspends": ({**suspend, "name": "%s", "block": "%b", "index": 0, "is_final": False, "live_count": 0},),
        "blocks": (),
        "clones": (),
    }
    return Coroutine(Life(), data).frame


HEADER = (field("resume", "resume", 0, 8), field("destroy", "destroy", 8, 8))


def test_holes_come_from_alignment() -> None:
    assert frame(*HEADER, size=16).holes == ()
    assert frame(*HEADER, field("spill", "x", 16, 4), field("spill", "y", 24, 8), size=32).holes == (Hole(20, 4),)
    assert frame(*HEADER, field("index", "index", 16, 1), size=24).holes == (Hole(17, 7),)


def test_fields_that_share_bytes_leave_no_hole_between_them() -> None:
    shared = frame(*HEADER, field("alloca", "a", 16, 16), field("alloca", "b", 16, 4), field("spill", "c", 32, 8), size=40)
    assert shared.holes == ()
    assert len(shared) == 5


def test_no_frame_without_suspends() -> None:
    empty = frame(size=0)
    assert (len(empty), empty.holes, list(empty)) == (0, (), [])


def test_a_value_may_have_the_name_of_a_header_slot() -> None:
    both = frame(*HEADER, field("spill", "index", 16, 4, 0), field("index", "index", 20, 1), size=24)
    assert both["index"].kind == "index"
    assert both["%index"].kind == "spill"
    assert both["resume"].is_header
    with pytest.raises(KeyError, match="no field '%resume'; did you mean 'resume'"):
        both["%resume"]


def test_lookup_by_place() -> None:
    small = frame(*HEADER, size=16)
    assert small[0].name == "resume"
    assert small[-1].name == "destroy"
    assert [f.name for f in small[:1]] == ["resume"]
    with pytest.raises(IndexError):
        small[2]
    assert small._ipython_key_completions_() == ["resume", "destroy"]


def test_explain_text_is_complete() -> None:
    spill = field("spill", "x", 16, 4, 0, type="i32", def_block="%entry", use_block="%after", why="it is used after the suspend")
    assert frame(*HEADER, spill, size=24).why("x") == (
        "%x (i32, 4 bytes at offset 16 of @f's frame): defined in %entry, used in %after, live across suspend 0 "
        "(%s in %b); it is used after the suspend."
    )
    assert "offset 8" in frame(*HEADER, size=16).why("destroy")
    with pytest.raises(KeyError):
        frame(size=0).why("x")


def test_live_fields_are_frame_fields() -> None:
    laid = frame(*HEADER, field("spill", "x", 16, 4, 0, live=((0, 1),)), size=24)
    assert laid["x"].live == (range(1),)
    assert laid.suspends[0].live == (laid["x"],)
    assert laid.suspends[0].live[0] is laid["x"]
    assert laid["x"] != laid["resume"]
