"""The body of a function in which scopes are left in order: a builder that knows the cleanups around the place it builds at."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from pycoro.build.given import Source
from pycoro.build.ways import Arrival, Cleanup, Way, hops
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.builder import Builder
from pycoro.ir.calling import Bundles
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.standing import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["EXCEPTION", "Body", "Scope"]

EXCEPTION = "{ ptr, i32 }"
"""What a landingpad gives, by the exceptions that C++ has on most systems."""

_THROWING = ("llvm.coro.resume", "llvm.coro.destroy", "llvm.coro.await.suspend")
"""Intrinsics that call code of others."""


class Scope:
    """A part of a body: what is deferred in it is done on every way out of it."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.base = body.top
        self.depth = body.cleaning
        self.cleanups: list[Cleanup] = []
        self.gift: Value | None = None
        self._given: Value | None = None

    def give(self, value: Value) -> None:
        """Says what the scope comes to, where it is left by its end: :attr:`given` behind it. The last statement of a scope."""
        self.gift = value

    @property
    def given(self) -> Value:
        """Behind the scope, what it came to. What else was computed in it may not be known there: a destroyed coroutine takes the
        same cleanups."""
        if self._given is None:
            raise UsageError("the scope has given nothing, or has not ended: end it by scope.give(value)")
        return self._given

    def take(self, value: Value | None) -> None:
        """The scope has ended, with that value."""
        self._given = value


class Body(Builder):
    """Builds in a function, with scopes: see :func:`pycoro.build.coroutine`."""

    __slots__ = (
        "_attempts",
        "_ended",
        "_last",
        "_line",
        "_number",
        "_pads",
        "_personality",
        "_scopes",
        "anchor",
        "cleaning",
        "home",
        "plain",
        "tail",
        "top",
    )

    def __init__(self, module: Module, function: Function, personality: Function | None) -> None:
        super().__init__(module)
        self._line: tuple[int, int] | None = None
        self._personality = personality
        self._number = 0
        self._scopes: list[Scope] = []
        self._attempts: list[Way] = []
        self._pads: dict[tuple[Cleanup | None, Way | None], Block] = {}
        self._ended = "the body has not begun"
        self._last: Block | None = None
        self.home = function
        self.tail: Block | None = None
        self.anchor: Instruction
        self.top: Cleanup | None = None
        self.cleaning = 0
        self.plain = False

    # ---- The place ----

    def _stand(self, where: Block | Instruction) -> None:
        super()._stand(where)
        if self._line is not None:
            self.debug = self._line

    def _place(self, name: str = "") -> tuple[Block | Instruction, Instruction | tuple[int, int] | None, str]:
        if self._where is None:
            raise UsageError(f"nothing is built here: {self._ended}. To build elsewhere, at_end(block)")
        return super()._place(name)

    @property
    def open(self) -> bool:
        """Whether control may get to the place where is built: it does not behind ``return_``, ``break_`` and the like, nor where
        the block has an end already."""
        return self._where is not None and (isinstance(self._where, Instruction) or self.block.terminator is None)

    def at(self, line: int, column: int = 0) -> None:
        """What is built from now on is from that place of the source, until the next ``at``. Nothing, where the function was not
        told its ``source``."""
        if self._line is not None:
            self._line = self.debug = (line, column)

    def describe(self, source: Source) -> None:
        """Has debug information from now on."""
        self.describe_function(
            self.home, source.file, source.line, directory=source.directory, name=source.name, optimized=source.optimized
        )
        self._line = (source.line, 0)

    def end(self, why: str) -> None:
        """Nothing follows here: why, for who tries to build."""
        self._where, self._ended = None, why

    def new_block(self, name: str) -> Block:
        """A new block of the body: to branch to, and to build in by ``at_end``."""
        return self.add_block(name, function=self.home, before=self.tail)

    def new_end(self, name: str) -> Block:
        """A new block among those that the function ends by, before the one that was there first."""
        made = self.add_block(name, function=self.home, before=self._last)
        if self._last is None:
            self._last = made
        if self.tail is None or self.tail is self._last:
            self.tail = made
        return made

    def variable(self, type: TypeLike, value: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """A variable: an ``alloca`` at the function's start, which holds the value from here on; unset where that is None. It
        may be used behind suspends like any other, and lies in the frame where it has to."""
        with self.standing(self.anchor):
            made = self.alloca(type, align=align, name=name)
        if name and self._line is not None:
            self.describe_variable(made, name, self._line[0])
        if value is not None:
            self.store(self._of(type, value), made, align=align)
        return made

    # ---- What is elsewhere in a builder ----

    def ret(self, value: Operand | None = None) -> Instruction:
        """``UsageError``: a body is left by :meth:`return_`, which runs the cleanups."""
        raise UsageError("ret would leave out the cleanups: a body ends by return_()")

    def resume(self, value: Value) -> Instruction:
        """``UsageError``: an exception goes on by :meth:`throw_on`, a coroutine by ``Handle(c, handle).resume()``."""
        raise UsageError("resume would leave out the cleanups: throw_on(exception) throws on; Handle(c, handle).resume() resumes")

    # ---- Scopes ----

    @contextmanager
    def scope(self) -> Generator[Scope, None, None]:
        """A scope within ``with``: cleanups that are deferred in it are done at its end, and on every other way out."""
        scope = Scope(self)
        self._scopes.append(scope)
        yield scope
        self.close(scope)

    def defer(self, run: Callable[[], object], *, name: str = "cleanup") -> None:
        """Has something done on every way out of the scope, last deferred first: at its end, by ``return_``, ``break_``, an
        exception, and where the coroutine is destroyed at a suspend that follows. ``run`` builds it, and is called once. It may
        not suspend, nor leave by another way than its end; an exception that it throws ends the program."""
        self._place()
        cleanup = Cleanup(self.top, run, name, self._line)
        self._scopes[-1].cleanups.append(cleanup)
        self.top = cleanup

    def close(self, scope: Scope) -> None:
        """Ends the innermost scope: builds its cleanups, and stands behind them."""
        if not self._scopes or self._scopes[-1] is not scope:
            raise UsageError("scopes end in the order in which they began, the last one first")
        normal = self.new_way("after", scope.base)
        if scope.gift is not None:
            normal.carries["given"] = scope.gift.type
        for cleanup in reversed(scope.cleanups):
            if not cleanup.arrivals:
                if self.open:
                    self._run(cleanup)
                else:
                    self.top = cleanup.parent
                continue
            if self.open:
                self.leave(normal, {"given": scope.gift} if scope.gift is not None else {}, "")
            self._build(cleanup)
        self._scopes.pop()
        if self.open:
            scope.take(scope.gift)
        elif normal.arrivals:
            scope.take(self.arrive(normal).get("given"))

    # ---- Ways out ----

    def new_way(
        self, name: str, limit: Cleanup | None, carries: Mapping[str, Type] = MappingProxyType({}), *, ends: bool = False
    ) -> Way:
        """One more way out; whether it ``ends`` the function."""
        self._number += 1
        return Way(self._number - 1, name, limit, ends, self.cleaning, dict(carries))

    def toward(self, way: Way, carried: Mapping[str, Value] = MappingProxyType({})) -> Block:
        """The block that an edge from the present block, which takes the way, leads to. The edge is the caller's to build."""
        if way.depth < self.cleaning:
            raise UsageError("a cleanup is left by its end alone: not by return_(), break_(), continue_() or a suspend")
        return self._onward(self.block, self.top, (way,), None, carried)

    def leave(self, way: Way, carried: Mapping[str, Value] = MappingProxyType({}), why: str = "") -> None:
        """Takes a way from here: nothing follows."""
        self._place()
        self.branch(self.toward(way, carried))
        self.end(why)

    def _onward(
        self, block: Block, next: Cleanup | None, ways: tuple[Way, ...], number: Value | None, carried: Mapping[str, Value]
    ) -> Block:
        """Where ways lead from a block behind which that cleanup comes; notes that they do."""
        to: Cleanup | Way = ways[0] if next is ways[0].limit or next is None else next
        keys = {key for way in ways for key in way.carries}
        to.arrivals.append(Arrival(block, ways, number, {key: value for key, value in carried.items() if key in keys}))
        if to.block is None:
            to.block = (self.new_end if isinstance(to, Way) and to.ends else self.new_block)(to.name)
        return to.block

    def arrive(self, way: Way) -> dict[str, Value]:
        """Stands at the end of a way, which some take; what it carries."""
        assert way.block is not None
        self.at_end(way.block)
        return self._carried(way.arrivals, way.carries)

    def _carried(self, arrivals: Sequence[Arrival], kinds: Mapping[str, Type]) -> dict[str, Value]:
        """What arrives, by name: a phi where it is several values."""
        found: dict[str, Value] = {}
        for key, kind in kinds.items():
            if not any(key in arrival.carried for arrival in arrivals):
                continue
            values = [arrival.carried.get(key) or self.poison(kind) for arrival in arrivals]
            if len(values) == 1:
                found[key] = values[0]
            else:
                found[key] = self.phi(kind, [(value, a.block) for value, a in zip(values, arrivals, strict=True)], name=key)
        return found

    def _run(self, cleanup: Cleanup) -> None:
        """Builds what a cleanup does, here."""
        self.top = cleanup.parent
        place, self._line = self._line, cleanup.debug if isinstance(cleanup.debug, tuple) else self._line
        self.debug = self._line
        self.cleaning += 1
        cleanup.run()
        self.cleaning -= 1
        self._line = self.debug = place

    def _build(self, cleanup: Cleanup) -> None:
        """Builds a cleanup in its own block, and where the ways go on behind it."""
        assert cleanup.block is not None
        self.at_end(cleanup.block)
        ways, arrivals = cleanup.ways, cleanup.arrivals
        number: Value | None = None
        if len(ways) > 1:
            numbers = [(a.number or self.constant("i32", a.ways[0].number), a.block) for a in arrivals]
            number = numbers[0][0] if len(numbers) == 1 else self.phi("i32", numbers, name="way")
        carried = self._carried(arrivals, {key: kind for way in ways for key, kind in way.carries.items()})
        self._run(cleanup)
        if not self.open:
            return
        on, over = hops(cleanup)
        block = self.block
        ends = [(way, self._onward(block, cleanup.parent, (way,), None, carried)) for way in over]
        if on:
            default = self._onward(block, cleanup.parent, on, number if len(on) > 1 else None, carried)
        else:
            default = ends.pop()[1]
        if ends:
            assert number is not None
            self.switch(number, default, {way.number: target for way, target in ends})
        else:
            self.branch(default)
        self.end("the cleanup has ended")

    # ---- Exceptions ----

    @property
    def unwinding(self) -> Way:
        """The way that an exception takes from the body's scopes to who called it."""
        raise NotImplementedError

    def may_throw(self, callee: Value) -> bool:
        """Whether a call of it is to be an ``invoke``."""
        if self._personality is None or self.plain:
            return False
        if isinstance(callee, Function):
            return callee.name.startswith(_THROWING) if callee.intrinsic else "nounwind" not in (callee.attributes or {})
        return True

    def call(
        self,
        callee: Value,
        arguments: Sequence[Operand] = (),
        *,
        type: TypeLike | None = None,
        tail: Literal["", "tail", "musttail", "notail"] = "",
        fast: bool | Sequence[str] = False,
        bundles: Bundles = MappingProxyType({}),
        name: str = "",
    ) -> Instruction:
        """``call``; an ``invoke`` where the function has a personality and what is called may throw: the cleanups are done
        then, up to the innermost :meth:`attempt`."""
        if not self.may_throw(callee):
            return super().call(callee, arguments, type=type, tail=tail, fast=fast, bundles=bundles, name=name)
        on, pad = self.new_block("on"), self._pad()
        made = self.invoke(callee, arguments, on, pad, type=type, bundles=bundles, name=name)
        self.at_end(on)
        return made

    def throw_on(self, exception: Value) -> None:
        """Throws an exception that :meth:`attempt` has caught, as it came from there, from here."""
        way = self._way_of_exceptions()
        if way is None:
            raise UsageError("a cleanup does not throw: what it calls may throw is caught in it, or ends the program")
        self.leave(way, {"exception": exception}, "an exception was thrown on")

    def _way_of_exceptions(self) -> Way | None:
        """None in a cleanup, which has none."""
        if self._attempts and self._attempts[-1].depth == self.cleaning:
            return self._attempts[-1]
        return None if self.cleaning else self.unwinding

    def _pad(self) -> Block:
        """The landingpad of calls here."""
        way = self._way_of_exceptions()
        key = (self.top if way else None, way)
        if key not in self._pads:
            self._pads[key] = pad = self.new_block("pad" if way else "terminate")
            with self.standing(pad):
                caught = self.landingpad(EXCEPTION, catch=[None] if self._attempts or not way else [], cleanup=bool(way))
                if way:
                    self.branch(self.toward(way, {"exception": caught}))
                else:
                    self._terminate()
        return self._pads[key]

    def _terminate(self) -> None:
        abort = self.declare("abort", "void ()")
        for attribute in ("noreturn", "nounwind"):
            self.add_attribute(abort, attribute)
        super().call(abort)
        self.unreachable()

    @contextmanager
    def attempt(self) -> Generator[Attempt, None, None]:
        """A scope in which exceptions are caught: ``with c.attempt() as attempt: ...``, and behind it, ``with attempt.caught() as
        exception: ...``. It catches all; one that is not for it is thrown on by :meth:`throw_on`."""
        if self._personality is None:
            raise UsageError(
                "exceptions are caught where there is a personality: coroutine(..., personality='__gxx_personality_v0')"
            )
        attempt = Attempt(self, self.new_way("catch", self.top, {"exception": self.types.parse(EXCEPTION)}))
        self._attempts.append(attempt.way)
        with self.scope():
            yield attempt
        self._attempts.pop()
        attempt.ended()


class Attempt:
    """Calls whose exceptions are caught."""

    def __init__(self, body: Body, way: Way) -> None:
        self._body = body
        self._end: Block | None = None
        self.way = way
        self.handled = False

    def ended(self) -> None:
        """What is attempted is built."""
        self._end = self._body.block if self._body.open else None
        self._body.end("an attempt has ended: with attempt.caught() as exception: ... comes next")

    @contextmanager
    def caught(self) -> Generator[Value, None, None]:
        """Within ``with``, what is done with an exception: ``{ ptr, i32 }``, as a landingpad gives it."""
        body = self._body
        if self.handled:
            raise UsageError("what the attempt does with exceptions was said before")
        self.handled = True
        if self.way.arrivals:
            exception = body.arrive(self.way)["exception"]
        else:
            body.at_end(body.new_block("catch"))
            exception = body.poison(EXCEPTION)
        with body.scope():
            yield exception
        ends = [end for end in (self._end, body.block if body.open else None) if end is not None]
        if not ends:
            return
        join = body.new_block("join")
        for end in ends:
            body.at_end(end).branch(join)
        body.at_end(join)
