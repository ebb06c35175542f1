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
from pycoro.strategies.owning import Owned, OwnedHandle, owned
from pycoro.strategies.writing import PERSONALITY, Surroundings, constant_of, made

__all__ = ["write"]


@dataclass(frozen=True)
class _Known:
    """Values that are in scope at an operation."""

    values: dict[str, list[Value]] = field(default_factory=dict[str, list[Value]])
    places: list[tuple[str, Value]] = field(default_factory=list[tuple[str, Value]])
    held: tuple[Owned, ...] = ()
    loop: LoopBuilder | None = None
    exception: Value | None = None

    def inner(self) -> _Known:
        """Return a nested scope, so that values of inner operations stay invisible outside."""
        return replace(self, values={kind: list(known) for kind, known in self.values.items()}, places=list(self.places))


class _Writer:
    """Emitter of one coroutine's body."""

    def __init__(self, around: Surroundings, c: CoroutineBuilder, of: Built, program: Sequence[Built]) -> None:
        self._around = around
        self._c = c
        self._of = of
        self._program = {other.name: other for other in program}
        self._line = count(2)

    def write(self) -> None:
        """Emit the whole body."""
        c, of, known = self._c, self._of, _Known()
        if not of.final:
            c.defer(lambda: c.store(c.constant("i8", 1), c["life"]), name="life")
        for at, (kind, how) in enumerate(of.parameters):
            self._add(known, kind, c.load(kind, c[f"a{at}"]) if how else c[f"a{at}"])
            if how:
                known.places.append((kind, c[f"a{at}"]))
        if of.abi == "switch" and of.yields and isinstance(c, SwitchBuilder) and c.promise is not None:
            c.store(c.constant(of.yields[0], constant_of(of.yields[0], 0)), c.promise)
        self._body(known, of.body)
        if c.open and of.results:
            c.return_(*(self._value(known, kind, 0) for kind in of.results))

    def _body(self, known: _Known, body: Words) -> None:
        for word, *about in body:
            if not self._c.open:
                return
            self._c.at(next(self._line))
            getattr(self, f"_{word}")(known, *about)

    # ---- Values ----

    def _value(self, known: _Known, kind: str, number: int) -> Value:
        values = known.values.get(kind)
        return values[-1 - number % len(values)] if values else self._c.constant(kind, constant_of(kind, number))

    def _add(self, known: _Known, kind: str, value: Value) -> None:
        known.values.setdefault(kind, []).append(value)

    def _made(self, kind: str) -> Value:
        return made(self._c, kind, self._around.pick(self._c))

    def _odd(self) -> Value:
        return self._c.trunc(self._around.pick(self._c), "i1")

    def _tell(self, known: _Known, kind: str, number: int) -> None:
        self._around.say(self._c, kind, self._value(known, kind, number))

    def _make(self, known: _Known, kind: str) -> None:
        self._add(known, kind, self._made(kind))

    def _mix(self, known: _Known, kind: str, how: str, left: int, right: int) -> None:
        c = self._c
        values = self._value(known, kind, left), self._value(known, kind, right)
        self._add(known, kind, c.select(self._odd(), *values) if how == "select" else c.binary(how, *values))

    def _variable(self, known: _Known, kind: str, align: int, number: int) -> None:
        known.places.append((kind, self._c.variable(kind, self._value(known, kind, number), align=align, name="x")))

    def _store(self, known: _Known, number: int, value: int) -> None:
        if known.places:
            kind, place = known.places[-1 - number % len(known.places)]
            self._c.store(self._value(known, kind, value), place)

    def _load(self, known: _Known, number: int) -> None:
        if known.places:
            kind, place = known.places[-1 - number % len(known.places)]
            self._add(known, kind, self._c.load(kind, place))
            self._tell(known, kind, 0)

    # ---- Suspends ----

    def _yield(self, known: _Known, *numbers: int) -> None:
        pairs = zip(self._of.yields, numbers, strict=True)
        taken = self._c.yield_(*(self._value(known, kind, number) for kind, number in pairs))
        if taken is not None:
            self._add(known, self._of.takes, taken)

    def _parked(self) -> None:
        """Store the handle where a client that resumes the task loads it."""
        if self._of.is_task and isinstance(self._c, SwitchBuilder):
            self._c.store(self._c.handle, self._around.variable("parked"))

    def _suspend(self, known: _Known) -> None:
        self._parked()
        self._c.suspend()

    def _next(self, known: _Known, number: int) -> Value:
        """Return the handle to transfer to: a no-op coroutine if the held one is done."""
        c = self._c
        handles = [held for held in known.held if isinstance(held, OwnedHandle)]
        nobody = c.intrinsic("llvm.coro.noop")
        if not handles:
            return nobody
        held = handles[-1 - number % len(handles)]
        return c.select(held.over(), nobody, held.handle.address)

    def _transfer(self, known: _Known, number: int) -> None:
        self._parked()
        self._c.suspend(to=self._next(known, number))

    def _park(self, known: _Known, form: str, number: int) -> None:
        awaiter = self._next(known, number) if form == "handle" else None
        kept = "parked" if self._of.is_task else "told"
        self._c.suspend(by=self._around.parker(form, kept), awaiter=awaiter)

    # ---- Others ----

    def _arguments(self, known: _Known, of: Built, numbers: Sequence[int]) -> list[Value]:
        return [self._value(known, kind, number) for (kind, _), number in zip(of.parameters, numbers, strict=True)]

    def _child(self, known: _Known, name: str, numbers: Sequence[int], safe: bool, body: Words) -> None:
        of = self._program[name]
        with self._c.scope():
            held = owned(self._around, self._c, of)
            held.start(self._arguments(known, of, numbers), safe=safe)
            self._c.defer(held.destroy, name="child")
            self._body(replace(known.inner(), held=(*known.held, held)), body)

    def _resume(self, known: _Known, number: int) -> None:
        if known.held:
            known.held[-1 - number % len(known.held)].resume()

    def _await(self, known: _Known, name: str, numbers: Sequence[int]) -> None:
        c, of = self._c, self._program[name]
        values = self._arguments(known, of, numbers)
        result = of.results[0] if of.results else "void"
        passed = owned(self._around, c, of).given(values)
        callee = self._around.function_of(of)
        if isinstance(c, AsyncBuilder):
            given = c.await_call(callee, passed, result)
        else:
            given = c.await_(c.call(callee, passed), result)
        if given is not None:
            self._add(known, result, given)

    # ---- Scopes and choices ----

    def _scope(self, known: _Known, body: Words) -> None:
        with self._c.scope():
            self._body(known.inner(), body)

    def _give(self, known: _Known, kind: str, number: int, body: Words) -> None:
        inner = known.inner()
        with self._c.scope() as scope:
            self._body(inner, body)
            if self._c.open:
                scope.give(self._value(inner, kind, number))
        if self._c.open:
            self._add(known, kind, scope.given)

    def _local(self, known: _Known, kind: str, align: int, number: int, body: Words) -> None:
        inner = known.inner()
        with self._c.scope():
            place = self._c.local(kind, self._value(known, kind, number), align=align, name="l")
            inner.places.append((kind, place))
            self._body(inner, body)
            if self._c.open:
                self._around.say(self._c, kind, self._c.load(kind, place))

    def _defer(self, known: _Known, body: Words) -> None:
        inner = replace(known.inner(), loop=None, exception=None)
        self._c.defer(lambda: self._body(inner, body))

    def _if(self, known: _Known, then: Words, other: Words) -> None:
        with self._c.if_(self._odd()) as choice:
            self._body(known.inner(), then)
        if other:
            with choice.otherwise():
                self._body(known.inner(), other)

    def _branch(self, known: _Known, then: Words, other: Words) -> None:
        c = self._c
        ways, on = [c.new_block("way"), c.new_block("other")], c.new_block("met")
        c.branch_if(self._odd(), *ways)
        ends = False
        for way, body in zip(ways, (then, other), strict=True):
            c.at_end(way)
            with c.scope():
                self._body(known.inner(), body)
            if c.open:
                c.branch(on)
                ends = True
        c.at_end(on)
        if not ends:
            c.unreachable()

    def _loop(self, known: _Known, times: int, body: Words) -> None:
        c = self._c
        rounds = c.variable("i32", 0, name="rounds")
        with c.loop() as loop:
            at = c.load("i32", rounds)
            loop.while_(c.icmp("ult", at, times))
            c.store(c.add(at, 1), rounds)
            self._body(replace(known.inner(), loop=loop), body)

    def _break(self, known: _Known) -> None:
        assert known.loop is not None
        known.loop.break_()

    def _continue(self, known: _Known) -> None:
        assert known.loop is not None
        known.loop.continue_()

    # ---- Exceptions, ends ----

    def _throw(self, known: _Known) -> None:
        self._c.call(self._around.thrower(), [self._around.pick(self._c)])

    def _rethrow(self, known: _Known) -> None:
        assert known.exception is not None
        self._c.throw_on(known.exception)

    def _attempt(self, known: _Known, body: Words, handler: Words) -> None:
        with self._c.attempt() as attempt:
            self._body(known.inner(), body)
        with attempt.caught() as exception:
            self._body(replace(known.inner(), exception=exception), handler)

    def _return(self, known: _Known, *numbers: int) -> None:
        pairs = zip(self._of.results or (), numbers, strict=True)
        self._c.return_(*(self._value(known, kind, number) for kind, number in pairs))

    def _final(self, known: _Known) -> None:
        self._c.final(to=self._c.intrinsic("llvm.coro.noop"))


def _how(around: Surroundings, of: Built) -> dict[str, Any]:
    """Return the keyword arguments of `coroutine` for the data."""
    how: dict[str, Any] = {}
    if of.abi != "async" and of.unwinds:
        how["personality"] = PERSONALITY
    if of.lines:
        how["source"] = Source("built.author", 1)
    if of.abi != "switch":
        return {"abi": around.abi(of), **how}
    if of.allocates != "malloc":
        allocate = around.declared("alloc_aligned", "ptr (i64, i64)")
        free = around.declared("free_aligned", "void (ptr)")
        how["allocation"] = Allocation(
            lambda c, size, align: c.call(allocate, [size, align]),
            lambda c, memory: c.call(free, [memory]),
            may_fail=of.allocates == "fails",
        )
    if of.is_task:
        return {"result": of.results[0] if of.results else "void", **how}
    return {"promise": of.yields[0] if of.yields else None, "lazy": of.lazy, "final": of.final, **how}


def write(around: Surroundings, of: Built, program: Sequence[Built]) -> None:
    """Emit a coroutine after those that it depends on."""
    parameters: dict[str, Any] = {} if of.final else {"life": "ptr"}
    for at, (kind, how) in enumerate(of.parameters):
        parameters[f"a{at}"] = ByValue(kind, around.mover(kind) if how == "moved" else None) if how else kind
    begin = cast("Callable[..., AbstractContextManager[CoroutineBuilder]]", coroutine)
    with begin(around.module, f"{around.prefix}{of.name}", parameters, **_how(around, of)) as c:
        _Writer(around, c, of, program).write()
