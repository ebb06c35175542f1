"""Runs the checker of lowerings over files and random coroutines, without executing anything.

    python tests/proofs.py FILE...                         .ll and .bc files
    python tests/proofs.py --random 1000 --seed 7          random programs of all profiles
    python tests/proofs.py --abis 1000                     random programs, each lowered by a random ABI

Each refutation is a false alarm or a bug of the engine. The summary lists the constructs that the checker does not support,
with their share of the coroutines. Exit status 1: something is refuted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pycoro import CoroSplit, Pipeline, fuzz
from pycoro.fuzz.proof import SPLIT
from pycoro.strategies import sample_abi

BY_ABI = "by a random ABI"


def judge(job: tuple[str, str]) -> tuple[str, fuzz.Proof]:
    """Prove a file, or a random program given as `seed of profile`."""
    name, passes = job
    seed, _, profile = name.rpartition(" of ")
    source: object = fuzz.draw(seed, profile).cases[0].ir if seed else Path(name)
    by = Pipeline("coro-early", CoroSplit(abis=sample_abi(seed).abis)) if passes == BY_ABI else passes
    return f"{name} ({passes})", fuzz.prove(source, by)


def jobs(files: list[str], count: int, abis: int, seed: int) -> Iterator[tuple[str, str]]:
    names = files + [f"{seed}:{number} of {profile}" for number in range(count) for profile in fuzz.PROFILES]
    yield from ((name, passes) for name in names for passes in SPLIT)
    yield from ((f"{seed}:{number} of {profile}", BY_ABI) for number in range(abis) for profile in fuzz.PROFILES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="programs of each profile")
    parser.add_argument("--abis", type=int, default=0, metavar="N", help="programs of each profile, each lowered by a random ABI")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    coroutines, refuted, failed, unsupported = 0, Counter[str](), 0, Counter[str]()
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, proof in pool.map(judge, jobs(options.files, options.random, options.abis, options.seed), chunksize=16):
            coroutines += proof.coroutines
            unsupported.update(proof.unsupported)
            failed += bool(proof.failed)
            if proof.refuted:
                refuted[name] += 1
                print(f"{name}: {proof.refuted}", flush=True)
    print(f"{coroutines:,} coroutines, {len(refuted)} modules refuted, {failed} not lowered")
    for construct, count in unsupported.most_common():
        print(f"{count:8,} {100 * count / max(coroutines, 1):6.2f} % not supported: {construct}")
    return int(bool(refuted))


if __name__ == "__main__":
    sys.exit(main())
