"""hooks of ABIs: hook modules are checked, called in place, inlined, and removed from lowered code."""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess

import pytest
from samples import CLEANUP

import pycoro
from pycoro.pipeline import abi_arguments_of

# Yields twice in a loop; queries whether to allocate.
TWICE = (
    """
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin
alloc:
  %size = call i64 @llvm.coro.size.i64()
  %room = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %room, %alloc ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop
loop:
  %i = phi i32 [ %n, %begin ], [ %next, %more ]
  call void @note(i32 %i)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %half
                             i8 1, label %cleanup ]
half:
  %twice = shl i32 %i, 1
  call void @note(i32 %twice)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %next = sub i32 %i, 1
  %any = icmp ne i32 %next, 0
  br i1 %any, label %loop, label %over
over:
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [ i8 1, label %cleanup ]
"""
    + CLEANUP
    + """\
@notes = global [64 x i8] zeroinitializer
@count = global i64 0
define void @note(i32 %what) {
  %at = load i64, ptr @count
  %place = getelementptr i8, ptr @notes, i64 %at
  %digit = add i32 %what, 48
  %char = trunc i32 %digit to i8
  store i8 %char, ptr %place
  %next = add i64 %at, 1
  store i64 %next, ptr @count
  ret void
}
define void @all() {
  %hdl = call ptr @f(i32 2)
  br label %loop
loop:
  %done = call i1 @llvm.coro.done(ptr %hdl)
  br i1 %done, label %end, label %go
go:
  call void @llvm.coro.resume(ptr %hdl)
  br label %loop
end:
  call void @llvm.coro.destroy(ptr %hdl)
  ret void
}
define void @early() {
  %hdl = call ptr @f(i32 2)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.destroy(ptr %hdl)
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""
)

LOG = "declare void @note(i32)\n"
NOTES = LOG + "".join(
    f"define void @abi.{name} {{\n  call void @note(i32 {code})\n  ret void\n}}\n"
    for name, code in {
        "begin(ptr %frame)": 9,
        "save(ptr %frame, i32 %index)": 8,
        "suspend(ptr %frame, i32 %index, i1 %final)": 7,
        "resumed(ptr %frame, i32 %index, i1 %destroyed)": 6,
        "end(ptr %frame, i32 %kind)": 5,
    }.items()
)

ARENA = """
@arena = global [4096 x i8] zeroinitializer, align 16
@top = global i64 0
@freed = global i64 0
define ptr @abi.alloc(i64 %size, i64 %align) {
  %top = load i64, ptr @top
  %less = sub i64 %align, 1
  %up = add i64 %top, %less
  %mask = xor i64 %less, -1
  %at = and i64 %up, %mask
  %next = add i64 %at, %size
  store i64 %next, ptr @top
  %memory = getelementptr i8, ptr @arena, i64 %at
  ret ptr %memory
}
define void @abi.free(ptr %memory, i64 %size) {
  %old = load i64, ptr @freed
  %new = add i64 %old, %size
  store i64 %new, ptr @freed
  ret void
}
"""

DISPATCH = """
@abi.header = constant { i32, i32 } { i32 7, i32 0 }
define void @abi.save(ptr %frame, i32 %index, ptr %clone, ptr %header) {
  %place = getelementptr { i32, i32 }, ptr %header, i32 0, i32 1
  %hidden = xor i32 %index, -1
  store i32 %hidden, ptr %place
  ret void
}
define i32 @abi.dispatch(ptr %frame, ptr %header) {
  %place = getelementptr { i32, i32 }, ptr %header, i32 0, i32 1
  %hidden = load i32, ptr %place
  %index = xor i32 %hidden, -1
  ret i32 %index
}
"""

POLL = """
declare i8 @abi.clone.poll(ptr, ptr)
define i8 @abi.suspend(ptr %frame, i32 %index, i1 %final) {
  %ready = zext i1 %final to i8
  ret i8 %ready
}
define i8 @abi.end(ptr %frame) {
  ret i8 1
}
@context = global ptr null
define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header, ptr %context) {
  store ptr %context, ptr @context
  ret void
}
"""

POLL_EACH = (
    POLL
    + """
@abi.header = constant ptr null
define void @abi.save(ptr %frame, i32 %index, ptr %clone, ptr %header) {
  store ptr %clone, ptr %header
  ret void
}
define void @abi.resume(ptr %frame, ptr %header) {
  %clone = load ptr, ptr %header
  %ready = call i8 %clone(ptr %frame, ptr null)
  ret void
}
"""
)


def of(hook_module: object, parts: str = "dispatch") -> pycoro.SwitchABI:
    class Hooked(pycoro.SwitchABI):
        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

    abi = Hooked()
    abi.hook_module = hook_module
    abi.resume_functions = parts  # type: ignore[assignment]
    return abi


def lowered(hook_module: object, parts: str = "dispatch", *more: str, ir: str = TWICE) -> pycoro.Module:
    module = pycoro.Module(ir, host=True)
    passes = ("coro-early", pycoro.CoroSplit(abis=[of(hook_module, parts)]), *more, "coro-cleanup")
    pycoro.Pipeline(*passes).run(module, verify_each=True)
    return module


def notes(module: pycoro.Module, name: str = "all") -> str:
    with pycoro.Engine(module) as engine:
        engine[name]()
        return ctypes.string_at(engine.address("notes")).decode()


def number(engine: pycoro.Engine, name: str) -> int:
    return int.from_bytes(ctypes.string_at(engine.address(name), 8), "little")


WHOLE = "2412"
"""The trace that the coroutine itself emits."""


@pytest.mark.parametrize("parts", ["dispatch", "suspend"])
@pytest.mark.parametrize("hook_module", [None, ARENA, DISPATCH, POLL_EACH], ids=["none", "arena", "dispatch", "poll"])
def test_hooks_do_not_change_behavior(hook_module: str | None, parts: str) -> None:
    plain = pycoro.Module(TWICE, host=True)
    plain.run("coro-early,cgscc(coro-split),coro-cleanup")
    module = lowered(hook_module, parts)
    assert "abi." not in "".join(module.functions)
    assert [notes(module, name) for name in ("all", "early")] == [notes(plain, name) for name in ("all", "early")]


@pytest.mark.parametrize("parts", ["dispatch", "suspend"])
def test_each_hook_is_called_at_its_place(parts: str) -> None:
    module = lowered(NOTES, parts)
    # begin; note, save, suspend; resume; ... the final suspend; resume in destroy, end
    assert notes(module) == "9" + "287" + "6487" + "6187" + "6287" + "687" + "65"
    assert notes(module, "early") == "9" + "287" + "6487" + "65"


# After an exception, destroying acts as at the final suspend: its cleanup emits 3. The preceding suspend emits 1.
ENDED = """
define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %begun ]
begun:
  call void @note(i32 1)
  br label %cleanup
more:
  invoke void @note(i32 2) to label %over unwind label %thrown
thrown:
  %exception = landingpad { ptr, i32 } cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %on
over:
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [ i8 1, label %cleanup ]
cleanup:
  %to = phi i32 [ 0, %begun ], [ 0, %over ], [ 1, %thrown ]
  %lost = phi { ptr, i32 } [ poison, %begun ], [ poison, %over ], [ %exception, %thrown ]
  call void @note(i32 3)
  %room = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %room)
  switch i32 %to, label %out [ i32 1, label %lost.on ]
lost.on:
  resume { ptr, i32 } %lost
on:
  resume { ptr, i32 } %exception
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define void @note(i32 %what) {
  call void @tell(i32 %what)
  %throws = icmp eq i32 %what, 2
  br i1 %throws, label %throw, label %fine
throw:
  %exception = call ptr @malloc(i64 32)
  call void @llvm.memset.p0.i64(ptr %exception, i8 0, i64 32, i1 false)
  %never = call i32 @_Unwind_RaiseException(ptr %exception)
  unreachable
fine:
  ret void
}
define void @all() personality ptr @__gxx_personality_v0 {
  %h = call ptr @f()
  invoke void @llvm.coro.resume(ptr %h) to label %fine unwind label %thrown
thrown:
  %exception = landingpad { ptr, i32 } catch ptr null
  call void @llvm.coro.destroy(ptr %h)
  ret void
fine:
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @_Unwind_RaiseException(ptr)
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @tell(i32)
"""


@pytest.mark.parametrize("parts", ["dispatch", "suspend"])
@pytest.mark.parametrize("hook_module", [None, DISPATCH, POLL_EACH], ids=["none", "dispatch", "poll"])
def test_destroy_after_an_exception_starts_at_the_last_saved_suspend(hook_module: str | None, parts: str) -> None:
    told: list[int] = []
    with pycoro.Interpreter(lowered(hook_module, parts, ir=ENDED), externals={"tell": told.append}) as machine:
        machine.call("all")
    assert told == [2, 3]


@pytest.mark.parametrize("parts", ["dispatch", "suspend"])
def test_entering_and_leaving_hooks_alternate_after_an_exception(parts: str) -> None:
    told: list[int] = []
    hooks = NOTES.replace("@note", "@tell")
    with pycoro.Interpreter(lowered(hooks, parts, ir=ENDED), externals={"tell": told.append}) as machine:
        machine.call("all")
    # begin, save, suspend; resumed, the call that throws, end, save; resumed in destroy, the cleanup, end
    assert told == [9, 8, 7, 6, 2, 5, 8, 6, 3, 5]


def test_a_clone_per_suspend_has_no_switch() -> None:
    module = lowered(None, "suspend", "function(simplifycfg)")
    assert {"f.resume", "f.resume.0", "f.resume.1", "f.destroy", "f.cleanup"} <= set(module.functions)
    parts = [text for text in str(module).split("\ndefine ") if "@f.resume." in text.partition("{")[0]]
    assert len(parts) == 2
    assert not any("switch" in part for part in parts)


def test_hooks_allocate_and_free_unless_the_frame_is_elided() -> None:
    module = lowered(ARENA)
    with pycoro.Engine(module) as engine:
        engine["all"]()
        size = pycoro.Module(TWICE, host=True).coroutines["f"].frame.size
        assert number(engine, "freed") == size
    inlined = TWICE.replace("i32 %n) presplit", "i32 %n) alwaysinline presplit")
    elided = lowered(ARENA, "dispatch", "always-inline", "function(coro-elide)", ir=inlined)
    with pycoro.Engine(elided) as engine:
        engine["all"]()
        assert number(engine, "top") == 0


def test_clone_arguments_and_results() -> None:
    module = lowered(POLL)
    with pycoro.Engine(module) as engine:
        poll = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p)(engine.address("f.poll"))
        ramp = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int32)(engine.address("f"))
        frame = ramp(1)
        assert [poll(frame, 40 + k) for k in range(2)] == [0, 1]
        assert number(engine, "context") == 41


ASKING = TWICE.replace(
    "  %twice = shl i32 %i, 1\n",
    "  %context = call ptr @abi.passed.1()\n  %wide = ptrtoint ptr %context to i64\n  %twice = trunc i64 %wide to i32\n",
)


def test_a_body_reads_its_clone_s_arguments() -> None:
    module = lowered(POLL, ir=ASKING + "declare ptr @abi.passed.1()\n")
    assert "abi.passed.1" not in module.functions
    with pycoro.Engine(module) as engine:
        poll = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p)(engine.address("f.poll"))
        frame = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int32)(engine.address("f"))(1)
        assert [poll(frame, 7), poll(frame, 8)] == [0, 1]
        assert ctypes.string_at(engine.address("notes")) == b"17"


@pytest.mark.parametrize("declared", ["ptr @abi.passed.2()", "i32 @abi.passed.1()", "ptr @abi.passed.0()", "ptr @abi.passed.x()"])
def test_reading_an_absent_argument_is_an_error(declared: str) -> None:
    name, result = declared.split("@")[1], declared.split()[0]
    call = f"  %context = call {result} @{name}\n  %twice = shl i32 %i, 1\n"
    with pytest.raises(pycoro.RejectedError, match="the clone has no such parameter"):
        lowered(POLL, ir=TWICE.replace("  %twice = shl i32 %i, 1\n", call) + f"declare {declared}\n")


def test_hooks_add_no_call_to_the_machine_code() -> None:
    def calls(module: pycoro.Module) -> list[str]:
        llc = shutil.which("llc-22") or shutil.which("llc")
        assert llc
        text = subprocess.run([llc, "-O2", "-o", "-"], input=str(module), capture_output=True, text=True, check=True).stdout
        resume = text.partition("\nf.resume:")[2].partition(".cfi_endproc")[0]
        return [line.split()[1] for line in resume.splitlines() if line.split()[:1] in (["callq"], ["call"], ["bl"])]

    plain = pycoro.Module(TWICE, host=True)
    plain.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert calls(plain)
    assert calls(lowered(ARENA)) == calls(plain)
    assert calls(lowered(DISPATCH)) == calls(plain)


def test_the_frame_shows_the_header() -> None:
    module = pycoro.Module(TWICE, host=True)
    split = pycoro.CoroSplit(abis=[of(DISPATCH)])
    frame = module.preview(split)["f"].frame
    kinds = [field.kind for field in frame]
    assert "header" in kinds
    assert "index" not in kinds


@pytest.mark.parametrize(
    ("hook_module", "parts", "said"),
    [
        ("define i32 @abi.alloc(i64 %s) {\n ret i32 0\n}", "dispatch", "the type of the hook is i32"),
        ("define ptr @abi.alloc(i64 %s) {\n ret ptr null\n}", "dispatch", "one of abi.alloc and abi.free is missing"),
        ("define void @abi.suspnd(ptr %f) {\n ret void\n}", "dispatch", "did you mean abi.suspend?"),
        ("define void @abi.save(i32 %i) {\n ret void\n}", "dispatch", "the type of the hook is void (i32)"),
        ("declare void @abi.save(ptr)", "dispatch", "the hook has no body"),
        ("define i32 @abi.dispatch(ptr %f) {\n ret i32 0\n}", "dispatch", "abi.dispatch reads an index, but no hook"),
        ("define void @abi.begin(ptr %f) {\n br label %nowhere\n}", "dispatch", "%nowhere"),
        ("define void @abi.begin(ptr %f) {\n call void @absent()\n ret void\n}", "dispatch", "@absent"),
        ("declare i8 @abi.clone(i32)", "dispatch", "the clones have no frame parameter"),
        ("declare i8 @abi.clone(ptr)", "dispatch", "the clones return a value, but no hook returns it"),
        ("declare i8 @abi.clone(ptr)\ndeclare i8 @abi.clone.x(ptr)", "dispatch", "two functions declare the type"),
        (POLL, "suspend", "no hook selects the clone to resume"),
        ("%o = type opaque\n@abi.header = external global %o", "dispatch", "the type of abi.header has no size"),
        ('target datalayout = "E-p:32:32"\n' + LOG, "dispatch", "data layout of the ABI's hook module differs"),
        ("define void @note(i32 %i) {\n ret void\n}\n" + NOTES.replace(LOG, ""), "dispatch", "cannot be linked"),
        (
            "define ptr @abi.alloc(i64 %s, i64 %a, ptr %p) {\n ret ptr %p\n}\ndefine void @abi.free(ptr %m) {\n ret void\n}",
            "dispatch",
            "takes arguments of the coroutine",
        ),
        ("nonsense", "dispatch", "expected top-level entity"),
        (
            "define void @abi.end(ptr %f) {\n"
            " call void @llvm.coro.resume(ptr %f)\n ret void\n}\ndeclare void @llvm.coro.resume(ptr)",
            "dispatch",
            "run coro-early on the hook module first",
        ),
        ("define void @abi.end(ptr %f) presplitcoroutine {\n ret void\n}", "dispatch", "no place for coroutines"),
        ("define void @abi.begin(ptr byval(i64) %f) {\n ret void\n}", "dispatch", "pass all arguments of this function by value"),
        ("define void @abi.begin(ptr swifterror %f) {\n ret void\n}", "dispatch", "pass all arguments of this function by value"),
        (
            "define amdgpu_kernel void @abi.begin(ptr %f) {\n ret void\n}",
            "dispatch",
            "pass all arguments of this function by value",
        ),
        ("declare void @abi.clone(ptr, ptr preallocated(i64))", "dispatch", "pass all arguments of this function by value"),
        ("declare spir_kernel void @abi.clone(ptr)", "dispatch", "pass all arguments of this function by value"),
        ("declare void @abi.clone(ptr) naked", "dispatch", "the clones cannot be assembly"),
        ('declare void @abi.clone(ptr, [2 x {i8, target("spirv.Image")}])', "dispatch", "has a type without a zero value"),
        ("@part = global ptr @abi.clone\ndeclare void @abi.clone(ptr)", "dispatch", "the prototype of the clones has uses"),
        ("@abi.begin = alias void (ptr), ptr @x\ndefine void @x(ptr %f) {\n ret void\n}", "dispatch", "not an alias or an ifunc"),
        ("@abi.header = global i64 0, align 64", "dispatch", "the alignment of the ABI's header exceeds"),
        ("@abi.header = global <64 x i64> zeroinitializer", "dispatch", "the alignment of the ABI's header exceeds"),
    ],
)
def test_invalid_hook_modules_are_rejected(hook_module: str, parts: str, said: str) -> None:
    module = pycoro.Module(TWICE, host=True)
    before = str(module)
    with pytest.raises(pycoro.Error) as caught:
        pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(hook_module, parts)])).run(module)
    assert said in str(caught.value)
    assert str(module) == before


NOTE_BEGIN = LOG + "define {} void @abi.begin(ptr %frame) {{\n  call void @note(i32 9)\n  ret void\n}}\n"


@pytest.mark.parametrize("linkage", ["dllexport", "linkonce", "internal", "available_externally", "protected"])
def test_hooks_are_found_with_any_linkage(linkage: str) -> None:
    assert notes(lowered(NOTE_BEGIN.format(linkage))) == "9" + WHOLE


@pytest.mark.parametrize(
    "header", ["external global i64", "internal global i64 5", "common global i64 0", "thread_local global i64 1"]
)
def test_headers_are_found_with_any_linkage(header: str) -> None:
    module = lowered(f"@abi.header = {header}\n" + NOTE_BEGIN.format(""))
    assert notes(module) == "9" + WHOLE
    assert "header" not in str(module).partition("define")[0]


def test_header_alignment_is_respected_by_allocating_abis() -> None:
    asked = re.sub(r"ret ptr %memory", "call void @check(i64 %align)\n  ret ptr %memory", ARENA) + (
        "@asked = global i64 0\ndefine internal void @check(i64 %align) {\n  store i64 %align, ptr @asked\n  ret void\n}\n"
        "@abi.header = global i64 0, align 64\n"
    )
    with pycoro.Engine(lowered(asked)) as engine:
        engine["all"]()
        assert number(engine, "asked") == 64


@pytest.mark.parametrize("hook", ["alloc", "free", "begin", "save", "suspend", "dispatch", "resumed", "end", "resume"])
def test_a_hook_may_never_return(hook: str) -> None:
    hook_module = (
        ARENA
        + DISPATCH
        + "declare i8 @abi.clone(ptr)\n"
        + "".join(
            f"define {'i8' if name in ('suspend', 'end') else 'void'} @abi.{name}(ptr %f) {{\n  unreachable\n}}\n"
            for name in ("suspend", "end", hook)
            if f"@abi.{name}(" not in ARENA + DISPATCH
            and (name != "end" or hook != "end")
            and (name != "suspend" or hook != "suspend")
        )
    )
    for name in {"suspend", "end"} & {hook}:
        hook_module += f"define i8 @abi.{name}(ptr %f) {{\n  unreachable\n}}\n"
    whole = re.sub(rf"(@abi\.{hook}\([^{{]*{{\n).*?\n}}", r"\1  br label %l\nl:\n  br label %l\n}", hook_module, flags=re.DOTALL)
    assert "br label %l\n}" in whole
    lowered(whole).verify()


def test_a_hook_may_resume_another_coroutine() -> None:
    hook_module = pycoro.Module(
        LOG
        + """
define void @abi.begin(ptr %frame) {
  %done = call i1 @llvm.coro.done(ptr %frame)
  br i1 %done, label %out, label %more
more:
  call void @llvm.coro.resume(ptr @frame)
  br label %out
out:
  ret void
}
@frame = internal global { ptr } { ptr @note9 }
define internal fastcc void @note9(ptr %frame) {
  call void @note(i32 9)
  ret void
}
declare i1 @llvm.coro.done(ptr)
declare void @llvm.coro.resume(ptr)
"""
    )
    hook_module.run("coro-early")
    module = lowered(hook_module)
    assert notes(module) == "9" + WHOLE
    assert not any("abi." in name for name in module.functions)


RECURSIVE = (
    LOG
    + """
define void @abi.begin(ptr %frame) {{
  %none = icmp eq ptr %frame, null
  br i1 %none, label %out, label %more
more:
  call void @abi.begin(ptr null)
  call void @note(i32 {})
  br label %out
out:
  ret void
}}
"""
)
OTHER = TWICE.replace("@f(", "@g(").partition("@notes =")[0]


def test_each_run_uses_its_hook_module() -> None:
    module = pycoro.Module(TWICE, host=True)
    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(RECURSIVE.format(9))])).run(module, verify_each=True)
    second = pycoro.Module(str(module) + OTHER[OTHER.index("define ptr @g") :] + CALLS_G, host=True)
    pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[of(RECURSIVE.format(8))]), "coro-cleanup").run(second, verify_each=True)
    assert notes(second) == "9" + WHOLE
    assert notes(second, "other") == "82"


CALLS_G = """
define void @other() {
  %hdl = call ptr @g(i32 2)
  call void @llvm.coro.destroy(ptr %hdl)
  ret void
}
"""


@pytest.mark.parametrize("kind", ["global i32 0", "global ptr null"])
def test_names_in_the_module_are_unchanged(kind: str) -> None:
    own = f"@pycoro.abi.0.begin = {kind}\ndefine void @pycoro.abi.1.begin() {{\n  ret void\n}}\n"
    own += "define void @abi.passed.mine() {\n  ret void\n}\n"
    module = lowered(POLL + NOTE_BEGIN.format(""), ir=TWICE + own)
    assert {"pycoro.abi.1.begin", "abi.passed.mine"} <= set(module.functions)
    assert notes(module) == "9" + WHOLE


PAIR = "%pair = type { i32, i32 }\n"
PASSES_PAIR = (
    PAIR
    + """
declare %pair @abi.clone.next(ptr, %pair)
define %pair @abi.suspend(ptr %frame, i32 %index) {
  %result = insertvalue %pair zeroinitializer, i32 %index, 0
  ret %pair %result
}
define %pair @abi.end(ptr %frame) {
  ret %pair { i32 5, i32 6 }
}
define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header, %pair %passed) {
  %first = extractvalue %pair %passed, 0
  call void @note(i32 %first)
  ret void
}
declare void @note(i32)
"""
)


def test_named_types_resolve_to_the_module_s() -> None:
    asking = TWICE.replace(
        "  %twice = shl i32 %i, 1\n", "  %given = call %pair @abi.passed.1()\n  %twice = extractvalue %pair %given, 1\n"
    )
    module = lowered(PASSES_PAIR, ir=PAIR + "@pair = global %pair zeroinitializer\n" + asking + "declare %pair @abi.passed.1()\n")
    assert "%pair.0" not in str(module)
    with pycoro.Engine(module) as engine:
        following = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)(engine.address("f.next"))
        frame = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int32)(engine.address("f"))(1)
        assert following(frame, 3, 4) == 1
        assert ctypes.string_at(engine.address("notes")) == b"134"


PLACES = """
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!7}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = distinct !DISubprogram(name: "one", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocation(line: 3, scope: !3)
!7 = !{i32 2, !"Debug Info Version", i32 3}
"""


@pytest.mark.parametrize("parts", ["dispatch", "suspend"])
def test_hook_calls_get_a_debug_location(parts: str) -> None:
    own = "define internal void @own() !dbg !3 {\n  call void @note(i32 9), !dbg !6\n  ret void, !dbg !6\n}\n"
    hook_module = LOG + own + PLACES + "define void @abi.begin(ptr %f) {\n  call void @own()\n  ret void\n}\n"
    ir = TWICE.replace("presplitcoroutine {", "presplitcoroutine !dbg !3 {").replace("(i32 %i)", "(i32 %i), !dbg !6")
    ir = ir.replace("(i32 %twice)", "(i32 %twice), !dbg !6").replace(
        "declare void @note(i32 %i), !dbg !6", "declare void @note(i32 %i)"
    )
    for hook in ("begin", "save", "suspend", "resumed", "end"):
        module = lowered(hook_module.replace("abi.begin", f"abi.{hook}"), parts, ir=ir + PLACES)
        assert "9" in notes(module)


@pytest.mark.parametrize(
    ("hook_module", "parts"),
    [(ARENA, "dispatch"), (DISPATCH, "suspend"), (POLL_EACH, "suspend"), (POLL, "dispatch")],
    ids=["arena", "dispatch", "each", "poll"],
)
def test_allocation_failures_are_reported(hook_module: str, parts: str) -> None:
    """Fails allocations seven apart; the first index differs between runs."""
    ir = ASKING + "declare ptr @abi.passed.1()\n" if hook_module is POLL else TWICE
    module = pycoro.Module(ir, host=True)
    before, n, failed = str(module), random.randrange(1, 8), 0
    abis = abi_arguments_of(pycoro.CoroSplit(abis=[of(hook_module, parts)]))
    while True:
        try:
            module._core.run("coro-early,coro-split,coro-cleanup", fail_allocation=n, abis=abis)
        except MemoryError:
            failed += 1
        else:
            break
        assert str(module) == before
        n += 7
    assert failed > 20


def test_swifterror_values_are_not_passed_to_hooks() -> None:
    hook_module = (
        "define ptr @abi.alloc(i64 %s, i64 %a, i32 %n, ptr %e) {\n ret ptr %e\n}\ndefine void @abi.free(ptr %m) {\n ret void\n}"
    )
    ir = TWICE.partition("define void @all")[0].replace("(i32 %n)", "(i32 %n, ptr swifterror %error)")
    with pytest.raises(pycoro.RejectedError, match="takes arguments of the coroutine"):
        lowered(hook_module, ir=ir + "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n")


def test_invalid_hook_module_types_are_errors() -> None:
    for hook_module in (pycoro.Module(ARENA), ARENA.encode(), pycoro.Module(ARENA).bitcode()):
        assert notes(lowered(hook_module)) == WHOLE
    with pytest.raises(TypeError, match="hook_module must be IR"):
        lowered(5)
    with pytest.raises(TypeError, match="resume_functions must be one of 'dispatch', 'suspend'"):
        lowered(None, "each")


DYNAMIC = """
declare void @touch(ptr)
define void @abi.suspend(ptr %frame, i32 %index) {
  %wide = zext i32 %index to i64
  %size = add i64 %wide, 65536
  %room = alloca i8, i64 %size
  call void @touch(ptr %room)
  ret void
}
"""

LOOP = """
define void @many(i32 %times) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %handle = call ptr @f(i32 %i)
  call void @llvm.coro.destroy(ptr %handle)
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %times
  br i1 %on, label %loop, label %end
end:
  ret void
}
declare void @llvm.coro.destroy(ptr)
"""


def test_hook_allocas_are_released() -> None:
    """Each hook allocates 64 KiB of stack; the ramp is inlined into a loop of a thousand iterations."""
    touched: list[int] = []
    ir = TWICE.replace("i32 %n) presplit", "i32 %n) alwaysinline presplit") + LOOP.replace(
        "declare void @llvm.coro.destroy(ptr)\n", ""
    )
    module = lowered(DYNAMIC, "dispatch", "always-inline", ir=ir)
    assert str(module).count("@llvm.stackrestore") > 1
    with pycoro.Engine(module, externals={"touch": touched.append}) as engine:
        engine["many"](1000)
    assert len(touched) == 1000 and len(set(touched)) == 1


@pytest.mark.parametrize("abis", [(), (of(ARENA),)], ids=["no-abi", "no-clone"])
def test_reading_arguments_of_an_abi_without_any_is_an_error(abis: tuple[pycoro.ABI, ...]) -> None:
    ir = TWICE.replace("entry:\n", "entry:\n  %asked = call i32 @abi.passed.1()\n", 1) + "declare i32 @abi.passed.1()\n"
    module = pycoro.Module(ir, host=True)
    with pytest.raises(pycoro.RejectedError, match="has no hooks|the clone has no such parameter") as caught:
        module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=abis), "coro-cleanup"))
    assert caught.value.diagnostics[0].rule == "hook-module-passed" and caught.value.diagnostics[0].hint
