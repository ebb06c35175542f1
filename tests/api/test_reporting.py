"""A unit's report file: source locations of coroutines and the contents of their frames."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from reported import coroutine_with_debug_info
from samples import COUNTER

import pycoro
from pycoro import reporting


def fields_of(ir: str) -> dict[str, dict]:
    (coroutine,) = reporting.unit(pycoro.lower(ir), source="a.cpp")["coroutines"]
    return {field["variable"] or field["name"]: field for field in coroutine["fields"]}


def test_coroutines_have_source_locations():
    (coroutine,) = pycoro.lower(coroutine_with_debug_info()).coroutines.values()
    assert coroutine.location == pycoro.ir.SourceLocation(7, 0, "steps", "src/steps.cpp", "/home/me", None)
    assert not coroutine.is_local
    assert pycoro.Module(coroutine_with_debug_info(linkage="internal")).coroutines["_Z5stepsi"].is_local


def test_fields_have_the_names_of_the_source():
    frame = pycoro.Module(coroutine_with_debug_info()).coroutines["_Z5stepsi"].frame
    named = {field.variable: field for field in frame if field.variable}
    assert set(named) == {"buffer", "first"}
    assert (named["buffer"].kind, named["first"].kind) == ("alloca", "spill")
    assert str(named["buffer"].location) == "src/steps.cpp:9"
    assert frame["resume"].variable == ""
    assert frame["resume"].location is None


def test_no_locations_without_debug_information():
    coroutine = pycoro.Module(COUNTER).coroutines["counter"]
    assert coroutine.location is None
    assert all(field.location is None and not field.variable for field in coroutine.frame)


@pytest.mark.parametrize("expression", ["DW_OP_deref", "DW_OP_plus_uconst, 4", "DW_OP_constu, 1, DW_OP_plus, DW_OP_stack_value"])
def test_a_value_that_a_variable_is_computed_from_is_not_the_variable(expression):
    changed = coroutine_with_debug_info().replace("%0, !8, !DIExpression()", f"%0, !8, !DIExpression({expression})")
    assert changed != coroutine_with_debug_info()
    assert set(fields_of(changed)) == {*fields_of(coroutine_with_debug_info())} - {"first"} | {"0"}


def test_a_piece_of_a_variable_has_its_name():
    changed = coroutine_with_debug_info().replace("%0, !8, !DIExpression()", "%0, !8, !DIExpression(DW_OP_LLVM_fragment, 0, 16)")
    assert fields_of(changed)["first"]["kind"] == "spill"


def test_an_address_is_not_the_variable_at_it():
    """A parameter that is passed by address: the frame contains the address."""
    changed = (
        coroutine_with_debug_info()
        .replace("#dbg_value(i32 %0, !8", "#dbg_declare(ptr %0, !8")
        .replace("i32 %0", "ptr %0")
        .replace("see(i32)", "see(ptr)")
    )
    assert "first" not in fields_of(changed)


def test_a_unit_has_the_run_s_findings():
    unit = reporting.unit(pycoro.lower(coroutine_with_debug_info()), source="src/steps.cpp", output="steps.o")
    assert (unit["format"], unit["version"], unit["source"], unit["output"]) == ("pycoro-report", 2, "src/steps.cpp", "steps.o")
    (coroutine,) = unit["coroutines"]
    frame = coroutine["frame"]
    assert (coroutine["name"], coroutine["shown"], coroutine["line"]) == ("_Z5stepsi", "steps(int)", 7)
    assert frame["size"] >= frame["lower_bound"] >= 40 + 8 + 4 + 16
    assert {field["variable"]: field["size"] for field in coroutine["fields"] if field["variable"]} == {"buffer": 40, "first": 4}
    assert json.loads(json.dumps(unit)) == unit


def test_a_unit_is_a_file_that_the_next_build_replaces(tmp_path):
    folder = tmp_path / "deep" / "down"
    first = reporting.write_unit(folder, pycoro.lower(coroutine_with_debug_info()), source="src/a.cpp", output="a.o")
    assert (
        reporting.write_unit(folder, pycoro.lower(coroutine_with_debug_info(count=80)), source="src/a.cpp", output="a.o") == first
    )
    assert os.listdir(folder) == [os.path.basename(first)]
    assert json.loads((folder / first).read_bytes())["coroutines"][0]["frame"]["size"] > 80


def test_a_unit_without_coroutines_is_reported(tmp_path):
    path = reporting.write_unit(tmp_path, None, source="a.cpp")
    assert json.loads(Path(path).read_bytes())["coroutines"] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a.cpp", "a.o"), ("a.cpp", "b.o")),
        (("x/a.cpp", ""), ("y/a.cpp", "")),
        (("a.cpp", ""), ("a_cpp", "")),
        (("ä.cpp", ""), ("ö.cpp", "")),
        (("a", "b"), ("a\nb", "")),
    ],
)
def test_names_do_not_collide(tmp_path, one, other):
    paths = {reporting.write_unit(tmp_path, None, source=source, output=output) for source, output in (one, other)}
    assert len(paths) == 2


@pytest.mark.parametrize("source", ["..", ".", "", ".hidden", "a/", "x" * 300, "\udcff.cpp", "<stdin>", "../../etc/passwd"])
def test_any_source_name_gets_a_report_file(tmp_path, source):
    path = reporting.write_unit(tmp_path / "units", None, source=source)
    assert os.path.dirname(path) == str(tmp_path / "units")
    assert not os.path.basename(path).startswith(".")
    assert json.loads(Path(path).read_bytes())["source"] == source


def _write(job: tuple[str, int]) -> str:
    return reporting.write_unit(job[0], pycoro.lower(coroutine_with_debug_info(count=8 * job[1])), source="same.cpp")


def test_parallel_builds_write_complete_files(tmp_path):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        paths = set(pool.map(_write, [(str(tmp_path), number) for number in range(1, 17)]))
    assert [os.path.basename(path) for path in paths] == os.listdir(tmp_path)
    json.loads(Path(paths.pop()).read_bytes())


def test_opt_writes_a_unit(tmp_path):
    command = [sys.executable, "-m", "pycoro", "opt", "--report=units", "-disable-output", "-passes=cgscc(coro-split)"]
    done = subprocess.run(
        command, input=coroutine_with_debug_info().encode(), cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    (path,) = (tmp_path / "units").iterdir()
    assert json.loads(path.read_bytes())["source"] == "<stdin>"


def test_opt_reports_an_unwritable_unit(tmp_path):
    (tmp_path / "units").write_text("")
    command = [sys.executable, "-m", "pycoro", "opt", "--report=units", "-o", "out.bc", "-passes=cgscc(coro-split)"]
    done = subprocess.run(
        command, input=coroutine_with_debug_info().encode(), cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"error: units: File exists\n")
    assert not (tmp_path / "out.bc").exists()
