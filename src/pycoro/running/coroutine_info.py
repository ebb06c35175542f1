"""Coroutine information that an engine extracts from lowering reports: promise types, suspends and layouts."""

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
from pycoro.running.source_types import source_kind

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.frame import SuspendPoint
    from pycoro.report import Report

__all__ = ["CoroutineInfo", "Index", "Stops", "parse_promise_type_and_offset"]


class Index(NamedTuple):
    """Location of the suspend index in a frame."""

    offset: int
    size: int
    """Size in bytes; 0 for a coroutine with a single suspend, which has no index."""

    @property
    def running_bit(self) -> int:
        """Bit of the index that an engine sets while the coroutine runs."""
        return 1 << 8 * self.size - 1

    def read(self, address: int) -> int:
        """Read the suspend index from the frame at the address."""
        return int.from_bytes(ctypes.string_at(address + self.offset, self.size), sys.byteorder)


class Stops(NamedTuple):
    """Suspends of a coroutine of the switch ABI, by index."""

    index_field: Index
    first_values: frozenset[int]
    """Suspends at which the ramp has yielded its first value: see `SuspendPoint.is_first_value`."""
    saved_apart: frozenset[int]
    """Suspends with a separate save, after which the coroutine may be resumed before it suspends."""
    marked: bool = False
    """True if the index records that the coroutine runs."""
    frame_size: int = 0
    """Size in bytes."""


def _make_stops(coroutine: Coroutine) -> Stops:
    def frame_indices_of_suspends(wanted: Callable[[SuspendPoint], bool]) -> frozenset[int]:
        return frozenset(point.index if index.size else 0 for point in coroutine.suspends if wanted(point))

    field = next((field for field in coroutine.frame if field.kind == "index"), None)
    index = Index(field.offset, field.size) if field else Index(0, 0)
    first, apart = (
        frame_indices_of_suspends(lambda point: point.is_first_value and not point.is_final),
        frame_indices_of_suspends(lambda point: point.has_separate_save),
    )
    return Stops(index, first, apart, frame_size=coroutine.frame.size)


def parse_promise_type_and_offset(text: str, kinds: Kinds, named: Mapping[str, str] = MappingProxyType({})) -> tuple[Kind, int]:
    """Return type and offset of a promise, given as for an alloca: ``"i32"``, ``"{ i32, i64 }, align 32"``. `named` maps
    struct names to their spelling. Raises ``UsageError`` if several modules define the name differently.
    """
    check("promise must be its type as text, such as 'i32' or 'i32, align 32'", text, str)
    match = re.fullmatch(r"\s*(.*?)\s*(?:,\s*align\s+(\d+)\s*)?", text, re.DOTALL)
    assert match is not None
    spelled_name = named.get(match[1], match[1])
    if spelled_name == _SEVERAL:
        raise UsageError(f"{match[1]!r} is defined differently in several modules; spell out its elements")
    kind = kinds.kind(spelled_name)
    align = int(match[2] or kind.align)
    return kind, -(-2 * POINTER_SIZE // align) * align


def _promise_types_and_offsets(report: Report, kinds: Kinds) -> dict[str, tuple[Kind, int]]:
    """Return type and offset of each promise; debug information supplies the source type. Raises ``JitError`` if the module
    was lowered for a target with another layout.
    """
    promises: dict[str, tuple[Kind, int]] = {}
    for name, coroutine in report.coroutines.items():
        shape = coroutine.shape
        if not isinstance(shape, SwitchShape) or not shape.promise_type:
            continue
        try:
            kind = kinds.kind(shape.promise_type)
        except UsageError:  # a type without values in Python only makes the promise unreadable
            continue
        field = next(field for field in coroutine.frame if field.kind == "promise")
        if kind.size != field.size:
            raise JitError(
                f"the promise of @{name}, {kind.text}, was laid out in {field.size} bytes, and takes {kind.size} on this machine",
                [Diagnostic("the module has no data layout", "lower it with pycoro.lower(ir, host=True)", name)],
            )
        promises[name] = source_kind(field) or kind, field.offset
    return promises


_SEVERAL = ""
"""Marks a type name that several modules define differently."""


class CoroutineInfo:
    """Information about the coroutines of an engine, by name."""

    def __init__(self) -> None:
        self.promises: dict[str, tuple[Kind, int]] = {}
        """Type and offset of each promise."""
        self.named: dict[str, str] = {}
        """Spelling of each promise type by its printed name; `_SEVERAL` if modules define it differently."""
        self.stops: dict[str, Stops] = {}
        self.coroutines: dict[str, Coroutine] = {}
        """Layouts of the coroutines of the switch ABI."""
        self.continuing: dict[str, RetconShape] = {}
        """Coroutines that return their continuations."""
        self.without_handle: dict[str, Coroutine] = {}
        """Coroutines of all ABIs except the switch ABI."""
        self.suspends_by_continuation: dict[str, tuple[Coroutine, int]] = {}
        """Coroutine and suspend position by continuation name, for the ABIs with a function for each suspend."""

    def merge_module(self, other: CoroutineInfo, local: Collection[str]) -> None:
        """Add the information of one more module, except for its `local` names, which other modules may also use."""
        for name, spelled_name in other.named.items():
            self.named[name] = spelled_name if self.named.get(name, spelled_name) == spelled_name else _SEVERAL
        self.promises.update({name: place for name, place in other.promises.items() if name not in local})
        self.stops.update({name: stops for name, stops in other.stops.items() if name not in local})
        self.coroutines.update({name: known for name, known in other.coroutines.items() if name not in local})
        self.continuing.update({name: shape for name, shape in other.continuing.items() if name not in local})
        self.without_handle.update({name: known for name, known in other.without_handle.items() if name not in local})

    def _record_promise_type_name(self, printed: str, spelled_name: str) -> None:
        """Record a type by its printed form, ``%T = type { %U }``, and by its name."""
        self.named.update(dict.fromkeys((printed, printed.partition(" = type ")[0]), spelled_name))

    def parse_promise_type_and_offset(self, text: str, kinds: Kinds, among: CoroutineInfo) -> tuple[Kind, int]:
        """Return type and offset of a promise, as the function of that name; types of this module precede those of all
        modules, `among`.
        """
        return parse_promise_type_and_offset(text, kinds, ChainMap(self.named, among.named))

    @classmethod
    def from_report(cls, report: Report, kinds: Kinds, mark_running: Callable[[str, int, int], bool]) -> CoroutineInfo:
        """Extract the information from a report. Raises ``JitError`` if a promise has another layout on this machine.

        For a coroutine that has not changed since its lowering, `mark_running` tries to make the code at its index record
        that it runs.
        """
        info = cls()
        info.promises = _promise_types_and_offsets(report, kinds)
        for name, coroutine in report.coroutines.items():
            shape = coroutine.shape
            if isinstance(shape, RetconShape):
                info.continuing[name] = shape
            if not isinstance(shape, SwitchShape):
                info.without_handle[name] = coroutine
                info.suspends_by_continuation.update(
                    {clone: (coroutine, position) for position, clone in enumerate(coroutine.clones)}
                )
                continue
            if shape.promise_type:
                info._record_promise_type_name(
                    next(field.type for field in coroutine.frame if field.kind == "promise"), shape.promise_type
                )
            info.coroutines[name] = coroutine
            stops = _make_stops(coroutine)
            index, last = stops.index_field, max((point.index for point in coroutine.suspends), default=0)
            can = (
                report._only_pycoro_changed_since_split
                and index.size > 0
                and last < index.running_bit
                and mark_running(name, *index)
            )
            info.stops[name] = stops._replace(marked=can)
        return info
