"""The same module is lowered to the same bytes, whatever the addresses and the use lists of its objects are."""

from __future__ import annotations

import hashlib
import pathlib
import random
import re
import subprocess
import sys

import pytest

import pycoro

sys.path.append(str(pathlib.Path(__file__).parents[1] / "real"))
import coroharness as harness

CASES = sorted((pathlib.Path(__file__).parents[1] / "ir" / "elide").glob("*.ll"))
LOOPS = pathlib.Path(__file__).parents[2] / "bench" / "running" / "filters.cpp"
GENERATOR = pathlib.Path(__file__).parents[1] / "elision" / "support"
ELIDE = "coro-early,cgscc(coro-split,coro-annotation-elide,function(coro-elide)),function(coro-elide),coro-cleanup"
O2 = "default<O2>"


def digest(source: str | bytes, passes: str) -> str:
    """Return a hash of the lowered module, or of the error, without the name of its file."""
    try:
        module = pycoro.Module(source)
        module.run(passes)
        text = str(module)
    except pycoro.Error as error:
        text = str(error)
    return hashlib.sha256(re.sub(r"^(; ModuleID|source_filename).*\n|<\w+>", "", text, flags=re.MULTILINE).encode()).hexdigest()


def users(module: pycoro.Module) -> dict[str, list[str]]:
    return {name: [str(user) for user in module.functions[name].users] for name in module.functions}


def modules() -> list[pycoro.Module]:
    found = []
    for path in CASES:
        try:
            found.append(pycoro.Module(path.read_text()))
        except pycoro.Error:  # a case of a rejected module
            continue
    return found


def test_the_order_of_uses_does_not_change_a_lowering() -> None:
    differ = 0
    for module in modules():
        text, bitcode = str(module), module.bitcode()
        read = pycoro.Module(bitcode)
        if digest(text, "verify") != digest(bitcode, "verify"):  # reading bitcode upgrades an older data layout
            continue
        differ += users(pycoro.Module(text)) != users(read)
        assert digest(text, ELIDE) == digest(bitcode, ELIDE), module.name
    assert differ > 10  # readers of text and of bitcode create users in different orders


def test_earlier_work_of_the_process_does_not_change_a_lowering() -> None:
    texts = [str(module) for module in modules()]
    wanted = [digest(text, ELIDE) for text in texts]
    chosen = random.Random(37)
    alive: list[object] = []
    for _ in range(3):
        for i in chosen.sample(range(len(texts)), len(texts)):
            alive.append([bytearray(chosen.randrange(16, 2048)) for _ in range(chosen.randrange(300))])
            alive.append(pycoro.Module(chosen.choice(texts)))
            del alive[: chosen.randrange(3)]
            assert digest(texts[i], ELIDE) == wanted[i]


def test_moved_instructions_equal_copies() -> None:
    """coro-split moves instructions that one clone only contains. If it keeps the presplit function for the checker, it copies."""
    compared = 0
    for path in sorted(path for name in ("switch", "layout", "elide") for path in (CASES[0].parents[1] / name).glob("*.ll")):
        texts = []
        for check in (False, True):
            try:
                module = pycoro.Module(path.read_text())
                module.run("coro-early,cgscc(coro-split),coro-cleanup", check=check)
            except pycoro.Error:  # a case of a rejected module
                break
            texts.append(re.sub(r"(%[\w.]*?)\d+\b", r"\1", str(module)))  # numbers that make names unique
        compared += len(texts) == 2
        assert texts[1:] == texts[:1] or not texts, path.name
    assert compared > 100


COROUTINE = """
define {linkage} ptr @{name}(i32 %n) presplitcoroutine {{
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  {call}
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %destroy i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""
DECLARATIONS = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def test_callers_of_a_small_wave_are_visited_in_module_order() -> None:
    callers = [f"caller{i}" for i in (3, 0, 4, 1, 5, 2)]
    text = DECLARATIONS + "".join(
        f"define void @plain{i}() {{\n  ret void\n}}\n" for i in range(40)
    )  # more, so that waves are small
    for name in callers:
        text += COROUTINE.format(linkage="", name=name, call="%c = call ptr @middle(i32 1) coro_elide_safe")
    text += COROUTINE.format(linkage="internal", name="middle", call="%c = call ptr @leaf(i32 1) coro_elide_safe")
    text += COROUTINE.format(linkage="internal", name="leaf", call="")
    passes = "coro-early,cgscc(function(instcombine),coro-split,coro-annotation-elide),coro-cleanup"
    for order in ("5, 4, 3, 2, 1, 0", "2, 5, 1, 0, 4, 3"):
        module = pycoro.Module(f"{text}uselistorder ptr @middle, {{ {order} }}\n", trusted=True)
        assert [elision.caller for elision in module.run(passes).elisions] == ["middle", *callers]


@pytest.mark.slow
def test_optimized_loops_are_the_same_in_every_process() -> None:
    flags = (*harness.LANGUAGE, f"-I{LOOPS.parent}", f"-I{GENERATOR}")
    presplit = harness.presplit(LOOPS, "-O2", flags)
    wanted = digest(presplit.read_bytes(), O2)
    digest(CASES[0].read_text(), ELIDE)
    assert digest(presplit.read_bytes(), O2) == wanted
    script = f"import test_same_bytes as t, pathlib; print(t.digest(pathlib.Path({str(presplit)!r}).read_bytes(), t.O2))"
    command = [sys.executable, "-c", script]
    for _ in range(3):  # with other addresses
        ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent)
        assert ran.stdout.strip() == wanted
