"""Functions and their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from pycoro import _core
from pycoro.ir.constant import Global
from pycoro.ir.look import look
from pycoro.ir.value import Value
from pycoro.view import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pycoro.ir.instruction import Instruction

__all__ = ["Argument", "Function", "functions_of"]

T = TypeVar("T")


class _fact(Generic[T]):
    """An attribute that the engine tells of all functions at once, kept for as long as the module stays as it is."""

    def __init__(self, type_: type[T], doc: str) -> None:
        self.__doc__ = doc
        self._key = ""

    def __set_name__(self, owner: type[Function], name: str) -> None:
        self._key = name

    @overload
    def __get__(self, function: None, owner: type[Function]) -> _fact[T]: ...
    @overload
    def __get__(self, function: Function, owner: type[Function]) -> T: ...
    def __get__(self, function: Function | None, owner: type[Function]) -> _fact[T] | T:
        if function is None:
            return self
        found: T = function._facts()[self._key]
        return found

    def __set__(self, function: Function, to: object) -> None:
        raise AttributeError(f"Function.{self._key} is read-only")


class Argument(Value):
    """An argument of a function, as its body sees it."""

    __slots__ = ()

    parent = look(_core.ir_argument_parent, "The function.")

    @property
    def function(self) -> Function:
        """The function."""
        return self.parent


class Function(Global):
    """A function of a module."""

    __slots__ = ("_data", "_generation")

    _data: dict[str, Any]
    _generation: int  # of the module when it was told `_data`

    name = _fact(str, "Without the ``@``.")
    type = _fact(str, 'As LLVM prints it, ``"ptr (i32)"``.')
    declaration = _fact(bool, "Whether it has no body.")
    intrinsic = _fact(bool, "Whether LLVM defines it: ``llvm.*``.")
    presplit = _fact(bool, "Whether it will be split: it has a body and the attribute ``presplitcoroutine``.")
    local = _fact(bool, "Whether it is internal or private: no other module can name it.")
    sret = _fact(str, "What its ``sret`` parameter, the first, points at, structs spelt out; empty where it has none.")
    coroutine = _fact(bool, "Whether it is presplit, or calls an ``llvm.coro.id`` of its own.")

    blocks = look(_core.ir_blocks, "In their order, the entry first; none where it is a declaration.")
    arguments = look(_core.ir_arguments, "In their order.")

    def walk(self) -> Iterator[Instruction]:
        """Every instruction, in the order of the text."""
        for block in self.blocks:
            yield from block.instructions

    def to_dict(self) -> dict[str, Any]:
        """What the engine tells of it, as texts and truths, for JSON."""
        copied: dict[str, Any] = plain(self._facts())
        return copied

    def _facts(self) -> dict[str, Any]:
        if self.stale:
            _core.ir_name(self)  # says why
        if getattr(self, "_generation", None) != self.core.generation:
            functions_of(self.core)
        return self._data

    def _brief(self) -> str:
        facts = self._data if self.stale else self._facts()
        return f"@{facts['name']}: {facts['type']}"


def functions_of(core: _core.Module) -> dict[str, Function]:
    """The functions of a module by name, in its order."""
    functions = _core.ir_functions(core)
    for function, data in zip(functions, core.functions(), strict=True):
        function._data, function._generation = data, core.generation
    return {function._data["name"]: function for function in functions}
