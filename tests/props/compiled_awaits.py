"""Draws coroutines of the subset that pycoro.compile supports, and their awaitables; drives them manually, by a small event
loop, and by asyncio."""

from __future__ import annotations

import array
import asyncio
import collections
import types
from collections.abc import Callable, Generator, Iterator
from typing import Any

import compiled_drawn as drawn
from hypothesis import strategies as st

HEADER = """\
import math

@compile
def h(n: int, x: float, p: bool) -> int:
{h}

@compile
async def leaf(n: int, x: float, p: bool, xs: list[int], ys: list[int]) -> int:
{leaf}

@compile
async def inner(n: int, x: float, p: bool, xs: list[int], ys: list[int]) -> int:
{inner}

@compile
async def outer(n: int, x: float, p: bool, xs: list[int], ys: list[int]) -> int:
{outer}
"""
PLAIN = """\
import math

async def plain(n: int, x: float, p: bool) -> int:
{plain}
"""
GIVES = ("gives", "bare", "future", "joined", "steps", "stubborn", "again")
"""Awaitables with an int result but no annotation."""
FAILS = ("wrong", "none", "raises", "unready", "generated")
"""Objects that are not awaitable, or only sometimes."""


class Writer(drawn.Writer):
    """Writes one coroutine: it awaits where a generator yields."""

    def argument(self) -> str:
        return self.integer(0)

    def awaited(self) -> str:
        """Return an awaitable that is annotated to return an int."""
        of = self.pick(*self.calls)
        return f"await plain({self.integer(0)}, {self.real(0)}, {self.boolean(0)})" if of == "plain" else (
            f"await {of}({self.arguments()})"
        )  # fmt: skip

    def taken(self) -> str:
        return f"({self.awaited()})" if self.calls else self.integer(0)

    def write_from(self, indent: int) -> None:
        self.write_yield(indent)

    def write_yield(self, indent: int) -> None:
        if self.cleaning:
            self.say(indent, "ys[2] += 1")
        elif self.calls and self.pick(0, 0, 1):
            self.say(indent, f"{self.pick('', 'a = ', 'b += ')}{self.awaited()}")
        elif self.pick(*range(8)) == 7:
            self.say(indent, f"await {self.pick(*FAILS)}({self.argument()})")
        else:
            self.say(indent, f"{self.pick('', 'a = ', 'b = ', 'n = ')}await {self.pick(*GIVES)}({self.argument()})")


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[str, str]:
    """Draw the source of a Python coroutine and of the compiled ones."""
    h = drawn.Writer(draw, generator=False, budget=6).text()
    plain = Writer(draw, generator=True, calls=("leaf",), budget=7).text()
    leaf = Writer(draw, generator=True, budget=6).text()
    inner = Writer(draw, generator=True, calls=("leaf", "plain"), budget=8).text()
    outer = Writer(draw, generator=True, calls=("leaf", "inner", "plain"), budget=12).text()
    return PLAIN.format(plain=plain), HEADER.format(h=h, leaf=leaf, inner=inner, outer=outer)


class Future:
    """A future of the small event loop."""

    def __init__(self, number: object) -> None:
        self.number = number
        self.found: Any = None
        self.waiting: list[int] = []

    def __repr__(self) -> str:
        return f"<future {self.number}>"

    def __await__(self) -> Generator[Any, Any, int]:
        while self.found is None:
            yield self
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


class Gives:
    def __init__(self, number: int, stubborn: bool = False) -> None:
        self.number = number
        self.stubborn = stubborn

    def __await__(self) -> Generator[Any, Any, int]:
        try:
            sent = yield world.pause("gives", self.number)
            return sent if isinstance(sent, int) else self.number
        except (ValueError, GeneratorExit):
            if not self.stubborn:
                raise
            if self.number % 2:
                yield world.pause("again", self.number)
            return self.number


class Steps:
    """Awaitable through an iterator without send and throw."""

    def __init__(self, number: int) -> None:
        self.left, self.number = number % 3, number

    def __await__(self) -> Iterator[Any]:
        return self

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> object:
        if self.left == 0:
            raise StopIteration(self.number)
        self.left -= 1
        return world.pause("steps", self.number)


class Unready:
    def __init__(self, number: int) -> None:
        self.number = number

    def __await__(self) -> Any:
        if self.number % 3 == 1:
            raise KeyError(self.number)
        return self.number if self.number % 3 else world.coroutine()


class World:
    """The awaitables of the drawn functions; each run has a new one, since decoration binds names."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}
        self.by_asyncio = False
        self.futures: list[Any] = []
        self.ends: list[Any] = []
        self.shared: Any = None
        self.names: dict[str, Any] = {
            "gives": Gives,
            "bare": bare,
            "future": lambda n: self.futures[n % len(self.futures)],
            "joined": lambda n: self.ends[n % len(self.ends)],
            "steps": Steps,
            "stubborn": lambda n: Gives(n, stubborn=True),
            "again": self.again,
            "wrong": lambda n: n,
            "none": lambda n: None,
            "raises": self.raises,
            "unready": Unready,
            "generated": lambda n: (each for each in [n]),
        }

    def pause(self, *what: Any) -> Any:
        return None if self.by_asyncio else what

    def coroutine(self) -> Any:
        return self.space["leaf"](3, 0.5, True, [1, 2], self.space["ys"])

    def again(self, n: int) -> Any:
        """Return a coroutine that may be awaited already, or exhausted."""
        if self.shared is None:
            self.shared = self.coroutine() if n % 2 else self.space["plain"](2, 1.5, False)
        return self.shared

    def raises(self, n: int) -> Any:
        if n % 2:
            raise KeyError(n)
        return Gives(n)

    def begin(self, space: dict[str, Any], xs: list[int], make: Callable[[Any], Any], tasks: int) -> None:
        self.space = space
        space["xs"], space["ys"] = xs, array.array("q", [1, 0, -3, 8])
        self.futures, self.ends = [make(k) for k in range(3)], [make(f"of {k}") for k in range(tasks)]
        self.shared = None

    def end(self) -> str:
        """Return the contents of the array."""
        ys: list[int] = self.space["ys"].tolist()
        self.space, self.shared, self.futures, self.ends = {}, None, [], []
        return repr(ys)


@types.coroutine
def bare(n: int) -> Generator[Any, Any, int]:
    sent = yield world.pause("bare", n)
    return sent if isinstance(sent, int) else n


world = World()


def loaded(texts: tuple[str, str], how: str) -> dict[str, Any]:
    """Return the namespace of a program: its functions "compiled", by "python", or "checked" by Python. The outer Python
    coroutine is checked in the last two."""
    space = dict(world.names)
    drawn.run(texts[0], "python" if how == "python" else "checked", space)
    drawn.run(texts[1], how, space)
    return space


# ---- Manually ----

THROWN: list[Callable[[], Any]] = [  # created for each use: an exception keeps the frames that it passed through
    lambda: ValueError("thrown"), lambda: KeyError, lambda: StopIteration(5), asyncio.CancelledError, lambda: GeneratorExit,
    lambda: LookupError,
]  # fmt: skip
STEPS = st.lists(
    st.one_of(
        *[st.tuples(st.just("send"), st.none() | st.integers(-9, 40))] * 6,
        st.tuples(st.just("throw"), st.integers(0, len(THROWN) - 1)), st.just(("close", 0)), st.just(("settle", 3)),
    ),
    min_size=3, max_size=14,
)  # fmt: skip
ARGUMENTS = drawn.ARGUMENTS


def told(error: BaseException) -> str:
    """Return an exception with its cause; of a task only that it is one."""
    return drawn.exception_text(error).split("<Task")[0] + (f" from {error.__cause__!r}" if error.__cause__ else "")


def trace_of_run(space: dict[str, Any], arguments: tuple[Any, ...], steps: list[tuple[str, Any]]) -> list[str]:
    """Return the result of each step of the outer coroutine, then the contents of its array."""
    world.begin(space, arguments[-1], Future, 2)
    seen: list[str] = []
    coroutine: Any = space["outer"](*arguments, space["ys"])
    for what, value in steps:
        try:
            if what == "send":
                found = coroutine.send(value)
            elif what == "throw":
                found = coroutine.throw(THROWN[value]())
            elif what == "settle":
                for each in (*world.futures, *world.ends):
                    each.found = each.found or value
                continue
            else:
                found = coroutine.close()
            seen.append(repr(found))
        except StopIteration as stop:
            seen.append(f"returned {stop.value!r}")
        except BaseException as error:
            seen.append(told(error))
    del coroutine
    return [*seen, world.end()]


# ---- By a small event loop ----

EVENTS = st.lists(
    st.tuples(
        st.integers(0, 25), st.sampled_from(["cancel", "cancel", "give", "give", "fail", "close"]),
        st.integers(0, 2), st.integers(1, 9),
    ),
    max_size=6,
)  # fmt: skip
TASKS = st.lists(ARGUMENTS, min_size=2, max_size=3)


def run_in_small_loop(space: dict[str, Any], tasks: list[Any], events: list[tuple[int, str, int, int]]) -> list[str]:
    """Return the results of tasks that alternate, wait for futures and each other, and are canceled."""
    world.begin(space, [1, -2, 3], Future, len(tasks))
    coroutines: list[Any] = [space["outer"](*arguments, space["ys"]) for arguments in tasks]
    ready = collections.deque(range(len(tasks)))
    thrown: dict[int, BaseException] = {}
    seen: list[str] = []

    def settle(future: Future, found: Any) -> None:
        if future.found is None:
            future.found = found
            ready.extend(future.waiting)
            future.waiting.clear()

    def happen(what: str, which: int, value: int) -> None:
        at = which % len(tasks)
        if what == "give":
            settle(world.futures[which], value)
        elif what == "fail":
            settle(world.futures[which], LookupError(value))
        elif what == "close":
            coroutines[at].close()
            settle(world.ends[at], value)
        else:
            thrown[at] = asyncio.CancelledError()
            for future in (*world.futures, *world.ends):
                if at in future.waiting:
                    future.waiting.remove(at)
                    ready.append(at)

    for tick in range(60):
        for when, *event in events:
            if when == tick:
                try:
                    happen(*event)  # type: ignore[arg-type]
                except BaseException as error:
                    seen.append(f"{event}: {told(error)}")
        if not ready:
            continue
        at = ready.popleft()
        try:
            found = coroutines[at].throw(thrown.pop(at)) if at in thrown else coroutines[at].send(None)
            seen.append(f"{at}: {found!r}")
            if isinstance(found, Future) and found.found is None:
                found.waiting.append(at)
            else:
                ready.append(at)
        except StopIteration as stop:
            seen.append(f"{at}: returned {stop.value!r}")
            settle(world.ends[at], stop.value)
        except BaseException as error:
            seen.append(f"{at}: {told(error)}")
            settle(world.ends[at], LookupError(at))
    coroutines.clear()
    return [*seen, world.end()]


# ---- By asyncio ----


def run_in_asyncio(space: dict[str, Any], tasks: list[Any], events: list[tuple[int, str, int, int]]) -> list[str]:
    """Return the results of the same tasks under asyncio."""

    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        world.begin(space, [1, -2, 3], lambda _: loop.create_future(), len(tasks))
        made = [asyncio.create_task(space["outer"](*arguments, space["ys"])) for arguments in tasks]
        futures = world.futures
        world.ends = ends = [asyncio.shield(each) for each in made]  # tasks that wait for each other are not all canceled
        for tick in range(30):
            for when, what, which, value in events:
                if when != tick:
                    continue
                if what in ("give", "fail") and not futures[which].done():
                    if what == "give":
                        futures[which].set_result(value)
                    else:
                        futures[which].set_exception(LookupError(value))
                elif what in ("cancel", "close"):
                    made[which % len(made)].cancel()
            await asyncio.sleep(0)
        for each in futures:
            each.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        for task in made:
            task.cancel()
        found = await asyncio.gather(*made, return_exceptions=True)
        for each in (*futures, *ends):
            if each.done() and not each.cancelled():
                each.exception()  # retrieves it, to avoid asyncio's warning
        return found

    world.by_asyncio = True
    try:
        found = asyncio.run(main())
    finally:
        world.by_asyncio = False
    return [*(told(each) if isinstance(each, BaseException) else repr(each) for each in found), world.end()]
