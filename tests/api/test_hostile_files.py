"""Files named in IR, directories or commands: pycoro reads only what the user requested, and never blocks.

A test that would hang without the fix runs a separate process with a timeout.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

import pycoro
from pycoro import explore, fuzz, reporting
from pycoro._regular import NotRegularError, read_regular_file
from pycoro.errors import FileError, UsageError
from pycoro.explore.serve import EVENTS, Server

needs_clang = pytest.mark.skipif(shutil.which("clang++-22") is None, reason="clang++-22 is not installed")
NAMING = """
define ptr @f(ptr %memory) presplitcoroutine !dbg !3 {{
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "{file}", directory: "{directory}")
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{{}})
"""
"""A coroutine whose debug information names a file."""


def pycoro_command(*arguments: str, cwd: str | pathlib.Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pycoro", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def naming(folder: pathlib.Path, file: str, directory: str | pathlib.Path) -> str:
    path = folder / "hostile.ll"
    path.write_text(NAMING.format(file=file, directory=directory))
    return str(path)


# ---- explore: sources ----


def test_source_files_need_a_named_directory(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.cpp").write_text("secret\n")
    ir = naming(tmp_path, "a.cpp", tmp_path)
    page = tmp_path / "out.html"
    for options, shown in ((), False), (("--source-dir", str(tmp_path)), True), (("--source-dir", "."), True):
        done = pycoro_command("explore", ir, "-o", str(page), *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("secret" in page.read_text()) is shown, options
    assert pycoro.Module.from_file(ir).explore().model["sources"] == []
    assert len(pycoro.Module.from_file(ir).explore(folders=[tmp_path]).model["sources"]) == 1


@pytest.mark.parametrize(("file", "needle"), [("/proc/self/environ", "hunter2"), ("/etc/passwd", "root:x:0:0")])
def test_explore_in_the_root_shows_no_file_of_the_system(tmp_path: pathlib.Path, file: str, needle: str) -> None:
    page = tmp_path / "out.html"
    done = pycoro_command("explore", naming(tmp_path, file, "/"), "-o", str(page), cwd="/", PYCORO_SECRET="hunter2")
    assert done.returncode == 0, done.stderr
    assert needle not in page.read_text()


@pytest.mark.parametrize("file", ["/proc/self/environ", "/proc/self/cmdline", "/dev/zero", "/sys/kernel/notes", "pipe", "link"])
def test_only_regular_files_are_sources(tmp_path: pathlib.Path, file: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/proc/self/environ")
    page = tmp_path / "out.html"
    done = pycoro_command("explore", naming(tmp_path, file, tmp_path), "-o", str(page), "--source-dir", "/", cwd="/")
    assert done.returncode == 0, done.stderr
    assert "PATH=" not in page.read_text()
    model = explore.model(pycoro.Module.from_file(naming(tmp_path, file, tmp_path)), folders=["/"])
    assert model["sources"] == []


def test_only_regular_files_are_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    assert read_regular_file(tmp_path / "a") == read_regular_file(tmp_path / "link") == b"12345"
    assert read_regular_file(tmp_path / "a", 3) == b"123"
    for other in (tmp_path / "pipe", "/dev/null", "/proc/self/environ", "/dev/stdin"):
        with pytest.raises(NotRegularError):
            read_regular_file(other)
    for missing in (tmp_path / "none", tmp_path):
        with pytest.raises(OSError):
            read_regular_file(missing)


# ---- explore: clang's input ----


@needs_clang
@pytest.mark.parametrize("name", ["-fplugin=nothing.cpp", "-a.cpp", "plain.cpp"])
def test_a_source_name_is_never_an_option(tmp_path: pathlib.Path, name: str) -> None:
    generator = pathlib.Path(__file__).parents[2] / "docs" / "examples" / "generator.cpp"
    shutil.copy(generator, tmp_path / name)
    done = pycoro_command("explore", "-o", "out.html", "--", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out.html").read_text()
    assert "triangle(int)" in page
    assert "struct Generator {" in page, "the source that the command line names is shown"
    assert str(tmp_path) not in page


@needs_clang
@pytest.mark.parametrize("absolute", [False, True])
def test_a_source_name_is_never_a_response_file(tmp_path: pathlib.Path, absolute: bool) -> None:
    """clang repeats its input's name without the directory, and expands an @ there too."""
    (tmp_path / "@a.cpp").write_text("int x;\n")
    (tmp_path / "ok.cpp").write_text("int y;\n")
    (tmp_path / "a.cpp").write_text("a.cpp -load ./nothing.so -fplugin=./nothing.so ok.cpp\n")
    name = str(tmp_path / "@a.cpp") if absolute else "@a.cpp"
    done = pycoro_command("explore", "-o", "out.html", name, cwd=tmp_path)
    assert done.returncode == 2
    assert "nothing.so" not in done.stderr
    assert "a response file" in done.stderr and "rename the file" in done.stderr


@needs_clang
def test_headers_are_shown_from_a_named_directory(tmp_path: pathlib.Path) -> None:
    generator = pathlib.Path(__file__).parents[2] / "docs" / "examples" / "generator.cpp"
    shutil.copy(generator, tmp_path / "all.hpp")
    (tmp_path / "user.cpp").write_text('#include "all.hpp"\n')
    for options, shown in ((), False), (("--source-dir", "."), True):
        done = pycoro_command("explore", "user.cpp", "-o", "out.html", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("struct Generator {" in (tmp_path / "out.html").read_text()) is shown


@needs_clang
@pytest.mark.parametrize("options", [("-x", "c++", "--", "-x"), ("-x", "c++", "--", "-o"), ("-x", "c++", "./-x")])
def test_the_driver_reports_odd_names_as_clang_does(tmp_path: pathlib.Path, options: tuple[str, ...]) -> None:
    for name in ("-x", "-o"):
        (tmp_path / name).write_text("int main() {}\n")
    driver = pathlib.Path(sys.executable).parent / "pycoro-c++"
    line = ["-std=c++20", "-c", "-o", "o.o", *options]
    ours, clangs = (
        subprocess.run([program, *line], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        for program in (str(driver), "clang++-22")
    )
    assert (ours.returncode, ours.stderr) == (clangs.returncode, clangs.stderr)


# ---- explore --serve ----


@pytest.fixture
def served() -> Iterator[Server]:
    with Server(lambda: "<!doctype html>page", [], 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def status_of(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=120) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_page_needs_its_secret_address(served: Server) -> None:
    found = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)([\w-]{40,})/", served.address)
    assert found
    root, token = found.groups()
    assert status_of(served.address) == 200
    assert status_of(served.address, Host="127.0.0.1:80") == 200
    for wrong in (
        "",
        EVENTS,
        token,
        f"{token[:-1]}/",
        f"{token}x/",
        f"{token.swapcase()}/",
        f"x/{token}/",
        "%E9/",
    ):
        assert status_of(root + wrong) == 403, wrong
    assert status_of(served.address + "other") == 404
    assert status_of(served.address, Host="elsewhere.example:80") == 403
    served.over.set()
    assert status_of(served.address + EVENTS) == 200


def test_each_server_has_a_separate_address() -> None:
    tokens = set()
    for _ in range(4):
        with Server(lambda: "", [], 0) as server:
            tokens.add(server.address.split("/")[3])
    assert len(tokens) == 4


# ---- fuzz --database ----


def a_failure() -> fuzz.Failure:
    case = pycoro.oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    return fuzz.Failure(case, "event 3 differs", "finished/finished", "coro-early", "interpreter", "small", ())


def test_a_campaign_ends_with_any_database_contents(tmp_path: pathlib.Path) -> None:
    database = tmp_path / "database"
    fuzz.Database(database).add(a_failure())
    os.mkfifo(database / "pipe.ll")
    (database / "zero.ll").symlink_to("/dev/zero")
    (database / "environ.ll").symlink_to("/proc/self/environ")
    (database / "folder.ll").mkdir()
    (database / "nothing.ll").symlink_to("missing")
    (database / "bytes.ll").write_bytes(b"; \xff\xfe\n")
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    done = pycoro_command("fuzz", "--count=1", "--workers=0", f"--database={database}", "--json", "--quiet", cwd=tmp_path)
    assert sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before < 50, "seconds of processor time"
    assert done.returncode == 1, done.stderr
    replayed = json.loads(done.stdout)["replayed"]
    assert len(replayed) == 7
    told = str(replayed)
    assert told.count("it cannot be read:") == 5
    assert told.count("it cannot be run:") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "file"])
def test_a_database_is_a_directory(tmp_path: pathlib.Path, kind: str) -> None:
    path = pathlib.Path(kind) if kind.startswith("/") else tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "file":
        path.write_text("")
    done = pycoro_command("fuzz", "--count=1", "--workers=0", f"--database={path}", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{path} is not a directory" in done.stderr
    with pytest.raises(UsageError, match="is not a directory"):
        fuzz.Database(path)


def test_a_fifo_in_the_place_of_a_reproducer_is_replaced(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "small.ll"
    os.mkfifo(path)
    os.mkfifo(tmp_path / "small.choices.json")
    script = f"import test_hostile_files as t, pathlib; t.fuzz.Database.write(pathlib.Path({str(path)!r}), t.a_failure())"
    subprocess.run([sys.executable, "-c", script], cwd=pathlib.Path(__file__).parent, timeout=60, check=True)
    assert path.is_file()
    assert fuzz.Database(tmp_path).choices(path) == {"profile": "small", "choices": []}


# ---- reports ----


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/proc/self/environ"])
def test_a_report_directory_may_contain_any_files(tmp_path: pathlib.Path, kind: str) -> None:
    reporting.write_unit(tmp_path / "reports", pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")
    entry = tmp_path / "reports" / "other.json"
    if kind == "pipe":
        os.mkfifo(entry)
    else:
        entry.symlink_to(kind)
    done = pycoro_command("report", str(tmp_path / "reports"), cwd=tmp_path)
    assert done.returncode != 0
    assert "other.json: not a regular file" in done.stderr
    with pytest.raises(FileError, match="not a regular file"):
        reporting.read_project(tmp_path / "reports")
