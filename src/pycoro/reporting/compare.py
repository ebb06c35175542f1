"""Compare two reports of a project: added, removed, grown and shrunk frames; and limits for a project."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from pycoro._typecheck import check_items, takes
from pycoro.reporting.project import Entry, Project

__all__ = ["Budget", "Change", "Growth", "Kind", "compare", "missing_units", "over_budget", "over_growth"]

Kind: TypeAlias = Literal["new", "grew", "same", "shrank", "gone"]
"""Change of a coroutine's frame."""


@dataclass(frozen=True, slots=True)
class Change:
    """A coroutine in two reports.

    >>> from pycoro import reporting
    >>> before, after = pycoro.examples.COUNTER, pycoro.examples.COUNTER.replace("alloca i32", "alloca i128")
    >>> old, new = (reporting.Project.of([reporting.unit(pycoro.lower(ir), source="a.cpp")]) for ir in (before, after))
    >>> [change] = reporting.compare(old, new)
    >>> change.entry.name, change.kind, change.bytes, change.percent
    ('counter', 'grew', 8, 25.0)
    """

    old: Entry | None
    """None if it is new."""
    new: Entry | None
    """None if it was removed."""

    @property
    def entry(self) -> Entry:
        """Return the new entry, or the old one of a removed coroutine."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def bytes(self) -> int:
        """Growth of the frame in bytes."""
        return (self.new.size if self.new else 0) - (self.old.size if self.old else 0)

    @property
    def kind(self) -> Kind:
        """Return the kind of change of the frame."""
        if self.old is None or self.new is None:
            return "gone" if self.new is None else "new"
        return "grew" if self.bytes > 0 else "shrank" if self.bytes < 0 else "same"

    @property
    def percent(self) -> float | None:
        """Growth of the frame in percent; None without an old frame."""
        return 100 * self.bytes / self.old.size if self.old and self.old.size else None

    @property
    def lost(self) -> bool:
        """True if fewer of its creation sites are elided, and more allocate."""
        return bool(self.old and self.new and self.new.elided < self.old.elided and self.new_allocations > 0)

    @property
    def new_allocations(self) -> int:
        """Growth of the number of creation sites that are not elided; a new coroutine had none."""
        return (self.new.allocating if self.new else 0) - (self.old.allocating if self.old else 0)

    @property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """Return the growth of each field in bytes, largest first. Fields of equal name are summed."""
        sizes: Counter[str] = Counter()
        for entry, sign in ((self.new, 1), (self.old, -1)):
            for field in entry.fields if entry else ():
                sizes[field.name] += sign * field.size
        changed = ((name, size) for name, size in sizes.items() if size)
        return tuple(sorted(changed, key=lambda each: (-abs(each[1]), each[0])))


_ORDER: Sequence[Kind] = ("grew", "new", "shrank", "gone", "same")


@takes(old=Project, new=Project)
def compare(old: Project, new: Project) -> tuple[Change, ...]:
    """Return every coroutine of both projects, largest growth first.

    >>> from pycoro import reporting
    >>> old = reporting.Project.of([reporting.unit(None, source="a.cpp")])
    >>> new = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> [(change.entry.name, change.kind, change.bytes) for change in reporting.compare(old, new)]
    [('counter', 'new', 32)]
    """
    before, after = ({entry.key: entry for entry in project.entries} for project in (old, new))
    for key, was in _take_moved_pairs_new_old(sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())):
        before[key] = before.pop(was)
    changes = [Change(before.get(key), after.get(key)) for key in {**before, **after}]
    return tuple(sorted(changes, key=lambda c: (_ORDER.index(c.kind), -abs(c.bytes), c.entry.shown, c.entry.key)))


@takes(old=Project, new=Project)
def missing_units(old: Project, new: Project) -> list[str]:
    """Return the sources of the old project that have no unit in the new one, not even in another directory.

    >>> from pycoro import reporting
    >>> old, new = (reporting.Project.of([reporting.unit(None, source=s) for s in names]) for names in ("ab", "bc"))
    >>> reporting.missing_units(old, new)
    ['a']
    """
    gone, added = ([(name, "") for name in sorted({*a.sources} - {*b.sources})] for a, b in ((old, new), (new, old)))
    matched = {was for _, was in _take_moved_pairs_new_old(list(gone), added)}
    return [key[0] for key in gone if key not in matched]


def _take_moved_pairs_new_old(
    gone: list[tuple[str, str]], new: list[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Match unit-local coroutines of the same unit in different directories, as in two checkouts, and then lambdas with another
    number; yields the new and the old key.
    """
    names: Sequence[Callable[[str], str]] = (str, _without_lambda_number)
    for name, key in itertools.product(names, new):
        same_name = [was for was in reversed(gone) if was[0] and name(was[1]) == name(key[1])]
        alike = {_count_equal_last_path_components(key[0], was[0]): was for was in same_name}
        if key[0] and key in new and max(alike, default=0):
            new.remove(key)
            gone.remove(alike[max(alike)])
            yield key, alike[max(alike)]


def _without_lambda_number(symbol: str) -> str:
    return re.sub(r"\d\$_\d+", "$_", symbol)


def _count_equal_last_path_components(one: str, other: str) -> int:
    """Return the number of equal path components at the end."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(frozen=True, slots=True)
class Budget:
    """Maximum frame size in bytes, for coroutines that match a pattern.

    >>> from pycoro import reporting
    >>> report = pycoro.lower(pycoro.examples.COUNTER)
    >>> project = reporting.Project.of([reporting.unit(report, source="a.cpp")])
    >>> budgets = [reporting.Budget(1000), reporting.Budget(24, "count*")]
    >>> [(entry.name, entry.size, budget.bytes) for entry, budget in reporting.over_budget(project, budgets)]
    [('counter', 32, 24)]
    """

    bytes: int
    pattern: str = "*"
    """Source name or symbol, or a pattern of them with the shell wildcards ``*``, ``?`` and ``[...]``."""

    def matches(self, entry: Entry) -> bool:
        """Return True if the pattern matches the coroutine."""
        return any(name == self.pattern or fnmatchcase(name, self.pattern) for name in (entry.shown, entry.name))


@takes(project=Project)
def over_budget(project: Project, budgets: Sequence[Budget]) -> Iterator[tuple[Entry, Budget]]:
    """Return the coroutines with frames larger than the last budget that matches them.

    >>> from pycoro import reporting
    >>> project = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> [(entry.name, entry.size) for entry, budget in reporting.over_budget(project, [reporting.Budget(24)])]
    [('counter', 32)]
    """
    check_items("budgets must be a sequence of Budget objects", budgets, Budget)
    last_first = list(reversed(budgets))
    matching = ((entry, next((budget for budget in last_first if budget.matches(entry)), None)) for entry in project.entries)
    return ((entry, budget) for entry, budget in matching if budget is not None and entry.size > budget.bytes)


@dataclass(frozen=True, slots=True)
class Growth:
    """Maximum growth of a frame between two reports.

    >>> from pycoro import reporting
    >>> before, after = pycoro.examples.COUNTER, pycoro.examples.COUNTER.replace("alloca i32", "alloca i128")
    >>> old, new = (reporting.Project.of([reporting.unit(pycoro.lower(ir), source="a.cpp")]) for ir in (before, after))
    >>> [change] = reporting.compare(old, new)
    >>> reporting.Growth(10, percent=True).allows(change), reporting.Growth(64, percent=False).allows(change)
    (False, True)
    """

    amount: float
    percent: bool
    """True if the amount is a percentage of the old size, False if it is in bytes."""

    def __str__(self) -> str:
        return f"{self.amount:g}{'%' if self.percent else ' bytes'}"

    def allows(self, change: Change) -> bool:
        """Return True if the growth is within the limit. New frames always are; use a budget for them."""
        if change.kind != "grew" or change.old is None:
            return True
        return change.bytes <= (self.amount * change.old.size / 100 if self.percent else self.amount)


def check_changes(changes: object) -> None:
    """Raise ``TypeError`` unless the value is a sequence of changes."""
    check_items("changes must be a sequence of Change objects, as reporting.compare returns", changes, Change)


@takes(growth=Growth)
def over_growth(changes: Sequence[Change], growth: Growth) -> list[Change]:
    """Return the coroutines with larger growth.

    >>> from pycoro import reporting
    >>> before, after = pycoro.examples.COUNTER, pycoro.examples.COUNTER.replace("alloca i32", "alloca i128")
    >>> old, new = (reporting.Project.of([reporting.unit(pycoro.lower(ir), source="a.cpp")]) for ir in (before, after))
    >>> growth = reporting.Growth(10, percent=True)
    >>> [(change.entry.name, change.bytes) for change in reporting.over_growth(reporting.compare(old, new), growth)]
    [('counter', 8)]
    """
    check_changes(changes)
    return [change for change in changes if not growth.allows(change)]
