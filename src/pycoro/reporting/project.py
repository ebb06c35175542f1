"""A project: the coroutines of all its units, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycoro._demangle import demangle

__all__ = ["SORTS", "Entry", "Field", "Project", "Start"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a frame that belongs to the source: none of the header.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> [(field.name, field.kind, field.size) for field in entry.fields]
    [('%promise', 'promise', 4), ('%to', 'spill', 4), ('%next', 'spill', 4)]
    """

    name: str
    """Of the source's variable; where debug information has none, IR's name behind a ``%``."""
    kind: str
    """``"promise"``, ``"alloca"``, ``"spill"``; see :attr:`pycoro.FrameField.kind`."""
    type: str
    """LLVM's."""
    offset: int
    """In bytes."""
    size: int
    """In bytes."""
    line: int
    """Where the variable is declared; 0 where that is not known."""
    live: int
    """How many suspends it must survive."""


@dataclass(frozen=True, slots=True)
class Start:
    """A place that starts the coroutine.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER, "default<O2>")
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> [(start.caller, start.done, start.reason) for start in entry.starts]
    [('sum', True, 'every way on from its start destroys it')]
    """

    caller: str
    """As the source has it."""
    done: bool
    """Whether the frame is never allocated there."""
    reason: str
    """The proof, or what stands in its way."""
    place: str
    """``"a.cpp:3:5"``, or the block."""

    def __str__(self) -> str:
        return f"{'elided' if self.done else 'not elided'} in {self.caller}, {self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A coroutine of the project. Where units have laid it out differently, as the one says whose frame is largest.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> [entry] = reporting.Project.of([reporting.unit(report, source="a.cpp")]).entries
    >>> entry.name, entry.abi, entry.size, entry.lower_bound, entry.units
    ('counter', 'switch', 32, 32, ('a.cpp',))
    """

    name: str
    """The symbol."""
    shown: str
    """As the source has it."""
    owner: str
    """The unit that alone can name it; empty for what all share."""
    abi: str
    """``"switch"``, ``"retcon"``, ``"retcon-once"``, ``"async"``."""
    file: str
    """As the compiler was given it; empty where that is not known."""
    line: int
    """From 1; 0 where it is not known."""
    suspends: int
    """How many suspend points there are."""
    size: int
    """Of the frame, in bytes."""
    align: int
    """Of the frame, in bytes."""
    lower_bound: int
    """Bytes that no layout of the frame can go below."""
    fields: tuple[Field, ...]
    """Without the header, the largest first."""
    units: tuple[str, ...]
    """The sources of the units that have it."""
    differs: bool
    """Whether units disagree about the size of its frame."""
    starts: tuple[Start, ...]
    """What elision found where it is started."""

    @property
    def key(self) -> tuple[str, str]:
        """What it is known by in the next report."""
        return self.owner, self.name

    @property
    def slack(self) -> int:
        """Bytes of the frame above its lower bound."""
        return self.size - self.lower_bound

    @property
    def place(self) -> str:
        """``"a.cpp:3"``; empty where it is not known."""
        return f"{self.file}:{self.line}" if self.file else ""

    @property
    def elided(self) -> int:
        """How many of its starts allocate nothing."""
        return sum(start.done for start in self.starts)


SORTS: Mapping[str, Callable[[Entry], Any]] = {
    "size": lambda entry: -entry.size,
    "slack": lambda entry: -entry.slack,
    "suspends": lambda entry: -entry.suspends,
    "starts": lambda entry: entry.elided - len(entry.starts),
    "name": lambda entry: entry.shown,
    "place": lambda entry: (entry.file, entry.line),
}
"""What a project can be sorted by: frames, bytes above the lower bound, suspends, starts that are not elided, the largest
first; names and places."""


@dataclass(frozen=True, slots=True)
class Project:
    """The coroutines of a project, the largest frame first.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> project = reporting.Project.of([reporting.unit(report, source="a.cpp"), reporting.unit(None, source="b.cpp")])
    >>> project.units, project.bytes, [entry.name for entry in project.sorted("name").entries]
    (2, 32, ['counter'])
    """

    entries: tuple[Entry, ...]
    units: int
    """How many were read."""

    @property
    def bytes(self) -> int:
        """Of one frame of each."""
        return sum(entry.size for entry in self.entries)

    def sorted(self, by: str) -> Project:
        """In the order of one of `SORTS`; those that are equal in it by size and name."""
        return replace(self, entries=tuple(sorted(self.entries, key=lambda entry: (SORTS[by](entry), *_standard(entry)))))

    def first(self, most: int | None) -> Project:
        """Only so many of them; all where it is None."""
        return replace(self, entries=self.entries[:most])

    @classmethod
    def of(cls, units: Sequence[Mapping[str, Any]]) -> Project:
        """From what :func:`pycoro.reporting.unit` has made, or files of it hold."""
        told: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
        starts: dict[tuple[str, str], Counter[Start]] = {}
        for unit in units:
            local = {coroutine["name"] for coroutine in unit["coroutines"] if coroutine["local"]}
            owner = _owner(unit)
            for coroutine in unit["coroutines"]:
                key = (owner if coroutine["local"] else "", coroutine["name"])
                told.setdefault(key, []).append((unit["source"], coroutine))
            for name, found in _starts(unit["elisions"]).items():
                key = (owner if name in local else "", name)
                starts[key] = starts.get(key, Counter()) | found  # the same start of an inline function is told of by many units
        entries = (_entry(key, each, starts.get(key, Counter())) for key, each in told.items())
        return cls(tuple(sorted(entries, key=_standard)), len(units))


def _standard(entry: Entry) -> tuple[int, str, str, str]:
    return -entry.size, entry.shown, entry.name, entry.owner


def _owner(unit: Mapping[str, Any]) -> str:
    """What tells a unit's local names from those of others: its source, which a build may compile several times."""
    source: str = unit["source"]
    output: str = unit["output"]
    return output or source if source.startswith("<") else source


def _starts(elisions: Iterable[Mapping[str, Any]]) -> dict[str, Counter[Start]]:
    found: dict[str, Counter[Start]] = {}
    for told in elisions:
        start = Start(demangle(told["caller"]), told["done"], told["reason"], told["place"])
        found.setdefault(told["callee"], Counter())[start] += 1
    return found


def _field(field: Mapping[str, Any]) -> Field:
    name = field["variable"] or f"%{field['name']}"
    return Field(name, field["kind"], field["type"], field["offset"], field["size"], field["line"], field["live"])


_SOURCE = ("promise", "alloca", "spill")


def _entry(key: tuple[str, str], told: Sequence[tuple[str, Mapping[str, Any]]], starts: Counter[Start]) -> Entry:
    _, largest = max(told, key=lambda each: each[1]["frame"]["size"])
    fields = [_field(field) for field in largest["fields"] if field["kind"] in _SOURCE]
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
        units=tuple(sorted({source for source, _ in told})),
        differs=len({coroutine["frame"]["size"] for _, coroutine in told}) > 1,
        starts=tuple(sorted(starts.elements(), key=lambda start: (start.done, start.place, start.caller, start.reason))),
    )
