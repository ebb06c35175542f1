"""Runtime ABI between compiled code and Python, with the layout of csrc/py/channel.h; and numbered sites that raise."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import CodeType
from typing import NoReturn, TypeAlias

from pycoro.build import Allocation, FunctionBuilder, SwitchBuilder
from pycoro.compiling.kinds import BOOL, Kind
from pycoro.compiling.tree import Place
from pycoro.ir import Function, Value

__all__ = [
    "CALLS_PYTHON",
    "CONTEXTS",
    "DEPTH",
    "FRAMES",
    "LEFT",
    "LIMIT",
    "NOTHING",
    "SENT",
    "STANDING",
    "STATUS",
    "THROWN",
    "THROWN_AT",
    "WANTS",
    "Builder",
    "Channel",
    "Site",
    "Sites",
    "channel_size_in_bytes",
]

Builder: TypeAlias = "FunctionBuilder | SwitchBuilder"

CURRENT, STATUS, WANTS, DEPTH, LIMIT, STANDING, CONTEXTS, THROWN_AT, SLOT = 0, 8, 12, 16, 24, 32, 40, 48, 56
"""Offsets."""
THROWN = 1
"""Status of a generator that is closed at a suspend, or into which an exception is thrown."""
NOTHING, SENT, CALLS_PYTHON = 0, 1, 2
"""Requests of a suspend: see channel.h."""
LEFT = 1 << 30
"""Status flag: the exception left a generator that compiled code iterates over."""
_FIRST = 2  # the first status of a site


def channel_size_in_bytes(slots: int) -> int:
    """Return the size of a channel in bytes."""
    return SLOT + 8 * max(slots, 1)


@dataclass(frozen=True)
class Site:
    """A source place that raises, or where an exception is thrown in; ``error`` is ``BaseException`` for the latter."""

    error: type[BaseException]
    arguments: tuple[object, ...]
    file: str
    function: str
    place: Place


@dataclass
class Sites:
    """Sites of one module by number. A call with a number raises at that site."""

    sites: list[Site] = field(default_factory=list[Site])
    _numbers: dict[Site, int] = field(default_factory=dict[Site, int])
    _codes: dict[int, CodeType] = field(default_factory=dict[int, CodeType])

    def number_of_site(self, site: Site) -> int:
        """Return the number of a site; equal sites share one."""
        if site not in self._numbers:
            self._numbers[site] = len(self.sites) + _FIRST
            self.sites.append(site)
        return self._numbers[site]

    def _code_that_raises_at_site(self, number: int) -> CodeType:
        """Return code that raises ``error`` at the place of a site."""
        if number not in self._codes:
            site = self.sites[number]
            place = site.place
            at = {
                "lineno": place.line, "col_offset": place.column, "end_lineno": place.end_line, "end_col_offset": place.end_column
            }  # fmt: skip
            raising = ast.Raise(ast.Name("error", ast.Load(), **at), None, **at)
            code = compile(ast.Module([raising], []), site.file, "exec")
            self._codes[number] = code.replace(co_name=site.function, co_qualname=site.function)
        return self._codes[number]

    def __call__(self, status: int, thrown: BaseException | None = None) -> NoReturn:
        number = (status & ~LEFT) - _FIRST
        site = self.sites[number]
        error = site.error(*site.arguments) if thrown is None else thrown
        if status & LEFT and isinstance(error, StopIteration):
            error, stop = RuntimeError("generator raised StopIteration"), error
            error.__cause__ = stop
        names = {"error": error}
        del error, thrown  # the traceback's frame must not keep the exception alive
        try:
            exec(self._code_that_raises_at_site(number), names)
        finally:
            names.clear()
        raise AssertionError("it has raised")


class Channel:
    """A channel that a builder accesses."""

    def __init__(self, c: Builder, address: Value) -> None:
        self.c = c
        self.address = address

    def address_at_offset(self, offset: int) -> Value:
        """Return the address of an offset."""
        return self.c.gep("i8", self.address, [offset], inbounds=True) if offset else self.address

    def load_at_offset(self, type: str, offset: int, name: str = "") -> Value:
        return self.c.load(type, self.address_at_offset(offset), name=name)

    def store_at_offset(self, value: Value, offset: int) -> None:
        self.c.store(value, self.address_at_offset(offset))

    def store_number_at_offset(self, type: str, value: int, offset: int) -> None:
        self.store_at_offset(self.c.constant(type, value), offset)

    def clear_status_and_contexts(self) -> None:
        """Clear the status and the contexts."""
        self.store_number_at_offset("i32", 0, STATUS)
        self.store_at_offset(self.c.constant("ptr", None), CONTEXTS)

    def _declare_cold_engine_function(self, name: str, type: str) -> Function:
        """Return an engine function that is called on exceptional paths only."""
        made = self.c.declare(name, type)
        for attribute in ("cold", "nounwind"):
            self.c.add_attribute(made, attribute)
        return made

    def chain_exception_contexts(self, status_before: Value, older_contexts: Value) -> None:
        """Chain the contexts of an exception from a finally. The finally ran for an exception of the status ``status_before`` with
        its contexts, or for none.
        """
        chain = self._declare_cold_engine_function("pycoro.chain_contexts", "ptr (ptr, i32, ptr)")
        self.store_at_offset(
            self.c.call(chain, [self.load_at_offset("ptr", CONTEXTS), status_before, older_contexts], name="contexts"), CONTEXTS
        )

    def move_exception_contexts_from(self, other: Channel) -> None:
        """Move the exception of another channel to this one, which has none."""
        self.store_at_offset(other.load_at_offset("ptr", CONTEXTS), CONTEXTS)
        other.store_at_offset(self.c.constant("ptr", None), CONTEXTS)

    def free_exception_contexts(self) -> None:
        """Free the memory of the contexts."""
        contexts = self.load_at_offset("ptr", CONTEXTS)
        with self.c.if_(self.c.icmp("ne", contexts, self.c.constant("ptr", None))):
            self.c.call(self._declare_cold_engine_function("pycoro.drop_contexts", "void (ptr)"), [contexts])

    def write_value_to_slots(self, kind: Kind, value: Value | None, slot: int = 0) -> int:
        """Store a value to consecutive slots, and return the next slot."""
        if kind.sort == "tuple":
            assert value is not None
            for index, item in enumerate(kind.items):
                slot = self.write_value_to_slots(item, self.c.extract_value(value, index), slot)
            return slot
        if value is None:
            return slot
        self.store_at_offset(self.c.zext(value, "i64") if kind is BOOL else value, SLOT + 8 * slot)
        return slot + 1

    def read_value_from_slots(self, kind: Kind, slot: int = 0) -> Value | None:
        """Load a value from consecutive slots; None for the type None."""
        if kind.sort == "tuple":
            made: Value = self.c.poison(kind.llvm_type)
            for index, item in enumerate(kind.items):
                part = self.read_value_from_slots(item, slot)
                assert part is not None
                made, slot = self.c.insert_value(made, part, index), slot + item.slot_count
            return made
        if kind.sort == "None":
            return None
        if kind is BOOL:
            return self.c.icmp("ne", self.load_at_offset("i64", SLOT + 8 * slot), 0)
        return self.load_at_offset(kind.llvm_type, SLOT + 8 * slot)

    def array_address_and_length(self, slot: int) -> tuple[Value, Value]:
        """Return the address and the length of an array."""
        return self.load_at_offset("ptr", SLOT + 8 * slot), self.load_at_offset("i64", SLOT + 8 * slot + 8)


FRAMES = Allocation(
    lambda c, size, align: c.call(c.declare("PyMem_Malloc", "ptr (i64)"), [size], name="memory"),
    lambda c, memory: c.call(c.declare("PyMem_Free", "void (ptr)"), [memory]),
    may_fail=True,
)
"""Frames are allocated by Python, which is fast for small ones and visible to tracemalloc."""
