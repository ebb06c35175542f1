"""Functions of the subset that pycoro.compile supports; Python runs the same source."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Generator, Iterator

import pycoro

LIMIT = 3
HALF = 0.5


@pycoro.compile
def squares(n: int) -> Iterator[int]:
    for i in range(n):
        yield i * i


@pycoro.compile
def down(start: int, stop: int, step: int) -> Generator[int, None, int]:
    last = -1
    for i in range(start, stop, step):
        last = i
        yield i
    return last


@pycoro.compile
def running_mean(first: float) -> Generator[float, float, int]:
    total, count = first, 1
    while total < 100.0:
        total += yield total / count
        count += 1
    return count


@pycoro.compile
def collatz(n: int) -> Iterator[int]:
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    yield 1


@pycoro.compile
def tree(depth: int) -> Generator[int, None, int]:
    if depth == 0:
        return 1
    left = yield from tree(depth - 1)
    yield depth
    right = yield from tree(depth - 1)
    return left + right


@pycoro.compile
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@pycoro.compile
def cleaned(log: list[int], n: int) -> Iterator[int]:
    try:
        for i in range(n):
            try:
                if i == LIMIT:
                    break
                yield 10 // (2 - i)
            finally:
                log[i] += 1
        yield 100
    finally:
        log[-1] += 10


@pycoro.compile
def raises_in_finally(n: int, m: int) -> Iterator[int]:
    try:
        yield 1 // n
    finally:
        n = 5 % m
    yield n


@pycoro.compile
def pairs(xs: list[float], flags: list[bool]) -> Iterator[tuple[int, tuple[float, bool]]]:
    i = 0
    for x in xs:
        if (flags[i] and x > HALF) or (not flags[i] and math.isnan(x)):
            yield i, (x, flags[i])
        i += 1  # noqa: SIM113


@pycoro.compile
def maybe_unbound(flag: bool) -> Iterator[int]:
    if flag:
        x = 1
    yield 0
    yield x


@pycoro.compile
def summed(n: int) -> int:
    total = 0
    for x in squares(n):
        if x > 50:
            break
        total += x
    return total


@pycoro.compile
async def twice(n: int) -> int:
    return 2 * n


@pycoro.compile
async def slept(n: int, seconds: float) -> int:
    total = 0
    for i in range(n):
        await asyncio.sleep(seconds)
        total += await twice(i)
    return total


async def ordinary(n: int) -> tuple[int, bool]:
    await asyncio.sleep(0)
    if n < 0:
        raise ValueError("negative")
    return n + 1, n > 3


def promised(n: int) -> asyncio.Future[int]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[int] = loop.create_future()
    loop.call_soon(future.set_result, n + 1)
    return future


def unawaitable(n: int) -> int:
    return n


@pycoro.compile
async def waits(n: int) -> int:
    found: int = await promised(n)
    if n == 3:
        await unawaitable(n)
    return found


@pycoro.compile
async def asks(n: int) -> int:
    more, flag = await ordinary(n)
    if flag:
        return -more
    found: tuple[int, bool] = await ordinary(more)
    return found[0]


@pycoro.compile
def steps(log: list[int]) -> Generator[int, int, None]:
    log[(yield 0) % 4] += yield 1
    log[(yield 2)] = 3 * (yield 3)
