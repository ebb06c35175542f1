"""Places in a source, by debug information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pycoro._core import _Place as _Told

__all__ = ["Place"]


class Place(NamedTuple):
    """Where in a source something is from. Plain data, which is never stale.

    >>> place = pycoro.ir.Place(7, 3, "squares", "squares.u", "/src", None)
    >>> print(place)
    squares.u:7:3
    """

    line: int
    """From 1 on; 0 where the compiler has no line for it."""
    column: int
    """From 1 on; 0: the whole line."""
    function: str
    """The name of the source's function; empty where there is none."""
    file: str
    """As the compiler was given it."""
    directory: str
    """What ``file`` is relative to; empty where there is none."""
    inlined_at: Place | None
    """Of the call that was inlined, whose function this is from; ``None`` where none was."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


def place_of(told: _Told | None) -> Place | None:
    """From what the core tells of it, inlined calls innermost first."""
    chain: list[_Told] = []
    while told is not None:
        chain.append(told)
        told = told[5]
    place = None
    for line, column, function, file, directory, _ in reversed(chain):
        place = Place(line, column, function, file, directory, place)
    return place


def place_in(source: dict[str, Any], function: str) -> Place | None:
    """From what the core tells of the source of a function, a variable or a suspend; ``None`` where it knows no file."""
    if not source["file"]:
        return None
    return Place(source["line"], source["column"], function, source["file"], source["directory"], None)
