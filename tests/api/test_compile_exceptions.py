"""Exceptions of compiled functions compared with CPython's: contexts, tracebacks, and bools passed for ints."""

from __future__ import annotations

import asyncio
import gc
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import pytest

import pycoro


@pytest.fixture(scope="module", autouse=True)
def built() -> Iterator[None]:
    """Compile before a test counts its allocations, and free after the count."""
    every = [each for each in [*globals().values(), *vars(Holder).values()] if isinstance(each, pycoro.Compiled | staticmethod)]
    compiled = [each.__wrapped__ if isinstance(each, staticmethod) else each for each in every]
    for each in compiled:
        each.build()
    yield
    for each in compiled:
        each._native = each._report = None


@pycoro.compile
def plain(n: int) -> int:
    try:
        return 1 // n
    finally:
        if n < 2:
            raise KeyError("in the finally")


@pycoro.compile
def nested(n: int) -> int:
    try:
        n = 1 // n
    finally:
        try:
            if n < 2:
                raise KeyError("second")
        finally:
            try:
                if n < 1:
                    raise IndexError("third")
            finally:
                n = n + 1
    return n


@pycoro.compile
def deep(n: int) -> int:
    try:
        if n == 0:
            raise ValueError("innermost")
        return deep(n - 1)
    finally:
        if n % 3 == 0:
            raise RuntimeError("again")


@pycoro.compile
def steps(n: int) -> Iterator[int]:
    try:
        yield 1
        yield 1 // n
    finally:
        raise KeyError("in the finally")


@pycoro.compile
def over(n: int) -> Iterator[int]:
    try:
        for each in steps(n):  # noqa: UP028 (the test needs this loop)
            yield each
    finally:
        raise IndexError("outer")


@pycoro.compile
def delegated(n: int) -> Iterator[int]:
    try:
        yield from steps(n)
    finally:
        raise IndexError("outer")


@pycoro.compile
def inside(n: int) -> Iterator[int]:
    try:
        yield 1 // n
    finally:
        for each in steps(n):
            n += each


@pycoro.compile
def stopped(n: int) -> Iterator[int]:
    try:
        yield n
        raise StopIteration("stop")
    finally:
        n = 1 // n


@pycoro.compile
def fine(n: int) -> Iterator[int]:
    try:
        try:
            yield n
        finally:
            n = n + 1
        yield n
    finally:
        n = n + 1


@pycoro.compile
async def awaits(n: int) -> int:
    try:
        await asyncio.sleep(0)
        await asyncio.sleep(1000 // n)
    finally:
        raise KeyError("in the finally")


def context_chain(call: Callable[[], object]) -> list[tuple[str, list[int]]]:
    """Return the names of an exception and its contexts, with their tracebacks' lines in this file."""
    found: list[tuple[str, list[int]]] = []
    try:
        call()
    except BaseException as error:
        at: BaseException | None = error
        while at is not None:
            entries = [entry for entry in traceback.extract_tb(at.__traceback__) if entry.filename == __file__]
            found.append((f"{type(at).__name__}{at.args}", [entry.lineno or 0 for entry in entries][-1:]))
            at = at.__context__
    return found


def drained(function: Any, n: int) -> Callable[[], object]:
    return lambda: list(function(n))


CALLS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "plain": lambda of: lambda: of(plain)(0),
    "plain, no error before": lambda of: lambda: of(plain)(1),
    "nested, three": lambda of: lambda: of(nested)(0),
    "nested, one": lambda of: lambda: of(nested)(1),
    "a generator": lambda of: drained(of(steps), 0),
    "a generator, no error before": lambda of: drained(of(steps), 1),
    "a generator in a loop": lambda of: drained(of(over), 0),
    "a generator in a yield from": lambda of: drained(of(delegated), 0),
    "a generator in a finally": lambda of: drained(of(inside), 0),
    "StopIteration": lambda of: drained(of(stopped), 0),
    "nothing": lambda of: drained(of(fine), 1),
    "deep, one": lambda of: lambda: of(deep)(1),
}


def native(function: Any) -> Any:
    return function


def python(function: Any) -> Any:
    return function.__wrapped__


@pytest.mark.parametrize("name", CALLS)
def test_contexts_are_those_of_cpython(name: str) -> None:
    assert context_chain(CALLS[name](native)) == context_chain(CALLS[name](python))


def test_context_chains_are_unbounded() -> None:
    names = [name for name, _ in context_chain(lambda: deep(299))]
    assert names == ["RuntimeError('again',)"] * 100 + ["ValueError('innermost',)"]


def test_the_exception_that_the_caller_handles_is_the_last_context() -> None:
    def handled(function: Any) -> Callable[[], object]:
        def call() -> None:
            try:
                raise OSError("of the caller")
            except OSError:
                function(0)

        return call

    assert [name for name, _ in context_chain(handled(plain))] == [name for name, _ in context_chain(handled(plain.__wrapped__))]
    assert context_chain(handled(plain))[-1][0] == "OSError('of the caller',)"


def thrown(function: Any, n: int, error: BaseException) -> Callable[[], object]:
    def call() -> object:
        running = function(n)
        next(running)
        return running.throw(error)

    return call


@pytest.mark.parametrize("function", [steps, over, delegated, fine, stopped], ids=str)
@pytest.mark.parametrize("kind", [ValueError, GeneratorExit, StopIteration, KeyboardInterrupt])
def test_a_thrown_in_exception_has_the_line_of_its_resume(function: Any, kind: type[BaseException]) -> None:
    ours, theirs = context_chain(thrown(function, 1, kind("x"))), context_chain(thrown(function.__wrapped__, 1, kind("x")))
    if function is delegated:  # CPython: lines of both generators, and another GeneratorExit for the inner one
        assert [name.partition("(")[0] for name, _ in ours] == [name.partition("(")[0] for name, _ in theirs]
        return
    assert ours == theirs


def test_a_thrown_in_exception_keeps_its_traceback() -> None:
    def there() -> None:
        raise ValueError("there")

    with pytest.raises(ValueError) as raised:
        there()
    error = raised.value
    running = fine(1)
    next(running)
    with pytest.raises(ValueError) as caught:
        running.throw(error)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names[names.index("fine") :][1:], "the traceback from before comes after the line of the generator"
    assert names[-1] == "there"
    assert "__call__" not in names


def raised_before() -> BaseException:
    try:
        try:
            raise OSError("first")
        finally:
            raise ValueError("raised before")
    except ValueError as error:
        return error


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of types and values, from CPython 3.12
@pytest.mark.parametrize("handled", [False, True], ids=["handles nothing", "handles an exception"])
@pytest.mark.parametrize("state", ["not started", "suspended", "ended"])
@pytest.mark.parametrize(
    "thrown_in",
    [(ValueError("x"),), (ValueError,), (ValueError, "x"), (raised_before(),), (GeneratorExit,), (StopIteration(3),)],
    ids=repr,
)
@pytest.mark.parametrize("function", [fine, stopped, over], ids=str)
def test_a_thrown_in_exception_keeps_its_context(function: Any, thrown_in: Any, state: str, handled: bool) -> None:
    """CPython adds neither the exception that the caller handles, nor a context where there is one already."""

    def thrown_into(generator: Any) -> Callable[[], object]:
        def call() -> object:
            if state == "suspended":
                next(generator)
            elif state == "ended":
                generator.close()
            try:
                if handled:
                    raise LookupError("of the caller")
            except LookupError:
                return generator.throw(*copied(thrown_in))
            return generator.throw(*copied(thrown_in))

        return call

    assert context_chain(thrown_into(function(1))) == context_chain(thrown_into(function.__wrapped__(1)))


def copied(thrown_in: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with a copy of the exception, because a throw adds to its traceback."""
    error = thrown_in[0]
    if isinstance(error, type):
        return thrown_in
    copy = type(error)(*error.args)
    copy.__context__ = error.__context__
    return (copy,)


def test_exceptions_of_an_awaited_object_have_line_and_context() -> None:
    async def cancelled(function: Any) -> list[tuple[str, list[int]]]:
        task = asyncio.ensure_future(function(1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except KeyError as error:
            assert error.__context__ is not None
            return [
                (
                    type(error.__context__).__name__,
                    [e.lineno or 0 for e in traceback.extract_tb(error.__context__.__traceback__)][:1],
                )
            ]
        return []

    ours = asyncio.run(cancelled(awaits))
    assert ours == asyncio.run(cancelled(awaits.__wrapped__))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exceptions_do_not_leak() -> None:
    def all_of_them() -> None:
        for name in CALLS:
            context_chain(CALLS[name](native))
        for function in (steps, over, delegated, fine):
            running = function(1)
            next(running)
            running.close() if function is fine else context_chain(running.close)
        context_chain(lambda: deep(30))

    all_of_them()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        all_of_them()
    gc.collect()
    assert len(gc.get_objects()) < before + 20


# ---- A bool for an int ----


@pycoro.compile
def same(n: int) -> int:
    return n


@pycoro.compile
def of_tuple(pair: tuple[int, float]) -> int:
    return pair[0]


@pycoro.compile
def first(values: Sequence[int]) -> int:
    return values[0]


@pycoro.compile
def yielded(n: int) -> Generator[int, int, int]:
    yield n
    return n


@pycoro.compile
async def awaited(n: int) -> int:
    return n


@pycoro.compile
def flag(b: bool) -> bool:
    return b


class Holder:
    @staticmethod
    @pycoro.compile
    def method(n: int) -> int:
        return n


def run(coroutine: Any) -> object:
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    return None


@pytest.mark.parametrize("value", [True, False, 1, 0, -5])
def test_a_bool_stays_a_bool(value: int) -> None:
    for function in (native, python):
        told = [
            function(same)(value),
            function(same)(n=value),
            function(of_tuple)((value, 1.0)),
            function(first)([value, 2]),
            function(first)((value,)),
            *function(yielded)(value),
            run(function(awaited)(value)),
            Holder.method(value),
        ]
        assert list(map(repr, told)) == [repr(value)] * len(told)
    assert flag(True) is True


def test_a_bool_is_accepted_as_an_int() -> None:
    assert [plain(n) for n in (2, 3)] == [0, 0]
    assert repr([name for name, _ in context_chain(lambda: plain(False))]) == repr(
        [name for name, _ in context_chain(lambda: plain.__wrapped__(False))]
    )
    with pytest.raises(TypeError, match="expected an int, not str"):
        same("x")  # type: ignore[arg-type]
    running = yielded(True)
    assert isinstance(running, Generator)
    assert next(running) is True
    running.close()


@pycoro.compile
def echoed(n: int) -> Generator[int, int, int]:
    while n != 9:
        n = yield n
    return n


def test_a_sent_bool_is_converted_to_an_int() -> None:
    running = echoed(5)
    assert [next(running), *map(repr, map(running.send, [True, 7, False]))] == [5, "1", "7", "0"]


# ---- The type of Compiled ----


@pytest.mark.parametrize("what", [5, "x", None, len, same, Holder])
def test_compiled_says_what_it_is_made_of(what: Any) -> None:
    with pytest.raises(pycoro.UsageError, match="needs a Python function, not"):
        pycoro.Compiled(what, pycoro.Pipeline("default<O1>"))


@pytest.mark.parametrize("pipeline", [5, None, "default<O1>"])
def test_compiled_requires_a_pipeline(pipeline: Any) -> None:
    with pytest.raises(TypeError, match="pipeline is a Pipeline, not"):
        pycoro.Compiled(same.__wrapped__, pipeline)
