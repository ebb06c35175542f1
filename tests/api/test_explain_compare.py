"""Module summaries: a table of coroutines, reasons for frame fields, and differences between two versions."""

from __future__ import annotations

import pathlib
import sys
import types

import pytest
from samples import COUNTER

import pycoro

STEPS = pathlib.Path(__file__).parents[2] / "docs/examples/steps.ll"


@pytest.fixture
def steps_module() -> pycoro.Module:
    return pycoro.Module(STEPS)


def test_the_table_lists_all_coroutines(steps_module):
    (row,) = steps_module.coroutines.rows()
    assert row == {
        "name": "steps", "source_name": "steps", "abi": "switch", "suspends": 3, "frame_size": 128, "frame_align": 8,
        "lower_bound": steps_module.coroutines["steps"].frame.lower_bound, "fields": 7, "blocks": 8,
    }  # fmt: skip
    head, _, line = str(steps_module.coroutines).splitlines()
    assert head.split()[:2] == ["coroutine", "ABI"]
    assert line.split()[:4] == ["@steps", "switch", "3", "128"]
    html = steps_module.coroutines._repr_mimebundle_()["text/html"]
    assert "<td" in html and "@steps" in html and ">128<" in html
    assert list(steps_module.coroutines.to_dict()) == ["steps"]
    assert "@steps" in steps_module._repr_mimebundle_()["text/html"]
    assert str(pycoro.Module("").coroutines) == "no coroutines"
    steps_module.close()
    assert "closed" in steps_module._repr_mimebundle_()["text/html"]


def test_the_table_shows_the_reason_of_a_rejection():
    twice = COUNTER.replace("@llvm.coro.suspend(token none, i1 false)", "@llvm.coro.suspend(token none, i1 true)")
    module = pycoro.Module(twice)
    (row,) = module.coroutines.rows()
    assert (row["name"], row["rejected"]) == ("counter", "only one suspend point can be marked as final")
    assert "rejected: " in str(module.coroutines)


def test_the_table_escapes_names():
    module = pycoro.Module(COUNTER.replace("@counter", '@"<b>\\1B[31m"'))
    html = module.coroutines._repr_mimebundle_()["text/html"]
    assert "<b>" not in html and "\x1b" not in html + str(module.coroutines)
    report = pycoro.lower(module)._repr_mimebundle_()["text/html"]
    assert "<b>" not in report and "\x1b" not in report


def test_why_a_value_is_in_the_frame(steps_module):
    found = steps_module.coroutines["steps"].explain("%scale")
    assert (found.name, found.kind, found.suspend, found.suspend_text) == ("scale", "spill", 0, "%s0 in %entry")
    assert (found.before, found.after, found.use_block) == (("%entry",), ("%read.first",), "%read.first")
    assert found.use == "%scaled = mul i64 %sum, %scale"
    assert "came before the suspend" in found.changes[0]
    text = str(found)
    assert "on the path %entry -> (suspended) -> %read.first" in text
    assert found.to_dict()["after"] == ["%read.first"]
    assert "-&gt;" in found._repr_html_()


def test_an_alloca_s_reason_is_the_use_after_the_suspend(steps_module):
    found = steps_module.coroutines["steps"].explain("second")
    assert found.before == ("%entry", "%read.first", "%again")
    assert found.after == ("%read.second",)
    assert found.use == "%more = call i64 @read(ptr %second)"


def test_an_alloca_s_reason_is_the_escape_before_the_suspend():
    text = COUNTER.replace("  %last = alloca", "  %got = alloca i32\n  %last = alloca").replace(
        "  br label %loop\n\nloop:", "  call void @take(ptr %got)\n  br label %loop\n\nloop:"
    )
    found = pycoro.Module(text + "declare void @take(ptr)\n").coroutines["counter"].explain("%got")
    assert (found.use, found.after) == ("call void @take(ptr %got)", ())
    assert "used before the suspend in %begin:  call void @take(ptr %got)" in str(found)
    assert found.changes[0] == "its lifetime ended before the suspend (llvm.lifetime.end)"


def test_an_alloca_with_a_later_lifetime_has_no_change_that_ends_its_lifetime():
    text = COUNTER.replace("  %last = alloca", "  %got = alloca i32\n  %last = alloca").replace(
        "  store i32 %i, ptr %last",
        "  call void @llvm.lifetime.start.p0(ptr %got)\n  call void @take(ptr %got)\n  call void @llvm.lifetime.end.p0(ptr %got)\n"
        "  store i32 %i, ptr %last",
    )
    text += "declare void @take(ptr)\ndeclare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
    found = pycoro.Module(text).coroutines["counter"].explain("%got")
    changes = found.changes
    assert found.reason.startswith("its address escapes, and a lifetime after a suspend")
    assert changes[0].startswith("its address did not escape in any of its lifetimes")
    assert not any("ended before" in change for change in changes)


def test_the_path_through_a_loop_avoids_the_definition():
    coroutine = pycoro.Module(COUNTER).coroutines["counter"]
    found = coroutine.explain("%i")
    assert (found.before, found.after) == (("%loop",), ("%resumed",))
    assert found.use == "%next = add i32 %i, 1"


@pytest.mark.parametrize(("name", "kind"), [("resume", "resume"), ("index", "index"), ("%result", "promise")])
def test_header_fields_have_no_path(steps_module, name, kind):
    explained = steps_module.coroutines["steps"].explain(name)
    assert explained.kind == kind
    assert explained.changes == ()
    assert "path" not in str(explained)


def test_unknown_fields_are_errors(steps_module):
    with pytest.raises(KeyError, match="did you mean"):
        steps_module.coroutines["steps"].explain("%scal")
    with pytest.raises(TypeError):
        steps_module.coroutines["steps"].explain(1)


def test_comparison_shows_changed_layouts(steps_module):
    found = pycoro.diff(steps_module, steps_module.preview(pycoro.CoroSplit(reuse_storage=True)))
    (one,) = found.coroutines
    assert (one.name, one.what, one.frame_before, one.frame_after) == ("steps", "changed", 128, 96)
    assert one.moved[0] == "%second: offset 80 -> 32"
    assert (found.bytes, found.same, bool(found)) == (-32, 0, True)
    assert "frame 128 -> 96 bytes (-32)" in str(found)
    assert found.rows()[0]["frame_after"] == 96
    assert "128 → 96" in found._repr_mimebundle_()["text/html"]


def test_comparison_shows_added_and_removed_coroutines(steps_module):
    other = pycoro.Module(COUNTER)
    found = pycoro.diff(steps_module, other)
    assert [(one.name, one.what) for one in found.coroutines] == [("counter", "new"), ("steps", "gone")]
    assert not pycoro.diff(steps_module, steps_module)
    assert str(pycoro.diff(other, other)) == "no difference: 1 coroutine as before"
    assert not pycoro.diff(other, pycoro.lower(COUNTER)), "a report has them as they were"
    larger = pycoro.Module(COUNTER.replace("%next = add i32 %i, 1", "%next = add i32 %i, %n"))
    (one,) = pycoro.diff(other, larger).coroutines
    assert one.entered == ("%n: i32",)
    assert pycoro.diff(larger, other).coroutines[0].left == ("%n: i32",)
    with pytest.raises(TypeError, match=r"diff\(\) expects"):
        pycoro.diff(steps_module, "counter")


def test_control_flow_as_networkx_graph(steps_module, monkeypatch):
    class DiGraph:
        def __init__(self, **more):
            self.more, self.nodes, self.edges = more, {}, {}

        def add_nodes_from(self, nodes):
            self.nodes.update(nodes)

        def add_edges_from(self, edges):
            self.edges.update({(a, b): data for a, b, data in edges})

    monkeypatch.setitem(sys.modules, "networkx", types.SimpleNamespace(DiGraph=DiGraph))
    graph = steps_module.coroutines["steps"].to_networkx()
    assert graph.nodes["%entry"] == {"suspend": 0}
    assert graph.edges["%entry", "%read.first"] == {"kind": "resume"}
    assert graph.edges["%entry", "%cleanup"] == {"kind": "destroy"}
    assert graph.edges["%read.first", "%again"] == {"kind": ""}


def test_without_networkx(steps_module, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(pycoro.UsageError, match="pip install networkx"):
        steps_module.coroutines["steps"].to_networkx()


def test_a_difference_shows_source_names():
    module = pycoro.Module(COUNTER.replace("@counter(", "@_Z7counteri("))
    assert str(pycoro.diff(pycoro.Module(""), module)).startswith("counter(int): new, frame of ")
