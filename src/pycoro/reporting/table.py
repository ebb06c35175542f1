"""Export a project and its changes as JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pycoro._escape import printable
from pycoro._typecheck import takes
from pycoro.reporting.compare import Change, check_changes
from pycoro.reporting.project import Entry, Project

__all__ = ["changes_csv", "changes_json", "project_csv", "project_json"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _entry_row(entry: Entry) -> dict[str, Any]:
    return {**asdict(entry), "slack": entry.slack, "elided": entry.elided}


@takes(project=Project)
def project_json(project: Project) -> dict[str, Any]:
    """Return the distinct coroutines, with the members of :class:`Entry` as keys.

    >>> from pycoro import reporting
    >>> project = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> reporting.project_json(project)["coroutines"][0]["size"]
    32
    """
    return {"units": project.units, "bytes": project.bytes, "coroutines": [_entry_row(entry) for entry in project.entries]}


def _change_row(change: Change) -> dict[str, Any]:
    entry = change.entry
    return {
        "kind": change.kind,
        "name": entry.name,
        "shown": entry.shown,
        "owner": entry.owner,
        "file": entry.file,
        "line": entry.line,
        "old": None if change.old is None else change.old.size,
        "new": None if change.new is None else change.new.size,
        "bytes": change.bytes,
        "percent": change.percent,
        "lost": change.lost,
    }


def changes_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return a dict for each coroutine of the two projects.

    >>> from pycoro import reporting
    >>> old = reporting.Project.of([reporting.unit(None, source="a.cpp")])
    >>> new = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> [(change["name"], change["kind"]) for change in reporting.changes_json(reporting.compare(old, new))]
    [('counter', 'new')]
    """
    check_changes(changes)
    return [{**_change_row(change), "fields": dict(change.fields)} for change in changes]


def _csv_cell(value: object) -> object:
    """Return a cell that spreadsheets read as text: a leading quote disables formulas."""
    text = printable(value) if isinstance(value, str) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA) else text


def _csv_text(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column]) for column in columns] for row in rows)
    return out.getvalue()


_COLUMNS = [
    "size",
    "lower_bound",
    "slack",
    "align",
    "suspends",
    "creation_sites",
    "elided",
    "shown",
    "name",
    "owner",
    "file",
    "line",
    "abi",
    "units",
    "largest",
]


@takes(project=Project)
def project_csv(project: Project) -> str:
    """Return a row for each coroutine; ``largest`` is the name and size of its largest field.

    >>> from pycoro import reporting
    >>> project = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> print(reporting.project_csv(project).splitlines()[0])
    size,lower_bound,slack,align,suspends,creation_sites,elided,shown,name,owner,file,line,abi,units,largest
    """
    rows: list[dict[str, Any]] = []
    for entry in project.entries:
        largest = next((f"{field.name} ({field.size})" for field in entry.fields), "")
        creation_sites, units = len(entry.creation_sites), " ".join(entry.units)
        rows.append({**_entry_row(entry), "creation_sites": creation_sites, "units": units, "largest": largest})
    return _csv_text(_COLUMNS, rows)


def changes_csv(changes: Sequence[Change]) -> str:
    """Return a row for each coroutine of the two projects.

    >>> from pycoro import reporting
    >>> old = reporting.Project.of([reporting.unit(None, source="a.cpp")])
    >>> new = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> print(reporting.changes_csv(reporting.compare(old, new)).splitlines()[0])
    kind,old,new,bytes,percent,lost,shown,name,owner,file,line
    """
    check_changes(changes)
    return _csv_text(
        ["kind", "old", "new", "bytes", "percent", "lost", "shown", "name", "owner", "file", "line"],
        [_change_row(change) for change in changes],
    )
