"""pycoro.compile: reentrant Python code, shadowed names and read-only memory."""

from __future__ import annotations

import array
import ast
import asyncio
import contextlib
import copy
import gc
import inspect
import linecache
import math
import pathlib
import pickle
import runpy
import sys
import threading
import traceback
import types
import warnings
import weakref
from collections.abc import Callable, Generator, Iterator
from typing import Any, ClassVar

import pytest

import pycoro


@pytest.fixture(scope="module", autouse=True)
def built() -> Iterator[None]:
    """Compile before a test counts its allocations, and free after the count."""
    every = [each for each in [*globals().values(), Methods.abs] if isinstance(each, pycoro.Compiled)]
    for each in every:
        each.build()
    yield
    for each in every:
        each._native = each._report = None


@pycoro.compile
def swaps(a: list[int], b: list[int], n: int) -> int:
    if n > 0:
        return swaps(b, a, n - 1)
    a[0] = 77
    return 0


@pycoro.compile
def turns(a: list[int], b: list[int], c: list[int], n: int) -> Iterator[int]:
    yield a[0]
    if n > 0:
        for x in turns(b, c, a, n - 1):
            yield x + 0
    else:
        a[0] = 77


def test_arguments_for_written_arrays_are_checked() -> None:
    fixed, free = bytes(16), array.array("q", [5, 6])
    with pytest.raises(BufferError, match="not writable"):
        swaps(free, memoryview(fixed).cast("q"), 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"argument 2 of swaps\(\): the function writes to this argument"):
        swaps(free, [1, 2], 1)  # type: ignore[arg-type]
    assert swaps(array.array("q", [1]), free, 1) == 0 and free[0] == 77  # type: ignore[arg-type]
    for place in range(3):
        given: list[Any] = [array.array("q", [1])] * 3
        given[place] = [1]
        with pytest.raises(TypeError, match=rf"argument {place + 1} of turns\(\): the function writes to this argument"):
            turns(*given, 2)
    assert fixed == bytes(16)


@pycoro.compile
def echoes(x: float) -> Generator[float, float, None]:
    while True:
        x = yield x


def test_number_conversion_runs_no_python_code() -> None:
    class Closes(int):
        def __float__(self) -> float:
            generator.close()
            return 1.0

    generator: Any = echoes(1.0)
    assert next(generator) == 1.0
    assert generator.send(Closes(3)) == 3.0
    assert generator.send(2.0) == 2.0


def test_an_exception_constructor_may_end_the_generator() -> None:
    class Closes(Exception):
        def __init__(self) -> None:
            generator.close()

    generator: Any = echoes(1.0)
    next(generator)
    with pytest.raises(Closes):
        generator.throw(Closes)
    assert list(generator) == []


class Waits:
    """Awaitable that ends with a value when it is thrown into, and calls back when its caller gets the value."""

    def __init__(self, called: Callable[[], Any]) -> None:
        self.called = called

    def __await__(self) -> Generator[None, None, int]:
        try:
            yield
        except ValueError:
            return Number(3)
        finally:
            self.called()
        return 0


class Number(int):
    pass


the_waiting: Any = None


def waiting() -> Any:
    return Waits(lambda: errors.append(outcome(the_waiting.close)))


errors: list[Any] = []


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pycoro.compile
async def awaits() -> float:
    found: float = await waiting()
    return found


def test_an_awaitable_may_handle_a_throw() -> None:
    global the_waiting
    errors.clear()
    the_waiting = awaits()
    the_waiting.send(None)
    with pytest.raises(StopIteration) as caught:
        the_waiting.throw(ValueError)
    the_waiting = None
    assert caught.value.value == 3.0 and errors == ["ValueError: coroutine already executing"]


def test_names_of_the_c_library_do_not_collide() -> None:
    @pycoro.compile
    def sin(x: float, n: int) -> float:
        return math.sin(x) if n == 0 else math.sin(x) + sin(x, n - 1)

    @pycoro.compile(pipeline="default<O0>")
    def fmod(x: float, n: int) -> float:
        return x % 2.5 if n == 0 else fmod(x, n - 1) + 1.0

    @pycoro.compile
    def PyMem_Malloc(n: int) -> Iterator[int]:
        yield n

    @pycoro.compile
    def PyMem_Free() -> Iterator[int]:
        yield from PyMem_Malloc(3)

    @pycoro.compile
    def enter(channel: int) -> int:
        return channel

    for n in range(3):
        assert sin(1.3, n) == sin.__wrapped__(1.3, n)
        assert fmod(7.3, n) == fmod.__wrapped__(7.3, n)
    assert list(PyMem_Malloc(2)) == [2] and list(PyMem_Free()) == [3] and enter(4) == 4
    assert "sin.py" in sin.source.functions and "sin" not in sin.source.functions


class Methods:
    @staticmethod
    @pycoro.compile
    def abs(n: int) -> int:
        return abs(n) + 1


def test_a_method_s_name_is_not_in_its_scope() -> None:
    assert Methods.abs(-5) == 6


def generated(n: int) -> Generator[None, None, int]:
    yield None
    return n


def iterated(n: int) -> Any:
    return iter([None] * n)


@pycoro.compile
async def awaits_wrongly(n: int) -> int:
    if n:
        a: int = await generated(n)  # type: ignore[misc]
        return a
    b: int = await iterated(n)
    return b


def test_generators_and_iterators_are_not_awaitable() -> None:
    for n in (0, 1):
        found = outcome(lambda n=n: asyncio.run(awaits_wrongly(n)))
        assert found == outcome(lambda n=n: asyncio.run(awaits_wrongly.__wrapped__(n)))
        assert found.startswith("TypeError: object ")


@types.coroutine
def based(n: int) -> Generator[None, None, int]:
    yield None
    return n


class Odd:
    """Its ``__await__`` returns an object that is no iterator; 2 returns a coroutine."""

    def __init__(self, of: int) -> None:
        self.of = of

    def __await__(self) -> Any:
        return based(self.of) if self.of == 1 else plain() if self.of == 2 else self.of


async def plain() -> int:
    await asyncio.sleep(0)
    return 5


held: dict[str, Any] = {}


def kept(n: int) -> Any:
    """Return the same object each time."""
    return held["coroutine"]


@pycoro.compile
async def takes(way: int, n: int) -> int:
    found: int = 0
    if way == 0:
        found = await based(n)
    elif way == 1:
        found = await Odd(n)
    else:
        found = await kept(n)
        if n == 1:
            found = await kept(n)
    return found


def test_awaitables_are_those_of_python() -> None:
    assert asyncio.run(takes(0, 7)) == 7
    for n, said in (
        (0, r"__await__\(\) returned non-iterator of type 'int'"),
        (1, r"__await__\(\) returned a coroutine"),
        (2, r"__await__\(\) returned a coroutine"),
    ):
        for function in (takes, takes.__wrapped__):
            with warnings.catch_warnings(), pytest.raises(TypeError, match=said):
                warnings.simplefilter("ignore", RuntimeWarning)  # for the coroutine that is never awaited
                asyncio.run(function(1, n))


@pytest.mark.parametrize("make", [plain, takes], ids=["of Python", "compiled"])
def test_a_coroutine_has_one_awaiter(make: Any) -> None:
    for function in (takes, takes.__wrapped__):
        held["coroutine"] = make(*[0, 5][: 2 if make is takes else 0])
        first, second = function(2, 0), function(2, 0)
        assert first.send(None) is None
        with pytest.raises(RuntimeError, match="^coroutine is being awaited already$"):
            second.send(None)
        with pytest.raises(StopIteration) as caught:
            first.send(None)
        assert caught.value.value == 5
        held["coroutine"] = make(*[0, 5][: 2 if make is takes else 0])
        with pytest.raises(RuntimeError, match="^cannot reuse already awaited coroutine$"):
            asyncio.run(function(2, 1))
    held.clear()


def test_python_await_rejects_an_awaited_compiled_coroutine() -> None:
    async def awaits_kept() -> int:
        return await kept(0)

    held["coroutine"] = takes(0, 1)
    first, second = awaits_kept(), awaits_kept()
    first.send(None)
    with pytest.raises(RuntimeError, match="^coroutine is being awaited already$"):
        second.send(None)
    held.clear()


@pycoro.compile
def stops(n: int) -> int:
    if n > 0:
        raise StopIteration("here")
    return n


@pycoro.compile
def stopping(n: int) -> Iterator[int]:
    yield n
    yield stops(n)


@pycoro.compile
def adds(n: int) -> int:
    total = 0
    for each in stopping(n):
        total += each
    return total


def test_a_stopiteration_does_not_leave_a_generator_that_is_iterated_over_within() -> None:
    assert adds(0) == 0
    with pytest.raises(RuntimeError, match="^generator raised StopIteration$") as caught:
        adds(1)
    assert isinstance(caught.value.__cause__, StopIteration) and caught.value.__cause__.args == ("here",)
    with pytest.raises(StopIteration, match="here"):
        stops(1)


def test_a_stopiteration_that_is_thrown_before_the_start_is_a_runtime_error() -> None:
    generator: Any = stopping(1)
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        generator.throw(StopIteration("x"))
    with pytest.raises(StopIteration, match="x"):
        generator.throw(StopIteration("x"))
    coroutine: Any = awaits()
    with pytest.raises(RuntimeError, match="coroutine raised StopIteration"):
        coroutine.throw(StopIteration)
    with pytest.raises(RuntimeError, match="cannot reuse already awaited coroutine"):
        coroutine.throw(StopIteration)


@pycoro.compile
def least() -> float:
    return -9223372036854775808.0


@pycoro.compile
def marks(log: list[int], n: int) -> None:
    log[n] += 1


@pycoro.compile
def both(log: list[int], n: int) -> None:
    marks(log, 0) or marks(log, 1)  # type: ignore[func-returns-value]
    marks(log, 2) and marks(log, 3)  # type: ignore[func-returns-value]
    return marks(log, 4) if n else marks(log, 5)


@pycoro.compile
def most(a: bool, b: bool, c: bool) -> tuple[bool, bool]:
    return max(a, b, c), min(a, b, c)


def test_operands_of_unusual_types() -> None:
    assert type(least()) is float and least() == -(2.0**63)
    for n in (0, 1):
        log = array.array("q", [0] * 6)
        both(log, n)  # type: ignore[arg-type]
        assert list(log) == [1, 1, 1, 0, n, 1 - n]
    for bits in range(8):
        given = bool(bits & 1), bool(bits & 2), bool(bits & 4)
        assert most(*given) == (max(given), min(given)) and type(most(*given)[0]) is bool


@pycoro.compile(pipeline="default<O0>")
def descends(n: int) -> Iterator[int]:
    yield n
    if n > 0:
        for each in descends(n - 1):
            yield each + 0


def test_a_thread_with_little_stack_ends_recursion_earlier() -> None:
    before, limit = threading.stack_size(256 * 1024), sys.getrecursionlimit()
    found: list[Any] = []
    try:
        sys.setrecursionlimit(20_000)
        thread = threading.Thread(target=lambda: found.extend([outcome(lambda n=n: len(list(descends(n)))) for n in (20, 9000)]))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
        sys.setrecursionlimit(limit)
    assert found == [21, "RecursionError: maximum recursion depth exceeded"]


@pycoro.compile
def descending(log: list[int], n: int) -> Iterator[int]:
    try:
        yield n
        if n > 0:
            for each in descending(log, n - 1):
                yield each + 0
    finally:
        log[0] += 1


def run_in_thread(work: Callable[[], Any], stack: int) -> Any:
    """Return the result of a call in a thread with that many bytes of stack."""
    before, found = threading.stack_size(stack), list[Any]()
    try:
        thread = threading.Thread(target=lambda: found.append(outcome(work)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return found[0]


descending_at_O0 = pycoro.compile(pipeline="default<O0>")(descending.__wrapped__)


def test_inspect_and_asyncio_recognize_compiled_objects() -> None:
    known = (inspect.iscoroutinefunction, asyncio.iscoroutinefunction, inspect.isgeneratorfunction)
    assert [asks(awaits) for asks in known] == [True, True, False]
    assert [asks(there_and_back) for asks in known] == [False, False, True]
    square = pycoro.compile(squared)
    assert not any(asks(square) for asks in known) and str(inspect.signature(square)) == "(n: 'int', by: 'int' = 2) -> 'int'"
    assert square(3) == 6


def squared(n: int, by: int = 2) -> int:
    return n * by


@pycoro.compile
def there_and_back(n: int) -> Iterator[int]:
    yield n
    if n > 0:
        for each in there_and_back(n - 1):
            yield each + 0
    yield -n


there_and_back_at_O0 = pycoro.compile(pipeline="default<O0>")(there_and_back.__wrapped__)


@pytest.mark.parametrize("make", [there_and_back, there_and_back_at_O0], ids=["O2", "O0"])
def test_an_unwound_chain_continues_on_a_small_stack(make: Any) -> None:
    """The current depth counts, not the largest previous depth; the chain can deepen again from there."""
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(20_000)
        chain = make(3000)
        assert [next(chain) for _ in range(3001)][-1] == 0
        assert run_in_thread(lambda: next(chain), 128 * 1024).startswith("RecursionError")
        assert [next(chain) for _ in range(2990)] == [-n for n in range(2990)]
        assert run_in_thread(lambda: next(chain), 128 * 1024) == -2990
        assert run_in_thread(lambda: list(chain), 128 * 1024) == [-n for n in range(2991, 3001)]
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("make", [descending, descending_at_O0], ids=["O2", "O0"])
def test_a_deep_chain_is_not_resumed_in_a_thread_with_too_small_a_stack(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, log, lost = sys.getrecursionlimit(), array.array("q", [0]), list[Any]()
    monkeypatch.setattr(sys, "unraisablehook", lambda of: lost.append(of.exc_value))
    said = "RecursionError: the stack of this thread is too small to resume the generator at its recursion depth"
    try:
        sys.setrecursionlimit(20_000)
        chain: list[Any] = [make(log, 6000)]
        assert [next(chain[0]) for _ in range(5000)][-1] == 1001
        for work in (lambda: next(chain[0]), lambda: chain[0].throw(KeyError), lambda: chain[0].close()):
            assert run_in_thread(work, 128 * 1024) == said
        assert next(chain[0]) == 1000 and run_in_thread(lambda: next(chain[0]), 64 << 20) == 999
        chain[0].close()
        assert log[0] == 5002 and not lost
        assert run_in_thread(lambda: next(make(log, 3)), 128 * 1024) == 3
        chain = [make(log, 6000)]
        assert len([next(chain[0]) for _ in range(5000)]) == 5000
        run_in_thread(chain.clear, 128 * 1024)
        assert [str(each) for each in lost] == [said.removeprefix("RecursionError: ")]
    finally:
        sys.setrecursionlimit(limit)


def test_weak_references() -> None:
    gone: list[str] = []
    generator: Any = echoes(1.0)
    coroutine: Any = takes(0, 1)
    for each in (generator, coroutine):
        reference = weakref.ref(each, lambda _: gone.append("gone"))
        assert reference() is each
    next(generator)
    coroutine.close()
    kept = weakref.WeakSet([generator, coroutine])
    del generator, coroutine, each
    assert gone == ["gone"] and reference() is None and not kept  # the first reference was dropped before its target


def test_freed_objects_leave_no_state() -> None:
    for _ in range(20):
        first, second = echoes(1.0), echoes(2.0)
        assert (next(first), next(second)) == (1.0, 2.0)
        assert second.send(5.0) == 5.0
        del first
        third: Any = echoes(3.0)
        with pytest.raises(TypeError, match="can't send non-None value to a just-started generator"):
            third.send(1.0)
        assert next(third) == 3.0 and second.send(6.0) == 6.0
        with pytest.raises(KeyError):
            third.throw(KeyError)
        with pytest.raises(TypeError):
            echoes("x")  # type: ignore[arg-type]
    native = pycoro.compile(echoes.__wrapped__).build()
    many = [native(float(n)) for n in range(20)]
    assert [next(each) for each in many] == list(range(20))
    del many, native
    gc.collect()
    assert gc.is_tracked(echoes(1.0))


class Meters(int):
    """An int subclass; its methods treat it as one."""

    @pycoro.compile
    def doubled(self: int, n: int = 2) -> int:  # type: ignore[misc]
        return self * n

    @pycoro.compile
    def steps(self: int) -> Iterator[int]:  # type: ignore[misc]
        for i in range(self):
            yield i + 0


def test_a_compiled_function_in_a_class_is_a_method() -> None:
    Meters.doubled.build(), Meters.steps.build()
    assert Meters(4).doubled() == Meters(4).doubled(n=2) == Meters.doubled(4) == 8 and Meters(4).doubled(3) == 12
    assert list(Meters(3).steps()) == [0, 1, 2]
    assert isinstance(Meters.doubled, pycoro.Compiled)
    for each in (Meters.doubled, Meters.steps):
        each._native = each._report = None


def namespace_of_file(path: pathlib.Path, text: str) -> dict[str, Any]:
    """Return the namespace of a module with that text."""
    path.write_text(text)
    return runpy.run_path(str(path))


def test_self_is_rejected_with_a_fix(tmp_path: pathlib.Path) -> None:
    text = "import pycoro\nclass C:\n    @pycoro.compile\n    def f({}n: int) -> int:\n        return n\n"
    with pytest.raises(pycoro.CompileError, match="self is an instance of a class, which is not supported") as caught:
        namespace_of_file(tmp_path / "a.py", text.format("self, "))
    assert "hint: write @staticmethod above @pycoro.compile" in str(caught.value)
    assert (caught.value.line, caught.value.column) == (4, 11)
    with pytest.raises(pycoro.CompileError, match="parameter n needs a type annotation"):
        namespace_of_file(tmp_path / "b.py", "import pycoro\n@pycoro.compile\ndef f(n) -> int:\n    return n\n")


def test_a_changed_file_is_not_compiled(tmp_path: pathlib.Path) -> None:
    text = "from __future__ import annotations\ndef f(n: int) -> int:\n    x = 1\n    return n + x\n"
    function = namespace_of_file(tmp_path / "c.py", text)["f"]
    assert pycoro.compile(function)(2) == 3
    for changed in (text.replace("+", "-"), text.replace("1", "7"), text.replace("    x = 1\n", "    x = 1; \n"),
                    text.replace("    return", "\n    return"), text.replace("n + x", "n +"), "\n" + text, ""):  # fmt: skip
        (tmp_path / "c.py").write_text(changed)
        linecache.checkcache(str(tmp_path / "c.py"))
        said = r"the source of f\(\) differs from the running code: the file has changed" if changed else "is unavailable"
        if changed.endswith("; \n    return n + x\n"):
            assert pycoro.compile(function)(2) == 3  # Python ignores the difference
            continue
        with pytest.raises(pycoro.CompileError, match=said):
            pycoro.compile(function)


def test_a_reloaded_module_is_parsed_once_more(tmp_path: pathlib.Path) -> None:
    text = "def f(n: int) -> int:\n    return n + 1\n"
    assert pycoro.compile(namespace_of_file(tmp_path / "d.py", text)["f"])(2) == 3
    function = namespace_of_file(tmp_path / "d.py", text.replace("+ 1", "* 25"))["f"]
    assert pycoro.compile(function)(2) == 50


@pycoro.compile
def asserts(n: int) -> int:
    assert n != 3, "three"
    return n


def test_assertions_rewritten_by_pytest_are_compiled_from_source() -> None:
    assert asserts(2) == 2
    with pytest.raises(AssertionError, match="^three$"):
        asserts(3)


def test_a_file_is_parsed_once_without_repeated_warnings(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import pycoro\ndef odd(n): return n is 1\n"
    text += "".join(f"@pycoro.compile\ndef f{i}(n: int) -> int:\n    return n + {i}\n" for i in range(3))
    path = tmp_path / "e.py"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, str(path), "exec")
    parsed: list[str] = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text, *more: (parsed.append(text), parse(text, *more))[1])
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(code, space)
    assert space["f2"](5) == 7 and parsed == [text]


def test_a_lambda_is_refused_as_one() -> None:
    with pytest.raises(pycoro.CompileError, match="a lambda is not supported") as caught:
        pycoro.compile(lambda: 1)
    assert "hint: write it as a def" in str(caught.value)


def test_a_compiled_function_is_pickled_and_copied_as_a_function_is() -> None:
    assert pickle.loads(pickle.dumps(asserts)) is asserts
    assert copy.copy(asserts) is asserts and copy.deepcopy([asserts])[0] is asserts
    assert pickle.loads(pickle.dumps(Meters.doubled)) is Meters.doubled


@pycoro.compile
def of_self(self: int) -> int:
    return self


def test_a_parameter_may_have_the_name_self() -> None:
    assert of_self(self=3) == 3


@pycoro.compile
def raises(n: int) -> int:
    raise LookupError("gone")


def test_an_exception_is_freed_with_its_last_reference() -> None:
    class Kept:
        pass

    def caught() -> weakref.ref[Any]:
        local = Kept()
        with contextlib.suppress(LookupError):
            raises(1)
        return weakref.ref(local)

    gc.disable()
    try:
        assert caught()() is None
    finally:
        gc.enable()


class Named(array.array):  # type: ignore[type-arg]
    reader: Any


def test_a_cycle_through_an_array_is_collected() -> None:
    array_of_its_own = Named("q", [1, 2])
    array_of_its_own.reader = reads(array_of_its_own)  # type: ignore[arg-type]
    assert next(array_of_its_own.reader) == 1
    reference = weakref.ref(array_of_its_own.reader)
    del array_of_its_own
    gc.collect()
    assert reference() is None


@pycoro.compile
def reads(a: list[int]) -> Iterator[int]:
    for each in a:
        yield each + 0


class Steps:
    """An iterator of an awaitable, which may be closed."""

    closed: ClassVar[list[str]] = []
    last: Any = None

    def __await__(self) -> Any:
        type(self).last = made = Steps()
        return made

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        return 1

    def close(self) -> None:
        self.closed.append("closed")


def steps() -> Any:
    return Steps()


@pycoro.compile
async def awaits_steps() -> int:
    found: int = await steps()
    return found


def test_a_collected_coroutine_closes_its_awaitable() -> None:
    for function in (awaits_steps, awaits_steps.__wrapped__):
        Steps.closed.clear()
        coroutine: Any = function()
        assert coroutine.send(None) == 1
        Steps.last.awaited_by = coroutine
        Steps.last = coroutine = None
        gc.collect()
        assert Steps.closed == ["closed"]


def test_a_fake_exception_class_is_not_thrown() -> None:
    class Fake:
        __class__ = ValueError  # type: ignore[assignment]

    for make in (echoes, echoes.__wrapped__):
        generator: Any = make(1.0)
        next(generator)
        with pytest.raises(TypeError, match="exceptions must be classes or instances deriving from BaseException"):
            generator.throw(Fake())
        assert generator.send(2.0) == 2.0


def test_throw_takes_its_arguments_as_cpython_does() -> None:
    def outcome(make: Any, *arguments: Any) -> tuple[str, list[str]]:
        thrown = ValueError("thrown before")
        try:
            raise thrown
        except ValueError:
            pass
        generator = make(1.0)
        next(generator)
        with pytest.raises((TypeError, ValueError)) as caught:
            generator.throw(*(thrown if argument == "thrown" else argument for argument in arguments))
        frames = traceback.extract_tb(caught.value.__traceback__)
        return repr(caught.value), [frame.name for frame in frames]

    for arguments in [(5,), ("",), ("thrown", None, 5), ("thrown", 1), (ValueError, "thrown"), (UnicodeDecodeError, 1)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            assert outcome(echoes, *arguments) == outcome(echoes.__wrapped__, *arguments), arguments


@pycoro.compile
async def three() -> int:
    return 3


class Runs:
    """Awaitable through an inner coroutine, which it drives or returns."""

    def __await__(self) -> Any:
        return (yield from takes(0, 7).__await__())


class Hands:
    def __await__(self) -> Any:
        return three().__await__()


def awaitable(way: int) -> Any:
    return Runs() if way else Hands()


@pycoro.compile
async def awaits_delegates(way: int) -> int:
    found: int = await awaitable(way)
    return found


def test_the_iterator_of_a_coroutine_is_iterated_over() -> None:
    for function in (awaits_delegates, awaits_delegates.__wrapped__):
        assert asyncio.run(function(1)) == 7 and asyncio.run(function(0)) == 3
    coroutine: Any = takes(0, 1)
    iterator = coroutine.__await__()
    assert iter(iterator) is iterator and next(iterator) is None
    with pytest.raises(KeyError):
        iterator.throw(KeyError)
    iterator = takes(0, 1).__await__()
    assert iterator.send(None) is None and iterator.close() is None
    with pytest.raises(RuntimeError, match="^cannot reuse already awaited coroutine$"):
        next(iterator)
    with pytest.raises(TypeError, match="is not iterable"):
        iter(coroutine)


def again(n: int) -> Any:
    return deeper(n)


@pycoro.compile
async def deeper(n: int) -> int:
    if n == 0:
        return 0
    found: int = await again(n - 1)
    return found + 1


def test_await_cycles_through_python_fail_as_in_python() -> None:
    assert asyncio.run(deeper(50)) == 50
    with pytest.raises(RecursionError):
        asyncio.run(deeper(100_000))


@pycoro.compile
def chained(n: int) -> Iterator[int]:
    yield n
    if n > 0:
        yield from chained(n - 1)


@pycoro.compile
def leaves(log: list[int], n: int) -> Iterator[int]:
    try:
        for each in chained(n):
            if each == 0:
                break
            yield each + 0
    finally:
        log[0] += 1


def test_freeing_a_long_chain_takes_no_stack() -> None:
    limit, log = sys.getrecursionlimit(), array.array("q", [0])
    try:
        sys.setrecursionlimit(20_000)
        assert run_in_thread(lambda: sum(leaves(log, 9000)), 128 * 1024) == 9000 * 9001 // 2  # type: ignore[arg-type]
    finally:
        sys.setrecursionlimit(limit)
    assert log[0] == 1


def adding(k: int) -> Any:
    @pycoro.compile
    def added(n: int) -> int:
        return n + k

    return added


one, another, two = adding(1), adding(1), adding(2)


@pycoro.compile
def sums(n: int) -> int:
    return one(n) + 10 * another(n) + 100 * two(n)


def test_functions_with_equal_source_may_run_together() -> None:
    assert sums(0) == 211


def test_deeply_nested_code_is_rejected(tmp_path: pathlib.Path) -> None:
    text = f"def f(n: int) -> int:\n    return {' + '.join(['n'] * 900)}\n"
    function = namespace_of_file(tmp_path / "f.py", text)["f"]
    assert function(1) == 900
    with pytest.raises(pycoro.CompileError, match=r"an expression in f\(\) is nested too deeply"):
        pycoro.compile(function)
