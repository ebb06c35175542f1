"""Reduction of IR: pieces recombine to the program, and the requested property is preserved."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import pytest

from pycoro import Error, Module, fuzz, oracle, strategies
from pycoro.fuzz.edits import STAGES, Edit, apply_edits_and_repair
from pycoro.fuzz.irlines import normalized_lines_of, substitute_and_repair
from pycoro.fuzz.reduce import reduce_structure, reproduce_failure

MEDIUM = strategies.ALL.but(statements=12)


def drawn(seed: int, options: strategies.Options = MEDIUM) -> str:
    return strategies.module([strategies.sample(seed, options)])


@pytest.mark.parametrize("seed", range(12))
def test_an_unedited_program_equals_its_lines(seed: int) -> None:
    """A drawn or printed program equals its lines; they parse and behave the same."""
    for text in (drawn(seed), str(Module(drawn(seed)))):
        lines = normalized_lines_of(text)
        assert substitute_and_repair(lines, {}) == lines
        with Module("\n".join(lines)) as again, Module(text) as module:
            assert str(again).partition("\n\n")[2].count("\n") == str(module).partition("\n\n")[2].count("\n")


TANGLE = """
declare void @print(i32)
declare i32 @may_throw()
declare i32 @personality(...)
define void @f(i32 %n) personality ptr @personality {
entry:
  br label %loop
loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %i, 1
  call void @print(i32 %more)
  %over = icmp eq i32 %more, %n
  br i1 %over, label %end, label %loop
end:
  %got = invoke i32 @may_throw()
          to label %fine unwind label %pad
fine:
  switch i32 %got, label %out [
    i32 0, label %end
    i32 1, label %out
  ]
pad:
  %thrown = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %thrown
out:
  ret void
}
"""


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ("  %more = add i32 %i, 1", ["  %i = phi i32 [ 0, %entry ], [ zeroinitializer, %loop ]", "  call void @print(i32 0)"]),
        ("declare void @print(i32)", ["  %over = icmp eq i32 %more, %n"]),
        ("declare i32 @may_throw()", ["  br label %fine", "  switch i32 0, label %out [ i32 0, label %end i32 1, label %out ]"]),
        ("  br label %loop", ["entry:", "  unreachable", "}"]),
        ("pad:\n  %thrown = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %thrown", ["  %got = call i32 @may_throw()"]),
    ],
)
def test_leftover_references_are_repaired(gone: str, left: Sequence[str]) -> None:
    lines = normalized_lines_of(TANGLE)
    numbers = frozenset(lines.index(line) for line in gone.split("\n"))
    text = "\n".join(apply_edits_and_repair(lines, [Edit(numbers)]))
    assert all(line in text.splitlines() for line in left), text
    assert not any(line in text.splitlines() for line in gone.split("\n"))
    Module(text).close()


def test_numbered_values_and_attribute_groups() -> None:
    blocks = "{\n  br label %2\n\n2:\n  %3 = phi i32 [ %0, %1 ]\n  ret void\n}\n"
    head, *body = normalized_lines_of(f"define void @f(i32 %0) #0 {blocks}\nattributes #0 = {{ cold }}\n")
    assert head == "define void @f(i32 %n0) cold {"
    assert body == ["n1:", "  br label %n2", "n2:", "  %n3 = phi i32 [ %n0, %n1 ]", "  ret void", "}"]


def test_empty_lines_do_not_continue_a_line() -> None:
    assert normalized_lines_of("define void @f() {\n  ret void\n}\n\n\n\n\n!0 = !{}\n")[-2:] == ["}", "!0 = !{}"]


def is_ir(text: str) -> bool:
    try:
        Module(text).close()
    except Error:
        return False
    return True


def has(*words: str) -> Callable[[Sequence[str]], list[bool]]:
    return lambda irs: [all(word in ir for word in words) for ir in irs]


def test_the_requested_property_is_preserved() -> None:
    small = fuzz.minimize_lines(TANGLE, has("@print", "switch"))
    assert len(small.splitlines()) <= 8
    Module(small).close()


def test_an_alloca_is_replaced_by_a_global() -> None:
    kept = """
@kept = global i32 0
define i32 @f(i32 %n) {
  %copy = alloca i32
  store i32 %n, ptr @kept
  %read = load i32, ptr @kept
  store i32 %read, ptr %copy
  %given = load i32, ptr %copy
  ret i32 %given
}
"""
    propose = next(propose for propose in STAGES if propose.__qualname__ == "_propose_accessed_globals_for_allocas")
    lines = normalized_lines_of(kept)
    [edit] = propose(lines)
    assert apply_edits_and_repair(lines, [edit]) == [line.replace("%copy", "@kept") for line in lines if "alloca" not in line]


def test_a_candidate_without_the_property_is_discarded() -> None:
    assert fuzz.minimize_lines(TANGLE, has("@nowhere")) == TANGLE
    assert fuzz.minimize_lines("no IR", has("no")) == "no IR"
    assert len(fuzz.minimize_lines(TANGLE, has("call void @print"), seconds=0).splitlines()) == len(normalized_lines_of(TANGLE))


def test_what_is_no_ir_takes_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is parsed any more when the time is over, but for what nothing names."""
    module = sys.modules["pycoro.fuzz.minimize"]
    clock = itertools.count()
    parsed: list[str] = []
    monkeypatch.setattr(module, "_is_ir", lambda text: not parsed.append(text) and len(parsed) == 1)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    fuzz.minimize_lines(TANGLE, has("call void @print"), seconds=6)
    assert 2 <= len(parsed) < 9


def test_candidates_are_valid_and_tested_in_batches() -> None:
    asked: list[int] = []

    def which(irs: Sequence[str]) -> list[bool]:
        asked.append(len(irs))
        for ir in irs:
            Module(ir).close()
        return has("@llvm.coro.begin")(irs)

    small = fuzz.minimize_lines(drawn(3), which, most=16)
    assert 2 < max(asked) <= 16 and sum(asked) > len(asked)
    assert len(small.splitlines()) <= 5


@pytest.mark.parametrize("propose", STAGES, ids=lambda propose: propose.__qualname__)
def test_every_kind_of_edit_reduces(propose: Callable[[Sequence[str]], Sequence[Edit]]) -> None:
    """Every kind of edit is proposed, and yields valid IR at least once."""
    options = strategies.ALL.but(statements=4, depth=2)
    programs = (normalized_lines_of(drawn(seed, options)) for seed in range(40))
    texts = (("\n".join(lines), "\n".join(apply_edits_and_repair(lines, [edit]))) for lines in programs for edit in propose(lines))
    assert any(len(text) < len(before) and is_ir(text) for before, text in texts)


def test_a_reduced_failure_keeps_its_kind() -> None:
    """If the lowering under test always fails, a few lines reproduce it."""
    case = oracle.Case(drawn(5, strategies.SMALL.but(statements=3, steps=2)), ramp="drive0")
    with oracle.Oracle() as both:
        outcome = both.compare_cases([case], passes="coro-early", reference="pycoro:" + fuzz.PIPELINES["plain"])[0]
        said, bucket, schedule, _ = fuzz.shard.problem_bucket_schedule_trace(outcome)
        failure = fuzz.Failure(case.only(schedule), said, bucket, "coro-early", "pycoro:" + fuzz.PIPELINES["plain"], "all", ())
        small = reduce_structure(both, failure, 60)
        assert (found := reproduce_failure(both, small)) and found.bucket == bucket
        assert len(small.case.ir.splitlines()) < 20
        runs = both.execute(oracle.Interpreted(), [small.case], live=False)
    assert runs[0][0].how == "finished"


def test_unused_definitions_are_removed_within_any_time() -> None:
    """With no time, only code that the failure needs remains."""
    ir = """
@unused = global i32 0
@used = global i32 0
declare void @print(i32)
declare void @other(ptr)
define internal void @helps() {
  call void @other(ptr @unused)
  ret void
}
define void @f() {
  %v = load i32, ptr @used
  call void @print(i32 %v)
  ret void
}
"""
    asked: list[str] = []

    def which(texts: Sequence[str]) -> list[bool]:
        asked.extend(texts)
        return ["call void @print(" in text for text in texts]

    left = fuzz.minimize_lines(ir, which, seconds=0)
    assert "@print" in left and "@used" in left and "@f()" in left
    assert not any(name in left for name in ("@unused", "@other", "@helps"))
    assert len(asked) < 10
