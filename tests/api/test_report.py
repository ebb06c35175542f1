"""Report: the results of a run."""

from __future__ import annotations

import json
import pathlib
import pickle
import shutil
import subprocess

import pytest
from samples import COUNTER, TWO_FINALS

import pycoro

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def test_passes_are_reported_in_order(module: pycoro.Module) -> None:
    report = module.run(PASSES)
    assert report.module is module
    assert list(dict.fromkeys(run.name for run in report.steps)) == ["coro-early", "coro-split", "coro-cleanup"]
    assert [run.target for run in report.steps if run.name == "coro-early"] == ["[module]"]
    assert "counter" in [run.target for run in report.steps if run.name == "coro-split"]
    assert all(run.is_pycoro and run.seconds >= 0 for run in report.steps)
    assert report.seconds == sum(run.seconds for run in report.steps)


def test_coroutines_are_recorded(module: pycoro.Module) -> None:
    explained = module.coroutines["counter"].to_dict()
    report = module.run(PASSES)
    assert list(report.coroutines) == ["counter"]
    assert report.coroutines["counter"].clones == ("counter.resume", "counter.destroy", "counter.cleanup")
    recorded = report.coroutines["counter"].to_dict()
    for key in ("frame_size", "frame_align", "promise", "promise_offset"):
        assert recorded[key] == explained[key]
    layout = [[(f["name"], f["offset"], f["size"]) for f in of["fields"]] for of in (recorded, explained)]
    assert layout[0] == layout[1]


def test_remarks(module: pycoro.Module) -> None:
    (remark,) = [r for r in module.run(PASSES).remarks if r.name == "CoroSplit"]
    assert (remark.pass_name, remark.function, remark.passed) == ("coro-split", "counter", True)
    assert remark.message


def test_after_pass_sees_every_pass(module: pycoro.Module) -> None:
    seen: list[tuple[str, str, str]] = []
    report = module.run(PASSES, after_pass=lambda *of: seen.append(of), snapshots=True)
    assert [(name, target) for name, target, _ in seen] == [(run.name, run.target) for run in report.steps]
    assert [(step.name, step.target, step.after) for step in report.steps] == seen
    assert seen[-1][2].splitlines()[1:] == str(module).splitlines()[1:]
    assert {(step.before, step.after) for step in module.run(PASSES).steps} == {(None, None)}


def test_an_exception_of_a_callback_propagates(module: pycoro.Module) -> None:
    before, generation = str(module), module.generation

    class Mine(BaseException):
        pass

    def stop(name: str, target: str, ir: str) -> None:
        if name == "coro-split":
            raise Mine(target)

    with pytest.raises(Mine):
        module.run(PASSES, after_pass=stop)
    assert str(module) == before
    assert module.generation == generation


def test_a_callback_may_not_use_its_module_but_may_use_others(module: pycoro.Module) -> None:
    with pytest.raises(pycoro.BusyError, match="in use"):
        module.run(PASSES, after_pass=lambda *_: str(module))
    with pytest.raises(pycoro.BusyError):
        module.run(PASSES, after_pass=lambda *_: module.close())
    inner = []
    module.run(PASSES, after_pass=lambda name, target, ir: inner.append(len(pycoro.Module(ir).functions)))
    assert inner


def test_verify_each(module: pycoro.Module) -> None:
    module.run(PASSES, verify_each=True)
    assert "counter.destroy" in module.functions


def test_unverified_runs_give_the_same_result(module: pycoro.Module) -> None:
    other = pycoro.Module(str(module), name=module.name)
    module.run(PASSES, verify=False)
    module.run("default<O2>", verify=False)
    other.run(PASSES)
    other.run("default<O2>")
    assert str(module) == str(other)


def test_custom_passes_are_always_verified(module: pycoro.Module) -> None:
    before = str(module)

    def breaks(lent: pycoro.Module) -> None:
        pycoro.ir.Builder(lent).add_block("lost", function=lent.functions["counter"])  # without a terminator

    with pytest.raises(pycoro.VerifyError, match="breaks"):
        module.run([breaks, "early-cse"], verify=False)
    assert str(module) == before


def test_json(module: pycoro.Module) -> None:
    data = json.loads(json.dumps(module.run(PASSES, snapshots=True).to_dict()))
    assert sorted(data) == ["coroutines", "elisions", "remarks", "stages", "steps", "warnings"]
    assert data["coroutines"][0]["function"] == "counter"
    assert data["steps"][0]["name"] == "coro-early" and "define" in data["steps"][0]["before"]


def test_a_step_reports_changes(module: pycoro.Module) -> None:
    def look(module: pycoro.Module) -> None: ...

    def inside(module: pycoro.Module) -> None:
        module.run("globaldce")

    passes = ["coro-early", look, inside, "globaldce", "coro-split", "coro-elide", "coro-cleanup"]
    before = str(module)
    told = {step.name: step.changed for step in module.copy().run(passes).steps}
    assert told == {
        "coro-early": True,
        "look": False,
        "inside": None,
        "globaldce": None,
        "coro-split": True,
        "coro-elide": False,
        "coro-cleanup": True,
    }
    report = module.run(passes, snapshots=True)
    known = {step.name: step.changed for step in report.steps}
    assert known == {name: bool(changed) for name, changed in told.items()}
    assert report.steps[0].before == before and report.steps[-1].after == str(module)
    for step, following in zip(report.steps, report.steps[1:], strict=False):
        assert step.after is following.before
        assert (step.before is step.after) == (not step.changed)


def test_a_step_has_a_diff(module: pycoro.Module) -> None:
    report = module.run(PASSES, snapshots=True)
    split = next(step for step in report.steps if step.name == "coro-split")
    diff = split.diff()
    assert diff.startswith("--- before coro-split\n+++ after coro-split on counter\n@@")
    assert "void @counter.resume(" in diff
    assert len(split.diff(context=0)) < len(diff)
    assert report.steps[-1].diff() == "" or report.steps[-1].changed
    with pytest.raises(pycoro.UsageError, match="snapshots=True"):
        pycoro.lower("", "globaldce").steps[0].diff()


def test_snapshots_of_a_run_that_does_nothing(module: pycoro.Module) -> None:
    assert module.run("", snapshots=True).steps == ()
    (step,) = module.run("globaldce", snapshots=True).steps
    assert step.changed is False and step.diff() == ""


def test_repr_and_str(module: pycoro.Module) -> None:
    report = module.run(PASSES)
    assert repr(report).startswith("<Report: ")
    assert "\n" not in repr(report)
    assert "coro-split on counter" in str(report)
    assert "@counter: 2 suspends" in str(report)


def test_a_rejected_coroutine_leaves_the_module_unchanged() -> None:
    module = pycoro.Module(TWO_FINALS)
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert str(module) == before
    (diagnostic, *_) = caught.value.diagnostics
    assert diagnostic.function == "twice"
    assert diagnostic.block in ("%loop", "%end")
    assert "llvm.coro.suspend" in diagnostic.instruction
    assert diagnostic.hint
    assert diagnostic.rule
    assert f"in @twice, block {diagnostic.block}: {diagnostic.instruction.strip()}" in str(caught.value)


def test_notebooks_show_text_and_pictures(module: pycoro.Module) -> None:
    report = module.run(PASSES)
    bundle = report._repr_mimebundle_()
    assert bundle["text/plain"] == str(report)
    assert "<svg" in bundle["text/html"]
    assert ">coro-split</td>" in bundle["text/html"]
    assert ">@counter</td>" in bundle["text/html"]
    assert list(report._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    assert list(report._repr_mimebundle_(exclude={"text/plain"})) == ["text/html"]


def test_many_coroutines_are_quoted_as_each_alone_is() -> None:
    """Many coroutines are quoted from one printed module, with one among them that a pass must edit first."""
    body = COUNTER[COUNTER.index("define") : COUNTER.index("\n}\n", COUNTER.index("define")) + 3]
    rest = COUNTER.replace(body, "")
    again = "call fastcc void @llvm.coro.resume(ptr %frame)\n  %s = call i8 @llvm.coro.suspend(token none, i1 false)"
    edited = body.replace("%s = call i8 @llvm.coro.suspend(token none, i1 false)", again.replace("fastcc ", ""))
    assert edited != body
    many = [(edited if i == 5 else body).replace("@counter", f"@counter{i}") for i in range(12)]
    module = pycoro.Module(rest + "\n".join(many) + "declare void @llvm.coro.resume(ptr)\n")
    together = {each["function"]: each for each in module._core.explain()[0].coroutines()}
    assert len(together) == 12
    for name, described in together.items():
        assert module._core.explain(name)[0].coroutines() == (described,)
        assert any(field["value"] for field in described["fields"])
    ran = {each["function"]: each for each in module._core.run("coro-early,cgscc(coro-split)")[0].coroutines()}
    for name in together.keys() - {"counter5"}:
        assert [f["value"] for f in ran[name]["fields"]] == [f["value"] for f in together[name]["fields"]]
    assert all(each["clones"] for each in ran.values())
    assert len(ran["counter5"]["suspends"]) < len(ran["counter1"]["suspends"]) == len(together["counter5"]["suspends"])


def test_stages_report_their_time() -> None:
    report = pycoro.Module(COUNTER).run("coro-early,cgscc(coro-split),coro-cleanup")
    assert list(report.stages)[:2] == ["prepare", "number"] and list(report.stages)[-1] == "publish"
    assert 0 < sum(report.stages.values()) < report.seconds
    assert pickle.loads(pickle.dumps(report)).stages == report.stages
    assert pycoro.Module(COUNTER).run("coro-early").stages == {}


STARTS = """
define ptr @leaf() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 64)
  br label %begin
begin:
  %mem = phi ptr [ null, %0 ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %destroy
                            i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define void @ended() {
  %h = call ptr @leaf()
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

define ptr @kept() !dbg !4 {
  %h = call ptr @leaf(), !dbg !6
  store ptr %h, ptr @where, !dbg !7
  ret ptr %h, !dbg !8
}

@where = global ptr null
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "it's.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kept", scope: !1, file: !1, line: 3, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 4, column: 9, scope: !4)
!7 = !DILocation(line: 5, column: 3, scope: !4)
!8 = !DILocation(line: 6, column: 3, scope: !4)
"""
ELIDE = "coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide),coro-cleanup"


def test_creation_sites_are_reported_with_locations() -> None:
    report = pycoro.Module(STARTS).run(ELIDE)
    ended, kept = sorted(report.elisions, key=lambda elision: elision.caller)
    assert (ended.caller, ended.callee, ended.elided, ended.align) == ("ended", "leaf", True, 8)
    assert ended.bytes == report.coroutines["leaf"].frame.size
    assert (kept.caller, kept.callee, kept.elided, kept.pass_name) == ("kept", "leaf", False, "coro-elide")
    assert kept.instruction.startswith("store ptr %hdl.i, ptr @where") and kept.block == "%leaf.exit"
    assert kept.reason == "its handle is stored to @where, and a path to a return does not destroy it"
    assert (kept.location, kept.file, kept.line, kept.column) == ("/src/it's.c:5:3", "/src/it's.c", 5, 3)
    assert str(kept).startswith("/src/it's.c:5:3: 'leaf' not elided in 'kept': ")
    assert pickle.loads(pickle.dumps(report)).elisions == report.elisions
    assert [elision["caller"] for elision in json.loads(json.dumps(report.to_dict()))["elisions"]] == ["ended", "kept"]


def test_repeated_elision_passes_report_each_site_once() -> None:
    twice = ELIDE.replace("function(coro-elide)", "function(coro-elide),function(coro-elide)")
    elisions = pycoro.Module(STARTS).run(twice).elisions
    assert sorted((elision.caller, elision.elided) for elision in elisions) == [("ended", True), ("kept", False)]


def test_remarks_are_written_as_llvm_writes_them() -> None:
    report = pycoro.Module(STARTS).run(ELIDE)
    assert report.remarks_yaml("elide").split("--- ")[2] == (
        "!Missed\n"
        "Pass:            coro-elide\n"
        "Name:            CoroElide\n"
        "DebugLoc:        { File: '/src/it''s.c', Line: 5, Column: 3 }\n"
        "Function:        kept\n"
        "Args:\n"
        f"  - String:        '''leaf'' not elided in ''kept'': {report.elisions[1].reason}'\n"
        "...\n"
    )
    assert "coro-split" in report.remarks_yaml()
    assert report.remarks_yaml("nothing") == ""


@pytest.mark.skipif(not shutil.which("llvm-remarkutil-22"), reason="LLVM's tools are not there")
def test_llvm_reads_the_remarks(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in.ll").write_text(STARTS)
    options = ["--pass-remarks-output=out.yaml", "--pass-remarks-filter=elide"]
    subprocess.run(
        ["pycoro", "opt", "in.ll", "-disable-output", f"-passes={ELIDE}", *options], cwd=tmp_path, check=True, capture_output=True
    )
    counted = subprocess.run(
        ["llvm-remarkutil-22", "count", "--parser=yaml", "--group-by=function", "out.yaml"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "kept,1" in counted.stdout
    assert "ended,1" in counted.stdout


@pytest.mark.parametrize("passes", [PASSES, "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"])
def test_explain_and_report_describe_coroutines_equally(passes: str) -> None:
    later, at_once = pycoro.Module(COUNTER), pycoro.Module(COUNTER)
    assert at_once.functions  # the report was inspected: parsing it again would yield nothing new
    reports = [module.run(passes) for module in (later, at_once)]
    later.run("default<O1>")
    later.close()
    one, other = ([coroutine.to_dict() for coroutine in report.coroutines.values()] for report in reports)
    assert one == other and list(reports[0].coroutines) == ["counter"]
    assert reports[0].remarks == reports[1].remarks


def test_a_notebook_says_how_many_coroutines_it_does_not_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    head, body = COUNTER[: COUNTER.index("define")], COUNTER[COUNTER.index("define") :]
    body, rest = body[: body.index("\n}\n") + 3], body[body.index("\n}\n") + 3 :]
    for count, note in ((8, ""), (9, "1 more coroutine not drawn"), (11, "3 more coroutines not drawn")):
        copies = "".join(body.replace("@counter(", f"@counter{number}(") for number in range(count - 1))
        html = pycoro.lower(head + body + rest + copies)._repr_mimebundle_()["text/html"]
        assert ("not drawn" in html) is bool(note) and note in html
    monkeypatch.setattr("pycoro.drawing.views.CELL", 1)
    assert "10 more coroutines not drawn" in pycoro.lower(head + body + rest + copies)._repr_mimebundle_()["text/html"]
