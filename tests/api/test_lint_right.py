"""False positives that the linter must avoid: correct programs that resemble mistakes, and fixes that would break code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pycoro
from pycoro import oracle

ROOT = Path(__file__).resolve().parents[2]

DECLARED = """\
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
declare ptr @make(i32)
declare ptr @start(ptr, i32)
"""


def coroutine(
    early: str = "",
    entry: str = "br label %begin",
    memory: str = "%mem",
    before: str = "",
    token: str = "none",
    suspended: str = "end",
    blocks: str = "",
    late: str = "",
) -> str:
    """Return a coroutine with one suspend, and code at the given places."""
    return f"""
define ptr @f(i32 %n) presplitcoroutine {{
entry:
  %v = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  {early}
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  {entry}
begin:
  %hdl = call ptr @llvm.coro.begin(token %id, ptr {memory})
  store i32 %n, ptr %v
  {before}
  %s = call i8 @llvm.coro.suspend(token {token}, i1 false)
  switch i8 %s, label %{suspended} [ i8 0, label %res i8 1, label %clean ]
res:
  %x = load i32, ptr %v
  call void @print(i32 %x)
  br label %clean
clean:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %end
{blocks}
end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  {late}
  ret ptr %hdl
}}
"""


def coroutine_with_end_flag(suspend: str = "", earlier: str = "") -> str:
    """Return a coroutine that records its end in a variable, and a caller that checks it before resuming."""
    return f"""
@alive = internal global i1 false
define internal ptr @g() presplitcoroutine {{
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  {suspend}
  store i1 false, ptr @alive
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %end
end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}}
define void @drive() personality ptr @personality {{
  store i1 true, ptr @alive
  %h = invoke ptr @g() to label %started unwind label %thrown
started:
  {earlier}
  %lives = load i1, ptr @alive
  br i1 %lives, label %on, label %over
on:
  call void @llvm.coro.resume(ptr %h)
  br label %over
thrown:
  %pad = landingpad {{ ptr, i32 }} cleanup
  resume {{ ptr, i32 }} %pad
over:
  ret void
}}
declare i32 @personality(...)
"""


RIGHT = {
    "the ramp alone comes to the first suspend, and returns": coroutine(suspended="started", blocks="started:\n  ret ptr %hdl"),
    "it returns where the allocation has failed, too": coroutine(
        entry="%ok = icmp ne ptr %mem, null\n  br i1 %ok, label %begin, label %out",
        suspended="out",
        blocks="out:\n  %r = phi ptr [ null, %entry ], [ %hdl, %begin ]\n  ret ptr %r",
    ),
    "a frame is begun again in memory that is the handle": """
@buffer = global [256 x i8] zeroinitializer, align 16
define void @twice() {
  %a = call ptr @start(ptr @buffer, i32 1)
  call void @llvm.coro.resume(ptr @buffer)
  call void @llvm.coro.destroy(ptr @buffer)
  %b = call ptr @start(ptr @buffer, i32 2)
  call void @llvm.coro.resume(ptr @buffer)
  call void @llvm.coro.destroy(ptr @buffer)
  ret void
}
define void @again(ptr %buffer, i1 %odd) {
  call void @llvm.coro.destroy(ptr %buffer)
  br i1 %odd, label %start, label %over
start:
  %b = call ptr @start(ptr %buffer, i32 2)
  br label %over
over:
  call void @llvm.coro.resume(ptr %buffer)
  ret void
}
""",
    "another handle is in the variable by then": """
define ptr @reuse() {
  %slot = alloca ptr
  %a = call ptr @make(i32 1) coro_elide_safe
  store ptr %a, ptr %slot
  %h = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %h)
  %b = call ptr @make(i32 1)
  store ptr %b, ptr %slot
  %r = load ptr, ptr %slot
  ret ptr %r
}
define ptr @fields() {
  %pair = alloca { ptr, ptr }
  %b = call ptr @make(i32 1)
  store ptr %b, ptr %pair
  %a = call ptr @make(i32 1) coro_elide_safe
  %second = getelementptr { ptr, ptr }, ptr %pair, i32 0, i32 1
  store ptr %a, ptr %second
  call void @llvm.coro.destroy(ptr %a)
  %r = load ptr, ptr %pair
  ret ptr %r
}
""",
    "what is given the handle looks at the address alone": coroutine(
        before="%save = call token @llvm.coro.save(ptr %hdl)\n  call void @trace(ptr %hdl)",
        token="%save",
        suspended="stays",
        blocks="stays:\n  %b = load i32, ptr %v\n  call void @print(i32 %b)\n  br label %end",
    )
    + "define void @trace(ptr readnone %h) nounwind memory(none) {\n  ret void\n}\n",
    "another coroutine, which was split, is begun behind the end": coroutine(
        late="%other = call token @llvm.coro.id(i32 0, ptr null, ptr @g, ptr @g.resumers)\n"
        "  %gmem = call ptr @malloc(i64 24)\n  %gh = call ptr @llvm.coro.begin(token %other, ptr %gmem)\n"
        "  store ptr @g.resume, ptr %gh"
    )
    + """
@g.resumers = private constant [3 x ptr] [ptr @g.resume, ptr @g.resume, ptr @g.resume]
define internal fastcc void @g.resume(ptr %h) {
  ret void
}
define ptr @g() {
  ret ptr null
}
""",
    "an address is taken back before the frame begins": coroutine(
        early="store ptr %v, ptr @current", entry="store ptr null, ptr @current\n  br label %begin"
    )
    + "@current = global ptr null\n",
    "an arena gives another part each time": """
@arena = internal global [65536 x i8] zeroinitializer, align 16
@at = internal global i64 0
define noalias ptr @bump(i64 %n) {
  %a = load i64, ptr @at
  %b = add i64 %a, %n
  store i64 %b, ptr @at
  %p = getelementptr i8, ptr @arena, i64 %a
  ret ptr %p
}
""",
    "what destroys it throws": coroutine(
        blocks="other:\n  %pad = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %pad\n"
        "gone:\n  invoke void @print(i32 0) to label %clean unwind label %other"
    )
    .replace("i8 1, label %clean", "i8 1, label %gone")
    .replace("presplitcoroutine {", "presplitcoroutine personality ptr @personality {")
    + "declare i32 @personality(...)\n",
    "whoever resumes it asks a flag of its own whether it lives": coroutine_with_end_flag(),
    "whoever resumes it asks a flag of its own whether it lives still": coroutine_with_end_flag(
        "%s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
        "  switch i8 %s, label %end [ i8 0, label %on i8 1, label %on ]\non:",
        "call void @llvm.coro.resume(ptr %h)",
    ),
    "an allocation that is guarded is tried again": """
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin
alloc:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %ok = icmp ne ptr %mem, null
  br i1 %ok, label %begin, label %again
again:
  call void @print(i32 0)
  br label %alloc
begin:
  %fr = phi ptr [ null, %entry ], [ %mem, %alloc ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %fr)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %clean i8 1, label %clean ]
clean:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %end
end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
""",
}


@pytest.mark.parametrize("what", RIGHT)
def test_correct_programs_have_no_findings(what):
    found = pycoro.Module(DECLARED + RIGHT[what]).lint()
    assert not found, str(found)


# ---- Fixes ----

POOL = DECLARED + coroutine(entry="br label %begin").replace("call ptr @malloc", "call ptr @pool_alloc").replace(
    "call void @free", "call void @pool_free"
)


def test_no_null_check_is_added_for_an_unconditional_free():
    """Without a check, ``llvm.coro.free`` never returns null; adding a check would change that."""
    declared = "declare ptr @pool_alloc(i64)\ndeclare void @pool_free(ptr)\n"
    (finding,) = pycoro.Module(POOL + declared).lint(notes=True)
    assert (finding.rule, finding.fixable) == ("unguarded-allocation", False)
    checked = POOL.replace(
        "  call void @pool_free(ptr %m)\n  br label %end",
        "  %none = icmp eq ptr %m, null\n  br i1 %none, label %end, label %give\n"
        "give:\n  call void @pool_free(ptr %m)\n  br label %end",
    )
    assert not any(f.fixable for f in pycoro.Module(checked + declared).lint(notes=True))  # one use is not guarded: undecidable


def test_fixes_preserve_the_entry_block_s_name():
    module = pycoro.Module(DECLARED + coroutine())
    assert module.lint(notes=True).fix() == 1
    assert module.functions["f"].blocks[0].name == "entry"


SHARED_OUT = coroutine(
    entry="%ok = icmp ne ptr %mem, null\n  br i1 %ok, label %begin, label %out",
    suspended="out",
    blocks="out:\n  %r = phi ptr [ null, %entry ], [ %hdl, %begin ], [ %hdl, %clean ]\n  ret ptr %r",
).replace("  call void @free(ptr %m)\n  br label %end", "  call void @free(ptr %m)\n  br label %out")


def test_unfixable_findings_do_not_block_other_fixes():
    other = """
define noalias ptr @same(ptr %p) {
  ret ptr %p
}
"""
    module = pycoro.Module(DECLARED + SHARED_OUT + other)
    findings = module.lint()
    assert [(f.rule, f.fixable) for f in findings] == [
        ("end-before-return", False),
        ("lost-block", False),
        ("noalias", True),
    ]
    assert findings.fix() == 1
    assert [finding.rule for finding in module.lint()] == ["end-before-return", "lost-block"]


def test_an_invalid_fix_disables_only_its_rule(monkeypatch):
    from pycoro.lint import fixes

    monkeypatch.setattr(fixes, "drop_attribute", lambda *_, **__: (_ for _ in ()).throw(pycoro.UsageError("broken")))
    text = DECLARED + coroutine() + "\ndefine noalias ptr @same(ptr %p) {\n  ret ptr %p\n}\n"
    module = pycoro.Module(text.replace(" presplitcoroutine", ""))
    findings = module.lint()
    assert {finding.rule for finding in findings} == {"presplitcoroutine", "noalias"}
    assert findings.fix() == 1
    assert [finding.rule for finding in module.lint()] == ["noalias"]


# ---- Output ----


def test_names_with_invalid_utf_8_are_escaped():
    text = DECLARED + 'define noalias ptr @"a\\FF\\0Ab"(ptr %p) {\n  ret ptr %p\n}\n'
    findings = pycoro.Module(text, name="a\udcff b.ll").lint()
    assert len(findings) == 1
    for told in (findings.to_dict(), findings.to_sarif()):
        json.dumps(told, ensure_ascii=False).encode()
    assert (
        findings.to_sarif()["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%FF%20b.ll"
    )
    assert len(str(findings).splitlines()) == 4  # no line is forged


def test_an_empty_rule_selection_is_an_error(tmp_path, capsys):
    from pycoro.cli import main

    (tmp_path / "a.ll").write_text(DECLARED)
    assert main(["lint", str(tmp_path / "a.ll"), "--select", ""]) == 2
    assert "--select is empty" in capsys.readouterr().err


def test_the_example_in_the_documentation():
    page = (ROOT / "docs/reference/lint.md").read_text()
    command = [sys.executable, "-m", "pycoro", "lint", "worker.ll"]
    done = subprocess.run(command, cwd=ROOT / "docs/examples", capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"$ pycoro lint worker.ll\n{done.stdout}" in page
    module = pycoro.Module.from_file(ROOT / "docs/examples/worker.ll", host=True)
    assert module.lint().fix() == 1 and not module.lint()
    assert oracle.compare(str(module), ramp="worker", schedule=("resume", "resume"), reference="interpreter")
