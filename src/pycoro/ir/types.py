"""LLVM types as objects, with the layout in their module.

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
"""A type of the module or its LLVM spelling: ``"i32"``, ``"{ i32, ptr }"``."""

_SIMPLE = ("void", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128", "label", "metadata", "token", "x86_amx")


class Types:
    """Types of a module: ``types.i32``, ``types.ptr``, ``types.struct([types.i32, "ptr"])``.

    Types without parameters, including integers of any width, are attributes with LLVM's names. Parameters that are types may
    also be texts. A type is valid while its module is open. Raises ``UsageError`` for a type that LLVM does not have.

    >>> types = pycoro.Module("").types
    >>> types.struct([types.i32, "ptr"]), types.array("i8", 4), types.function("void", ["i32"])
    (<Type { i32, ptr }>, <Type [4 x i8]>, <Type void (i32)>)
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Module) -> None:
        self._core = core

    def __getattr__(self, name: str) -> Type:
        if name in _SIMPLE or name == "ptr" or re.fullmatch(r"i[1-9][0-9]*", name):
            return self._core.type_read(name)
        raise AttributeError(f"no type {name!r}; the types without parameters are i1, i2, ..., ptr, {', '.join(_SIMPLE)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "i1", "i8", "i16", "i32", "i64", "i128", "ptr", *_SIMPLE]

    def _make(self, kind: str, parts: Iterable[TypeLike], number: int, flag: bool, name: str | None = None) -> Type:
        if not 0 <= number < 1 << 64:
            raise UsageError(f"a number in a type must be from 0 to 18446744073709551615, not {number}")
        return self._core.type_make(kind, tuple(parts), number, flag, name)

    def parse(self, text: str) -> Type:
        """Parse a type: ``"{ i32, ptr }"``, ``"i32 (ptr, ...)"``; ``"%pair"`` for a named struct of the module. Target types
        cannot be created; get them from the ``type`` of a value."""
        return self._core.type_read(text)

    def integer(self, bits: int) -> Type:
        """Return ``iN``."""
        return self._make("integer", (), bits, False)

    def pointer(self, address_space: int = 0) -> Type:
        """Return ``ptr`` or ``ptr addrspace(N)``."""
        return self._make("pointer", (), address_space, False)

    def struct(self, elements: Iterable[TypeLike], *, packed: bool = False, name: str | None = None) -> Type:
        """Return ``{ i32, ptr }``; with a name, a new identified struct."""
        return self._make("struct", _reject_single_type(elements), 0, packed, name)

    def array(self, element: TypeLike, count: int) -> Type:
        """Return ``[count x element]``."""
        return self._make("array", (element,), count, False)

    def vector(self, element: TypeLike, count: int, *, scalable: bool = False) -> Type:
        """Return ``<count x element>`` or ``<vscale x count x element>``."""
        return self._make("vector", (element,), count, scalable)

    def function(self, result: TypeLike, parameters: Iterable[TypeLike] = (), *, variadic: bool = False) -> Type:
        """Return ``result (parameters)`` or ``result (parameters, ...)``."""
        return self._make("function", (result, *_reject_single_type(parameters)), 0, variadic)

    def __repr__(self) -> str:
        return "<the types of a module>"


def _reject_single_type(types: Iterable[TypeLike]) -> Iterable[TypeLike]:
    """Raise ``TypeError`` for a single type instead of a list; a text would be iterated by letters."""
    if isinstance(types, str | Type):
        raise TypeError(f"expected a list of types, not {types!r}")
    return types
