"""Report of one unit: results of a lowering for the coroutines of a module, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pycoro._demangle import demangle
from pycoro._load import LLVM_VERSION, VERSION
from pycoro._typecheck import check
from pycoro.coroutine import Coroutine
from pycoro.frame import FrameField
from pycoro.ir.instruction import Instruction
from pycoro.ir.source_location import SourceLocation
from pycoro.report import Report

__all__ = ["FORMAT", "FORMAT_VERSION", "unit"]

FORMAT = "pycoro-report"
"""Value of the key ``format``, which identifies a unit file.

>>> from pycoro import reporting
>>> reporting.unit(None, source="a.cpp")["format"] == reporting.FORMAT
True
"""

FORMAT_VERSION = 2
"""Version of the unit format; other versions are rejected.

>>> from pycoro import reporting
>>> reporting.unit(None, source="a.cpp")["version"] == reporting.FORMAT_VERSION
True
"""


def unit(report: Report | None, *, source: str, output: str = "") -> dict[str, Any]:
    """Return the results of a lowering as JSON data; docs/reference/reports.md describes the keys.

    ``source`` and ``output`` are the compiled file and the output file, as the user named them. ``None`` as report means
    that the unit has no coroutine. ``external_calls`` is read from the report's module; it is empty if the module was closed or
    changed since the run.

    >>> from pycoro import reporting
    >>> unit = reporting.unit(pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")
    >>> unit["coroutines"][0]["name"], unit["coroutines"][0]["frame"]
    ('counter', {'size': 32, 'align': 8, 'lower_bound': 32})
    """
    check("report must be a Report or None", report, Report, type(None))
    coroutines = [] if report is None else [_coroutine_data(coroutine) for coroutine in report.coroutines.values()]
    elisions = [] if report is None else [asdict(elision) for elision in report.elisions]
    calls = [] if report is None else _calls_of_declared_functions(report)
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "pycoro": VERSION,
        "llvm": LLVM_VERSION,
        "source": source,
        "output": output,
        "coroutines": coroutines,
        "elisions": elisions,
        "external_calls": calls,
    }


def _calls_of_declared_functions(report: Report) -> list[dict[str, str]]:
    """Return the calls of functions that the unit declares. Only the unit with the body knows which of them create coroutines."""
    if report._is_stale:
        return []
    coroutine_of_clone = {clone: name for name, coroutine in report.coroutines.items() for clone in coroutine.clones}
    calls: dict[tuple[str, str, str], None] = {}
    for function in report.module.functions.values():
        if not function.is_declaration or function.is_intrinsic:
            continue
        for user in function.users:
            if isinstance(user, Instruction) and user.callee is function:
                caller = user.function.name
                calls[coroutine_of_clone.get(caller, caller), function.name, _location_of_call(user)] = None
    return [dict(zip(("caller", "callee", "location"), call, strict=True)) for call in calls]


def _location_of_call(call: Instruction) -> str:
    if call.debug:
        return str(call.debug)
    return f"%{call.block.name}" if call.block.name else ""


def _coroutine_data(coroutine: Coroutine) -> dict[str, Any]:
    frame = coroutine.frame
    return {
        "name": coroutine.name,
        "shown": demangle(coroutine.name),
        "is_local": coroutine.is_local,
        "abi": coroutine.abi,
        **_location_data(coroutine.location),
        "suspends": len(coroutine.suspends),
        "clones": list(coroutine.clones),
        "frame": {"size": frame.size, "align": frame.align, "lower_bound": frame.lower_bound},
        "fields": [_field_data(field) for field in frame.fields],
    }


def _field_data(field: FrameField) -> dict[str, Any]:
    return {
        "name": field.name,
        "variable": field.variable,
        **_location_data(field.location),
        "kind": field.kind,
        "type": field.type.partition(" = type ")[0],
        "offset": field.offset,
        "size": field.size,
        "align": field.align,
        "live": sum(map(len, field.live)),
        "why": field.why,
    }


def _location_data(location: SourceLocation | None) -> dict[str, Any]:
    if location is None:
        return {"file": "", "directory": "", "line": 0}
    return {"file": location.file, "directory": location.directory, "line": location.line}
