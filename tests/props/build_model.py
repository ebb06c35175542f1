"""A model in plain Python of coroutines built by pycoro.build. Statements run as Python generators: `finally` models
cleanups, `close()` destroys, `yield from` awaits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pycoro import strategies as s
from pycoro.strategies import model
from pycoro.strategies.built import Words
from pycoro.strategies.kinds import FLOATS, REPORTED_DIRECTLY, element_types, integer_width_or_0

Run = Iterator[None]
Told = list[tuple[str, Any]]


class _Thrown(Exception):
    pass


class _Break(BaseException):
    pass


class _Continue(BaseException):
    pass


class _Return(BaseException):
    pass


# ---- Values ----


def constant(kind: str, number: int) -> Any:
    parts = element_types(kind)
    if parts:
        return tuple(constant(part, number + at) for at, part in enumerate(parts.kinds))
    return float(number) if kind in FLOATS else number % (1 << integer_width_or_0(kind))


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


_MIXED: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
}


class World:
    """The environment of a run: its trace, and the values it receives."""

    def __init__(self, picks: Sequence[int]) -> None:
        self.told: Told = []
        self._picks = iter(picks)

    def pick(self) -> int:
        return next(self._picks)

    def odd(self) -> bool:
        return bool(self.pick() % 2)

    def say(self, kind: str, value: Any) -> None:
        parts = element_types(kind)
        if parts:
            for part, item in zip(parts.kinds, value, strict=True):
                self.say(part, item)
        elif kind in REPORTED_DIRECTLY:
            self.told.append((f"report_{kind}", value))
        elif integer_width_or_0(kind) > 64:
            self.say("i64", value % (1 << 64))
            self.say("i64", value >> 64)
        else:
            self.say("i64", _signed(value, integer_width_or_0(kind)) % (1 << 64))


# ---- Coroutines ----


@dataclass
class Known:
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: list[tuple[str, list[Any]]] = field(default_factory=list)
    held: tuple[Running, ...] = ()
    deferred: list[Callable[[], None]] = field(default_factory=list)

    def inner(self) -> Known:
        values = {kind: list(known) for kind, known in self.values.items()}
        return replace(self, values=values, places=list(self.places), deferred=[])

    def add(self, kind: str, value: Any) -> None:
        self.values.setdefault(kind, []).append(value)

    def value(self, kind: str, number: int) -> Any:
        values = self.values.get(kind)
        return values[-1 - number % len(values)] if values else constant(kind, number)


class Running:
    """A running coroutine: `step` runs it to its next suspend."""

    def __init__(self, world: World, program: s.Program, of: model.Built, arguments: Sequence[Any]) -> None:
        self.of, self._world, self._program = of, world, {other.name: other for other in program.built}
        self._whole = program
        self.over = False
        self.results: tuple[Any, ...] = ()
        self.yielded: tuple[Any, ...] = tuple(constant(kind, 0) for kind in of.yields)
        self._arguments = arguments
        self.run = self._run()

    # operations of the owner

    def start(self) -> None:
        if not self.of.lazy:
            self.step()
            self._tell()

    def step(self) -> None:
        try:
            next(self.run)
        except StopIteration:
            self.over = True
        except _Thrown:
            self.over = True
            raise

    def _tell(self) -> None:
        of = self.of
        if (of.abi == "switch" and of.final) or (not self.over and of.abi != "async"):
            for kind, value in zip(of.yields, self.yielded, strict=True):
                self._world.say(kind, value)

    def resume(self) -> None:
        of = self.of
        if self.over:
            return
        self.step()
        if of.abi != "retcon.once":
            self._tell()
            return
        for kind, value in zip(of.results or (), self.results, strict=True):
            self._world.say(kind, value)

    def destroy(self) -> None:
        while self.of.abi == "async" and not self.over:
            self.step()
        self.run.close()  # type: ignore[attr-defined]

    # the body

    def _run(self) -> Run:
        yield from self.whole()
        if self.of.abi == "async":
            for kind, value in zip(self.of.results or (), self.results, strict=True):
                self._world.say(kind, value)

    def whole(self) -> Run:
        """Run to the end."""
        known, of = Known(), self.of
        for (kind, how), value in zip(of.parameters, self._arguments, strict=True):
            known.add(kind, value)
            if how:
                known.places.append((kind, [value]))
        try:
            yield from self._body_of(known, of.body)
            self.results = tuple(known.value(kind, 0) for kind in of.results or ())
        except _Return:
            pass
        finally:
            self._leave(known)

    def _leave(self, known: Known) -> None:
        for run in reversed(known.deferred):
            run()

    def _body_of(self, known: Known, body: Words) -> Run:
        for word, *about in body:
            going = getattr(self, f"do_{word}")(known, *about)
            if going is not None:
                yield from going

    def _scoped(self, known: Known, body: Words, after: Callable[[Known], object] = lambda known: None) -> Run:
        inner = known.inner()
        try:
            yield from self._body_of(inner, body)
            after(inner)
        finally:
            self._leave(inner)

    # statements

    def do_report(self, known: Known, kind: str, number: int) -> None:
        self._world.say(kind, known.value(kind, number))

    def do_opaque(self, known: Known, kind: str) -> None:
        known.add(kind, constant(kind, self._world.pick()))

    def do_combine(self, known: Known, kind: str, how: str, left: int, right: int) -> None:
        a, b = known.value(kind, left), known.value(kind, right)
        if how == "select":
            known.add(kind, a if self._world.odd() else b)
        else:
            known.add(kind, _MIXED[how](a, b) % (1 << integer_width_or_0(kind)))

    def do_variable(self, known: Known, kind: str, align: int, number: int) -> None:
        known.places.append((kind, [known.value(kind, number)]))

    def do_store(self, known: Known, number: int, value: int) -> None:
        if known.places:
            kind, place = known.places[-1 - number % len(known.places)]
            place[0] = known.value(kind, value)

    def do_load(self, known: Known, number: int) -> None:
        if known.places:
            kind, place = known.places[-1 - number % len(known.places)]
            known.add(kind, place[0])
            self._world.say(kind, place[0])

    def do_yield(self, known: Known, *numbers: int) -> Run:
        of = self.of
        self.yielded = tuple(known.value(kind, number) for kind, number in zip(of.yields, numbers, strict=True))
        if of.abi == "async":
            for kind, value in zip(of.yields, self.yielded, strict=True):
                self._world.say(kind, value)
        yield
        if of.takes:
            known.add(of.takes, constant(of.takes, 7))

    def do_suspend(self, known: Known) -> Run:
        yield

    def do_transfer(self, known: Known, number: int) -> Run:
        handles = [held for held in known.held if held.of.abi == "switch"]
        if handles and not (other := handles[-1 - number % len(handles)]).over:
            other.step()
        yield

    def do_await_suspend(self, known: Known, form: str, number: int) -> Run:
        if form == "handle":
            yield from self.do_transfer(known, number)
        elif form == "void" or self._world.odd():
            yield

    def _other(self, known: Known, name: str, numbers: Sequence[int]) -> Running:
        of = self._program[name]
        values = [known.value(kind, number) for (kind, _), number in zip(of.parameters, numbers, strict=True)]
        return Running(self._world, self._whole, of, values)

    def do_child(self, known: Known, name: str, numbers: Sequence[int], safe: bool, body: Words) -> Run:
        held = self._other(known, name, numbers)
        held.start()
        try:
            yield from self._scoped(replace(known, held=(*known.held, held)), body)
        finally:
            held.destroy()

    def do_resume(self, known: Known, number: int) -> None:
        if known.held:
            known.held[-1 - number % len(known.held)].resume()

    def do_await(self, known: Known, name: str, numbers: Sequence[int]) -> Run:
        other = self._other(known, name, numbers)
        yield from other.whole()
        for kind, value in zip(other.of.results or (), other.results, strict=True):
            known.add(kind, value)

    def do_scope(self, known: Known, body: Words) -> Run:
        return self._scoped(known, body)

    def do_scope_with_value(self, known: Known, kind: str, number: int, body: Words) -> Run:
        yield from self._scoped(known, body, lambda inner: known.add(kind, inner.value(kind, number)))

    def do_local(self, known: Known, kind: str, align: int, number: int, body: Words) -> Run:
        place = (kind, [known.value(kind, number)])
        around = replace(known, places=[*known.places, place])
        return self._scoped(around, body, lambda inner: self._world.say(kind, place[1][0]))

    def do_defer(self, known: Known, body: Words) -> None:
        inner = known.inner()

        def run() -> None:
            for _ in self._scoped(inner, body):
                raise AssertionError("a cleanup suspends")

        known.deferred.append(run)

    def do_if(self, known: Known, then: Words, other: Words) -> Run:
        return self._scoped(known, then if self._world.odd() else other)

    do_branch = do_if

    def do_loop(self, known: Known, times: int, body: Words) -> Run:
        for _ in range(times):
            try:
                yield from self._scoped(known, body)
            except _Break:
                break
            except _Continue:
                continue

    def do_break(self, known: Known) -> None:
        raise _Break

    def do_continue(self, known: Known) -> None:
        raise _Continue

    def do_throw(self, known: Known) -> None:
        if self._world.odd():
            raise _Thrown

    def do_rethrow(self, known: Known) -> None:
        raise _Thrown

    def do_attempt(self, known: Known, body: Words, handler: Words) -> Run:
        try:
            yield from self._scoped(known, body)
            return
        except _Thrown:
            pass
        yield from self._scoped(known, handler)

    def do_return(self, known: Known, *numbers: int) -> None:
        pairs = zip(self.of.results or (), numbers, strict=True)
        self.results = tuple(known.value(kind, number) for kind, number in pairs)
        raise _Return

    def do_final(self, known: Known) -> None:
        raise _Return


def expected(program: s.Program, picks: Sequence[int]) -> Told:
    """Return the traces of all drives in order, when ``pick`` returns those numbers."""
    world = World(picks)
    for drive in program.drives:
        of = next(of for of in program.built if of.name == drive.coroutine)
        _drive(world, program, of, drive)
    return world.told


def _drive(world: World, program: s.Program, of: model.Built, drive: model.Drive) -> None:
    pairs = zip(of.parameters, drive.arguments, strict=True)
    running = Running(world, program, of, [constant(kind, int(text)) for (kind, _), text in pairs])
    try:
        running.start()
    except _Thrown:
        world.say("i8", constant("i8", -2))
        return
    for step in drive.steps:
        try:
            if step == "resume":
                running.resume()
            else:
                world.say("i1", int(running.over))
        except _Thrown:
            world.say("i8", constant("i8", -1))
    running.destroy()
