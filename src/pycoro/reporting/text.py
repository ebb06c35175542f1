"""Format a project and its changes as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pycoro._escape import printable
from pycoro._typecheck import takes
from pycoro.reporting.compare import Change, check_changes
from pycoro.reporting.project import Entry, Project
from pycoro.view import format_count

__all__ = ["changes_text", "elided_count_text", "entry_title", "project_text"]


def entry_title(entry: Entry) -> str:
    """Return ``"steps(int) steps.cpp:7"``, with the unit of a local coroutine."""
    owner = f"local to {entry.owner}" if entry.owner and not entry.location else ""
    return printable("  ".join(filter(None, (entry.shown, entry.location, owner))))


def elided_count_text(entry: Entry) -> str:
    """Return ``"1 of 2"``, the elided ones of the creation sites; ``"-"`` without a creation site."""
    return f"{entry.elided} of {len(entry.creation_sites)}" if entry.creation_sites else "-"


def _text_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return right-aligned columns; the last one is left-aligned and unbounded."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head) - 1)]
    return ["  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]) for line in lines]


def _entry_details(entry: Entry, fields: int) -> list[str]:
    lines = [
        f"{field.size:8} {field.name}  {field.kind} {field.type}" + (f", line {field.line}" if field.line else "")
        for field in entry.fields[:fields]
        if field.size
    ]
    left = len(entry.fields) - fields
    if left > 0:
        lines.append(f"{sum(field.size for field in entry.fields[fields:]):8} in {format_count(left, 'more field')}")
    if entry.differs:
        lines.append("its frame is smaller in some units: they were compiled differently")
    return [printable(line) for line in lines + [str(site) for site in entry.creation_sites if not site.elided]]


@takes(project=Project)
def project_text(project: Project, *, most: int | None = None, fields: int = 3) -> str:
    """Return a line for each coroutine, its largest fields, and its unelided creation sites with the reason.

    >>> from pycoro import reporting
    >>> project = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> print(reporting.project_text(project), end="")
    bytes  bound  suspends  elided  coroutine
       32     32         2       -  counter
                                             4 %promise  promise i32
                                             4 %to  spill i32
                                             4 %next  spill i32
    1 coroutine in 1 unit, frames of 32 bytes
    """
    shown = project.entries[:most]
    head = ("bytes", "bound", "suspends", "elided", "coroutine")
    rows = [(str(e.size), str(e.lower_bound), str(e.suspends), elided_count_text(e), entry_title(e)) for e in shown]
    first, *table = _text_table(head, rows)
    indent = " " * (len(first) - len(head[-1]))
    lines = [first]
    for row, entry in zip(table, shown, strict=True):
        lines.append(row)
        lines += [f"{indent}  {line}" for line in _entry_details(entry, fields)]
    left = len(project.entries) - len(shown)
    coroutines, units = format_count(len(project.entries), "coroutine"), format_count(project.units, "unit")
    total = f"{coroutines} in {units}, frames of {project.bytes} bytes"
    return "\n".join([*lines, *([f"... and {left} more"] if left else []), total]) + "\n"


def _change_cells(change: Change) -> tuple[str, str, str, str, str]:
    old = "-" if change.old is None else str(change.old.size)
    new = "-" if change.new is None else str(change.new.size)
    percent = "" if change.percent is None or change.kind == "gone" else f" ({change.percent:+.1f}%)"
    return change.kind, old, new, f"{change.bytes:+}{percent}", entry_title(change.entry)


def changes_text(changes: Sequence[Change], *, most: int | None = None, fields: int = 3) -> str:
    """Return a line for each new, removed, grown or shrunk frame, the fields that caused it, and creation sites that lost their
    elision.

    >>> from pycoro import reporting
    >>> old = reporting.Project.of([reporting.unit(None, source="a.cpp")])
    >>> new = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> print(reporting.changes_text(reporting.compare(old, new)), end="")
         old  new  change  coroutine
    new    -   32     +32  counter
    0 frames as before; all frames together: +32 bytes
    """
    check_changes(changes)
    shown = [change for change in changes if change.kind != "same" or change.lost]
    first, *table = _text_table(("", "old", "new", "change", "coroutine"), [_change_cells(change) for change in shown[:most]])
    indent = " " * (len(first) - len("coroutine"))
    lines = [first] if table else []
    for row, change in zip(table, shown, strict=False):
        lines.append(row)
        if change.old and change.new:
            lines += [printable(f"{indent}  {size:+8} {name}") for name, size in change.fields[:fields]]
        if change.old and change.new and change.lost:
            lines.append(f"{indent}  elided in {elided_count_text(change.old)} before, in {elided_count_text(change.new)} now")
            lines += [printable(f"{indent}  {site}") for site in change.new.creation_sites if not site.elided]
    left = len(shown) - len(table)
    same = sum(change.kind == "same" for change in changes)
    total = sum(change.bytes for change in changes)
    lines += [f"... and {left} more"] if left else []
    return "\n".join([*lines, f"{format_count(same, 'frame')} as before; all frames together: {total:+} bytes"]) + "\n"
