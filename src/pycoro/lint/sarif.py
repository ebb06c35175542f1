"""Findings as SARIF 2.1.0, for code hosts and editors."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pycoro._escape import escape_unencodable_if_text
from pycoro._load import VERSION

if TYPE_CHECKING:
    from pycoro.lint.finding import Finding
    from pycoro.lint.rule import Rule

__all__ = ["sarif_log_of"]

_TEXTS = ("rule", "message", "hint", "function", "block", "instruction")

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def _relative_uri(path: str) -> str:
    """Return a relative URI; a colon or two leading slashes would be read as a scheme or a host."""
    found = quote(os.fsencode(PurePath(path).as_posix()), safe="/")
    return "/" + found.lstrip("/") if found.startswith("/") else found


def _rule_data(name: str, rules: Mapping[str, Rule]) -> dict[str, Any]:
    known = rules.get(name)
    if known is None:
        return {
            "id": name,
            "shortDescription": {"text": "the engine rejects the coroutine"},
            "defaultConfiguration": {"level": "error"},
        }
    why = " ".join(known.why.split())
    return {
        "id": name,
        "shortDescription": {"text": known.title},
        "fullDescription": {"text": why.replace("`", "")},
        "help": {"text": why.replace("`", ""), "markdown": why},
        "defaultConfiguration": {"level": known.severity},
    }


def _sarif_location(module: str, finding: Finding) -> dict[str, Any]:
    place = finding.location
    physical: dict[str, Any] = {"artifactLocation": {"uri": _relative_uri(module)}}
    if place is not None and place.file:
        path = str(PurePath(place.directory, place.file)) if place.directory else place.file
        physical = {"artifactLocation": {"uri": _relative_uri(path)}}
        if place.line > 0:
            physical["region"] = {"startLine": place.line} | ({"startColumn": place.column} if place.column > 0 else {})
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.function:
        inside = f"@{finding.function}{', ' + finding.block if finding.block else ''}"
        location["logicalLocations"] = [
            {"name": finding.function, "kind": "function", "fullyQualifiedName": inside, "decoratedName": finding.function}
        ]
    return location


def _result_data(module: str, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    finding = replace(finding, **{name: escape_unencodable_if_text(getattr(finding, name)) for name in _TEXTS})
    text = f"{finding.message}. Fix: {finding.hint}." if finding.hint else f"{finding.message}."
    properties = {"instruction": finding.instruction, "block": finding.block, "fixable": finding.fixable}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": finding.severity,
        "message": {"text": text},
        "locations": [_sarif_location(module, finding)],
        "properties": properties,
    }


def sarif_log_of(module: str, findings: Sequence[Finding], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Return a log of one run over one module."""
    names = list(dict.fromkeys([*rules, *(finding.rule for finding in findings)]))
    index = {name: at for at, name in enumerate(names)}
    driver = {"name": "pycoro lint", "version": VERSION, "rules": [_rule_data(name, rules) for name in names]}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "utf16CodeUnits",
                "results": [_result_data(module, finding, index) for finding in findings],
            }
        ],
    }
