"""Comparisons that did not run: an input that cannot run is an error, and one that did not is not equal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

import pycoro
from pycoro import examples, oracle
from pycoro.errors import ParseError, PipelineError, UsageError, VerifyError

PRINTS = """
declare i32 @print(i32)
declare ptr @malloc(i64)

define void @counter(i32 %n, ptr %p, double %x) {
  %r = call i32 @print(i32 %n)
  ret void
}
"""
ARGS = (1, "memory", 0.5)
BODY = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @print(i32)\ndefine void @f() {\n%s\n}\n"


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle(timeout=1) as shared:
        yield shared


WRONG: dict[str, tuple[dict[str, Any], type[BaseException], str]] = {
    "a ramp that is not there": ({"ramp": "countr"}, UsageError, "no function 'countr'; did you mean 'counter'"),
    "with its sign": ({"ramp": "@counter"}, UsageError, "did you mean 'counter'"),
    "one that is only declared": ({"ramp": "print", "args": (1,)}, UsageError, "@print is declared but not defined"),
    "no arguments": ({"args": ()}, UsageError, r"@counter takes 3 arguments \(i32, ptr, double\), not 0"),
    "a string for an integer": ({"args": ("1", "m", 0.5)}, UsageError, "argument 1 of @counter is i32, not '1'"),
    "a float for an integer": ({"args": (1.5, "m", 0.5)}, UsageError, "argument 1 of @counter: expected an int for i32, got float"),
    "one that is too large": ({"args": (1 << 40, "m", 0.5)}, UsageError, "does not fit i32"),
    "a number for a pointer": ({"args": (1, 4096, 0.5)}, UsageError, "argument 2 of @counter is a pointer"),
    "None for a float": ({"args": (1, "m", None)}, UsageError, "argument 3 of @counter: expected a float for double"),
    "results of a function that is not there": ({"returns": {"prnt": [1]}}, UsageError, "did you mean 'print'"),
    "results that do not fit": ({"returns": {"print": ["x"]}}, UsageError, "what @print returns is i32"),
    "results of an allocator": ({"returns": {"malloc": [0]}}, UsageError, "watched"),
    "steps of what is no coroutine": ({"schedule": ("resume",)}, UsageError, "returns void, which is not a handle"),
    "a schedule that is one word": ({"schedule": "resume"}, TypeError, r"\('resume',\)"),
    "a promise of no type": ({"promise": "i3x"}, UsageError, "'i3x' is not a type"),
    "no pass": ({"passes": "coro-slpit"}, PipelineError, "coro-slpit"),
    "no pass for one side": ({"lowering": "coro-slpit"}, PipelineError, "coro-slpit"),
    "no pass for the other": ({"reference": "pycoro:coro-slpit"}, PipelineError, "coro-slpit"),
    "no reference": ({"reference": "interpretr"}, UsageError, "did you mean 'interpreter'"),
    "no events": ({"events": 0}, UsageError, "must be positive"),
    "no time": ({"timeout": 0}, UsageError, "must be positive"),
    "an alignment": ({"alignment": 3}, UsageError, "must be a power of 2"),
    "no such keyword": ({"scheduel": ()}, TypeError, "no argument 'scheduel'; did you mean 'schedule'"),
}


@pytest.mark.parametrize("changed", WRONG)
def test_input_that_cannot_run_is_an_error(both: oracle.Oracle, changed: str) -> None:
    how, kind, said = WRONG[changed]
    with pytest.raises(kind, match=said):
        both.compare(PRINTS, **{"ramp": "counter", "args": ARGS, **how})
    if "lowering" not in how and "reference" not in how:
        with pytest.raises(kind, match=said):
            both.run(PRINTS, **{"ramp": "counter", "args": ARGS, **how})


def test_input_that_is_not_ir_is_an_error(both: oracle.Oracle) -> None:
    with pytest.raises(ParseError, match="line 1"):
        both.compare("hello")
    with pytest.raises(VerifyError):
        both.compare("define void @f() {\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret void\n}\n")
    with pytest.raises(TypeError, match="text or a pycoro.Module, not NoneType"):
        both.compare(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="str"):
        oracle.Case(pycoro.Module(PRINTS))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a step of a schedule must be a string, such as 'resume', not 3"):
        both.compare(PRINTS, [3], ramp="counter", args=ARGS)  # type: ignore[list-item]
    with pytest.raises(UsageError, match="no schedule"):
        both.compare_all(PRINTS, [], ramp="counter", args=ARGS)
    with pytest.raises(UsageError):
        oracle.Oracle(events=0)


def test_a_module_is_accepted_like_its_text(both: oracle.Oracle) -> None:
    with pycoro.Module(PRINTS) as module:
        verdict = both.compare(module, ramp="counter", args=ARGS, returns={"print": [5]})
    assert verdict.equal and verdict.events == (3, 3) and str(verdict) == "equal: 3 events, finished"


def returned_in_memory(offset: int) -> str:
    """Return the counter with a result in memory, as C++ classes with a destructor are returned: its handle is at that offset."""
    ir = examples.COUNTER.partition("define i32 @sum")[0].replace("ret ptr %handle", "ret void")
    ir = ir.replace(
        "define ptr @counter(", "%task = type { i64, { i32, ptr }, ptr }\ndefine void @counter(ptr sret(%task) %result, "
    )
    store = f"%slot = getelementptr i8, ptr %result, i64 {offset}\n  store ptr %handle, ptr %slot\n  br label %loop\n\nloop:"
    return ir.replace("br label %loop\n\nloop:", f"store %task zeroinitializer, ptr %result\n  {store}", 1)


@pytest.mark.parametrize("reference", ["llvm", "interpreter"])
@pytest.mark.parametrize("offset", [0, 16, 24])
def test_a_ramp_with_an_sret_result_is_driven(both: oracle.Oracle, offset: int, reference: str) -> None:
    def counts_down(ir: str) -> str:
        return str(pycoro.lower(ir).module).replace("add i32", "sub i32")

    how: dict[str, Any] = {"ramp": "counter", "args": (1, 3), "promise": "i32", "reference": reference}
    schedule = ("promise", "resume", "promise", "resume", "done", "destroy")
    ir = returned_in_memory(offset)
    assert both.compare(ir, schedule, **how).equal
    verdict = both.compare(ir, schedule, lowering=counts_down, **how)
    assert verdict.difference and "promise 2" in str(verdict) and "promise 0" in str(verdict), verdict
    with pytest.raises(UsageError, match=r"@counter takes 2 arguments \(i32, i32\), not 1"):
        both.compare(ir, schedule, ramp="counter", args=(1,))


def test_a_ramp_without_a_handle_in_its_sret_result_is_not_resumed(both: oracle.Oracle) -> None:
    run = both.run(returned_in_memory(8).replace("store ptr %handle, ptr %slot", ""), ("resume",), ramp="counter", args=(1, 3))
    assert any("the ramp returned no handle" in str(event) for event in run.events), run


def test_keyword_arguments_are_explicit() -> None:
    """Editors and type checkers know the keywords."""
    for function in (oracle.compare, oracle.Oracle.run_all, oracle.Oracle.compare_all, oracle.Oracle.compare_cases):
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
    shown = inspect.signature(oracle.compare).parameters
    assert {"ramp", "args", "reference", "allocation", "timeout"} <= shown.keys()
    assert (shown["ramp"].default, shown["ramp"].annotation, shown["timeout"].default) == ("f", "str", None)
    with pytest.raises(TypeError, match="compare_cases: no argument 'timeout'"):
        oracle.Oracle().compare_cases([], timeout=1)  # type: ignore[call-arg]


UNDECIDED = {
    "both crash": ("  call void @print(i32 1)\n  call void @llvm.trap()\n  ret void", {}, "both crashed .*SIG.*, after 1 events"),
    "both hang": ("  br label %l\nl:\n  br label %l", {}, "both timeout .*, after 0 events"),
    "both do nothing but allocate": (
        "  br label %l\nl:\n  %p = call ptr @malloc(i64 8)\n  call void @free(ptr %p)\n  br label %l",
        {"events": 20},
        "only allocated and freed memory until the event limit, after 20 events",
    ),
    "neither compiles": (
        "  %x = call i8 @llvm.coro.suspend(token none, i1 false)\n  ret void",
        {"passes": "coro-early"},
        "neither of them was run: broken",
    ),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_incomplete_runs_are_not_equal(both: oracle.Oracle, name: str) -> None:
    body, how, said = UNDECIDED[name]
    verdict = both.compare(BODY % body, **how)
    assert not verdict and not verdict.equal and not verdict.difference
    assert re.search(said, verdict.undecided), verdict.undecided
    assert str(verdict) == f"not compared: {verdict.undecided}"
    (outcome,) = both.compare_cases([oracle.Case(BODY % body)], passes=how.get("passes", "coro-early"))
    if "events" not in how:
        assert not outcome and not outcome.equal and outcome.undecided


def test_runs_with_enough_events_are_equal(both: oracle.Oracle) -> None:
    """As many events as requested were compared."""
    verdict = both.compare(BODY % "  br label %l\nl:\n  call void @print(i32 1)\n  br label %l", events=20)
    assert verdict.equal and not verdict.executed and str(verdict) == "equal: 20 events, stopped"


def test_an_outcome_without_verdicts_is_not_equal() -> None:
    outcome = oracle.Outcome(oracle.Case(PRINTS), ())
    assert not outcome.equal and not outcome.executed


COROUTINE = """
define ptr @f(i1 %fails) presplitcoroutine {
  br i1 %fails, label %none, label %made
none:
  ret ptr null
made:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [ i8 1, label %clean ]
clean:
  %used = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %used)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def test_skipped_steps_are_reported(both: oracle.Oracle) -> None:
    late = both.compare(COROUTINE, ("resume", "resume", "destroy"), args=(False,))
    assert late.equal and late.ours.skipped_steps == ("resume", "resume") and "2 of them skipped steps" in str(late)
    none = both.compare(COROUTINE, ("resume", "destroy"), args=(True,))
    assert none.equal and none.ours.skipped_steps == ("resume", "destroy"), "the ramp returned no handle"


def test_a_second_free_counts_where_allocations_do_not(both: oracle.Oracle) -> None:
    once = "  %p = call ptr @malloc(i64 8)\n  call void @free(ptr %p)\n  ret void"
    twice = oracle.CallableLowering(lambda ir: ir.replace("  ret", "  call void @free(ptr %p)\n  ret"), "twice")
    verdict = both.compare(BODY % once, lowering="", reference=twice, allocation=False)
    assert not verdict.equal and "a second time" in verdict.difference


def test_optional_allocations_alone_are_not_compared(both: oracle.Oracle) -> None:
    asks = COROUTINE.replace(
        "  %size = call i64 @llvm.coro.size.i64()\n",
        "  %need = call i1 @llvm.coro.alloc(token %id)\n  br i1 %need, label %get, label %got\nget:\n"
        "  %size = call i64 @llvm.coro.size.i64()\n",
    ).replace(
        "(i64 %size)\n  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)",
        "(i64 %size)\n  br label %got\ngot:\n  %where = phi ptr [ null, %made ], [ %memory, %get ]\n"
        "  %handle = call ptr @llvm.coro.begin(token %id, ptr %where)",
    )
    drives = "define void @drive() {\n  %h = call ptr @f(i1 false)\n  call void @llvm.coro.destroy(ptr %h)\n  ret void\n}\n"
    ir = asks + drives
    elides = "coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide),coro-cleanup"
    assert both.compare(ir, ramp="drive", lowering=elides, reference="interpreter").equal
    counted = both.compare(ir, ramp="drive", lowering=elides, reference="interpreter", allocation=True)
    assert "allocate" in counted.difference


def test_batches_give_the_same_results_as_single_cases(both: oracle.Oracle) -> None:
    """A callable may inspect names, so it gets each case unchanged; passes share a module, and the outcome says so."""

    def by_name(ir: str) -> object:
        return ir.replace("call i32 @print(i32 %n)", "call i32 @print(i32 0)") if "@counter(" in ir else ir

    cases = [oracle.Case(PRINTS, ramp="counter", args=(number, "memory", 0.5)) for number in range(1, 4)]
    assert [outcome.equal for outcome in both.compare_cases(cases, lowering=by_name, passes="coro-early")] == [False] * 3
    assert all(outcome.alone for outcome in both.compare_cases(cases, lowering=by_name, passes="coro-early"))
    shared = both.compare_cases(cases, passes="coro-early")
    assert all(shared) and not any(outcome.alone for outcome in shared)
    assert both.compare_cases(cases[:1], passes="coro-early")[0].alone


def test_a_pipeline_runs_with_its_custom_abi(both: oracle.Oracle) -> None:
    class Refuses(pycoro.SwitchABI):
        def order(self, fields: Sequence[pycoro.FrameField]) -> Iterable[pycoro.FrameField]:
            raise RuntimeError("it was asked")

    ir = COROUTINE.replace("@llvm.coro.begin(token %id, ptr %memory)", "@llvm.coro.begin.custom.abi(token %id, ptr %memory, i32 0)")
    pipeline = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=(Refuses(),)), "coro-cleanup")
    verdict = both.compare(ir, ("destroy",), args=(False,), lowering=pipeline, reference="interpreter")
    assert (verdict.ours.how, verdict.ours.why) == ("rejected", "RuntimeError: it was asked")
