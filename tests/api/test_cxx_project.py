"""Whole projects built by `pycoro-c++`: CMake with a report of its units, make, and debugging of the result."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from gdb_batch import run_gdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYCORO = pathlib.Path(sys.executable).with_name("pycoro-c++")
DEBUGGED = ROOT / "tests" / "real" / "debugged" / "countdown.cpp"
pytestmark = [
    pytest.mark.skipif(shutil.which("clang++-22") is None, reason="not installed: clang++-22"),
    pytest.mark.skipif(not PYCORO.exists(), reason="pycoro is not installed with its commands"),
]


def call(*command: str | pathlib.Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ctest") is None, reason="not installed: cmake")
@pytest.mark.parametrize("options", [("Debug",), ("Release", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON")], ids=" ".join)
def test_a_project_of_cmake(options, tmp_path):
    """With interprocedural optimization CMake needs an archiver that reads LLVM 22's bitcode."""
    compiler, reports = f"-DCMAKE_CXX_COMPILER={PYCORO}", tmp_path / "reports"
    kind, *more = options
    more += [compiler, f"-DCMAKE_BUILD_TYPE={kind}", f"-DCMAKE_CXX_FLAGS=--pycoro-report={reports}"]
    configured = call("cmake", "-S", ROOT / "examples" / "project", "-B", tmp_path / "b", *more)
    assert "The CXX compiler identification is Clang 22" in configured
    assert f"CMAKE_CXX_COMPILER_AR:FILEPATH={PYCORO.parent}/pycoro-llvm-ar" in (tmp_path / "b" / "CMakeCache.txt").read_text()
    call("cmake", "--build", tmp_path / "b")
    assert "100% tests passed" in call("ctest", "--test-dir", tmp_path / "b")
    units = {pathlib.Path(unit["source"]).name: unit for unit in (json.loads(f.read_text()) for f in reports.iterdir())}
    counts = {name: len(unit["coroutines"]) for name, unit in units.items() if name in ("sequences.cpp", "table.cpp", "text.cpp")}
    assert counts == {"sequences.cpp": 3, "text.cpp": 0, "table.cpp": 0}


@pytest.mark.skipif(shutil.which("make") is None, reason="not installed: make")
def test_a_project_of_make(tmp_path):
    sources = "sequences.cpp table.cpp text.cpp"
    (tmp_path / "Makefile").write_text(
        f"VPATH = {ROOT / 'examples' / 'project'}\nCXXFLAGS = -std=c++20 -O2 -MD\n"
        f"table: {sources.replace('.cpp', '.o')}\n\t$(CXX) $(LDFLAGS) $^ -o $@\n-include *.d\n"
    )
    call("make", "-C", tmp_path, "-j2", "table", f"CXX={PYCORO}")
    assert "generator.h" in (tmp_path / "sequences.d").read_text()
    assert call(tmp_path / "table", "4") == "primes: 2 3 5 7\nsquares: 0 1 4 9\n"


GENERATOR = """#include <coroutine>
#include <exception>
struct generator {
  struct promise_type {
    int value;
    generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~generator() { handle.destroy(); }
};
"""
BODY = "generator count(int n) { for (int i = 0; i < n; i++) co_yield i; }\n"
PRINTS_NEW = """#include <cstdio>
#include <cstdlib>
#include <new>
void *operator new(std::size_t size) { std::puts("new"); return std::malloc(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
"""
MAIN = "int main() {\n  auto counter = count(3);\n  counter.handle.resume();\n  return counter.handle.promise().value;\n}\n"


def test_reports_say_why_a_coroutine_of_another_unit_is_not_elided(tmp_path):
    """The creating unit has no coroutine of its own, and no debug information; a gate on elision fails."""
    (tmp_path / "generator.h").write_text(f"{GENERATOR}generator count(int n);\n")
    (tmp_path / "one.cpp").write_text(f"{GENERATOR}{BODY}{MAIN}")
    (tmp_path / "count.cpp").write_text(f'#include "generator.h"\n{BODY}')
    (tmp_path / "main.cpp").write_text(f'#include "generator.h"\n{MAIN}')
    for name, folder in (("one", "before"), ("count", "after"), ("main", "after")):
        plain, reported = tmp_path / f"{name}.o", tmp_path / f"{name}.reported.o"
        command = (PYCORO, "-std=c++20", "-O2", "-c", tmp_path / f"{name}.cpp", "-o")
        call(*command, plain)
        call(*command, reported, f"--pycoro-report={tmp_path / folder}")
        assert plain.read_bytes() == reported.read_bytes(), "a report does not change the code"
    text = call(PYCORO.with_name("pycoro"), "report", tmp_path / "after")
    place = f"not elided in main, {tmp_path}/main.cpp:3:18: its body is in another unit, {tmp_path}/count.cpp; "
    assert place in text
    _test_that_linked_units_elide(tmp_path)
    compare = [str(PYCORO.with_name("pycoro")), "report", "--keep-elided", "--compare", "before", "after"]
    done = subprocess.run(compare, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert f"it was elided in 1 of 1 places, and is now elided in 0 of 1: {place}" in done.stderr


@pytest.mark.parametrize("options", [(), ("-g",)], ids=" ".join)
def test_a_report_names_the_creating_call_and_the_obstacle(tmp_path, options):
    """The obstacle is in the constructor, which is inlined; the user wrote the call."""
    text = GENERATOR.replace(
        "  std::coroutine_handle<promise_type> handle;\n", "  std::coroutine_handle<promise_type> handle;\n  ONE\n"
    )
    text = text.replace("  ONE", "  generator(std::coroutine_handle<promise_type> given) : handle(given) {}")
    (tmp_path / "keep.cpp").write_text(
        f"{text}{BODY}generator *kept;\nvoid keep(int n) {{\n  kept = new generator(count(n));\n}}\n"
    )
    command = (PYCORO, "-std=c++20", "-O2", *options, "-c", "keep.cpp", f"--pycoro-report={tmp_path / 'report'}")
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    text = call(PYCORO.with_name("pycoro"), "report", tmp_path / "report")
    assert "%i" in text if not options else " i  spill i32, line" in text
    assert re.search(r"not elided in keep\(int\), keep\.cpp:20:24: its handle is stored to .*, at keep\.cpp:14:", text), text


def _test_that_linked_units_elide(folder: pathlib.Path) -> None:
    """Run the commands of the page about projects. With LTO, pycoro lowers before the link, so the frame is allocated;
    clang lowers in the link only for ThinLTO."""
    page = (ROOT / "docs" / "tutorial" / "project.md").read_text()
    section = page[page.index("## Coroutines of other units") :]
    bin_folder = str(PYCORO.parent)
    for command in re.findall(r"^\$ (.*)$", section.split("```")[1], re.MULTILINE):
        environment = {**os.environ, "PATH": os.pathsep.join([bin_folder, os.environ["PATH"]])}
        subprocess.run(["bash", "-c", command], cwd=folder, check=True, timeout=120, env=environment)
    assert "1 of 1  count(int)" in call(PYCORO.with_name("pycoro"), "report", folder / "build" / "coroutines")
    if shutil.which("ld.lld-22") or shutil.which("ld.lld"):
        sources = (folder / "count.cpp", folder / "main.cpp", folder / "new.cpp")
        sources[-1].write_text(PRINTS_NEW)
        elides: dict[tuple[str, str], bool] = {}
        for compiler, option in itertools.product((str(PYCORO), "clang++-22"), ("-flto", "-flto=thin")):
            program = folder / "lto"
            call(compiler, "-std=c++20", "-O2", option, "-fuse-ld=lld", *sources, "-o", program)
            elides[pathlib.Path(compiler).name, option] = "new" not in call(program)
        assert [names for names, elided in elides.items() if elided] == [("clang++-22", "-flto=thin")], "correct the page"


def test_code_that_only_pycoro_compiles_has_a_warning_of_clang(tmp_path):
    """clang stops in its backend; -Walloca warns in both compilers, as the page about projects says."""
    source = tmp_path / "count.cpp"
    body = "  auto p = (int *)__builtin_alloca(n * sizeof(int));\n  p[0] = n;\n  co_yield p[0];\n  co_yield p[0] + 1;\n"
    source.write_text(f"{GENERATOR}generator count(int n) {{\n{body}}}\n{MAIN}")

    def built(compiler: str | pathlib.Path, *more: str) -> str:
        command = [str(compiler), "-std=c++20", "-O0", *more, str(source), "-o", str(tmp_path / "count")]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stderr

    assert "Coroutines cannot handle non static allocas yet" in built("clang++-22")
    assert built(PYCORO) == ""
    assert subprocess.run([tmp_path / "count"], check=False, timeout=60).returncode == 3
    for compiler in ("clang++-22", PYCORO):
        assert "[-Werror,-Walloca]" in built(compiler, "-Werror=alloca")


@pytest.mark.skipif(shutil.which("gdb") is None or shutil.which("cmake") is None, reason="not installed: gdb, cmake")
def test_the_session_of_gdb_in_the_documentation(tmp_path):
    page = (ROOT / "docs" / "tutorial" / "project.md").read_text()
    session = page[page.index("$ gdb -x") :].split("```")[0]
    commands = re.findall(r"^\(gdb\) (.*)$", session, re.MULTILINE)
    project = ROOT / "examples" / "project"
    call("cmake", "-S", project, "-B", tmp_path / "b", f"-DCMAKE_CXX_COMPILER={PYCORO}", "-DCMAKE_BUILD_TYPE=Debug")
    call("cmake", "--build", tmp_path / "b")
    script = call(sys.executable, "-m", "pycoro.gdb").strip()
    done = run_gdb(commands, "--args", tmp_path / "b" / "table", "5", options=["-x", script])
    shown = [line for line in session.splitlines()[1:] if not line.startswith("(gdb)") and "..." not in line]
    assert len(shown) == 5

    def normalized(text: str) -> str:
        return re.sub(r"0x[0-9a-f]+", "0x", text)

    for line in shown:
        assert normalized(line) in normalized(done.stdout), (line, done.stdout, done.stderr)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="not installed: gdb")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_gdb_stops_in_a_coroutine(level, tmp_path):
    """gdb stops after a suspend and shows a variable that lives across it, and the frame."""
    program = tmp_path / "countdown"
    call(PYCORO, "-std=c++20", level, "-g", DEBUGGED, "-o", program)
    line = next(n for n, text in enumerate(DEBUGGED.read_text().splitlines(), 1) if 'printf("%s %d' in text)
    commands = [
        f"break countdown.cpp:{line}",
        "run",
        "continue",
        "print sum",
        "print __coro_frame",
        "print __promise",
        "backtrace 1",
    ]
    done = run_gdb(commands, program)
    printed = re.findall(r"^\$\d+ = (.*)$", done.stdout, re.MULTILINE)
    assert printed[0] == "18", done.stdout + done.stderr
    assert "__resume_fn = " in printed[1] and "__promise = {last = 8}" in printed[1]
    assert "sum = 18" in printed[1] or level == "-O2", "above -O0 a field may have a value without a name"
    assert printed[2] == "{last = 8}"
    assert re.search(rf"#0 .*countdown.*countdown\.cpp:{line}$", done.stdout, re.MULTILINE)
