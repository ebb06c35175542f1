"""Compare two frames of a coroutine field by field: two of pycoro's, or one with that of LLVM's lowering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from pycoro._escape import printable
from pycoro._ir_syntax import LOCAL, unquote_name
from pycoro.drawing.model import UNNAMED, display_name, display_value
from pycoro.frame import Frame, FrameField
from pycoro.llvm_frame import LLVMFrame, LLVMFrameField
from pycoro.view import format_count

__all__ = [
    "AnyFrame",
    "FieldDiff",
    "FrameDiff",
    "describe_field_move",
    "diff_frames",
    "field_name_with_variable",
    "fields_by_variable_or_name",
]

FieldChange: TypeAlias = Literal["new", "gone", "moved", "same"]
AnyFrame: TypeAlias = Frame | LLVMFrame
AnyField: TypeAlias = FrameField | LLVMFrameField
F = TypeVar("F", bound=AnyField)

_VALUE_OF_STAGE = re.compile(rf"^  ({LOCAL}),? (.*)$", re.MULTILINE)
"""Line of a stage's text about a value."""


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """Field of two frames, or of one of them. Offsets and sizes are in bytes; None if the frame does not have the field.

    >>> coroutine = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
    >>> pycoro.diff(coroutine.llvm_frame(), coroutine.frame).fields[-1].why
    'no index is stored, because only one suspend can be resumed'
    """

    name: str
    """Name of the IR value without the ``%``, or of the header slot. Empty for a field of LLVM's frame alone whose value has no
    name."""
    what: FieldChange
    """``"new"``, ``"gone"``, ``"moved"`` (another offset or size) or ``"same"``."""
    type: str
    """LLVM type."""
    offset_before: int | None
    size_before: int | None
    offset_after: int | None
    size_after: int | None
    variable: str
    """Name of the source variable; empty without debug information."""
    why: str
    """Reason for the field in pycoro's frame, the second of two; for a field of LLVM's frame alone, the reason why pycoro's has
    none. Empty if unknown."""

    def __str__(self) -> str:
        sign = {"new": "+", "gone": "-", "moved": "~", "same": " "}[self.what]
        places = ((self.offset_before, self.size_before), (self.offset_after, self.size_after))
        there = [(offset, size) for offset, size in places if offset is not None and size is not None]
        place = describe_field_move(there[0], there[-1]) if self.what == "moved" else f"offset {there[-1][0]}"
        size = "" if "size" in place else f", {format_count(there[-1][1], 'byte')}"
        return printable(f"  {sign} {self.label}: {place}{size}" + (f" ({self.why})" if self.why else ""))

    @property
    def label(self) -> str:
        """The source variable with the name of the IR value, if there is one; else the name."""
        return display_value(self.name, self.variable) if self.variable else self.name or UNNAMED


@dataclass(frozen=True, slots=True)
class FrameDiff:
    """Differences between two frames. Plain data, never stale. ``pandas.DataFrame(difference.rows())`` is a data frame.

    >>> coroutine = pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
    >>> difference = pycoro.diff(coroutine.llvm_frame(), coroutine.frame)
    >>> difference.bytes, [(field.name, field.what) for field in difference.fields if field.what != "same"]
    (0, [('next', 'new'), ('n', 'gone'), ('index', 'gone')])
    """

    function: str
    """Name of the second frame's coroutine without the ``@``."""
    size_before: int
    size_after: int
    fields: tuple[FieldDiff, ...]
    """Fields of the second frame by offset, then those of the first alone."""

    def __bool__(self) -> bool:
        """Return whether a size or a field differs."""
        return self.size_before != self.size_after or any(field.what != "same" for field in self.fields)

    @property
    def bytes(self) -> int:
        """Growth from the first frame to the second in bytes; negative if it shrank."""
        return self.size_after - self.size_before

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each field, for ``pandas.DataFrame``; its ``convert_dtypes()`` keeps integers beside missing ones."""
        return [asdict(field) for field in self.fields]

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as dicts, lists, texts and numbers, for JSON."""
        return {**asdict(self), "fields": self.rows(), "bytes": self.bytes}

    def __repr__(self) -> str:
        return printable(f"<FrameDiff of @{self.function}: {self.size_before} -> {self.size_after} bytes>")

    def __str__(self) -> str:
        head = f"{display_name(self.function)}: frame {self.size_before} -> {self.size_after} bytes ({self.bytes:+d})"
        return "\n".join([printable(head), *(str(field) for field in self.fields)])

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": str, "text/html": tables.frame_diff_html}, self, include, exclude)


def field_name_with_variable(field: FrameField) -> str:
    """Return the name of a field, with its source variable if it has one."""
    return field.name if field.is_header else f"%{field.name}" + (f" ({field.variable})" if field.variable else "")


def _by_key_with_counter(fields: Iterable[F], key_of: Callable[[F], str]) -> dict[str, F]:
    """Return the fields by key, with a counter for repeated keys."""
    occurrences: Counter[str] = Counter()
    found: dict[str, F] = {}
    for field in fields:
        key = key_of(field)
        occurrences[key] += 1
        found[f"{key}#{occurrences[key]}"] = field
    return found


def fields_by_variable_or_name(frame: Frame) -> dict[str, FrameField]:
    """Return the fields by stable key: source variable, else IR name, with a counter for repeated names."""
    return _by_key_with_counter(frame.fields, lambda field: field.variable or field_name_with_variable(field))


def describe_field_move(was: tuple[int, int], now: tuple[int, int]) -> str:
    """Describe two pairs of offset and size that differ."""
    place = f"offset {was[0]} -> {now[0]}" if was[0] != now[0] else f"offset {now[0]}"
    return place + (f", size {was[1]} -> {now[1]}" if was[1] != now[1] else "")


def _reason_if_pycoro_field(field: FrameField | LLVMFrameField | None) -> str:
    return field.why if isinstance(field, FrameField) else ""


def _compare_fields(before: AnyField | None, after: AnyField | None, why: str) -> FieldDiff:
    either = after if after and after.name else before or after
    assert either
    was = (before.offset, before.size) if before else (None, None)
    now = (after.offset, after.size) if after else (None, None)
    what: FieldChange = "gone" if after is None else "new" if before is None else "same" if was == now else "moved"
    variable = next((field.variable for field in (after, before) if isinstance(field, FrameField) and field.variable), "")
    return FieldDiff(either.name, what, _type_without_struct_body(either), was[0], was[1], now[0], now[1], variable, why)


def _fields_by_comparison_key(frame: AnyFrame, by_variable: bool) -> Mapping[str, AnyField]:
    if by_variable and isinstance(frame, Frame):
        return fields_by_variable_or_name(frame)
    fields: tuple[AnyField, ...] = frame.fields
    return _by_key_with_counter(fields, _key_of_name_or_type)


def _key_of_name_or_type(field: AnyField) -> str:
    """Return the key of a field in comparisons with LLVM's frame: the name of its value, else its type. LLVM's code has no name for
    the field of an unnamed value such as ``%3``, and does not quote names."""
    is_unnamed = field.name.isdecimal() if isinstance(field, FrameField) else not field.name
    return f"type {_type_without_struct_body(field)}" if is_unnamed else "%" + unquote_name(field.name)


def _type_without_struct_body(field: AnyField) -> str:
    """Return the type without the definition of a named struct."""
    return field.type.partition(" = type ")[0]


def _field_keys_by_offset(fields: Mapping[str, AnyField]) -> list[str]:
    return sorted(fields, key=lambda key: fields[key].offset)


class _AbsenceReasons:
    """Explains why pycoro's frame has no field for a value that LLVM's has, by the results of the stages of the lowering."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._lines: dict[str, dict[str, str]] = {}

    def _stage_line_about_value(self, stage: str, value: str) -> str:
        """Return what the stage prints about a value."""
        if stage not in self._lines:
            text = self._frame._stage_text_or_empty(stage)
            self._lines[stage] = {unquote_name(found[1][1:]): found[2] for found in _VALUE_OF_STAGE.finditer(text)}
        return self._lines[stage].get(value, "")

    def reason_or_empty(self, field: LLVMFrameField) -> str:
        resumable = sum(not suspend.is_final for suspend in self._frame.suspends)
        if field.name == "index":
            return "no index is stored, because only one suspend can be resumed" if resumable < 2 else ""
        if "rematerialized" in self._stage_line_about_value("remat", field.name):
            return "it is recomputed after the suspend"
        if place := self._stage_line_about_value("frame_allocas", field.name):
            return "its contents are not live across a suspend, so it is on the stack" if "on the stack" in place else ""
        return "" if self._stage_line_about_value("crossing", field.name) or not field.name else "it is not used after a suspend"


def diff_frames(before: AnyFrame, after: AnyFrame) -> FrameDiff:
    """Compare two frames: see `pycoro.diff`."""
    both = isinstance(before, Frame) and isinstance(after, Frame)
    old, new = _fields_by_comparison_key(before, by_variable=both), _fields_by_comparison_key(after, by_variable=both)
    ours = [frame for frame in (after, before) if isinstance(frame, Frame)]
    absence = _AbsenceReasons(ours[0]) if len(ours) == 1 else None
    fields: list[FieldDiff] = []
    for key in [*_field_keys_by_offset(new), *(key for key in _field_keys_by_offset(old) if key not in new)]:
        sides = old.get(key), new.get(key)
        why = _reason_if_pycoro_field(sides[1]) or _reason_if_pycoro_field(sides[0])
        alone = next((side for side in sides if isinstance(side, LLVMFrameField)), None) if None in sides else None
        fields.append(_compare_fields(*sides, absence.reason_or_empty(alone) if absence and alone else why))
    return FrameDiff(after.function, before.size, after.size, tuple(fields))
