"""The oracle on many cases at once, with other lowerings and references than the default, and from saved files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_oracle import INPUTS, cases, schedules

import pycoro
from pycoro import oracle
from pycoro.cli import main
from pycoro.errors import ParseError, UsageError
from pycoro.fuzz import draw
from pycoro.oracle._batch import batches

HERE = Path(__file__).parent
TYPES = """
%pair = type { i8, i128 }
declare i128 @wide(i128)
declare <4 x i32> @vector(<4 x i32>, %pair, [2 x half])
declare zeroext i1 @flag(i1 zeroext, float)
declare void @numbers(i32, ...)

define i128 @f(i128 %a) {
  %b = call i128 @wide(i128 %a)
  %c = insertvalue %pair { i8 7, i128 0 }, i128 %a, 1
  %v = call <4 x i32> @vector(<4 x i32> <i32 1, i32 -2, i32 3, i32 4>, %pair %c, [2 x half] [half 0xH3C00, half 0xH4000])
  %w = call <4 x i32> @vector(<4 x i32> %v, %pair zeroinitializer, [2 x half] zeroinitializer)
  %x = call i1 @flag(i1 true, float 2.5)
  call void (i32, ...) @numbers(i32 5, i64 6)
  ret i128 %b
}
"""
SPOILED = {
    "crashes": "define void @f() {\n store i32 1, ptr inttoptr (i64 16 to ptr)\n ret void\n}\n",
    "does not compile": "define void @f() {\n %x = call i8 @llvm.coro.suspend(token none, i1 false)\n ret void\n}\n",
    "hangs": "define void @f() {\n br label %1\n1:\n br label %1\n}\n",
}
FINE = """
declare void @print(i32)
@g = internal global i32 %d
define void @f() {
  %%1 = load i32, ptr @g
  call void @print(i32 %%1)
  ret void
}
"""


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle(timeout=2) as shared:
        yield shared


def all_inputs() -> list[oracle.Case]:
    found = [case for path in INPUTS for case in cases(path)]
    return [
        oracle.Case(case.path.read_text(), tuple(schedules(case)), case.ramp, case.args, case.promise, case.returns, str(case))
        for case in found
    ]


def test_batches_behave_as_single_cases(both: oracle.Oracle) -> None:
    many = all_inputs()
    ours = oracle.Passes()
    together, alone = (ours.runs(both, many, live=live) for live in (False, True))
    for case, some, others in zip(many, together, alone, strict=True):
        for schedule, one, other in zip(case.schedules, some, others, strict=True):
            assert one == other, f"{case.name}, {schedule}"
            assert one.how == "finished"


def test_batches_are_compared(both: oracle.Oracle) -> None:
    outcomes = both.compare_cases(all_inputs())
    assert all(outcome.equal and outcome.executed and not outcome.unconfirmed for outcome in outcomes)


def test_a_case_that_cannot_run_is_named(both: oracle.Oracle) -> None:
    fine = [oracle.Case(FINE % number) for number in range(3)]
    with pytest.raises(ParseError) as caught:
        both.compare_cases([*fine, oracle.Case("define void @f() {\n", name="half a function")])
    assert caught.value.__notes__ == ["in the case 'half a function'"]
    for wrong in (oracle.Case(FINE % 1, ramp="g"), oracle.Case(FINE % 1, args=(1,)), oracle.Case(FINE % 1, returns={"prnt": [1]})):
        with pytest.raises(UsageError):
            both.compare_cases([*fine, wrong])
        with pytest.raises(UsageError):
            both.compare_apart([*fine, wrong])


@pytest.mark.parametrize("spoiled", SPOILED.values(), ids=SPOILED)
def test_a_failing_case_does_not_affect_other_cases(both: oracle.Oracle, spoiled: str) -> None:
    many = [oracle.Case(FINE % number) for number in range(7)]
    many.insert(3, oracle.Case(spoiled))
    outcomes = both.compare_cases(many)
    assert [outcome.executed for outcome in outcomes] == [True] * 3 + [False] + [True] * 4
    assert [outcome.equal for outcome in outcomes] == [True] * 3 + [False] + [True] * 4
    assert outcomes[3].difference or re.match("both (crashed|timeout)", outcomes[3].undecided)
    said = [outcome.verdicts[0].ours.events[0] for outcome in outcomes if outcome.executed]
    assert said == [("call", "print", number) for number in range(7)], "names of one case are not those of another"


def test_values_of_all_types_are_traced(both: oracle.Oracle) -> None:
    run = both.run(TYPES, args=(1 << 100,))
    assert run.how == "finished"
    assert run.events[0] == ("call", "wide", 1 << 100)
    assert run.events[1] == ("call", "vector", (1, -2, 3, 4), (7, 1 << 100), (1.0, 2.0))
    given = run.events[2][2]
    assert len(given) == 4 and len(set(given)) > 1, "a vector is given, too"
    assert run.events[3:5] == (("call", "flag", True, 2.5), ("call", "numbers", 5))
    assert both.run(TYPES, args=(1,), returns={"wide": [1 << 90]}).events[-2] == ("returned", 1 << 90)


def test_a_callable_is_a_lowering(both: oracle.Oracle) -> None:
    ir = (HERE / "inputs" / "loop_phis.ll").read_text()
    steps = {"args": (3,), "schedule": ("resume", "resume", "destroy")}

    def mine(text: str) -> object:
        module = pycoro.Module(text)
        module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=True), "coro-cleanup"))
        return module

    assert both.compare(ir, lowering=mine, **steps).executed
    verdict = both.compare(ir, lowering=lambda text: re.sub("add i32", "sub i32", str(mine(text))), **steps)
    assert not verdict and verdict.difference.startswith("event ") and "in <lambda>'s lowering" in verdict.difference

    def broken(text: str) -> str:
        raise ValueError("not today")

    assert both.compare(ir, lowering=broken, **steps).ours == oracle.Run("rejected", "ValueError: not today", ())
    died = both.compare(ir, lowering=lambda text: os._exit(6), **steps).ours
    assert (died.how, died.why) == ("crashed", "<lambda>'s lowering ended its process with status 6")


def test_other_references(both: oracle.Oracle) -> None:
    ir = (HERE / "inputs" / "loop_phis.ll").read_text()
    steps = {"args": (3,), "schedule": ("resume", "resume", "destroy")}
    assert both.compare(ir, reference="pycoro:coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup", **steps).executed
    nothing = both.compare(ir, reference=oracle.Passes("coro-early", "half a lowering"), **steps)
    assert "half a lowering broken" in nothing.difference or "the shorter run ends" in nothing.difference
    with pytest.raises(UsageError, match="'gcc' is not a reference; the references are llvm, interpreter, pycoro"):
        both.compare(ir, reference="gcc", **steps)
    with pytest.raises(TypeError, match="lowering must be .*, not 3"):
        both.compare(ir, lowering=3, **steps)


def test_a_reproducer_runs_by_its_command(both: oracle.Oracle, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ir = (HERE / "inputs" / "mixed_types.ll").read_text()
    args = (1, 2, 3, 4, 1.5, 2.5, True)
    case = oracle.Case(ir, (("resume", "promise", "destroy"), ("destroy",)), args=args, promise="i32", returns={"pick": [3]})
    path = tmp_path / "found.ll"
    oracle.write_reproducer(path, case, difference="nothing\nat all", passes="coro-early,coro-split,coro-cleanup")
    read, how = oracle.read_reproducer(path)
    assert (read.schedules, read.args, read.promise, read.returns) == (case.schedules, args, "i32", {"pick": [3]})
    assert how == {"passes": "coro-early,coro-split,coro-cleanup"}
    assert path.read_text().startswith("; nothing\n; at all\n; run: pycoro oracle found.ll\n")
    assert main(["oracle", str(path)]) == 0
    assert "resume,promise,destroy: equal: " in capsys.readouterr().out
    assert main(["oracle", str(path), "--reference", "pycoro:coro-early", "--trace"]) == 1
    assert "-- reference\nbroken: " in capsys.readouterr().out
    other = tmp_path / "other.ll"
    other.write_text(ir)
    assert main(["oracle", str(other)]) == 2


def test_memory_errors_of_both_sides_are_reported(both: oracle.Oracle) -> None:
    body = " %p = call ptr @malloc(i64 8)\n %q = getelementptr i8, ptr %p, i64 9\n store i8 1, ptr %q\n ret void\n"
    ir = f"declare ptr @malloc(i64)\ndefine void @f() {{\n{body}}}\n"
    outcome = both.compare_cases([oracle.Case(ir)])[0]
    assert outcome.equal and outcome.verdicts[0].ours.faults == (("stray write", "outside of block 0"),)


def test_a_shard_is_one_module_per_kind_of_author() -> None:
    """The builder declares functions differently; a program with debug information has a separate module."""
    irs = {number: draw(f"7:{number}").cases[0].ir for number in range(32)}
    alone = {number for number, ir in irs.items() if "!llvm.dbg.cu" in ir}
    built = {number for number, ir in irs.items() if "source_filename" in ir} - alone
    made = [set(batch.members) for batch in batches(irs, 64)]
    assert built and sorted(map(sorted, made)) == sorted(
        [*([number] for number in alone), sorted(built), sorted({*irs} - alone - built)]
    )


HELPER = "define internal void @help(i32 %v) {\n  call void @say(i32 %v)\n  ret void\n}\n"
USER = "declare void @say(i32)\n" + HELPER + "define void @f() {\n  call void @help(i32 1)\n  ret void\n}\n"


def test_equal_helpers_are_merged_and_different_ones_renamed(both: oracle.Oracle) -> None:
    """Each case calls its definitions and declarations, although other cases use the same names."""
    other = USER.replace("i32 %v)\n  ret", "i32 7)\n  ret")
    declares = "declare void @help(i32)\n" + USER[USER.index("define void @f") :]
    irs = [USER, USER.replace("i32 1", "i32 2"), other, declares]
    assert [batch.ir.count("define internal") for batch in batches(dict(enumerate(irs)), 64)] == [2, 0]
    told = [runs[0].events[0] for runs in both.execute(oracle.Passes(""), [oracle.Case(ir) for ir in irs], live=False)]
    assert told == [("call", "say", 1), ("call", "say", 2), ("call", "say", 7), ("call", "help", 1)]


def test_modules_printed_by_llvm_share_one_module() -> None:
    irs = {number: str(pycoro.Module(FINE % number, name=f"case {number}")) for number in range(4)}
    (batch,) = batches(irs, 64)
    assert len(pycoro.Module(batch.ir).functions) == 5


@pytest.mark.parametrize("spoiled", SPOILED)
def test_separate_runs_get_separate_verdicts(both: oracle.Oracle, spoiled: str) -> None:
    """Each case runs in a separate process from one module; the interpreter decides differences."""
    cases = [oracle.Case(ir) for ir in (FINE % 1, SPOILED[spoiled], FINE.replace("print(i32 %%1", "print(i32 poison") % 2)]
    fine, wrong, other = both.compare_apart(cases, passes="coro-early", reference="interpreter")
    assert fine.equal and fine.executed and fine.verdicts[0].ours.events[0] == ("call", "print", 1)
    assert not wrong.executed and not other.equal
    assert other.verdicts[0].theirs.how == "undefined" and not wrong.unconfirmed
