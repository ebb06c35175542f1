"""Source locations from debug information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pycoro._core import _Location as _CoreLocation

__all__ = ["SourceLocation"]


class SourceLocation(NamedTuple):
    """Source location. Plain data, never stale.

    >>> place = pycoro.ir.SourceLocation(7, 3, "squares", "squares.u", "/src", None)
    >>> print(place)
    squares.u:7:3
    """

    line: int
    """Line from 1; 0 if the compiler assigned none."""
    column: int
    """Column from 1; 0 for the whole line."""
    function: str
    """Name of the source function; empty if unknown."""
    file: str
    """File name as passed to the compiler."""
    directory: str
    """Directory that ``file`` is relative to; empty if unknown."""
    inlined_at: SourceLocation | None
    """Location of the inlined call; ``None`` if not inlined."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


def source_location_from_core(core_place: _CoreLocation | None) -> SourceLocation | None:
    """Convert a location from the core, with inlined calls innermost first."""
    chain: list[_CoreLocation] = []
    while core_place is not None:
        chain.append(core_place)
        core_place = core_place[5]
    place = None
    for line, column, function, file, directory, _ in reversed(chain):
        place = SourceLocation(line, column, function, file, directory, place)
    return place


def source_location_from_data(source: dict[str, Any], function: str) -> SourceLocation | None:
    """Convert the location of a function, variable or suspend from the core; ``None`` without a file."""
    if not source["file"]:
        return None
    return SourceLocation(source["line"], source["column"], function, source["file"], source["directory"], None)
