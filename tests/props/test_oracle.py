"""pycoro's lowering behaves as LLVM's: inputs/, the seeds and LLVM's tests, executed on every schedule of a few steps. The
oracle detects differences, including crashes of the child."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from llvm_inputs import LLVM_TESTS, MISSING

from pycoro import Module, oracle
from pycoro.errors import ParseError, UsageError

HERE = Path(__file__).parent
INPUTS = sorted((HERE / "inputs").glob("*.ll"))
SEEDS = sorted((HERE.parent / "seeds").glob("*.ll"))

STEPS = 6
PIPELINES = {  # optimization shows claims of a lowering that do not hold
    "plain": "coro-early,cgscc(coro-split),coro-cleanup",
    "optimized": "coro-early,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,gvn),"
    "cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>",
}
HEADER = re.compile(r'^; oracle: (\w+)\((.*?)\)(?: promise="(.*?)")?(?: returns (\w+)=([\d,]+))?$', re.MULTILINE)


class Case(NamedTuple):
    """A run of an input, from its line `; oracle: f(i32 4, ptr scratch) promise="i32" returns pick=1,2`."""

    path: Path
    ramp: str
    args: tuple[Any, ...]
    promise: str | None
    returns: dict[str, list[int]]

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.ramp}{self.args}".replace(" ", "")


def value(text: str) -> Any:
    kind, word = text.split()
    if kind == "ptr":
        return word
    return word == "true" if kind == "i1" else float(word) if kind in ("float", "double") else int(word)


def cases(path: Path) -> Iterator[Case]:
    for ramp, args, promise, name, numbers in HEADER.findall(path.read_text()):
        values = tuple(value(text) for text in args.split(", ") if text)
        returns = {name: [int(number) for number in numbers.split(",")]} if name else {}
        yield Case(path, ramp, values, promise or None, returns)


def schedules(case: Case) -> Iterator[tuple[str, ...]]:
    """Yield schedules that destroy after each number of resumes; one empty schedule for a driver, which is only called."""
    if case.ramp == "main":
        yield ()
        return
    step = (("promise", "done") if case.promise else ("done",)) + ("resume",)
    for count in range(STEPS):
        yield (*step * count, "done", "destroy")


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


@pytest.mark.parametrize("case", [case for path in INPUTS for case in cases(path)], ids=str)
@pytest.mark.parametrize("passes", PIPELINES.values(), ids=PIPELINES)
def test_inputs(both: oracle.Oracle, case: Case, passes: str) -> None:
    ir = case.path.read_text()
    steps = list(schedules(case))
    how: dict[str, Any] = {"args": case.args, "promise": case.promise, "returns": case.returns, "passes": passes}
    verdicts = both.compare_all(ir, steps, ramp=case.ramp, **how)
    for schedule, verdict in zip(steps, verdicts, strict=True):
        assert verdict.equal and verdict.executed, f"{schedule}: {verdict}\n{verdict.ours}"
        words = {word for event in verdict.ours.events for word in event}
        assert not words & {"stray write", "what was not allocated"}, f"{schedule}:\n{verdict.ours}"
        assert verdict.ours.events[-1] == ("left",), f"{schedule}: a frame leaks:\n{verdict.ours}"


def test_every_input_is_run() -> None:
    assert len(INPUTS) > 20
    assert [path.name for path in INPUTS if not list(cases(path))] == []


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_seeds_by_their_ramps(both: oracle.Oracle, path: Path) -> None:
    ir = path.read_text()
    ramp, argument = re.findall(r"^define ptr @(\w+)\((i32)? ?.*presplitcoroutine", ir, re.MULTILINE)[0]
    steps = [("resume", "done") * count + ("destroy",) for count in range(STEPS)]
    for verdict in both.compare_all(ir, steps, ramp=ramp, args=(3,) if argument else ()):
        assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}"


# ---- LLVM's tests ----

CALLABLE = re.compile(r"^define [^@\n]*\bptr @([\w.]+)\(([^)]*)\)[^{\n]*?(presplitcoroutine|#\d+)", re.MULTILINE)
SIMPLE = re.compile(r"^(i\d+|ptr|float|double)\b(?!.*(byval|sret|inalloca|swifterror|swiftself))")


def executable() -> Iterator[tuple[Path, str, str]]:
    """Yield switched-resume coroutines of LLVM's tests whose ramps Python can call, with their argument types."""
    for path in sorted(LLVM_TESTS.rglob("*.ll")):
        ir = path.read_text(errors="replace")
        if "llvm.coro.id(" not in ir or re.search(r"personality|split-file|target (triple|datalayout)", ir):
            continue
        for ramp, parameters, attribute in CALLABLE.findall(ir):
            if attribute != "presplitcoroutine" and not re.search(rf"attributes {attribute} = .*presplitcoroutine", ir):
                continue
            kinds = [parameter.strip() for parameter in parameters.split(",") if parameter.strip()]
            if all(SIMPLE.match(kind) for kind in kinds):
                yield path, ramp, " ".join(kind.split()[0] for kind in kinds)


FROM_LLVM = list(executable())


@pytest.mark.skipif(not FROM_LLVM, reason=MISSING)
@pytest.mark.parametrize(("path", "ramp", "kinds"), FROM_LLVM, ids=lambda item: getattr(item, "stem", str(item)))
def test_llvm_tests(both: oracle.Oracle, path: Path, ramp: str, kinds: str) -> None:
    ir = path.read_text(errors="replace")
    args = [{"ptr": "scratch", "float": 1.5, "double": 1.5, "i1": True}.get(kind, 3) for kind in kinds.split()]
    steps = [("resume",) * count + ("destroy",) for count in range(STEPS)]
    for verdict in both.compare_all(ir, steps, ramp=ramp, args=args, timeout=3):
        if verdict.theirs.how in ("unsupported", "rejected", "broken"):
            pytest.skip(f"LLVM's own lowering cannot be executed: {verdict.theirs.why.splitlines()[0]}")
        if verdict.undecided:
            pytest.skip(f"it is not meant to run: {verdict.undecided}")
        assert verdict.equal, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"


# ---- The oracle ----

PLAIN = "define void @f() {\n%s\n}\ndeclare void @print(i32)\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
MEMORY = " %p = call ptr @malloc(i64 8)\n"


def run(both: oracle.Oracle, body: str, **how: Any) -> oracle.Run:
    return both.run(PLAIN % (body + "\n ret void"), **how)


def test_exits_of_the_child_are_results(both: oracle.Oracle) -> None:
    crash = run(both, " store i32 1, ptr inttoptr (i64 16 to ptr)")
    assert (crash.how, crash.why) == ("crashed", "SIGSEGV while it ran")
    trap = run(both, " call void @print(i32 1)\n call void @llvm.trap()")
    assert trap.how == "crashed" and trap.events == (("call", "print", 1),), "what happened before is kept"
    loop = both.run("define void @f() {\n br label %1\n1:\n br label %1\n}\n", timeout=1)
    assert (loop.how, loop.why) == ("timeout", "while it ran")
    talk = both.run(
        "define void @f() {\n br label %1\n1:\n call void @print(i32 1)\n br label %1\n}\ndeclare void @print(i32)\n",
        events=10,
    )
    assert talk.how == "stopped" and len(talk.events) == 10
    with pytest.raises(ParseError):
        run(both, " %x = call i32 @nowhere()")
    assert run(both, " call void @print(i32 7)").how == "finished", "and the oracle goes on"


def test_memory_errors_are_detected(both: oracle.Oracle) -> None:
    def words(body: str) -> list[tuple[Any, ...]]:
        done = run(both, MEMORY + body)
        assert done.how == "finished"
        return [event for event in done.events if event[0] not in ("allocate", "returned")]

    free = " call void @free(ptr %p)\n"
    assert words(free) == [("free", "free", "block 0"), ("left",)]
    assert words("") == [("left", "block 0")]
    assert ("free", "free", "block 0 a second time") in words(free + free)
    past = " %q = getelementptr i8, ptr %p, i64 8\n store i8 0, ptr %q\n"
    assert words(past + free)[1:] == [("stray write", "outside of block 0"), ("left",)]
    for far in (600, 4000, -600, -4000):
        distant = past.replace("i64 8", f"i64 {far}")
        assert words(distant + free)[1:] == [("stray write", "outside of block 0"), ("left",)], far
    two = " %r = call ptr @malloc(i64 8)\n"
    for pointer, far, block in (("%p", 200, 0), ("%r", -200, 1)):
        between = past.replace("ptr %p, i64 8", f"ptr {pointer}, i64 {far}")
        assert words(two + between + free)[1] == ("stray write", f"outside of block {block}"), pointer
    assert words(free + " store i8 0, ptr %p\n")[1:] == [("stray write", "into block 0 after it was freed"), ("left",)]
    assert ("free", "free", "what was not allocated") in words(" %q = getelementptr i8, ptr %p, i64 4\n call void @free(ptr %q)\n")


def test_differences_are_described(both: oracle.Oracle) -> None:
    ir = (HERE / "inputs" / "loop_phis.ll").read_text()
    lowered = both.lower(ir)
    assert isinstance(lowered, str)
    changed = re.sub(r"add i32", "sub i32", lowered)
    how: dict[str, Any] = {"args": (1,), "schedule": ("resume", "resume", "destroy"), "passes": ""}
    ours, theirs = both.run(changed, **how), both.run(lowered, **how)
    assert ours.events != theirs.events
    verdict = oracle.Verdict(ours, theirs, oracle.first_difference(ours, theirs))
    assert not verdict and str(verdict) == ("event 7 is `call print 0` in pycoro's lowering, `call print 2` in LLVM's lowering")
    shorter = oracle.Run("crashed", "SIGSEGV while it ran", theirs.events[:3])
    assert "is only in LLVM's lowering; the shorter run ends (crashed: SIGSEGV" in oracle.first_difference(shorter, theirs)
    rejected = oracle.Run("rejected", "two finals\nmore", ())
    finished = oracle.Run("finished", "", ())
    assert oracle.first_difference(rejected, finished) == (
        "pycoro's lowering rejected (two finals), LLVM's lowering finished, after 0 equal events"
    )
    assert oracle.first_difference(rejected, rejected) == ""


def test_a_stopped_run_is_compared_up_to_its_stop() -> None:
    """Ignored events fill the limit sooner. The events up to then must agree, and complete runs are compared completely."""
    calls = tuple(("call", "say", number) for number in range(4))
    longer = oracle.Run("stopped", "after 4 events", calls)
    framed = oracle.Run("stopped", "after 4 events", (("allocate", "malloc", "block 0"), *calls[:3]))
    assert not oracle.first_difference(framed, longer, allocation=False) and not oracle.first_difference(
        longer, framed, allocation=False
    )
    assert not oracle.first_difference(framed, oracle.Run("finished", "", calls[:3]), allocation=False)
    assert "event 2 is" in oracle.first_difference(framed, oracle.Run("stopped", "", (calls[0], calls[2])), allocation=False)
    assert "is only in" in oracle.first_difference(longer, oracle.Run("finished", "", calls[:3]), allocation=False)


LANDING = """
@exception = internal global [32 x i8] zeroinitializer, align 16
declare i32 @_Unwind_RaiseException(ptr)
declare i32 @__gxx_personality_v0(...)

define internal i32 @may_throw(i32 %v) noinline uwtable {
  %odd = trunc i32 %v to i1
  br i1 %odd, label %throw, label %fine
fine:
  ret i32 %v
throw:
  %never = call i32 @_Unwind_RaiseException(ptr @exception)
  unreachable
}

define internal i32 @sum(ptr %p, ptr %q) noinline {
  %v = load i32, ptr %p
  %w = load i32, ptr %q
  %x = add i32 %v, %w
  ret i32 %x
}

define i32 @f(ptr %frame, i32 %n) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %one = getelementptr i32, ptr %frame, i64 1
  %two = getelementptr i32, ptr %frame, i64 2
  store i32 10, ptr %one
  store i32 20, ptr %two
  %slot = getelementptr i8, ptr %frame, i64 16
  store ptr %two, ptr %slot
  %error = alloca swifterror ptr
  store ptr %one, ptr %error
  br label %again
again:
  %r = invoke i32 @may_throw(i32 %n) to label %join unwind label %pad
pad:
  %thrown = landingpad { ptr, i32 } catch ptr null
  store i32 4, ptr %frame
  %held = getelementptr i8, ptr %frame, i64 16
  %q = load ptr, ptr %held
  %s = call i32 @sum(ptr %one, ptr %q)
  %kept = load ptr, ptr %error
  %first = load i32, ptr %kept
  br label %join
join:
  %x = phi i32 [ %r, %again ], [ %first, %pad ]
  %p = phi ptr [ %one, %again ], [ %two, %pad ]
  %v = load i32, ptr %p
  %w = load i32, ptr %frame
  %xv = add i32 %x, %v
  %e = load ptr, ptr %error
  %ev = load i32, ptr %e
  %ew = add i32 %ev, %w
  %all = add i32 %xv, %ew
  ret i32 %all
}

declare i8 @llvm.umin.i8(i8, i8)
define i32 @run(i32 %n) {
  %frame = alloca [8 x i32], align 16
  store i32 0, ptr %frame
  %r = call i32 @f(ptr %frame, i32 %n)
  ret i32 %r
}
"""
"""LLVM's unoptimized code generation reloads a landing pad's error value too early."""


@pytest.mark.parametrize(("n", "given"), [(2, 22), (3, 44)])
def test_an_error_in_a_register_does_not_break_landing_pads(both: oracle.Oracle, n: int, given: int) -> None:
    run = both.run(LANDING, ramp="run", args=(n,), passes="")
    assert (run.how, run.events[0]) == ("finished", ("returned", given)), str(run)


RECORD_IN_PAD = """
@exception = internal global [32 x i8] zeroinitializer, align 16
declare i32 @_Unwind_RaiseException(ptr)
declare i32 @__gxx_personality_v0(...)
declare i32 @pick()
declare void @report_i32(i32)

define internal i32 @throw(i32 %v) noinline uwtable {
  %never = call i32 @_Unwind_RaiseException(ptr @exception)
  unreachable
}

define i32 @run() uwtable personality ptr @__gxx_personality_v0 !dbg !4 {
  %kept = call i32 @pick(), !dbg !7
  %r = invoke i32 @throw(i32 %kept) to label %on unwind label %pad, !dbg !7
on:
  ret i32 %r, !dbg !7
pad:
  %thrown = landingpad { ptr, i32 } catch ptr null, !dbg !7
    #dbg_value(i32 0, !8, !DIExpression(), !7)
  call void @report_i32(i32 %kept), !dbg !7
  ret i32 %kept, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "x", emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "run", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocalVariable(name: "a", scope: !4, file: !1, line: 2, type: !9)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"""
"""LLVM's unoptimized code generation reloads values before an exception's landing point."""


def test_a_debug_record_does_not_break_landing_pads(both: oracle.Oracle) -> None:
    assert not both.compare(RECORD_IN_PAD, ramp="run", passes="", reference="interpreter", schedule=()).difference


def test_lowerings_that_elide_may_allocate_differently(both: oracle.Oracle) -> None:
    path = HERE.parent / "seeds" / "promise.ll"
    plain = both.run(path.read_text(), ramp="main")
    inline = f"{PIPELINES['plain'].rsplit(',', 1)[0]},cgscc(inline),function(coro-elide),coro-cleanup"
    elided = both.run(path.read_text(), ramp="main", passes=inline)
    assert ("allocate", "malloc", "block 0") in plain.events and plain.events[-1] == elided.events[-1] == ("left",)
    assert not any(event[0] == "allocate" for event in elided.events), "the frame is on the stack of main"
    assert oracle.first_difference(plain, elided) and not oracle.first_difference(plain, elided, allocation=False)


KEEPS = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
declare void @look(ptr)
define void @f(i32 %n) {
  %p = call ptr @malloc(i64 8)
  store i32 %n, ptr %p
  %q = call ptr @malloc(i64 8)
  call void @look(ptr %q)
  %v = load i32, ptr %p
  call void @print(i32 %v)
  call void @free(ptr %p)
  call void @free(ptr %q)
  ret void
}
"""
"""One unobserved block, which LLVM elides, and one that escapes."""
WHOLE = f"{PIPELINES['plain']},default<O2>"


def test_optimizers_may_elide_unobserved_memory(both: oracle.Oracle) -> None:
    for sides in (
        {"passes": WHOLE, "reference": "interpreter"},
        {"lowering": WHOLE, "reference": "pycoro:coro-early"},
        {"lowering": "coro-early", "passes": WHOLE},
    ):
        verdict = both.compare(KEEPS, args=(4,), **sides)
        assert verdict.equal and sorted(verdict.events) == [6, 8], str(verdict)
        assert "allocate malloc" in both.compare(KEEPS, args=(4,), **sides, allocation=True).difference
        (outcome,) = both.compare_cases([oracle.Case(KEEPS, args=(4,))], **sides)
        assert outcome.equal
    assert "look block 0" in str(both.run(KEEPS, args=(4,), passes=WHOLE))
    assert both.compare(KEEPS, args=(4,), passes=WHOLE).events == (6, 6), "both of them optimize: all counts"


@pytest.mark.parametrize(
    ("changed", "to", "said"),
    [
        ("  call void @free(ptr %q)\n", "", "`free free block 0` in LLVM"),
        ("  call void @free(ptr %p)\n", "  call void @free(ptr %p)\n  call void @free(ptr %p)\n", "block 0"),
        ("@print(i32 %v)", "@print(i32 5)", "print 5"),
        ("  call void @free(ptr %q)\n  ret void", "  call void @free(ptr %q)\n  store i8 1, ptr %q\n  ret void", "stray write"),
    ],
    ids=["leak", "freed twice", "another value", "used after it was freed"],
)
def test_a_wrong_lowering_shows_despite_elided_memory(both: oracle.Oracle, changed: str, to: str, said: str) -> None:
    """Detects a wrong lowering by comparison with the interpreter."""
    wrong = KEEPS.replace(changed, to)
    assert wrong != KEEPS
    ours, theirs = both.run(wrong, args=(4,), passes=""), both.run(KEEPS, args=(4,), passes="")
    assert said in oracle.first_difference(ours, theirs, unseen=False)


def test_blocks_are_numbered_without_unobserved_ones() -> None:
    pair = (("allocate", "malloc", "block 0"), ("free", "free", "block 0"))
    seen = (("allocate", "malloc", "block 1"), ("call", "look", "block 1+8"), ("left", "block 1"))
    alone = tuple(tuple(word.replace("block 1", "block 0") for word in event) for event in seen)
    whole = oracle.Run("finished", "", (pair[0], *seen[:1], pair[1], *seen[1:]))
    assert oracle.first_difference(whole, oracle.Run("finished", "", alone))
    assert not oracle.first_difference(whole, oracle.Run("finished", "", alone), unseen=False)
    stopped = oracle.Run("stopped", "", (*alone[:2], ("allocate", "malloc", "block 1")))
    assert not oracle.first_difference(stopped, oracle.Run("finished", "", alone), unseen=False)


ELIDING = (
    "coro-early,cgscc(devirt<4>(inline,function(early-cse,sroa,coro-elide,simplifycfg),coro-split<reuse-storage>,"
    "coro-annotation-elide)),function(coro-elide),coro-cleanup,default<O2>"
)


@pytest.mark.parametrize("path", [path for path in INPUTS + SEEDS if " @main(" in path.read_text()], ids=lambda p: p.stem)
def test_drivers_with_elision(both: oracle.Oracle, path: Path) -> None:
    ir = path.read_text()
    returns = {"cond": [1, 0, 1, 1]} if re.search(r"^declare .*@cond\(", ir, re.MULTILINE) else {}
    verdict = both.compare(ir, ramp="main", returns=returns, passes=ELIDING, allocation=False)
    assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
    assert verdict.ours.events[-1] == ("left",), str(verdict.ours)


@pytest.mark.parametrize("passes", PIPELINES.values(), ids=PIPELINES)
def test_over_aligned_allocas_with_an_unaligned_allocator(both: oracle.Oracle, passes: str) -> None:
    """LLVM leaves this undefined, so the test checks the addresses themselves."""
    ir = (HERE / "inputs" / "over_aligned.ll").read_text()
    ir = ir.replace("call ptr @aligned_alloc(i64 %align, i64 %size)", "call ptr @malloc(i64 %size)")
    ir = ir.replace("  %align = call i64 @llvm.coro.align.i64()\n", "").replace(
        "declare ptr @aligned_alloc(i64, i64)", "declare ptr @malloc(i64)"
    )
    aligned = both.run((HERE / "inputs" / "over_aligned.ll").read_text(), ("resume", "resume", "destroy"), args=(4,))
    plain = both.run(ir, ("resume", "resume", "destroy"), args=(4,), passes=passes, alignment=16)
    assert plain.how == "finished"
    assert [event[1:] for event in plain.events if event[0] == "call"] == [
        event[1:] for event in aligned.events if event[0] == "call"
    ]


def test_a_malformed_coroutine_is_rejected_by_both(both: oracle.Oracle) -> None:
    ir = (HERE / "inputs" / "ten_suspends.ll").read_text().replace("i1 false)\n  switch", "i1 true)\n  switch")
    verdict = both.compare(ir, schedule=("destroy",))
    assert not verdict.equal and not verdict.difference and verdict.theirs.how == "rejected"
    assert verdict.undecided.startswith("neither of them was run: rejected (")
    assert "Only one suspend point can be marked as final" in verdict.theirs.why


def test_without_opt_the_library_lowers(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM's lowering then runs in a child process of the library, and reports rejections."""
    ir = (HERE / "inputs" / "ten_suspends.ll").read_text()
    by_opt = oracle.Oracle().lower(ir)
    monkeypatch.setenv("PATH", "/nowhere")
    without = oracle.Oracle()
    by_library = without.lower(ir)
    assert isinstance(by_opt, str) and isinstance(by_library, str)
    assert Module(by_library).functions.keys() == Module(by_opt).functions.keys()
    verdict = without.compare(ir.replace("i1 false)\n  switch", "i1 true)\n  switch"), schedule=("destroy",))
    assert "Only one suspend point can be marked as final" in verdict.theirs.why


def test_invalid_calls_are_errors(both: oracle.Oracle) -> None:
    with pytest.raises(UsageError, match="'again' is not a step"):
        both.run("define ptr @f() {\n ret ptr null\n}\n", schedule=("again",))
    with pytest.raises(UsageError, match="PYCORO_OPT"):
        oracle.Oracle("none").lower("")
    with pytest.raises(UsageError, match="no function 'counter'; did you mean 'conter'"):
        both.run("define i32 @conter() {\n ret i32 3\n}\n", ramp="counter")


def test_runs_are_the_same_each_time(both: oracle.Oracle) -> None:
    ir = (HERE / "inputs" / "mixed_types.ll").read_text()
    args = (1, 2, 3, 4, 1.5, 2.5, True)
    first, second = (both.run(ir, args=args, schedule=("resume", "resume")) for _ in range(2))
    assert first.events == second.events and first.events[-1] == ("left", "block 0")


LOOP = """
define i64 @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i64 %n
}
"""


def test_an_answer_after_an_interruption_is_that_of_its_own_job() -> None:
    class Interrupt(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupt

    def answer(runs: oracle.Oracle, count: int) -> object:
        [[run]] = runs.execute(oracle.LLVM(), [oracle.Case(LOOP, args=(count,))], live=False)
        return next(event for event in run.events if event[0] == "returned")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with oracle.Oracle() as runs:
            assert answer(runs, 3) == ("returned", 3)
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            with pytest.raises(Interrupt):
                answer(runs, 1 << 40)
            assert answer(runs, 5) == ("returned", 5)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
