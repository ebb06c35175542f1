"""The coroutines of a project: merged, sorted, shown, compared with another build, checked against budgets."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from reported import coroutine_with_debug_info

import pycoro
from pycoro import reporting
from pycoro._demangle import demangle_in_text
from pycoro.errors import FileError

CALL = {"caller": "main", "callee": "_Z5stepsi", "location": "m.cpp:3:5"}
ELISION = {
    "caller": "main", "callee": "_Z5stepsi", "elided": False, "bytes": 80, "reason": "it escapes", "location": "m.cpp:3:5",
    "creation": "",
}  # fmt: skip

MADE = {**ELISION, "callee": "_Z3newv"}


def unit(
    source: str,
    *coroutines: dict[str, Any],
    elisions: tuple[dict[str, Any], ...] = (),
    calls: tuple[dict[str, str], ...] = (),
    output: str = "",
) -> dict[str, Any]:
    empty = reporting.unit(None, source=source, output=output)
    return {**empty, "coroutines": [*coroutines], "elisions": [*elisions], "external_calls": [*calls]}


def coroutine(name: str = "_Z5stepsi", count: int = 40, linkage: str = "") -> dict[str, Any]:
    return reporting.unit(pycoro.lower(coroutine_with_debug_info(name, count, linkage)), source="")["coroutines"][0]


def project(*units: dict[str, Any]) -> reporting.Project:
    return reporting.Project.of(units)


def write_unit(folder: Path, *units: dict[str, Any]) -> str:
    folder.mkdir(exist_ok=True)
    for number, each in enumerate(units):
        (folder / f"{number}.json").write_text(json.dumps(each))
    return str(folder)


def run(*arguments: str, at: Path) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "pycoro", "report", *arguments]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


# ---- Merging


def test_an_inline_coroutine_of_many_units_is_one():
    found = project(unit("a.cpp", coroutine()), unit("b.cpp", coroutine()))
    (entry,) = found.entries
    assert (entry.units, entry.differs, found.units) == (("a.cpp", "b.cpp"), False, 2)


def test_internal_coroutines_of_one_name_are_separate():
    found = project(unit("a.cpp", coroutine(linkage="internal")), unit("b.cpp", coroutine(linkage="internal")))
    assert sorted(entry.owner for entry in found.entries) == ["a.cpp", "b.cpp"]


def test_a_source_that_is_compiled_twice_has_its_local_coroutines_once():
    twice = [unit("a.cpp", coroutine(linkage="internal"), output=output) for output in ("a.o", "a.pic.o")]
    assert len(project(*twice).entries) == 1


def test_the_largest_frame_of_disagreeing_units_counts():
    (entry,) = project(unit("a.cpp", coroutine()), unit("b.cpp", coroutine(count=400)), unit("c.cpp", coroutine())).entries
    assert entry.differs
    assert (entry.fields[0].name, entry.fields[0].size, entry.size > 400) == ("buffer", 400, True)


def test_a_creation_site_in_several_units_counts_once():
    both = ELISION, {**ELISION, "caller": "other", "elided": True}
    (entry,) = project(unit("a.cpp", coroutine(), elisions=both), unit("b.cpp", coroutine(), elisions=both[:1])).entries
    assert [(start.caller, start.elided) for start in entry.creation_sites] == [("main", False), ("other", True)]
    assert entry.elided == 1


def test_equal_creation_sites_of_one_unit_count_separately():
    (entry,) = project(unit("a.cpp", coroutine(), elisions=(ELISION, ELISION)), unit("b.cpp", elisions=(ELISION,))).entries
    assert len(entry.creation_sites) == 2


def test_creation_sites_of_internal_coroutines_are_separate():
    one, other = unit("a.cpp", coroutine(linkage="internal"), elisions=(ELISION,)), unit("b.cpp", coroutine())
    assert {entry.owner: len(entry.creation_sites) for entry in project(one, other).entries} == {"a.cpp": 1, "": 0}


def test_a_call_in_a_unit_without_the_body_is_a_creation_site_with_a_reason():
    (entry,) = project(unit("a.cpp", coroutine()), unit("m.cpp", calls=(CALL, {**CALL, "callee": "puts"}))).entries
    (site,) = entry.creation_sites
    assert str(site).startswith("not elided in main, m.cpp:3:5: its body is in another unit, a.cpp; ")
    assert "1 creation site" in reporting.project_html(project(unit("a.cpp", coroutine()), unit("m.cpp", calls=(CALL,))))


def test_a_call_that_elision_analyzed_or_of_a_local_coroutine_is_no_other_site():
    analyzed = unit("m.cpp", elisions=({**ELISION, "elided": True},), calls=(CALL,))
    (entry,) = project(unit("a.cpp", coroutine()), analyzed).entries
    assert [site.elided for site in entry.creation_sites] == [True]
    (entry,) = project(unit("a.cpp", coroutine(linkage="internal")), unit("m.cpp", calls=(CALL,))).entries
    assert not entry.creation_sites


def test_units_list_calls_of_functions_that_they_declare():
    """The caller of a call in a clone is the coroutine, and clones of one call are one."""
    report = pycoro.lower(CALLER_OF_ANOTHER_UNIT, "default<O2>")
    calls = reporting.unit(report, source="a.ll")["external_calls"]
    assert {(call["caller"], call["callee"]) for call in calls} >= {("parent", "child"), ("plain", "child")}
    assert not any(call["callee"].startswith("llvm.") or ".resume" in call["caller"] for call in calls)


def test_a_unit_of_a_closed_or_changed_module_lists_no_calls(tmp_path):
    """They are read from the module, which no longer is as the run left it."""
    with pycoro.Module(CALLER_OF_ANOTHER_UNIT) as module:
        report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
        whole = reporting.unit(report, source="a.ll")
        build = pycoro.ir.Builder(module)
        build.rename(module.functions["child"], "renamed")
        for changed in (report, copy.copy(report), pickle.loads(pickle.dumps(report))):
            assert reporting.unit(changed, source="a.ll") == {**whole, "external_calls": []}
    assert whole["external_calls"] and reporting.unit(report, source="a.ll") == {**whole, "external_calls": []}
    assert json.loads(Path(reporting.write_unit(tmp_path, report, source="a.ll")).read_text())["coroutines"] == whole["coroutines"]
    kept = pycoro.lower(CALLER_OF_ANOTHER_UNIT)
    assert reporting.unit(pickle.loads(pickle.dumps(kept)), source="a.ll")["external_calls"]


CALLER_OF_ANOTHER_UNIT = """
declare ptr @child()
define ptr @plain() {
  %child = call ptr @child()
  ret ptr %child
}
define ptr @parent() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %suspended = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspended, label %exit [i8 0, label %resume i8 1, label %free]
resume:
  %child = call ptr @child()
  br label %free
free:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %exit
exit:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
"""


def test_the_field_of_an_elided_frame_has_the_source_name_of_its_coroutine():
    parent = coroutine()
    parent["fields"][-1].update(name="_Z5smallv.frame3", variable="")
    (entry,) = project(unit("a.cpp", parent)).entries
    assert "small().frame3" in [field.name for field in entry.fields]


def test_sorting():
    small = {**coroutine("_Z5smallv", 8), "suspends": 9, "file": "a.cpp"}
    found = project(unit("a.cpp", small, coroutine(count=80), elisions=(ELISION,)))
    order = {by: [entry.shown for entry in found.sorted(by).entries] for by in reporting.project.SORTS}
    assert order["size"] == order["sites"] == ["steps(int)", "small()"]
    assert order["suspends"] == order["name"] == order["location"] == ["small()", "steps(int)"]
    assert set(order) == {"size", "slack", "suspends", "sites", "name", "location"}


# ---- Showing


def test_text_shows_frame_contents_and_reasons_for_allocation(tmp_path):
    write_unit(tmp_path / "units", unit("a.cpp", coroutine(count=80), elisions=(ELISION,)))
    status, out, err = run("units", at=tmp_path)
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[1][3:] == ["0", "of", "1", "steps(int)", "src/steps.cpp:7"]
    assert lines[2][:6] == ["80", "buffer", "alloca", "[80", "x", "i8],"] and lines[2][6] == "line"
    assert "not elided in main, m.cpp:3:5: it escapes" in out


def test_json_and_csv_have_the_same_coroutines(tmp_path):
    write_unit(tmp_path / "units", unit("a.cpp", coroutine(), coroutine("_Z5smallv", 8)))
    told = json.loads(run("units", "--format", "json", at=tmp_path)[1])
    rows = list(csv.DictReader(io.StringIO(run("units", "--format=csv", "--sort=name", at=tmp_path)[1])))
    assert {entry["name"]: str(entry["size"]) for entry in told["coroutines"]} == {row["name"]: row["size"] for row in rows}
    assert [row["shown"] for row in rows] == ["small()", "steps(int)"]
    assert (told["units"], rows[1]["largest"]) == (1, "buffer (40)")


def test_the_limit_option_shows_the_first_rows(tmp_path):
    write_unit(tmp_path / "units", unit("a.cpp", coroutine(), coroutine("_Z5smallv", 8)))
    assert len(json.loads(run("units", "--format=json", "--top=1", at=tmp_path)[1])["coroutines"]) == 1
    assert "... and 1 more\n2 coroutines in 1 unit" in run("units", "--top=1", at=tmp_path)[1]


HOSTILE = ["<script>document.title='bad'</script>", "</style><img src=x onerror=alert(1)>", '"><b>', "=1+1", "\x1b[2J", "\udcff\0"]


def hostile() -> reporting.Project:
    parts: list[dict[str, Any]] = []
    for name in HOSTILE:
        one = coroutine()
        one.update(name=name, shown=name, file=name)
        one["fields"][-1].update(name=name, variable=name, type=name)
        parts.append(one)
    told = [{**ELISION, "callee": name, "caller": name, "reason": name, "location": name, "creation": "x"} for name in HOSTILE]
    return project(unit(HOSTILE[0], *parts, elisions=tuple(told)))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.append(tag)


def test_names_are_escaped_in_every_format():
    tags = Tags()
    tags.feed(reporting.project_html(hostile(), "<b>"))
    assert tags.found.count("script") == tags.found.count("style") == 1
    assert not {"img", "b"} & set(tags.found)
    for text in (reporting.project_text(hostile()), reporting.project_csv(hostile())):
        assert "\x1b" not in text and "\0" not in text and "\udcff" not in text
    cells = [cell for row in csv.reader(io.StringIO(reporting.project_csv(hostile()))) for cell in row]
    assert "'=1+1" in cells and not any(cell.startswith("=") for cell in cells)
    json.loads(json.dumps(reporting.project_json(hostile())))


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium not installed")
def test_a_browser_sorts_the_page_and_runs_nothing_else(tmp_path):
    page = reporting.project_html(hostile(), "quiet")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]
    done = subprocess.run(
        ["chromium", *options, f"--user-data-dir={tmp_path}", str(tmp_path / "page.html")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "<title>quiet</title>" in done.stdout, done.stderr[-500:]
    assert ' hidden=""' not in done.stdout, "the page's own script has run: it shows the filter"


# ---- Comparing


def grown() -> tuple[reporting.Project, reporting.Project]:
    old = project(unit("a.cpp", coroutine(), coroutine("_Z4gonev"), coroutine("_Z4samev"), coroutine("_Z6shrankv", 80)))
    new = project(unit("a.cpp", coroutine(count=80), coroutine("_Z3newv"), coroutine("_Z4samev"), coroutine("_Z6shrankv")))
    return old, new


def test_comparison_lists_added_removed_and_changed_coroutines():
    changes = reporting.compare(*grown())
    assert [(change.kind, change.entry.shown, change.bytes) for change in changes] == [
        ("grew", "steps(int)", 40),
        ("new", "new()", 72),
        ("shrank", "shrank()", -40),
        ("gone", "gone()", -72),
        ("same", "same()", 0),
    ]
    assert changes[0].fields == (("buffer", 40),)
    assert changes[0].percent == 100 * 40 / 72
    assert ["grew", "72", "112", "+40", "(+55.6%)", "steps(int)", "src/steps.cpp:7"] in [
        line.split() for line in reporting.changes_text(changes).splitlines()
    ]
    assert len(reporting.changes_json(changes)) == len(reporting.changes_csv(changes).splitlines()) - 1 == 5


def test_internal_coroutines_match_after_moving_the_project():
    """CI may check out under another name, and a build system may pass absolute paths."""
    local = [coroutine(count=count, linkage="internal") for count in (40, 80)]
    old = project(unit("/old/one/a.cpp", local[0]), unit("/old/two/a.cpp", local[0]), unit("/old/b.cpp", local[0]))
    new = project(unit("/new/one/a.cpp", local[0]), unit("/new/two/a.cpp", local[1]), unit("/new/c.cpp", local[0]))
    changes = [(change.kind, change.entry.owner) for change in reporting.compare(old, new)]
    assert changes == [("grew", "/new/two/a.cpp"), ("new", "/new/c.cpp"), ("gone", "/old/b.cpp"), ("same", "/new/one/a.cpp")]


def test_renumbered_lambdas_match():
    """Another lambda before it changes the number in a lambda's symbol; one of the same signature takes its number."""

    def lambdas(*sizes: tuple[str, int], folder: str) -> reporting.Project:
        return project(unit(f"/{folder}/a.cpp", *[coroutine(f"_ZZ3sumiENK{name}", size, "internal") for name, size in sizes]))

    old = lambdas(("3$_9clEi", 40), ("4$_10clEc", 40), ("3$_0clEl", 40), ("3$_1clEl", 40), folder="old")
    for folder in ("old", "new"):
        new = lambdas(("3$_9clEv", 40), ("4$_10clEi", 80), ("4$_11clEc", 40), ("3$_0clEl", 80), folder=folder)
        changes = [
            (change.kind, change.old and change.old.name[11:], change.entry.name[11:]) for change in reporting.compare(old, new)
        ]
        assert changes == [
            ("grew", "3$_0clEl", "3$_0clEl"),
            ("grew", "3$_9clEi", "4$_10clEi"),
            ("new", None, "3$_9clEv"),
            ("gone", "3$_1clEl", "3$_1clEl"),
            ("same", "4$_10clEc", "4$_11clEc"),
        ]


def test_comparison_lists_lost_elisions():
    done = {**ELISION, "elided": True}
    old, new = project(unit("a", coroutine(), elisions=(done,))), project(unit("a", coroutine(), elisions=(ELISION,)))
    assert [change.lost for change in reporting.compare(old, new)] == [True]
    assert "elided in 1 of 1 before, in 0 of 1 now" in reporting.changes_text(reporting.compare(old, new))
    assert not any(change.lost for change in reporting.compare(new, old))
    assert not any(change.lost for change in reporting.compare(old, project(unit("a", coroutine())))), "it is not started any more"
    moved = project(unit("a", coroutine()), unit("m", calls=(CALL,)))
    assert [change.lost for change in reporting.compare(old, moved)] == [True], "its body moved to another unit"


def test_a_creation_site_is_the_call_and_the_obstacle_is_elsewhere():
    """Paths are relative to the compiler's directory, as those of coroutines; symbols in the reason are demangled."""
    escapes = {**ELISION, "reason": "its handle is passed to `@_Z4keepPv`, which may capture it", "location": "/src/g.h:17:6"}
    told = ({**escapes, "creation": "/src/m.cpp:9:3"}, {**escapes, "creation": "/src/g.h:17:6"}, {**escapes, "creation": ""})
    whole = project(unit("m.cpp", {**coroutine(), "directory": "/src"}, elisions=told))
    [entry] = whole.entries
    why = "its handle is passed to `keep(void*)`, which may capture it"
    places = [("g.h:17:6", ""), ("g.h:17:6", ""), ("m.cpp:9:3", "g.h:17:6")]
    assert [(site.location, site.obstacle) for site in entry.creation_sites] == places
    assert str(entry.creation_sites[2]) == f"not elided in main, m.cpp:9:3: {why}, at g.h:17:6"
    assert f"</code>, m.cpp:9:3: {why}, at g.h:17:6" in reporting.project_html(whole)


def test_symbols_in_a_sentence_are_demangled():
    text = 'after @_Z1fv.resume, @_Z1gi.llvm.12 or @"_Z1hv". Neither `@_Zx` nor @f.'
    assert demangle_in_text(text) == "after f() [clone .resume], g(int) [clone .llvm.12] or h(). Neither `@_Zx` nor @f."
    assert demangle_in_text("it is awaited by @_Z4mainv.") == "it is awaited by main()."


def test_comparison_counts_new_allocations():
    done = {**ELISION, "elided": True}
    none, one, two = (project(unit("a", coroutine(), elisions=(done, *[ELISION] * count))) for count in range(3))
    counts = [[change.new_allocations for change in reporting.compare(*pair)] for pair in ((none, two), (one, one), (two, one))]
    assert counts == [[2], [0], [-1]]
    created = reporting.compare(project(unit("a")), two)
    assert [(change.kind, change.new_allocations) for change in created] == [("new", 2)]
    assert [change.new_allocations for change in reporting.compare(two, project(unit("a")))] == [-2]


def test_units_without_a_report(tmp_path):
    old = unit("/old/a.cpp", coroutine()), unit("/old/b.cpp"), unit("/old/c.cpp")
    new = unit("/new/a.cpp", coroutine()), unit("/new/d.cpp")
    assert reporting.missing_units(project(*old), project(*new)) == ["/old/b.cpp", "/old/c.cpp"]
    compare = "--compare", write_unit(tmp_path / "old", *old), write_unit(tmp_path / "new", *new)
    text = f"{tmp_path / 'new'} has no report of /old/b.cpp, /old/c.cpp; a hit of ccache writes none: set CCACHE_RECACHE=1\n"
    status, _, err = run(*compare, at=tmp_path)
    assert (status, err) == (0, f"warning: {text}")
    status, _, err = run(*compare, "--keep-units", at=tmp_path)
    assert (status, err) == (1, f"error: {text}")
    assert run("--compare", "old", "old", "--keep-units", at=tmp_path)[::2] == (0, "")


def test_budgets():
    _, new = grown()
    over = [(entry.shown, budget.bytes) for entry, budget in reporting.over_budget(new, [reporting.Budget(100)])]
    assert over == [("steps(int)", 100)]
    budgets = [reporting.Budget(71), reporting.Budget(200, "s*"), reporting.Budget(10, "_Z4samev")]
    assert {entry.shown for entry, _ in reporting.over_budget(new, budgets)} == {"new()", "same()"}
    assert not list(reporting.over_budget(new, []))
    tagged = project(unit("a.cpp", coroutine("_Z5fetchB5cxx11i")))
    assert tagged.entries[0].shown == "fetch[abi:cxx11](int)"
    assert [budget.bytes for _, budget in reporting.over_budget(tagged, [reporting.Budget(1, tagged.entries[0].shown)])] == [1]
    assert not reporting.Budget(1, tagged.entries[0].shown).matches(new.entries[0])


@pytest.mark.parametrize(("amount", "percent", "over"), [(40, False, 0), (39, False, 1), (56, True, 0), (55.5, True, 1)])
def test_growth(amount, percent, over):
    assert len(reporting.over_growth(reporting.compare(*grown()), reporting.Growth(amount, percent))) == over


def test_ci(tmp_path):
    write_unit(tmp_path / "old", unit("a.cpp", coroutine(), elisions=({**ELISION, "elided": True},)))
    write_unit(tmp_path / "new", unit("a.cpp", coroutine(count=80), elisions=(ELISION,)))
    assert run("new", "--budget", "112", at=tmp_path)[0] == 0
    status, _, err = run("new", "--budget", "4096", "--budget", "step_s*=111", at=tmp_path)
    assert (status, err) == (1, "error: no coroutine matches the budget pattern 'step_s*'\n")
    status, _, err = run("new", "--budget", "4096", "--budget", "steps=111", at=tmp_path)
    assert (status, err) == (1, "error: no coroutine matches the budget pattern 'steps'; did you mean 'steps(int)'?\n")
    status, _, err = run("new", "--budget", "4096", "--budget", "steps*=111", at=tmp_path)
    assert (status, err) == (1, "error: steps(int)  src/steps.cpp:7: its frame has 112 bytes, but the budget is 111\n")
    compare = "--compare", "old", "new"
    assert run(*compare, "--max-growth", "56%", at=tmp_path)[0] == 0
    status, out, err = run(*compare, "--max-growth", "10%", "--keep-elided", at=tmp_path)
    assert (status, err.count("error: ")) == (1, 2)
    assert "has grown by 40 bytes, to 112; the maximum is 10%" in err
    assert "it was elided in 1 of 1 places, and is now elided in 0 of 1: not elided in main, m.cpp:3:5: it escapes" in err
    assert "+40 buffer" in out
    assert run("--compare", "new", "old", "--max-growth", "0", "--keep-elided", "--no-new-allocations", at=tmp_path)[0] == 0
    write_unit(tmp_path / "more", unit("a.cpp", coroutine(count=80), coroutine("_Z3newv"), elisions=(ELISION, ELISION, MADE)))
    compare = "--compare", "new", "more", "--keep-elided"
    assert run(*compare, at=tmp_path)[::2] == (0, "")
    status, _, err = run(*compare, "--no-new-allocations", at=tmp_path)
    assert (status, err.count("error: ")) == (1, 2)
    assert "it was elided in 0 of 1 places, and is now elided in 0 of 2: not elided in main, m.cpp:3:5" in err
    assert "new()  src/steps.cpp:7: it is new, and elided in 0 of 1: not elided in main, m.cpp:3:5: it escapes" in err


# ---- Invalid reports


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not a pycoro report"),
        ('{"version": 1}', "not a pycoro report"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (json.dumps(unit("a") | {"version": 3}), "its version is 3, and this pycoro reads version 2"),
        (json.dumps(unit("a") | {"version": "1"}), "its version is 1"),
        (json.dumps({**unit("a"), "coroutines": None}), "'coroutines' of it is not a list"),
        (json.dumps(unit("a", {})), "coroutines[0] has no 'name'"),
        (json.dumps(unit("a", coroutine() | {"line": -1})), "'line' of coroutines[0] is not a number that is not negative"),
        (json.dumps(unit("a", coroutine() | {"is_local": 1})), "'is_local' of coroutines[0] is not true or false"),
        (json.dumps(unit("a", coroutine() | {"frame": []})), "coroutines[0].frame is not an object"),
        (json.dumps(unit("a", coroutine() | {"fields": [3]})), "coroutines[0].fields[0] is not an object"),
    ],
)
def test_damaged_files_are_named(tmp_path, text, said):
    write_unit(tmp_path, unit("good.cpp"))
    (tmp_path / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError) as caught:
        reporting.read_project(tmp_path)
    assert said in str(caught.value)
    assert "bad.json" in str(caught.value)


def test_temporary_files_are_ignored(tmp_path):
    write_unit(tmp_path, unit("a.cpp", coroutine()))
    (tmp_path / ".b.cpp.0123.json.tmp1").write_text("{")
    (tmp_path / ".b.json").write_text("{")
    assert len(reporting.read_project(tmp_path).entries) == 1


def test_a_unit_of_an_earlier_release_has_no_list_of_calls(tmp_path):
    write_unit(tmp_path, {key: value for key, value in unit("a.cpp", coroutine()).items() if key != "external_calls"})
    assert len(reporting.read_project(tmp_path).entries) == 1


def test_unknown_keys_are_ignored(tmp_path):
    write_unit(tmp_path, unit("a.cpp", coroutine() | {"colour": "red"}) | {"more": []})
    assert len(reporting.read_project(tmp_path).entries) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((), 2, "missing directory"),
        (("empty",), 1, "the directory contains no unit report"),
        (("nowhere",), 1, "error: nowhere: No such file or directory"),
        (("nowhere",), 1, "a hit of ccache writes no report: set CCACHE_RECACHE=1"),
        (("a", "--compare", "b", "c"), 2, "remove the others"),
        (("a", "--max-growth", "1"), 2, "--max-growth needs --compare OLD NEW"),
        (("a", "--keep-elided", "--keep-units"), 2, "--keep-elided and --keep-units need --compare OLD NEW"),
        (("a", "--no-new-allocations"), 2, "--no-new-allocations needs --compare OLD NEW"),
        (("--compare", "a", "b", "--format", "html"), 2, "text, json and csv"),
        (("a", "--budget", "4k"), 2, "invalid budget '4k'"),
        (("a", "--budget", "-1"), 2, "--budget"),
        (("--compare", "a", "b", "--max-growth", "10 %"), 2, "invalid growth '10 %'"),
        (("a", "--sort", "colour"), 2, "invalid choice: 'colour'"),
        (("a", "--top", "many"), 2, "'many' is not a number"),
    ],
)
def test_invalid_commands_are_errors(tmp_path, arguments, status, said):
    (tmp_path / "empty").mkdir()
    found, out, err = run(*arguments, at=tmp_path)
    assert (found, out) == (status, "")
    assert said in err
