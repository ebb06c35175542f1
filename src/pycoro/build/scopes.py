"""Scopes of a body: deferred cleanups are built once, and every exit of the scope runs through them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from pycoro.build.exits import Cleanup, Exit, ExitEdge, exits_continuing_and_ending_after
from pycoro.build.placement import Placed
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
    """Scope of a body; its deferred cleanups run on every exit.

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
        self.result: Value | None = None
        self._given: Value | None = None

    def give(self, value: Value) -> None:
        """Set the value of the scope for its normal end, available as :attr:`given` afterwards. Call it last."""
        self.result = value

    @property
    def given(self) -> Value:
        """Value of the scope, after its end. Other values computed in it may not dominate uses after it, because a destroyed
        coroutine shares the cleanups."""
        if self._given is None:
            raise UsageError("the scope has no value; call scope.give(value) at its end")
        return self._given

    def close_with(self, value: Value | None) -> None:
        """End the scope with a value."""
        self._given = value


class Scoped(Placed):
    """Body with nested scopes.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "f", promise="i32") as c:
    ...     with c.scope():
    ...         c.defer(lambda: c.call(c.declare("closed", "void ()")))
    ...         c.yield_(1)
    >>> str(module.functions["f"]).count("call void @closed()")
    1
    """

    __slots__ = ("_number", "_scopes", "_used_exits", "cleaning", "top")

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self._number = 0
        self._scopes: list[Scope] = []
        self._used_exits: list[Exit | Cleanup] = []
        self.top: Cleanup | None = None
        self.cleaning = 0

    # ---- Scopes ----

    @contextmanager
    def scope(self) -> Generator[Scope, None, None]:
        """Open a scope within ``with``; its cleanups run at its end and on every other exit."""
        scope = Scope(self)
        self._scopes.append(scope)
        try:
            yield scope
        except BaseException:
            del self._scopes[self._scopes.index(scope) :]
            self.top = scope.base
            raise
        self.end_scope(scope)

    def defer(self, run: Callable[[], object], *, name: str = "cleanup") -> None:
        """Defer a cleanup to every exit of the scope, in reverse order: its end, ``return_``, ``break_``, an exception, and
        destruction at a later suspend. ``run`` builds the cleanup and is called once. A cleanup must not suspend or exit other
        than at its end; an exception in it aborts the program."""
        self._position()
        cleanup = Cleanup(self.top, run, name, self._line)
        self._scopes[-1].cleanups.append(cleanup)
        self.top = cleanup

    def local(self, type: TypeLike, value: Operand = None, *, align: int = 0, name: str = "") -> Value:
        """Create a variable that lives until the end of the scope. Variables of disjoint scopes may overlap in the frame. Do not
        use it after the scope."""
        variable, scope = self.variable(type, align=align, name=name), self._scopes[-1]
        if not scope.locals:  # one cleanup for all variables; earlier cleanups do not use them
            self.defer(lambda: self._end_lifetimes(scope.locals), name="locals")
        self.intrinsic("llvm.lifetime.start.p0", [variable])
        if value is not None:
            self.store(self._value_or_constant(type, value), variable, align=align)
        scope.locals.append(variable)
        return variable

    def _end_lifetimes(self, locals: Sequence[Value]) -> None:
        for local in reversed(locals):
            self.intrinsic("llvm.lifetime.end.p0", [local])

    def end_scope(self, scope: Scope) -> None:
        """End the innermost scope: build its cleanups and continue after them."""
        if not self._scopes or self._scopes[-1] is not scope:
            raise UsageError("scopes must end in reverse order of their start")
        normal = self.new_exit("after", scope.base)
        if scope.result is not None:
            normal.carries["given"] = scope.result.type
        for cleanup in reversed(scope.cleanups):
            if not cleanup.edges:
                if self.open:
                    self._build_cleanup_at_insertion_point(cleanup)
                else:
                    self.top = cleanup.parent
                continue
            if self.open:
                self.leave(normal, {"given": scope.result} if scope.result is not None else {}, "")
            self._build_cleanup_block(cleanup)
        self._scopes.pop()
        if self.open:
            scope.close_with(scope.result)
        elif normal.edges:
            scope.close_with(self.move_to_exit(normal).get("given"))

    # ---- Exits ----

    def new_exit(
        self, name: str, limit: Cleanup | None, carries: Mapping[str, Type] = MappingProxyType({}), *, ends: bool = False
    ) -> Exit:
        """Create an exit; ``ends`` tells whether it ends the function."""
        self._number += 1
        return Exit(self._number - 1, name, limit, ends, self.cleaning, dict(carries))

    def record_edge_and_return_exit_target(self, exit: Exit, carried: Mapping[str, Value] = MappingProxyType({})) -> Block:
        """Return the target of an edge from the current block along the exit. The caller builds the edge."""
        if exit.depth < self.cleaning:
            raise UsageError("a cleanup must run to its end; it cannot use return_(), break_(), continue_() or suspend")
        return self._record_exit_edge_and_return_next_block(self.block, self.top, (exit,), None, carried)

    def leave(self, exit: Exit, carried: Mapping[str, Value] = MappingProxyType({}), why: str = "") -> None:
        """Branch along an exit; the insertion point becomes unreachable."""
        self._position()
        self.branch(self.record_edge_and_return_exit_target(exit, carried))
        self.end(why)

    def _record_exit_edge_and_return_next_block(
        self, block: Block, next: Cleanup | None, exits: tuple[Exit, ...], number: Value | None, carried: Mapping[str, Value]
    ) -> Block:
        """Return the next block on exits that leave a block before the cleanup ``next``, and record the edge."""
        to: Cleanup | Exit = exits[0] if next is exits[0].limit or next is None else next
        keys = {key for exit in exits for key in exit.carries}
        if not to.edges:
            self._used_exits.append(to)
        to.edges.append(ExitEdge(block, exits, number, {key: value for key, value in carried.items() if key in keys}))
        if to.block is None:
            to.block = (self.new_exit_block if isinstance(to, Exit) and to.ends else self.internal_block)(to.name)
        return to.block

    def move_to_exit(self, exit: Exit) -> dict[str, Value]:
        """Move to the end of an exit that is in use; return the values that it carries."""
        assert exit.block is not None
        self.at_end(exit.block)
        return self._merge_carried_values(exit.edges, exit.carries)

    def _merge_carried_values(self, edges: Sequence[ExitEdge], kinds: Mapping[str, Type]) -> dict[str, Value]:
        """Return the carried values by name, as phis if there are several edges."""
        found: dict[str, Value] = {}
        for key, kind in kinds.items():
            if not any(key in edge.carried for edge in edges):
                continue
            values = [edge.carried.get(key) or self.poison(kind) for edge in edges]
            if len(values) == 1:
                found[key] = values[0]
            else:
                found[key] = self.phi(kind, [(value, a.block) for value, a in zip(values, edges, strict=True)], name=key)
        return found

    def _build_cleanup_at_insertion_point(self, cleanup: Cleanup) -> None:
        """Build a cleanup at the insertion point."""
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

    def _build_cleanup_block(self, cleanup: Cleanup) -> None:
        """Build a cleanup in its own block, with branches to the targets of its exits."""
        assert cleanup.block is not None
        self.at_end(cleanup.block)
        exits, edges = cleanup.exits, cleanup.edges
        number: Value | None = None
        if len(exits) > 1:
            numbers = [(a.number or self.constant("i32", a.exits[0].number), a.block) for a in edges]
            number = numbers[0][0] if len(numbers) == 1 else self.phi("i32", numbers, name="exit")
        carried = self._merge_carried_values(edges, {key: kind for exit in exits for key, kind in exit.carries.items()})
        self._build_cleanup_at_insertion_point(cleanup)
        if not self.open:
            return
        on, over = exits_continuing_and_ending_after(cleanup)
        block = self.block
        ends = [
            (exit, self._record_exit_edge_and_return_next_block(block, cleanup.parent, (exit,), None, carried)) for exit in over
        ]
        if on:
            default = self._record_exit_edge_and_return_next_block(
                block, cleanup.parent, on, number if len(on) > 1 else None, carried
            )
        else:
            default = ends.pop()[1]
        if ends:
            assert number is not None
            self.switch(number, default, {exit.number: target for exit, target in ends})
        else:
            self.branch(default)
        self.end("the cleanup has ended")

    # ---- Unreachable blocks ----

    def erase_if_unreferenced(self, first: int) -> bool:
        """Erase the blocks from index ``first`` on if no other block references them; return whether it did."""
        dead, own = set(self.created[first:]), self.internal_blocks()
        if any(self.is_used_outside_or_successor_may_have_phi(block, dead, own) for block in dead):
            return False
        for to in self._used_exits:
            to.edges = [edge for edge in to.edges if edge.block not in dead]
            to.block = None if to.block in dead else to.block
        self._used_exits = [to for to in self._used_exits if to.edges]
        self.erase_blocks(self.created[first:])
        del self.created[first:]
        return True
