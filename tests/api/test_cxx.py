"""`pycoro-c++` as a build system runs it: output files, messages and exit status, compared with clang's."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

import pycoro

CLANG = "clang++-22"
PYCORO = pathlib.Path(sys.executable).with_name("pycoro-c++")
pytestmark = [
    pytest.mark.skipif(shutil.which(CLANG) is None, reason=f"not installed: {CLANG}"),
    pytest.mark.skipif(not PYCORO.exists(), reason="pycoro is not installed with its commands"),
]

COUNTING = """\
#include <coroutine>
#include <cstdio>
struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept { value = v; return {}; }
    void return_void() noexcept {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Numbers count(int n) {
  for (int i = 0; i < n; i++)
    co_yield i * i;
}
"""
MAIN = """\
int main() {
  Numbers numbers = count(4);
  while (numbers.handle.resume(), !numbers.handle.done())
    std::printf("%d ", numbers.handle.promise().value);
  numbers.handle.destroy();
}
"""
PLAIN = """\
#include <cstdio>
#include <new>
template <typename T> struct Counter {
  T count = 0;
  ~Counter() { if (count) std::printf("%d", count); }
};
Counter<int> counter;
int plain(const char *s) { return *s + counter.count++; }
"""
LARGE = "#include <map>\n#include <string>\nstd::map<std::string, int> table;\nint large(const char *s) { return table[s]++; }\n"
OWNED = """\
struct Owner {
  Numbers numbers;
  ~Owner() { numbers.handle.destroy(); }
};
Numbers even(int n) {
  Owner owner{count(n)};
  while (owner.numbers.handle.resume(), !owner.numbers.handle.done())
    if (owner.numbers.handle.promise().value % 2 == 0)
      co_yield owner.numbers.handle.promise().value;
}
Numbers kept(int n) { return count(n); }
"""
SEEN = """\
std::coroutine_handle<> seen;
__attribute__((noinline)) static void quiet(int n) { std::printf("%d", n); }
void driven() {
  Numbers numbers = count(4);
  seen = numbers.handle;
  numbers.handle.resume();
  quiet(numbers.handle.promise().value);
  numbers.handle.destroy();
}
"""
TWO_FINALS = """\
Numbers wrong(int n) {
  co_yield n;
  __builtin_coro_suspend(true);
}
"""
WRONG_LINE = COUNTING.count("\n") + 1
OUTPUT = "0 1 4 9 "


class Build:
    """A directory with sources, and compilers that run in it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        (folder / "count.cpp").write_text(COUNTING + MAIN)
        (folder / "plain.cpp").write_text(PLAIN)
        (folder / "owned.cpp").write_text(COUNTING + OWNED)
        (folder / "wrong.cpp").write_text(COUNTING + TWO_FINALS)

    def call(self, compiler: str | pathlib.Path, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
        more = {"env": {**os.environ, "TMPDIR": str(self.scratch())}, **more}
        return subprocess.run(
            [str(compiler), *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False, **more
        )

    def scratch(self) -> pathlib.Path:
        scratch = self.folder / "tmp"
        scratch.mkdir(exist_ok=True)
        return scratch

    def __call__(self, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
        done = self.call(PYCORO, "-std=c++20", *arguments, **more)
        assert not list(self.scratch().iterdir()), "something is left between the jobs"
        return done

    def clang(self, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
        return self.call(CLANG, "-std=c++20", *arguments, **more)

    def run(self, program: str = "a.out") -> str:
        return self.call(self.folder / program).stdout

    def symbols(self, file: str) -> str:
        return self.call("nm", "-C", file).stdout


@pytest.fixture
def build(tmp_path: pathlib.Path) -> Build:
    return Build(tmp_path)


def fine(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done


@pytest.mark.parametrize("level", ["-O0", "-Og", "-O1", "-O2", "-O3", "-Os", "-Oz", "-Ofast"])
def test_a_program(build, level):
    fine(build(level, "-w", "count.cpp"))
    assert build.run() == OUTPUT


def test_pycoro_lowers_the_coroutines(build):
    fine(build("-O0", "-c", "count.cpp", "--pycoro-passes=coro-early,cgscc(coro-split),coro-cleanup,globaldce"))
    lowered = build.symbols("count.o")
    fine(build("-O0", "-S", "-emit-llvm", "count.cpp", "-o", "count.ll"))
    assert "count(int) [clone .resume]" in lowered
    assert "llvm.coro" not in (build.folder / "count.ll").read_text()
    assert "; ModuleID = '<stdin>'" in (build.folder / "count.ll").read_text(), "what clang read is what pycoro has lowered"


@pytest.mark.parametrize(
    "options",
    [
        ("-g",), ("-g", "-gsplit-dwarf"), ("-fPIC", "-ffunction-sections", "-fdata-sections"), ("-march=x86-64-v3",), ("-flto",),
        ("-flto=thin",), ("-save-temps",), ("-save-temps=obj",), ("-fno-integrated-as",), ("-fsanitize=address,undefined",),
        ("-fprofile-instr-generate",), ("-fno-exceptions",), ("-fno-vectorize",), ("-mllvm", "-inline-threshold=0"),
        ("-fcoverage-mapping", "-fprofile-instr-generate"), ("-static-libstdc++",), ("-pipe", "-pthread"),
        ("-ftls-model=local-exec",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_options_of_clang(build, options):
    """pycoro-c++ accepts the options that clang builds a program with."""
    if build.clang("-O2", *options, "count.cpp").returncode:
        pytest.skip("clang alone cannot do it on this machine")
    (build.folder / "a.out").unlink()
    done = build("-O2", *options, "count.cpp")
    assert done.returncode == 0, done.stderr
    assert build.run() == OUTPUT


def test_a_unit_without_coroutines_is_the_same_file(build):
    (build.folder / "large.cpp").write_text(LARGE)
    for options in (
        ["-c", "plain.cpp"],
        ["-c", "-O2", "-g", "large.cpp"],
        ["-c", "-O2", "-ffunction-sections", "-fPIC", "plain.cpp"],
        ["-S", "-O1", "plain.cpp"],
        ["-S", "-O2", "-emit-llvm", "plain.cpp"],
    ):
        fine(build.clang(*options, "-o", "theirs"))
        fine(build(*options, "-o", "ours"))
        assert (build.folder / "ours").read_bytes() == (build.folder / "theirs").read_bytes()


def test_diagnostics_of_a_unit_without_coroutines_equal_clang_s(build):
    """Diagnostics of code generation are the same too: only the front end knows a function's location."""
    (build.folder / "big.cpp").write_text(
        "void use(char *);\nint unused(int n) {\n  char a[9000];\n  int x;\n  use(a);\n  return n;\n}\n"
    )
    options = ("-Wall", "-Wframe-larger-than=100", "-c", "big.cpp")
    ours, theirs = build(*options), build.clang(*options)
    assert "unused variable" in theirs.stderr and "stack frame size" in theirs.stderr
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)


def test_dependencies(build):
    for options in (["-MD"], ["-MMD", "-MP", "-MF", "it.d", "-MT", "target"]):
        written = []
        for compile in (build, build.clang):
            for file in build.folder.glob("*.d"):
                file.unlink()
            fine(compile(*options, "-c", "count.cpp"))
            written.append({file.name: file.read_text() for file in build.folder.glob("*.d")})
        assert written[0] == written[1] and any("coroutine" in text or "count.cpp" in text for text in written[0].values())


def test_several_sources_and_languages(build):
    (build.folder / "c.c").write_text("int c(void) { return 1; }\n")
    (build.folder / "more.inc").write_text(PLAIN)
    (build.folder / "arguments").write_text("-O2 count.cpp -x c++ more.inc -x none\n")
    fine(build.call(PYCORO.with_name("pycoro-cc"), "-c", "c.c"))
    fine(build("@arguments", "c.o", "-o", "program"))
    assert build.run("program") == OUTPUT


def test_ir_and_standard_input(build):
    fine(build.clang("-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "count.cpp", "-o", "count.ll"))
    fine(build.call(PYCORO, "-O1", "count.ll", "-o", "from-ir"))
    fine(build("-O1", "-x", "c++", "-", "-o", "from-stdin", input=COUNTING + MAIN))
    fine(build("-x", "c++", "-", "-c", "-o", "plain.o", input=PLAIN))
    assert build.run("from-ir") == build.run("from-stdin") == OUTPUT


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", "missing.cpp"), ("-c", "count.cpp", "-fno-such-option"), ("-E", "plain.cpp"), ("-M", "plain.cpp"),
        ("-c", "broken.cpp"), ("-c", "-Werror", "-Wall", "warned.cpp"), ("-c", "-Wall", "warned.cpp"), (),
        ("count.cpp", "broken.cpp"),
        ("plain.cpp",), ("-dumpmachine",), ("-print-search-dirs",), ("-fsyntax-only", "warned.cpp"), ("-c", "count.cpp", "-lm"),
        ("count.cpp", "-lno-such-library"), ("-c", "count.cpp", "-o", "no/such/folder.o"), ("-O9", "-c", "count.cpp"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_messages_and_exit_status_equal_clang_s(build, arguments):
    (build.folder / "broken.cpp").write_text(COUNTING + "int f() { return g(); }\n")
    (build.folder / "warned.cpp").write_text(COUNTING + "int f() { int unused; }\n")
    ours, theirs = build(*arguments), build.clang(*arguments)
    names = re.compile(r"/\S*/tmp/\S*/?[\w]+-[0-9a-f]{6}\.o|\b\w+-[0-9a-f]{6}\.(?:o|s)\b")
    assert (ours.returncode, names.sub("T", ours.stderr)) == (theirs.returncode, names.sub("T", theirs.stderr))
    assert ours.stdout == theirs.stdout


def test_verbose(build):
    ours, theirs = build("-v", "-c", "count.cpp"), build.clang("-v", "-c", "count.cpp")
    lines = [line for line in theirs.stderr.splitlines() if line != " (in-process)"]
    assert ours.stderr.splitlines() == lines


def test_rejections_are_errors(build):
    (build.folder / "wrong.o").write_text("of an earlier build")
    done = build("-c", "wrong.cpp")
    assert done.returncode == 1
    assert done.stderr.startswith(f"wrong.cpp:{WRONG_LINE}:9: error: only one suspend point can be marked as final\n")
    assert "note: in @_Z5wrongi" in done.stderr
    assert not (build.folder / "wrong.o").exists(), "as clang does with what a job that failed would have made"


def test_nothing_is_linked_after_a_rejection(build):
    done = build("wrong.cpp", "count.cpp", "-o", "program")
    assert done.returncode == 1 and "linker" not in done.stderr
    assert not (build.folder / "program").exists()


def test_clang_accepts_some_rejected_coroutines(build):
    """A call of an intrinsic that LLVM 22 does not have: clang leaves it for the linker."""
    (build.folder / "newer.cpp").write_text(
        'void newer(void *) __asm__("llvm.coro.newer");\n'
        "void *f(void *m) {\n  __builtin_coro_id(0, nullptr, nullptr, nullptr);\n"
        "  newer(m);\n  return __builtin_coro_begin(m);\n}\n"
    )
    if build.clang("-c", "newer.cpp").returncode:
        pytest.skip("clang does not survive it at this level")
    assert build("-c", "newer.cpp").returncode == 1
    done = build("-c", "newer.cpp", "--pycoro-fallback")
    assert done.returncode == 0
    assert done.stderr.startswith(
        "pycoro-c++: warning: newer.cpp: lowered by clang, because pycoro rejects it: llvm.coro.newer is not an intrinsic"
    )


def test_a_report_of_each_unit(build):
    fine(build("-O1", "-g", "count.cpp", "-c", "plain.cpp", "--pycoro-report=reports"))
    units = [json.loads(file.read_text()) for file in sorted((build.folder / "reports").iterdir())]
    assert [unit["source"] for unit in units] == ["count.cpp", "plain.cpp"]
    assert [len(unit["coroutines"]) for unit in units] == [1, 0]
    assert "count" in json.dumps(units[0]["coroutines"])


def test_a_rebuild_replaces_the_report(build):
    """A rebuild replaces the report, although its object directory has another name each time."""
    for program in ("one", "one", "two"):
        fine(build("-O1", "count.cpp", "-o", program, "--pycoro-report=reports"))
    units = [json.loads(file.read_text()) for file in (build.folder / "reports").iterdir()]
    assert sorted(unit["output"] for unit in units) == ["one-count.o", "two-count.o"]


CHILD = ": remark: '_Z5counti' elided in '_Z4eveni' (frame_size="
OUTER = ": remark: '_Z5counti' not elided in '_Z4kepti'"


@pytest.mark.parametrize("options", [(), ("-flto",), ("-fsanitize=undefined",)], ids=" ".join)
def test_remarks(build, options):
    """Remarks of pycoro's passes appear; a child's frame is in its parent's, whatever passes follow pycoro."""
    told = build("-O2", *options, "-c", "owned.cpp", "-Rpass=coro-elide", "-Rpass-missed=coro-elide").stderr.splitlines()
    done = [line for line in told if CHILD in line]
    assert len(done) == 1 and "owned.cpp:" in done[0] and done[0].endswith("[-Rpass=coro-elide]")
    refused = [line for line in told if OUTER in line]
    assert len(refused) == 1 and refused[0].endswith("[-Rpass-missed=coro-elide]")
    assert CHILD not in build("-O2", *options, "-c", "owned.cpp", "-Rpass-missed=coro", "-Rpass=(").stderr
    assert build("-O2", *options, "-c", "owned.cpp", "-Rpass=coro-elide", "-Rno-pass").stderr == ""


@pytest.mark.parametrize("option", ["-Rpass=no-such", "-fsanitize=address", "-fsanitize=undefined", "-flto", "-fprofile-generate"])
def test_inferred_nounwind_enables_elision(build, option):
    """pycoro runs after the inference that printf and its callers cannot throw, as in clang's pipeline."""
    body = driven(build, option)
    assert "call" in body and "@_Znwm" not in body, body


def test_fno_builtin_functions_have_no_inferred_attributes(build):
    assert "@_Znwm" in driven(build, "-fno-builtin")


def driven(build: Build, option: str) -> str:
    (build.folder / "driven.cpp").write_text(COUNTING + SEEN)
    fine(build("-O2", "-S", "-emit-llvm", "driven.cpp", option, "-o", "driven.ll"))
    text = (build.folder / "driven.ll").read_text()
    return text.partition("void @_Z6drivenv(")[2].partition("\n}\n")[0]


def test_an_unwritable_report_is_an_error_without_output(build):
    """A repeated build would treat the object as up to date, and have no report of it."""
    done = build("-c", "count.cpp", "-o", "count.o", "--pycoro-report=count.cpp/reports")
    assert (done.returncode, done.stderr) == (1, "pycoro-c++: error: count.cpp/reports: Not a directory\n")
    assert not (build.folder / "count.o").exists()


def test_split_remarks_have_locations(build):
    """LLVM's opt-viewer shows only remarks with locations."""
    done = build("-O2", "-g", "-c", "count.cpp", "-Rpass=coro-split", "-fsave-optimization-record")
    assert re.search(r"count\.cpp:\d+:\d+: remark: Split '_Z5counti'", done.stderr), done.stderr
    splits = [text for text in (build.folder / "count.opt.yaml").read_text().split("--- !") if "CoroSplit" in text]
    assert len(splits) == 1 and re.search(r"^DebugLoc: .*count\.cpp.*Line: [1-9]", splits[0], re.MULTILINE)


def test_remarks_are_recorded(build):
    fine(build("-O2", "-c", "owned.cpp", "-fsave-optimization-record", "-foptimization-record-passes=coro|inline"))
    text = (build.folder / "owned.opt.yaml").read_text()
    assert "Pass:            inline" in text and "Name:            CoroElide" in text
    assert text.count("--- !") == text.count("...\n") > 2


def test_a_pattern_that_only_llvm_can_parse_records_no_passes(build):
    fine(build("-O2", "-c", "owned.cpp", "-fsave-optimization-record", r"-foptimization-record-passes=coro-\elide"))
    assert "coro-split" not in (build.folder / "owned.opt.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pycoro-pass=x", "count.cpp"), "unknown option '--pycoro-pass=x'; --pycoro-help lists the options"),
        (("--pycoro-fallback=yes", "count.cpp"), "--pycoro-fallback takes no value"),
        (("--pycoro-passes", "count.cpp"), "--pycoro-passes needs a value: --pycoro-passes=STRING"),
        (("-c", "--pycoro-passes=coro-early,no-such", "count.cpp"), "--pycoro-passes: LLVM: unknown module pass 'no-such'"),
        (("-c", "--pycoro-passes=coro-early", "count.cpp"), "--pycoro-passes: @"),
    ],
)
def test_wrong_options(build, arguments, said):
    done = build(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"pycoro-c++: error: {said}")


def test_help(build):
    done = fine(build("--pycoro-help"))
    assert "--pycoro-fallback" in done.stdout and done.stdout.startswith("usage: pycoro-c++ ")


def test_no_clang(build):
    empty = build.folder / "empty"
    empty.mkdir()
    environment = {"PATH": str(empty), "PYCORO_CLANGXX": "clang++-no"}
    done = build("-c", "count.cpp", env=environment)
    assert (done.returncode, done.stderr) == (
        1,
        "pycoro-c++: error: PYCORO_CLANGXX names 'clang++-no', which does not exist\n",
    )


def _counting_clang(build: Build, folder: pathlib.Path, *more: str) -> tuple[dict[str, str], pathlib.Path]:
    """Return an environment whose clang adds options and records its runs, and the file with a line for each."""
    clang, runs = folder / "clang++-22", folder / "runs"
    clang.write_text(f'#!/bin/sh\necho "$@" >> {runs}\nexec {shutil.which(CLANG)} "$@" {" ".join(more)}\n')
    clang.chmod(0o755)
    return {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_CLANGXX": str(clang)}, runs


@pytest.mark.parametrize("level", ["-O", "-O0", "-O1", "-O2", "-O3", "-Og", "-Os", "-Oz"])
def test_a_unit_is_compiled_by_one_run_of_clang(build, level, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    options = (level, "-Wall", "-g", "-MD", "-MF", "count.d", "-c", "count.cpp")
    assert (build(*options, "-o", "direct.o", env=environment).stderr, len(runs.read_text().splitlines())) == ("", 1)
    fine(build(*options, "-o", "planned.o", "--pycoro-separate"))
    assert (build.folder / "direct.o").read_bytes() == (build.folder / "planned.o").read_bytes()
    assert "count.cpp" in (build.folder / "count.d").read_text()


OPTIMIZED = """
#include <algorithm>
#include <functional>
#include <vector>
double dot(const double *a, const double *b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
void add(float *__restrict a, const float *__restrict b, int n) { for (int i = 0; i < n; i++) a[i] += b[i] * 2; }
struct vector { float x, y, z, w; };
vector operator+(vector a, vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int work(std::vector<int> &v, const std::function<int(int)> &f) {
  std::sort(v.begin(), v.end());
  int sum = 0;
  for (int i : v) sum += f(fib(i % 5)) + (i & 3 ? dot(nullptr, nullptr, 0) > i : i);
  return sum;
}
"""


@pytest.mark.parametrize("debug", ["-g0", "-g", "-g1"])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"])
def test_a_unit_without_coroutines_is_the_same_by_one_run_of_clang(build, level, debug, tmp_path):
    """The plugin runs LLVM's passes with the options that clang derives from the level."""
    environment, runs = _counting_clang(build, tmp_path)
    (build.folder / "work.cpp").write_text(OPTIMIZED)
    options = ("-std=c++20", level, debug, "-c", "work.cpp", "-o")
    fine(build.call(PYCORO, *options, "pycoro.o", env=environment))
    if level != "-Oz" or debug == "-g0":
        assert len(runs.read_text().splitlines()) == 1
    fine(build.call(CLANG, *options, "clang.o"))
    assert (build.folder / "pycoro.o").read_bytes() == (build.folder / "clang.o").read_bytes()


def test_a_coroutine_in_a_header(build, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    (build.folder / "count.h").write_text(COUNTING)
    (build.folder / "user.cpp").write_text('#include "count.h"\n' + MAIN)
    fine(build("-O1", "-c", "user.cpp", "-o", "user.o", env=environment))
    assert len(runs.read_text().splitlines()) == 1
    assert "count(int) [clone .resume]" in build.symbols("user.o")


def test_a_unit_is_compiled_without_python(build):
    """Python's start takes half as long as clang needs for a small unit. With this variable Python does not start."""
    environment = {**os.environ, "PYTHONHOME": str(build.folder / "missing")}
    fine(build("-O2", "-Wall", "-MD", "-c", "count.cpp", "-o", "count.o", env=environment))
    fine(build.call(PYCORO, "count.o", "-o", "a.out", env=environment))
    assert build.run() == OUTPUT
    fine(build.call(PYCORO, "-std=c++17", "-c", "plain.cpp", env=environment))
    assert build("-c", "count.cpp", "-o", "count.o", "--pycoro-separate", env=environment).returncode != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_clang_and_deletes_its_files(build, number, tmp_path):
    script = tmp_path / "clang++-slow"
    script.write_text(f'#!/bin/sh\nfor a; do case "$a" in *.tmp) echo > "$a";; esac; done\nkill -{number} $PPID\nexec sleep 60\n')
    script.chmod(0o755)
    environment = {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_CLANGXX": str(script)}
    done = build("-c", "count.cpp", "-o", "count.o", env=environment)
    assert (done.returncode, done.stderr, list(build.folder.glob("count.o*"))) == (128 + number, "", [])


def test_a_rejected_unit_is_not_lowered_by_the_plugin_twice(build, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    assert "only one suspend point can be marked as final" in build("-c", "wrong.cpp", "-o", "wrong.o", env=environment).stderr
    assert runs.read_text().count("-fpass-plugin") == 1
    assert not (build.folder / "wrong.o").exists()


@pytest.mark.parametrize(
    "options",
    [
        ("-dumpmachine",), ("-dumpversion",), ("-print-search-dirs",), ("-print-target-triple",), ("-print-libgcc-file-name",),
        ("-fdriver-only",), ("-ccc-print-phases",), ("-ccc-print-bindings",), ("--output=other.o",), ("-oother.o",), ("-help",),
        ("-fsyntax-only",), ("-###",), ("-Xlinker", "--version", "-ccc-print-phases"), ("-MT",), ("-include", "no-such.h"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_output_that_clang_does_not_write_is_left(build, options):
    """An object of an earlier build is replaced or deleted only if clang does that."""
    left = []
    for compile in (build, build.clang):
        (build.folder / "kept.o").write_text("of an earlier build")
        done = compile("-O3", "-c", "count.cpp", "-o", "kept.o", *options)
        kept = build.folder / "kept.o"
        left.append((done.returncode, kept.read_text() if kept.exists() else None))
    assert left[0] == left[1] and left[0][1] in (None, "of an earlier build")
    assert not list(build.folder.glob("*.tmp"))


def test_a_compilation_that_is_killed_leaves_the_earlier_object(build, tmp_path):
    """An object that was compiled without LLVM's passes never has the final name."""
    script = tmp_path / "clang++-killed"
    script.write_text(f'#!/bin/sh\n{shutil.which(CLANG)} "$@"\ncase "$*" in *-fpass-plugin*) kill -KILL $PPID;; esac\n')
    script.chmod(0o755)
    (build.folder / "count.o").write_text("of an earlier build")
    environment = {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_CLANGXX": str(script)}
    done = build.call(PYCORO, "-std=c++17", "-O2", "-c", "plain.cpp", "-o", "count.o", env=environment)
    assert done.returncode == 0
    (build.folder / "count.o").write_text("of an earlier build")
    done = build.call(PYCORO, "-std=c++20", "-O2", "-c", "count.cpp", "-o", "count.o", env=environment)
    assert done.returncode == -9
    assert (build.folder / "count.o").read_text() == "of an earlier build"


def test_an_output_in_a_directory_that_is_not_writable(build):
    """The compiler then writes to the file, because it can create no other one."""
    folder = build.folder / "closed"
    folder.mkdir()
    (folder / "count.o").write_text("")
    (folder / "count.o").chmod(0o666)
    folder.chmod(0o555)
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if drop and not shutil.which(drop[0]):
        pytest.skip("not installed: setpriv; root may write everywhere")
    for option in ((), ("-Xclang", "-fno-pch-timestamp"), ("--pycoro-separate",)):  # the second one needs a query of the driver
        fine(build.call(*drop, PYCORO, "-std=c++20", "-O1", "-c", "count.cpp", "-o", "closed/count.o", *option))
    assert "count(int) [clone .resume]" in build.symbols("closed/count.o")


def test_a_long_name_of_the_output(build):
    name = "n" * 250 + ".o"
    for option in ((), ("-Xclang", "-fno-pch-timestamp")):
        fine(build("-O1", "-c", "count.cpp", "-o", name, *option))
    assert [file.name for file in build.folder.glob("n*")] == [name]


MESSAGES = """\
#warning written by the test
[[deprecated("since today")]] int old();
int used() {
  int unused;
  return old();
}
"""


@pytest.mark.parametrize(
    "options",
    [
        (), ("-Wall",), ("-Wlogical-op",), ("-Wlogical-op", "-Wall", "-Werror"), ("-Werror",), ("-Wlogical-op", "-w"),
        ("-include", "no-such.h"), ("-DNumbers=1",), ("-Wall", "-fdiagnostics-color=always"),
        ("-Wlogical-op", "-fcolor-diagnostics"), ("-Wpoison-system-directories",),
        ("-I", "no/such", "-I.", "-I.", "-isystem", "/usr/include"),
        ("-Ofast",), ("-O4",), ("-pthread", "-lm"), ("-Wl,-O1",), ("-fno-such-option",), ("-std=c++2z",), ("-O1", "-O"),
        ("-MP",),
        ("-DX=\n",), ("-MF", "unused.d"), ("-Dco_yield=co_return",), ("-ferror-limit=1", "-Dint=double"), ("-march=no-such",),
        ("-fdiagnostics-format=msvc", "-Wall"), ("-fdiagnostics-print-source-range-info", "-Wall"), ("-H",), ("-Winvalid-pch",),
    ],
    ids=repr,
)  # fmt: skip
def test_messages_with_a_named_output_equal_clang_s(build, options):
    (build.folder / "warned.cpp").write_text(COUNTING + MESSAGES)
    ours, theirs = (compile(*options, "-c", "warned.cpp", "-o", "warned.o") for compile in (build, build.clang))
    if "contains a line break" not in ours.stderr:
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert (build.folder / "warned.o").exists() == (theirs.returncode == 0) or "\n" in options[0]


@pytest.mark.parametrize(
    "options", [("-MD",), ("-MMD", "-MP"), ("-MD", "-MT", "a b"), ("-MMD", "-MF", "it.d"), ("-MD", "-MQ", "$x")]
)
@pytest.mark.parametrize("output", ["count.o", "other/of.it", "with.dots.o", "no-suffix", "of $it.o"])
def test_dependencies_name_the_output(build, options, output, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    written = []
    (build.folder / "other").mkdir()
    for compile in (build, build.clang):
        fine(compile(*options, "-c", "count.cpp", "-o", output, env=environment))
        written.append({str(file.relative_to(build.folder)): file.read_text() for file in build.folder.rglob("*.d")})
        for file in build.folder.rglob("*.d"):
            file.unlink()
    assert written[0] == written[1] and len(written[0]) == 1
    assert len(runs.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "options",
    [
        ("-MJ", "commands.json"), ("-fproc-stat-report=stat.csv",), ("-save-temps",), ("-save-temps=obj",), ("-ftime-trace",),
        ("-g", "-grecord-command-line"), ("-frecord-command-line",), ("-fcrash-diagnostics=all",), ("-gen-reproducer=off",),
        ("-emit-llvm",), ("-g", "-gsplit-dwarf"), ("-fmodules",), ("-Wp,-DX",), ("-x", "c++"), ("--serialize-diagnostics", "x.dia"),
        ("-Xclang", "-fno-pch-timestamp"), ("-dumpdir", "x-"), ("-fstack-usage",), ("-O9",), ("-print-stats",), ("-H",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_other_options_are_planned(build, options, tmp_path):
    """The direct run passes more options to clang, and another output, which these would show."""
    environment, runs = _counting_clang(build, tmp_path)
    build(*options, "-c", "count.cpp", "-o", "count.o", env=environment)
    assert "-###" in runs.read_text().splitlines()[0]
    assert runs.read_text().count("-fpass-plugin") == 0


def test_logging_variables_of_clang_are_planned(build, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    build("-c", "count.cpp", "-o", "count.o", env={**environment, "CC_PRINT_OPTIONS": "1", "CC_PRINT_OPTIONS_FILE": "log"})
    assert "-###" in runs.read_text().splitlines()[0]


@pytest.mark.parametrize("database", [("-MJ", "commands.json"), ("-MJcommands.json",)], ids=" ".join)
def test_a_compilation_database_has_the_command_of_the_user(build, database):
    """clang writes an entry for each source, without the options that pycoro adds."""
    written = []
    for compile in (build, build.clang):
        for sources in (("count.cpp", "plain.cpp"), ("count.cpp", "-o", "count.o")):
            fine(compile("-O2", *database, "-c", *sources))
            written.append((build.folder / "commands.json").read_text())
    assert written[:2] == written[2:] and [text.count('"file"') for text in written[:2]] == [2, 1]


@pytest.mark.parametrize(
    "words", ["-MJ commands.json", "-MJ\n'com'ma\\nds.json", "-MJ'a \\'commands.json'", '"-MJ" "a \\"b.json"', "@nested"]
)
def test_a_compilation_database_named_in_a_response_file(build, words):
    (build.folder / "nested").write_text("'-MJnested.json'\n")
    (build.folder / "words").write_text(f"-O2 {words}\n-g")
    written = []
    for compile in (build, build.clang):
        for file in build.folder.glob("*.json"):
            file.unlink()
        fine(compile("@words", "-c", "count.cpp"))
        written.append({file.name: file.read_text() for file in build.folder.glob("*.json")})
    assert written[0] == written[1] and len(written[0]) == 1


@pytest.mark.parametrize("option", ["-gsplit-dwarf", "-ftime-trace", "-save-temps=obj", "-frecord-command-line"])
def test_files_of_options_in_clang_s_configuration(build, option, tmp_path):
    """A discarded run leaves no files that are named after its temporary output."""
    environment, _ = _counting_clang(build, tmp_path, "-g", option)
    assert build("-O1", "-c", "count.cpp", "-o", "hidden.o", env=environment).returncode == 0
    hidden = {file.name.replace("hidden", "asked") for file in build.folder.glob("hidden*")}
    assert build("-O1", "-c", "count.cpp", "-g", option, "-o", "asked.o").returncode == 0
    assert hidden == {file.name for file in build.folder.glob("asked*")}
    assert not list(build.folder.glob("*.tmp*"))


@pytest.mark.parametrize("arguments", [("--version",), ("-std=c++20", "-O2", "--version", "count.cpp")], ids=" ".join)
def test_version_names_pycoro_after_clang(build, arguments):
    """Build systems read the first version."""
    ours, theirs = build(*arguments), build.clang(*arguments)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr) == (0, "")
    assert ours.stdout == f"{theirs.stdout}pycoro-c++: pycoro {pycoro.__version__} lowers the coroutines\n"


@pytest.mark.parametrize(
    "options",
    [("-Xlinker", "--version"), ("-Xlinker", "-v"), ("-c", "-MD", "-MT", "--version"), ("-c", "-o", "--version")],
    ids=" ".join,
)
def test_values_that_resemble_options(build, options):
    ours, theirs = build("count.cpp", *options), build.clang("count.cpp", *options)
    names = re.compile(r"/\S*/tmp/\S*/?[\w]+-[0-9a-f]{6}\.o|\b\w+-[0-9a-f]{6}\.(?:o|s)\b")
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert names.sub("T", ours.stderr) == names.sub("T", theirs.stderr)


def test_values_that_resemble_actions_do_not_prevent_the_lowering(build, tmp_path):
    environment, runs = _counting_clang(build, tmp_path)
    fine(build("-c", "count.cpp", "-MD", "-MT", "-E", "-o", "-E", env=environment))
    assert runs.read_text().count("-fpass-plugin") == 1


def test_a_clang_of_another_version(build):
    other = build.folder / "clang++-old"
    other.write_text("#!/bin/sh\necho 'Debian clang version 14.0.6' >&2\n")
    other.chmod(0o755)
    done = build("-c", "count.cpp", env={**os.environ, "PYCORO_CLANGXX": str(other)})
    assert done.returncode == 1
    assert (
        done.stderr
        == f"pycoro-c++: error: {other} is clang version 14.0.6; pycoro needs clang 22, because bitcode depends on the version\n"
    )


def test_a_command_line_longer_than_the_system_limit(build):
    (build.folder / "arguments").write_text("\n".join(f"-DLONG_{n}={'x' * 1000}" for n in range(2500)) + "\n-c count.cpp\n")
    fine(build("@arguments", "-O1"))
    assert "count(int) [clone .resume]" in build.symbols("count.o")


def test_as_a_command_of_pycoro(build):
    fine(build.call(sys.executable, "-m", "pycoro", "c++", "-std=c++20", "-O1", "count.cpp"))
    assert build.run() == OUTPUT
    (build.folder / "c.c").write_text("int main(void) { return 7; }\n")
    fine(build.call(sys.executable, "-m", "pycoro", "cc", "c.c"))
    assert build.call(build.folder / "a.out").returncode == 7


def test_a_unit_without_coroutines_does_not_import_pycoro(build):
    """pycoro is imported only if the unit has coroutines to lower."""
    code = "import sys, pycoro_driver; sys.modules['pycoro'] = None; sys.exit(pycoro_driver.cxx())"
    assert build.call(sys.executable, "-c", code, "-std=c++20", "-c", "plain.cpp").returncode == 0
    separate = build.call(sys.executable, "-c", code, "-std=c++20", "-c", "--pycoro-separate", "count.cpp")
    assert "import of pycoro halted" in separate.stderr


@pytest.mark.parametrize(
    "options", [("-O0", "-g"), ("-O1",), ("-O2", "-g", "-MMD"), ("-Os", "-S"), ("-O3", "-g", "-gsplit-dwarf")], ids=" ".join
)
def test_pycoro_in_the_process_of_clang(build, options):
    """clang with pycoro's plugin writes what it writes from bitcode that another process has lowered, without importing pycoro."""
    code = "import sys, pycoro_driver; sys.modules['pycoro'] = None; sys.exit(pycoro_driver.cxx())"
    written = []
    for command in ((sys.executable, "-c", code), (PYCORO, "--pycoro-separate")):
        fine(build.call(*command, "-std=c++20", *options, *(() if "-S" in options else ("-c",)), "owned.cpp"))
        files = sorted(build.folder.glob("owned.[!c]*"))
        written.append({file.name: file.read_bytes() for file in files})
        for file in files:
            file.unlink()
    assert written[0] == written[1] and len(written[0]) == (2 if options[-1] in ("-MMD", "-gsplit-dwarf") else 1)


def test_a_rejected_unit_and_one_without_coroutines_with_the_plugin(build):
    """The plugin generates no code for these, and the job is repeated without it."""
    (build.folder / "named.cpp").write_text(f"// co_await\n{PLAIN}")
    for option in ((), ("--pycoro-separate",)):
        fine(build("-O2", "-c", *option, "named.cpp", "-o", "named.o"))
        assert build("-O2", "-c", *option, "wrong.cpp").returncode == 1
    fine(build.clang("-O2", "-c", "named.cpp", "-o", "clang.o"))
    assert (build.folder / "named.o").read_bytes() == (build.folder / "clang.o").read_bytes()
    assert not [file for file in build.folder.iterdir() if file.suffix == ".tmp" or file.name == "wrong.o"]


@pytest.mark.parametrize(
    "options", [(), ("--pycoro-separate",), ("-fsanitize=undefined", "-fsanitize-trap=undefined")], ids=" ".join
)
def test_the_printed_jobs_are_the_real_ones(build, options):
    printed = build("-###", "-O1", "-c", *options, "count.cpp", "-o", "real.o")
    jobs = [shlex.split(line) for line in printed.stderr.splitlines() if line.startswith(" ")]
    assert printed.returncode == 0 and len(jobs) == (3 if options else 1)
    assert not (build.folder / "real.o").exists()
    scratch = {pathlib.Path(word).parent for job in jobs for word in job if word.endswith("presplit.bc")}
    for folder in scratch:
        folder.mkdir()
    for job in jobs:
        fine(build.call(PYCORO.parent / job[0] if job[0] == "pycoro" else job[0], *job[1:]))
    for folder in scratch:
        shutil.rmtree(folder)
    fine(build("-O1", "-c", *options, "count.cpp", "-o", "count.o"))
    assert (build.folder / "real.o").read_bytes() == (build.folder / "count.o").read_bytes()


def test_options_in_the_environment(build):
    fine(build("-c", "count.cpp", env={**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_REPORT": "reports"}))
    assert len(list((build.folder / "reports").iterdir())) == 1
    environment = {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_FALLBACK": "1"}
    assert "lowered by clang" in build("-c", "wrong.cpp", env=environment).stderr


@pytest.mark.parametrize("options", [(), ("--pycoro-separate",), ("-flto=thin",), ("-O0",)], ids=" ".join)
def test_cached_frames(build, options):
    model = "-ftls-model=initial-exec"
    fine(build("-O2", *options, model, "-S", "-emit-llvm", "--pycoro-cache-frames", "owned.cpp", "-o", "owned.ll"))
    assert "@pycoro.frame_cache = linkonce_odr hidden thread_local(initialexec) " in (build.folder / "owned.ll").read_text()
    fine(build("-O2", *options, "-c", "--pycoro-cache-frames", "owned.cpp", "-o", "option.o"))
    environment = {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_CACHE_FRAMES": "1"}
    fine(build("-O2", *options, "-c", "owned.cpp", "-o", "variable.o", env=environment))
    assert (build.folder / "option.o").read_bytes() == (build.folder / "variable.o").read_bytes()
    fine(build("-O2", *options, "-c", "owned.cpp", "-o", "neither.o"))
    assert (build.folder / "option.o").read_bytes() != (build.folder / "neither.o").read_bytes()


@pytest.mark.parametrize("options", [("-O0",), ("-O0", "--pycoro-separate")], ids=" ".join)
def test_inferred_captures(build, options):
    shutil.copy(pathlib.Path(__file__).parents[1] / "real" / "captured" / "addresses.cpp", build.folder / "captured.cpp")
    fine(build(*options, "-c", "--pycoro-infer-captures", "captured.cpp", "-o", "option.o"))
    environment = {**os.environ, "TMPDIR": str(build.scratch()), "PYCORO_INFER_CAPTURES": "1"}
    fine(build(*options, "-c", "captured.cpp", "-o", "variable.o", env=environment))
    fine(build(*options, "-c", "captured.cpp", "-o", "neither.o"))
    option, variable, neither = ((build.folder / f"{name}.o").read_bytes() for name in ("option", "variable", "neither"))
    assert option == variable != neither


def test_remarks_about_cached_frames(build):
    options = ("-O2", "-c", "--pycoro-cache-frames", "-Rpass=coro-cache-frames", "-Rpass-missed=coro-cache-frames", "count.cpp")
    assert "@_Z5counti: memory of destroyed frames is kept for new ones" in build(*options).stderr
    assert "@_Z5counti: the frame is not allocated by the global" in build(*options, "-fcoro-aligned-allocation").stderr


def test_options_that_clang_and_its_tools_ignore(build):
    options = ("-fplugin-arg-pycoro-report=reports", "-fplugin-arg-pycoro-fallback")
    fine(build.clang("-c", "count.cpp", *options, "-Werror", "-Wall"))
    assert not (build.folder / "reports").exists()
    fine(build("-c", "count.cpp", *options))
    assert len(list((build.folder / "reports").iterdir())) == 1
    assert "-fplugin-arg-pycoro-report needs a value" in build("-c", "count.cpp", "-fplugin-arg-pycoro-report").stderr


@pytest.mark.skipif(shutil.which("ccache") is None, reason="not installed: ccache")
def test_a_report_with_ccache(build):
    """ccache does not run the compiler on a hit, unless it is told to."""
    environment = {**os.environ, "CCACHE_DIR": str(build.folder / "cache"), "PYCORO_REPORT": "reports"}
    for recache in (False, True):
        if recache:
            environment["CCACHE_RECACHE"] = "1"
            shutil.rmtree(build.folder / "reports")
        fine(build.call("ccache", PYCORO, "-std=c++20", "-c", "count.cpp", env=environment))
        assert len(list((build.folder / "reports").iterdir())) == 1


def test_names_and_values_that_clang_quotes(build):
    (build.folder / "co$t 'n\f.cpp").write_text(COUNTING + MAIN)
    options = ("-c", "-MMD", "-MQ", "of$it", '-DTEXT="a$b \\" c"', "co$t 'n\f.cpp", "-o", "a$b.o")
    written = []
    for compile in (build, build.clang):
        fine(compile(*options))
        written.append((build.folder / "a$b.d").read_text())
    assert written[0] == written[1]
    done = build("-c", "-DTWO=a\nb", "count.cpp")
    assert (done.returncode, done.stderr.partition(":")[0]) == (1, "pycoro-c++") and "contains a line break" in done.stderr


def test_a_level_that_clang_does_not_have(build):
    sizes = []
    for level in ("-O3", "-O9"):
        assert build(level, "-c", "count.cpp", "-o", "count.o").returncode == 0
        sizes.append(build.call("size", "count.o").stdout)
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("file", ["count.cpp", "plain.cpp"])
@pytest.mark.parametrize(
    "options",
    [("-Xclang", "-fdump-record-layouts-complete"), ("-MMD", "-MF", "-"), ("-Xclang", "-ast-dump=json"), ()],
    ids=" ".join,
)
def test_what_the_front_end_prints(build, options, file):
    ours, theirs = build(*options, "-c", file), build.clang(*options, "-c", file)
    address = re.compile(r"0x[0-9a-f]+")
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)
    assert address.sub("", ours.stdout) == address.sub("", theirs.stdout)
    assert ours.stdout or not options


def test_the_working_directory_option_is_respected(build):
    (build.folder / "other").mkdir()
    (build.folder / "other" / "wrong.cpp").write_text(COUNTING + TWO_FINALS)
    (build.folder / "wrong.o").write_text("of something else")
    assert build(f"-working-directory={build.folder / 'other'}", "-c", "wrong.cpp", "-o", "wrong.o").returncode == 1
    assert (build.folder / "wrong.o").read_text() == "of something else"


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_coverage_counts_source_functions(build, level):
    """Coverage by line, for one coroutine with several clones, and by region."""
    if not shutil.which("llvm-cov-22") or build.clang("--coverage", "-fprofile-instr-generate", "count.cpp").returncode:
        pytest.skip("llvm-cov-22 or the profiling libraries are not installed")
    shown = []
    for compile in (build.clang, build):
        fine(compile(level, "-fprofile-instr-generate", "-fcoverage-mapping", "count.cpp", "-o", "counted"))
        build.call(build.folder / "counted", env={**os.environ, "LLVM_PROFILE_FILE": "counts"})
        build.call("llvm-profdata-22", "merge", "counts", "-o", "merged")
        shown.append(build.call("llvm-cov-22", "report", "counted", "-instr-profile=merged").stdout)
        fine(compile(level, "--coverage", "count.cpp", "-o", "counted"))
        build.call(build.folder / "counted")
        build.call("llvm-cov-22", "gcov", *(file.name for file in build.folder.glob("*.gcda")))
        lines = (build.folder / "count.cpp.gcov").read_text().splitlines()
        shown.append([line.split(":")[0].strip().isdigit() for line in lines])
        for file in build.folder.glob("*.gc*"):
            file.unlink()
    assert shown[0] == shown[2] and "100.00%" in shown[0]
    assert shown[1] == shown[3]


def test_profiles_count_source_functions(build):
    (build.folder / "called.cpp").write_text(
        "#include <cstdio>\n#define NOT __attribute__((no_instrument_function))\nstatic int calls;\n"
        'extern "C" NOT void __cyg_profile_func_enter(void *, void *) { calls++; }\n'
        'extern "C" NOT void __cyg_profile_func_exit(void *, void *) {}\n'
        'struct Shown { NOT ~Shown() { std::printf("%d", calls > 20); } } shown;\n'
    )
    fine(build("-O2", "-finstrument-functions", "count.cpp", "called.cpp"))
    assert build.run() == OUTPUT + "1"


def test_the_engine_alone_lowers_as_with_a_report():
    """A report quotes instructions, and LLVM numbers the metadata of the whole module to print one of them."""
    from pycoro_driver.engine import lower_or_none
    from pycoro_driver.lowering import Lowered, lower

    bitcode = pycoro.Module(pycoro.examples.COUNTER).bitcode()
    reported = lower(bitcode, "default<O2>", "x")
    assert isinstance(reported, Lowered)
    assert list(reported.report.coroutines) == ["counter"]
    assert lower_or_none(bitcode, "default<O2>", from_clang=False) == reported.bitcode


def test_the_engine_alone_rejects_what_is_rejected_with_a_place():
    from pycoro_driver.engine import lower_or_none
    from pycoro_driver.lowering import Rejection, lower

    text = pycoro.examples.COUNTER.replace("@llvm.coro.suspend(token none, i1 false)", "@llvm.coro.suspend(token none, i1 true)")
    bitcode = pycoro.Module(text).bitcode()
    assert lower_or_none(bitcode, "coro-early,cgscc(coro-split)", from_clang=False) is None
    assert isinstance(lower(bitcode, "coro-early,cgscc(coro-split)", "x"), Rejection)
