"""The oracle drives returned-continuation coroutines: pycoro's lowering of LLVM's tests behaves as LLVM's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from llvm_inputs import MISSING, executable

from pycoro import Module, oracle
from pycoro.errors import UsageError
from pycoro.oracle.driven import case_for_child

SCHEDULES = [("resume",) * count + ("abort",) for count in (0, 1, 3, 5)]

GENERATOR = """
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare { ptr, i32 } @prototype(ptr, i1 zeroext, i32)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare void @print(i32)

define { ptr, i32 } @f(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %twice = mul i32 %n, 2
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %resumed ]
  %back = call { i1, i32 } (...) @llvm.coro.suspend.retcon.sl_i1i32s(i32 %i)
  %unwind = extractvalue { i1, i32 } %back, 0
  br i1 %unwind, label %cleanup, label %resumed

resumed:
  %more = extractvalue { i1, i32 } %back, 1
  call void @print(i32 %more)
  %next = add i32 %i, %twice
  %end = icmp sgt i32 %next, 40
  br i1 %end, label %cleanup, label %loop

cleanup:
  call void @print(i32 %i)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}
"""


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle(timeout=4) as shared:
        yield shared


@pytest.mark.parametrize(
    ("parameters", "buffer", "index"),
    [
        ("ptr %buffer, i32 %n", "%buffer", 0),
        ("ptr byval(%T) %x, ptr %buffer, i32 %n", "%buffer", 1),
        ('ptr sret(%T) align 8 %x, i32 %n, ptr %"the, buffer)"', '%"the, buffer)"', 2),
        ("ptr %other, i32 %n", "%buffer", None),
    ],
)
def test_the_buffer_is_found_among_the_parameters(parameters: str, buffer: str, index: int | None) -> None:
    text = GENERATOR.replace("ptr %buffer, i32 %n", parameters).replace("ptr %buffer,", f"ptr {buffer},")
    case = oracle.Case(text, (("resume 1",),))
    assert case_for_child(case)["buffer"] == index and case_for_child(case)["prototype"] == "prototype"


def test_values_are_passed_and_yielded(both: oracle.Oracle) -> None:
    verdict = both.compare(GENERATOR, ("resume 7", "resume 8", "abort", "resume"), args=("buffer", 5))
    assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}"
    told = [event for event in verdict.ours.events if not event[0].startswith(("resume ", "allocate", "free"))]
    assert told == [
        ("yield", 5),
        ("call", "print", 7),
        ("yield", 15),
        ("call", "print", 8),
        ("yield", 25),
        ("abort",),
        ("call", "print", 25),
        ("over",),
        ("skipped", "resume", "the coroutine has ended"),
        ("left",),
    ]


OTHER = """
declare i64 @number()
declare void @tell(i64)
declare ptr @alloc_other(i32)
declare void @free_other(ptr)

define void @main() {
entry:
  %buffer = alloca [8 x i8], align 8
  %first = call ptr @alloc_other(i32 4)
  %given = call { ptr, i32 } @f(ptr %buffer, i32 5)
  %second = call ptr @alloc_other(i32 4)
  %next = extractvalue { ptr, i32 } %given, 0
  call void @free_other(ptr %first)
  %then = call { ptr, i32 } %next(ptr %buffer, i1 true, i32 0)
  call void @free_other(ptr %second)
  ret void
}
"""


def test_allocations_other_than_frames_are_compared(both: oracle.Oracle) -> None:
    ir = (GENERATOR + OTHER).replace("  br label %loop\n", "  %wide = call i64 @number()\n  br label %loop\n", 1)
    ir = ir.replace("  call void @llvm.coro.end", "  call void @tell(i64 %wide)\n  call void @llvm.coro.end")

    def outcome(lowering: object = None, reference: str = "interpreter") -> oracle.Outcome:
        return both.compare_cases([oracle.Case(ir, ramp="main")], lowering=lowering, reference=reference, allocation=None)[0]

    same = outcome()
    assert same.equal and same.executed
    ours, theirs = same.verdicts[0].ours, same.verdicts[0].theirs
    assert ("allocate", "allocate", "block 1") in ours.events and ("free", "free_other", "block 2") in ours.events
    assert ("free", "free_other", "block 1") in theirs.events, "the interpreter has no frame"

    def lowered(old: str, new: str) -> oracle.Outcome:
        def lowering(ir: str) -> str:
            module = Module(ir)
            module.run("coro-early,cgscc(coro-split),coro-cleanup")
            assert old in str(module)
            return str(module).replace(old, new)

        return outcome(lowering)

    assert "is `left frame` in lowering" in lowered("call void @deallocate(ptr %frame)", "").difference
    assert "`free free_other block 1` in the interpreter" in lowered("call void @free_other(ptr %second)", "").difference
    assert "a second time" in lowered("call void @free_other(ptr %second)", "call void @free_other(ptr %first)").difference


def test_many_share_a_module(both: oracle.Oracle) -> None:
    cases = [oracle.Case(GENERATOR.replace("40", str(20 * n)), tuple(SCHEDULES), args=("b", 5)) for n in range(1, 9)]
    outcomes = both.compare_cases(cases)
    assert all(outcome.equal and outcome.executed for outcome in outcomes)
    assert len({outcome.verdicts[3].ours.events for outcome in outcomes}) > 1, "they are not the same"


def test_steps_are_those_of_the_abi(both: oracle.Oracle) -> None:
    with pytest.raises(UsageError, match="'destroy' is not a step of a schedule; the steps are resume, abort"):
        both.run(GENERATOR, ("destroy",), args=("b", 5))
    with pytest.raises(UsageError, match="'resume 1 2 3': the values that a continuation is resumed with are i32"):
        both.run(GENERATOR, ("resume 1 2 3",), args=("b", 5))


FROM_LLVM = list(executable("*retcon*.ll", "@llvm.coro.id.retcon"))


@pytest.mark.skipif(not FROM_LLVM, reason=MISSING)
@pytest.mark.parametrize(("path", "ramp", "args"), FROM_LLVM, ids=lambda item: getattr(item, "stem", str(item)))
def test_llvm_tests(both: oracle.Oracle, path: Path, ramp: str, args: tuple[object, ...]) -> None:
    """Allocations may differ: pycoro's frames are smaller, and fit the buffer where LLVM's do not."""
    ir = re.sub(r"^target .*$", "", path.read_text(), flags=re.MULTILINE)
    for verdict in both.compare_all(ir, SCHEDULES, ramp=ramp, args=args, allocation=False):
        if verdict.theirs.how in ("unsupported", "rejected", "broken"):
            pytest.skip(f"LLVM's own lowering cannot be executed: {verdict.theirs.why.splitlines()[0]}")
        if verdict.undecided:
            pytest.skip(f"it is not meant to run: {verdict.undecided}")
        assert verdict.equal, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
