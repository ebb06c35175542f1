"""Ways out of scopes as plain data: which cleanups one runs, where it leads in the end, and who takes it from where.

A cleanup is built once, whoever comes by: by falling out of its scope, `break`, return, an exception, or destroy. Each of these
is a `Way` with a number. Where several come to a cleanup, a phi says which one it is, and behind it a switch goes by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pycoro.ir.block import Block
from pycoro.ir.insertion_point import Debug
from pycoro.ir.types import Type
from pycoro.ir.value import Value

__all__ = ["Arrival", "Cleanup", "Way", "hops"]


@dataclass(eq=False)
class Arrival:
    """An edge: from a block, on one of several ways, with what they carry. ``number`` says which way it is, where that is
    known at run time only."""

    block: Block
    ways: tuple[Way, ...]
    number: Value | None
    carried: Mapping[str, Value]


@dataclass(eq=False)
class Way:
    """Where it leads, behind all cleanups within ``limit``; None: behind all that there are. ``carries`` are the values that it
    takes along, by name, with their types. It may be one that ``ends`` the function. ``depth`` is of how many cleanups it was
    made within: none is left before its end."""

    number: int
    name: str
    limit: Cleanup | None
    ends: bool = False
    depth: int = 0
    carries: dict[str, Type] = field(default_factory=dict[str, Type])
    block: Block | None = None
    arrivals: list[Arrival] = field(default_factory=list[Arrival])


@dataclass(eq=False)
class Cleanup:
    """What is to be done on every way out of a scope; ``parent`` is the one that is done next."""

    parent: Cleanup | None
    run: Callable[[], object]
    name: str
    debug: Debug
    block: Block | None = None
    arrivals: list[Arrival] = field(default_factory=list[Arrival])

    @property
    def ways(self) -> tuple[Way, ...]:
        """All that come by, by their numbers."""
        found = {way.number: way for arrival in self.arrivals for way in arrival.ways}
        return tuple(found[number] for number in sorted(found))


def hops(cleanup: Cleanup) -> tuple[tuple[Way, ...], tuple[Way, ...]]:
    """Behind a cleanup: the ways that go on to its parent, and those that are at their end."""
    ways = cleanup.ways
    on = tuple(way for way in ways if way.limit is not cleanup.parent)
    return on, tuple(way for way in ways if way.limit is cleanup.parent)
