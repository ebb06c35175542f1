"""pycoro.build for ABIs without handles and for custom ABIs: code behaves the same interpreted, lowered by pycoro and by
LLVM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pycoro
from pycoro import oracle
from pycoro.build import Async, Context, ContinuationValue, Retcon, continue_async, coroutine, function
from pycoro.ir import Builder, Function

GENERATOR = Retcon(yields=["i32"], takes="i32", size=8)
ACCESSOR = Retcon(yields=["ptr"], results=["i32", "i64"], once=True)


def declare_trace(module: pycoro.Module) -> Function:
    tell = Builder(module).declare("tell", "void (i32)")
    Builder(module).add_attribute(tell, "nounwind")
    return tell


@pytest.fixture(scope="module")
def both() -> Iterator[oracle.Oracle]:
    with oracle.Oracle(timeout=4) as shared:
        yield shared


def build_adder(module: pycoro.Module) -> None:
    """Yield a running sum of the values passed in; emit 100 and the last number in the cleanup."""
    tell = declare_trace(module)
    with coroutine(module, "f", {"n": "i32"}, abi=GENERATOR) as c:
        c.defer(lambda: c.call(tell, [100]))
        total = c.variable("i32", c["n"], name="total")
        with c.loop() as loop, c.scope():
            before = c.load("i32", total)
            c.defer(lambda: c.call(tell, [before]))
            taken = c.yield_(before)
            assert taken is not None
            with c.if_(c.icmp("eq", taken, 0)):
                c.return_()
            with c.if_(c.icmp("eq", taken, 1)):
                loop.break_()
            c.store(c.add(before, taken), total)


def build_lender(module: pycoro.Module) -> None:
    """Yield the address of an alloca once; return its value at the end."""
    tell = declare_trace(module)
    with coroutine(module, "g", {"n": "i32"}, abi=ACCESSOR) as c:
        place = c.variable("i32", c["n"], name="place")
        c.defer(lambda: c.call(tell, [c.load("i32", place)]))
        c.yield_(place)
        c.return_(c.load("i32", place), 7)


def machine_of(module: pycoro.Module, externals: dict[str, Any], *, lowered: bool) -> pycoro.Engine:
    if lowered:
        return pycoro.Engine(pycoro.lower(module.copy(), host=True), externals=externals, quick=True)
    return pycoro.Interpreter(module, externals=externals)


def trace_of_calls(module: pycoro.Module, *calls: tuple[Any, ...], **more: Callable[..., Any]) -> list[int]:
    """Return the trace of calls, which is the same interpreted and lowered."""
    module.verify()
    both: list[list[int]] = []
    for lowered in (False, True):
        told: list[int] = []
        externals = {"tell": told.append, **more}
        with machine_of(module, externals, lowered=lowered) as machine:
            for name, *arguments in calls:
                machine.call(name, *arguments)
        both.append(told)
    assert both[0] == both[1]
    return both[0]


def test_continuations_in_both_lowerings(both: oracle.Oracle) -> None:
    module = pycoro.Module("")
    build_adder(module)
    schedules = [(*(f"resume {n}" for n in (5, 6, 1)[:count]), "abort") for count in range(3)]
    schedules += [("resume 5", "resume 0"), ("resume 1",)]
    for verdict in both.compare_all(str(module), schedules, ramp="f", args=("buffer", 3)):
        assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"
    module = pycoro.Module("")
    build_lender(module)
    for verdict in both.compare_all(str(module), [("resume",), ("abort",)], ramp="g", args=("buffer", 3)):
        assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"


def test_continuations_driven_by_a_function() -> None:
    module = pycoro.Module("")
    build_adder(module)
    build_lender(module)
    tell = declare_trace(module)
    with function(module, "drive", {"with": "i32"}) as f:
        numbers = ContinuationValue(f, module.functions["f"], [3], GENERATOR)
        f.defer(numbers.destroy)
        f.call(tell, [numbers.value()])
        numbers.resume(f["with"])
        with f.if_(numbers.done()) as choice:
            f.call(tell, [-1])
        with choice.otherwise():
            f.call(tell, [numbers.value()])
    with function(module, "borrow", {"destroys": "i1"}) as f:
        lent = ContinuationValue(f, module.functions["g"], [3], ACCESSOR)
        f.store(f.constant("i32", 77), lent.value())
        with f.if_(f["destroys"]):
            lent.destroy()
            f.return_()
        lent.resume()
        f.call(tell, [f.extract_value(lent.result(), 0)])
        f.call(tell, [f.trunc(f.extract_value(lent.result(), 1), "i32")])
    assert trace_of_calls(module, ("drive", 4)) == [3, 3, 7, 7, 100]
    assert trace_of_calls(module, ("drive", 1)) == trace_of_calls(module, ("drive", 0)) == [3, 3, 100, -1]
    assert trace_of_calls(module, ("borrow", False)) == [77, 77, 7]
    assert trace_of_calls(module, ("borrow", True)) == [77]


def build_async_program(module: pycoro.Module, count: int, *, gives: bool = True) -> None:
    """`@root` awaits `@leaf` that many times, which passes a number to `@keep`; a driver calls `@begin` and `@go`."""
    tell, keep = declare_trace(module), Builder(module).declare("keep", "void (ptr, ptr, i32)")
    how = Async(results=["i32"], hand=keep)
    with coroutine(module, "leaf", {"n": "i32"}, abi=how) as c:
        c.defer(lambda: c.call(tell, [c["n"]]))
        c.yield_(c["n"])
        c.return_(c.mul(c["n"], 2))
    with coroutine(module, "root", {"n": "i32"}, abi=how if gives else Async(hand=keep)) as c:
        c.defer(lambda: c.call(tell, [100]))
        value = c["n"]
        for _ in range(count):
            with c.scope() as scope:
                c.defer(lambda: c.call(tell, [50]))
                given = c.await_call(module.functions["leaf"], [value], "i32")
                assert given is not None
                scope.give(given)
            value = scope.given
        c.return_(*([value] if gives else []))
    if not gives:
        return
    with function(module, "over", {"context": "ptr", "result": "i32"}) as f:
        f.call(tell, [f["result"]])
        f.call(f.declare("free", "void (ptr)"), [f["context"]])
    with function(module, "begin", {"n": "i32"}) as f:
        Context(f, module.functions["root"], how).start([f["n"]], module.functions["over"])
    with function(module, "go", {"resume": "ptr", "context": "ptr"}) as f:
        continue_async(f, f["resume"], f["context"])
    module.verify()


@pytest.mark.parametrize("lowered", [False, True])
def test_async_coroutines_await_each_other(lowered: bool) -> None:
    module = pycoro.Module("")
    build_async_program(module, 3)
    told: list[Any] = []
    kept: list[tuple[int, int]] = []

    def keep(context: int, resume: int, value: int) -> None:
        kept.append((resume, context))
        told.append(("kept", value))

    externals: dict[str, Any] = {"tell": told.append, "keep": keep}
    with machine_of(module, externals, lowered=lowered) as machine:
        machine.call("begin", 3)
        while kept:
            machine.call("go", *kept.pop())
    assert told == [what for n in (3, 6, 12) for what in (("kept", n), n, 50)] + [100, 24]


def test_async_coroutines_in_both_lowerings(both: oracle.Oracle) -> None:
    module = pycoro.Module("")
    build_async_program(module, 2, gives=False)
    for verdict in both.compare_all(str(module), [("resume",) * n for n in (1, 2, 3)], ramp="root", args=("context", 2)):
        assert verdict.equal and verdict.executed, f"{verdict}\n{verdict.ours}\n---\n{verdict.theirs}"


def test_author_names_do_not_collide_with_the_builder_s() -> None:
    """The author's names do not collide: an attribute marks helper functions, and position identifies parameters."""
    module = pycoro.Module("")
    names = ("leaf.enter", "leaf.back", "keep.hand", "over.over", "coro.caller", "coro.same", "coro.transfer")
    for name in names:
        with function(module, name) as f:
            f.call(f.declare("wrong", "void ()"))
    build_async_program(module, 1)
    with coroutine(module, "handed", {"to": "ptr", "buffer": "i32", "context": "i32"}, promise="i32") as c:
        c.suspend(to=c["to"])
    for name, abi in (("passed", GENERATOR), ("called", Async())):
        with coroutine(module, name, {"buffer": "i32", "context": "i32"}, abi=abi) as c:
            c.call(c.declare("tell", "void (i32)"), [c.add(c["buffer"], c["context"])])
    module.verify()
    assert not any(module.functions[name].users for name in names)
    short = pytest.raises(pycoro.UsageError, match="@leaf expects 1 arguments after its context, not 0")
    with short, coroutine(module, "short", abi=Async()) as c:
        c.await_call(module.functions["leaf"])


def test_unsupported_features_of_an_abi_are_errors() -> None:
    module = pycoro.Module("")
    keep = Builder(module).declare("keep", "void (ptr, ptr, i32)")
    wrong: list[tuple[Any, Callable[[Any], object], str]] = [
        (GENERATOR, lambda c: c.yield_(), r"yield_ expects 1 values, as in Retcon\(yields=\), not 0"),
        (GENERATOR, lambda c: c.yield_(c.constant("i64", 1)), "value 1 is of type i32"),
        (GENERATOR, lambda c: c.return_(1), "return_ expects 0 values"),
        (GENERATOR, lambda c: c.final(), "the retcon ABI has no final suspend point"),
        (GENERATOR, lambda c: c.await_(c.handle), "the retcon ABI cannot await"),
        (GENERATOR, lambda c: c.suspend(by=keep), "the retcon ABI has no handle for suspend"),
        (ACCESSOR, lambda c: c.final(), "the retcon.once ABI has no final"),
        (ACCESSOR, lambda c: None, r"return_ expects 2 values, as in Retcon\(results=\), not 0"),
        (Async(), lambda c: c.yield_(1), r"pass Async\(hand=\), a void"),
        (Async(hand=keep), lambda c: c.yield_(), "yield_ expects 1 values, the parameters of @keep, not 0"),
        (Async(), lambda c: c.suspend(), r"suspend\(by=\) or await_call\(\)"),
        (
            Async(),
            lambda c: c.suspend(by=keep),
            r"function of type void \(ptr, ptr, ptr\); @keep is of type void \(ptr, ptr, i32\)",
        ),
        (Async(), lambda c: c.await_(c.handle), "the async ABI cannot await"),
        (Async(), lambda c: c.defer(lambda: c.await_call(keep)), r"await_call\(\) in a cleanup"),
        (Async(header=8), lambda c: None, "must be at least 16 bytes, for two pointers, not 8"),
    ]
    for abi, act, message in wrong:
        with pytest.raises(pycoro.UsageError, match=message), coroutine(module, "f", abi=abi) as c:
            act(c)
        assert "f" not in module.functions
    with pytest.raises(pycoro.UsageError, match="promise=, result=, lazy=, final= and allocation= belong to the switch ABI"):
        coroutine(module, "f", promise="i32", abi=GENERATOR)  # type: ignore[call-overload]
    with pytest.raises(pycoro.UsageError, match="an async coroutine cannot propagate exceptions"):
        coroutine(module, "f", personality="__gxx_personality_v0", abi=Async())  # type: ignore[call-overload]


def test_building_for_a_custom_abi() -> None:
    """A coroutine is built with the ABI that its class derives from, and passes its clones' arguments."""

    class Passing(pycoro.SwitchABI):
        hook_module = "declare void @abi.clone.go(ptr %frame, i32 %with)"

        def select(self, coroutine: pycoro.Candidate) -> bool:
            return True

    module = pycoro.Module("", host=True)
    tell = declare_trace(module)
    with coroutine(module, "f", promise="i32", lazy=True) as c:
        for number in range(2):
            c.call(tell, [c.passed(1, "i32")])
            c.yield_(number)
    module.verify()
    told: list[int] = []
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Passing()]), "coro-cleanup"))
    with pycoro.Engine(report, externals={"tell": told.append}) as engine:
        import ctypes

        handle = engine.start("f")
        go = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)(engine.address("f.go"))
        go(handle.address, 5)
        go(handle.address, 6)
        handle.destroy()
    assert told == [5, 6]
