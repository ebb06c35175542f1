"""The oracle as the executor of async coroutines: pycoro's lowering of LLVM's tests behaves as LLVM's, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from llvm_inputs import MISSING, executable

from pycoro import oracle
from pycoro.errors import UsageError

SCHEDULES = [("resume",) * count for count in (1, 2, 4)]

COUNTS = """
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr, i32 } @llvm.coro.suspend.async.sl_p0i32s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
declare swifttailcc void @wait_for(ptr, ptr, i64)
declare swifttailcc void @give_back(ptr swiftasync)
declare void @print(i64)

@f.pointer = global <{ i32, i32 }> <{ i32 0, i32 16 }>

define ptr @the_same(ptr %context) {
  ret ptr %context
}

define internal swifttailcc void @wait(ptr %resume, ptr %context, i64 %n) {
  musttail call swifttailcc void @wait_for(ptr %resume, ptr %context, i64 %n)
  ret void
}

define internal swifttailcc void @end(ptr swiftasync %context) {
  musttail call swifttailcc void @give_back(ptr swiftasync %context)
  ret void
}

define swifttailcc void @f(ptr swiftasync %context, i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.pointer)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %resume = call ptr @llvm.coro.async.resume()
  %came = call { ptr, i32 } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i32s(i32 0, ptr %resume, ptr @the_same,
                                                                                    ptr @wait, ptr %resume, ptr %context, i64 %i)
  call void @print(i64 %i)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false, ptr @end, ptr %context)
  unreachable
}
"""


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle(timeout=4) as shared:
        yield shared


@pytest.mark.parametrize("reference", ["llvm", "interpreter"])
def test_contexts_are_resumed_and_abandoned(both: oracle.Oracle, reference: str) -> None:
    whole, part = both.compare_all(COUNTS, [("resume",) * 3, ("resume",)], args=("context", 2), reference=reference)
    assert whole.equal and whole.executed, f"{whole}\n{whole.ours}\n---\n{whole.theirs}"
    assert whole.ours.events == (
        ("allocate", "context", "block 0"),
        ("call", "wait_for", "pointer", "block 0", 0),
        ("suspended",),
        ("resume",),
        ("call", "print", 0),
        ("call", "wait_for", "pointer", "block 0", 1),
        ("suspended",),
        ("resume",),
        ("call", "print", 1),
        ("call", "give_back", "block 0"),
        ("over",),
        ("skipped", "resume", "the coroutine has ended"),
        ("free", "context", "block 0"),
        ("left",),
    )
    assert part.equal and part.ours.events == (*whole.ours.events[:7], *whole.ours.events[-2:])


def test_many_share_a_module(both: oracle.Oracle) -> None:
    cases = [oracle.Case(COUNTS, (("resume",) * n,), args=("context", n)) for n in range(1, 6)]
    cases += [oracle.Case(COUNTS.replace("i64 [ 0,", f"i64 [ {n},"), (("resume",),), args=("context", 9)) for n in range(1, 6)]
    outcomes = both.compare_cases(cases)
    assert all(outcome.equal and outcome.executed for outcome in outcomes)
    assert len({outcome.verdicts[0].ours.events for outcome in outcomes}) == 10


def test_a_write_past_the_context_is_detected(both: oracle.Oracle) -> None:
    run = both.run(COUNTS, ("resume",) * 3, args=("context", 2), passes=lambda ir: lowered(ir, "i32 16, i32 16"))
    assert run.how == "finished" and ("stray write", "outside of block 0") in run.events


def lowered(ir: str, header: str) -> str:
    """Return pycoro's lowering; the async function pointer requests only the header."""
    import pycoro

    module = pycoro.Module(ir)
    module.run("coro-early,cgscc(coro-split),coro-cleanup")
    return re.sub(r"(@f\.pointer = global <\{ i32, i32 \}> <\{ i32 0, i32) \d+", r"\1 16", str(module))


def test_steps_are_those_of_the_abi(both: oracle.Oracle) -> None:
    with pytest.raises(UsageError, match="'destroy' is not a step of a schedule; the steps are resume"):
        both.run(COUNTS, ("destroy",), args=("context", 5))


FROM_LLVM = list(executable("*async*.ll", "@llvm.coro.id.async"))


def prepared(path: Path) -> str:
    """Return the module for this machine; the oracle allocates callee contexts, since LLVM's passes leave those intrinsics."""
    ir = re.sub(r"^target .*$", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"@llvm\.coro\.async\.context\.(alloc|dealloc)\(", r"@context_\1(", ir)


@pytest.mark.skipif(not FROM_LLVM, reason=MISSING)
@pytest.mark.parametrize(("path", "ramp", "args"), FROM_LLVM, ids=lambda item: getattr(item, "stem", str(item)))
def test_llvm_tests(both: oracle.Oracle, path: Path, ramp: str, args: tuple[object, ...]) -> None:
    for verdict in both.compare_all(prepared(path), SCHEDULES, ramp=ramp, args=args):
        if verdict.theirs.how in ("unsupported", "rejected", "broken"):
            pytest.skip(f"LLVM's own lowering cannot be executed: {verdict.theirs.why.splitlines()[0]}")
        if verdict.interpreted and verdict.interpreted.how == "undefined":
            continue  # many use uninitialized contexts and cannot run
        if verdict.undecided:
            pytest.skip(f"it is not meant to run: {verdict.undecided}")
        assert verdict.equal, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
