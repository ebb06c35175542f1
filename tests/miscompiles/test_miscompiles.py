"""Inputs that LLVM 22.1.8 miscompiles and pycoro does not: both lower the input, and the result is run or compiled. Each
test asserts LLVM's result too, so that it fails when a release of LLVM is fixed."""

from __future__ import annotations

import pathlib
import re
import signal
import subprocess

import coroharness as harness
import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"
ELIDE = "coro-early,cgscc(coro-split,coro-annotation-elide),coro-cleanup,default<O2>"
LOWERINGS = ("pycoro", "reference")
pytestmark = pytest.mark.skipif(harness.llvm_version() != "22.1.8", reason="these are faults of LLVM 22.1.8")


def lower(mode: str, source: pathlib.Path, out: pathlib.Path, passes: str = LOWER) -> subprocess.CompletedProcess[str]:
    return harness.run_command([*harness.opt_command(mode), str(source), f"-passes={passes}", "-S", "-o", str(out)])


def lowered(mode: str, source: pathlib.Path, folder: pathlib.Path, passes: str = LOWER) -> pathlib.Path:
    out = folder / f"{mode}.ll"
    done = lower(mode, source, out, passes)
    assert done.returncode == 0, done.stdout
    return out


def presplit(name: str, folder: pathlib.Path, *flags: str) -> pathlib.Path:
    return harness.emit_ir(PROGRAMS / name, folder / "presplit.ll", "-O2", (*harness.LANGUAGE, *flags))


def run(ir: pathlib.Path, folder: pathlib.Path, level: str = "-O0") -> subprocess.CompletedProcess[str]:
    program = harness.link([harness.compile_ir(ir, folder / f"{ir.stem}.o", level)], folder / f"{ir.stem}.out")
    return subprocess.run(
        [str(program)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=60, check=False
    )


def compiles(ir: pathlib.Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [harness.LLC, *flags, "-filetype=null", str(ir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )


def test_an_elided_frame_is_not_freed(tmp_path):
    """LLVM frees it: f.resume is shared by frames on the heap and elided frames."""
    theirs = tmp_path / "clang.out"
    harness.call("clang", [harness.CLANG, *harness.LANGUAGE, "-O2", str(PROGRAMS / "elided_not_owned.cpp"), "-o", str(theirs)])
    assert subprocess.run([str(theirs)], stderr=subprocess.DEVNULL, check=False).returncode == -signal.SIGABRT
    ir = lowered("pycoro", presplit("elided_not_owned.cpp", tmp_path), tmp_path, ELIDE)
    assert not re.search(r"call .*@_ZL4leafi\(", ir.read_text()), "leaf is not elided: this shows nothing"
    done = run(ir, tmp_path, "-O2")
    assert (done.returncode, done.stdout) == (0, "42\n")


def test_a_frame_outlives_the_function_that_an_exception_leaves(tmp_path):
    """LLVM puts the frame on the stack of a function that a call without an unwind edge leaves."""
    source = presplit("left_by_a_call.cpp", tmp_path, "-fexceptions")
    scalars = "function(sroa,early-cse,instcombine)"  # to see the handle where it is destroyed
    passes = f"coro-early,cgscc(coro-split),cgscc(inline,{scalars}),function(coro-elide),coro-cleanup,default<O2>"
    results = {mode: run(lowered(mode, source, tmp_path, passes), tmp_path, "-O2") for mode in LOWERINGS}
    assert (results["pycoro"].returncode, results["pycoro"].stdout) == (0, "42\n")
    assert (results["reference"].returncode, results["reference"].stdout) != (0, "42\n")


def test_an_address_in_an_aggregate_outlives_the_ramp(tmp_path):
    """LLVM leaves the allocas on the ramp's stack, and their addresses in the frame."""
    results = {mode: run(lowered(mode, PROGRAMS / "address_in_aggregate.ll", tmp_path), tmp_path) for mode in LOWERINGS}
    assert (results["pycoro"].returncode, results["pycoro"].stdout) == (0, "30\n")
    assert results["reference"].stdout != "30\n"


def test_writes_to_a_byval_parameter_are_preserved(tmp_path):
    """LLVM's frame gets the caller's argument; writes of the ramp before its first suspend go to the caller's copy. Found by
    pycoro.strategies, which draws it with `FAULTS["byval-write"]`."""
    results = {mode: run(lowered(mode, PROGRAMS / "byval_written.ll", tmp_path), tmp_path) for mode in LOWERINGS}
    assert (results["pycoro"].returncode, results["pycoro"].stdout) == (0, "2\n")
    assert (results["reference"].returncode, results["reference"].stdout) == (0, "1\n")


def test_a_continuation_may_be_all_that_is_returned(tmp_path):
    """LLVM converts the continuation to its one-member struct by a bitcast, which is invalid."""
    source = PROGRAMS / "continuation_alone.ll"
    theirs = lower("reference", source, tmp_path / "theirs.ll")
    assert theirs.returncode != 0
    assert "Invalid bitcast" in theirs.stdout
    done = run(lowered("pycoro", source, tmp_path), tmp_path)
    assert (done.returncode, done.stdout) == (0, "42\n")


def test_addresses_of_blocks_name_blocks_of_the_clone(tmp_path):
    """LLVM's refer to blocks of the ramp, which the clone jumps into."""
    results = {mode: run(lowered(mode, PROGRAMS / "block_address.ll", tmp_path), tmp_path) for mode in LOWERINGS}
    assert (results["pycoro"].returncode, results["pycoro"].stdout) == (0, "2\n")
    assert results["reference"].returncode < 0


def test_blocks_with_addresses_do_not_end_the_process(tmp_path):
    """LLVM's whole pipeline crashes on the same input."""
    done = lower("reference", PROGRAMS / "block_address.ll", tmp_path / "theirs.ll", "default<O2>")
    assert done.returncode < 0
    done = run(lowered("pycoro", PROGRAMS / "block_address.ll", tmp_path, f"{LOWER},default<O2>"), tmp_path, "-O2")
    assert (done.returncode, done.stdout) == (0, "2\n")


@pytest.mark.parametrize("mode", LOWERINGS)
def test_a_local_aligned_beyond_the_allocator(mode, tmp_path):
    """The allocator guarantees 16 bytes, the local needs 64: LLVM puts it at a fixed offset of the frame."""
    done = run(lowered(mode, presplit("over_aligned_local.cpp", tmp_path), tmp_path), tmp_path)
    assert done.returncode == 0
    if mode == "pycoro":
        assert done.stdout == "0\n"
    else:
        assert int(done.stdout) > 0


@pytest.mark.parametrize("mode", LOWERINGS)
def test_the_allocation_covers_the_frame_s_alignment(mode, tmp_path):
    """LLVM's coro.size omits the end of the frame, up to the frame's alignment."""
    text = lowered(mode, PROGRAMS / "aligned_field.ll", tmp_path).read_text()
    allocated = int(re.search(r"call ptr @aligned_alloc\(i64 64, i64 (\d+)\)", text)[1])
    promised = int(re.search(r"@f\.resume\(ptr .*dereferenceable\((\d+)\)", text)[1])
    assert (allocated >= promised) == (mode == "pycoro"), (allocated, promised)


def test_a_begin_without_an_id_is_rejected(tmp_path):
    """LLVM crashes without a message."""
    done = lower("reference", PROGRAMS / "no_id.ll", tmp_path / "theirs.ll")
    assert done.returncode == -signal.SIGSEGV
    done = lower("pycoro", PROGRAMS / "no_id.ll", tmp_path / "ours.ll")
    assert done.returncode == 1
    assert "a presplit coroutine has no llvm.coro.id" in done.stdout
    assert "@f" in done.stdout


def test_a_coroutine_without_the_attribute_is_marked(tmp_path):
    """LLVM 22 ignores it silently; the code generator aborts. pycoro marks it in coro-early, as later versions of LLVM do."""
    theirs = lowered("reference", PROGRAMS / "not_presplit.ll", tmp_path)
    assert "call i8 @llvm.coro.suspend" in theirs.read_text()
    assert compiles(theirs).returncode not in (0, 1)
    ours = lowered("pycoro", PROGRAMS / "not_presplit.ll", tmp_path)
    assert "@llvm.coro" not in ours.read_text()
    assert compiles(ours).returncode == 0


@pytest.mark.parametrize("triple", ["thumbv6m-none-eabi", "mips-unknown-linux-gnu", "mips64-unknown-linux-gnu"])
def test_transfer_on_targets_without_tail_calls(triple, tmp_path):
    """LLVM creates a tail call that the code generator cannot emit, and the process aborts."""
    source = tmp_path / "transfer.ll"
    source.write_text(f'target triple = "{triple}"\n' + (PROGRAMS / "transfer.ll").read_text())
    ours, theirs = (compiles(lowered(mode, source, tmp_path)) for mode in LOWERINGS)
    assert ours.returncode == 0, ours.stdout
    assert theirs.returncode < 0
    assert "failed to perform tail call elimination" in theirs.stdout


@pytest.mark.parametrize("mode", LOWERINGS)
def test_a_transfer_to_noop_is_a_return(mode, tmp_path):
    """No indirect jump remains if the awaiter returns llvm.coro.noop. LLVM is right here too, because inlining the wrapper
    reveals the callee. A library with a custom no-op frame in a global gets no benefit."""
    text = lowered(mode, PROGRAMS / "transfer_to_nobody.ll", tmp_path, f"{LOWER},default<O2>").read_text()
    body = text[text.index("@f.resume(") :]
    body = body[: body.index("\n}")]
    assert "ret void" in body
    assert "call" not in body
    assert "NoopCoro" not in body


def test_objects_that_the_front_end_destroys_at_the_wrong_place(tmp_path):
    """Clang's IR is wrong: it destroys the result of get_return_object, which belongs to the ramp, at the end of the
    coroutine. No lowering can fix it; pycoro's follows the IR, as LLVM's does."""
    source = PROGRAMS / "return_object.cpp"
    theirs = tmp_path / "clang.out"
    harness.call("clang", [harness.CLANG, *harness.LANGUAGE, "-O0", str(source), "-o", str(theirs)])
    assert harness.call("run", [str(theirs)]) == "1\n"
    ir = harness.emit_ir(source, tmp_path / "presplit.ll", "-O0")
    assert run(lowered("pycoro", ir, tmp_path), tmp_path).stdout == "1\n"


@pytest.mark.parametrize("mode", LOWERINGS)
def test_an_async_frame_fits_its_published_size(mode, tmp_path):
    """LLVM lays fields out by their capped alignment, and a struct type moves them apart: it publishes fewer bytes than it
    writes."""
    done = run(lowered(mode, PROGRAMS / "async_overrun.ll", tmp_path), tmp_path)
    changed, result = map(int, done.stdout.split())
    assert result == 2 * 7 + 2 * 7 + 7
    assert (changed == 0) == (mode == "pycoro"), changed


def test_the_ramp_does_not_read_a_freed_frame(tmp_path):
    """LLVM's ramp reloads an available value from the frame after it freed the frame."""
    results = {mode: run(lowered(mode, PROGRAMS / "freed_before_used.ll", tmp_path), tmp_path) for mode in LOWERINGS}
    assert (results["pycoro"].returncode, results["pycoro"].stdout) == (0, "42\n")
    assert results["reference"].stdout != "42\n"


def test_thread_local_addresses_are_recomputed_after_a_suspend(tmp_path):
    """LLVM's instcombine sinks the address over the suspend, and computes it on the resuming thread."""
    source = presplit("another_thread.cpp", tmp_path)
    shown = {mode: run(lowered(mode, source, tmp_path, "default<O2>"), tmp_path).stdout for mode in LOWERINGS}
    assert shown == {"pycoro": "0 0\n", "reference": "1 1\n"}


@pytest.mark.parametrize("flags", [(), ("-fasync-exceptions",)], ids=["EHsc", "EHa"])
def test_funclet_pads_on_windows(flags, tmp_path):
    """LLVM spills a funclet's value at a place that does not dominate its uses, which release builds do not check."""
    target = ("--target=x86_64-pc-windows-msvc", "-std=c++20", "-fexceptions", "-fcxx-exceptions", "-O2", "-w", *flags)
    source = tmp_path / "presplit.ll"
    presplit = ("-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", str(PROGRAMS / "windows_pads.cpp"), "-o", str(source))
    harness.call("clang", [harness.CLANG, *target, *presplit])
    theirs = lower("reference", source, tmp_path / "theirs.ll", f"{LOWER},verify")
    assert theirs.returncode != 0
    assert "does not dominate all uses" in theirs.stdout
    for passes in (LOWER, f"{LOWER},default<O2>"):
        done = compiles(lowered("pycoro", source, tmp_path, f"{passes},verify"))
        assert done.returncode == 0, done.stdout


def test_a_dynamic_alloca_lives_across_suspends(tmp_path):
    """LLVM aborts."""
    source = PROGRAMS.parent.parent / "ir" / "switch" / "dynamic-alloca.ll"
    theirs = lower("reference", source, tmp_path / "theirs.ll")
    assert theirs.returncode < 0
    assert "cannot handle non static allocas" in theirs.stdout
    assert compiles(lowered("pycoro", source, tmp_path)).returncode == 0


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_alloca_in_a_loop_is_separate_memory_in_each_iteration(level, tmp_path):
    """LLVM has one slot in the frame for all iterations: of the list only the last element remains, linked to itself."""
    source = harness.emit_ir(PROGRAMS / "alloca_in_loop.cpp", tmp_path / "presplit.ll", level, harness.LANGUAGE)
    ours, theirs = (run(lowered(mode, source, tmp_path), tmp_path, level) for mode in LOWERINGS)
    assert (ours.returncode, ours.stdout) == (0, "3 2 1 0 \n")
    assert theirs.stdout == "3 " * 8 + "\n"


OPTIMISED = f"{LOWER},default<O2>"


def test_a_coroutine_that_returns_continuations_and_never_suspends(tmp_path):
    """LLVM uses poison for the frame's address, which is the caller's buffer."""
    source = PROGRAMS.parent.parent / "ir" / "retcon" / "never-suspends.ll"
    ours, theirs = (run(lowered(mode, source, tmp_path, OPTIMISED), tmp_path, "-O2") for mode in LOWERINGS)
    assert (ours.returncode, ours.stdout) == (0, "7 ended\n")
    assert theirs.stdout != ours.stdout


def test_a_continuation_s_buffer_may_be_aliased(tmp_path):
    """LLVM marks the buffer noalias while a continuation runs, though an alloca in it escapes."""
    source = PROGRAMS / "retcon_seen_by_others.ll"
    ours, theirs = (run(lowered(mode, source, tmp_path, OPTIMISED), tmp_path, "-O2") for mode in LOWERINGS)
    assert (ours.stdout, theirs.stdout) == ("6\n", "5\n")


def test_an_over_aligned_frame_works_with_a_plain_allocator(tmp_path):
    """LLVM assumes that the allocator knows the alignment."""
    source = PROGRAMS / "retcon_over_aligned.ll"
    ours, theirs = (run(lowered(mode, source, tmp_path, OPTIMISED), tmp_path, "-O2") for mode in LOWERINGS)
    assert (ours.returncode, theirs.returncode) == (0, 16)
