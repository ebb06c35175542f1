"""Measures how many variables a debugger finds in lowered code, by pycoro and by LLVM: `python bench/located.py [FILE ...]`.

It compiles every program of tests/real at each level with -g. llvm-dwarfdump --statistics counts the bytes of variables' scopes
with a location, over all functions of a unit. The result is the mean over the units.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import tempfile

import pycoro

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEVELS = ("O0", "O1", "O2")
LOWERINGS = ("pycoro", "LLVM")
SCOPES = "sum_all_variables(#bytes in parent scope)"
COVERED = "sum_all_variables(#bytes in parent scope covered by DW_AT_location)"
FLAGS = ["-std=c++20", "-g", "-w", "-emit-llvm", "-c", "-Xclang", "-disable-llvm-passes"]

Counts = tuple[int, int]
"""Return the covered bytes and the total."""


def run(*command: str | pathlib.Path, given: bytes = b"") -> bytes:
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def lowered(bitcode: bytes, level: str, by: str) -> bytes:
    if by == "LLVM":
        return run("opt-22", f"-passes=default<{level}>", "-", "-o", "-", given=bitcode)
    module = pycoro.Module(bitcode)
    module.run(f"default<{level}>")
    return module.bitcode()


def counted(source: pathlib.Path, level: str) -> dict[str, Counts]:
    bitcode = run("clang++-22", *FLAGS, f"-{level}", "-x", "c++", source, "-o", "-")
    found = {}
    for by in LOWERINGS:
        with tempfile.NamedTemporaryFile(suffix=".o") as made:
            run("llc-22", f"-{level}", "-filetype=obj", "-", "-o", made.name, given=lowered(bitcode, level, by))
            told = json.loads(run("llvm-dwarfdump-22", "--statistics", made.name))
        found[by] = (told[COVERED], told[SCOPES])
    return found


def programs() -> list[pathlib.Path]:
    real = ROOT / "tests/real"
    return sorted(path for folder in ("programs", "exceptions", "debugged") for path in (real / folder).glob("*.cpp"))


def all_counted(files: list[pathlib.Path], level: str) -> list[dict[str, Counts]]:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda file: counted(file, level), files))


def shares(units: list[dict[str, Counts]]) -> list[float]:
    """Return the mean over the units, for pycoro and for LLVM."""
    return [statistics.mean(unit[by][0] / max(unit[by][1], 1) for unit in units) for by in LOWERINGS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--level", choices=LEVELS, action="append")
    parser.add_argument("--worst", type=int, default=8)
    options = parser.parse_args()
    files = options.files or programs()
    print("| level | units | pycoro | LLVM |\n| --- | --- | --- | --- |")
    behind = []
    for level in options.level or LEVELS:
        units = all_counted(files, level)
        ours, theirs = shares(units)
        print(f"| {level} | {len(units)} | {ours:.1%} | {theirs:.1%} |", flush=True)
        for file, unit in zip(files, units, strict=True):
            ours, theirs = (unit[by][0] / max(unit[by][1], 1) for by in LOWERINGS)
            behind.append((ours - theirs, level, file.name, ours, theirs))
    print("\nbehind LLVM's:")
    for lost, level, name, ours, theirs in sorted(behind)[: options.worst]:
        if lost < 0:
            print(f"{level} {name}: {ours:.1%}, LLVM's {theirs:.1%}")


if __name__ == "__main__":
    main()
