"""Symmetric transfer where functions cannot tail-call: the stack does not grow, and the rest behaves as in clang's build."""

import pathlib
import re
import shutil
import subprocess

import coroharness as harness
import pytest

HERE = pathlib.Path(__file__).parent
FIRST, SECOND = HERE / "transfers" / "first.cpp", HERE / "transfers" / "second.cpp"
DEEP = [
    HERE / "programs" / "task_chain.cpp",
    *(HERE / "exceptions" / f"{name}.cpp" for name in ("million_deep", "across_transfers")),
]
STAY = "-fno-optimize-sibling-calls"
WITH_EXCEPTIONS, WITHOUT = ("-std=c++20",), harness.LANGUAGE
MANY, FEW = "1000000", "100"
PLAYERS = HERE.parent / "ir" / "switch" / "symmetric-transfer.ll"

pytestmark = pytest.mark.skipif(bool(harness.missing_tools()), reason=f"not installed: {harness.missing_tools()}")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Return a function build(source, level, by, flags): an object by clang, or lowered to jumps or to loops."""
    done = {}

    def make(source: pathlib.Path, level: str, by: str, flags: tuple[str, ...]) -> pathlib.Path:
        key = (source, level, by, flags)
        if key not in done:
            folder = tmp_path_factory.mktemp(by)
            if by == "clang":
                done[key] = harness.clang_object(source, level, flags)
            else:
                own = (*flags, STAY) if by == "loops" else flags
                done[key] = harness.lowered_object(source, folder, level, flags=own)
        return done[key]

    return make


def run(objects: list[pathlib.Path], program: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run on a stack of 256 KiB."""
    command = ["sh", "-c", 'ulimit -s 256 && exec "$@"', "sh", str(harness.link(objects, program)), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("flags", [WITH_EXCEPTIONS, WITHOUT], ids=["exceptions", "none"])
@pytest.mark.parametrize("level", harness.LEVELS)
def test_a_million_transfers_do_not_grow_the_stack(level, flags, build, tmp_path):
    loops, clang = (run([build(s, level, by, flags) for s in (FIRST, SECOND)], tmp_path / by, MANY) for by in ("loops", "clang"))
    assert clang.returncode == 0 and clang.stdout.startswith(f"{MANY} and {MANY} turns\n")
    assert (loops.returncode, loops.stdout) == (0, clang.stdout)
    depths = [int(line.split()[0]) for line in loops.stderr.splitlines()]
    assert len(depths) >= 2 and max(depths) < 1024, "bytes between the deepest and the highest of all transfers"


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize(("first", "second"), [("loops", "clang"), ("clang", "loops"), ("loops", "jumps"), ("jumps", "loops")])
def test_objects_of_different_lowerings_link(first, second, level, build, tmp_path):
    """The stack grows with each transfer between the two kinds; nothing else differs."""
    expected = run([build(s, level, "clang", WITH_EXCEPTIONS) for s in (FIRST, SECOND)], tmp_path / "clang", FEW)
    mixed = [build(s, level, by, WITH_EXCEPTIONS) for s, by in ((FIRST, first), (SECOND, second))]
    done = run(mixed, tmp_path / "mixed", FEW)
    assert (done.returncode, done.stdout) == (0, expected.stdout)


@pytest.mark.parametrize("level", harness.LEVELS)
@pytest.mark.parametrize("program", DEEP, ids=lambda p: p.stem)
def test_chains(program, level, build, tmp_path):
    loops, clang = (run([build(program, level, by, WITH_EXCEPTIONS)], tmp_path / by) for by in ("loops", "clang"))
    assert clang.returncode == 0 and clang.stdout
    assert (loops.returncode, loops.stdout) == (0, clang.stdout)


@pytest.mark.parametrize("level", harness.LEVELS)
def test_an_exception_passes_the_transferring_coroutine(level, build, tmp_path):
    """It also passes a noexcept function, as after a jump; clang's optimizer ends the process there."""
    done = run([build(s, level, "loops", WITH_EXCEPTIONS) for s in (FIRST, SECOND)], tmp_path / "loops", FEW, "calm")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "from below through a calm one, done 0")


# The functions of a C library that the players need.
LIBRARY = """
extern unsigned char __heap_base;
void say(int);
static unsigned char *top = &__heap_base;
void *malloc(unsigned long size) { top += 64; return top - 64 + 0 * size; }
void free(void *memory) {}
int printf(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  say(__builtin_va_arg(list, int));
  return 0;
}
"""
RUNNER = """
const bytes = require('fs').readFileSync(process.argv[2]);
const imports = {env: {say: number => console.log(number)}};
WebAssembly.instantiate(bytes, imports).then(made => made.instance.exports.__original_main());
"""


@pytest.mark.skipif(not (shutil.which("wasm-ld-22") and shutil.which("node")), reason="wasm-ld-22 or node is not installed")
def test_wasm_without_tail_calls(tmp_path):
    """LLVM's lowering fails with `Maximum call stack size exceeded` here."""
    text = PLAYERS.read_text().replace("200000", MANY)
    text = re.sub(r"target triple.*", 'target triple = "wasm32-unknown-unknown"', re.sub(r"target datalayout.*", "", text))
    source, library, runner = (tmp_path / name for name in ("players.ll", "library.c", "run.cjs"))
    for path, content in ((source, text), (library, LIBRARY), (runner, RUNNER)):
        path.write_text(content)
    lowered = harness.lower(source, tmp_path / "lowered.ll", harness.PIPELINES["-O0"])
    harness.call("llc", [harness.LLC, "-O2", "-filetype=obj", str(lowered), "-o", str(tmp_path / "players.o")])
    compile_library = ["clang-22", "--target=wasm32-unknown-unknown", "-O1", "-c", str(library), "-o", str(tmp_path / "library.o")]
    harness.call("clang", compile_library)
    objects = [str(tmp_path / name) for name in ("players.o", "library.o")]
    program = tmp_path / "players.wasm"
    harness.call(
        "link", ["wasm-ld-22", "--no-entry", "--allow-undefined", "--export=__original_main", *objects, "-o", str(program)]
    )
    assert harness.call("run", ["node", str(runner), str(program)]).split() == [MANY]
