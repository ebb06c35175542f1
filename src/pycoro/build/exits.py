"""Plain data of scope exits: the cleanups on an exit, its target, and its incoming edges.

A cleanup is built once for all exits: the end of its scope, `break`, return, an exception, or destruction. Each exit has a
number. If several exits share a cleanup, a phi selects the number, and a switch after the cleanup branches on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pycoro.ir.block import Block
from pycoro.ir.insertion_point import Debug
from pycoro.ir.types import Type
from pycoro.ir.value import Value

__all__ = ["Cleanup", "Exit", "ExitEdge", "exits_continuing_and_ending_after"]


@dataclass(eq=False)
class ExitEdge:
    """Edge from a block along one of several exits, with the carried values. ``number`` is the exit's number if it is only known
    at run time."""

    block: Block
    exits: tuple[Exit, ...]
    number: Value | None
    carried: Mapping[str, Value]


@dataclass(eq=False)
class Exit:
    """Exit through all cleanups inside ``limit``, or through all if None. ``carries`` are the types of its carried values by name.
    ``ends`` tells whether it ends the function. ``depth`` is the number of enclosing cleanups under construction, which it must
    not leave."""

    number: int
    name: str
    limit: Cleanup | None
    ends: bool = False
    depth: int = 0
    carries: dict[str, Type] = field(default_factory=dict[str, Type])
    block: Block | None = None
    edges: list[ExitEdge] = field(default_factory=list[ExitEdge])


@dataclass(eq=False)
class Cleanup:
    """Deferred cleanup; ``parent`` is the next one to run."""

    parent: Cleanup | None
    run: Callable[[], object]
    name: str
    debug: Debug
    block: Block | None = None
    edges: list[ExitEdge] = field(default_factory=list[ExitEdge])

    @property
    def exits(self) -> tuple[Exit, ...]:
        """Exits through this cleanup, by number."""
        found = {exit.number: exit for edge in self.edges for exit in edge.exits}
        return tuple(found[number] for number in sorted(found))


def exits_continuing_and_ending_after(cleanup: Cleanup) -> tuple[tuple[Exit, ...], tuple[Exit, ...]]:
    """Split the exits of a cleanup into those that continue to its parent and those that end after it."""
    exits = cleanup.exits
    on = tuple(exit for exit in exits if exit.limit is not cleanup.parent)
    return on, tuple(exit for exit in exits if exit.limit is cleanup.parent)
