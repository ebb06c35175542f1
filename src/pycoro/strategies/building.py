"""Emit coroutines through `pycoro.build`, one operation at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, cast

from pycoro.build import Allocation, AsyncBuilder, ByValue, CoroutineBuilder, LoopBuilder, Source, SwitchBuilder, coroutine
from pycoro.ir import Value
from pycoro.strategies.built import Built, Words
from pycoro.strategies.owning import OwnedCoroutine, OwnedHandle, owned_coroutine_emitter
from pycoro.strategies.writing import PERSONALITY, Surroundings, constant_of, emit_value_from_i32

__all__ = ["emit_coroutine"]


@dataclass(frozen=True)
class _ValuesInScope:
    """Values that are in scope at an operation."""

    values: dict[str, list[Value]] = field(default_factory=dict[str, list[Value]])
    places: list[tuple[str, Value]] = field(default_factory=list[tuple[str, Value]])
    held: tuple[OwnedCoroutine, ...] = ()
    loop: LoopBuilder | None = None
    exception: Value | None = None

    def nested_scope(self) -> _ValuesInScope:
        """Return a nested scope, so that values of inner operations stay invisible outside."""
        return replace(self, values={kind: list(known) for kind, known in self.values.items()}, places=list(self.places))


class _BodyEmitter:
    """Emitter of one coroutine's body."""

    def __init__(self, around: Surroundings, c: CoroutineBuilder, of: Built, program: Sequence[Built]) -> None:
        self._around = around
        self._c = c
        self._of = of
        self._program = {other.name: other for other in program}
        self._line = count(2)

    def emit(self) -> None:
        """Emit the whole body."""
        c, of, known = self._c, self._of, _ValuesInScope()
        if not of.final:
            c.defer(lambda: c.store(c.constant("i8", 1), c["life"]), name="life")
        for at, (kind, how) in enumerate(of.parameters):
            self._add_value(known, kind, c.load(kind, c[f"a{at}"]) if how else c[f"a{at}"])
            if how:
                known.places.append((kind, c[f"a{at}"]))
        if of.abi == "switch" and of.yields and isinstance(c, SwitchBuilder) and c.promise is not None:
            c.store(c.constant(of.yields[0], constant_of(of.yields[0], 0)), c.promise)
        self._emit_body(known, of.body)
        if c.open and of.results:
            c.return_(*(self._value_in_scope_or_constant(known, kind, 0) for kind in of.results))

    def _emit_body(self, known: _ValuesInScope, body: Words) -> None:
        for word, *about in body:
            if not self._c.open:
                return
            self._c.at(next(self._line))
            getattr(self, f"_emit_{word}")(known, *about)

    # ---- Values ----

    def _value_in_scope_or_constant(self, known: _ValuesInScope, kind: str, value_number: int) -> Value:
        values = known.values.get(kind)
        return values[-1 - value_number % len(values)] if values else self._c.constant(kind, constant_of(kind, value_number))

    def _add_value(self, known: _ValuesInScope, kind: str, value: Value) -> None:
        known.values.setdefault(kind, []).append(value)

    def _emit_opaque_value(self, kind: str) -> Value:
        return emit_value_from_i32(self._c, kind, self._around.opaque_number(self._c))

    def _emit_opaque_bit(self) -> Value:
        return self._c.trunc(self._around.opaque_number(self._c), "i1")

    def _emit_report(self, known: _ValuesInScope, kind: str, value_number: int) -> None:
        self._around.report(self._c, kind, self._value_in_scope_or_constant(known, kind, value_number))

    def _emit_opaque(self, known: _ValuesInScope, kind: str) -> None:
        self._add_value(known, kind, self._emit_opaque_value(kind))

    def _emit_combine(self, known: _ValuesInScope, kind: str, how: str, left: int, right: int) -> None:
        c = self._c
        values = self._value_in_scope_or_constant(known, kind, left), self._value_in_scope_or_constant(known, kind, right)
        self._add_value(known, kind, c.select(self._emit_opaque_bit(), *values) if how == "select" else c.binary(how, *values))

    def _emit_variable(self, known: _ValuesInScope, kind: str, align: int, value_number: int) -> None:
        known.places.append(
            (kind, self._c.variable(kind, self._value_in_scope_or_constant(known, kind, value_number), align=align, name="x"))
        )

    def _emit_store(self, known: _ValuesInScope, alloca_number: int, stored_value_number: int) -> None:
        if known.places:
            kind, place = known.places[-1 - alloca_number % len(known.places)]
            self._c.store(self._value_in_scope_or_constant(known, kind, stored_value_number), place)

    def _emit_load(self, known: _ValuesInScope, alloca_number: int) -> None:
        if known.places:
            kind, place = known.places[-1 - alloca_number % len(known.places)]
            self._add_value(known, kind, self._c.load(kind, place))
            self._emit_report(known, kind, 0)

    # ---- Suspends ----

    def _emit_yield(self, known: _ValuesInScope, *numbers: int) -> None:
        pairs = zip(self._of.yields, numbers, strict=True)
        taken = self._c.yield_(*(self._value_in_scope_or_constant(known, kind, number) for kind, number in pairs))
        if taken is not None:
            self._add_value(known, self._of.takes, taken)

    def _store_handle_if_awaitable(self) -> None:
        """Store the handle where a client that resumes the task loads it."""
        if self._of.is_awaitable and isinstance(self._c, SwitchBuilder):
            self._c.store(self._c.handle, self._around.address_of_global("parked"))

    def _emit_suspend(self, known: _ValuesInScope) -> None:
        self._store_handle_if_awaitable()
        self._c.suspend()

    def _emit_held_handle_or_noop(self, known: _ValuesInScope, held_number: int) -> Value:
        """Return the handle to transfer to: a no-op coroutine if the held one is done."""
        c = self._c
        handles = [held for held in known.held if isinstance(held, OwnedHandle)]
        noop = c.intrinsic("llvm.coro.noop")
        if not handles:
            return noop
        held = handles[-1 - held_number % len(handles)]
        return c.select(held.emit_done_query(), noop, held.handle.address)

    def _emit_transfer(self, known: _ValuesInScope, held_number: int) -> None:
        self._store_handle_if_awaitable()
        self._c.suspend(to=self._emit_held_handle_or_noop(known, held_number))

    def _emit_await_suspend(self, known: _ValuesInScope, form: str, held_number: int) -> None:
        awaiter = self._emit_held_handle_or_noop(known, held_number) if form == "handle" else None
        kept = "parked" if self._of.is_awaitable else "told"
        self._c.suspend(by=self._around.await_function(form, kept), awaiter=awaiter)

    # ---- Others ----

    def _emit_argument_values(self, known: _ValuesInScope, of: Built, numbers: Sequence[int]) -> list[Value]:
        return [
            self._value_in_scope_or_constant(known, kind, number) for (kind, _), number in zip(of.parameters, numbers, strict=True)
        ]

    def _emit_child(self, known: _ValuesInScope, name: str, numbers: Sequence[int], elide_safe: bool, body: Words) -> None:
        of = self._program[name]
        with self._c.scope():
            held = owned_coroutine_emitter(self._around, self._c, of)
            held.emit_creation(self._emit_argument_values(known, of, numbers), elide_safe=elide_safe)
            self._c.defer(held.emit_end_of_lifetime, name="child")
            self._emit_body(replace(known.nested_scope(), held=(*known.held, held)), body)

    def _emit_resume(self, known: _ValuesInScope, held_number: int) -> None:
        if known.held:
            known.held[-1 - held_number % len(known.held)].emit_resume_unless_done()

    def _emit_await(self, known: _ValuesInScope, name: str, numbers: Sequence[int]) -> None:
        c, of = self._c, self._program[name]
        values = self._emit_argument_values(known, of, numbers)
        result = of.results[0] if of.results else "void"
        passed = owned_coroutine_emitter(self._around, c, of).emit_call_arguments(values)
        callee = self._around.emitted_coroutine(of)
        if isinstance(c, AsyncBuilder):
            given = c.await_call(callee, passed, result)
        else:
            given = c.await_(c.call(callee, passed), result)
        if given is not None:
            self._add_value(known, result, given)

    # ---- Scopes and choices ----

    def _emit_scope(self, known: _ValuesInScope, body: Words) -> None:
        with self._c.scope():
            self._emit_body(known.nested_scope(), body)

    def _emit_scope_with_value(self, known: _ValuesInScope, kind: str, value_number: int, body: Words) -> None:
        """Emit a scope that ends with a value, which is in scope afterwards."""
        inner = known.nested_scope()
        with self._c.scope() as scope:
            self._emit_body(inner, body)
            if self._c.open:
                scope.give(self._value_in_scope_or_constant(inner, kind, value_number))
        if self._c.open:
            self._add_value(known, kind, scope.given)

    def _emit_local(self, known: _ValuesInScope, kind: str, align: int, value_number: int, body: Words) -> None:
        inner = known.nested_scope()
        with self._c.scope():
            place = self._c.local(kind, self._value_in_scope_or_constant(known, kind, value_number), align=align, name="l")
            inner.places.append((kind, place))
            self._emit_body(inner, body)
            if self._c.open:
                self._around.report(self._c, kind, self._c.load(kind, place))

    def _emit_defer(self, known: _ValuesInScope, body: Words) -> None:
        inner = replace(known.nested_scope(), loop=None, exception=None)
        self._c.defer(lambda: self._emit_body(inner, body))

    def _emit_if(self, known: _ValuesInScope, then: Words, other: Words) -> None:
        with self._c.if_(self._emit_opaque_bit()) as choice:
            self._emit_body(known.nested_scope(), then)
        if other:
            with choice.otherwise():
                self._emit_body(known.nested_scope(), other)

    def _emit_branch(self, known: _ValuesInScope, then: Words, other: Words) -> None:
        c = self._c
        ways, on = [c.new_block("way"), c.new_block("other")], c.new_block("met")
        c.branch_if(self._emit_opaque_bit(), *ways)
        ends = False
        for way, body in zip(ways, (then, other), strict=True):
            c.at_end(way)
            with c.scope():
                self._emit_body(known.nested_scope(), body)
            if c.open:
                c.branch(on)
                ends = True
        c.at_end(on)
        if not ends:
            c.unreachable()

    def _emit_loop(self, known: _ValuesInScope, times: int, body: Words) -> None:
        c = self._c
        rounds = c.variable("i32", 0, name="rounds")
        with c.loop() as loop:
            at = c.load("i32", rounds)
            loop.while_(c.icmp("ult", at, times))
            c.store(c.add(at, 1), rounds)
            self._emit_body(replace(known.nested_scope(), loop=loop), body)

    def _emit_break(self, known: _ValuesInScope) -> None:
        assert known.loop is not None
        known.loop.break_()

    def _emit_continue(self, known: _ValuesInScope) -> None:
        assert known.loop is not None
        known.loop.continue_()

    # ---- Exceptions, ends ----

    def _emit_throw(self, known: _ValuesInScope) -> None:
        self._c.call(self._around.throw_if_odd_function(), [self._around.opaque_number(self._c)])

    def _emit_rethrow(self, known: _ValuesInScope) -> None:
        assert known.exception is not None
        self._c.throw_on(known.exception)

    def _emit_attempt(self, known: _ValuesInScope, body: Words, handler: Words) -> None:
        with self._c.attempt() as attempt:
            self._emit_body(known.nested_scope(), body)
        with attempt.caught() as exception:
            self._emit_body(replace(known.nested_scope(), exception=exception), handler)

    def _emit_return(self, known: _ValuesInScope, *numbers: int) -> None:
        pairs = zip(self._of.results or (), numbers, strict=True)
        self._c.return_(*(self._value_in_scope_or_constant(known, kind, number) for kind, number in pairs))

    def _emit_final(self, known: _ValuesInScope) -> None:
        self._c.final(to=self._c.intrinsic("llvm.coro.noop"))


def _coroutine_options(around: Surroundings, of: Built) -> dict[str, Any]:
    """Return the keyword arguments of `coroutine` for the data."""
    how: dict[str, Any] = {}
    if of.abi != "async" and of.unwinds:
        how["personality"] = PERSONALITY
    if of.lines:
        how["source"] = Source("built.author", 1)
    if of.abi != "switch":
        return {"abi": around.retcon_or_async_abi_of(of), **how}
    if of.allocates != "malloc":
        allocate = around.declare_nounwind_function("alloc_aligned", "ptr (i64, i64)")
        free = around.declare_nounwind_function("free_aligned", "void (ptr)")
        how["allocation"] = Allocation(
            lambda c, size, align: c.call(allocate, [size, align]),
            lambda c, memory: c.call(free, [memory]),
            may_fail=of.allocates == "fails",
        )
    if of.is_awaitable:
        return {"result": of.results[0] if of.results else "void", **how}
    return {"promise": of.yields[0] if of.yields else None, "lazy": of.lazy, "final": of.final, **how}


def emit_coroutine(around: Surroundings, of: Built, program: Sequence[Built]) -> None:
    """Emit a coroutine after those that it depends on."""
    parameters: dict[str, Any] = {} if of.final else {"life": "ptr"}
    for at, (kind, how) in enumerate(of.parameters):
        parameters[f"a{at}"] = ByValue(kind, around.move_and_clear_function(kind) if how == "moved" else None) if how else kind
    begin = cast("Callable[..., AbstractContextManager[CoroutineBuilder]]", coroutine)
    with begin(around.module, f"{around.prefix}{of.name}", parameters, **_coroutine_options(around, of)) as c:
        _BodyEmitter(around, c, of, program).emit()
