"""What callers do with coroutines, as plain data: they own them, move them, hand them on, lose them, and are left by exceptions.

A caller has places for coroutines, each of which owns at most one: place 0 is lent to it by its own caller, the others are its
own. What is in a place when something else is put there is destroyed first, and an act on an empty place does nothing: so any
acts in any order mean something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pycoro.strategies.plain import Plain

__all__ = [
    "Act",
    "Again",
    "Ask",
    "Begin",
    "Caller",
    "Either",
    "End",
    "Enter",
    "Forget",
    "Keep",
    "Lend",
    "Move",
    "Poke",
    "Publish",
    "Step",
    "Take",
    "Throw",
    "acts_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class Begin(Plain):
    """Starts a coroutine in a place."""

    place: int
    coroutine: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Step(Plain):
    """Resumes what is in a place, unless it is over."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Ask(Plain):
    """Tells whether it is over."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class End(Plain):
    """Destroys it."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Move(Plain):
    """Moves it to another place."""

    to: int
    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Publish(Plain):
    """Stores its handle to a global, which does not own it."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Poke(Plain):
    """Resumes what was published last, if it still lives."""


@dataclass(frozen=True, slots=True, repr=False)
class Keep(Plain):
    """Moves it to a global that owns it."""

    place: int
    owner: int


@dataclass(frozen=True, slots=True, repr=False)
class Take(Plain):
    """Moves it back from there."""

    place: int
    owner: int


@dataclass(frozen=True, slots=True, repr=False)
class Forget(Plain):
    """Loses it: nobody will destroy it."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Lend(Plain):
    """Hands its handle to a function that resumes it."""

    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Enter(Plain):
    """Calls a caller, itself maybe, and lends it a place. Calls are nested so deep and no deeper."""

    caller: str
    place: int


@dataclass(frozen=True, slots=True, repr=False)
class Throw(Plain):
    """Calls a function that throws, if the outside gives it an odd number."""


@dataclass(frozen=True, slots=True, repr=False)
class Either(Plain):
    """One of two bodies, by a number that the outside gives."""

    then: tuple[Act, ...]
    other: tuple[Act, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Again(Plain):
    """A body, so many times."""

    count: int
    body: tuple[Act, ...]


Act: TypeAlias = "Begin | Step | Ask | End | Move | Publish | Poke | Keep | Take | Forget | Lend | Enter | Throw | Either | Again"


@dataclass(frozen=True, slots=True, repr=False)
class Caller(Plain):
    """A function that uses coroutines."""

    name: str
    body: tuple[Act, ...]
    places: int = 1
    """Its own, without the one that it is lent."""
    apart: bool = False
    """Whether it is never inlined."""
    destroys: bool = True
    """Whether it destroys what is in its places when it returns."""
    unwinds: bool = True
    """Whether it does so too when an exception leaves it."""
    catches: bool = False
    """Whether exceptions end here."""


def acts_of(body: tuple[Act, ...]) -> Iterator[Act]:
    """All acts of a body, those inside of others too."""
    for act in body:
        yield act
        if isinstance(act, Either):
            yield from acts_of(act.then)
            yield from acts_of(act.other)
        elif isinstance(act, Again):
            yield from acts_of(act.body)
