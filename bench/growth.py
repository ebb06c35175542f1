"""Measures how the time of each step grows with its input: `python bench/growth.py [case ...]` prints it at N, 2N and 4N.

A case is a family of inputs and an operation on them. For n log n the time grows by slightly more than 2 from each size to the
next, for quadratic growth by 4. Times are the minimum processor time of a few runs. The script uses the pycoro of its interpreter:
run it with another checkout's `.venv/bin/python` to time that one on the same inputs.
"""

from __future__ import annotations

import argparse
import itertools
import pathlib
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import families
import growing

import pycoro

SHARED = "cgscc(coro-split<reuse-storage>)"
SPLIT = "cgscc(coro-split)"
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"
ELIDE = "coro-early,cgscc(coro-split,coro-annotation-elide),coro-cleanup"
RUNS = 2


def passes(text: str) -> Callable[[pycoro.Module], object]:
    return lambda module: module.run(text)


def verified(module: pycoro.Module) -> object:
    return module.run(LOWER, verify_each=True)


def explained(module: pycoro.Module) -> object:
    return module.coroutines["f"].frame.size


class Anything(pycoro.SwitchABI):
    def rematerialize(self, value: pycoro.abi.RematCandidate, default: bool) -> bool:
        return True


def asked(module: pycoro.Module) -> object:
    return module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Anything()]), "coro-cleanup"))


def shown(module: pycoro.Module) -> object:
    return str(module.coroutines["f"])


CASES: dict[str, tuple[Callable[[int], str], int, Callable[[pycoro.Module], object]]] = {
    # name: family, N, operation
    "explain, a value a suspend": (families.suspends, 2_500, explained),
    "explain, values over all suspends": (families.values, 1_250, explained),
    "explain, variables over all suspends": (families.variables, 1_250, explained),
    "explain, variables with lifetimes": (families.lifetimes, 1_250, explained),
    "text, a value a suspend": (families.suspends, 2_500, shown),
    "text, values over all suspends": (families.values, 1_250, shown),
    "shared, a value a suspend": (families.suspends, 2_500, passes(SHARED)),
    "shared, values over one suspend": (families.spills, 5_000, passes(SHARED)),
    "shared, values over all suspends": (families.values, 1_250, passes(SHARED)),
    "shared, variables over all suspends": (families.variables, 1_250, passes(SHARED)),
    "shared, variables with lifetimes": (families.lifetimes, 1_250, passes(SHARED)),
    "shared, values read block after block": (growing.read_in_turn, 4_000, passes(SHARED)),
    "split, values read within loops": (growing.read_in_loops, 1_000, passes(SPLIT)),
    "split, lifetimes of one variable": (families.relived, 2_500, passes(SPLIT)),
    "lower, loads of one variable": (growing.reloads, 2_500, passes(LOWER)),
    "lower, variables behind blocks": (growing.far_variables, 1_250, passes(LOWER)),
    "lower, functions and coroutines": (growing.functions, 2_500, passes(LOWER)),
    "lower, functions in a chain": (growing.chain, 5_000, passes(LOWER)),
    "lower, calls an ABI is asked of": (growing.ladders, 4, asked),
    "lower, ways of a switch": (growing.wide, 2_500, passes(LOWER)),
    "lower, ways of a switch with phis": (growing.wide_phis, 2_500, passes(LOWER)),
    "lower, phis": (growing.phis, 2_500, passes(LOWER)),
    "lower, frees": (growing.frees, 2_500, passes(LOWER)),
    "lower, addresses of one variable": (growing.addresses, 2_500, passes(LOWER)),
    "lower, loops in loops": (growing.loops, 500, passes(LOWER)),
    "lower, invokes": (growing.invokes, 1_000, passes(LOWER)),
    "lower, exceptions, one cleanup": (growing.ended, 2_000, passes(LOWER)),
    "lower, exceptions, told to the cleanup": (growing.ended_otherwise, 2_000, passes(LOWER)),
    "lower, suspends resumed at once": (growing.resumes, 1_000, passes(LOWER)),
    "lower, parameters": (growing.parameters, 1_000, passes(LOWER)),
    "lower, continuations": (families.continuations, 500, passes(LOWER)),
    "lower, continuations, -g": (families.continuations_debugged, 250, passes(LOWER)),
    "lower, async suspends, -g": (families.tasks_debugged, 250, passes(LOWER)),
    "cleanup, destroy and cleanup alike": (growing.twins, 4_000, passes("coro-cleanup")),
    "verified, functions and coroutines": (growing.functions, 250, verified),
    "elide, safe calls of one coroutine": (growing.safe_calls, 500, passes(ELIDE)),
    "elide, safe calls of many": (growing.many_safe_callees, 250, passes(ELIDE)),
}


def seconds(make: Callable[[int], str], n: int, work: Callable[[pycoro.Module], object]) -> float:
    """Return the time of the operation alone, on a module that is already parsed."""
    text, best = make(n), float("inf")
    for _ in range(RUNS):
        module = pycoro.Module(text)
        start = time.process_time()
        work(module)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help="part of a name; all cases by default")
    parser.add_argument("--scale", type=float, default=1.0, help="factor for every N")
    arguments = parser.parse_args()
    print(f"{'':38}{'N':>8}{'N':>9}{'2N':>9}{'4N':>9}   growth")
    for name, (make, n, work) in CASES.items():
        if arguments.case and not any(part in name for part in arguments.case):
            continue
        n = max(int(n * arguments.scale), 1)
        times = [seconds(make, n * k, work) for k in (1, 2, 4)]
        growth = "  ".join(f"x{b / a:.1f}" for a, b in itertools.pairwise(times))
        print(f"{name:38}{n:8}" + "".join(f"{t:8.3f}s" for t in times) + f"   {growth}", flush=True)


if __name__ == "__main__":
    main()
