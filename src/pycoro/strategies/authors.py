"""Draw coroutines that are written through `pycoro.build`, from every operation that is valid at each point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pycoro.strategies.built import Built, Words
from pycoro.strategies.choices import Choices
from pycoro.strategies.kinds import abi_alignment, element_types, in_register, integer_width
from pycoro.strategies.options import UNWOUND_ONCE, Options

__all__ = ["MIXED", "draw_built_coroutine"]

Word: TypeAlias = tuple[Any, ...]
MIXED = ("add", "sub", "mul", "xor", "and", "or")
"""Integer operations."""
LEAVING = ("return", "final", "break", "continue", "rethrow")
"""Operations that end a body."""
_MOST = 3
"""Largest operand number that selects an earlier value."""


@dataclass(frozen=True)
class _OperationContext:
    """Context of an operation: the operations that are valid there."""

    depth: int
    suspends: bool = True
    leaves: bool = True
    loop: bool = False
    caught: bool = False
    handles: bool = False
    cleans: bool = False
    held: int = 0


DrawOperation: TypeAlias = Callable[[_OperationContext], Word]


def _draw_plain_word(word: str) -> DrawOperation:
    """Return a function that draws an operation without operands."""
    return lambda _: (word,)


class _BodyGenerator:
    """Generator of the operations of one coroutine."""

    def __init__(self, choices: Choices, options: Options, of: Built, kinds: Sequence[str], others: Sequence[Built]) -> None:
        self.choices = choices
        self._options = options
        self._of = of
        self._kinds = kinds
        self._children = [other for other in others if not other.is_awaitable]
        awaits = of.is_awaitable or of.abi == "async"
        self._awaited = [other for other in others if awaits and other.abi == of.abi and other.results is not None]
        self._budget = choices.integer(1, options.statements)

    # ---- Bodies ----

    def draw_body(self, place: _OperationContext) -> Words:
        """Draw a sequence of operations; nested bodies are shorter."""
        out: list[Word] = []
        known = self._valid_operations(place)
        goes_on = 20 if place.depth == self._options.depth else 5
        while self._budget > 0 and self.choices.draw_below(goes_on):
            self._budget -= 1
            out.append(self.choices.pick(known)(place))
            if out[-1][0] in LEAVING:
                break
        return tuple(out)

    def draw_body_yielding_once(self, place: _OperationContext) -> Words:
        """Draw the body of a coroutine that yields exactly once on every path; nothing leaves before the yield."""
        quiet = replace(place, suspends=False, leaves=False)
        before = tuple(word for word in self.draw_body(quiet) if word[0] not in LEAVING)
        inner = replace(place, depth=place.depth - 1)
        makers: list[Callable[[], Word]] = [lambda: self._draw_yield(place)]
        if place.depth:
            makers.append(lambda: ("scope", self.draw_body_yielding_once(inner)))
            if self._options.locals:
                makers.append(lambda: (*self._draw_local(place)[:-1], self.draw_body_yielding_once(inner)))
        return (*before, self.choices.pick(makers)(), *self.draw_body(replace(quiet, leaves=True)))

    def _valid_operations(self, place: _OperationContext) -> tuple[DrawOperation, ...]:
        """Return the makers of the valid operations, simplest first; interesting ones appear several times."""
        options = self._options
        flat: list[DrawOperation] = [self._draw_tell, self._draw_make, self._draw_mix]
        if options.variables:
            flat += [self._draw_variable, self._draw_store, self._draw_load]
        flat += [self._any_suspend] * (6 if self._suspend_operations(place) else 0)
        if place.held:
            flat += [self._draw_resume] * 3
        flat += self._exit_makers(place)
        if not place.depth:
            return tuple(flat)
        around: list[DrawOperation] = [
            self._draw_scope,
            self._draw_give,
            self._draw_if,
            self._draw_branch,
            self._draw_defer,
            self._draw_defer,
        ]
        for maker, there in (
            (self._draw_loop, 2 * options.loops),
            (self._draw_local, int(options.locals)),
            (self._draw_child, 4 * bool(self._children)),
            (self._draw_attempt, 3 * self._of.unwinds),
        ):
            around += [maker] * there
        return (*flat, *around)

    def _suspend_operations(self, place: _OperationContext) -> list[DrawOperation]:
        if not place.suspends:
            return []
        of = self._of
        found: list[DrawOperation] = [] if of.is_awaitable else [self._draw_yield]
        if of.abi == "switch":
            found += [self._draw_suspend] if of.is_awaitable else [self._draw_yield, self._draw_suspend]
            if self._options.awaits:  # without an awaiter, these equal plain suspends
                found += [self._draw_park, self._draw_transfer] * (3 if place.held else 1)
        return [*found, *([self._draw_await] if self._awaited else [])]

    def _exit_makers(self, place: _OperationContext) -> list[DrawOperation]:
        found: list[DrawOperation] = []
        inside = place.depth < self._options.depth
        if place.leaves and inside and self._options.leaves:
            found.append(self._draw_return)
            if self._of.abi == "switch" and self._of.final and not self._of.is_awaitable:
                found.append(_draw_plain_word("final"))
        if place.loop:
            found += [_draw_plain_word("break"), _draw_plain_word("continue")]
        if self._of.unwinds and place.caught:
            found += [_draw_plain_word("throw")] * 3
            if place.handles:
                found += [_draw_plain_word("rethrow")] * 8
        return found

    # ---- Words ----

    def _draw_number(self) -> int:
        return self.choices.integer(0, _MOST)

    def draw_kind(self) -> str:
        """Draw a type."""
        return self.choices.pick(self._kinds)

    def _draw_numbers(self, kinds: Sequence[Any]) -> tuple[int, ...]:
        return tuple(self._draw_number() for _ in kinds)

    def _draw_align(self, kind: str) -> int:
        """Draw an explicit alignment of at least the natural one, or 0 for none."""
        most = 16 if self._of.abi == "async" else 64
        least, most = abi_alignment(kind).bit_length(), min(most, self._options.alignment).bit_length()
        return 1 << self.choices.integer(least, most) - 1 if least <= most and self.choices.chance(1, 4) else 0

    def _draw_tell(self, place: _OperationContext) -> Word:
        return ("tell", self.draw_kind(), self._draw_number())

    def _draw_make(self, place: _OperationContext) -> Word:
        return ("make", self.draw_kind())

    def _draw_mix(self, place: _OperationContext) -> Word:
        kind = self.draw_kind()
        return (
            "mix",
            kind,
            self.choices.pick(MIXED) if integer_width(kind) else "select",
            self._draw_number(),
            self._draw_number(),
        )

    def _draw_variable(self, place: _OperationContext) -> Word:
        kind = self.draw_kind()
        return ("variable", kind, self._draw_align(kind), self._draw_number())

    def _draw_store(self, place: _OperationContext) -> Word:
        return ("store", self._draw_number(), self._draw_number())

    def _draw_load(self, place: _OperationContext) -> Word:
        return ("load", self._draw_number())

    def draw_suspend(self, place: _OperationContext) -> Word:
        """Draw a plain suspend."""
        return self._suspend_operations(place)[0](place)

    def _any_suspend(self, place: _OperationContext) -> Word:
        return self.choices.pick(self._suspend_operations(place))(place)

    def _draw_yield(self, place: _OperationContext) -> Word:
        return ("yield", *self._draw_numbers(self._of.yields))

    def _draw_suspend(self, place: _OperationContext) -> Word:
        return ("suspend",)

    def _draw_park(self, place: _OperationContext) -> Word:
        return ("park", self.choices.pick(("void", "bool", "handle")), self._draw_number())

    def _draw_transfer(self, place: _OperationContext) -> Word:
        return ("transfer", self._draw_number())

    def _draw_resume(self, place: _OperationContext) -> Word:
        return ("resume", self._draw_number())

    def _draw_await(self, place: _OperationContext) -> Word:
        other = self.choices.pick(self._awaited)
        return ("await", other.name, self._draw_numbers(other.parameters))

    def _draw_return(self, place: _OperationContext) -> Word:
        return ("return", *self._draw_numbers(self._of.results or ()))

    # ---- Words around others ----

    def _draw_inner_body(self, place: _OperationContext, **how: Any) -> Words:
        return self.draw_body(replace(place, depth=place.depth - 1, **how))

    def _draw_scope(self, place: _OperationContext) -> Word:
        return ("scope", self._draw_inner_body(place))

    def _draw_give(self, place: _OperationContext) -> Word:
        return ("give", self.draw_kind(), self._draw_number(), self._draw_inner_body(place))

    def _draw_local(self, place: _OperationContext) -> Word:
        kind = self.draw_kind()
        return ("local", kind, self._draw_align(kind), self._draw_number(), self._draw_inner_body(place))

    def _draw_if(self, place: _OperationContext) -> Word:
        return ("if", self._draw_inner_body(place), self._draw_inner_body(place))

    def _draw_branch(self, place: _OperationContext) -> Word:
        return ("branch", self._draw_inner_body(place), self._draw_inner_body(place))

    def _draw_loop(self, place: _OperationContext) -> Word:
        return ("loop", self.choices.integer(1, 3), self._draw_inner_body(place, loop=True))

    def _draw_defer(self, place: _OperationContext) -> Word:
        body = self._draw_inner_body(place, suspends=False, leaves=False, loop=False, caught=False, handles=False, cleans=True)
        return ("defer", (self._draw_tell(place), *body) if self.choices.chance(1, 2) else body)

    def draw_rare_await(self, place: _OperationContext) -> Words:
        """Draw a rare combination: a cleanup that runs when the suspend after it is destroyed, or a symmetric transfer to a
        child.
        """
        alike = [other for other in self._children if other.abi == self._of.abi == "switch"]
        if alike and self._options.awaits and self.choices.chance(2, 3):
            return (self._draw_child_of(self.choices.pick(alike), place, self._draw_transfer(place)),)
        return (self._draw_defer(place), self.draw_suspend(place))

    def _draw_attempt(self, place: _OperationContext) -> Word:
        body, handler = self._draw_inner_body(place, caught=True, handles=False), self._draw_inner_body(place, handles=True)
        # otherwise, exceptional paths would be rare
        if self.choices.chance(1, 2) and not _ends_body(body):
            body = (*body, ("throw",))
        if place.caught and self.choices.chance(1, 2) and not _ends_body(handler):
            handler = (*handler, ("rethrow",))
        return ("attempt", body, handler)

    def _draw_child(self, place: _OperationContext) -> Word:
        return self._draw_child_of(self.choices.pick(self._children), place)

    def _draw_child_of(self, other: Built, place: _OperationContext, *first: Word) -> Word:
        safe = other.abi == "switch" and self._options.elision and self.choices.chance(1, 2)
        arguments = self._draw_numbers(other.parameters)
        return ("child", other.name, arguments, safe, (*first, *self._draw_inner_body(place, held=place.held + 1)))


def _ends_body(body: Words) -> bool:
    """Return True if no operation can follow the body."""
    return bool(body) and body[-1][0] in LEAVING


# ---- Coroutines ----


def _draw_parameters(choices: Choices, options: Options, kinds: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Draw parameters. Aggregates are moved, because the size of a byte copy depends on a data layout, which the modules lack."""
    found: list[tuple[str, str]] = []
    for _ in range(choices.integer(0, options.parameters)):
        kind, bytewise = choices.pick(kinds), "copied"
        parts = element_types(kind)
        if parts and not parts.is_vector:
            bytewise = "moved"
        found.append((kind, choices.pick(("", "", bytewise, "moved")) if options.byval else ""))
    return tuple(found)


def _draw_switch_properties(choices: Choices, options: Options, kinds: Sequence[str], of: Built, *, last: bool) -> Built:
    plain = options.alignment <= 16 and all(abi_alignment(kind) <= 16 for kind in options.kinds)
    allocates = choices.pick((*(["malloc", "malloc"] if plain else []), "aligned", *(["fails"] if last and options.fails else [])))
    if options.awaits and choices.chance(2, 5):
        results = (choices.pick(kinds),) if options.results and choices.chance(2, 3) else ()
        return replace(of, results=results, lazy=True, allocates=allocates)
    yields = (choices.pick(kinds),) if options.promise and choices.chance(2, 3) else ()
    final = not (last and options.unended and choices.chance(1, 4))
    return replace(of, yields=yields, lazy=choices.chance(1, 3), final=final, allocates=allocates)


def _draw_continuation_properties(choices: Choices, options: Options, kinds: Sequence[str], of: Built) -> Built:
    yields = tuple(choices.pick(kinds) for _ in range(choices.integer(0, 2)))
    if of.abi == "async":
        passed = in_register(kinds)
        return replace(of, yields=yields, results=(choices.pick(passed),) if options.results and choices.chance(2, 3) else ())
    once = of.abi == "retcon.once"
    results = tuple(choices.pick(kinds) for _ in range(choices.integer(0, 2) if options.results and once else 0))
    takes = choices.pick(("", "i32", "i64", "double"))
    size = choices.pick((8, 16, 32, 64, 256, 1024))
    return replace(of, yields=yields, results=results if once else None, takes=takes, size=size)


def draw_built_coroutine(choices: Choices, options: Options, name: str, others: Sequence[Built], *, last: bool) -> Built:
    """Draw a coroutine that may create the given others. Only the last coroutine of a program may let exceptions escape."""
    abi = choices.pick(options.abis)
    picked = [choices.pick(options.kinds) for _ in range(choices.integer(0, 4))]
    kinds = tuple(kind for kind in dict.fromkeys(["i32", *picked]) if abi != "async" or abi_alignment(kind) <= 16)
    parameters = _draw_parameters(choices, options, in_register(kinds) if abi == "async" else kinds)
    held = abi == "async" or (abi == "retcon.once" and UNWOUND_ONCE not in options.faults)
    unwinds = not held and options.exceptions and choices.chance(1, 2)
    of = Built(name, abi=abi, parameters=parameters, unwinds=unwinds, lines=choices.chance(1, _LINED))
    if abi == "switch":
        of = _draw_switch_properties(choices, options, kinds, of, last=last)
    else:
        of = _draw_continuation_properties(choices, options, kinds, of)
    author = _BodyGenerator(choices, options, of, kinds, others)
    place = _OperationContext(options.depth, caught=last and unwinds and not of.is_awaitable)
    if abi == "retcon.once":
        return replace(of, body=author.draw_body_yielding_once(place))
    # a coroutine that frees itself before the ramp returns cannot be resumed; a finished child cannot be transferred to
    begins = not of.final or (not last and choices.chance(2, 3))
    first: Words = (author.draw_suspend(place),) if begins else ()
    if place.depth and abi != "async" and choices.chance(2, 5):
        first = author.draw_rare_await(place)
    return replace(of, body=(*first, *author.draw_body(place)))


_LINED = 16
"""One in this many coroutines has debug information. The oracle compares such programs individually, which is slow."""
