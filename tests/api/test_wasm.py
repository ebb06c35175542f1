"""Coroutines that await in `try` in loops, run by a WebAssembly engine: they do what they do on this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import pycoro

HERE = Path(__file__).resolve().parent
SEEDS = 40
TOOLS = ("clang++-22", "llc-22", "wasm-ld-22")
EXCEPTIONS = ["-fwasm-exceptions", "-mllvm", "-wasm-enable-eh", "-mllvm"]
FOR_WASM = ["clang++-22", "--target=wasm32-unknown-unknown", "-std=c++20", "-w", "-nostdinc++"]
FEATURES = ["-mattr=+exception-handling,+reference-types,+multivalue", "-wasm-enable-eh", "-exception-model=wasm"]
NATIVE = """#include <cstdio>
extern "C" void run(int);
extern "C" void report(int number) { printf("%d\\n", number); }
int main() { for (int seed = 1; seed <= SEEDS; ++seed) run(seed); }
"""
NODE = """const out = [], env = {report: n => out.push(n)};
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
const run = new WebAssembly.Instance(module, {env}).exports.run;
for (let seed = 1; seed <= SEEDS; seed++) run(seed);
console.log(out.join("\\n"));
"""

missing = [tool for tool in TOOLS if not shutil.which(tool)]
pytestmark = [
    pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not found"),
    pytest.mark.xdist_group("wasm"),
]


def sh(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[int]:
    """Output of the program on this machine with LLVM's lowering."""
    folder = tmp_path_factory.mktemp("native")
    (folder / "main.cpp").write_text(NATIVE)
    program = folder / "program"
    sh("clang++-22", "-std=c++20", "-w", f"-DSEEDS={SEEDS}", HERE / "wasm_loops.cpp", folder / "main.cpp", "-o", program)
    return [int(line) for line in sh(program).split()]


def build(folder: Path, level: str, legacy: bool) -> Path:
    form = f"-wasm-use-legacy-eh={str(legacy).lower()}"
    ir, low, made, runtime, module = (folder / name for name in ("in.ll", "low.bc", "a.o", "runtime.o", "a.wasm"))
    front = ["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"]
    sh(*FOR_WASM, f"-{level}", *EXCEPTIONS, form, *front, HERE / "wasm_loops.cpp", "-o", ir)
    low.write_bytes(pycoro.lower(ir, f"default<{level}>").module.bitcode())
    sh("llc-22", "-filetype=obj", *FEATURES, form, low, "-o", made)
    sh(*FOR_WASM, "-O1", "-mexception-handling", "-c", HERE / "wasm_runtime.cpp", "-o", runtime)
    sh("wasm-ld-22", "--no-entry", "--allow-undefined", "--export=run", made, runtime, "-o", module)
    return module


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "Os"])
def test_exceptions_by_references(level, tmp_path, expected):
    wasmtime = pytest.importorskip("wasmtime", reason="wasmtime, a WebAssembly engine, is not installed")
    config = wasmtime.Config()
    config.wasm_exceptions = config.wasm_gc = config.wasm_function_references = True
    engine = wasmtime.Engine(config)
    store, linker, reported = wasmtime.Store(engine), wasmtime.Linker(engine), []
    linker.define_func("env", "report", wasmtime.FuncType([wasmtime.ValType.i32()], []), reported.append)
    module = wasmtime.Module.from_file(engine, str(build(tmp_path, level, legacy=False)))
    run = linker.instantiate(store, module).exports(store)["run"]
    for seed in range(1, SEEDS + 1):
        run(store, seed)
    assert reported == expected


@pytest.mark.skipif(not shutil.which("node"), reason="node, which runs the older form of exceptions, not found")
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "Os"])
def test_exceptions_of_the_older_form(level, tmp_path, expected):
    module = build(tmp_path, level, legacy=True)
    assert [int(line) for line in sh("node", "-e", NODE.replace("SEEDS", str(SEEDS)), module).split()] == expected
