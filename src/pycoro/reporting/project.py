"""A project: the distinct coroutines of all its units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycoro._demangle import demangle, demangle_in_text
from pycoro.drawing.model import display_value

__all__ = ["SORTS", "CreationSite", "Entry", "Field", "Project"]


@dataclass(frozen=True, slots=True)
class Field:
    """A frame field of the source, outside of the header.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> [(field.name, field.kind, field.size) for field in entry.fields]
    [('%promise', 'promise', 4), ('%to', 'spill', 4), ('%next', 'spill', 4)]
    """

    name: str
    """Name of the source variable; without debug information, the IR name with ``%``, or ``f(int).frame`` for an elided frame."""
    kind: str
    """``"promise"``, ``"alloca"``, ``"spill"``; see :attr:`pycoro.FrameField.kind`."""
    type: str
    """LLVM type."""
    offset: int
    """Offset in bytes."""
    size: int
    """Size in bytes."""
    line: int
    """Line of the declaration; 0 if unknown."""
    live: int
    """Number of suspends that it is live across."""


@dataclass(frozen=True, slots=True)
class CreationSite:
    """A creation site of the coroutine.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER, "default<O2>")
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> [(site.caller, site.elided, site.reason) for site in entry.creation_sites]
    [('sum', True, 'every path from its creation destroys it')]
    """

    caller: str
    """Source name of the caller."""
    elided: bool
    """True if the frame is elided there."""
    reason: str
    """Proof of the elision, or the obstacle."""
    location: str
    """Creating call, ``"a.cpp:3:5"``; without debug information the block of the obstacle, empty for an unnamed block."""
    obstacle: str = ""
    """Location of the obstacle if it differs, for example in an inlined function."""

    @property
    def explanation(self) -> str:
        """The reason, with the location of the obstacle."""
        return f"{self.reason}, at {self.obstacle}" if self.obstacle else self.reason

    def __str__(self) -> str:
        place = f", {self.location}" if self.location else ""
        return f"{'elided' if self.elided else 'not elided'} in {self.caller}{place}: {self.explanation}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A coroutine of the project. If units have different layouts, it describes the largest frame.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> entry.name, entry.abi, entry.size, entry.lower_bound, entry.units
    ('counter', 'switch', 32, 32, ('a.cpp',))
    """

    name: str
    """Symbol name."""
    shown: str
    """Source name."""
    owner: str
    """Unit with the local symbol; empty for an external one."""
    abi: str
    """``"switch"``, ``"retcon"``, ``"retcon-once"``, ``"async"``, ``"retcon-dynamic"``."""
    file: str
    """File name as passed to the compiler; empty if unknown."""
    line: int
    """Line from 1; 0 if unknown."""
    suspends: int
    """Number of suspend points."""
    size: int
    """Frame size in bytes."""
    align: int
    """Frame alignment in bytes."""
    lower_bound: int
    """Lower bound of the frame size in bytes, over all layouts."""
    fields: tuple[Field, ...]
    """Fields without the header, largest first."""
    units: tuple[str, ...]
    """Sources of the units that define it."""
    differs: bool
    """True if units have different frame sizes."""
    creation_sites: tuple[CreationSite, ...]
    """Creation sites, with their elision results."""

    @property
    def key(self) -> tuple[str, str]:
        """Return the key that identifies it across reports."""
        return self.owner, self.name

    @property
    def slack(self) -> int:
        """Frame bytes above the lower bound."""
        return self.size - self.lower_bound

    @property
    def location(self) -> str:
        """``"a.cpp:3"``; empty if unknown."""
        return f"{self.file}:{self.line}" if self.file else ""

    @property
    def elided(self) -> int:
        """Number of elided creation sites."""
        return sum(site.elided for site in self.creation_sites)

    @property
    def allocating(self) -> int:
        """Number of creation sites that are not elided."""
        return len(self.creation_sites) - self.elided


SORTS: Mapping[str, Callable[[Entry], Any]] = {
    "size": lambda entry: -entry.size,
    "slack": lambda entry: -entry.slack,
    "suspends": lambda entry: -entry.suspends,
    "sites": lambda entry: -entry.allocating,
    "name": lambda entry: entry.shown,
    "location": lambda entry: (entry.file, entry.line),
}
"""Sort orders of a project: frame size, bytes above the lower bound, suspends and unelided creation sites in descending order;
names and locations.
"""


@dataclass(frozen=True, slots=True)
class Project:
    """Coroutines of a project, largest frame first.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> project = reporting.Project.of([reporting.unit(report, source="a.cpp"), reporting.unit(None, source="b.cpp")])
    >>> project.units, project.bytes, [entry.name for entry in project.sorted("name").entries]
    (2, 32, ['counter'])
    """

    entries: tuple[Entry, ...]
    units: int
    """Number of units read."""
    sources: tuple[str, ...] = ()
    """Sources of the units, also of those without coroutines."""

    @property
    def bytes(self) -> int:
        """Sum of the frame sizes, one frame of each coroutine."""
        return sum(entry.size for entry in self.entries)

    def sorted(self, by: str) -> Project:
        """Return the project in one of the orders `SORTS`; ties are broken by size and name."""
        return replace(self, entries=tuple(sorted(self.entries, key=lambda entry: (SORTS[by](entry), *_default_sort_key(entry)))))

    def first(self, most: int | None) -> Project:
        """Return the project with its first ``most`` coroutines; None keeps all."""
        return replace(self, entries=self.entries[:most])

    @classmethod
    def of(cls, units: Sequence[Mapping[str, Any]]) -> Project:
        """Combine units, which :func:`pycoro.reporting.unit` made or files contain."""
        occurrences: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
        sites: dict[tuple[str, str], Counter[CreationSite]] = {}
        folders = {coroutine["directory"] for unit in units for coroutine in unit["coroutines"]} - {""}
        for unit in units:
            local = {coroutine["name"] for coroutine in unit["coroutines"] if coroutine["is_local"]}
            owner = _source_of_unit_or_output_if_no_file(unit)
            for coroutine in unit["coroutines"]:
                key = (owner if coroutine["is_local"] else "", coroutine["name"])
                occurrences.setdefault(key, []).append((unit["source"], coroutine))
            for name, found in _creation_sites_by_callee(unit["elisions"], folders).items():
                key = (owner if name in local else "", name)
                sites[key] = sites.get(key, Counter()) | found  # several units report the same creation site in an inline function
        for unit in units:
            for name, found in _calls_of_coroutines_in_other_units(unit, occurrences, folders).items():
                sites["", name] = sites.get(("", name), Counter()) | found
        entries = (_make_entry(key, each, sites.get(key, Counter())) for key, each in occurrences.items())
        sources = tuple(sorted({_source_of_unit_or_output_if_no_file(unit) for unit in units}))
        return cls(tuple(sorted(entries, key=_default_sort_key)), len(units), sources)


def _default_sort_key(entry: Entry) -> tuple[int, str, str, str]:
    return -entry.size, entry.shown, entry.name, entry.owner


def _source_of_unit_or_output_if_no_file(unit: Mapping[str, Any]) -> str:
    """Return the key of a unit's local names: its source, which a build may compile several times; the output if it is no file."""
    source: str = unit["source"]
    output: str = unit["output"]
    return output or source if source.startswith("<") else source


def _relative_location(location: str, folders: Collection[str]) -> str:
    """Return a location relative to the compiler's directory, as those of coroutines are."""
    inside = max((folder for folder in folders if location.startswith(f"{folder}/")), key=len, default="")
    return location[len(inside) + 1 :] if inside else location


def _creation_sites_by_callee(elisions: Iterable[Mapping[str, Any]], folders: Collection[str]) -> dict[str, Counter[CreationSite]]:
    found: dict[str, Counter[CreationSite]] = {}
    for elision in elisions:
        place, creation = (_relative_location(elision[key], folders) for key in ("location", "creation"))
        obstacle = "" if elision["elided"] or creation in ("", place) else place
        reason = demangle_in_text(elision["reason"])
        site = CreationSite(demangle(elision["caller"]), elision["elided"], reason, creation or place, obstacle)
        found.setdefault(elision["callee"], Counter())[site] += 1
    return found


def _calls_of_coroutines_in_other_units(
    unit: Mapping[str, Any],
    occurrences: Mapping[tuple[str, str], Sequence[tuple[str, Mapping[str, Any]]]],
    folders: Collection[str],
) -> dict[str, Counter[CreationSite]]:
    """Return the calls of coroutines whose bodies are in other units only. Those that elision analyzed, with an imported summary,
    are in the list of elisions.
    """
    analyzed = {elision["callee"] for elision in unit["elisions"]}
    found: dict[str, Counter[CreationSite]] = {}
    for call in unit["external_calls"]:
        name = call["callee"]
        if name in analyzed or ("", name) not in occurrences:
            continue
        owner = min(source for source, _ in occurrences["", name])
        reason = f"its body is in another unit, {owner}; define it in a header, or link the units' IR with `pycoro link`"
        site = CreationSite(demangle(call["caller"]), False, reason, _relative_location(call["location"], folders))
        found.setdefault(name, Counter())[site] += 1
    return found


def _make_field(field: Mapping[str, Any]) -> Field:
    name = field["variable"] or display_value(field["name"])
    return Field(name, field["kind"], field["type"], field["offset"], field["size"], field["line"], field["live"])


_SOURCE = ("promise", "alloca", "spill")


def _make_entry(key: tuple[str, str], occurrences: Sequence[tuple[str, Mapping[str, Any]]], sites: Counter[CreationSite]) -> Entry:
    _, largest = max(occurrences, key=lambda each: each[1]["frame"]["size"])
    fields = [_make_field(field) for field in largest["fields"] if field["kind"] in _SOURCE]
    frame = largest["frame"]
    return Entry(
        name=key[1],
        shown=largest["shown"],
        owner=key[0],
        abi=largest["abi"],
        file=largest["file"],
        line=largest["line"],
        suspends=largest["suspends"],
        size=frame["size"],
        align=frame["align"],
        lower_bound=frame["lower_bound"],
        fields=tuple(sorted(fields, key=lambda field: (-field.size, field.offset))),
        units=tuple(sorted({source for source, _ in occurrences})),
        differs=len({coroutine["frame"]["size"] for _, coroutine in occurrences}) > 1,
        creation_sites=tuple(sorted(sites.elements(), key=lambda site: (site.elided, site.location, site.caller, site.reason))),
    )
