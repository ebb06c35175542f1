"""Types of compiled functions, and their annotations."""

from __future__ import annotations

import array
import collections.abc
import types
import typing
from dataclasses import dataclass
from functools import cached_property

__all__ = ["BOOL", "FLOAT", "INT", "NONE", "SLOTS", "Kind", "array_of", "kind_of", "tuple_of"]

SLOTS = 64
"""Maximum number of slots in a channel."""

_LLVM = {"int": "i64", "float": "double", "bool": "i1", "None": "void"}
_FORMATS = {"int": "l", "float": "d", "bool": "?", "None": "n"}
_ARRAYS: tuple[object, ...] = (
    list, collections.abc.Sequence, collections.abc.MutableSequence, array.array, memoryview
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A number, ``None``, a tuple of ``items``, or an array whose only item is its element type."""

    sort: str
    items: tuple[Kind, ...] = ()

    def __str__(self) -> str:
        if self.sort == "tuple":
            return f"tuple[{', '.join(map(str, self.items))}]"
        return f"list[{self.items[0]}]" if self.sort == "array" else self.sort

    @cached_property
    def llvm_type(self) -> str:
        """LLVM type of its values; for an array, that of its elements in memory."""
        if self.sort == "tuple":
            return f"{{ {', '.join(item.llvm_type for item in self.items)} }}"
        if self.sort == "array":
            return "i8" if self.items[0] is BOOL else self.items[0].llvm_type
        return _LLVM[self.sort]

    @property
    def channel_format(self) -> str:
        """Spelling in channel.h."""
        if self.sort == "tuple":
            return f"({''.join(item.channel_format for item in self.items)})"
        return f"*{self.items[0].channel_format}" if self.sort == "array" else _FORMATS[self.sort]

    @property
    def slot_count(self) -> int:
        """Number of slots in a channel."""
        if self.sort == "tuple":
            return sum(item.slot_count for item in self.items)
        return {"array": 2, "None": 0}.get(self.sort, 1)

    @property
    def is_number(self) -> bool:
        """True for arithmetic types, including bool."""
        return self.sort in ("int", "float", "bool")


INT, FLOAT, BOOL, NONE = Kind("int"), Kind("float"), Kind("bool"), Kind("None")
_SIMPLE: dict[object, Kind] = {int: INT, float: FLOAT, bool: BOOL, None: NONE, types.NoneType: NONE}


def tuple_of(items: collections.abc.Iterable[Kind]) -> Kind:
    return Kind("tuple", tuple(items))


def array_of(element: Kind) -> Kind:
    return Kind("array", (element,))


def kind_of(annotation: object) -> Kind | None:
    """Return the type of an annotation; None if it is unsupported."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None:
        try:
            return _SIMPLE.get(annotation)
        except TypeError:  # unhashable, so not a type
            return None
    kinds = [kind_of(argument) for argument in arguments]
    if any(kind is None for kind in kinds):
        return None
    known = [kind for kind in kinds if kind is not None]
    if origin is tuple and known and all(kind.is_number or kind.sort == "tuple" for kind in known):
        return tuple_of(known)
    if origin in _ARRAYS and len(known) == 1 and known[0].is_number:
        return array_of(known[0])
    return None
