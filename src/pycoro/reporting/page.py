"""Render a project as one self-contained HTML page, without external resources and with all names escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from string import Template

from pycoro._escape import printable
from pycoro._typecheck import takes
from pycoro.drawing.svg import STYLES, escape
from pycoro.reporting.project import CreationSite, Entry, Field, Project
from pycoro.reporting.text import elided_count_text
from pycoro.view import format_count

__all__ = ["project_html"]

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '$hash'">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<h1>$title</h1>
<p>$total</p>
<p class="legend">$legend</p>
<input id="filter" type="search" placeholder="names or files that contain ..." aria-label="filter" hidden>
<table>
<thead><tr>$head</tr></thead>
$rows
</table>
<script>$script</script>
</body>
</html>
""")

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #8b96a3; white-space: nowrap; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
tbody { border-bottom: 1px solid #8b96a355; }
code, .bar { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; }
td.name { overflow-wrap: anywhere; width: 55%; }
.place, .muted { color: #66717e; }
.bar { display: flex; height: .9rem; margin: .25rem 0; min-width: 1px; border-radius: 2px; overflow: hidden; }
.bar span { min-width: 1px; }
.legend span { padding: .1rem .5rem; margin-right: .4rem; border-radius: 2px; }
.fields td { padding: .05rem .6rem; }
.fields { width: auto; }
.yes { color: #2e9e63; } .no { color: #d1495b; }
input { font: inherit; padding: .2rem .4rem; margin-bottom: .6rem; width: 22rem; max-width: 100%; }
details > summary { cursor: pointer; }
"""

_SCRIPT = """\
"use strict";
const table = document.querySelector("table"), filter = document.getElementById("filter");
const rows = [...table.tBodies];
const key = (row, column) => {
  const cell = row.rows[0].cells[column], number = cell.dataset.sort;
  return number === undefined ? cell.textContent.toLowerCase() : Number(number);
};
[...table.tHead.rows[0].cells].forEach((head, column) => {
  head.querySelector("button").addEventListener("click", () => {
    const first = head.classList.contains("number") ? "descending" : "ascending";
    const other = first === "descending" ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? other : first, sign = order === "ascending" ? 1 : -1;
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    rows.sort((a, b) => { const x = key(a, column), y = key(b, column); return sign * (x < y ? -1 : x > y ? 1 : 0); });
    table.append(...rows);
  });
});
filter.hidden = false;
filter.addEventListener("input", () => {
  const wanted = filter.value.toLowerCase();
  for (const row of rows) row.hidden = !row.rows[0].cells[4].textContent.toLowerCase().includes(wanted);
});
"""

_KINDS = ("header", "promise", "alloca", "spill", "hole")
_LEGEND = {
    "header": "header",
    "promise": "promise",
    "alloca": "variable",
    "spill": "value live across a suspend",
    "hole": "alignment, and the index of the suspend",
}
_COLUMNS = (("bytes", True), ("bound", True), ("suspends", True), ("elided", True), ("coroutine", False))


def _style_sheet() -> str:
    """Return the style sheet, with the colors of pictures in the light and the dark theme."""
    light = "".join(f".{kind} {{ background: {STYLES[kind][0]}; }}\n" for kind in _KINDS)
    dark = "".join(f".{kind} {{ background: {STYLES[kind][2]}; }}\n" for kind in _KINDS)
    return f"{_STYLE}{light}.hole {{ outline: 1px solid #b9c1cb; }}\n@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _escaped_text(text: str) -> str:
    return escape(printable(text))


def _kind_size_and_text_of_frame_bytes(entry: Entry) -> list[tuple[str, int, str]]:
    """Return the bytes of the frame in order: kind, size and description. Shared bytes belong to the first field."""
    spans: list[tuple[str, int, str]] = []
    at = min((field.offset for field in entry.fields if field.size), default=entry.size)
    spans.append(("header", at, "header"))
    for field in sorted(entry.fields, key=lambda field: (field.offset, -field.size)):
        if field.offset > at:
            spans.append(("hole", field.offset - at, "padding or reused bytes"))
        start, end = max(at, field.offset), field.offset + field.size
        if end > start:
            spans.append((field.kind, end - start, f"{field.name}: {field.size} bytes at {field.offset}"))
            at = end
    spans.append(("hole", entry.size - at, "padding or reused bytes"))
    return [span for span in spans if span[1] > 0]


def _frame_bar(entry: Entry, largest: int) -> str:
    if not entry.size:
        return ""
    parts = "".join(
        f'<span class="{kind}" style="flex:{size}" title="{_escaped_text(what)}"></span>'
        for kind, size, what in _kind_size_and_text_of_frame_bytes(entry)
    )
    return f'<div class="bar" style="width:{100 * entry.size / largest:.2f}%">{parts}</div>'


def _field_row(field: Field) -> str:
    cells = (str(field.size), field.name, field.kind, field.type, f"line {field.line}" if field.line else "")
    first, *others = (f"<td>{_escaped_text(cell)}</td>" for cell in cells)
    return f"<tr>{first.replace('<td>', '<td class=number>')}{''.join(others)}</tr>"


def _creation_site_item(site: CreationSite) -> str:
    made = '<span class="yes">elided</span>' if site.elided else '<span class="no">not elided</span>'
    caller, reason = map(_escaped_text, (site.caller, site.explanation))
    place = f", {_escaped_text(site.location)}" if site.location else ""
    return f"<li>{made} in <code>{caller}</code>{place}: {reason}</li>"


def _details_element(entry: Entry) -> str:
    fields = f"<table class=fields>{''.join(map(_field_row, entry.fields))}</table>" if entry.fields else ""
    sites = f"<ul>{''.join(map(_creation_site_item, entry.creation_sites))}</ul>" if entry.creation_sites else ""
    differs = "<p>Its frame is smaller in some units: they were compiled differently.</p>" if entry.differs else ""
    units = f'<p class="muted">{format_count(len(entry.units), "unit")}: {_escaped_text(", ".join(entry.units))}</p>'
    summary = f"{format_count(len(entry.fields), 'field')}, {format_count(len(entry.creation_sites), 'creation site')}"
    return f"<details><summary>{summary}</summary>{fields}{sites}{differs}{units}</details>"


def _number_cell(value: int, text: str = "") -> str:
    return f'<td class="number" data-sort="{value}">{text or value}</td>'


def _coroutine_row(entry: Entry, largest: int) -> str:
    allocating = len(entry.creation_sites) - entry.elided
    numbers = [
        _number_cell(entry.size),
        _number_cell(entry.lower_bound),
        _number_cell(entry.suspends),
        _number_cell(-allocating, elided_count_text(entry)),
    ]
    title = f'<code>{_escaped_text(entry.shown)}</code> <span class="place">{_escaped_text(entry.location)}</span>'
    name = f'<td class="name">{title}{_frame_bar(entry, largest)}{_details_element(entry)}</td>'
    return f"<tbody><tr>{''.join(numbers)}{name}</tr></tbody>"


def _header_cells() -> str:
    return "".join(
        f'<th{" class=number" if is_number else ""} scope="col"><button>{name}</button></th>' for name, is_number in _COLUMNS
    )


@takes(project=Project, title=str)
def project_html(project: Project, title: str = "Coroutines") -> str:
    """Return the page. A script sorts and filters its table; without scripts it shows all rows in the project's order.

    >>> from pycoro import reporting
    >>> project = reporting.Project.of([reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")])
    >>> reporting.project_html(project)[:15]
    '<!DOCTYPE html>'
    """
    entries: Sequence[Entry] = project.entries
    largest = max((entry.size for entry in entries), default=1) or 1
    total = f"{format_count(len(entries), 'coroutine')} in {format_count(project.units, 'unit')}, frames of {project.bytes} bytes"
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return _PAGE.substitute(
        title=_escaped_text(title),
        hash=f"sha256-{digest}",
        style=_style_sheet(),
        script=_SCRIPT,
        total=total,
        legend="".join(f'<span class="{kind}">{_LEGEND[kind]}</span>' for kind in _KINDS),
        head=_header_cells(),
        rows="\n".join(_coroutine_row(entry, largest) for entry in entries),
    )
