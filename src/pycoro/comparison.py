"""Compare the coroutines of two modules: frame sizes, suspends, and frame fields that appeared, disappeared or moved."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast, overload

from pycoro._escape import printable
from pycoro._typecheck import check
from pycoro.coroutine import Coroutine
from pycoro.drawing.model import display_name
from pycoro.frame import Frame, FrameField
from pycoro.frame_comparison import (
    AnyFrame,
    FrameDiff,
    describe_field_move,
    diff_frames,
    field_name_with_variable,
    fields_by_variable_or_name,
)
from pycoro.llvm_frame import LLVMFrame
from pycoro.module import Module
from pycoro.report import Report
from pycoro.view import ByName, format_count

__all__ = ["CoroutineDiff", "Diff", "diff"]


@dataclass(frozen=True, slots=True)
class CoroutineDiff:
    """Differences of one coroutine. Sizes are in bytes; a missing side has size 0.

    >>> before = pycoro.Module(pycoro.examples.COUNTER)
    >>> after = pycoro.Module(pycoro.examples.COUNTER.replace("alloca i32", "alloca i128"))
    >>> [changed] = pycoro.diff(before, after).coroutines
    >>> changed.what, changed.frame_before, changed.frame_after
    ('changed', 32, 40)
    """

    name: str
    what: str
    """``"new"``, ``"gone"`` or ``"changed"``."""
    frame_before: int
    frame_after: int
    bound_before: int
    """Lower bound of its frame size."""
    bound_after: int
    suspends_before: int
    suspends_after: int
    entered: tuple[str, ...]
    """Fields that are new in the frame, as ``"%x: i32"``."""
    left: tuple[str, ...]
    """Fields removed from the frame."""
    moved: tuple[str, ...]
    """Fields with another offset or size, as ``"%x: 16 -> 24"``."""

    def lists(self) -> dict[str, list[str]]:
        """Return the attributes that are lists of texts."""
        return {"entered": list(self.entered), "left": list(self.left), "moved": list(self.moved)}

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as dicts, lists, texts and numbers."""
        return {**asdict(self), **self.lists()}

    def __str__(self) -> str:
        if self.what != "changed":
            size, suspends = self.frame_before + self.frame_after, self.suspends_before + self.suspends_after
            return printable(f"{display_name(self.name)}: {self.what}, frame of {size} bytes, {format_count(suspends, 'suspend')}")
        parts = [f"frame {self.frame_before} -> {self.frame_after} bytes ({self.frame_after - self.frame_before:+d})"]
        if self.bound_before != self.bound_after:
            parts.append(f"lower bound {self.bound_before} -> {self.bound_after}")
        if self.suspends_before != self.suspends_after:
            parts.append(f"suspends {self.suspends_before} -> {self.suspends_after}")
        lines = [f"{display_name(self.name)}: {', '.join(parts)}"]
        lines += [f"  + {field}" for field in self.entered] + [f"  - {field}" for field in self.left]
        lines += [f"  ~ {field}" for field in self.moved]
        return "\n".join(map(printable, lines))


class Diff:
    """Differences between the coroutines of two modules or reports. Plain data, never stale.

    >>> before = pycoro.Module(pycoro.examples.COUNTER)
    >>> after = pycoro.Module(pycoro.examples.COUNTER.replace("alloca i32", "alloca i128"))
    >>> difference = pycoro.diff(before, after)
    >>> difference.bytes, difference.same
    (8, 0)
    """

    __slots__ = ("coroutines", "same")

    coroutines: tuple[CoroutineDiff, ...]
    """Coroutines that differ, in the order of the second module; removed ones last."""
    same: int
    """Number of coroutines without a difference."""

    def __init__(self, coroutines: tuple[CoroutineDiff, ...], same: int) -> None:
        self.coroutines, self.same = coroutines, same

    def __bool__(self) -> bool:
        """Return whether any coroutine differs."""
        return bool(self.coroutines)

    @property
    def bytes(self) -> int:
        """Growth of all frames in bytes; negative if they shrank."""
        return sum(item.frame_after - item.frame_before for item in self.coroutines)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each changed coroutine, for ``pandas.DataFrame``."""
        return [{**item.to_dict(), **{key: ", ".join(texts) for key, texts in item.lists().items()}} for item in self.coroutines]

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as dicts, lists, texts and numbers."""
        return {"coroutines": [item.to_dict() for item in self.coroutines], "same": self.same, "bytes": self.bytes}

    def __repr__(self) -> str:
        return f"<Diff: {format_count(len(self.coroutines), 'coroutine')} changed, {self.bytes:+d} bytes>"

    def __str__(self) -> str:
        if not self:
            return f"no difference: {format_count(self.same, 'coroutine')} as before"
        total = f"{format_count(len(self.coroutines), 'coroutine')} changed, {self.same} as before, {self.bytes:+d} bytes of frames"
        return "\n".join([*map(str, self.coroutines), total])

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": str, "text/html": tables.diff_html}, self, include, exclude)


def _label_with_type(field: FrameField) -> str:
    """Return the field's label with its type; for a struct only the name of the type."""
    return f"{field_name_with_variable(field)}: {field.type.partition(' = type ')[0]}"


def _sizes_bounds_and_suspend_counts(before: Coroutine | None, after: Coroutine | None) -> dict[str, int]:
    sides = {"before": before, "after": after}
    sizes = {f"frame_{side}": one.frame.size if one else 0 for side, one in sides.items()}
    sizes |= {f"bound_{side}": one.frame.lower_bound if one else 0 for side, one in sides.items()}
    return sizes | {f"suspends_{side}": len(one.suspends) if one else 0 for side, one in sides.items()}


def _compare_coroutine(before: Coroutine, after: Coroutine) -> CoroutineDiff | None:
    old, new, sizes = (
        fields_by_variable_or_name(before.frame),
        fields_by_variable_or_name(after.frame),
        _sizes_bounds_and_suspend_counts(before, after),
    )
    entered = tuple(_label_with_type(field) for key, field in new.items() if key not in old)
    left = tuple(_label_with_type(field) for key, field in old.items() if key not in new)
    places = ((key, (old[key].offset, old[key].size), (new[key].offset, new[key].size)) for key in new if key in old)
    moved = tuple(
        f"{field_name_with_variable(new[key])}: {describe_field_move(was, now)}" for key, was, now in places if was != now
    )
    unchanged = all(sizes[f"{what}_before"] == sizes[f"{what}_after"] for what in ("frame", "bound", "suspends"))
    if unchanged and not (entered or left or moved):
        return None
    return CoroutineDiff(after.name, "changed", entered=entered, left=left, moved=moved, **sizes)


def _coroutines_of(of: Module | Report | ByName[Coroutine]) -> Mapping[str, Coroutine]:
    check("diff() expects a Module, a Report, or the coroutines of one", of, Module, Report, ByName)
    return of if isinstance(of, ByName) else of.coroutines


@overload
def diff(before: AnyFrame, after: AnyFrame) -> FrameDiff: ...
@overload
def diff(before: Module | Report | ByName[Coroutine], after: Module | Report | ByName[Coroutine]) -> Diff: ...
def diff(
    before: Module | Report | ByName[Coroutine] | AnyFrame, after: Module | Report | ByName[Coroutine] | AnyFrame
) -> Diff | FrameDiff:
    """Compare coroutines and their frames. A module has its unsplit coroutines; a report, those that the run split.
    ``module.preview(CoroSplit(reuse_storage=True))`` has the frames of another layout. Raises ``RejectedError`` for a malformed
    coroutine.

    Two frames are compared field by field, by IR name, or by source variable if both are pycoro's. One may be
    `Coroutine.llvm_frame`, of the same IR; a field that only LLVM has then has the reason why pycoro's frame does not have it.

    >>> before = pycoro.Module(pycoro.examples.COUNTER)
    >>> after = pycoro.Module(pycoro.examples.COUNTER.replace("alloca i32", "alloca i128"))
    >>> print(pycoro.diff(before, after))
    @counter: frame 32 -> 40 bytes (+8), lower bound 32 -> 40
      ~ %promise: offset 16, size 4 -> 16
      ~ %to: offset 20 -> 32
      ~ %next: offset 24 -> 36
    1 coroutine changed, 0 as before, +8 bytes of frames
    >>> coroutine = before.coroutines["counter"]
    >>> difference = pycoro.diff(coroutine.llvm_frame(), coroutine.frame)
    >>> [f"{field.name}: {field.why}" for field in difference.fields if field.what == "gone"]
    ['n: it is not used after a suspend', 'index: no index is stored, because only one suspend can be resumed']
    """
    if isinstance(before, Frame | LLVMFrame) or isinstance(after, Frame | LLVMFrame):
        for frame in (before, after):
            check("diff() compares a frame with a Frame or an LLVMFrame", frame, Frame, LLVMFrame)
        return diff_frames(cast("AnyFrame", before), cast("AnyFrame", after))
    old, new = _coroutines_of(before), _coroutines_of(after)
    changed: list[CoroutineDiff] = []
    same = 0
    for name in new:
        if name not in old:
            changed.append(
                CoroutineDiff(name, "new", entered=(), left=(), moved=(), **_sizes_bounds_and_suspend_counts(None, new[name]))
            )
        elif (found := _compare_coroutine(old[name], new[name])) is not None:
            changed.append(found)
        else:
            same += 1
    gone = [
        CoroutineDiff(name, "gone", entered=(), left=(), moved=(), **_sizes_bounds_and_suspend_counts(old[name], None))
        for name in old
        if name not in new
    ]
    return Diff((*changed, *gone), same)
