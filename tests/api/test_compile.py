"""pycoro.compile: native generators and coroutines of Python; rejected code and leaks."""

from __future__ import annotations

import array
import asyncio
import collections.abc
import gc
import linecache
import math
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import compiled_programs as programs
import pytest

import pycoro
from pycoro import _core


@pytest.fixture(scope="module", autouse=True)
def built() -> Iterator[None]:
    """Compile before a test counts its allocations, and free after the count."""
    every = [each for each in vars(programs).values() if isinstance(each, pycoro.Compiled)]
    for each in every:
        each.build()
    yield
    for each in every:
        each._native = each._report = None


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        return type(error), str(error)


def trace_of_run(generator: Any, sends: tuple[object, ...] = ()) -> list[Any]:
    """Return the values that a generator yields when it is sent these, then None, and its end."""
    seen: list[Any] = []
    try:
        seen.append(next(generator))
        for value in sends:
            seen.append(generator.send(value))
        while len(seen) < 1000:
            seen.append(next(generator))
    except StopIteration as stop:
        seen.append(("returned", stop.value))
    except Exception as error:
        seen.append((type(error), str(error)))
    return seen


def compare_with_python(function: Any, *args: Any, sends: tuple[object, ...] = ()) -> list[Any]:
    """Return a compiled generator's values, which must equal Python's, including types."""
    found, wanted = trace_of_run(function(*args), sends), trace_of_run(function.__wrapped__(*args), sends)
    assert repr(found) == repr(wanted)
    return found


def log() -> Any:
    return array.array("q", [0] * 5)


def test_generators_behave_as_in_python() -> None:
    assert compare_with_python(programs.squares, 5) == [0, 1, 4, 9, 16, ("returned", None)]
    for start, stop, step in (
        (10, 0, -3),
        (0, 10, 4),
        (5, 5, 1),
        (0, 3, -1),
        (0, 3, 0),
        (2**63 - 2, 2**63 - 1, 7),
        (-(2**63), -(2**63) + 2, 1),
    ):
        compare_with_python(programs.down, start, stop, step)
    assert compare_with_python(programs.running_mean, 1.0, sends=(3.0, 90.5, 50.0))[-1] == ("returned", 4)
    compare_with_python(programs.collatz, 27)
    assert compare_with_python(programs.tree, 4)[-1] == ("returned", 16)
    compare_with_python(programs.maybe_unbound, True)
    assert compare_with_python(programs.maybe_unbound, False)[-1][0] is UnboundLocalError
    compare_with_python(programs.pairs, [0.1, 0.9, math.nan], [True, True, False])
    assert compare_with_python(programs.pairs, [0.1, 0.9], [True])[-1] == (IndexError, "list index out of range")
    for n, m in ((1, 2), (1, 0), (0, 0), (0, 3)):
        compare_with_python(programs.raises_in_finally, n, m)


def test_indices_are_evaluated_once_and_assignments_in_order() -> None:
    found = []
    for function in (programs.steps, programs.steps.__wrapped__):
        made = log()
        found.append((trace_of_run(function(made), (2, 10, 4, 1)), made.tolist()))
    assert found[0] == found[1] == ([0, 1, 3, 2, ("returned", None)], [0, 12, 10, 0, 0])


def test_functions() -> None:
    assert programs.fib(20) == programs.fib.__wrapped__(20)
    assert programs.summed(100) == 140
    assert programs.summed(n=4) == 14


def finally_effects(function: Any, n: int) -> list[Any]:
    """Return the effects of its `finally` blocks on an array, for every kind of end."""
    seen: list[Any] = []
    for end in ("run", "close", "drop", "throw", "throw a class", "not begun", "stop"):
        made = log()
        generator: Any = function(made, n)
        if end == "run":
            seen.append(trace_of_run(generator))
        elif end == "not begun":
            seen.append(outcome(partial(generator.throw, KeyError("k"))))
            seen.append(trace_of_run(generator))
        else:
            seen.append(next(generator))
            if end == "close":
                seen.append(generator.close())
                seen.append(trace_of_run(generator))
            elif end == "throw":
                seen.append(outcome(partial(generator.throw, KeyError("k"))))
            elif end == "throw a class":
                seen.append(outcome(partial(generator.throw, KeyError, "k")))
            elif end == "stop":
                seen.append(outcome(partial(generator.throw, StopIteration())))
        del generator
        seen.append(made.tolist())
    return seen


@pytest.mark.parametrize("n", [2, 5])
def test_every_finally_runs_once_for_any_end(n: int) -> None:
    assert finally_effects(programs.cleaned, n) == finally_effects(programs.cleaned.__wrapped__, n)


def test_what_a_finally_raises_at_close_is_raised() -> None:
    for function in (programs.raises_in_finally, programs.raises_in_finally.__wrapped__):
        generator: Any = function(1, 0)
        next(generator)
        with pytest.raises(ZeroDivisionError) as caught:
            generator.close()
        assert isinstance(caught.value.__context__, GeneratorExit)


def test_a_raised_stopiteration_is_a_runtime_error() -> None:
    text = "def f(n: int) -> Iterator[int]:\n    yield n\n    raise StopIteration"
    generator = compiled(text)(1)
    next(generator)
    with pytest.raises(RuntimeError, match="generator raised StopIteration") as caught:
        next(generator)
    assert isinstance(caught.value.__cause__, StopIteration)


def test_the_traceback_ends_at_the_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(programs.raises_in_finally(0, 3))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name, last.line) == (programs.__file__, "raises_in_finally", "yield 1 // n")
    assert last.line is not None and last.colno is not None


def test_generator_protocol() -> None:
    generator: Any = programs.running_mean(1.0)
    assert isinstance(generator, collections.abc.Generator) and iter(generator) is generator
    assert repr(generator).startswith("<compiled generator running_mean at ")
    with pytest.raises(TypeError, match="can't send non-None value to a just-started generator"):
        generator.send(1.0)
    next(generator)
    with pytest.raises(TypeError, match="expected a float, not NoneType"):
        next(generator)
    with pytest.raises(TypeError, match="exceptions must be classes or instances deriving from BaseException"):
        generator.throw(3)
    assert generator.send(1) == 1.0
    generator.close()
    assert trace_of_run(generator) == [("returned", None)]


def test_unbounded_recursion_is_an_error() -> None:
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        programs.fib(100_000)
    assert len(list(programs.tree(12))) == 2**12 - 1


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (("x",), TypeError, r"argument 1 of squares\(\): expected an int, not str"),
        ((2**63,), OverflowError, r"argument 1 of squares\(\): expected an int of at most 64 bits"),
        ((), TypeError, "missing a required argument: 'n'"),
        ((1, 2), TypeError, "too many positional arguments"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        programs.squares(*arguments)


def test_wrong_arrays() -> None:
    cleaned: Any = programs.cleaned
    for wrong, said in (
        ([1, 2], "the function writes to this argument, but a list is passed as a copy"),
        (array.array("i", [1]), "expected a one-dimensional buffer of ints .format 'q'., not one of format 'i'"),
        (3, "expected a list or a buffer of ints"),
    ):
        with pytest.raises(TypeError, match=said):
            cleaned(wrong, 2)
    with pytest.raises((BufferError, TypeError)):
        cleaned(memoryview(bytes(16)).cast("q"), 2)
    pairs: Any = programs.pairs
    with pytest.raises(TypeError, match=r"argument 2 of pairs\(\): expected a bool, not int"):
        pairs([1.0], [1])


def test_a_buffer_is_used_in_place_while_the_generator_lives() -> None:
    made = array.array("q", [1, 2, 3, 4, 5])
    generator = programs.cleaned(made, 2)
    next(iter(generator))
    with pytest.raises(BufferError):
        made.append(6)
    del generator
    made.append(6)
    assert made.tolist() == [2, 2, 3, 4, 15, 6]


# ---- Coroutines ----


def test_coroutines_run_in_asyncio_beside_ordinary_ones() -> None:
    assert asyncio.run(programs.slept(4, 0.0)) == 12

    async def main() -> list[Any]:
        made = programs.slept(3, 0.001), programs.asks(1), programs.asks(5), programs.ordinary(2), programs.asks(-1)
        return await asyncio.gather(*made, return_exceptions=True)

    found = asyncio.run(main())
    assert found[:4] == [6, 3, -6, (3, False)]
    assert isinstance(found[4], ValueError)


def test_futures_are_awaitable_and_none_is_not() -> None:
    assert asyncio.run(programs.waits(1)) == 2
    with pytest.raises(TypeError, match="object int can't be used in 'await' expression"):
        asyncio.run(programs.waits(3))


def test_cancellation_is_raised_at_the_await() -> None:
    async def main() -> str:
        task = asyncio.create_task(programs.slept(3, 60.0))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return "cancelled"
        return "not"

    assert asyncio.run(main()) == "cancelled"
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(programs.slept(1, 60.0), 0.01))


def test_coroutine_protocol() -> None:
    coroutine: Any = programs.twice(3)
    assert isinstance(coroutine, collections.abc.Coroutine) and not isinstance(coroutine, collections.abc.Iterator)
    with pytest.raises(StopIteration) as stop:
        coroutine.send(None)
    assert stop.value.value == 6
    with pytest.raises(RuntimeError, match="cannot reuse already awaited coroutine"):
        coroutine.send(None)
    with pytest.warns(RuntimeWarning, match="coroutine 'twice' was never awaited"):
        programs.twice(3)


# ---- Leaks ----


def test_generators_do_not_leak() -> None:
    def everything() -> None:
        for _ in range(50):
            finally_effects(programs.cleaned, 5)
            next(iter(programs.tree(3)))
            outcome(lambda: programs.squares("x"))  # type: ignore[arg-type]
            awaited: Any = programs.asks(1)
            awaited.send(None)  # and is suspended in a Python coroutine that it awaits

    def new_blocks() -> int:
        gc.collect()
        blocks = sys.getallocatedblocks()
        everything()
        gc.collect()
        return sys.getallocatedblocks() - blocks

    everything()
    fewest = min(new_blocks() for _ in range(3))  # other threads of the test process allocate, too
    assert (_core.live()["generators"], _core.live()["coroutines"]) == (0, 0)
    assert fewest < 200  # 450 of them, each with a frame and a channel


def test_memory_that_runs_out_is_a_memory_error() -> None:
    testcapi = pytest.importorskip("_testcapi")
    tree, made, failed = programs.tree.build(), log(), 0
    cleaned = programs.cleaned.build()
    for n in range(60):
        for work in (lambda: sum(1 for _ in tree(3)), lambda: sum(1 for _ in cleaned(made, 2))):
            testcapi.set_nomemory(n, n + 1)
            try:
                work()
            except MemoryError:
                failed += 1
            finally:
                testcapi.remove_mem_hooks()
    assert failed > 20
    assert list(tree(2)) == [1, 2, 1]


def test_a_generator_outlives_its_function() -> None:
    made = compiled("def f(n: int) -> Iterator[int]:\n    for i in range(n):\n        yield i")
    generator = made(3)
    del made
    gc.collect()
    assert list(generator) == [0, 1, 2]


def test_compiled_code_has_no_lint_findings() -> None:
    made = [each for each in vars(programs).values() if isinstance(each, pycoro.Compiled)]
    assert len(made) > 10
    for each in made:
        assert not each.source.lint(), each
        assert each.report.module.verify() is None
        assert repr(each).startswith("<compiled ")


# ---- Rejected code ----

_number = 0


def compiled(text: str, **names: Any) -> Any:
    """Compile the last function of a text, as if it were in a file."""
    global _number
    _number += 1
    file = f"<text {_number}>"
    text = textwrap.dedent(text)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {**vars(collections.abc), "math": math, "asyncio": asyncio, "pycoro": pycoro, **names}
    exec(compile(text, file, "exec"), space)
    made = [value for value in space.values() if callable(value) and getattr(value, "__code__", None) is not None]
    return pycoro.compile(made[-1])


WRONG = [
    ("def f(n) -> Iterator[int]:\n    yield n", 1, 7, "parameter n needs a type annotation"),
    ("def f(n: str) -> Iterator[int]:\n    yield 1", 1, 7, "a parameter of type str is not supported"),
    ("def f(n: int):\n    yield n", 1, 1, "f() needs a return annotation"),
    ("def f(n: int) -> int:\n    yield n", 1, 18, "the annotation is not a generator type"),
    ("def f(*n: int) -> Iterator[int]:\n    yield 1", 1, 8, "*args and **kwargs are not supported"),
    ("async def f(n: int) -> AsyncIterator[int]:\n    yield n", 1, 1, "an async def that yields is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    yield 1.5", 2, 11, "the yielded value must be of type int, not float"),
    ("def f(n: int) -> Iterator[int]:\n    x = {}\n    yield n", 2, 9, "a dict is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    x = [1]\n    yield n", 2, 9, "a list is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    yield 'a'", 2, 11, "a str is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    x = 1\n    x = 1.0\n    yield x", 3, 5, "x is of type int elsewhere"),
    ("def f(n: int) -> Iterator[int]:\n    with n:\n        yield 1", 2, 5, "with is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    for x in 'ab':\n        yield 1", 2, 14, "a for loop over this is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    for x in range(1.5):\n        yield x", 2, 20, "range() needs ints"),
    ("def f(n: int) -> Iterator[int]:\n    try:\n        yield 1\n    except KeyError: pass", 4, 5, "except is not supported"),
    ("def f(n: int) -> Iterator[int]:\n    try:\n        yield 1\n    finally:\n        yield 2", 5, 9, "yield in a finally"),
    ("def f(n: int) -> Iterator[int]:\n    try:\n        yield 1\n    finally:\n        return", 5, 9, "return in a finally"),
    ("def f(n: int) -> int:\n    while n:\n        try: n -= 1\n        finally:\n            break\n    return n", 5, 13,
     "break out of a finally"),
    ("def f(n: int) -> int:\n    if n:\n        return 1", 2, 5, "f() may end without a value"),
    ("def f(n: int) -> int:\n    return g(n)", 2, 12, "g is not defined outside of the function"),
    ("def g(n: int) -> int:\n    return n\ndef f(n: int) -> int:\n    return g(n)", 4, 12, "g is not a compiled function"),
    ("def f(n: int) -> int:\n    return n ** n", 2, 17, "the exponent must be a literal int from 0 to 64"),
    ("def f(n: int) -> int:\n    return n if n else 1.0", 2, 12, "the operands have different types, int and float"),
    ("def f(n: int) -> int:\n    return n is n", 2, 12, "is and in are not supported"),
    ("def f(n: list[int]) -> int:\n    return n", 2, 12, "n is an array"),
    ("def f(n: list[int]) -> int:\n    return n[0.5]", 2, 14, "an array index must be an int"),
    ("def f(n: tuple[int, int]) -> int:\n    return n[2]", 2, 14, "the index of a tuple must be a literal int"),
    ("def f(n: tuple[int, int]) -> int:\n    return n[~0]", 2, 14, "the index of a tuple must be a literal int, from -2 to 1"),
    ("def f(n: tuple[int, int]) -> int:\n    return n[not True]", 2, 14, "the index of a tuple must be a literal int, from -2"),
    ("def f(n: int) -> int:\n    a, b = n\n    return a", 2, 5, "cannot unpack a value of type int into 2"),
    ("def f(n: int) -> int:\n    return max(n, 1.5)", 2, 12, "max() needs arguments of one type"),
    ("def f(n: int) -> int:\n    raise n", 2, 11, "n is not defined outside of the function"),
    ("def f(n: int) -> Iterator[int]:\n    yield from range(n)", 2, 16, "yield from needs a call of a compiled generator"),
    ("def f(n: int) -> Iterator[int]:\n    yield n\n    f(n)", 3, 5, "f() is a generator and must be iterated over"),
    ("async def f(n: int) -> int:\n    return await g(n)", 2, 18, "g is not defined outside of the function"),
    ("async def f(n: int) -> int:\n    x = await asyncio.sleep(0)\n    return n", 2, 9, "the type of the result"),
    ("def f(n: int) -> int:\n    lé = 'ü' if n else 1; return lé", 2, 10, "a str is not supported"),
    ("def f(n: int) -> int:\n    while n: n -= 1\n    else: n = 7\n    return n", 3, 11, "else of a loop is not supported"),
    ("def f(n: int) -> int:\n    return 9223372036854775808", 2, 12, "this int has more than 64 bits"),
    ("def f(n: int) -> int:\n    for x in mean(1.0):\n        return 1\n    return 0", 2, 14, "mean() is sent values of type"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_unsupported_code_is_rejected_with_its_location(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(pycoro.CompileError) as caught:
        compiled(text, mean=programs.running_mean)
    error = caught.value
    assert (error.line, error.column) == (line, column), str(error)
    assert said in error.message
    assert isinstance(error, pycoro.Error) and str(error).startswith(f"{error.file}:{line}:{column}: ")
    assert text.splitlines()[line - 1].strip() in str(error)


def test_errors_show_the_line_with_carets_and_a_fix() -> None:
    with pytest.raises(pycoro.CompileError) as caught:
        compiled("def f(n: int) -> Iterator[int]:\n    yield n + 1.5")
    assert str(caught.value).splitlines()[1:] == [
        "    yield n + 1.5",
        "          ^^^^^^^",
        "  hint: convert it with int(...)",
    ]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(pycoro.UsageError, match="needs a Python function"):
        pycoro.compile(len)
    space: dict[str, Any] = {}
    exec("def f() -> int:\n    return 1", space)
    with pytest.raises(pycoro.CompileError, match=r"the source of f\(\) is unavailable"):
        pycoro.compile(space["f"])
    with pytest.raises(pycoro.PipelineError):
        pycoro.compile(pipeline="default<O9>")


def test_a_custom_pipeline() -> None:
    quick = pycoro.compile(pipeline=pycoro.Pipeline.O0())(programs.collatz.__wrapped__)
    assert list(quick(6)) == [6, 3, 10, 5, 16, 8, 4, 2, 1]
    assert "coro-split" in str(quick.report.remarks) or quick.report.coroutines["collatz.py"].frame.size
