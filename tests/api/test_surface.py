"""Conventions of Python that the objects follow: mappings, rows for data frames, lazy modules, exceptions, types, displays."""

from __future__ import annotations

import io
import json
import pickle
import re
import shutil
import subprocess
import sys
import threading
import typing
from pathlib import Path

import pytest
import views_data

import pycoro
from pycoro import _elapsed, examples, fuzz, oracle
from pycoro.drawing import cfg, views
from pycoro.explore.unit import read_unit

COUNTER = examples.COUNTER

DEBUG = """
define ptr @_Z5countii(i32 %from) presplitcoroutine !dbg !4 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x.1 = add i32 %from, 1
    #dbg_value(i32 %x.1, !6, !DIExpression(), !8)
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !8
  switch i8 %s, label %out [ i8 0, label %on i8 1, label %free ]
on:
  call void @print(i32 %x.1)
  br label %free
free:
  %m = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %m)
  br label %out
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cpp", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "count", linkageName: "_Z5countii", file: !2, line: 3, unit: !1, type: !3, spFlags: DISPFlagDefinition)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DILocalVariable(name: "total", scope: !4, file: !2, line: 4, type: !5)
!8 = !DILocation(line: 7, column: 3, scope: !4)
"""  # noqa: E501


PARENT = """
define ptr @parent(i32 %to) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @counter(i32 0, i32 %to)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %on i8 1, label %free ]
on:
  call void @llvm.coro.resume(ptr %child)
  br label %free
free:
  call void @llvm.coro.destroy(ptr %child)
  %m = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %m)
  br label %out
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
"""


@pytest.fixture
def frame() -> pycoro.Frame:
    return pycoro.Module(COUNTER).coroutines["counter"].frame


@pytest.fixture
def debug() -> pycoro.Coroutine:
    return pycoro.Module(DEBUG).coroutines["_Z5countii"]


# ---- Frames ----


def test_a_frame_contains_its_names_and_fields(frame: pycoro.Frame) -> None:
    assert "next" in frame and "%next" in frame and "resume" in frame and frame[3] in frame
    assert "more" not in frame and "%resume" not in frame and 3 not in frame


def test_a_frame_accepts_names_of_the_source(debug: pycoro.Coroutine) -> None:
    frame = debug.frame
    assert "total" in frame and frame["total"] is frame["%x.1"] and "%total" not in frame
    assert debug.explain("total") == debug.explain("%x.1") and "total" in frame.why("total") + frame["total"].variable
    with pytest.raises(KeyError, match="did you mean 'total'"):
        frame["totl"]


def test_rows_and_dicts_of_a_frame(frame: pycoro.Frame, debug: pycoro.Coroutine) -> None:
    rows = frame.rows()
    assert [(row["name"], row["kind"], row["offset"], row["suspends"]) for row in rows] == [
        ("resume", "resume", 0, 0),
        ("destroy", "destroy", 8, 0),
        ("promise", "promise", 16, 2),
        ("to", "spill", 20, 1),
        ("next", "spill", 24, 1),
    ]
    assert all(isinstance(cell, str | int) for row in rows for cell in row.values())
    data = json.loads(json.dumps(frame.to_dict()))
    assert {"function", "size", "align", "lower_bound", "fields", "holes"} == set(data)
    assert (data["function"], data["size"], data["holes"]) == ("counter", 32, [{"offset": 28, "size": 4}])
    assert not {"spelled", "realign"} & set(data["fields"][3])
    assert data["fields"][3]["use"] == "%more = icmp slt i32 %n, %to" and data["fields"][3]["live"] == [[0, 1]]
    (row,) = [row for row in debug.frame.rows() if row["variable"]]
    assert (row["variable"], row["source_type"], row["location"]) == ("total", "int", "a.cpp:4")


def test_a_frame_becomes_a_data_frame(frame: pycoro.Frame) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(frame.rows())
    assert list(table["name"]) == [field.name for field in frame] and table["size"].sum() == 28


def test_rows_of_all_frames_have_source_names(debug: pycoro.Coroutine) -> None:
    module = pycoro.Module(DEBUG)
    assert debug.source_name == "count(int, int)" and module.coroutines[debug.name].row()["source_name"] == debug.source_name
    expected = [{"coroutine": debug.source_name, **row} for row in module.coroutines[debug.name].frame.rows()]
    assert module.coroutines.frame_rows() == expected and expected
    lowered = pycoro.lower(DEBUG).coroutines
    assert [row["coroutine"] for row in lowered.frame_rows()] == [debug.source_name] * len(expected)
    assert "count(int, int)" in str(lowered) and lowered.rows()[0]["name"] == debug.name


# ---- Modules and exceptions ----


def test_submodules_are_attributes() -> None:
    for name in ("oracle", "strategies", "fuzz", "reporting", "ir", "build", "lint", "view", "upgrade"):
        code = f"import pycoro; assert pycoro.{name}.__name__ == 'pycoro.{name}' and {name!r} in dir(pycoro)"
        subprocess.run([sys.executable, "-c", code], check=True)


class WrongOrder(pycoro.SwitchABI):
    """An ABI whose order leaves out all fields."""

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def order(self, fields: typing.Any) -> typing.Any:
        return ()


def test_every_exception_is_an_error_or_a_type_error() -> None:
    module = pycoro.Module(COUNTER)
    report = pycoro.lower(COUNTER, host=True)
    constant = pycoro.Module('@a = constant [2 x i8] c"ab"').globals["a"].initializer
    calls: list[tuple[typing.Callable[[], object], type[Exception]]] = [
        (lambda: module.coroutines["countr"], KeyError),
        (lambda: module.functions["countr"], KeyError),
        (lambda: report.module.coroutines["counter"], KeyError),
        (lambda: module.coroutines["counter"].frame["nxt"], KeyError),
        (lambda: module.coroutines["counter"].explain("nxt"), KeyError),
        (lambda: constant.element(7), IndexError),
        (lambda: oracle.LLVM(opt="/no/such/opt").text(COUNTER), ValueError),
        (lambda: pycoro.lower(COUNTER, pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[WrongOrder()]))), ValueError),
        (lambda: pycoro.Engine(report)["counter"](1 << 40, 2), OverflowError),
    ]
    for call, python in calls:
        with pytest.raises(pycoro.Error) as caught:
            call()
        assert isinstance(caught.value, python), caught.value
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    for wrong in (5, None, [COUNTER]):
        with pytest.raises(TypeError):
            pycoro.lower(wrong)  # type: ignore[arg-type]


# ---- Types ----

TYPED = """
import io, pathlib
import pycoro
pycoro.lower("x"), pycoro.lower(b"x"), pycoro.lower(pathlib.Path("a")), pycoro.lower(io.StringIO("x")), pycoro.Module(open("a"))
pycoro.oracle.compare("x", ramp="f")
shape = pycoro.Module("x").coroutines["f"].shape
if isinstance(shape, pycoro.SwitchShape):
    size = shape.promise_offset
elif isinstance(shape, pycoro.RetconShape):
    size = shape.storage_size
else:
    size = shape.context_size
"""


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")
def test_mypy_accepts_sources_and_rejects_numbers(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    path = tmp_path / "typed.py"
    path.write_text(TYPED + "pycoro.lower(5)\npycoro.Module([1])\npycoro.link([5])\n")
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(path)], capture_output=True, text=True, cwd=root).stdout
    first = len(TYPED.splitlines())
    lines = [int(line.split(":")[1]) - first for line in found.splitlines() if ": error:" in line]
    assert lines == [1, 2, 3], found


def test_a_shape_is_one_of_three_classes() -> None:
    assert set(typing.get_args(pycoro.Shape)) == {pycoro.SwitchShape, pycoro.RetconShape, pycoro.AsyncShape}
    for ir in (examples.COUNTER, examples.SUMS, examples.RELAY):
        assert all(isinstance(coroutine.shape, pycoro.Shape) for coroutine in pycoro.Module(ir).coroutines.values())


# ---- Displays ----


def html(thing: typing.Any) -> str:
    data = thing._repr_mimebundle_()
    assert data["text/plain"] and thing._repr_mimebundle_(include=["text/plain"]).keys() == {"text/plain"}
    return str(data["text/html"])


def test_failures_name_the_side_with_the_bug() -> None:
    case = oracle.Case(COUNTER, (("resume", "destroy"),), "sum", (4,))
    failure = fuzz.Failure(case, "event 3 differs:\n4, not 5", "event N", "coro-early", "llvm", "small", (), blame="theirs")
    assert str(failure) == "event N (bug in the reference according to the interpreter): event 3 differs:"
    results = fuzz.Results()
    results.shards[0] = fuzz.ShardResult(0, failures=[failure])
    assert ">bug in the reference according to the interpreter</td>" in html(results)
    assert fuzz.Failure(case, "", "", "", "checker", "small", ()).blame_text == "by the checker of lowerings"


def test_a_verdict_shows_the_difference_first() -> None:
    equal = oracle.compare(COUNTER, ramp="sum", args=(4,), reference="interpreter")
    assert repr(equal) == "<Verdict equal: 4 events, finished>" and "returned 6" in html(equal)
    ours, theirs = oracle.Run("finished", "", (("call", "<print>", 4),)), oracle.Run("finished", "", (("call", "<print>", 5),))
    different = oracle.Verdict(ours, theirs, "event 1 differs:\n4, not 5")
    assert repr(different) == "<Verdict event 1 differs: 4, not 5>"
    shown = html(different)
    assert shown.startswith("<p>event 1 differs") and "<details open>" in shown and "call &lt;print&gt; 5" in shown


def test_results_handles_modules_and_reports_have_displays() -> None:
    results = fuzz.Results({0: fuzz.ShardResult(0, programs=64, judged=3, endings=fuzz.ShardResult(0).endings)})
    assert repr(results) == "<Results: 0 failures in 64 programs, 3 runs compared>" and results.failures == []
    assert results.rows()[0]["programs"] == 64 and "64 programs" in html(results)
    report = pycoro.lower(COUNTER, host=True)
    assert "@counter" in html(pycoro.Module(COUNTER)) and "coro-split" in html(report)
    with pycoro.Engine(report) as engine:
        handle = engine["counter"](3, 6)
        assert "suspended" in html(handle) and "<svg" in html(handle)
        handle.destroy()
        assert "destroyed" in html(handle) and "<svg" not in html(handle)
    assert "closed engine" in html(handle)


def test_names_of_the_source_are_shown(debug: pycoro.Coroutine) -> None:
    module = pycoro.Module(DEBUG)
    explained = str(debug.explain("total"))
    for text in (str(debug), html(debug), html(module), str(debug.frame), explained, str(debug.llvm_frame())):
        assert "count(int, int)" in text and "@_Z5countii" not in text
    assert "line 7" in debug.svg() and ">7<" in html(debug)
    assert "suspend  line  value" in str(debug) and "\n  0        7     %s " in str(debug)
    assert "total (%x.1)" in str(debug) and explained.startswith("total (%x.1) is in the frame of count(int, int), 4 bytes")
    assert "@_Z5countii" not in str(module.run("coro-early,cgscc(coro-split)"))


def test_explanations_have_source_lines() -> None:
    defined = DEBUG.replace("add i32 %from, 1", "add i32 %from, 1, !dbg !8")
    used = defined.replace("@print(i32 %x.1)", "@print(i32 %x.1), !dbg !9")
    coroutine = pycoro.Module(f"{used}!9 = !DILocation(line: 8, column: 5, scope: !4)\n").coroutines["_Z5countii"]
    why = coroutine.explain("total")
    assert (why.definition_location, why.use_location) == ("a.cpp:7:3", "a.cpp:8:5")
    assert "  defined in %0, a.cpp:7:3:  %x.1 = add i32 %from, 1\n" in str(why)
    assert "  used in %on, a.cpp:8:5:  call void @print(i32 %x.1)\n" in str(why)
    data = coroutine.frame["total"].to_dict()
    assert data["use_location"] == {"file": "a.cpp", "directory": "/", "line": 8, "column": 5} and data["def_location"]["line"] == 7
    assert coroutine.frame["resume"].use_location is None and coroutine.frame["resume"].def_location is None


def test_cpp_functions_are_found_by_their_source_names() -> None:
    module = pycoro.Module(DEBUG + "define void @_Z1fi() { ret void }\ndefine void @_Z1fv() { ret void }\n")
    coroutine = module.coroutines["count(int, int)"]
    assert module.coroutines["_Z5countii"] is coroutine and "count(int, int)" in module.coroutines
    assert module.coroutines["count"] is coroutine and "f" not in module.functions
    assert module.functions["f(int)"].name == "_Z1fi" and module.functions["f()"].name == "_Z1fv"
    assert "count(int)" not in module.coroutines and module.functions.get("f::") is None
    assert module.run("coro-early,cgscc(coro-split)").coroutines["count(int, int)"].name == "_Z5countii"
    namespace = pycoro.Module("define void @_ZN1n1fEi() { ret void }\ndefine void @_ZN1n1gEi() { ret void }").functions
    assert namespace["n::f"].name == "_ZN1n1fEi"
    names = {
        "_ZN12_GLOBAL__N_17counterEii": "(anonymous namespace)::counter",
        "_ZN1XclEi": "X::operator()",
        "_Z1fIL1E0EEvi": "void f<(E)0>",
        "_ZNK1X1gEv": "X::g",
    }
    functions = pycoro.Module("".join(f"define void @{name}() {{ ret void }}\n" for name in names)).functions
    assert [functions[source].name for source in names.values() if "::" in source] == [n for n in names if n != "_Z1fIL1E0EEvi"]
    assert functions["void f<(E)0>(int)"].name == "_Z1fIL1E0EEvi" and "" not in functions
    coroutines = pycoro.Module(COUNTER.replace("@counter(", "@_ZN12_GLOBAL__N_17counterEii(")).coroutines
    assert coroutines["(anonymous namespace)::counter"].name == "_ZN12_GLOBAL__N_17counterEii" and "" not in coroutines
    assert "n::f" not in pycoro.Module("define void @_ZN1n1fEi() { ret void }\ndefine void @_ZN1n1fEv() { ret void }").functions


def test_the_field_of_an_elided_frame_is_named_after_its_coroutine() -> None:
    name = "_Z5childii"
    report = pycoro.lower(
        (COUNTER + PARENT).replace("@counter(", f"@{name}("), "coro-early,cgscc(inline,coro-elide,coro-split),coro-cleanup"
    )
    assert (name, "parent") in [(elision.callee, elision.caller) for elision in report.elisions if elision.elided]
    frame = report.coroutines["parent"].frame
    (field,) = (field for field in frame if field.name.startswith(name))
    assert field.size == 32 and field.name == f"{name}.frame" and "child(int, int).frame" in str(frame) and name not in str(frame)


TASKS = """
#include <coroutine>
struct task {
  struct promise_type {
    int value = 0;
    std::coroutine_handle<> awaiting = std::noop_coroutine();
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct transfer {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().awaiting; }
      void await_resume() noexcept {}
    };
    transfer final_suspend() noexcept { return {}; }
    void return_value(int result) { value = result; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~task() { handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    handle.promise().awaiting = awaiting;
    return handle;
  }
  int await_resume() { return handle.promise().value; }
};
task child(int n) { co_return n + 1; }
task parent(int n) { co_return co_await child(n); }
"""


@pytest.mark.skipif(shutil.which("clang++-22") is None, reason="clang++-22 is not installed")
def test_the_field_of_an_elided_frame_has_the_source_name_of_its_coroutine(tmp_path: Path) -> None:
    source = tmp_path / "tasks.cpp"
    source.write_text(TASKS)
    report = pycoro.lower(read_unit(str(source)), "default<O2>")
    assert [elision.elided for elision in report.elisions if "child" in elision.callee] == [True]
    (field,) = (field for field in report.coroutines["parent"].frame if "child" in field.name)
    assert field.variable == "child" and "child (child(int).frame)" in str(report.coroutines["parent"].frame)


def test_the_pass_strings_of_llvm_are_shortened() -> None:
    report = pycoro.lower(COUNTER, "default<O2>")
    assert max(len(step.name) for step in report.steps) > 2000
    assert max(map(len, str(report).splitlines())) < 200 and "…" in html(report)


@pytest.mark.parametrize("suspends", [3, 24, 48, 400, 2000])
def test_pictures_keep_blocks_with_suspends(suspends: int) -> None:
    coroutine = views_data.many(suspends, 4)
    view = views.read_coroutine(coroutine)
    pictures = [views.cfg_picture(view, most) for most in (12, 25)] + [
        views.coroutine_svg(coroutine),
        views.coroutine_html(coroutine),
    ]
    for drawn in pictures:
        assert {f"suspend {n}" for n in range(suspends)} <= set(re.findall(r"<text[^>]*>([^<]*)<", drawn))
    assert len(pictures[0]) < 20_000 + 400 * suspends
    lines = "".join(re.findall(r'<path d="([^"]*)" class="line-resume"', pictures[0])).split("M")[1:]
    assert len(lines) >= suspends and all("L" in line or "V" in line or "h" in line for line in lines)


def test_blocks_between_suspends_become_edges() -> None:
    view = views.read_coroutine(views_data.many(400, 4))
    nodes, edges = cfg.graph_folded_if_large(view)
    assert [node.name for node in nodes if not node.suspends] == ["%entry", "%cleanup", "%suspend"]
    assert sorted(len(node.suspends) for node in nodes) == [0] * 3 + [1] * 400
    numbers = {node.name: n for n, node in enumerate(nodes)}
    drawn = {(e.source, e.target, e.kind) for e in edges}
    for n in range(400):
        step, after = numbers[f"%step.{n}"], numbers[f"%step.{n + 1}" if n < 399 else "%cleanup"]
        assert {(step, numbers["%suspend"], "suspend"), (step, after, "resume"), (step, numbers["%cleanup"], "destroy")} <= drawn


def test_regions_with_one_entry_fold_into_a_box() -> None:
    """Diamonds between suspends, which are no chains."""
    edges: dict[str, list[str]] = {}
    suspends = []
    for n in range(60):
        edges |= {f"%top.{n}": [f"%left.{n}", f"%right.{n}"], f"%left.{n}": [f"%join.{n}"], f"%right.{n}": [f"%join.{n}"]}
        edges |= {f"%join.{n}": [f"%step.{n}"], f"%step.{n}": ["%suspend", f"%top.{n + 1}", "%cleanup"]}
        suspends.append(views_data.suspend(n, f"%step.{n}", f"%top.{n + 1}", "%cleanup"))
    edges |= {"%top.60": ["%cleanup"], "%cleanup": ["%suspend"], "%suspend": []}
    coroutine = views_data.coroutine(views_data.frame("diamonds", 0, [], suspends), views_data.cfg(edges))
    nodes, _ = cfg.graph_folded_if_large(views.read_coroutine(coroutine), 130)
    boxes = {node.name: len(node.blocks) for node in nodes}
    assert boxes["%top.0"] == 4 and sum(len(node.suspends) for node in nodes) == 60


# ---- Progress ----


def test_a_long_run_in_a_notebook_shows_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    written = threading.Event()

    class OutStream(io.StringIO):
        __module__ = "ipykernel.iostream"

        def write(self, text: str) -> int:
            written.set()
            return super().write(text)

    stream = OutStream()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_elapsed, "FIRST", 600.0)
    pycoro.lower(COUNTER)
    assert not stream.getvalue()
    monkeypatch.setattr(_elapsed, "FIRST", 0.0)
    waits: list[bool] = []
    pycoro.Module(COUNTER).run("coro-early", after_pass=lambda *_: waits.append(written.wait(60)))
    lines = stream.getvalue().split("\r")
    assert all(waits) and lines[1].startswith("coro-early on '<string>': 0 s") and lines[-2:] == [" " * len(lines[1]), ""]
    assert not any(thread.name == "pycoro elapsed time" for thread in threading.enumerate())

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    module = pycoro.Module(COUNTER)
    with _elapsed.show_elapsed_time_in_notebook(lambda: "work"):
        module.verify()
    with pytest.raises(pycoro.UsageError) as raised, _elapsed.show_elapsed_time_in_notebook(lambda: "work"):
        raise pycoro.UsageError("of the work")
    assert raised.value.__context__ is None, "the thread that did not start is no context of the work's errors"


# ---- LLVM's frames ----


def test_the_frame_of_llvm_is_one_call() -> None:
    coroutine = pycoro.Module(COUNTER).coroutines["counter"]
    frame = coroutine.llvm_frame()
    assert frame.size == 32 and [row["name"] for row in frame.rows()] == ["resume", "destroy", "promise", "to", "n", "index"]
    assert frame.to_dict()["fields"][2] == {"name": "promise", "type": "i32", "offset": 16, "size": 4}
    assert str(frame).startswith("LLVM's frame of @counter: 32 bytes, align 8\n")
    assert coroutine.llvm_frame(reuse_storage=True).size <= frame.size
    for ir in (examples.SUMS, examples.RELAY):
        (other,) = pycoro.Module(ir).coroutines.values()
        assert other.llvm_frame().size == other.frame.size
    with pytest.raises(pycoro.UsageError, match="report has no IR"):
        pycoro.lower(COUNTER).coroutines["counter"].llvm_frame()
