"""Runs many lowerings in one process: `python bench/soak.py --count 100000`. No object may leak, and memory must not grow.

Each round reads a module, inspects its frames, lowers it or lets pycoro reject it, and drops it. One round in three hundred
also compiles it. The script compares the resident memory after a tenth of the rounds, when all caches are warm, with that at
the end.
"""

from __future__ import annotations

import argparse
import gc
import pathlib
import resource
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "api")]
from samples import COUNTER, TWO_FINALS  # noqa: E402

import pycoro  # noqa: E402
from pycoro import _core  # noqa: E402
from pycoro.engine import Engine  # noqa: E402

FILES = ("switch/several-suspends.ll", "debug/variables.ll", "elide/heap.ll", "switch/symmetric-transfer.ll")
SLACK = 4.0  # megabytes that an allocator may retain


def resident() -> float:
    """Return the resident memory of this process in megabytes."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def once(text: str, compiles: bool) -> None:
    with pycoro.Module(text) as module:
        try:
            assert all(coroutine.frame.size >= 0 for coroutine in module.coroutines.values())
            report = pycoro.lower(module)
        except pycoro.RejectedError:
            return
        if compiles:
            Engine(report, externals={"print": id}).close()


def main() -> int:
    parser = argparse.ArgumentParser(description="many lowerings in one process; nothing may leak")
    parser.add_argument("--count", type=int, default=100_000)
    count = parser.parse_args().count
    texts = [COUNTER, TWO_FINALS, *((ROOT / "tests" / "ir" / name).read_text() for name in FILES)]
    began, warm = time.process_time(), 0.0
    for number in range(count):
        text = texts[number % len(texts)]
        once(text, compiles=number % 300 == 0)
        if number == count // 10:
            gc.collect()
            warm = resident()
    gc.collect()
    left, last = _core.live(), resident()
    print(f"{count} lowerings, {time.process_time() - began:.0f} s of processor time; left: {left}")
    print(f"resident: {warm:.1f} MB after a tenth of them, {last:.1f} MB at the end")
    return 1 if any(left.values()) or last > warm + SLACK else 0


if __name__ == "__main__":
    sys.exit(main())
