"""Measures how compile time grows with the depth of the call graph: `python bench/depth.py [DEPTH ...] [-g] [--level O2]`.

`pycoro-c++` and `clang++-22` alternately compile bench/chain.cpp, a chain of DEPTH + 1 coroutines that each await the next. The
script prints the minimum processor time of a few rounds in seconds (user and system, of the driver and all of its processes), the
ratio, and the exponent of the growth from each depth to the largest. Small depths include the constant cost of a process. At depth
341 the frames exceed pycoro's limit of elided frames, so the code of one link is longer from there on.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import shutil
import sys
import tempfile

from run import exponent, processor_seconds

CHAIN = pathlib.Path(__file__).with_name("chain.cpp")
DEPTHS = [25, 50, 100, 200, 400, 800, 1600]


def measured(depth: int, flags: list[str], rounds: int) -> tuple[float, float]:
    """Return the seconds of pycoro and of clang."""
    driver = pathlib.Path(sys.executable).with_name("pycoro-c++")
    ours = theirs = math.inf
    with tempfile.TemporaryDirectory() as folder:
        rest = [*flags, f"-DDEPTH={depth}", f"-ftemplate-depth={depth + 100}", "-c", str(CHAIN), "-o", f"{folder}/chain.o"]
        for _ in range(rounds):
            ours = min(ours, processor_seconds(str(driver), *rest))
            theirs = min(theirs, processor_seconds("clang++-22", *rest))
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("depths", nargs="*", type=int, default=DEPTHS, metavar="DEPTH")
    parser.add_argument("-g", dest="debug", action="store_true", help="with debug information")
    parser.add_argument("--level", default="O2", help="of optimization; O2 without this option")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    if not shutil.which("clang++-22"):
        sys.exit("clang++-22 is not installed")
    flags = ["-std=c++20", f"-{options.level}", *(["-g"] if options.debug else [])]
    rows = []
    print(f"{'depth':>6} {'pycoro s':>9} {'clang s':>9} {'ratio':>6}")
    for depth in options.depths:
        ours, theirs = measured(depth, flags, options.rounds)
        rows.append((depth, ours, theirs))
        print(f"{depth:6} {ours:9.2f} {theirs:9.2f} {ours / theirs:6.2f}", flush=True)
    for row in rows[:-1]:
        ours, theirs = (exponent((row[0], row[i]), (rows[-1][0], rows[-1][i])) for i in (1, 2))
        print(f"growth from {row[0]}: depth to the power of {ours:.2f} by pycoro, {theirs:.2f} by clang")


if __name__ == "__main__":
    main()
