"""Every program of Swift's shapes runs as expected through each pipeline; LLVM's results are those of the documentation."""

from __future__ import annotations

import pathlib
import re

import pytest
import swiftshapes as shapes

pytestmark = pytest.mark.skipif(bool(shapes.harness.missing_tools()), reason="LLVM 22's tools are not installed")
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "swift-tests.md"
ROWS = re.findall(r"^\| `(\w+)` \|.*\| ([\w ]+) \| ([\w ]+) \|$", PAGE.read_text(), re.MULTILINE)
"""The programs of the page, with the results of pycoro and of LLVM."""


@pytest.mark.parametrize("pipeline", shapes.PIPELINES)
@pytest.mark.parametrize("program", shapes.PROGRAMS, ids=lambda path: path.stem)
def test_pycoro_lowers_it(program: pathlib.Path, pipeline: str, tmp_path: pathlib.Path) -> None:
    assert shapes.run(program, "pycoro", pipeline, tmp_path) == shapes.wanted(program)


@pytest.mark.skipif(shapes.harness.llvm_version() != "22.1.8", reason="the page has the results of LLVM 22.1.8")
@pytest.mark.parametrize("program", shapes.PROGRAMS, ids=lambda path: path.stem)
def test_the_page_has_the_result_of_llvm(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert {name: theirs for name, _, theirs in ROWS}[program.stem] == shapes.verdict(program, "reference", tmp_path)


def test_the_page_has_each_program_and_pycoro_is_right() -> None:
    assert [name for name, _, _ in ROWS] == [path.stem for path in shapes.PROGRAMS]
    assert {ours for _, ours, _ in ROWS} == {"right"}
