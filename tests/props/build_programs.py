"""Programs over pycoro.build: drawn as plain tuples, built by it, and told what they do by a model in plain Python.

A body is a tuple of statements, each a word and what it is about. The model runs it as a generator of Python's, whose `finally`
does what cleanups do: `close()` is destroy, `yield from` is await.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

import pycoro
from pycoro.build import (
    Async,
    Context,
    Continuation,
    CoroutineBuilder,
    FunctionBuilder,
    Handle,
    Loop,
    Retcon,
    coroutine,
    function,
    go_on,
)  # fmt: skip
from pycoro.ir import Builder, Value

PERSONALITY = "__gxx_personality_v0"
YIELDED, THROWN, DONE = 1000, -2, -3
"""What the driver tells: a value that was yielded and this, an exception that came out, that the coroutine is done."""
PICKS = [3, 1, 0, 2, 1, 1, 0, 5, 0, 1, 2, 0, 0, 1]
"""What `pick()` gives, one after the other, again and again."""
RETCON = Retcon(yields=["i32"], size=16)
Body = tuple[tuple[Any, ...], ...]
number = st.integers(0, 99)


def bodies(
    depth: int = 3, *, loop: bool = False, task: bool = False, caught: bool = False, quiet: bool = False, most: int = 4
) -> st.SearchStrategy[Body]:
    """Bodies, in a loop or not; of tasks, which await, or of generators; where exceptions are caught, or may leave it; ``quiet``
    ones have none."""

    def inner(**how: bool) -> st.SearchStrategy[Body]:
        return bodies(depth - 1, **{"loop": loop, "task": task, "caught": caught, "quiet": quiet, **how})

    parks = ["park"] if quiet else ["park", "maybe_park"]
    suspend = st.tuples(st.sampled_from(parks)) if task else st.tuples(st.just("yield"), number)
    known = [
        st.tuples(st.just("tell"), number),
        suspend,
        suspend,
        st.tuples(st.just("defer"), number),
        st.tuples(st.just("return")),
    ]
    if (caught or not task) and not quiet:
        known.append(st.tuples(st.just("throw"), number))
    if loop:
        known.append(st.tuples(st.sampled_from(["break", "continue"])))
    if depth:
        known += [
            st.tuples(st.just("scope"), inner()),
            st.tuples(st.just("give"), inner()),
            st.tuples(st.just("if"), inner(), inner()),
            st.tuples(st.just("loop"), st.integers(1, 3), inner(loop=True)),
            st.tuples(st.sampled_from(["keep", "local"]), inner()),
        ]
        if not quiet:
            known.append(st.tuples(st.just("attempt"), inner(caught=True), inner()))
        if task:
            known.append(st.tuples(st.just("await"), number, bodies(depth - 1, task=True, quiet=quiet)))
    return st.lists(st.one_of(known), max_size=most).map(tuple)


# ---- The model ----


class _Thrown(Exception):
    pass


class _Left(BaseException):
    """A way out that is none of Python's."""


class _Break(_Left):
    pass


class _Continue(_Left):
    pass


class _Return(_Left):
    pass


class World:
    """What is around a run: what it tells, what it is given."""

    def __init__(self) -> None:
        self.told: list[int] = []
        self._asked = 0

    def tell(self, value: int) -> None:
        self.told.append(value)

    def pick(self) -> int:
        self._asked += 1
        return PICKS[(self._asked - 1) % len(PICKS)]


Run = Generator[int, None, None]


def _scope(body: Body, w: World) -> Run:
    deferred: list[int] = []
    try:
        for statement in body:
            if statement[0] == "defer":
                deferred.append(statement[1])
            else:
                yield from _STATEMENTS[statement[0]](w, *statement[1:])
    finally:
        for value in reversed(deferred):
            w.tell(value)


def _quiet(act: Callable[[World, int], None]) -> Callable[..., Run]:
    def run(w: World, value: int = 0) -> Run:
        act(w, value)
        yield from ()

    return run


def _leave(how: type[BaseException]) -> Callable[[World, int], None]:
    def leave(w: World, value: int) -> None:
        raise how

    return leave


def _throw(w: World, value: int) -> None:
    if value % 2:
        raise _Thrown


def _yield(w: World, value: int) -> Run:
    yield value


def _maybe_park(w: World) -> Run:
    if w.pick() % 2:
        yield 0


def _give(w: World, body: Body) -> Run:
    yield from _scope(body, w)
    w.tell(w.pick())


def _if(w: World, then: Body, other: Body) -> Run:
    yield from _scope(then if w.pick() % 2 else other, w)


def _loop(w: World, times: int, body: Body) -> Run:
    for _ in range(times):
        try:
            yield from _scope(body, w)
        except _Break:
            break
        except _Continue:
            continue


def _keep(w: World, body: Body) -> Run:
    kept = w.pick()
    yield from _scope(body, w)
    w.tell(kept)


def _attempt(w: World, body: Body, handler: Body) -> Run:
    try:
        yield from _scope(body, w)
        return
    except _Thrown:
        w.tell(500)
    yield from _scope(handler, w)


def _await(w: World, value: int, body: Body) -> Run:
    with suppress(_Return):
        yield from _scope(body, w)
    w.tell(value)


_STATEMENTS: dict[str, Callable[..., Run]] = {
    "tell": _quiet(World.tell),
    "yield": _yield,
    "park": lambda w: _yield(w, 0),
    "maybe_park": _maybe_park,
    "return": _quiet(_leave(_Return)),
    "break": _quiet(_leave(_Break)),
    "continue": _quiet(_leave(_Continue)),
    "throw": _quiet(_throw),
    "scope": lambda w, body: _scope(body, w),
    "give": _give,
    "if": _if,
    "loop": _loop,
    "keep": _keep,
    "local": _keep,
    "attempt": _attempt,
    "await": _await,
}


def expected(body: Body, steps: int, *, lazy: bool, task: bool) -> list[int]:
    """What is told where the coroutine is resumed so often, as long as it is not done, and destroyed then."""
    w = World()
    running = _scope(body, w)

    def step() -> bool:
        """Runs it on; whether it has suspended."""
        try:
            value = next(running)
        except (StopIteration, _Return):
            w.tell(DONE)
        except _Thrown:
            w.tell(THROWN)
        else:
            w.tell(YIELDED + value)
            return True
        return False

    suspended = lazy or step()
    while suspended and steps:
        suspended = step()
        steps -= 1
    running.close()
    return w.told


def expected_to_the_end(body: Body) -> list[int]:
    """What is told where the coroutine is resumed until it is done."""
    w = World()
    with suppress(_Return):
        for value in _scope(body, w):
            w.tell(YIELDED + value)
    w.tell(DONE)
    return w.told


# ---- The builder ----


class Built:
    """A module with a coroutine `@f` of the body, and `@drive`, which runs it as `expected` does."""

    def __init__(self, body: Body, *, lazy: bool, task: bool, retcon: bool = False) -> None:
        self.module = pycoro.Module("")
        b = Builder(self.module)
        self._tell, self._pick = b.declare("tell", "void (i32)"), b.declare("pick", "i32 ()")
        for callee in (self._tell, self._pick):
            b.add_attribute(callee, "nounwind")
        self._task = task
        self._children = 0
        self._parked = b.add_variable("parked", "ptr", linkage="internal")
        self._throw, self._park, self._maybe = self._thrower(), self._parker("void"), self._parker("i1")
        how: dict[str, Any] = {"result": "i32"} if task else {"promise": "i32", "lazy": lazy}
        if retcon:
            how = {"abi": RETCON}
        with coroutine(self.module, "f", personality=PERSONALITY, **how) as c:
            self._statements(c, body, None)
            if task and c.open:
                c.return_(0)
        with function(self.module, "drive", {"steps": "i32"}, personality=PERSONALITY) as f:
            if retcon:
                self._drive_continuations(f)
            else:
                self._drive(f, lazy=lazy)
        self.module.verify()

    # what the bodies call

    def _thrower(self) -> Value:
        with function(self.module, "may_throw", {"v": "i32"}) as f:
            thrown = f.add_variable("exception", "[32 x i8]", linkage="internal", align=16)
            with f.if_(f.trunc(f["v"], "i1")):
                f.call(f.declare("_Unwind_RaiseException", "i32 (ptr)"), [thrown])
                f.unreachable()
        f.add_attribute(f.home, "uwtable")
        return f.home

    def _parker(self, result: str) -> Any:
        with function(self.module, f"park.{result}", {"awaiter": "ptr", "handle": "ptr"}, result) as f:
            if result == "void":
                f.store(f["handle"], self._parked)
            else:
                waits = f.trunc(f.call(self._pick), "i1")
                with f.if_(waits):
                    f.store(f["handle"], self._parked)
                f.return_(waits)
        f.add_attribute(f.home, "nounwind")
        return f.home

    # statements

    def _statements(self, c: CoroutineBuilder, body: Body, loop: Loop | None) -> None:
        for word, *about in body:
            if not c.open:
                return
            getattr(self, f"do_{word}")(c, loop, *about)

    def _say(self, c: Builder, value: Value | int) -> None:
        c.call(self._tell, [value])

    def do_tell(self, c: CoroutineBuilder, loop: Loop | None, value: int) -> None:
        self._say(c, value)

    def do_yield(self, c: CoroutineBuilder, loop: Loop | None, value: int) -> None:
        c.yield_(value)

    def do_park(self, c: CoroutineBuilder, loop: Loop | None) -> None:
        c.suspend(by=self._park)

    def do_maybe_park(self, c: CoroutineBuilder, loop: Loop | None) -> None:
        c.suspend(by=self._maybe)

    def do_defer(self, c: CoroutineBuilder, loop: Loop | None, value: int) -> None:
        c.defer(lambda: self._say(c, value))

    def do_return(self, c: CoroutineBuilder, loop: Loop | None) -> None:
        c.return_(*([0] if c.home.name.startswith("child") or self._task else []))

    def do_throw(self, c: CoroutineBuilder, loop: Loop | None, value: int) -> None:
        c.call(self._throw, [value])

    def do_break(self, c: CoroutineBuilder, loop: Loop) -> None:
        loop.break_()

    def do_continue(self, c: CoroutineBuilder, loop: Loop) -> None:
        loop.continue_()

    def do_scope(self, c: CoroutineBuilder, loop: Loop | None, body: Body) -> None:
        with c.scope():
            self._statements(c, body, loop)

    def do_give(self, c: CoroutineBuilder, loop: Loop | None, body: Body) -> None:
        with c.scope() as scope:
            self._statements(c, body, loop)
            if c.open:
                scope.give(c.call(self._pick))
        if c.open:
            self._say(c, scope.given)

    def do_if(self, c: CoroutineBuilder, loop: Loop | None, then: Body, other: Body) -> None:
        with c.if_(c.trunc(c.call(self._pick), "i1")) as choice:
            self._statements(c, then, loop)
        if other:
            with choice.otherwise():
                self._statements(c, other, loop)

    def do_loop(self, c: CoroutineBuilder, loop: Loop | None, times: int, body: Body) -> None:
        count = c.variable("i32", 0, name="count")
        with c.loop() as inner:
            n = c.load("i32", count)
            inner.while_(c.icmp("ult", n, times))
            c.store(c.add(n, 1), count)
            self._statements(c, body, inner)

    def do_keep(self, c: CoroutineBuilder, loop: Loop | None, body: Body) -> None:
        kept = c.call(self._pick, name="kept")
        with c.scope():
            self._statements(c, body, loop)
        if c.open:
            self._say(c, kept)

    def do_local(self, c: CoroutineBuilder, loop: Loop | None, body: Body) -> None:
        with c.scope():
            kept = c.local("i32", c.call(self._pick), name="kept")
            with c.scope():
                self._statements(c, body, loop)
            if c.open:
                self._say(c, c.load("i32", kept))

    def do_attempt(self, c: CoroutineBuilder, loop: Loop | None, body: Body, handler: Body) -> None:
        with c.attempt() as attempt:
            self._statements(c, body, loop)
        with attempt.caught():
            self._say(c, 500)
            self._statements(c, handler, loop)

    def do_await(self, c: CoroutineBuilder, loop: Loop | None, value: int, body: Body) -> None:
        self._children += 1
        with coroutine(self.module, f"child{self._children}", {"v": "i32"}, result="i32", personality=PERSONALITY) as child:
            self._statements(child, body, None)
            if child.open:
                child.return_(0)
        c.await_(c.call(child.home, [value]), "i32")
        self._say(c, value)

    # the driver

    def _drive(self, f: FunctionBuilder, *, lazy: bool) -> None:
        started = f.variable("ptr", name="started")
        with f.attempt() as attempt:
            f.store(f.call(self.module.functions["f"]), started)
        with attempt.caught():
            self._say(f, THROWN)
            f.return_()
        how = {"result": "i32"} if self._task else {"promise": "i32"}
        handle = Handle(f, f.load("ptr", started), **how)
        f.defer(handle.destroy)
        f.store(handle.address, self._parked)
        left = f.variable("i32", f["steps"], name="left")
        if not (lazy or self._task):
            self._told(f, handle)
        with f.loop() as loop:
            n = f.load("i32", left)
            loop.while_(f.icmp("ne", n, 0))
            loop.while_(f.not_(handle.done()))
            f.store(f.sub(n, 1), left)
            with f.attempt() as attempt:
                Handle(f, f.load("ptr", self._parked) if self._task else handle.address).resume()
            with attempt.caught():
                self._say(f, THROWN)
                loop.break_()
            self._told(f, handle)

    def _drive_continuations(self, f: FunctionBuilder) -> None:
        with f.attempt() as attempt:
            running = Continuation(f, self.module.functions["f"], [], RETCON)
        with attempt.caught():
            self._say(f, THROWN)
            f.return_()
        f.defer(running.destroy)
        left = f.variable("i32", f["steps"], name="left")
        self._told(f, running)
        with f.loop() as loop:
            n = f.load("i32", left)
            loop.while_(f.icmp("ne", n, 0))
            loop.while_(f.not_(running.done()))
            f.store(f.sub(n, 1), left)
            with f.attempt() as attempt:
                running.resume()
            with attempt.caught():
                self._say(f, THROWN)
                loop.break_()
            self._told(f, running)

    def _told(self, f: FunctionBuilder, handle: Handle | Continuation) -> None:
        with f.if_(handle.done()) as choice:
            self._say(f, DONE)
        with choice.otherwise():
            self._say(f, YIELDED if self._task else f.add(handle.value(), YIELDED))


class BuiltAsync(Built):
    """Likewise of async coroutines, which are not destroyed: `@drive` runs it to its end."""

    def __init__(self, body: Body) -> None:
        self.module = pycoro.Module("")
        b = Builder(self.module)
        self._tell, self._pick = b.declare("tell", "void (i32)"), b.declare("pick", "i32 ()")
        self._children, self._task = 0, True
        self._resume, self._with, self._over = (
            b.add_variable(name, "ptr", linkage="internal") for name in ("resume", "with", "over")
        )
        with function(self.module, "keep", {"context": "ptr", "resume": "ptr", "value": "i32"}) as f:
            f.store(f["context"], self._with)
            f.store(f["resume"], self._resume)
            self._say(f, f.add(f["value"], YIELDED))
        self._how = Async(results=["i32"], hand=f.home)
        with function(self.module, "ended", {"context": "ptr", "result": "i32"}) as f:
            self._say(f, DONE)
            f.store(f["context"], self._over)
        with coroutine(self.module, "f", abi=self._how) as c:
            self._statements(c, body, None)
            if c.open:
                c.return_(0)
        with function(self.module, "drive") as f:
            f.store(f.constant("ptr", None), self._over)
            context = Context(f, c.home, self._how)
            context.start([], self.module.functions["ended"])
            with f.loop() as loop:
                loop.while_(f.icmp("eq", f.load("ptr", self._over), f.constant("ptr", None)))
                go_on(f, f.load("ptr", self._resume), f.load("ptr", self._with))
            context.free()
        self.module.verify()

    def do_park(self, c: CoroutineBuilder, loop: Loop | None) -> None:
        c.yield_(0)

    def do_await(self, c: CoroutineBuilder, loop: Loop | None, value: int, body: Body) -> None:
        self._children += 1
        with coroutine(self.module, f"child{self._children}", {"v": "i32"}, abi=self._how) as child:
            self._statements(child, body, None)
            if child.open:
                child.return_(0)
        c.await_call(child.home, [value], "i32")
        self._say(c, value)
