"""Invalid calls of pycoro.build raise at the call with a suggestion; unfinished functions are removed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import pycoro
from pycoro.build import Allocation, ByValue, CoroutineBuilder, HandleValue, coroutine, function

Wrong = Callable[[CoroutineBuilder], object]


def in_cleanup(act: Wrong) -> Wrong:
    return lambda c: c.defer(lambda: act(c))


def after_return(act: Wrong) -> Wrong:
    def run(c: CoroutineBuilder) -> None:
        c.return_()
        act(c)

    return run


def left_open(c: CoroutineBuilder) -> None:
    c.branch(c.new_block("open"))


def not_at_once(c: CoroutineBuilder) -> None:
    with c.if_(True) as choice:
        pass
    c.yield_(1)
    with choice.otherwise():
        pass


def used_loop(c: CoroutineBuilder) -> None:
    with c.loop() as inner:
        inner.break_()
    inner.break_()


def given_early(c: CoroutineBuilder) -> object:
    with c.scope() as scope:
        return scope.given


WRONG: list[tuple[str, Wrong]] = [
    ("yield_ got a value of type i64, but the promise is of type i32", lambda c: c.yield_(c.constant("i64", 1))),
    ("yield_ got None, but the promise is of type i32", lambda c: c.yield_(None)),
    ("the loop has ended", used_loop),
    (r"throw_on\(\) needs a personality", lambda c: c.throw_on(c["n"])),
    ("yield_ expects 1 value, not 0", lambda c: c.yield_()),
    ("yield_ expects 1 value, not 2", lambda c: c.yield_(1, 2)),
    ("return_ expects no value, because the coroutine has no result, not 1", lambda c: c.return_(1)),
    (r"cannot build here: return_\(\) ended the block\. Use at_end\(block\) to continue elsewhere",
     after_return(lambda c: c.yield_(1))),
    (r"cannot build here: return_\(\) ended the block", after_return(lambda c: c.add(c["n"], 1))),
    (r"cannot build here: return_\(\) ended the block", after_return(lambda c: c.return_())),
    (r"cannot build here: return_\(\) ended the block", after_return(lambda c: c.defer(c.suspend))),
    (r"yield_\(\) in a cleanup, which also runs when the coroutine is destroyed.*Suspend before the end of the scope",
     in_cleanup(lambda c: c.yield_(1))),
    (r"suspend\(\) in a cleanup", in_cleanup(lambda c: c.suspend())),
    (r"a cleanup must run to its end", in_cleanup(lambda c: c.return_())),
    (r"ret would skip the cleanups; use return_\(\)", lambda c: c.ret(c["n"])),
    (r"resume would skip the cleanups", lambda c: c.resume(c["n"])),
    (r"@f has no parameter 'm'; its parameters are n", lambda c: c["m"]),
    (r"block %open of @f has no terminator; end it by a branch or return_\(\)", left_open),
    (r"await_ needs a coroutine that is itself awaitable: coroutine\(\.\.\., result='void'\)",
     lambda c: c.await_(c.constant("ptr", None))),
    (r"attempt\(\) needs a personality", lambda c: c.attempt().__enter__()),
    (r"otherwise\(\) must directly follow its if_", not_at_once),
    (r"the scope has no value", given_early),
    (r"pass either to= or by= to suspend\(\), not both", lambda c: c.suspend(c.home, to=c["n"])),
    (r"awaiter= needs by=", lambda c: c.suspend(awaiter=c.handle)),
    (r"suspend\(by=\) expects a function void, i1 or ptr \(ptr awaiter, ptr handle\); @f is of type ptr \(i32\)",
     lambda c: c.suspend(c.home)),
    (r"the type of the promise is unknown", lambda c: HandleValue(c, c.constant("ptr", None)).value()),
    (r"the coroutine's result is void", lambda c: HandleValue(c, c.constant("ptr", None), result="void").value()),
    (r"final\(to=\) got a value of type i32, but a handle is of type ptr", lambda c: c.final(to=c["n"])),
]  # fmt: skip


@pytest.mark.parametrize(("message", "act"), WRONG, ids=[message[:40] for message, _ in WRONG])
def test_invalid_calls_in_a_coroutine(message: str, act: Wrong) -> None:
    module = pycoro.Module("")
    with pytest.raises(pycoro.UsageError, match=message), coroutine(module, "f", {"n": "i32"}, promise="i32") as c:
        with c.loop() as loop:
            c.yield_(c["n"])
            loop.while_(c.icmp("eq", c["n"], 0))
        act(c)
    assert "f" not in module.functions
    module.verify()
    with coroutine(module, "f", {"n": "i32"}, promise="i32") as c:
        c.yield_(c["n"])
    module.verify()


def test_invalid_coroutine_declarations() -> None:
    module = pycoro.Module("")
    for message, how in [
        (
            r"pass either promise= \(the coroutine yields values\) or result= \(it is awaited\), not both",
            {"promise": "i32", "result": "i32"},
        ),
        ("is always lazy", {"result": "i32", "lazy": False}),
        ("needs its final suspend point", {"result": "i32", "final": False}),
    ]:
        with pytest.raises(pycoro.UsageError, match=message):
            coroutine(module, "f", **how)  # type: ignore[arg-type]
    with pytest.raises(pycoro.UsageError, match="needs a promise for the value"), coroutine(module, "f") as c:
        c.yield_(1)
    with pytest.raises(pycoro.UsageError, match="omit final=False"), coroutine(module, "f", final=False) as c:
        c.final()
    with (
        pytest.raises(pycoro.UsageError, match="return_ expects 1 value of type .*, the coroutine.s result, not 0"),
        coroutine(module, "f", result="i32"),
    ):
        pass
    with pytest.raises(pycoro.UsageError, match="ends by return_"), coroutine(module, "f", result="void") as c:
        c.final(to=c.handle)
    with pytest.raises(pycoro.UsageError, match="cannot yield values"), coroutine(module, "f", result="i32") as c:
        c.yield_(1)
    with pytest.raises(pycoro.UsageError, match="no parameter"), coroutine(module, "f", {"a": ByValue("i32")}) as c:
        c["b"]
    assert not [f for f in module.functions.values() if not f.is_declaration]


def test_invalid_calls_in_a_function() -> None:
    module = pycoro.Module("")
    for word in ("yield_", "suspend", "final"):
        message = rf"{word}\(\) in @f, which is not a coroutine; build it by coroutine\(\)"
        with pytest.raises(pycoro.UsageError, match=message), function(module, "f") as f:
            getattr(f, word)()
    with pytest.raises(pycoro.UsageError, match="not a coroutine"), function(module, "f", {"h": "ptr"}) as f:
        f.await_(f["h"])
    with pytest.raises(pycoro.UsageError, match="return_ expects a value in @f, not 0"), function(module, "f", {}, "i32"):
        pass
    with function(module, "f") as f:
        pass
    with pytest.raises(pycoro.UsageError, match="cannot build here: @f is complete"):
        f.unreachable()
    assert [f.name for f in module.functions.values() if not f.is_intrinsic] == ["f"]


def test_exceptions_of_a_body_propagate_and_the_module_is_unchanged() -> None:
    module = pycoro.Module("declare ptr @f(i32)\ndefine void @g(i32 %n) {\n  %h = call ptr @f(i32 %n)\n  ret void\n}")
    before = str(module)
    with (
        pytest.raises(ZeroDivisionError),
        coroutine(module, "f", {"n": "i32"}, promise="i32", personality="__gxx_personality_v0") as c,
        c.scope(),
    ):
        c.defer(lambda: c.call(c.home, [c["n"]]))
        c.yield_(c["n"])
        c.call(c.home, [c["n"]])
        raise ZeroDivisionError
    module.verify()
    assert before.split("define")[1] in str(module) and module.functions["f"].is_declaration


def test_an_attempt_requires_a_handler() -> None:
    module = pycoro.Module("")
    message = "an attempt in @f has no handler"
    with pytest.raises(pycoro.UsageError, match=message), function(module, "f", personality="__gxx_personality_v0") as f:
        with f.attempt():
            pass
        f.at_end(f.new_block("on"))


def test_an_allocation_must_return_an_address() -> None:
    module = pycoro.Module("")
    wrong = Allocation(lambda c, size, align: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(pycoro.UsageError, match="must return the memory's address"), coroutine(module, "f", allocation=wrong):
        pass


def test_a_promise_needs_an_allocator_with_its_alignment() -> None:
    module = pycoro.Module("")
    wide = "<8 x i32>"
    for how in ({"promise": wide}, {"result": wide}):
        with pytest.raises(pycoro.UsageError, match="32 bytes, but malloc aligns to 16"), coroutine(module, "f", **how):
            pass
        assert "f" not in module.functions
    aligned = Allocation(lambda c, size, align: c.call(c.declare("aligned", "ptr (i64, i64)"), [size, align]))
    with coroutine(module, "f", promise=wide, allocation=aligned):
        pass
    assert not module.lint()


def test_finished_functions_cannot_be_reopened() -> None:
    module = pycoro.Module("")
    with function(module, "f") as f:
        pass
    for act in (lambda: f.new_block("more"), lambda: f.variable("i32"), lambda: f.local("i32")):
        with pytest.raises(pycoro.UsageError, match="@f is complete"):
            act()
    module.verify()
