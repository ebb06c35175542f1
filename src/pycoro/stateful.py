"""State machine for `hypothesis.stateful`: tests the life cycle of a module's coroutines against a Python model.

It starts, resumes, queries and destroys many coroutines in any order. Each must behave as its model, and no memory may leak.
Requires Hypothesis.

>>> from hypothesis import strategies as st
>>> from pycoro.stateful import lifecycle
>>> def counter(first, to):  # the model: a generator that yields what the promise holds at each suspend
...     yield from range(first, to)
>>> args = st.tuples(st.just(0), st.integers(0, 9))
>>> TestCounter = lifecycle(pycoro.examples.COUNTER, "counter", counter, args=args, promise="i32").TestCase
>>> TestCounter.__name__
'LifecycleOfCounter.TestCase'
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from pycoro import Engine, Handle
from pycoro._suggest import unknown_name_message
from pycoro.errors import LifecycleError, UsageError
from pycoro.module import Module
from pycoro.pipeline import DEFAULT

__all__ = ["Lifecycle", "lifecycle"]

Model = Callable[..., Generator[Any, None, None]]


@dataclass(eq=False)
class _LiveCoroutine:
    """Coroutine, its model, and the last value that the model yielded."""

    handle: Handle
    model: Generator[Any, None, None]
    value: Any
    done: bool = False


class _TrackingHeap:
    """Allocator of the coroutines that tracks live blocks."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
        self._library = library
        self.live: set[int] = set()

    def malloc(self, size: int) -> int:
        address: int = self._library.malloc(size)
        self.live.add(address)
        return address

    def free(self, address: int) -> None:
        if address:
            _require(address in self.live, "a coroutine freed memory that is not allocated, or freed it twice")
            self.live.discard(address)
            self._library.free(address)


class Lifecycle(RuleBasedStateMachine):
    """State machine; `lifecycle` creates subclasses for a coroutine.

    >>> from pycoro.stateful import Lifecycle, lifecycle
    >>> machine = lifecycle(pycoro.examples.COUNTER, "counter", lambda: iter(()))
    >>> issubclass(machine, Lifecycle), machine.ramp
    (True, 'counter')
    """

    coroutines: Bundle[_LiveCoroutine] = Bundle("coroutines")

    ir: str
    ramp: str
    model: staticmethod[..., Generator[Any, None, None]]
    promise: str | None
    passes: str
    allocator: tuple[str, str]
    externals: dict[str, Any]

    def __init__(self) -> None:
        super().__init__()
        self.heap = _TrackingHeap()
        self.lives: list[_LiveCoroutine] = []
        module = Module(self.ir, trusted=True)  # parsed for every example
        module.run(self.passes)
        allocate, free = self.allocator
        externals = {allocate: self.heap.malloc, free: self.heap.free, **self.externals}
        self.engine = Engine(module, externals=externals, deallocators=(free,), quick=True, trusted=True)

    def _start_coroutine(self, args: Sequence[Any]) -> _LiveCoroutine:
        model = self.model(*args)
        handle = self.engine.start(self.ramp, *args, promise=self.promise)
        life = _LiveCoroutine(handle, model, None)
        self._advance_model(life)
        self.lives.append(life)
        return life

    @staticmethod
    def _advance_model(life: _LiveCoroutine) -> None:
        try:
            life.value = next(life.model)
        except StopIteration:
            life.done = True

    def _check_against_model(self, life: _LiveCoroutine) -> None:
        _require(
            life.handle.done == life.done,
            f"done is {life.handle.done}; the model expects {life.done}",
        )
        if self.promise and not life.done:
            _require(life.handle.promise == life.value, f"the promise is {life.handle.promise}, not {life.value}")

    @rule(life=coroutines)
    def resume(self, life: _LiveCoroutine) -> None:
        """Resume a coroutine; one that is done must raise."""
        if life.done:
            try:
                life.handle.resume()
            except LifecycleError:
                return
            raise AssertionError("a coroutine that is done was resumed")
        life.handle.resume()
        self._advance_model(life)
        self._check_against_model(life)

    @rule(life=coroutines)
    def compare_with_model(self, life: _LiveCoroutine) -> None:
        """Compare whether it is done, and its promise, with the model."""
        self._check_against_model(life)

    @rule(life=consumes(coroutines))
    def destroy(self, life: _LiveCoroutine) -> None:
        """Destroy a coroutine in any state."""
        if not life.handle.destroyed:
            life.handle.destroy()
        life.model.close()
        self.lives.remove(life)
        _require(life.handle.destroyed, "destroy() left the coroutine alive")

    @invariant()
    def no_memory_without_coroutines(self) -> None:
        """Check that no memory is allocated without a coroutine."""
        _require(bool(self.lives or not self.heap.live), f"{len(self.heap.live)} blocks are allocated without a coroutine")

    def teardown(self) -> None:
        """Destroy the remaining coroutines and check for leaks."""
        for life in list(self.lives):
            self.destroy(life)
        left = len(self.heap.live)
        self.engine.close()
        _require(not left, f"{left} blocks leaked")


def _require(condition: bool, message: str) -> None:
    """Assert a condition, even under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def check_ramp_defined_and_names_declared(ir: str, ramp: str, names: Iterable[str]) -> None:
    """Raise ``UsageError`` for functions that the module does not have; otherwise a misspelt allocator would go unnoticed."""
    with Module(ir) as module:
        declared = {function.name: function.is_declaration for function in module.functions.values() if not function.is_intrinsic}
    if declared.get(ramp, True):
        raise UsageError(unknown_name_message("function", ramp, [name for name, only in declared.items() if not only]))
    for name in names:
        if not declared.get(name):
            raise UsageError(unknown_name_message("declared function", name, [name for name, only in declared.items() if only]))


def lifecycle(
    ir: str,
    ramp: str,
    model: Model,
    *,
    args: st.SearchStrategy[tuple[Any, ...]] | None = None,
    promise: str | None = None,
    passes: str = DEFAULT,
    allocator: tuple[str, str] = ("malloc", "free"),
    externals: dict[str, Any] | None = None,
) -> type[Lifecycle]:
    """Return a state machine class for the coroutine ``@ramp``; ``args`` is the strategy for its arguments.

    ``model(*args)`` is a generator that yields the value of the promise (of type ``promise``) at each suspend and returns when
    the coroutine is done. The module must declare the ``allocator`` functions. Raises ``UsageError`` for an unknown ramp or
    allocator.

    >>> import hypothesis
    >>> from hypothesis import strategies as st
    >>> from pycoro.stateful import lifecycle
    >>> def counter(first, to):
    ...     yield from range(first, to)
    >>> args = st.tuples(st.just(0), st.integers(0, 5))
    >>> TestCounter = lifecycle(pycoro.examples.COUNTER, "counter", counter, args=args, promise="i32").TestCase
    >>> TestCounter.settings = hypothesis.settings(max_examples=5, deadline=None, database=None)
    >>> print(TestCounter().runTest())
    None
    """
    check_ramp_defined_and_names_declared(ir, ramp, (*allocator, *(externals or {})))
    given = args if args is not None else st.just(())
    target: Bundle[_LiveCoroutine] = Lifecycle.coroutines

    def start(self: Lifecycle, args: Sequence[Any]) -> _LiveCoroutine:
        life = self._start_coroutine(args)
        self._check_against_model(life)
        return life

    members = {
        "ir": ir,
        "ramp": ramp,
        "model": staticmethod(model),
        "promise": promise,
        "passes": passes,
        "allocator": allocator,
        "externals": externals or {},
        "start": rule(target=target, args=given)(start),
        "__doc__": f"The life cycle of @{ramp}.",
    }
    return type(f"LifecycleOf{ramp.capitalize()}", (Lifecycle,), members)
