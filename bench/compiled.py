"""Measures the cost per generator element in CPython, pycoro.compile and Numba, with the same function, in one run.

`python bench/compiled.py [--numba PYTHON]`: PYTHON is an interpreter with Numba; without it these columns are empty. A row shows
nanoseconds per element, the minimum of alternating rounds of CPython, pycoro, and Numba in its own process.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

ROUNDS = 5


def squares(n: int) -> Iterator[int]:
    for i in range(n):
        yield i * i


def primes(limit: int) -> Iterator[int]:
    n = 2
    while n < limit:
        k = 2
        while k * k <= n and n % k != 0:
            k += 1
        if k * k > n:
            yield n
        n += 1


def logistic(n: int) -> Iterator[float]:
    x = 0.5
    for _ in range(n):
        for _ in range(20):
            x = 3.9 * x * (1.0 - x)
        yield x


def pairs(n: int) -> Iterator[tuple[int, float]]:
    for i in range(n):
        yield i, i * 0.5


def taken(n: int) -> Generator[int, int, int]:
    total = 0
    for _ in range(n):
        total += yield total
    return total


def tree(depth: int) -> Generator[int, None, None]:
    if depth > 0:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


async def add(a: int, b: int) -> int:
    return a + b


CASES: dict[str, tuple[str, int, str]] = {
    "squares(n), a Python loop": ("loop", 200_000, "squares"),
    "primes(n), a Python loop": ("primes", 20_000, "primes"),
    "logistic(n), a Python loop": ("loop", 20_000, "logistic"),
    "tuples, a Python loop": ("loop", 100_000, "pairs"),
    "send(1)": ("send", 100_000, "taken"),
    "yield from, 14 deep": ("tree", 14, "tree"),
    "squares(n), summed by a compiled loop": ("summed", 200_000, "summed"),
    "awaits, in a compiled coroutine": ("awaits", 100_000, "awaits"),
    "a generator of one value": ("begin", 50_000, "squares"),
}
"""For each case: the consumer, the number of elements, the functions to compile. Numba lacks send, yield from and async def."""


def compiled(by: str) -> dict[str, Any]:
    """The functions, by the decorator that compiles them."""
    if by == "pycoro":
        import pycoro

        decorate: Callable[[Any], Any] = pycoro.compile
    elif by == "numba":
        import numba

        decorate = numba.njit
    else:

        def decorate(function: Any) -> Any:
            return function

    made = {f.__name__: decorate(f) for f in (squares, primes, logistic, pairs)}
    if by != "numba":
        made |= {f.__name__: f if by == "python" else _again(f, made, decorate) for f in (taken, tree, add)}
    space = globals() | made
    exec(compile(SUMMED, __file__ + ":summed", "exec"), space)
    _known(__file__ + ":summed", SUMMED)
    made["summed"] = decorate(space["summed"])
    if by != "numba":
        exec(compile(AWAITS, __file__ + ":awaits", "exec"), space)
        _known(__file__ + ":awaits", AWAITS)
        made["awaits"] = decorate(space["awaits"])
    return made


SUMMED = """
def summed(n: int) -> int:
    total = 0
    for x in squares(n):
        total += x & 7
    return total
"""
AWAITS = """
async def awaits(n: int) -> int:
    total = 0
    for i in range(n):
        total = await add(total, i)
    return total
"""


def _known(file: str, text: str) -> None:
    import linecache

    linecache.cache[file] = (len(text), None, text.splitlines(True), file)


def _again(function: Any, made: dict[str, Any], decorate: Callable[[Any], Any]) -> Any:
    return decorate(function)


def consume(how: str, n: int, function: Any) -> int:
    """Return the number of elements."""
    if how == "loop":
        for _ in function(n):
            pass
        return n
    if how in ("primes", "tree"):
        return sum(1 for _ in function(n))
    if how == "send":
        generator = function(n + 1)
        next(generator)
        send = generator.send
        for _ in range(n):
            send(1)
        return n
    if how == "awaits":
        try:
            function(n).send(None)
        except StopIteration:
            return n
    if how == "begin":
        for _ in range(n):
            for _ in function(1):
                pass
        return n
    function(n)
    return n


def measure(by: str, made: dict[str, Any]) -> dict[str, float]:
    """Return nanoseconds per element, by case."""
    found: dict[str, float] = {}
    for name, (how, n, of) in CASES.items():
        if of not in made:
            continue
        consume(how, min(n, 3), made[of])  # compiles the function
        gc.disable()
        start = time.perf_counter_ns()
        count = consume(how, n, made[of])
        found[name] = (time.perf_counter_ns() - start) / count
        gc.enable()
    return found


def rounds(by: str, python: str | None, made: dict[str, Any]) -> dict[str, float]:
    if by != "numba":
        return measure(by, made)
    assert python
    done = subprocess.run([python, __file__, "--by", "numba"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numba", help="an interpreter that has Numba")
    parser.add_argument("--by", help=argparse.SUPPRESS)
    it = parser.parse_args()
    if it.by:
        print(json.dumps(measure(it.by, compiled(it.by))))
        return
    who = ["python", "pycoro", *(["numba"] if it.numba else [])]
    made = {by: compiled(by) for by in who if by != "numba"}
    best: dict[str, dict[str, float]] = {by: {} for by in who}
    for _ in range(ROUNDS):
        for by in who:
            for name, time_ in rounds(by, it.numba, made.get(by, {})).items():
                best[by][name] = min(best[by].get(name, time_), time_)
    print("| ns an element |", " | ".join([*who, *(f"{by}, times as fast" for by in who[1:])]), "|")
    print("| --- |", " | ".join(["---"] * (2 * len(who) - 1)), "|")
    for name in CASES:
        cells = [f"{best[by][name]:.1f}" if name in best[by] else "" for by in who]
        cells += [f"{best['python'][name] / best[by][name]:.1f}" if name in best[by] else "" for by in who[1:]]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\nPython {sys.version.split()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
