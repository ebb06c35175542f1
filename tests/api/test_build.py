"""pycoro.build: its code runs interpreted, lowered by pycoro and by LLVM; its text is small and deterministic."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

import pycoro
from pycoro import oracle
from pycoro.build import Allocation, ByValue, CoroutineBuilder, HandleValue, coroutine, function
from pycoro.ir import Builder, Function, Value

PERSONALITY = "__gxx_personality_v0"


def declare_trace(module: pycoro.Module) -> Function:
    build = Builder(module)
    tell = build.declare("tell", "void (i32)")
    build.add_attribute(tell, "nounwind")
    return tell


def build_counter(module: pycoro.Module, **how: Any) -> None:
    """Build a coroutine that yields 0, 1, ... below its argument, and emits 100 in its cleanup."""
    tell = declare_trace(module)
    with coroutine(module, "count", {"to": "i32"}, promise="i32", **how) as c:
        c.defer(lambda: c.call(tell, [100]))
        n = c.variable("i32", 0, name="n")
        with c.loop() as loop:
            at = c.load("i32", n)
            loop.while_(c.icmp("slt", at, c["to"]))
            c.yield_(at)
            c.store(c.add(at, 1), n)


def engine_of(module: pycoro.Module, externals: dict[str, Any]) -> pycoro.Engine:
    return pycoro.Engine(pycoro.lower(module, host=True), externals=externals, libraries=["libstdc++.so.6"], quick=True)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("final", [False, True])
def test_a_generator_in_every_lowering(lazy: bool, final: bool) -> None:
    module = pycoro.Module("")
    build_counter(module, lazy=lazy, final=final)
    module.verify()
    ends = 2 + lazy  # a coroutine without a final suspend is freed after its last value, and not destroyed
    schedules = [("promise", "resume") * count + ("destroy",) for count in range(ends if not final else ends + 1)]
    schedules += [] if final else [("resume",) * ends]
    for reference in ("llvm", "interpreter"):
        how: dict[str, Any] = {"promise": None if lazy else "i32", "reference": reference}
        schedules = [tuple(step for step in steps if step != "promise" or not lazy) for steps in schedules]
        for verdict in oracle.Oracle().compare_all(str(module), schedules, ramp="count", args=(2,), **how):
            assert verdict.equal and verdict.executed, str(verdict)


def test_the_same_text_each_time_and_no_cleanup_twice() -> None:
    texts: list[str] = []
    for _ in range(2):
        module = pycoro.Module("")
        tell = declare_trace(module)
        with coroutine(module, "f", promise="i32", personality=PERSONALITY) as c:
            other = c.declare("other", "void ()")
            for number in range(8):
                c.defer(partial(c.call, tell, [number]))
                c.call(other)
                c.yield_(number)
        module.verify()
        texts.append(str(module))
    assert texts[0] == texts[1]
    assert texts[0].count("call void @tell") == 8
    assert texts[0].count("landingpad") == 8, "one for each of the stacks of cleanups that a call stands in"


def test_code_size_is_linear_in_deferred_cleanups() -> None:
    """Code for each pair of a suspend and a cleanup would grow 32 times for 32 times as many."""

    def size(count: int) -> int:
        module = pycoro.Module("")
        tell = declare_trace(module)
        with coroutine(module, "f", promise="i32") as c:
            for number in range(count):
                c.defer(partial(c.call, tell, [number]))
                c.yield_(number)
        return sum(1 for _ in module.functions["f"].walk())

    assert (size(64) - size(32)) == (size(96) - size(64)) < 32 * 10


def test_awaiting() -> None:
    module = pycoro.Module("")
    tell = declare_trace(module)
    with function(module, "park", {"awaiter": "ptr", "handle": "ptr"}) as f:
        f.call(f.declare("parked", "void (ptr)"), [f["handle"]])
    with coroutine(module, "leaf", {"n": "i32"}, result="i32") as c:
        c.defer(lambda: c.call(tell, [c["n"]]))
        c.suspend(by=f.home)
        c.return_(c.mul(c["n"], 2))
    with coroutine(module, "root", {"n": "i32"}, result="i64") as c:
        c.defer(lambda: c.call(tell, [100]))
        first = c.await_(c.call(module.functions["leaf"], [c["n"]]), "i32")
        assert first is not None
        second = c.await_(c.call(module.functions["leaf"], [first]), "i32")
        assert second is not None
        c.return_(c.sext(c.add(first, second), "i64"))
    module.verify()
    told: list[int] = []
    parked: list[int] = []
    with engine_of(module, {"tell": told.append, "parked": parked.append}) as engine:
        root = engine.start("root", 3)
        root.resume()
        while not root.done:
            engine.handle(parked.pop()).resume()
        assert root.promise == (0, 18) and told == [3, 6, 100]
        root.destroy()
        told.clear()
        root = engine.start("root", 3)
        root.resume()
        engine.handle(parked.pop()).resume()
        root.destroy()
        assert told == [3, 6, 100], "the leaf that it waited for goes with it, and first"


def test_many_awaits_need_no_stack() -> None:
    module = pycoro.Module("")
    with coroutine(module, "nothing", result="void"):
        pass
    with coroutine(module, "many", {"n": "i32"}, result="i32") as c:
        i = c.variable("i32", 0)
        with c.loop() as loop:
            loop.while_(c.icmp("ult", c.load("i32", i), c["n"]))
            c.await_(c.call(module.functions["nothing"]))
            c.store(c.add(c.load("i32", i), 1), i)
        c.return_(c.load("i32", i))
    with engine_of(module, {}) as engine:
        handle = engine.start("many", 200_000)
        handle.resume()
        assert handle.done and handle.promise == (0, 200_000)
        handle.destroy()


def build_transfer_peer(module: pycoro.Module, name: str, tell: Function, number: int) -> None:
    """Build a coroutine that emits a number and transfers to its peer twice; at its end it transfers to the peer or to a
    no-op."""
    with coroutine(module, name, {"other": "ptr", "hands": "i1"}, promise="i32", lazy=True) as c:
        for _ in range(2):
            c.call(tell, [number])
            c.suspend(to=c.load("ptr", c["other"]))
        with c.if_(c["hands"]):
            c.final(to=c.load("ptr", c["other"]))
        c.final()


def test_symmetric_transfer() -> None:
    module = pycoro.Module("")
    tell = declare_trace(module)
    build_transfer_peer(module, "ping", tell, 1)
    build_transfer_peer(module, "pong", tell, 2)
    with function(module, "drive") as f:
        first, second = f.variable("ptr", name="first"), f.variable("ptr", name="second")
        handles: list[HandleValue] = []
        for name, mine, other in (("ping", first, second), ("pong", second, first)):
            handles.append(HandleValue(f, f.call(module.functions[name], [other, name == "ping"])))
            f.defer(handles[-1].destroy)
            f.store(handles[-1].address, mine)
        handles[0].resume()
        with f.if_(handles[0].done()):
            f.call(tell, [3])
    module.verify()
    for run in (pycoro.Interpreter, engine_of):
        told: list[int] = []
        machine: pycoro.Engine = run(module.copy(), externals={"tell": told.append})  # type: ignore[operator]
        with machine:
            machine.call("drive")
        assert told == [1, 2, 1, 2, 3]


def test_a_conditional_await_may_continue() -> None:
    module = pycoro.Module("")
    tell = declare_trace(module)
    with function(module, "ready", {"awaiter": "ptr", "handle": "ptr"}, "i1") as f:
        f.return_(f.trunc(f.load("i32", f["awaiter"]), "i1"))
    with coroutine(module, "f", {"waits": "i32"}, promise="i32") as c:
        awaiter = c.variable("i32", c["waits"])
        c.suspend(by=f.home, awaiter=awaiter)
        c.call(tell, [c.load("i32", awaiter)])
    told: list[int] = []
    with engine_of(module, {"tell": told.append}) as engine:
        assert not engine.start("f", 1).done and told == []
        assert engine.start("f", 2).done and told == [2]


# ---- Parameters and memory ----


def test_parameters_by_address_are_copied() -> None:
    """The caller's stack slot changes and dies; a source-language parameter is copied."""
    module = pycoro.Module("%pair = type { i32, i32 }")
    with function(module, "copy", {"to": "ptr", "from": "ptr"}) as f:
        f.store(f.add(f.load("i32", f["from"]), 1000), f["to"])
    with coroutine(module, "f", {"a": ByValue("%pair"), "b": ByValue("i32", by=f.home), "c": "ptr"}, promise="i32", lazy=True) as c:
        c.yield_(c.load("i32", c.gep("%pair", c["a"], [0, 1])))
        c.yield_(c.load("i32", c["b"]))
        c.yield_(c.load("i32", c["c"]))
    with function(module, "drive", {"tell": "ptr"}) as f:
        pair, single = f.variable("%pair"), f.variable("i32", 7)
        f.store(f.constant("i32", 5), f.gep("%pair", pair, [0, 1]))
        h = HandleValue(f, f.call(module.functions["f"], [pair, single, single]), promise="i32")
        f.defer(h.destroy)
        f.store(f.constant("i32", 6), f.gep("%pair", pair, [0, 1]))
        f.store(f.constant("i32", 8), single)
        for _ in range(3):
            h.resume()
            f.call(f["tell"], [h.value()], type="void (i32)")
    module.verify()
    import ctypes

    told: list[int] = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int)(told.append)
    with engine_of(module, {}) as engine:
        engine.call("drive", ctypes.cast(callback, ctypes.c_void_p).value)
    assert told == [5, 1007, 8]


def test_a_copy_is_as_long_as_the_type_is_where_it_is_lowered() -> None:
    """A module may get its data layout later: LLVM's default layout aligns an i64 to 4 bytes."""
    module = pycoro.Module("%pair = type { i8, i64 }")
    with coroutine(module, "f", {"a": ByValue("%pair")}, promise="i64") as c:
        c.yield_(c.load("i64", c.gep("%pair", c["a"], [0, 1])))
    with function(module, "g", {}, result="i64") as f:
        pair = f.variable("%pair")
        f.store(f.constant("i64", 1 << 40 | 5), f.gep("%pair", pair, [0, 1]))
        h = HandleValue(f, f.call(module.functions["f"], [pair]), promise="i64")
        f.defer(h.destroy)
        f.return_(h.value())
    assert module.types.parse("%pair").size == 12
    later = pycoro.Module(str(module), host=True)
    assert later.types.parse("%pair").size == 16
    with pycoro.Interpreter(later) as interpreter:
        assert interpreter.call("g") == 1 << 40 | 5
    later.run("default<O2>")
    with pycoro.Engine(later) as engine:
        assert engine.call("g") == 1 << 40 | 5
    with coroutine(later, "h", {"a": ByValue("%pair")}) as c:
        c.suspend()
    assert "i64 16, i1 false)" in str(later.functions["h"])  # it has a layout: the number is known


def arena(fails: bool = False) -> Allocation:
    def allocate(c: CoroutineBuilder, size: Value, align: Value) -> Value:
        return c.call(c.declare("take", "ptr (i64, i64)"), [size, align])

    def free(c: CoroutineBuilder, memory: Value) -> None:
        c.call(c.declare("give_back", "void (ptr)"), [memory])

    return Allocation(allocate, free, may_fail=fails)


def test_frames_use_the_given_allocation() -> None:
    import ctypes

    module = pycoro.Module("")
    build_counter(module, allocation=arena(fails=True))
    module.verify()
    kept = ctypes.create_string_buffer(256)
    asked: list[Any] = []
    place = [(ctypes.addressof(kept) + 63) & ~63]

    def take(size: int, align: int) -> int:
        asked.append((size, align))
        return place[0]

    with engine_of(module, {"take": take, "give_back": asked.append, "tell": asked.append}) as engine:
        (frame,) = (coroutine.frame for coroutine in pycoro.Module(str(module)).coroutines.values())
        engine.start("count", 1).destroy()
        assert asked == [(frame.size, 8), 100, place[0]]
        place[0] = 0
        assert engine.call("count", 1) == 0 and asked[3:] == [(frame.size, 8)], "null, and nothing has happened"


def test_elided_frames_are_not_allocated() -> None:
    module = pycoro.Module("")
    build_counter(module)
    with function(module, "sum", {"n": "i32"}, "i32") as f:
        total = f.variable("i32", 0)
        h = HandleValue(f, f.call(module.functions["count"], [f["n"]]), promise="i32")
        f.defer(h.destroy)
        with f.loop() as loop:
            loop.while_(f.not_(h.done()))
            f.store(f.add(f.load("i32", total), h.value()), total)
            h.resume()
        f.return_(f.load("i32", total))
    module.verify()
    report = module.run("default<O2>")
    assert [elision.caller for elision in report.elisions] or "@malloc" not in str(module).split("define i32 @sum")[1]
    with pycoro.Engine(pycoro.Module(module, host=True), externals={"tell": id}) as engine:
        assert engine.call("sum", 5) == 10


# ---- Functions: declared and built ----


def test_a_declared_function_gets_the_body() -> None:
    module = pycoro.Module("")
    build = Builder(module)
    declared = build.add_function("count", "ptr (i32)", linkage="internal")
    build_counter(module)
    assert module.functions["count"] is declared and not declared.is_declaration and declared.is_presplit
    with pytest.raises(pycoro.UsageError, match="already has a global @count"):
        build_counter(module)
    build.add_function("g", "void ()")
    with (
        pytest.raises(pycoro.UsageError, match=r"@g is declared with type void \(\), but built with type ptr \(\)"),
        coroutine(module, "g"),
    ):
        pass


def test_every_exit_returns_a_result() -> None:
    module = pycoro.Module("")
    tell = declare_trace(module)
    with function(module, "f", {"n": "i32"}, "i32") as f:
        f.defer(lambda: f.call(tell, [1]))
        with f.if_(f.icmp("eq", f["n"], 0)) as choice:
            f.return_(10)
        with choice.otherwise():
            f.defer(lambda: f.call(tell, [2]))
            with f.if_(f.icmp("eq", f["n"], 1)):
                f.return_(20)
        f.return_(f["n"])
    module.verify()
    told: list[int] = []
    with pycoro.Interpreter(module, externals={"tell": told.append}) as machine:
        assert [machine.call("f", n) for n in (0, 1, 2)] == [10, 20, 2]
    assert told == [1, 2, 1, 2, 1]


def test_unused_declarations_are_removed() -> None:
    module = pycoro.Module("")
    with coroutine(module, "f", promise="i32") as c:
        c.yield_(1)
    assert [name for name, function in module.functions.items() if function.is_declaration and not function.users] == []


def test_custom_blocks_in_a_body() -> None:
    """Builder methods work in bodies: a diamond with a phi around a suspend, and values used after it."""
    module = pycoro.Module("")
    with coroutine(module, "f", {"n": "i32"}, promise="i32") as c:
        left, right, join = c.new_block("left"), c.new_block("right"), c.new_block("join")
        twice = c.mul(c["n"], 2)
        c.branch_if(c.icmp("sgt", c["n"], 5), left, right)
        c.at_end(left)
        c.yield_(1)
        from_left = c.block
        c.branch(join)
        c.at_end(right).branch(join)
        c.at_end(join)
        c.yield_(c.phi("i32", [(twice, from_left), (c["n"], right)]))
    module.verify()
    with engine_of(module, {}) as engine:
        assert [list(engine.start("f", n)) for n in (6, 3)] == [[1, 12], [3]]


def test_unreachable_handlers_are_removed() -> None:
    """A handler of code that cannot throw is removed with its exits; the rest is the same as without it."""
    texts: list[str] = []
    for handled in (False, True):
        module = pycoro.Module("")
        tell = declare_trace(module)
        with coroutine(module, "f", promise="i32", personality=PERSONALITY) as c:
            c.defer(partial(c.call, tell, [1]))
            with c.loop() as loop, c.scope():
                c.defer(partial(c.call, tell, [2]))
                with c.attempt() as attempt:
                    c.yield_(7)
                with attempt.caught() as exception:
                    if handled:
                        c.call(c.declare("other", "void ()"))
                        c.defer(partial(c.call, tell, [3]))
                        with c.if_(c.icmp("eq", c.extract_value(exception, 1), 0)):
                            c.throw_on(exception)
                        loop.break_()
                c.call(tell, [4])
        module.verify()
        assert not module.lint()
        text = str(module)
        texts.append(text[text.index("define") : text.index("\n}\n")])
    assert re.sub(r"%\w+|\d+", "", texts[0]) == re.sub(r"%\w+|\d+", "", texts[1])


def test_shared_blocks_of_removed_handlers_stay() -> None:
    """Such a handler may branch to the author's blocks, which stay."""
    module = pycoro.Module("")
    with function(module, "f", {"n": "i32"}, "i32", personality=PERSONALITY) as f:
        join = f.new_block("join")
        with f.attempt() as attempt:
            pass
        with attempt.caught():
            other = f.add(f["n"], 1)
            last = f.block
            f.branch(join)
        before = f.block
        f.branch(join)
        f.at_end(join)
        f.return_(f.phi("i32", [(f["n"], before), (other, last)]))
    module.verify()
    with pycoro.Interpreter(module) as machine:
        assert machine.call("f", 5) == 5


def test_locals_of_disjoint_scopes_share_the_frame() -> None:
    sizes: list[int] = []
    for word in ("variable", "local"):
        module = pycoro.Module("")
        with function(module, "tell_fifth", {"place": "ptr"}) as f:
            f.call(declare_trace(module), [f.load("i32", f.gep("i32", f["place"], [5]))])
        with coroutine(module, "f", promise="i32") as c, c.loop() as loop:
            for number in range(3):
                with c.scope():
                    place = getattr(c, word)("[64 x i32]", name="room")
                    c.store(c.constant("i32", number), c.gep("i32", place, [5]))
                    c.defer(partial(c.call, f.home, [place]))
                    c.call(c.declare("use", "void (ptr)"), [place])
                    c.yield_(number)
                    with c.if_(c.icmp("eq", c.load("i32", c.gep("i32", place, [5])), 9)):
                        loop.break_()
        module.verify()
        assert not module.lint()
        sizes.append(module.preview(pycoro.CoroSplit(reuse_storage=True))["f"].frame.size)
        for machine in (pycoro.Interpreter, engine_of):
            told: list[int] = []
            with machine(module.copy(), externals={"tell": told.append, "use": id}) as engine:  # type: ignore[operator]
                handle = engine.start("f")
                for _ in range(4):
                    handle.resume()
                handle.destroy()
            assert told == [0, 1, 2, 0, 1]
    assert sizes[0] > 3 * 256 and sizes[1] < 2 * 256


def test_a_cleanup_may_have_scopes_and_cleanups() -> None:
    module = pycoro.Module("")
    tell = declare_trace(module)
    with coroutine(module, "f", promise="i32") as c:

        def cleanup() -> None:
            c.defer(partial(c.call, tell, [2]))
            with c.loop() as loop:
                loop.break_()
            c.call(tell, [1])

        c.defer(cleanup)
        with pytest.raises(ZeroDivisionError), c.scope():
            c.defer(partial(c.call, tell, [3]))
            raise ZeroDivisionError  # the handler runs in the enclosing scopes
        c.yield_(7)
    module.verify()
    told: list[int] = []
    with engine_of(module, {"tell": told.append}) as engine:
        engine.start("f").destroy()
        assert told == [1, 2]
        assert list(engine.start("f")) == [7] and told == [1, 2] * 2


def test_text_of_a_minimal_coroutine() -> None:
    """Its text has no more blocks, phis or calls than it needs."""
    module = pycoro.Module("")
    with coroutine(module, "f", promise="i32") as c:
        c.yield_(7)
    text = str(module)
    body = text[text.index("define") : text.index("\n}\n")]
    assert [line.partition(":")[0] for line in body.splitlines() if line and not line.startswith((" ", "define"))] == [
        "entry", "coro.allocate", "coro.begin", "resumed", "coro.destroy", "coro.final", "coro.never", "coro.free", "coro.end",
    ]  # fmt: skip
    assert body.count("phi") == 1
