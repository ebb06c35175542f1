"""External functions of a module under test: they record their calls, and return equal values in every run."""

from __future__ import annotations

import ctypes
import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pycoro.oracle._memory import Memory
from pycoro.oracle._world import Stub
from pycoro.running.kinds import Aggregate, Float, Int, Kind, Pointer

__all__ = ["ALLOCATOR", "DEALLOCATOR", "SUFFIX", "Recorders", "event_value", "manages_memory"]

ALLOCATOR = re.compile(r"^(?!.*de_?alloc).*alloc|^_Zn[wa]", re.IGNORECASE)
DEALLOCATOR = re.compile(r"free|de_?alloc|^_Zd[la]", re.IGNORECASE)
SUFFIX = re.compile(r"\.case\d+$")
"""Suffix of names in batches, removed from events."""


class Log(Protocol):
    def __call__(self, *event: object) -> None: ...


def event_value(memory: Memory, kind: Kind | None, value: Any) -> Any:
    """Return a value as events show it: pointers by name, and all NaNs equal."""
    if isinstance(kind, Pointer):
        return memory.name_of_pointer(value)
    if isinstance(kind, Aggregate):
        return tuple(event_value(memory, element, item) for element, item in zip(kind.elements, value, strict=True))
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _is_allocator(name: str, kinds: Sequence[Kind | None], result: Kind | None) -> bool:
    return bool(ALLOCATOR.search(name)) and isinstance(result, Pointer) and any(isinstance(kind, Int) for kind in kinds)


def _is_deallocator(name: str, kinds: Sequence[Kind | None]) -> bool:
    return bool(DEALLOCATOR.search(name)) and bool(kinds) and isinstance(kinds[0], Pointer)


def manages_memory(name: str, kinds: Sequence[Kind | None], result: Kind | None) -> bool:
    """Return True if a function of that name and type allocates or frees instrumented memory."""
    return _is_allocator(name, kinds, result) or _is_deallocator(name, kinds)


def _pseudo_random_value(memory: Memory, kind: Kind | None, seed: str) -> Any:
    """Return a small pseudo-random value that depends on the seed only."""
    number = zlib.crc32(seed.encode()) >> 7
    if isinstance(kind, Pointer):
        return memory.allocate_scratch_memory()
    if isinstance(kind, Float):
        return number % 64 / 4
    if isinstance(kind, Int):
        return number % min(100, 1 << (kind.bits - 1 or 1))
    if isinstance(kind, Aggregate):
        return tuple(_pseudo_random_value(memory, element, f"{seed}.{i}") for i, element in enumerate(kind.elements))
    return None


class Recorders:
    """Recorders of all stubs. ``begin_run`` starts a run and resets their result counters."""

    def __init__(self, stubs: Sequence[Stub], memory: Memory, log: Log) -> None:
        self._memory = memory
        self._log = log
        self._given: Mapping[str, Sequence[Any]] = {}
        self._counts: dict[str, int] = {}
        self._last: list[tuple[Kind | None, Any]] = []
        self._stubs = stubs
        self._calls = [self._make_recorder(stub) for stub in stubs]

    def begin_run(self, given: Mapping[str, Sequence[Any]]) -> None:
        """Start a run; ``given`` are the first results of functions, followed by pseudo-random ones."""
        self._given = given
        self._counts = {}
        self._last = []

    def __call__(self, number: int, address: int) -> None:
        """Record the call of a stub, with its arguments in memory at the address, and store the result there."""
        stub = self._stubs[number]
        value = self._calls[number](*stub.slots.read(address))
        if stub.result is not None and value is not None:
            data = stub.result.to_bytes(value)
            ctypes.memmove(address, data, len(data))

    def pop_arguments_of_last_call(self) -> list[tuple[Kind | None, Any]]:
        """Return the typed arguments of the last call since the previous query; allocation calls are ignored."""
        last, self._last = self._last, []
        return last

    def _result_of_call(self, name: str, kind: Kind | None) -> Any:
        count = self._counts[name] = self._counts.get(name, -1) + 1
        given = self._given.get(name, ())
        if count < len(given):
            return self._memory.allocate_scratch_memory() if isinstance(given[count], str) else given[count]
        return _pseudo_random_value(self._memory, kind, f"{name}:{count}")

    def _make_recorder(self, stub: Stub) -> Callable[..., Any]:
        name = SUFFIX.sub("", stub.header.name.strip('"'))
        kinds = stub.slots.types
        if _is_allocator(name, kinds, stub.result):
            return self._make_allocator(name, [i for i, kind in enumerate(kinds) if isinstance(kind, Int)])
        if _is_deallocator(name, kinds):
            return self._make_deallocator(name, stub.result)

        def record(*args: Any) -> Any:
            self._last = list(zip(kinds, args, strict=True))
            self._log("call", name, *(event_value(self._memory, kind, arg) for kind, arg in zip(kinds, args, strict=True)))
            return self._result_of_call(name, stub.result) if stub.result else None

        return record

    def _make_allocator(self, name: str, places: Sequence[int]) -> Callable[..., int]:
        memory, aligned, first = self._memory, "align" in name, name == "aligned_alloc"

        def allocate(*args: Any) -> int:
            sizes = [args[i] for i in places]
            size = math.prod(sizes) if name == "calloc" else sizes[-1] if first else sizes[0]
            address = memory.allocate(name, size, (sizes[0] if first else sizes[-1]) if aligned else 1)
            if name == "calloc":
                ctypes.memset(address, 0, size)
            return address

        return allocate

    def _make_deallocator(self, name: str, result: Kind | None) -> Callable[..., Any]:
        def free(*args: Any) -> Any:
            self._memory.free(name, args[0])
            return self._result_of_call(name, result) if result else None

        return free
