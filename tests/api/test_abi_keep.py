"""An ABI's decisions about the frame: valid ones are applied, others are rejected with the reason."""

from __future__ import annotations

import ctypes
from functools import partial

import pytest
from test_abi_choice import plain
from test_abi_layout import spread_layout
from test_custom_abi import Keeps, Plain, Stop, fails, module, names, pipeline, run_outcome

import pycoro
from pycoro.pipeline import abi_arguments_of


class Decides(pycoro.SwitchABI):
    """Decides for named values only; pycoro decides the rest."""

    def __init__(self, **wanted: bool) -> None:
        self.wanted = wanted
        self.asked: list[pycoro.SpillCandidate] = []

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def keep_in_frame(self, value: pycoro.SpillCandidate) -> bool | None:
        self.asked.append(value)
        return self.wanted.get(value.name)


def test_none_means_pycoro_s_decision() -> None:
    asks = Decides()
    assert str(module().run(pipeline(asks)).module) == str(module().run(pipeline(Plain())).module)
    told = {value.name: value for value in asks.asked}
    assert len(told) == len(asks.asked) and set(told) == {"small", "start", "twice", "flag"}
    assert [told[name].is_in_frame for name in ("small", "start", "twice", "flag")] == [True, True, False, False]
    start = told["start"]
    assert (start.type, start.def_block, start.use_block, start.size, start.is_variable) == ("i64", "%entry", "%more", 8, False)
    assert start.why == "it is defined before a suspend and used after it" and "load i64" in start.value
    assert told["twice"].why == "it is rematerialized after the suspend"
    assert told["start"].obstacle == "recomputing it may give another value"
    assert told["small"].obstacle == told["small"].why and told["twice"].obstacle == ""
    assert told["small"].why == "it is a function argument; only the ramp receives arguments" and told["small"].value == "i8 %small"


def test_a_rematerializable_value_can_be_spilled() -> None:
    report = module().run(pipeline(Decides(twice=True)))
    assert sorted(names(report)) == ["small", "start", "twice"]
    everything = module().run(pipeline(Decides(twice=True, flag=True)))
    assert sorted(names(everything)) == sorted(names(module().run(pipeline(Keeps()))))
    assert run_outcome(report) == run_outcome(everything) == run_outcome(module().run(pipeline(Plain())))


LONG = """
define ptr @f(ptr %place, i8 %small) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %start = load i64, ptr %place
  %a = mul i64 %start, 3
  %b = add i64 %a, 5
  %c = mul i64 %b, 7
  %d = add i64 %c, 9
  %e = mul i64 %d, 11
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  store i64 %e, ptr %place
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
define void @run(ptr %place, i8 %small) {
  %hdl = call ptr @f(ptr %place, i8 %small)
  call void @llvm.coro.resume(ptr %hdl)
  ret void
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""


def stored(report: pycoro.Report, start: int = 2) -> int:
    place = ctypes.c_int64(start)
    with pycoro.Engine(report) as engine:
        engine.call("run", ctypes.addressof(place), 1)
    return place.value


def test_a_value_can_be_rematerialized_by_spilling_another() -> None:
    wants = Decides(e=False)
    report = plain(LONG).run(pipeline(wants))
    assert sorted(names(plain(LONG).run(pipeline()))) == ["e", "place"]
    kept = names(report)
    assert [value.obstacle for value in wants.asked if value.name == "e"] == [""]
    assert "e" not in kept and len(kept) == 2 and stored(report) == (((2 * 3 + 5) * 7) + 9) * 11
    (instead,) = set(kept) - {"place"}
    assert (
        next(value for value in wants.asked if value.name == instead).why
        == "a value that is rematerialized after a suspend uses it"
    )
    with pytest.raises(
        pycoro.RejectedError,
        match=f"%{instead} outside of the frame, but it must be in the frame because a value that is rematerialized",
    ):
        plain(LONG).run(pipeline(Decides(**{"e": False, instead: False})))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("small", "it is a function argument; only the ramp receives arguments"),
        ("start", "recomputing it may give another value"),
    ],
)
def test_required_spills_are_named_with_the_reason(name: str, why: str) -> None:
    one = module()
    before = str(one)
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(Decides(**{name: False})))
    (said,) = caught.value.diagnostics
    assert (said.rule, said.function) == ("must-be-in-frame", "f") and said.hint
    assert said.message == f"ABI 0 (Decides) requires %{name} outside of the frame, but it must be in the frame because {why}"
    assert str(one) == before and one.generation == 0


def test_contradicting_decisions_are_rejected() -> None:
    class Both(Decides):
        def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
            return value.opcode == "load"

    loads = module().run(pipeline(Both(start=False)))
    assert "start" not in names(loads) and run_outcome(loads) == run_outcome(module().run(pipeline(Plain())))
    with pytest.raises(
        pycoro.RejectedError,
        match=r"ABI 0 \(Both\) requires %twice outside of the frame, but it.*because the ABI's rematerialize\(\) requires it",
    ):
        module().run(pipeline(Both(twice=False)))


# Allocas with every reason to be in the frame or not. BEFORE precedes llvm.coro.begin.
VARIABLES = """
define ptr @f(ptr %place, i8 %small) presplitcoroutine {
entry:
  %x = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  BEFORE
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  FIRST
  SAVE
  %s = call i8 @llvm.coro.suspend(token TOKEN, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  MORE
  br label %cleanup
cleanup:
  CLEANUP
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  FREED
  br label %out
out:
  OUT
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
define void @run(ptr %place, i8 %small) {
  %hdl = call ptr @f(ptr %place, i8 %small)
  call void @llvm.coro.resume(ptr %hdl)
  ret void
}
define internal void @look(ptr captures(none) %at, ptr %place) {
  %v = load i64, ptr %at
  %old = load i64, ptr %place
  %new = add i64 %old, %v
  store i64 %new, ptr %place
  ret void
}
declare void @know(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
"""
USE = "store i64 40, ptr %x\n  call void @look(ptr %x, ptr %place)"
STARTS, ENDS = "call void @llvm.lifetime.start.p0(ptr %x)\n  ", "\n  call void @llvm.lifetime.end.p0(ptr %x)"


def variables(text: str = VARIABLES, **places: str) -> pycoro.Module:
    defaults = {"SAVE": "", "TOKEN": "none"}
    for place in ("BEFORE", "FIRST", "SAVE", "TOKEN", "MORE", "CLEANUP", "FREED", "OUT"):
        text = text.replace(f"  {place}\n", f"  {places.get(place, '')}\n").replace(
            f"token {place},", f"token {places.get(place, defaults.get(place, ''))},"
        )
    return plain(text)


@pytest.mark.parametrize(
    "places",
    [
        {"FIRST": USE},
        {"MORE": USE},
        {"FIRST": STARTS + USE + ENDS, "MORE": STARTS + USE + ENDS},
        {"BEFORE": USE},
        {"BEFORE": "store i64 40, ptr %x", "FIRST": "call void @look(ptr %x, ptr %place)"},
        {"FIRST": USE, "SAVE": "%save = call token @llvm.coro.save(ptr %hdl)", "TOKEN": "%save"},
        {"MORE": "%in = getelementptr i8, ptr %x, i64 0\n  store i64 40, ptr %in\n  call void @look(ptr %in, ptr %place)"},
    ],
    ids=["ramp", "resume", "both", "before", "across begin", "save", "alias"],
)
def test_an_alloca_can_be_forced_into_the_frame(places: dict[str, str]) -> None:
    report, plainly = (variables(**places).run(pipeline(abi)) for abi in (Decides(x=True), Decides()))
    assert "x" in names(report) and "x" not in names(plainly)
    assert report.coroutines["f"].frame["x"].why == "the coroutine's ABI places it there"
    assert report.coroutines["f"].frame.lower_bound <= report.coroutines["f"].frame.size
    assert str(report.coroutines["f"].frame) and report.coroutines["f"].frame.svg()
    assert stored(report) == stored(plainly) > 40
    shared = pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=True, abis=[Decides(x=True)]), "coro-cleanup")
    assert stored(variables(**places).run(shared)) == stored(plainly)


GONE = "it is used where the frame may have been freed"
KNOWN = "its address escapes, and the frame may be freed before its lifetime ends"


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ({"FREED": USE}, GONE),
        ({"OUT": USE}, "it is used where the frame may have been freed"),
        ({"FIRST": "%save = call token @llvm.coro.save(ptr %hdl)\n  " + USE, "TOKEN": "%save"}, GONE),
        ({"CLEANUP": "call void @know(ptr %x)"}, KNOWN),
        ({"BEFORE": STARTS + "call void @know(ptr %x)" + ENDS}, "its address escapes before llvm.coro.begin"),
    ],
    ids=["freed", "on the way out", "saved", "known", "known before"],
)
def test_an_alloca_that_cannot_be_in_the_frame_is_named_with_the_reason(places: dict[str, str], why: str) -> None:
    one = variables(**places)
    before = str(one)
    assert "x" not in [field.name for field in one.preview(pycoro.CoroSplit(abis=[Decides()]))["f"].frame]
    with pytest.raises(pycoro.RejectedError) as caught:
        one.run(pipeline(Decides(x=True)))
    asks = Decides()
    variables(**places).run(pipeline(asks))
    assert [value.obstacle for value in asks.asked if value.name == "x"] == [why]
    (said,) = caught.value.diagnostics
    assert (said.rule, said.function, said.instruction) == ("cannot-be-in-frame", "f", "%x = alloca i64, align 8")
    assert said.message == f"ABI 0 (Decides) requires %x in the frame, but it cannot be there because {why}"
    assert str(one) == before


def test_an_escaping_alloca_whose_lifetime_ends_may_stay_on_the_stack() -> None:
    places = {"CLEANUP": STARTS + "call void @know(ptr %x)" + ENDS}
    assert "x" in [field.name for field in variables(**places).preview(pycoro.CoroSplit(abis=[Decides(x=True)]))["f"].frame]


def test_an_alloca_in_a_loop_cannot_be_in_the_frame() -> None:
    loop = """br label %again
again:
  %n = phi i64 [ 0, %entry ], [ %next, %again ]
  %y = alloca i64
  store i64 %n, ptr %y
  %next = add i64 %n, 1
  %on = icmp slt i64 %next, 3
  br i1 %on, label %again, label %then
then:"""
    with pytest.raises(
        pycoro.RejectedError,
        match=r"ABI 0 \(Decides\) requires %y in the frame, but it cannot be"
        " there because each execution of the alloca must allocate distinct memory",
    ):
        variables(FIRST=loop).run(pipeline(Decides(y=True)))


def test_an_alloca_used_with_and_without_a_frame_cannot_be_in_it() -> None:
    asks = "%ask = icmp eq i8 %small, 1\n  br i1 %ask, label %begins, label %with\nbegins:"
    goes = f"br i1 %ask, label %goes, label %with\nwith:\n  {USE}\n  ret ptr null\ngoes:"
    one = variables(BEFORE=asks, FIRST=goes)
    one.copy().run(pipeline(Decides()))
    with pytest.raises(
        pycoro.RejectedError,
        match=r"ABI 0 \(Decides\) requires %x in the frame, but it cannot be"
        " there because it is used after a join of paths with and without llvm.coro.begin",
    ):
        one.run(pipeline(Decides(x=True)))


def test_the_reason_names_the_use_of_the_alloca() -> None:
    places = {"FIRST": "store i64 40, ptr %x", "MORE": "call void @look(ptr %x, ptr %place)"}
    assert "x" in names(variables(**places).run(pipeline(Decides())))
    with pytest.raises(
        pycoro.RejectedError,
        match=r"ABI 0 \(Decides\) requires %x outside of the frame, but it.*because it is accessed on both sides of a suspend",
    ):
        variables(**places).run(pipeline(Decides(x=False)))
    assert "x" in names(variables(**places).run(pipeline(Decides(x=True))))


def test_a_byval_parameter_counts_as_an_alloca() -> None:
    text = VARIABLES.replace("ptr @f(ptr %place, i8 %small)", "ptr @f(ptr %place, ptr byval([3 x i64]) %three)", 1)
    text = text.replace("call ptr @f(ptr %place, i8 %small)", "call ptr @f(ptr %place, ptr byval([3 x i64]) %place)")
    asks = Decides(three=True)
    for text_of in (variables, partial(variables, MORE="store i64 1, ptr %three")):
        places = {"FIRST": "call void @look(ptr %three, ptr %place)"}
        explained = text_of(text, **places).preview(pycoro.CoroSplit(abis=[asks]))["f"]
        assert "three" in [field.name for field in explained.frame]
    told = next(value for value in asks.asked if value.name == "three")
    assert told.is_variable and not told.is_in_frame and (told.type, told.size) == ("[3 x i64]", 24)


def test_no_query_for_the_promise_or_without_suspends() -> None:
    asks, never = Decides(), Decides(x=True)
    module().run(pipeline(asks))
    assert "promise" not in [value.name for value in asks.asked]
    variables(VARIABLES.replace("call i8 @llvm.coro.suspend(token TOKEN, i1 false)", "add i8 0, 0")).run(pipeline(never))
    assert not never.asked


def test_an_exception_leaves_the_module_unchanged() -> None:
    for given in (module(), variables(FIRST=USE)):
        members = {"keep_in_frame": fails, "select": lambda self, coroutine: True}
        before = str(given)
        with pytest.raises(Stop, match="enough"):
            given.run(pipeline(type("Fails", (pycoro.SwitchABI,), members)()))
        assert str(given) == before and given.generation == 0


@pytest.mark.parametrize("answer", [0, 1, "yes", []])
def test_a_result_must_be_a_bool_or_none(answer: object) -> None:
    abi = type("Answers", (pycoro.SwitchABI,), {"keep_in_frame": lambda self, value: answer})()
    with pytest.raises(TypeError, match="Answers.keep_in_frame must return True, False or None, not ") as caught:
        module().run(pipeline(abi))
    assert repr(answer) in str(caught.value)


class Everything(pycoro.SwitchABI):
    """Uses every query of an ABI."""

    def __init__(self, refuses: bool) -> None:
        self.refuses = refuses

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def check(self, coroutine: pycoro.Candidate) -> None: ...

    def rematerialize(self, value: pycoro.RematCandidate, default: bool) -> bool:
        return default

    def keep_in_frame(self, value: pycoro.SpillCandidate) -> bool | None:
        return None if value.obstacle else not value.is_in_frame

    def layout(self, fields: pycoro.Fields) -> dict[pycoro.FrameField, int]:
        return spread_layout(self, fields)

    def check_frame(self, frame: pycoro.Frame) -> None:
        if self.refuses:
            self.reject("for the sake of it")


@pytest.mark.parametrize("refuses", [False, True])
def test_allocation_failures_are_reported_everywhere(refuses: bool) -> None:
    split = pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Everything(refuses)]))
    for allocation in range(1, 5000):
        one = module()
        before = str(one)
        try:
            one._core.run(str(split), False, None, allocation, abi_arguments_of(split))
        except MemoryError:
            assert str(one) == before
        except pycoro.RejectedError as error:
            assert refuses and "for the sake of it" in str(error) and str(one) == before
            break
        else:
            assert not refuses
            break
    assert 200 < allocation < 4999
