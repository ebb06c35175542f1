"""Measures the cost of Python passes that change nothing: `python bench/looking.py [FILE.ll ...]`.

Each module runs through pycoro's passes alone, then with a pass that inspects nothing, with one that inspects one function, and
with one that is called for every function, in alternating rounds. The script prints the minimum processor times and their ratios
to the first. Without files it uses 2,500 coroutines with as many functions, 20,000 functions with ten coroutines, and the largest
of the programs in tests/real.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "real")]
import coroharness as harness  # noqa: E402
import growing  # noqa: E402
import parts  # noqa: E402

import pycoro  # noqa: E402

PASSES = ("coro-early", "cgscc(coro-split)", "coro-cleanup")
TURNS = 9


class Nothing(pycoro.ModulePass):
    """Inspects nothing."""

    name = "nothing"

    def run(self, module: pycoro.Module) -> None:
        pass


class One(pycoro.ModulePass):
    """Inspects the instructions of one function."""

    name = "one"

    def __init__(self, function: str) -> None:
        self.function = function

    def run(self, module: pycoro.Module) -> None:
        for instruction in module.functions[self.function].walk():
            _ = instruction.opcode


class Each(pycoro.FunctionPass):
    """Is called for every function."""

    name = "each"

    def run(self, function: pycoro.ir.Function, module: pycoro.Module) -> None:
        pass


def few(n: int) -> str:
    plain = parts.each(n, "define void @p{i}() {\n  call void @use(i64 {i})\n  ret void\n}\n\n")
    return parts.module(plain, *(parts.small(f"f{i}") for i in range(10)))


def largest(folder: pathlib.Path) -> tuple[str, str]:
    """Return the presplit IR of the largest program."""
    sources = [source for program in harness.programs() for source in harness.sources(program)]
    files = [harness.emit_ir(source, folder / f"{source.stem}.ll", "-O0") for source in sources]
    file = max(files, key=lambda file: file.stat().st_size)
    return file.stem, file.read_text()


def once(text: str, pipeline: pycoro.Pipeline) -> float:
    module = pycoro.Module(text)
    start = time.process_time()
    module.run(pipeline)
    return time.process_time() - start


def measure(name: str, text: str) -> None:
    module = pycoro.Module(text)
    first = next(function.name for function in module.functions.values() if function.is_coroutine)
    print(f"{name}: {len(module.functions):,} functions, {len(text) / 1e6:.1f} MB of text")
    cases = {
        "alone": pycoro.Pipeline(*PASSES),
        "and one that looks at nothing": pycoro.Pipeline(Nothing(), *PASSES),
        "behind them": pycoro.Pipeline(*PASSES, Nothing()),
        "and one that looks at one function": pycoro.Pipeline(One(first), *PASSES),
        "and one for each function": pycoro.Pipeline(Each(), *PASSES),
    }
    turns = [{case: once(text, pipeline) for case, pipeline in cases.items()} for _ in range(TURNS)]
    least = {case: min(turn[case] for turn in turns) for case in cases}
    for case, seconds in least.items():
        print(f"  {case:36} {seconds * 1e3:8.1f} ms  {seconds / least['alone']:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description="measures Python passes that change nothing")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="modules as text, one per file")
    files = parser.parse_args().files
    for file in files:
        measure(file.stem, file.read_text())
    if files:
        return 0
    measure("coroutines and functions", growing.functions(2_500))
    measure("ten coroutines", few(20_000))
    with tempfile.TemporaryDirectory() as folder:
        measure(*largest(pathlib.Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
