"""Compares the passes of this checkout with another's, in alternating runs: `python bench/against.py OTHER [FILE.ll ...]`.

OTHER is a checkout of another commit. Both build the program of bench/run.py and lower the same modules alternately. The script
prints the ratios of the minimum processor times and of the memory. Without files it uses the inputs of bench/run.py, one size each.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import run
from families import FAMILIES

TURNS = 7
SIZE = 2_000
ROUNDS = 5


def built(checkout: pathlib.Path) -> pathlib.Path:
    """Build the timing program of a checkout with its own script."""
    made = "import run; print(run.build())"
    done = subprocess.run([sys.executable, "-c", made], cwd=checkout / "bench", stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(done.stdout.split()[-1])


def inputs(folder: pathlib.Path) -> list[pathlib.Path]:
    made = run.real_inputs(folder)
    for make, sizes, _ in FAMILIES.values():
        size = max(size for size in sizes if size <= max(SIZE, min(sizes)))
        made.append(folder / f"{make.__name__}-{size}.ll")
        made[-1].write_text(make(size))
    return made


def least(program: pathlib.Path, ir: pathlib.Path) -> tuple[float, float] | None:
    """Return milliseconds, and megabytes of the whole process."""
    seen = run.child(program, ir, ROUNDS, ["pycoro"])
    return (min(seen["pycoro"]) / 1e6, seen["rss"][0] / 1024) if seen else None


def compare(ours: pathlib.Path, theirs: pathlib.Path, ir: pathlib.Path) -> float | None:
    turns = [(least(ours, ir), least(theirs, ir)) for _ in range(TURNS)]
    whole = [(mine, other) for mine, other in turns if mine and other]
    if not whole:
        print(f"| {ir.stem:34} | not lowered by both |")
        return None
    mine, other = (min(turn[who][0] for turn in whole) for who in (0, 1))
    memory = statistics.median(turn[0][1] / turn[1][1] for turn in whole)
    print(f"| {ir.stem:34} | {mine:9.2f} | {other:9.2f} | {mine / other:5.2f} | {memory:5.2f} |", flush=True)
    return mine / other


def main() -> int:
    parser = argparse.ArgumentParser(description="this checkout's passes against another's")
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    ours, theirs = run.build(), built(arguments.other.resolve())
    print("| input                              |   ms here |  ms there | ratio | memory |\n| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as temporary:
        made = arguments.files or inputs(pathlib.Path(temporary))
        ratios = [ratio for ir in made if (ratio := compare(ours, theirs, ir))]
    if ratios:
        print(f"\ngeometric mean {statistics.geometric_mean(ratios):.3f}, worst {max(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
