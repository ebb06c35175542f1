"""Scopes of a body: what is deferred in one is built once, and every way out of it leads through that."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from pycoro.build.place import Placed
from pycoro.build.ways import Arrival, Cleanup, Way, hops
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Scope", "Scoped"]


class Scope:
    """A part of a body: what is deferred in it is done on every way out of it.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "f", {"n": "i32"}, "i32") as f:
    ...     with f.scope() as scope:
    ...         f.defer(lambda: f.call(f.declare("closed", "void ()")))
    ...         scope.give(f.add(f["n"], 1))
    ...     f.return_(scope.given)
    >>> pycoro.Interpreter(module, externals={"closed": lambda: print("closed")}).call("f", 6)
    closed
    7
    """

    def __init__(self, body: Scoped) -> None:
        self._body = body
        self.base = body.top
        self.depth = body.cleaning
        self.cleanups: list[Cleanup] = []
        self.locals: list[Value] = []
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


class Scoped(Placed):
    """A body with scopes, which are left in order.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", promise="i32") as c:
    ...     with c.scope():
    ...         c.defer(lambda: c.call(c.declare("closed", "void ()")))
    ...         c.yield_(1)
    >>> str(module.functions["f"]).count("call void @closed()")
    1
    """

    __slots__ = ("_arrived", "_number", "_scopes", "cleaning", "top")

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self._number = 0
        self._scopes: list[Scope] = []
        self._arrived: list[Way | Cleanup] = []
        self.top: Cleanup | None = None
        self.cleaning = 0

    # ---- Scopes ----

    @contextmanager
    def scope(self) -> Generator[Scope, None, None]:
        """A scope within ``with``: cleanups that are deferred in it are done at its end, and on every other way out."""
        scope = Scope(self)
        self._scopes.append(scope)
        try:
            yield scope
        except BaseException:
            del self._scopes[self._scopes.index(scope) :]
            self.top = scope.base
            raise
        self.close(scope)

    def defer(self, run: Callable[[], object], *, name: str = "cleanup") -> None:
        """Has something done on every way out of the scope, last deferred first: at its end, by ``return_``, ``break_``, an
        exception, and where the coroutine is destroyed at a suspend that follows. ``run`` builds it, and is called once. It may
        not suspend, nor leave by another way than its end; an exception that it throws ends the program."""
        self._position()
        cleanup = Cleanup(self.top, run, name, self._line)
        self._scopes[-1].cleanups.append(cleanup)
        self.top = cleanup

    def local(self, type: TypeLike, value: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """A variable that lives as long as the scope: those of scopes that are not open at once may share bytes of the frame. It is
        not to be used behind its scope."""
        made, scope = self.variable(type, align=align, name=name), self._scopes[-1]
        if not scope.locals:  # one cleanup for all: what was deferred before it knows none of them
            self.defer(lambda: self._end_of(scope.locals), name="locals")
        self.intrinsic("llvm.lifetime.start.p0", [made])
        if value is not None:
            self.store(self._operand(type, value), made, align=align)
        scope.locals.append(made)
        return made

    def _end_of(self, locals: Sequence[Value]) -> None:
        for local in reversed(locals):
            self.intrinsic("llvm.lifetime.end.p0", [local])

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
        self._position()
        self.branch(self.toward(way, carried))
        self.end(why)

    def _onward(
        self, block: Block, next: Cleanup | None, ways: tuple[Way, ...], number: Value | None, carried: Mapping[str, Value]
    ) -> Block:
        """Where ways lead from a block behind which that cleanup comes; notes that they do."""
        to: Cleanup | Way = ways[0] if next is ways[0].limit or next is None else next
        keys = {key for way in ways for key in way.carries}
        if not to.arrivals:
            self._arrived.append(to)
        to.arrivals.append(Arrival(block, ways, number, {key: value for key, value in carried.items() if key in keys}))
        if to.block is None:
            to.block = (self.new_end if isinstance(to, Way) and to.ends else self.own_block)(to.name)
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
        try:
            with self.scope():
                cleanup.run()
        finally:
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

    # ---- What nobody gets to ----

    def forget(self, first: int) -> bool:
        """Takes back the blocks that were made from that one on, if nobody gets to them from the others; whether that was so."""
        dead, own = set(self.made[first:]), self.own_blocks()
        if any(self.is_known_outside(block, dead, own) for block in dead):
            return False
        for to in self._arrived:
            to.arrivals = [arrival for arrival in to.arrivals if arrival.block not in dead]
            to.block = None if to.block in dead else to.block
        self._arrived = [to for to in self._arrived if to.arrivals]
        self.erase_blocks(self.made[first:])
        del self.made[first:]
        return True
