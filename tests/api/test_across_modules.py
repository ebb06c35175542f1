"""Separately compiled callers and coroutines. Published frames are elided into coroutines of other modules; the published
function is linked, or linking fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycoro
from pycoro import summary

DECLARATIONS = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare void @say(i32)
"""
BEGIN = """
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %wanted = call i1 @llvm.coro.alloc(token %id)
  br i1 %wanted, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  br label %begin
begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %place)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %cleanup]
resume:
"""
END = """
cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  %is = icmp ne ptr %used, null
  br i1 %is, label %free, label %out
free:
  call void @release(ptr %used)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
"""
LEAF = f"""{DECLARATIONS}
declare ptr @allocate(i64)
declare void @release(ptr)
define ptr @leaf(i32 %n) presplitcoroutine {{
entry:{BEGIN}
  call void @say(i32 %n)
  br label %cleanup
{END}"""
WIDER = (
    LEAF.replace("entry:", "entry:\n  %more = alloca [64 x i8]")
    .replace("  call void @say", "  call void @keep(ptr %more)\n  call void @say")
    .replace("  %s = call i8", "  call void @keep(ptr %more)\n  %s = call i8")
    + "define void @keep(ptr %p) noinline { ret void }\n"
)
CALLER = f"""{DECLARATIONS}
declare ptr @leaf(i32)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
@number = constant [4 x i8] c"%d\\0A\\00"
@taken = constant [7 x i8] c"taken\\0A\\00"
@given = constant [7 x i8] c"given\\0A\\00"
define void @say2(i32 %n) {{ ret void }}
define ptr @allocate(i64 %n) {{
  call i32 (ptr, ...) @printf(ptr @taken)
  %m = call ptr @malloc(i64 %n)
  ret ptr %m
}}
define void @release(ptr %m) {{
  call i32 (ptr, ...) @printf(ptr @given)
  call void @free(ptr %m)
  ret void
}}
define ptr @parent(i32 %n) presplitcoroutine {{
entry:{BEGIN}
  %child = call ptr @leaf(i32 %n) coro_elide_safe
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [i8 0, label %on
                            i8 1, label %drop]
on:
  call void @llvm.coro.resume(ptr %child)
  br label %cleanup
drop:
  call void @llvm.coro.destroy(ptr %child)
  br label %cleanup
{END}
define i32 @main() {{
  %h = call ptr @parent(i32 7)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  ret i32 0
}}
""".replace("declare void @say(i32)", "").replace(
    "define void @say2(i32 %n) { ret void }",
    """define void @say(i32 %n) {
  call i32 (ptr, ...) @printf(ptr @number, i32 %n)
  ret void
}""",
)
PLAIN = CALLER.replace(
    CALLER[CALLER.index("define ptr @parent") :],
    """define i32 @main() {
  %h = call ptr @leaf(i32 7)
  call void @llvm.coro.resume(ptr %h)
  ret i32 0
}
""",
)
"""A plain function that creates a coroutine, which ends at its first resume."""
TELLS = LEAF.replace("  %s = call i8", "  store ptr %frame, ptr @known\n  %s = call i8") + "@known = global ptr null\n"
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"


def published_leaf(ir: str = LEAF, passes: str = LOWER) -> pycoro.Module:
    module = pycoro.Module(ir, name="leaf.ll")
    summary.publish(module)
    module.run(passes)
    return module


def caller(told: dict, passes: str = LOWER) -> pycoro.Report:
    module = pycoro.Module(CALLER, name="caller.ll")
    summary.import_summary(module, told)
    return module.run(passes)


def built(tmp_path: Path, *modules: pycoro.Module) -> subprocess.CompletedProcess[str]:
    clang = shutil.which("clang-22") or pytest.skip("clang-22 is not installed")
    for number, module in enumerate(modules):
        (tmp_path / f"{number}.bc").write_bytes(module.bitcode())
        command = [clang, "-Wno-override-module", "-c", f"{number}.bc", "-o", f"{number}.o"]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    objects = [f"{number}.o" for number in range(len(modules))]
    return subprocess.run(
        [clang, *objects, "-o", "program"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_summary_lists_published_coroutines():
    told = summary.summary(published_leaf())
    (leaf,) = told["coroutines"]
    assert leaf == {"name": "leaf", "abi": "switch", "size": 24, "align": 8, "handle": "1,r,ramp,unwound,resume"}
    assert published_leaf().globals["leaf.noalloc.v1.24.8"].linkage == "external"


@pytest.mark.parametrize(
    "ir",
    [
        LEAF.replace("define ptr", "define internal ptr"),
        LEAF.replace("define ptr", "define linkonce_odr ptr"),
        LEAF.replace("define ptr", "define weak ptr"),
        LEAF.replace("@leaf(i32 %n)", "@leaf(i32 %n, ...)"),
        LEAF.replace("call i1 @llvm.coro.alloc(token %id)", "icmp eq i32 0, 0"),
    ],
    ids=["internal", "linkonce_odr", "weak", "variadic", "never asks whether to allocate"],
)
def test_replaceable_and_internal_coroutines_are_not_published(ir):
    module = published_leaf(ir)
    assert summary.summary(module)["coroutines"] == []
    assert not any("noalloc.v1" in name for name in module.globals)


def test_nothing_is_published_by_default():
    module = pycoro.Module(LEAF)
    module.run(LOWER)
    assert not any("noalloc" in name for name in [*module.functions, *module.globals])


@pytest.mark.parametrize("passes", [LOWER, "default<O0>", "default<O2>"])
def test_a_frame_is_elided_into_another_module_s_frame(tmp_path, passes):
    leaf = published_leaf(passes=passes)
    report = caller(summary.summary(leaf), passes)
    (elision,) = [elision for elision in report.elisions if elision.callee == "leaf"]
    assert (elision.caller, elision.elided, elision.bytes, elision.align) == ("parent", True, 24, 8)
    done = built(tmp_path, leaf, report.module)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60, check=True).stdout.split()
    assert said in (["taken", "7", "given"], ["7"]), "one frame is allocated: the parent's, which main may elide"


def test_without_a_summary_both_are_allocated(tmp_path):
    plain = pycoro.Module(CALLER)
    plain.run(LOWER)
    assert built(tmp_path, published_leaf(), plain).returncode == 0
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60, check=True).stdout.split()
    assert said.count("taken") == said.count("given") == 2


def test_a_coroutine_that_has_changed_is_not_linked(tmp_path):
    old = caller(summary.summary(published_leaf()))
    changed = published_leaf(WIDER)
    assert summary.summary(changed)["coroutines"][0]["size"] > 24
    done = built(tmp_path, changed, old.module)
    assert done.returncode != 0
    assert "leaf.noalloc.v1.24.8" in done.stderr
    assert built(tmp_path, changed, caller(summary.summary(changed)).module).returncode == 0


def plain(told: dict) -> pycoro.Report:
    module = pycoro.Module(PLAIN, name="plain.ll")
    summary.import_summary(module, told)
    return module.run("coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup")


@pytest.mark.parametrize("passes", [LOWER, "default<O2>"])
def test_a_plain_caller_has_the_frame_on_its_stack(tmp_path, passes):
    leaf = published_leaf(passes=passes)
    report = plain(summary.summary(leaf))
    (elision,) = report.elisions
    assert (elision.caller, elision.callee, elision.elided) == ("main", "leaf", True)
    assert elision.reason == "its handle is unreachable where it is not destroyed"
    done = built(tmp_path, leaf, report.module)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "program"], capture_output=True, timeout=60, check=True).stdout == b"7\n"


def test_a_coroutine_whose_handle_escapes_is_not_elided(tmp_path):
    leaf = published_leaf(TELLS)
    told = summary.summary(leaf)
    assert told["coroutines"][0]["handle"] == "1,r,unwound,resume"
    report = plain(told)
    (elision,) = report.elisions
    assert (elision.elided, elision.reason.split(",")[0]) == (False, "its handle escapes before its ramp returns")
    assert built(tmp_path, leaf, report.module).returncode == 0
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60, check=True).stdout.split()
    assert said == ["taken", "7", "given"]


def test_a_coroutine_whose_handle_escapes_after_a_change_is_not_linked(tmp_path):
    old = plain(summary.summary(published_leaf()))
    done = built(tmp_path, published_leaf(TELLS), old.module)
    assert done.returncode != 0
    assert "leaf.noalloc.v1.24.8.h1.r.ramp.unwound.resume" in done.stderr
    awaiting = caller(summary.summary(published_leaf()))  # relies on the frame alone
    assert built(tmp_path, published_leaf(TELLS), awaiting.module).returncode == 0


def test_without_a_handle_summary_it_is_not_elided():
    told = summary.summary(published_leaf())
    for coroutine in told["coroutines"]:
        del coroutine["handle"]
    report = plain(told)
    assert [(e.elided, e.reason) for e in report.elisions] == [(False, "its module exports no handle summary")]
    assert not any("noalloc.v1.24.8.h" in name for name in report.module.functions)


def test_lto_inlines_the_published_function():
    leaf = published_leaf()
    whole = pycoro.link([leaf, caller(summary.summary(leaf)).module])
    report = whole.run("internalize<preserve-gv=main>,lto<O2>")
    assert "noalloc.v1" not in str(report.module)


def test_a_frontend_may_set_the_attribute():
    ir = CALLER.replace("declare ptr @leaf(i32)", 'declare ptr @leaf(i32) "coro-frame"="1,24,8"')
    assert "leaf.noalloc.v1.24.8" in pycoro.lower(ir).module.functions


def test_summaries_of_another_version_are_ignored():
    ir = CALLER.replace("declare ptr @leaf(i32)", 'declare ptr @leaf(i32) "coro-frame"="2,24,8"')
    assert not any("noalloc" in name for name in pycoro.lower(ir).module.functions)


HANDLE = '{"format": "pycoro-summary", "version": 1, "coroutines": [{"name": "f", "size": 8, "align": 8, "handle": %}]}'
MALFORMED = [
    "",
    "1",
    "1,24",
    "1,24,8,",
    "1,24,8,1",
    "1,24,3",
    "1,0,8",
    "1,24,0",
    "1,-24,8",
    "1, 24,8",
    "x",
    "1,24,2097152",
    "1,9999999999999999999999,8",
]


def check_rejected(module, attribute):
    """Check that the module is rejected for an attribute of @leaf and is unchanged."""
    before = str(module)
    with pytest.raises(pycoro.RejectedError, match=attribute) as caught:
        module.run(LOWER)
    rule = attribute.replace("coro-", "published-")
    assert (caught.value.diagnostics[0].rule, caught.value.diagnostics[0].function) == (rule, "leaf")
    assert str(module) == before


@pytest.mark.parametrize("facts", MALFORMED)
def test_a_malformed_attribute_is_refused(facts):
    module = pycoro.Module(CALLER.replace("declare ptr @leaf(i32)", f'declare ptr @leaf(i32) "coro-frame"="{facts}"'))
    check_rejected(module, "coro-frame")


@pytest.mark.parametrize(
    "words",
    [
        "",
        "r",
        ",r",
        "1,",
        "1 ,r",
        "1,r,",
        "1,R",
        "1,ram",
        "1,ramps",
        "1,r0",
        "1,r,r",
        "1,rk",
        "1,p",
        "1,p0_0",
        "1,p1_0",
        "1,p0",
        "1,pm",
    ],
)
def test_a_malformed_handle_summary_is_rejected(words):
    module = pycoro.Module(PLAIN.replace("@leaf(i32)", f'@leaf(i32) "coro-frame"="1,24,8" "coro-handle"="{words}"'))
    check_rejected(module, "coro-handle")


def test_a_name_collision_is_rejected():
    ir = CALLER.replace("declare ptr @leaf(i32)", 'declare ptr @leaf(i32) "coro-frame"="1,24,8"')
    with pytest.raises(pycoro.RejectedError, match="that of a ramp"):
        pycoro.lower(ir + "declare void @leaf.noalloc.v1.24.8()\n")
    ir = PLAIN.replace("declare ptr @leaf(i32)", 'declare ptr @leaf(i32) "coro-frame"="1,24,8" "coro-handle"="1,r"')
    with pytest.raises(pycoro.RejectedError, match="that of a ramp"):
        pycoro.lower(ir + "declare void @leaf.noalloc.v1.24.8.h1.r()\n")


def test_a_summary_of_another_machine_is_refused():
    told = summary.summary(published_leaf()) | {"triple": "aarch64-unknown-linux-gnu"}
    with pytest.raises(pycoro.FileError, match="the summary has the target 'aarch64-unknown-linux-gnu'"):
        caller(told)


def test_summaries_of_defined_functions_are_ignored():
    module = pycoro.Module(LEAF)
    assert summary.import_summary(module, summary.summary(published_leaf())) == ()


def test_summaries_of_weak_declarations_are_ignored():
    """The attribute must not create an undefined symbol, which would fail to link."""
    weak = CALLER.replace("declare ptr @leaf", "declare extern_weak ptr @leaf")
    assert weak != CALLER
    module = pycoro.Module(weak)
    summary.import_summary(module, summary.summary(published_leaf()))
    module.run("default<O2>")
    assert "@leaf.noalloc" not in str(module)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a summary of pycoro"),
        ('{"format": "pycoro-report", "version": 1}', "not a summary of pycoro"),
        ('{"format": "pycoro-summary", "version": 2}', "its version is 2"),
        ('{"format": "pycoro-summary", "version": 1}', "'coroutines' is not a list"),
        ('{"format": "pycoro-summary", "version": 1, "coroutines": [{"name": "f"}]}', "'coroutines' is not a list"),
        ('{"format": "pycoro-summary", "version": 1, "coroutines": []}', "'triple' or 'datalayout' is missing"),
        (HANDLE.replace("%", "1"), "'coroutines' is not a list"),
        (HANDLE.replace("%", '"1,r\\" noinline"'), "'coroutines' is not a list"),
    ],
)
def test_damaged_summaries_are_named(tmp_path, text, said):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(pycoro.FileError, match=said):
        summary.read_summary(tmp_path / "bad.json")


def test_the_command(tmp_path):
    def opt(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "pycoro", "opt", f"-passes={LOWER}", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)

    (tmp_path / "leaf.ll").write_text(LEAF)
    (tmp_path / "caller.ll").write_text(CALLER)
    assert opt("leaf.ll", "-o", "leaf.bc", "--export-summary=leaf.json").returncode == 0
    assert json.loads((tmp_path / "leaf.json").read_text())["coroutines"][0]["name"] == "leaf"
    assert opt("caller.ll", "-o", "caller.bc", "--import-summary=leaf.json").returncode == 0
    names = pycoro.Module.from_file(tmp_path / "caller.bc").functions
    assert names["leaf.noalloc.v1.24.8"].is_declaration
    missing = opt("caller.ll", "-o", "caller.bc", "--import-summary=nowhere.json")
    assert (missing.returncode, missing.stderr) == (1, b"error: nowhere.json: No such file or directory\n")
