"""A campaign of pairs of a coroutine and an ABI: `python tests/props/abis.py --count 20000 --jobs 2`.

Each program is lowered by the standard ABIs and by ones that are drawn (field orders, layouts, what is kept and what is computed
again, hooks), run, and compared by what it does. Every number is a program; those in a row share an ABI, so that they share
modules. What differs is printed with the seed and the expression that makes the ABI, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from pycoro import CoroSplit, Pipeline, oracle, strategies

OPTIONS = strategies.ALL
STANDARD = "coro-early,cgscc(coro-split),coro-cleanup"
REUSING = "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup"
SHARED = 16  # programs that an ABI lowers


def lowering(abi: strategies.DrawnABI, *, reuse: bool = False) -> oracle.ByPipeline:
    """By the ABI alone."""
    return oracle.ByPipeline(Pipeline("coro-early", CoroSplit(reuse_storage=reuse, abis=abi.abis), "coro-cleanup"))


def compare(judge: oracle.Oracle, first: int, count: int, *, reuse: bool = False) -> list[str]:
    """Programs from a number on, by the ABI of that number and by the standard: what is wrong."""
    abi = strategies.sample_abi(first)
    programs = {f"seed {seed}": strategies.sample(seed, OPTIONS) for seed in range(first, first + count)}
    cases = [oracle.Case(strategies.module([program]), ramp="drives", name=name) for name, program in programs.items()]
    standard = f"pycoro:{REUSING if reuse else STANDARD}"
    outcomes = judge.compare_cases(cases, lowering=lowering(abi, reuse=reuse), reference=standard, allocation=False)
    return [
        f"{outcome.case.name}, {abi}: {outcome.difference or outcome.unconfirmed or outcome.verdicts[0]}"
        for outcome in outcomes
        if outcome.unconfirmed or not outcome.equal
    ]


def shard(first: int, count: int) -> tuple[int, list[str]]:
    """Programs by one ABI, in a worker's own oracle; every third with storage that is reused."""
    with oracle.Oracle() as judge:
        wrong: list[str] = []
        for start in range(first, first + count, SHARED):
            wrong += compare(judge, start, min(SHARED, first + count - start), reuse=start // SHARED % 3 == 2)
        return count, wrong


def main() -> int:
    """0: all pairs agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="pairs")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the first")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    options = parser.parse_args()
    began, done, found = time.monotonic(), 0, 0
    size = 8 * SHARED
    last = options.seed + options.count
    with ProcessPoolExecutor(options.jobs) as pool:
        starts = range(options.seed, last, size)
        for count, wrong in pool.map(shard, starts, [min(size, last - start) for start in starts]):
            done, found = done + count, found + len(wrong)
            print("".join(f"{line}\n" for line in wrong), end="", flush=True)
            if sys.stderr.isatty():
                print(f"\r{done} pairs, {found} differ", end="", file=sys.stderr)
    print(f"{done} pairs of a coroutine and an ABI, {found} differ, {time.monotonic() - began:.0f} s")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
