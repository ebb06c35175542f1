"""Every program of Swift's shapes runs as expected through each pipeline; LLVM's results are those of the documentation."""

from __future__ import annotations

import pathlib
import re

import pytest
import swiftshapes as shapes

pytestmark = pytest.mark.skipif(bool(shapes.harness.missing_tools()), reason="LLVM 22's tools are not installed")
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "swift-tests.md"


@pytest.mark.parametrize("pipeline", shapes.PIPELINES)
@pytest.mark.parametrize("program", shapes.PROGRAMS, ids=lambda path: path.stem)
def test_pycoro_lowers_it(program: pathlib.Path, pipeline: str, tmp_path: pathlib.Path) -> None:
    assert shapes.run(program, "pycoro", pipeline, tmp_path) == shapes.wanted(program)


@pytest.mark.skipif(shapes.llvm_version() != "22.1.8", reason="the page has the results of LLVM 22.1.8")
@pytest.mark.parametrize("program", shapes.PROGRAMS, ids=lambda path: path.stem)
def test_the_page_has_the_result_of_llvm(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.* (?:right|\w+) \| ([\w ]+) \|$", PAGE.read_text(), re.MULTILINE))
    assert rows[program.stem] == shapes.verdict(program, "reference", tmp_path)


def test_the_page_has_each_program_and_pycoro_is_right() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\w ]+) \| [\w ]+ \|$", PAGE.read_text(), re.MULTILINE)
    assert [name for name, _ in rows] == [path.stem for path in shapes.PROGRAMS]
    assert {result for _, result in rows} == {"right"}
