"""What the report of a lowering tells an engine of its coroutines: where their promises lie, where they stop."""

from __future__ import annotations

import ctypes
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pycoro._typecheck import check
from pycoro.coroutine import RetconShape, SwitchShape
from pycoro.errors import Diagnostic, JitError, UsageError
from pycoro.running.kinds import POINTER_SIZE, Kind, Kinds
from pycoro.running.source_kinds import source_kind

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import SuspendPoint
    from pycoro.report import Report

__all__ = ["Index", "Stops", "Told", "promise_of"]


class Index(NamedTuple):
    """Where a frame holds the index of the suspend that the coroutine is at, or was resumed at."""

    offset: int
    size: int
    """In bytes; 0 where there is but one suspend, and no index."""

    @property
    def mark(self) -> int:
        """The bit of it that an engine sets while the coroutine runs."""
        return 1 << 8 * self.size - 1

    def read(self, address: int) -> int:
        """Of the coroutine with the frame there."""
        return int.from_bytes(ctypes.string_at(address + self.offset, self.size), sys.byteorder)


class Stops(NamedTuple):
    """A coroutine of the switch ABI, by the indices of its suspends."""

    place: Index
    first_values: frozenset[int]
    """Where its ramp stops at a value."""
    saved_apart: frozenset[int]
    """Where it may be resumed before it has suspended."""
    marked: bool = False
    """Whether the index tells that it runs."""
    frame_size: int = 0
    """In bytes."""


def _stops(coroutine: Coroutine) -> Stops:
    def among(wanted: Callable[[SuspendPoint], bool]) -> frozenset[int]:
        return frozenset(point.index if index.size else 0 for point in coroutine.suspends if wanted(point))

    field = next((field for field in coroutine.frame if field.kind == "index"), None)
    index = Index(field.offset, field.size) if field else Index(0, 0)
    first, apart = among(lambda point: point.is_first_value and not point.is_final), among(lambda point: point.has_separate_save)
    return Stops(index, first, apart, frame_size=coroutine.frame.size)


def promise_of(text: str, kinds: Kinds, named: Mapping[str, str] = MappingProxyType({})) -> tuple[Kind, int]:
    """Type and offset of a promise given as for an alloca: ``"i32"``, ``"{ i32, i64 }, align 32"``. `named` spells out
    structs by how LLVM prints them; ``UsageError`` for one that it has no single spelling of."""
    check("promise is its type as text, as 'i32' or 'i32, align 32'", text, str)
    match = re.fullmatch(r"\s*(.*?)\s*(?:,\s*align\s+(\d+)\s*)?", text, re.DOTALL)
    assert match is not None
    spelt = named.get(match[1], match[1])
    if spelt == _SEVERAL:
        raise UsageError(f"{match[1]!r} is one type in one of the modules and another in another: spell it out")
    kind = kinds.kind(spelt)
    align = int(match[2] or kind.align)
    return kind, -(-2 * POINTER_SIZE // align) * align


def _promises_of(report: Report, kinds: Kinds) -> dict[str, tuple[Kind, int]]:
    """Type and place of each promise: the source's type where debug information has it, as in frames.
    ``JitError`` where the module was lowered for a machine that lays it out otherwise."""
    promises: dict[str, tuple[Kind, int]] = {}
    for name, coroutine in report.coroutines.items():
        shape = coroutine.shape
        if not isinstance(shape, SwitchShape) or not shape.promise_type:
            continue
        try:
            kind = kinds.kind(shape.promise_type)
        except UsageError:  # a type without values in Python; the promise just cannot be read
            continue
        field = next(field for field in coroutine.frame if field.kind == "promise")
        if kind.size != field.size:
            raise JitError(
                f"the promise of @{name}, {kind.text}, was laid out in {field.size} bytes, and takes {kind.size} on this machine",
                [Diagnostic("the module names no data layout", "lower it by pycoro.lower(ir, host=True)", name)],
            )
        promises[name] = source_kind(field) or kind, field.offset
    return promises


_SEVERAL = ""
"""Of a type's name: each module has a type of its own by it."""


class Told:
    """All that one engine was told, by the names of coroutines."""

    def __init__(self) -> None:
        self.promises: dict[str, tuple[Kind, int]] = {}
        """Type and offset."""
        self.named: dict[str, str] = {}
        """The types of promises by how LLVM prints them, spelt out; `_SEVERAL` where modules have several of the name."""
        self.stops: dict[str, Stops] = {}
        self.coroutines: dict[str, Coroutine] = {}
        """Those of the switch ABI, as they were laid out."""
        self.continuing: dict[str, RetconShape] = {}
        """Those that return their continuations."""
        self.without_handle: dict[str, Coroutine] = {}
        """Those of all ABIs but the switch ABI."""
        self.behind: dict[str, tuple[Coroutine, int]] = {}
        """Of the ABIs that have a function for each suspend: the coroutine and the suspend's place, by the function's name."""

    def take(self, other: Told, local: Collection[str]) -> None:
        """What is told of one more module, but for what is `local` to it: another module may have the name as well."""
        for name, spelt in other.named.items():
            self.named[name] = spelt if self.named.get(name, spelt) == spelt else _SEVERAL
        self.promises.update({name: place for name, place in other.promises.items() if name not in local})
        self.stops.update({name: stops for name, stops in other.stops.items() if name not in local})
        self.coroutines.update({name: known for name, known in other.coroutines.items() if name not in local})
        self.continuing.update({name: shape for name, shape in other.continuing.items() if name not in local})
        self.without_handle.update({name: known for name, known in other.without_handle.items() if name not in local})

    def _name(self, printed: str, spelt: str) -> None:
        """A type is known as LLVM prints it, ``%T = type { %U }``, and by its name alone."""
        self.named.update(dict.fromkeys((printed, printed.partition(" = type ")[0]), spelt))

    def promise_of(self, text: str, kinds: Kinds, among: Told) -> tuple[Kind, int]:
        """As the function of the name does, for this module `among` all: its own types come first."""
        return promise_of(text, kinds, ChainMap(self.named, among.named))

    @classmethod
    def by(cls, report: Report, kinds: Kinds, ask_running: Callable[[str, int, int], bool]) -> Told:
        """``JitError`` where a promise is laid out otherwise here. The index of a coroutine that stays as it was lowered
        can tell whether it runs, if its code can be made to: `ask_running` does, of its name and the index."""
        told = cls()
        told.promises = _promises_of(report, kinds)
        for name, coroutine in report.coroutines.items():
            shape = coroutine.shape
            if isinstance(shape, RetconShape):
                told.continuing[name] = shape
            if not isinstance(shape, SwitchShape):
                told.without_handle[name] = coroutine
                told.behind.update({clone: (coroutine, place) for place, clone in enumerate(coroutine.clones)})
                continue
            if shape.promise_type:
                told._name(next(field.type for field in coroutine.frame if field.kind == "promise"), shape.promise_type)
            told.coroutines[name] = coroutine
            stops = _stops(coroutine)
            index, last = stops.place, max((point.index for point in coroutine.suspends), default=0)
            can = report._as_lowered and index.size > 0 and last < index.mark and ask_running(name, *index)
            told.stops[name] = stops._replace(marked=can)
        return told
