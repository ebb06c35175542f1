"""Draw callers of coroutines."""

from __future__ import annotations

from pycoro.strategies import acts as a
from pycoro.strategies import model as m
from pycoro.strategies.callers import OWNERS
from pycoro.strategies.choices import Choices
from pycoro.strategies.kinds import draw_constant
from pycoro.strategies.options import Options

__all__ = ["draw_callers"]


class _CallerGenerator:
    """Generator of the acts of one caller."""

    def __init__(self, choices: Choices, coroutines: tuple[m.Coroutine, ...], names: tuple[str, ...], places: int) -> None:
        self.choices = choices
        self.budget = choices.integer(3, 10)
        self._coroutines = coroutines
        self._names = names
        self._places = places
        self._kinds = choices.pick((14, 22))  # without or with the acts that let a coroutine escape

    def _draw_slot(self) -> int:
        """Draw a slot, more often an owned one than the lent one."""
        return (1 + self.choices.draw_below(2 * self._places + 1)) % (self._places + 1)

    def draw_creation(self) -> a.Begin:
        """Draw the creation of a coroutine."""
        of = self.choices.pick(self._coroutines)
        given = tuple(draw_constant(self.choices, p.byval or p.kind) for p in of.parameters)
        return a.Begin(self._draw_slot(), of.name, given)

    def draw_acts(self, depth: int) -> tuple[a.Act, ...]:
        """Draw at most as many acts as the budget allows."""
        found: list[a.Act] = []
        for _ in range(self.choices.integer(1, 6)):
            if self.budget <= 0:
                break
            self.budget -= 1
            found.append(self._draw_act(depth))
        return tuple(found)

    def _draw_act(self, depth: int) -> a.Act:
        choices, place = self.choices, self._draw_slot
        kind = choices.draw_below(self._kinds + 4 if depth else self._kinds)
        if kind >= self._kinds:
            return self._draw_nested_act(kind - self._kinds, depth)
        if kind < 6:
            return a.Step(place())
        if kind < 9:
            return self.draw_creation()
        if kind < 11:
            return a.Ask(place())
        if kind < 13:
            return a.End(place())
        if kind < 14:
            return a.Move(place(), place())
        if kind < 15:
            return a.Lend(place())
        if kind < 17:
            return a.Enter(choices.pick(self._names), place())
        return self._draw_rare_act(kind)

    def _draw_nested_act(self, kind: int, depth: int) -> a.Act:
        if kind < 2:
            return a.Either(self.draw_acts(depth - 1), self.draw_acts(depth - 1) if self.choices.chance(1, 2) else ())
        return a.Again(self.choices.integer(2, 3), self.draw_acts(depth - 1))

    def _draw_rare_act(self, kind: int) -> a.Act:
        choices, place = self.choices, self._draw_slot
        match kind:
            case 17:
                return a.Throw()
            case 18:
                return a.Publish(place())
            case 19:
                return a.Poke()
            case 20:
                return a.Keep(place(), choices.draw_below(OWNERS))
            case _:
                return a.Take(place(), choices.draw_below(OWNERS)) if choices.chance(3, 4) else a.Forget(place())


def draw_callers(choices: Choices, options: Options, coroutines: tuple[m.Coroutine, ...]) -> tuple[a.Caller, ...]:
    """Draw callers of the coroutines and of each other; the last one is the entry."""
    count = choices.integer(1, options.callers)
    names = tuple(f"caller{n}" for n in range(count))
    found: list[a.Caller] = []
    for number, name in enumerate(names):
        places = choices.integer(1, 3)
        inner = (*names[:number], *([name] if not number or choices.chance(1, 4) else []))
        drawing = _CallerGenerator(choices, coroutines, inner, places)
        body = (drawing.draw_creation(), *drawing.draw_acts(2))
        flags = [choices.chance(1, 3), not choices.chance(1, 8), not choices.chance(1, 4), choices.chance(1, 4)]
        found.append(a.Caller(name, body, places, *flags))
    return tuple(found)
