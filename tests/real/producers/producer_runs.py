"""Coroutines of producers other than clang, lowered by pycoro and by LLVM, and run: `python producer_runs.py --write` updates the
table in docs/producer-tests.md.

Inputs are the modules of this directory, with a header `; producer:`, `; llvm:` (the version that reads it unchanged), `; abi:`,
`; expect:` (the numbers that `run` reports), the programs of examples/mlir, and those of tests/swift. Each is lowered with every
pipeline. Optional headers are `; link:` (more C files of this directory) and `; targets:` (`native`, `wasm32`, or both).
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pycoro
from pycoro import oracle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests" / "swift")]

import swiftshapes as shapes  # noqa: E402

PAGE = ROOT / "docs" / "producer-tests.md"
MLIR = ROOT / "examples" / "mlir"
PIPELINES = ("coro-early,cgscc(coro-split),coro-cleanup", "default<O2>", "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup")
WASM = (
    'target datalayout = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"\n'
    'target triple = "wasm32-unknown-unknown"\n'
)
LISTS = {"expect": "", "link": "", "targets": "native wasm32"}
"""Headers that are lists, with their defaults."""
SWIFT = re.compile(r"\.\.\.\) @llvm\.coro\.id|id\.retcon\.once\.dynamic")
"""Intrinsics that only Swift's LLVM has."""
MAIN = """#include <stdint.h>
#include <stdio.h>
void run(void);
void report(int32_t number) { printf("%d\\n", number); }
int main(void) { run(); }
"""


Output: TypeAlias = tuple[str, ...]
"""Words that a program prints."""
Key: TypeAlias = tuple[str, str, str, str]
"""Producer, version, ABI, target."""


@dataclass(frozen=True)
class Input:
    """One module, or program of MLIR."""

    path: Path
    producer: str
    version: str
    abi: str
    expected: tuple[str, ...]
    link: tuple[str, ...] = ()
    """More C files."""
    targets: tuple[str, ...] = ("native", "wasm32")

    @property
    def is_mlir(self) -> bool:
        return self.path.suffix == ".mlir"

    @property
    def is_swift(self) -> bool:
        return self.producer == "Swift"


@dataclass
class Row:
    """Runs of a producer's inputs for one target."""

    inputs: set[str] = field(default_factory=set)
    agree: int = 0
    """Both lowerings behave as expected."""
    pycoro_right: int = 0
    """Only pycoro's does."""
    rejected: int = 0
    """pycoro rejects the input."""
    wrong: list[str] = field(default_factory=list)
    """pycoro's lowering behaves differently."""

    def count(self, label: str, expected: Output, ours: Output, theirs: Output) -> None:
        """Count a run of both lowerings."""
        if ours != expected:
            self.wrong.append(f"{label}: {' '.join(ours)}")
        elif theirs == expected:
            self.agree += 1
        else:
            self.pycoro_right += 1


@cache
def mlir() -> Any:
    """Return the module examples/mlir/lower.py."""
    spec = importlib.util.spec_from_file_location("example_mlir", MLIR / "lower.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs() -> list[Input]:
    found: list[Input] = []
    for path in sorted(HERE.glob("*.ll")):
        header = dict(re.findall(r"^; (producer|llvm|abi|expect|link|targets): (.*)$", path.read_text(), re.MULTILINE))
        lists = {key: tuple(header.get(key, default).split()) for key, default in LISTS.items()}
        found.append(
            Input(path, header["producer"], header["llvm"], header["abi"], lists["expect"], lists["link"], lists["targets"])
        )
    table = re.findall(r"^\| \[(\w+\.mlir)\][^|]*\|[^|]*\| ([\d, ]+) \|", (MLIR / "README.md").read_text(), re.MULTILINE)
    for name, printed in table:
        dialect = "LLVM dialect" if "llvm.func" in (MLIR / name).read_text() else "async dialect"
        found.append(Input(MLIR / name, f"MLIR, {dialect}", "22", "switch", tuple(printed.split(", ")), targets=("native",)))
    for path in shapes.PROGRAMS:
        version = "Swift's" if SWIFT.search(path.read_text()) else "22"
        found.append(Input(path, "Swift", version, shapes.abis(path), tuple(shapes.wanted(path).split()), targets=("native",)))
    return found


def missing(target: str, given: Input) -> str:
    """Return the missing tools of a target; empty if there are none."""
    if given.is_swift:
        return "" if shapes.harness.llvm_version() == "22.1.8" else "opt 22.1.8, whose results the page has"
    if given.is_mlir:
        tools = [tool for tool in ("mlir-opt-22", "mlir-translate-22", "cc") if not shutil.which(tool)]
        tools += [name for name in mlir().RUNTIME if not (mlir().LIBRARIES / name).exists()]
    elif target == "wasm32":
        tools = [tool for tool in ("clang-22", "wasm-ld-22") if not shutil.which(tool)]
        tools += [] if importlib.util.find_spec("wasmtime") else ["wasmtime"]
    else:
        tools = [] if shutil.which("cc") else ["cc"]
    return ", ".join(tools)


def read(given: Input, target: str) -> pycoro.Module:
    """Return the presplit module for a target."""
    text = given.path.read_text()
    if given.is_mlir:
        return pycoro.Module(mlir().translate(text), host=True)
    if target == "wasm32":
        return pycoro.Module(WASM + text, upgrade=True)
    return pycoro.Module(str(pycoro.Module(text, upgrade=True)), host=True)


def by_llvm(module: pycoro.Module, passes: str) -> pycoro.Module | None:
    """Return LLVM's lowering; None if it fails."""
    lowered = oracle.LLVM(passes).lower(str(module))
    return None if isinstance(lowered, oracle.Run) else pycoro.Module(lowered)


def sources(given: Input) -> list[Path]:
    """Return the C files that are linked with a module."""
    return [HERE / "runtime.c", *(HERE / name for name in given.link)]


def run(module: pycoro.Module, given: Input, target: str, folder: Path) -> tuple[str, ...]:
    """Return what a lowered module reports; one line that starts with "error" if it fails."""
    code, program = folder / "module.o", folder / "program"
    try:
        code.write_bytes(module.emit(level=2))
    except pycoro.Error as error:
        return (f"error: {error.message}",)
    if target == "wasm32":
        return _run_wasm(code, given, folder)
    if given.is_mlir:
        mlir().link(code.read_bytes(), program)
    else:
        (folder / "main.c").write_text(MAIN)
        subprocess.run(["cc", "-O1", code, *sources(given), folder / "main.c", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    return tuple(done.stdout.split()) if not done.returncode else (f"error: exit status {done.returncode}",)


def _run_wasm(code: Path, given: Input, folder: Path) -> tuple[str, ...]:
    import wasmtime

    program, objects = folder / "program.wasm", [code]
    for source in sources(given):
        objects.append(folder / f"{source.stem}.o")
        compiler = ["clang-22", "--target=wasm32-unknown-unknown", "-O1", "-ffreestanding"]
        subprocess.run([*compiler, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["wasm-ld-22", "--no-entry", "--allow-undefined", "--export=run", *objects, "-o", program], check=True)
    engine = wasmtime.Engine()
    store, linker = wasmtime.Store(engine), wasmtime.Linker(engine)
    reported: list[int] = []
    linker.define_func("env", "report", wasmtime.FuncType([wasmtime.ValType.i32()], []), reported.append)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program)))
    try:
        instance.exports(store)["run"](store)
    except wasmtime.Trap as trap:
        return (f"error: {trap.message}",)
    return tuple(map(str, reported))


def compare(given: Input, target: str, folder: Path, row: Row) -> None:
    """Lower an input with each pipeline, run it, and count the results in a row."""
    row.inputs.add(given.path.name)
    if given.is_swift:
        for pipeline in shapes.PIPELINES:
            ours, theirs = (tuple(shapes.run(given.path, mode, pipeline, folder).split()) for mode in ("pycoro", "reference"))
            row.count(f"{given.path.name}, {pipeline}", given.expected, ours, theirs)
        return
    presplit = read(given, target)
    for passes in PIPELINES:
        module = presplit.copy()
        try:
            module.run(passes)
        except pycoro.RejectedError:
            row.rejected += 1
            continue
        ours = run(module, given, target, folder)
        lowered = by_llvm(presplit, passes)
        theirs = run(lowered, given, target, folder) if lowered is not None else ("error",)
        row.count(f"{given.path.name}, {passes}, {target}", given.expected, ours, theirs)


def line(key: Key, row: Row) -> str:
    """Return a row of the table."""
    return f"| {' | '.join(key)} | {len(row.inputs)} | {row.agree} | {row.pycoro_right} | {row.rejected} |"


def grouped() -> dict[Key, list[Input]]:
    """Return the inputs of each row."""
    found: dict[Key, list[Input]] = defaultdict(list)
    for given in inputs():
        for target in given.targets:
            found[given.producer, given.version, given.abi, target].append(given)
    return dict(found)


def measured(key: Key, given: list[Input]) -> Row:
    row = Row()
    with tempfile.TemporaryDirectory() as folder:
        for one in given:
            compare(one, key[3], Path(folder), row)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description="run the coroutines of producers other than clang")
    parser.add_argument("--write", action="store_true", help=f"update the table in {PAGE.name}")
    options = parser.parse_args()
    found = {key: measured(key, given) for key, given in sorted(grouped().items()) if not missing(key[3], given[0])}
    table = "\n".join(line(key, row) for key, row in found.items())
    print(table, *(wrong for row in found.values() for wrong in row.wrong), sep="\n")
    if options.write:
        before, start, rest = PAGE.read_text().partition("| --- | --- | --- | --- | --: | --: | --: | --: |\n")
        assert start, f"{PAGE} has no table"
        PAGE.write_text(before + start + table + "\n" + re.sub(r"\A(?:\| .*\n)*", "", rest))


if __name__ == "__main__":
    main()
