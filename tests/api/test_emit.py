"""`pycoro compile` and `Module.emit`: code for this machine and others, and errors for unsupported targets."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest
from samples import COUNTER

import pycoro

TRIPLE = "x86_64-pc-linux-gnu"
HEADED = f'target triple = "{TRIPLE}"\n' + COUNTER
MAIN = """\
#include <stdio.h>
void *counter(int);
void print(int n) { printf("%d ", n); }
int main(void) {
  void **handle = counter(3);
  for (int i = 0; i < 2; i++)
    ((void (*)(void *))handle[0])(handle);
  ((void (*)(void *))handle[1])(handle);
}
"""


def run(*arguments: str, stdin: str = "", cwd: pathlib.Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pycoro", "compile", *arguments]
    return subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=120, check=False, cwd=cwd)


@pytest.mark.skipif(shutil.which("cc") is None, reason="not installed: cc")
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"])
@pytest.mark.parametrize("asked", [(), ("-relocation-model=pic",)], ids=str)
def test_a_program(level, asked, tmp_path):
    (tmp_path / "counter.ll").write_text(HEADED)
    (tmp_path / "main.c").write_text(MAIN)
    done = run("counter.ll", "-o", "counter.o", level, *asked, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    subprocess.run(["cc", "-w", "main.c", "counter.o", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], capture_output=True, check=True).stdout == b"3 4 5 "


PIC = '!llvm.module.flags = !{!0}\n!0 = !{i32 8, !"PIC Level", i32 2}\n@near = dso_local global i32 0\n'
ADDRESS = "define ptr @address() {\n  ret ptr @near\n}\n"


@pytest.mark.parametrize(
    ("asked", "moves"), [((), True), (("-relocation-model=static",), False), (("-relocation-model=pic",), True)]
)
def test_position_independence_follows_the_module(asked, moves, tmp_path):
    ir = HEADED.split("\n")[0] + "\n" + PIC + ADDRESS
    done = run("-", "-o", "-", "-filetype=asm", *asked, stdin=ir, cwd=tmp_path)
    assert done.returncode == 0 and (b"(%rip)" in done.stdout) == moves


@pytest.mark.parametrize(
    ("triple", "asked", "moves"),
    [("x86_64-pc-linux-gnu", "", True), ("x86_64-pc-linux-gnu", "static", False), ("x86_64-unknown-none-elf", "", False)],
)
def test_code_for_linux_is_position_independent(triple, asked, moves):
    module = pycoro.Module(f'target triple = "{triple}"\n@x = dso_local global i32 0\ndefine ptr @f() {{\n  ret ptr @x\n}}')
    assert (b"(%rip)" in module.emit(assembly=True, relocation_model=asked)) is moves


def test_options_select_assembly(tmp_path):
    done = run("-", "-o", "-", "-O", "2", "-filetype=asm", "-mcpu=x86-64-v3", stdin=HEADED, cwd=tmp_path)
    assert done.returncode == 0 and b"counter:" in done.stdout and b"counter.resume" in done.stdout


def test_the_default_levels_are_those_of_llc_and_clang(tmp_path):
    """The code generator's level is 2 with passes that the user names; a compilation without options is not optimized."""
    module = pycoro.lower(HEADED).module
    unoptimized, optimized = (module.emit(assembly=True, level=level) for level in (0, 2))
    assert unoptimized != optimized == module.emit(assembly=True)

    def compiled(*arguments: str) -> bytes:
        return run("-", "-o", "-", "-filetype=asm", *arguments, stdin=HEADED, cwd=tmp_path).stdout

    passes = "-passes=default<O1>"
    assert compiled(passes) == compiled(passes, "-O2") != compiled(passes, "-O0")
    assert compiled() == compiled("-O0") != compiled("-O2")


@pytest.mark.parametrize("triple", ["aarch64-linux-gnu", "riscv64-linux-gnu", "wasm32-unknown-unknown"])
def test_other_machines(triple):
    module = pycoro.lower(f'target triple = "{triple}"\n' + COUNTER).module
    before = str(module)
    code = module.emit(level=0)
    assert code[:4] in (b"\x7fELF", b"\0asm")
    assert module.emit(assembly=True) != code and str(module) == before


@pytest.mark.parametrize("passes", ["", "coro-early,cgscc(coro-split)"])
def test_coroutine_intrinsics_that_are_left_are_named(passes):
    """The code generator would crash on them, and say nothing of coroutines."""
    module = pycoro.Module(HEADED)
    if passes:
        module.run(passes)
    with pytest.raises(pycoro.RejectedError, match=r"^the module still contains a call of llvm\.coro\.\w+") as caught:
        module.emit()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.function.startswith("counter") and "llvm.coro." in diagnostic.instruction
    assert "run the passes coro-early, coro-split and coro-cleanup" in diagnostic.hint


def test_a_missing_and_a_mistyped_target_are_told_apart(tmp_path):
    missing, mistyped = (run("-", "-o", "x.o", *asked, stdin=COUNTER, cwd=tmp_path) for asked in ([], ["-target", "nativ"]))
    assert b"pycoro compile -target native" in missing.stderr
    assert b'this LLVM cannot generate code for the target "nativ"' in mistyped.stderr
    assert b"`native`" in mistyped.stderr and mistyped.returncode == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"triple": "no-such-machine"}, 'this LLVM cannot generate code for the target "no-such-machine"'),
        ({"cpu": "abacus"}, "choose a processor"),
        ({"features": "+beads"}, "'+beads' is not a recognized feature"),
        ({"relocation_model": "far"}, 'unknown relocation model "far"'),
        ({"code_model": "vast"}, 'unknown code model "vast"'),
        ({"level": 4}, "level must be 0, 1, 2 or 3"),
    ],
)
def test_unsupported_targets_and_options_are_errors(options, said):
    module = pycoro.lower(HEADED).module
    with pytest.raises((pycoro.UsageError, pycoro.JitError)) as caught:
        module.emit(**options)
    assert said in str(caught.value)
    assert module.emit()


def test_a_module_without_a_target():
    with pytest.raises(pycoro.UsageError, match="the module has no target triple"):
        pycoro.lower(COUNTER.replace("target triple", ";")).module.emit()


PAIR = """\
define ptr @pairs(i32 %n) presplitcoroutine {
  %promise = alloca { i32, i64 }
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %wide = sext i32 %n to i64
  br label %loop

loop:
  %i = phi i64 [ %wide, %0 ], [ %next, %loop.next ]
  store i32 7, ptr %promise
  %second = getelementptr { i32, i64 }, ptr %promise, i32 0, i32 1
  store i64 %i, ptr %second
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %loop.next
                             i8 1, label %cleanup ]

loop.next:
  %next = add i64 %i, 1
  br label %loop

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @malloc(i64)
declare void @free(ptr)
"""
PAIR_MAIN = """\
#include <stdio.h>
struct header { void (*resume)(void *), (*destroy)(void *); struct { int one; long two; } promise; };
struct header *pairs(int);
int main(void) {
  struct header *h = pairs(41);
  for (int i = 0; i < 2; i++, h->resume(h))
    printf("%d %ld ", h->promise.one, h->promise.two);
  h->destroy(h);
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="not installed: cc")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("target", ["native", TRIPLE])
@pytest.mark.parametrize("head", ["", 'target triple = "unknown-unknown-unknown"\ntarget datalayout = ""\n'])
def test_target_option_determines_the_frame(head, target, level, tmp_path):
    (tmp_path / "main.c").write_text(PAIR_MAIN)
    done = run("-", "-o", "pairs.o", "-target", target, level, stdin=head + PAIR, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    subprocess.run(["cc", "main.c", "pairs.o", "-o", "pairs"], check=True, cwd=tmp_path)
    assert subprocess.run([tmp_path / "pairs"], capture_output=True, check=True).stdout == b"7 41 7 42 "


def test_code_is_not_emitted_for_a_layout_that_passes_did_not_assume():
    module = pycoro.lower(PAIR).module
    with pytest.raises(pycoro.UsageError, match=r"without data layout.*\n.*set a target triple"):
        module.emit(triple=TRIPLE)
    module.triple = TRIPLE
    with pytest.raises(pycoro.UsageError, match="without data layout"):
        module.emit()
    plain = pycoro.Module(PAIR)
    plain.triple = "i686-pc-linux-gnu"
    assert pycoro.lower(plain).module.triple == "i686-pc-linux-gnu"
    with pytest.raises(pycoro.JitError, match="i64 } takes 12 bytes in the module's data layout, but 16 on the machine"):
        pycoro.lower(plain).module.emit(triple=TRIPLE)


def test_only_changes_count_and_copies_remember_that_passes_ran_without_layout():
    def emits(module: pycoro.Module) -> bool:
        try:
            module.emit(triple=TRIPLE)
        except pycoro.UsageError as error:
            assert "without data layout" in str(error)
            return False
        return True

    lowered = pycoro.lower(PAIR).module
    assert not emits(lowered.copy()) and not emits(pycoro.link([lowered]))
    by_llvm = pycoro.Module(PAIR)
    by_llvm._core.run_llvm("coro-early,cgscc(coro-split),coro-cleanup")
    assert not emits(by_llvm)
    verified = pycoro.Module("define i32 @f() {\n  ret i32 1\n}\n")
    verified.run("verify")
    assert emits(verified)


def test_failed_output_leaves_no_file(tmp_path):
    for arguments in (["-target", "no-such-machine"], ["-passes=no-such-pass"], ["-mcpu=abacus"]):
        done = run("-", "-o", "out.o", *arguments, stdin=HEADED, cwd=tmp_path)
        assert done.returncode in (1, 2) and done.stderr.startswith(b"error: "), done.stderr
        assert list(tmp_path.iterdir()) == []


def test_input_that_crashes_the_code_generator_is_an_error():
    """LLVM's code generator aborts on an intrinsic of another target: here this is an error and the process survives."""
    module = pycoro.Module(
        f'target triple = "{TRIPLE}"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n'
        "define i32 @f() {\n  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  ret i32 %x\n}\n"
    )
    with pytest.raises(pycoro.JitError, match="crashed"):
        module.emit()
    assert "f" in module.functions


def test_invalid_module_assembly_is_an_error():
    module = pycoro.Module(
        f'target triple = "{TRIPLE}"\ndefine void @f() {{\n  call void asm "no such instruction", ""()\n  ret void\n}}\n'
    )
    with pytest.raises(pycoro.JitError, match="no such instruction|invalid instruction|mnemonic"):
        module.emit()


def test_unlowered_coroutines_are_rejected(tmp_path):
    done = run("-", "-o", "counter.o", "-passes=coro-early", stdin=HEADED, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(b"error: @counter is a coroutine that no pass has split")
    assert not (tmp_path / "counter.o").exists()
