"""Content of the page as one plain dict of dicts, lists, texts and numbers, usable without a browser.

It needs a module with unsplit coroutines. The module is not modified: a copy is lowered, with a snapshot around each pass.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pycoro._escape import printable
from pycoro._module_class import module_class
from pycoro._typecheck import takes
from pycoro.coroutine import Coroutine, displayed_abi_name
from pycoro.drawing.model import display_name, read_frame
from pycoro.drawing.text import live_ranges
from pycoro.errors import Error
from pycoro.explanation import Explanation, explain_field, successors_of
from pycoro.explore.accesses import Mark, accesses_by_address, accesses_by_value_name
from pycoro.explore.graph import layout_graph
from pycoro.explore.printed import Printed, ShownCode, Variable
from pycoro.explore.sources import Sources, variable_name_positions
from pycoro.explore.steps import rows_of_steps
from pycoro.frame import FrameField
from pycoro.passes import Pass
from pycoro.pipeline import DEFAULT, Pipeline
from pycoro.report import Elision, Report, Step

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["ELIDING", "empty_model", "model"]

ELIDING = "default<O2>"
"""Pipeline that decides elision if the shown pipeline has no pass for it."""


def _code_data(code: ShownCode, marks: list[Mark]) -> dict[str, Any]:
    """Return the lines, ``at``: their source lines, and ``marks``: line, access and field."""
    return {"lines": list(code.lines), "at": list(code.at), "marks": [[mark.line, mark.how, mark.field] for mark in marks]}


def _clone_role(ramp: str, name: str) -> str:
    """Return the role of a clone: ``ramp``, or its name without that of the ramp."""
    return "ramp" if name == ramp else name.removeprefix(f"{ramp}.")


@dataclass(frozen=True, slots=True)
class _Presplit:
    """Content of a coroutine in the module just before its split."""

    code: ShownCode
    variables: tuple[Variable, ...]
    lines: tuple[int, int]

    @classmethod
    def from_printed(cls, printed: Printed, name: str) -> _Presplit:
        return cls(printed.lines_with_source(name), printed.source_variables(name), printed.source_line_range_or_zeros(name))


def _source_or_short_ir_type(field: FrameField) -> str:
    """Return the source type, or else the IR type without prefixes of clang and inline namespaces."""
    own = re.sub(r'^%"?(?:struct|class|union)\.|^%|"', "", field.type.partition(" = type ")[0])
    return printable(field.source_type or re.sub(r"\b__\w+::", "", own))


def _first_line_without_metadata(instruction: str) -> str:
    """Return an instruction as the listing shows it: its first line, without metadata."""
    return printable(instruction.strip().partition("\n")[0].partition(", !")[0])


def _field_data(field: FrameField, why: Explanation, live: list[str], at: Mapping[str, int]) -> dict[str, Any]:
    """``at`` maps lines of the function to lines of the source."""
    place = field.location
    return {
        "name": printable(field.name),
        "variable": printable(field.variable),
        "type": _source_or_short_ir_type(field),
        "kind": field.kind,
        "offset": field.offset,
        "size": field.size,
        "align": field.align,
        "header": field.is_header,
        "live": [[places.start, places.stop] for places in field.live],
        "live_text": ", ".join(live),
        "line": place.line if place else 0,
        "suspend": why.suspend,
        "reason": printable(why.reason),
        "definition": _first_line_without_metadata(why.definition),
        "definition_block": printable(why.definition_block),
        "before": list(map(printable, why.before)),
        "after": list(map(printable, why.after)),
        "use": _first_line_without_metadata(why.use),
        "use_block": printable(why.use_block),
        "use_line": at.get(_first_line_without_metadata(why.use), 0),
        "changes": list(map(printable, why.changes)),
    }


def _suspend_data(coroutine: Coroutine) -> list[dict[str, Any]]:
    return [
        {
            "label": "F" if point.is_final else str(index),
            "title": "final suspend" if point.is_final else f"suspend {index}",
            "block": printable(point.block),
            "line": point.location.line if point.location else 0,
            "final": point.is_final,
            "count": point.live_count,
            "bytes": point.live_bytes,
        }
        for index, point in enumerate(coroutine.suspends)
    ]


def _field_index_of_variable(variable: Variable, fields: Iterable[FrameField]) -> int | None:
    """Return the index of the field of a variable: the one at its declaration, else the first of its name without a location; None
    without either."""
    those = [(index, field) for index, field in enumerate(fields) if field.variable == variable.name]
    exact = [index for index, field in those if field.location is not None and field.location.line == variable.line]
    return next(iter(exact or [index for index, field in those if field.location is None]), None)


def _fields_data(coroutine: Coroutine, code: ShownCode) -> list[dict[str, Any]]:
    view, flow = read_frame(coroutine.frame), successors_of(coroutine)
    at = {line.strip(): place for line, place in zip(reversed(code.lines), reversed(code.at), strict=True)}
    return [
        _field_data(field, explain_field(coroutine, field, flow), live_ranges(shown, view), at)
        for field, shown in zip(coroutine.frame.fields, view.fields, strict=True)
    ]


def _clones_data(coroutine: Coroutine, after: Printed) -> list[dict[str, Any]]:
    name, known = coroutine.name, set(after.function_names)
    parts = [(part, after.lines_with_source(part)) for part in (name, *coroutine.clones) if part in known]
    return [
        {
            "name": printable(part),
            "role": printable(_clone_role(name, part)),
            **_code_data(code, accesses_by_address(coroutine, code.lines, is_ramp=part == name)),
        }
        for part, code in parts
    ]


def _coroutine_data(coroutine: Coroutine, before: _Presplit, after: Printed, sources: Sources) -> dict[str, Any]:
    frame, code, (first, last) = coroutine.frame, before.code, before.lines
    source = sources.index_of_file(coroutine.location)
    lines: list[str] = sources.files[source]["lines"] if source is not None else []
    return {
        "name": printable(coroutine.name),
        "shown": display_name(coroutine.name),
        "abi": displayed_abi_name(coroutine.abi, coroutine.custom_abi),
        "source": source,
        "first": first,
        "last": last,
        "frame": {"size": frame.size, "align": frame.align, "bound": frame.lower_bound, "holes": [list(h) for h in frame.holes]},
        "fields": _fields_data(coroutine, code),
        "suspends": _suspend_data(coroutine),
        "variables": [
            {"name": v.name, "line": v.line, "field": _field_index_of_variable(v, frame.fields)} for v in before.variables
        ],
        "names": variable_name_positions(lines, first, last, before.variables) if first else [],
        "graph": layout_graph(coroutine),
        "ir": _code_data(code, accesses_by_value_name(code.lines, frame.fields)),
        "parts": _clones_data(coroutine, after),
    }


def _deciding_passes_and_elisions(module: Module, report: Report, passes: object) -> tuple[str, tuple[Elision, ...]]:
    """Return the deciding pipeline and its decisions; both empty if elision cannot be tried."""
    if report.elisions or not isinstance(passes, str):
        return str(passes), report.elisions
    try:
        return ELIDING, module.copy().run(ELIDING).elisions
    except Error:
        return "", ()


def _elision_data(elision: Elision) -> dict[str, Any]:
    row = {key: printable(value) if isinstance(value, str) else value for key, value in asdict(elision).items()}
    file = printable(os.path.basename(elision.file))  # a shared page must not reveal directories
    column = f":{elision.column}" if elision.column else ""
    row |= {"file": file, "location": f"{file}:{elision.line}{column}" if elision.line else row["block"]}
    row["creation"] = os.path.basename(row["creation"])
    return {
        **row,
        "caller": display_name(elision.caller),
        "callee": display_name(elision.callee),
        "of": printable(elision.callee),
    }


def empty_model(name: str) -> dict[str, Any]:
    """Return a model without content, for a page that only explains why."""
    header = {"title": printable(os.path.basename(name) or name), "passes": "", "elided_by": "", "trouble": ""}
    lists: dict[str, Any] = {key: [] for key in ("coroutines", "sources", "steps", "elisions", "remarks")}
    return {"format": "pycoro-explore", "version": 1, **header, **lists}


@takes(module=module_class)
def model(
    module: Module,
    passes: str | Pass | Pipeline = DEFAULT,
    *,
    folders: Iterable[str | os.PathLike[str]] = (),
    sources: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the content of the page for a module with unsplit coroutines.

    ``passes`` is the pipeline with the shown steps. Source files in debug information are read only if they are regular
    files in ``folders`` or listed there, because IR may name any file. ``sources`` maps file names, such as ``"<stdin>"``,
    to texts. Raises as :meth:`Module.run` does. The module is not modified. Sizes and offsets are in bytes, lines count
    from 1.

    >>> model = pycoro.explore.model(pycoro.Module(pycoro.examples.COUNTER), "coro-early,cgscc(coro-split)")
    >>> [coroutine["name"] for coroutine in model["coroutines"]]
    ['counter']
    """
    first = Printed(str(module))
    report = module.copy().run(passes, snapshots=True)
    found, before = Sources(folders, sources or {}), dict[str, _Presplit]()

    def record_presplit_if_split(step: Step, printed: Printed) -> None:
        if step.name == "coro-split" and step.target in report.coroutines:
            before[step.target] = _Presplit.from_printed(printed, step.target)

    rows, after = rows_of_steps(report, first, record_presplit_if_split)
    by, elisions = _deciding_passes_and_elisions(module, report, passes)
    return {
        **empty_model(module.name),
        "passes": printable(str(passes)),
        "coroutines": [
            _coroutine_data(c, before.get(name) or _Presplit.from_printed(first, name), after, found)
            for name, c in report.coroutines.items()
        ],
        "sources": found.files,
        "steps": rows,
        "elided_by": printable(by),
        "elisions": [_elision_data(elision) for elision in elisions],
        "remarks": [f"{r.pass_name}: {display_name(r.function)}: {printable(r.message)}" for r in report.remarks],
    }
