"""The interpreter, which lowers nothing, agrees with pycoro's lowering: inputs/, the seeds, LLVM's tests, random programs.
It also identifies the wrong one of two lowerings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llvm_inputs import MISSING
from test_oracle import FROM_LLVM, INPUTS, SEEDS, Case, cases, schedules

from pycoro import oracle, strategies
from pycoro.errors import ParseError

HERE = Path(__file__).parent
MISCOMPILES = HERE.parent / "miscompiles" / "programs"
STEPS = 6


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle() as shared:
        yield shared


def agree(both: oracle.Oracle, ir: str, steps: Any, **how: Any) -> None:
    for schedule, verdict in zip(steps, both.compare_all(ir, steps, reference="interpreter", **how), strict=True):
        assert verdict.equal and verdict.executed, f"{schedule}: {verdict}\n{verdict.ours}\n---\n{verdict.theirs}"


@pytest.mark.parametrize("case", [case for path in INPUTS for case in cases(path)], ids=str)
def test_inputs(both: oracle.Oracle, case: Case) -> None:
    how: dict[str, Any] = {"args": case.args, "promise": case.promise, "returns": case.returns, "ramp": case.ramp}
    agree(both, case.path.read_text(), list(schedules(case)), **how)


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_seeds(both: oracle.Oracle, path: Path) -> None:
    ir = path.read_text()
    ramp, argument = re.findall(r"^define ptr @(\w+)\((i32)? ?.*presplitcoroutine", ir, re.MULTILINE)[0]
    steps = [("resume", "done") * count + ("destroy",) for count in range(STEPS)]
    agree(both, ir, steps, ramp=ramp, args=(3,) if argument else ())


@pytest.mark.skipif(not FROM_LLVM, reason=MISSING)
@pytest.mark.parametrize(("path", "ramp", "kinds"), FROM_LLVM, ids=lambda item: getattr(item, "stem", str(item)))
def test_llvm_tests(both: oracle.Oracle, path: Path, ramp: str, kinds: str) -> None:
    """Many of these tests have undefined behavior: the interpreter must report it, or agree."""
    ir = path.read_text(errors="replace")
    args = [{"ptr": "scratch", "float": 1.5, "double": 1.5, "i1": True}.get(kind, 3) for kind in kinds.split()]
    steps = [("resume",) * count + ("destroy",) for count in range(STEPS)]
    for verdict in both.compare_all(ir, steps, ramp=ramp, args=args, timeout=3, reference="interpreter"):
        assert verdict.theirs.how in ("finished", "undefined", "unsupported", "timeout"), str(verdict)
        if verdict.theirs.how == "finished":
            assert verdict.equal, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"


# ---- Agreement with one side ----


def without_format(name: str) -> str:
    """Return the program with printf replaced by a traced function, because the oracle traces no variadic arguments."""
    ir = (MISCOMPILES / name).read_text()
    printing = re.compile(r"(%[\w.]+ = )?call i32 \(ptr, \.\.\.\) @printf\(ptr @[\w.]+, (i\d+) ([^),]+)\)")
    kinds = {found[2] for found in printing.finditer(ir)}
    ir = printing.sub(lambda found: f"call void @print_{found[2]}({found[2]} {found[3]})", ir)
    return ir.replace("declare i32 @printf(ptr, ...)", "\n".join(f"declare void @print_{kind}({kind})" for kind in sorted(kinds)))


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("address_in_aggregate.ll", ("call", "print_i32", 30)),
        ("block_address.ll", ("call", "print_i32", 2)),
        ("byval_written.ll", ("call", "print_i32", 2)),
        ("retcon_over_aligned.ll", ("returned", 0)),
    ],
)
def test_the_interpreter_identifies_a_wrong_lowering(both: oracle.Oracle, name: str, event: tuple[Any, ...]) -> None:
    verdict = both.compare(without_format(name), ramp="main")
    assert not verdict.equal
    assert verdict.agrees == "pycoro's lowering"
    assert str(verdict).endswith("; the interpreter agrees with pycoro's lowering")
    assert verdict.interpreted is not None
    assert event in verdict.interpreted.events


COUNTS = "declare void @print(i32)\ndefine void @f() {\n  call void @print(i32 %s)\n  ret void\n}\n"


def test_the_outcome_names_the_side_that_agrees(both: oracle.Oracle) -> None:
    def lowering(number: int) -> Any:
        return lambda ir: re.sub(r"print\(i32 \w+", f"print(i32 {number}", ir)

    def other(number: int) -> oracle.Side:
        return oracle.CallableLowering(lowering(number), "the other")

    ours = both.compare(COUNTS % 1, lowering=lowering(1), reference=other(2))
    theirs = both.compare(COUNTS % 2, lowering=lowering(1), reference=other(2))
    neither = both.compare(COUNTS % 3, lowering=lowering(1), reference=other(2))
    assert [verdict.agrees for verdict in (ours, theirs, neither)] == ["<lambda>'s lowering", "the other", "neither"]
    nothing = both.compare(COUNTS % "undef", lowering=lowering(1), reference=other(2))
    assert (nothing.agrees, nothing.interpreted and nothing.interpreted.how) == ("", "undefined")
    assert "the interpreter is undecided: undefined (an argument of @print is undefined" in str(nothing)
    (outcome,) = both.compare_cases([oracle.Case(COUNTS % 1)], lowering=lowering(1), reference=other(2))
    assert outcome.verdicts[0].agrees == "<lambda>'s lowering"


def test_unsupported_values_are_not_differences(both: oracle.Oracle) -> None:
    """It stops at a value of an unsupported type, where lowered code continues."""
    body = """
define i32 @f(i32 %n) {
  call void @print(i32 1)
  %wide = zext i32 %n to i256
  %twice = mul i256 %wide, %wide
  %back = trunc i256 %twice to i32
  call void @print(i32 %back)
  ret i32 %back
}
declare void @print(i32)
"""
    verdict = both.compare(body, args=[3], reference="interpreter")
    assert (verdict.theirs.how, verdict.difference, verdict.equal) == ("unsupported", "", False)
    assert "one of them unsupported" in str(verdict)


def test_errors_of_the_interpreter_are_results(both: oracle.Oracle) -> None:
    def run(body: str) -> oracle.Run:
        return both.run(f"declare void @print(i32)\ndefine void @f() {{\n{body}\n}}\n", passes=oracle.Interpreted())

    loop = run("  br label %l\nl:\n  call void @print(i32 1)\n  br label %l")
    assert (loop.how, len(loop.events)) == ("stopped", 2000)
    unknown = run('  call void @print(i32 1)\n  call void asm sideeffect "", ""()\n  ret void')
    assert (unknown.how, unknown.events) == ("unsupported", (("call", "print", 1),)), "what happened before is kept"
    wild = run("  store i32 1, ptr inttoptr (i64 16 to ptr)\n  ret void")
    assert wild.how == "undefined" and "where the program has no memory" in wild.why
    with pytest.raises(ParseError):
        run("  ret i32 0")


# ---- Random programs: exceptions, several coroutines, symmetric transfer and all other features ----


@pytest.mark.parametrize("abis", [("switch",), ("retcon", "retcon.once", "async")], ids=lambda abis: abis[0])
def test_random_programs(both: oracle.Oracle, abis: tuple[str, ...]) -> None:
    """Each run draws the same few; PYCORO_EXAMPLES=n draws more. A lowering decides whether to allocate a continuation's
    frame."""
    alike = abis == ("switch",)
    options = strategies.Options(abis=abis, **({"callees": ("switch", "async")} if alike else {}))
    seeds = range(int(os.environ.get("PYCORO_EXAMPLES", "40")))
    programs = {seed: strategies.module([strategies.sample(seed, options)]) for seed in seeds}
    cases = [oracle.Case(ir, ramp="drives", name=f"seed {seed}") for seed, ir in programs.items()]
    for outcome in both.compare_cases(cases, reference="interpreter", allocation=True if alike else None):
        assert outcome.equal and outcome.executed, f"{outcome.case.name}: {outcome.verdicts[0]}\n{outcome.case.ir}"
        assert not outcome.unconfirmed


ERRORS = """
define swiftcc ptr @f(ptr %buffer, ptr swifterror %error) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @alloc_frame, ptr @free_frame)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %old = load ptr, ptr %error
  call void @say(ptr %old)
  store ptr inttoptr (i64 7 to ptr), ptr %error
  %back = call { i1, i32, ptr } (...) @llvm.coro.suspend.retcon.sl_i1i32p0s()
  %unwind = extractvalue { i1, i32, ptr } %back, 0
  br i1 %unwind, label %cleanup, label %loop

cleanup:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

define void @main() {
entry:
  %buffer = alloca [32 x i8], align 8
  %a = alloca swifterror ptr
  %b = alloca swifterror ptr
  store ptr null, ptr %a
  store ptr null, ptr %b
  %next = call swiftcc ptr @f(ptr %buffer, ptr swifterror %a)
  %then = call swiftcc ptr %next(ptr %buffer, i1 false, i32 1, ptr swifterror %b)
  call swiftcc void @tell(ptr swifterror %a)
  call swiftcc void @tell(ptr swifterror %b)
  %last = call swiftcc ptr %then(ptr %buffer, i1 true, i32 1, ptr swifterror %a)
  ret void
}

define internal swiftcc void @tell(ptr swifterror %error) {
  %held = load ptr, ptr %error
  %number = ptrtoint ptr %held to i64
  call void @told(i64 %number)
  ret void
}

declare swiftcc ptr @prototype(ptr, i1, i32, ptr swifterror)
declare ptr @alloc_frame(i64)
declare void @free_frame(ptr)
declare void @say(ptr)
declare void @told(i64)
"""


def test_a_continuation_receives_its_swifterror_argument(both: oracle.Oracle) -> None:
    for reference in ("interpreter", "llvm"):
        verdict = both.compare(ERRORS, ramp="main", reference=reference, allocation=False)
        assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
        told = [event for event in verdict.theirs.events if event[0] == "call"]
        assert told == [("call", "say", "null")] * 2 + [("call", "told", 7)] * 2
