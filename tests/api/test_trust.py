"""Untrusted files cause neither execution nor writes unless the user trusts them."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest
from samples import COUNTER

import pycoro
from pycoro import PipelineError, _core
from pycoro._subprocess import isolated_module_command, subprocesses_without_imports_from_cwd
from pycoro.cli import main
from pycoro.fuzz.database import Database
from pycoro.fuzz.executors import processes
from pycoro.oracle import Case, Oracle, for_host, write_reproducer

PLANTED = ("contextlib", "ctypes", "json", "pickle", "multiprocessing", "runpy", "pycoro", "sitecustomize", "usercustomize")

HOSTILE = """
declare void @print(i32)
define void @f() {{
  call void @print(i32 1)
  {body}
  call void @print(i32 2)
  ret void
}}
{rest}
"""


def _writes(mark: pathlib.Path) -> str:
    """Return assembly for x86-64 Linux that creates an empty file: creat(path, 0644)."""
    text = f"{mark}\\00"
    return for_host(
        HOSTILE.format(
            body='call void asm sideeffect "syscall", "{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}"(i64 85, ptr @path, i64 420)',
            rest=f'@path = constant [{len(str(mark)) + 1} x i8] c"{text}"',
        )
    )


@pytest.fixture
def mark(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a path that exists afterwards if untrusted code ran."""
    return tmp_path / "mark"


@pytest.mark.skipif(os.uname().machine != "x86_64" or sys.platform != "linux", reason="the assembly is of x86-64 Linux")
@pytest.mark.parametrize("where", ["a file", "a database"])
def test_assembly_in_a_reproducer_is_not_run(
    where: str, tmp_path: pathlib.Path, mark: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "database"
    folder.mkdir()
    file = folder / "0123456789-0123456789.ll"
    write_reproducer(file, Case(_writes(mark)), passes="coro-early", reference="pycoro:coro-early")
    command = {
        "a file": ["oracle", str(file)],
        "a database": ["fuzz", "--count", "1", "--workers", "0", "--reduce", "0", "--quiet", "--database", str(folder)],
    }[where]
    main(command)
    assert not mark.exists()
    assert "does not support" in capsys.readouterr().out
    main([*command, "--trust"])
    assert mark.exists(), "the assembly is what it says"


PASSES = ["function(dot-cfg)", "dot-callgraph", "view-cfg", "print", "function(print<domtree>)", "insert-gcov-profiling"]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("side", ["passes", "reference"])
def test_passes_that_write_files_are_rejected(
    passes: str, side: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "case.ll"
    how = {"passes": "coro-early", "reference": "llvm"}
    how[side] = passes if side == "passes" else f"pycoro:{passes}"
    write_reproducer(file, Case(for_host(HOSTILE.format(body="", rest=""))), **how)
    assert main(["oracle", str(file)]) == 2
    assert passes.removeprefix("function(").rstrip(")") in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["case.ll"]
    with Oracle(trusted=False) as oracle:
        assert next(iter(Database(tmp_path).replay(oracle)))[2].startswith("it cannot be run:")


def test_passes_that_write_no_files_are_allowed() -> None:
    for passes in ("default<O2>", "coro-early,cgscc(coro-split),coro-cleanup", "function(instcombine,loop(licm))", "verify"):
        _core.passes_confined(passes)
    with pytest.raises(PipelineError, match=r"'dot-cfg' writes files .* \(at character 26 of the pass string\)"):
        _core.passes_confined("coro-early,function(loop(dot-cfg))")


@pytest.fixture
def untrusted_directory(tmp_path: pathlib.Path, mark: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Return a working directory with modules that must not be executed."""
    folder = tmp_path / "planted"
    folder.mkdir()
    for name in PLANTED:
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r} + chr(10))\nraise ImportError('planted')\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_oracle_executes_nothing_of_the_working_directory(untrusted_directory: pathlib.Path, mark: pathlib.Path) -> None:
    with Oracle() as oracle:
        assert oracle.run(HOSTILE.format(body="", rest=""), passes="coro-early").how == "finished"
    assert not mark.exists()


@pytest.mark.parametrize("path", ["", ".", "planted"])
def test_the_oracle_executes_nothing_of_a_relative_path(
    path: str, untrusted_directory: pathlib.Path, mark: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(untrusted_directory) if path == "planted" else path, *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(untrusted_directory))
    with Oracle() as oracle:
        assert oracle.run(HOSTILE.format(body="", rest=""), passes="coro-early").how == "finished"
    assert not mark.exists()


def test_workers_execute_nothing_of_the_working_directory(untrusted_directory: pathlib.Path, mark: pathlib.Path) -> None:
    with processes(1) as executor:
        assert executor.submit(os.getcwd).result(60) == str(untrusted_directory)
    assert not mark.exists()
    assert "PYTHONSAFEPATH" not in os.environ


def test_isolated_processes_find_the_package(tmp_path: pathlib.Path) -> None:
    command = isolated_module_command("pycoro", "--version")
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_the_environment_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    with subprocesses_without_imports_from_cwd():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ["PYTHONSAFEPATH"] == ""


@pytest.mark.parametrize("trusted", [True, False])
def test_a_wrong_lowering_is_found_without_compiling_it(trusted: bool) -> None:
    def lowered(ir: str) -> str:
        return str(pycoro.lower(ir).module)

    case = Case(for_host(COUNTER), (("resume", "resume", "destroy"),), ramp="counter", args=(4,))
    with Oracle(trusted=trusted) as oracle:
        right = oracle.compare_cases([case], lowering=lowered)[0]
        assert right.equal and right.executed, right.verdicts
        assert re.search(r"= add (nsw )?i32", lowered(COUNTER))
        wrong = oracle.compare_cases([case], lowering=lambda ir: re.sub("= add (nsw )?i32", "= sub i32", lowered(ir)))[0]
        assert "print" in wrong.difference
