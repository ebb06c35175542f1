"""Tables of coroutines, reports and differences as text and HTML, from rows of plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro.drawing.model import display_name
from pycoro.drawing.svg import escape
from pycoro.drawing.text import PASS_WIDTH, shorten, table
from pycoro.drawing.views import coroutine_html, scroll

if TYPE_CHECKING:
    from pycoro.fuzz import Results
    from pycoro.oracle.trace import Event, Verdict

ROWS = 400
"""Maximum number of rows of an HTML table; more would slow down notebooks."""
HEADS = {
    "name": "coroutine",
    "abi": "ABI",
    "suspends": "suspends",
    "frame_size": "frame bytes",
    "lower_bound": "lower bound",
    "fields": "fields",
    "blocks": "blocks",
}


def _row_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of a row; a rejected coroutine has the reason next to its name."""
    if "rejected" in row:
        return [display_name(row["name"]), printable(f"rejected: {row['rejected']}"), *[""] * (len(HEADS) - 2)]
    return [display_name(row["name"]), printable(row["abi"]), *(str(row[key]) for key in list(HEADS)[2:])]


def coroutines_text(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "no coroutines"
    return "\n".join(table(list(HEADS.values()), [_row_cells(row) for row in rows], numeric=range(2, len(HEADS)), flexible=(0, 1)))


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], first_numeric_column: int) -> str:
    """Return a table whose columns from `first_numeric_column` on are right-aligned."""

    def cells_of_row(tag: str, cells: Sequence[str]) -> str:
        sides = ("right" if at >= first_numeric_column else "left" for at in range(len(cells)))
        return "".join(f'<{tag} style="text-align:{side}">{escape(c)}</{tag}>' for side, c in zip(sides, cells, strict=True))

    body = "".join(f"<tr>{cells_of_row('td', row)}</tr>" for row in rows[:ROWS])
    note = f"<p>… {len(rows) - ROWS} more</p>" if len(rows) > ROWS else ""
    content = f"<thead><tr>{cells_of_row('th', heads)}</tr></thead><tbody>{body}</tbody>"
    return scroll(
        f'<table cellpadding="4" style="margin:8px 0;border-collapse:separate;border-spacing:8px 0">{content}</table>{note}'
    )


def coroutines_html(rows: Sequence[Mapping[str, Any]]) -> str:
    return _html_table(list(HEADS.values()), [_row_cells(row) for row in rows], 2) if rows else "<p>no coroutines</p>"


def module_html(module: Any) -> str:
    """Return a module's `repr` and its coroutines; for a closed one only the `repr`."""
    head = f"<p>{escape(repr(module))}</p>"
    return head if module.is_closed else head + coroutines_html(module.coroutines.rows())


def page(title: str, rows: Sequence[Mapping[str, Any]], coroutines: Iterable[Any]) -> str:
    """Return an HTML document with a table of the coroutines, then each with its pictures. It has light and dark styles and no
    external resources."""
    parts = [f"<h2><code>{escape(display_name(c.name))}</code></h2>{coroutine_html(c)}" for c in coroutines]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        "<style>body{font-family:system-ui,sans-serif;margin:1rem}th,td{padding:.15rem .6rem}"
        "table{border-collapse:collapse}tr+tr td{border-top:1px solid #8886}</style></head>"
        f"<body><h1>{escape(title)}</h1>{coroutines_html(rows)}{''.join(parts)}</body></html>\n"
    )


CHANGED = {True: "yes", False: "no", None: "unknown"}


def report_html(report: Any) -> str:
    """Return the passes with times and changes, the coroutines, and the remarks."""
    steps = [
        [shorten(step.name, PASS_WIDTH), step.target, CHANGED[step.changed], f"{step.seconds * 1000:.3f}"] for step in report.steps
    ]
    shown = [[printable(cell) for cell in row] for row in steps]
    parts = [f"<p>{escape(repr(report)[1:-1])}</p>", _html_table(["pass", "on", "changed", "ms"], shown, 3)]
    if report.coroutines:
        parts.append(coroutines_html([coroutine.row() for coroutine in report.coroutines.values()]))
    remarks = [[display_name(r.function), r.pass_name, printable(r.message)] for r in report.remarks]
    if remarks:
        parts.append(f"<details><summary>Remarks</summary>{_html_table(['function', 'pass', 'remark'], remarks, 3)}</details>")
    warnings = "".join(f"<p>{escape(printable(str(warning)))}</p>" for warning in report.warnings)
    return "".join(parts) + warnings


EVENTS = 4
"""Number of events shown before and after the first difference."""


def verdict_html(verdict: Verdict) -> str:
    """Return the difference, and the events of both sides around it."""
    pairs: list[tuple[Event | None, Event | None]] = list(zip_longest(verdict.ours.events, verdict.theirs.events))
    first = next((number for number, (ours, theirs) in enumerate(pairs) if ours != theirs), 0) if verdict.difference else 0
    shown = list(enumerate(pairs))[max(first - EVENTS, 0) : first + EVENTS + 1]
    rows = [[str(number), *(printable(" ".join(map(str, event or ()))) for event in pair)] for number, pair in shown]
    ends = [printable(f"{run.how}{f': {run.why}' if run.why else ''}") for run in (verdict.ours, verdict.theirs)]
    table = _html_table(["event", "tested", "reference"], [*rows, ["end", *ends]], 3)
    opened = " open" if verdict.difference else ""
    return f"<p>{escape(printable(str(verdict)))}</p><details{opened}><summary>Events</summary>{table}</details>"


def results_html(results: Results) -> str:
    """Return the numbers of a campaign, and its first failures."""
    endings: Counter[str] = sum((result.endings for result in results.shards.values()), Counter[str]())
    numbers = [[name, str(number)] for name, number in endings.most_common()]
    failed = [
        [*map(printable, (failure.passes, failure.reference, failure.blame_text, failure.difference))]
        for failure in results.failures
    ]
    parts = [f"<p>{escape(repr(results)[1:-1])}</p>", _html_table(["ending", "runs"], numbers, 1)]
    return "".join([*parts, _html_table(["passes", "reference", "blame", "failure"], failed, 4)] if failed else parts)


def diff_html(diff: Any) -> str:
    rows: list[list[str]] = []
    for item in diff.coroutines:
        fields = "; ".join([*(f"+ {f}" for f in item.entered), *(f"- {f}" for f in item.left), *item.moved])
        by = item.frame_after - item.frame_before
        rows.append(
            [
                display_name(item.name),
                *map(printable, (item.what, fields, f"{item.frame_before} → {item.frame_after}", f"{by:+d}")),
            ]
        )
    return (
        _html_table(["coroutine", "", "fields", "frame bytes", "by"], rows, 3)
        + f"<p>{escape(repr(diff)[1:-1])}, {diff.same} as before</p>"
    )


def frame_diff_html(diff: Any) -> str:
    rows: list[list[str]] = []
    for field in diff.fields:
        places = (field.offset_before, field.size_before, field.offset_after, field.size_after)
        numbers = ("" if place is None else str(place) for place in places)
        rows.append([*map(printable, (field.label, field.what, field.type, field.why)), *numbers])
    head = ["field", "", "type", "why", "offset before", "size before", "offset after", "size after"]
    size = f"frame {diff.size_before} → {diff.size_after} bytes ({diff.bytes:+d})"
    return f"<p>{escape(display_name(diff.function))}: {size}</p>" + _html_table(head, rows, 4)
