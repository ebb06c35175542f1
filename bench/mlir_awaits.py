"""Compares the coroutine passes with LLVM's on functions of MLIR's async dialect with many awaits: `python bench/mlir_awaits.py`.

One coroutine awaits another N times. All N results are live until the end, so both lowerings spill them. MLIR's `async.await`
has a suspend whose result is sign-extended before its switch. Times are medians of processor time, as in run.py.
"""

from __future__ import annotations

import importlib.util
import pathlib
import shutil
import tempfile

import run

COUNTS = (400, 1_000)
EXAMPLE = run.ROOT / "examples" / "mlir" / "lower.py"


def awaits(count: int) -> str:
    """Return a module in MLIR's async dialect."""
    lines = [
        "async.func @leaf(%n: i64) -> !async.value<i64> { return %n : i64 }",
        "async.func @all(%n: i64) -> !async.value<i64> {",
        "  %sum0 = arith.constant 0 : i64",
    ]
    for i in range(count):
        lines += [
            f"  %c{i} = arith.constant {i} : i64",
            f"  %a{i} = arith.addi %n, %c{i} : i64",
            f"  %v{i} = async.call @leaf(%a{i}) : (i64) -> !async.value<i64>",
            f"  %x{i} = async.await %v{i} : !async.value<i64>",
        ]
    for i in range(count):
        lines += [f"  %k{i} = arith.muli %sum{i}, %x{i} : i64", f"  %sum{i + 1} = arith.addi %k{i}, %a{i} : i64"]
    return "\n".join([*lines, f"  return %sum{count} : i64", "}", ""])


def inputs(folder: pathlib.Path) -> dict[int, pathlib.Path]:
    """Return the LLVM IR for each count; empty without MLIR's tools."""
    if not shutil.which("mlir-opt-22") or not shutil.which("mlir-translate-22"):
        return {}
    spec = importlib.util.spec_from_file_location("example_mlir", EXAMPLE)
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    made: dict[int, pathlib.Path] = {}
    for count in COUNTS:
        made[count] = folder / f"mlir-{count}.ll"
        made[count].write_text(example.translate(awaits(count)))
    return made


def main() -> None:
    program = run.build()
    with tempfile.TemporaryDirectory() as place:
        print(run.header())
        for count, ir in inputs(pathlib.Path(place)).items():
            print(run.row(f"{count} awaits of MLIR", run.measure(program, ir, True)), flush=True)


if __name__ == "__main__":
    main()
