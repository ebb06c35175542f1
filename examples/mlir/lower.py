"""Compiles a program in MLIR's async dialect: mlir-opt converts it to MLIR's LLVM dialect, mlir-translate to LLVM IR, pycoro lowers
its coroutines, and cc links MLIR's runtime. `python lower.py await.mlir -o await && ./await`"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pycoro

CONVERSIONS = (
    "--async-parallel-for=num-workers=4",  # scf.parallel -> async.execute
    "--convert-scf-to-cf",  # before coroutines are split into blocks, which scf regions cannot have
    "--async-func-to-async-runtime",  # async.func -> coroutines
    "--async-to-async-runtime",  # async.execute -> outlined coroutines
    "--async-runtime-ref-counting",
    "--async-runtime-ref-counting-opt",
    "--convert-async-to-llvm",  # async.coro.* -> llvm.coro.*
    "--convert-vector-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
)
LIBRARIES = Path("/usr/lib/llvm-22/lib")
"""Directory of the package libmlir-22."""
RUNTIME = ("libmlir_async_runtime.so.22.1", "libmlir_c_runner_utils.so.22.1")


def call(*command: str | Path, given: str = "") -> str:
    """Run a tool; return its output. Exits with its error messages if it fails."""
    done = subprocess.run([str(word) for word in command], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout


def translate(source: str) -> str:
    """Return the LLVM IR of MLIR's text, with presplit coroutines."""
    return call("mlir-translate-22", "--mlir-to-llvmir", given=call("mlir-opt-22", *CONVERSIONS, given=source))


def link(code: bytes, program: Path) -> None:
    """Link an object file with MLIR's runtime."""
    made = program.with_suffix(".o")
    made.write_bytes(code)
    # The runtime uses libLLVM. GNU ld would read that whole library to check its symbols, which takes longer than the rest.
    options = [f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-Wl,--allow-shlib-undefined"]
    call("cc", made, "-o", program, *options, *(f"-l:{name}" for name in RUNTIME))


def main() -> None:
    parser = argparse.ArgumentParser(description="compile a program in MLIR's async dialect")
    parser.add_argument("source", type=Path)
    parser.add_argument("-o", dest="program", type=Path, required=True)
    parser.add_argument("--frames", action="store_true", help="print the coroutine frames")
    options = parser.parse_args()
    report = pycoro.lower(translate(options.source.read_text()), "default<O2>", host=True)
    if options.frames:
        for coroutine in report.coroutines.values():
            print(coroutine.name, coroutine.frame.size)
    link(report.module.emit(), options.program)


if __name__ == "__main__":
    main()
