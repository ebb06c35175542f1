"""Measures what the checker of lowerings adds to the cost of a lowering: `python bench/checked.py [FILE.bc ...]`.

Without files it compiles the programs of tests/real with clang++-22. Each module is lowered with and without the checker, in turn
and in one process. The script prints the sums of the processor times, and the programs with the highest ratios. `--growth` lowers
generated coroutines of increasing size instead: the ratio and the time per suspend show whether the cost is linear.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import families

import pycoro

ROOT = pathlib.Path(__file__).resolve().parents[1]
FLAGS = ["-std=c++20", "-O2", "-w", "-emit-llvm", "-c", "-Xclang", "-disable-llvm-passes"]
PASSES = "coro-early,cgscc(coro-split)"
GOAL = 0.25
FAMILIES: dict[str, Callable[[int], str]] = {
    "suspends": families.suspends,
    "values over all suspends": families.values,
    "variables over all suspends": families.variables,
    "returned continuations": families.continuations,
    "async": families.tasks,
}


def programs() -> Iterator[tuple[str, bytes]]:
    real = ROOT / "tests/real"
    for path in sorted(path for folder in ("programs", "exceptions", "debugged") for path in (real / folder).glob("*.cpp")):
        made = subprocess.run(["clang++-22", *FLAGS, "-x", "c++", path, "-o", "-"], capture_output=True, check=False)
        if not made.returncode:
            yield path.stem, made.stdout


def seconds(ir: object, check: bool) -> float:
    module = pycoro.Module(ir, trusted=True)
    start = time.process_time()
    module.run(PASSES, verify=False, check=check)
    return time.process_time() - start


def measure(ir: object, rounds: int) -> tuple[float, float]:
    """Return the least processor times without and with the checker."""
    pairs = [(seconds(ir, False), seconds(ir, True)) for _ in range(rounds)]
    return min(plain for plain, _ in pairs), min(checked for _, checked in pairs)


def report(inputs: Iterator[tuple[str, bytes]], rounds: int) -> bool:
    rows = [(name, *measure(ir, rounds)) for name, ir in inputs]
    plain, checked = sum(row[1] for row in rows), sum(row[2] for row in rows)
    ratio = checked / plain - 1
    print(f"{len(rows)} modules: {plain:.3f} s without the checker, {checked:.3f} s with it: +{ratio:.1%} (goal: {GOAL:.0%})")
    for name, one, other in sorted(rows, key=lambda row: row[1] / row[2])[:5]:
        print(f"{name:>32} {1000 * one:8.1f} ms {1000 * other:8.1f} ms  +{other / one - 1:.0%}")
    return ratio <= GOAL


def growth(largest: int, rounds: int) -> None:
    for name, family in FAMILIES.items():
        print(f"{name}: suspends, seconds without and with the checker, microseconds of the checker for each suspend")
        count = 1_000
        while count <= largest:
            plain, checked = measure(family(count), rounds)
            print(
                f"{count:>8} {plain:8.2f} {checked:8.2f}  +{checked / plain - 1:.0%} {1e6 * (checked - plain) / count:8.1f}",
                flush=True,
            )
            count *= 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--growth", type=int, metavar="SUSPENDS", help="the largest number of suspends")
    options = parser.parse_args()
    if options.growth:
        growth(options.growth, min(options.rounds, 2))
        return 0
    files = ((path.stem, path.read_bytes()) for path in options.files)
    return int(not report(files if options.files else programs(), options.rounds))


if __name__ == "__main__":
    sys.exit(main())
