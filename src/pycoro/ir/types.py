"""LLVM's types as objects, with the layout that their module gives them.

>>> types = pycoro.Module("").types
>>> pair = types.struct([types.i8, types.i32])
>>> pair.size, pair.offsets
(8, (0, 4))
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from pycoro import _core
from pycoro._core import Type
from pycoro.errors import UsageError

__all__ = ["Type", "TypeLike", "Types"]

TypeLike: TypeAlias = Type | str
"""A type of the module, or how LLVM spells it: ``"i32"``, ``"{ i32, ptr }"``."""

_WORDS = ("void", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128", "label", "metadata", "token", "x86_amx")


class Types:
    """The types of a module: ``types.i32``, ``types.ptr``, ``types.struct([types.i32, "ptr"])``.

    What has no parameters is an attribute by the name that LLVM has for it, integers of any width among them. Where a
    type is taken, the text of one is taken too. A type is good as long as its module is open. ``UsageError`` where LLVM has
    no such type.

    >>> types = pycoro.Module("").types
    >>> types.struct([types.i32, "ptr"]), types.array("i8", 4), types.function("void", ["i32"])
    (<Type { i32, ptr }>, <Type [4 x i8]>, <Type void (i32)>)
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Module) -> None:
        self._core = core

    def __getattr__(self, name: str) -> Type:
        if name in _WORDS or name == "ptr" or re.fullmatch(r"i[1-9][0-9]*", name):
            return self._core.type_read(name)
        raise AttributeError(f"there is no type {name!r} without parameters; there are i1, i2, ..., ptr, {', '.join(_WORDS)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "i1", "i8", "i16", "i32", "i64", "i128", "ptr", *_WORDS]

    def _make(self, kind: str, parts: Iterable[TypeLike], number: int, flag: bool, name: str | None = None) -> Type:
        if not 0 <= number < 1 << 64:
            raise UsageError(f"{number} is no number that a type has: it is not from 0 to 18446744073709551615")
        return self._core.type_make(kind, tuple(parts), number, flag, name)

    def parse(self, text: str) -> Type:
        """The type that LLVM spells so: ``"{ i32, ptr }"``, ``"i32 (ptr, ...)"``; ``"%pair"`` where the module has a struct of
        the name. Types of targets cannot be made: a value that has one has it as its ``type``."""
        return self._core.type_read(text)

    def integer(self, bits: int) -> Type:
        """``iN``."""
        return self._make("integer", (), bits, False)

    def pointer(self, address_space: int = 0) -> Type:
        """``ptr``, or ``ptr addrspace(N)``."""
        return self._make("pointer", (), address_space, False)

    def struct(self, elements: Iterable[TypeLike], *, packed: bool = False, name: str | None = None) -> Type:
        """``{ i32, ptr }``; with a name a struct of its own, which is no other's equal."""
        return self._make("struct", _listed(elements), 0, packed, name)

    def array(self, element: TypeLike, count: int) -> Type:
        """``[count x element]``."""
        return self._make("array", (element,), count, False)

    def vector(self, element: TypeLike, count: int, *, scalable: bool = False) -> Type:
        """``<count x element>``, or ``<vscale x count x element>``."""
        return self._make("vector", (element,), count, scalable)

    def function(self, result: TypeLike, parameters: Iterable[TypeLike] = (), *, variadic: bool = False) -> Type:
        """``result (parameters)``, or ``result (parameters, ...)``."""
        return self._make("function", (result, *_listed(parameters)), 0, variadic)

    def __repr__(self) -> str:
        return "<the types of a module>"


def _listed(types: Iterable[TypeLike]) -> Iterable[TypeLike]:
    """TypeError for one type where several are taken: the letters of its text are none."""
    if isinstance(types, str | Type):
        raise TypeError(f"a list of types is taken here, not {types!r} alone")
    return types
