"""Functions and their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.constant import Global
from pycoro.ir.flow import Dominators, Flow, Loop
from pycoro.ir.look import look
from pycoro.ir.place import Place, place_of
from pycoro.ir.value import Value
from pycoro.view import Life, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pycoro.ir.block import Block
    from pycoro.ir.instruction import Instruction

__all__ = ["Argument", "Function", "Functions"]

T = TypeVar("T")


class _fact(Generic[T]):
    """An attribute that the engine tells with others, kept for as long as the module stays as it is."""

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
    """An argument of a function, as its body sees it.

    >>> first, to = pycoro.Module(pycoro.examples.COUNTER).functions["counter"].arguments
    >>> to.name, str(to.type), [str(user).strip() for user in to.users]
    ('to', 'i32', ['%more = icmp slt i32 %n, %to'])
    """

    __slots__ = ()

    parent = look(_core.ir_argument_parent, "The function.")
    attributes = look(_core.ir_argument_attributes, "As `Function.attributes`.")

    @property
    def function(self) -> Function:
        """The function."""
        return self.parent


class Function(Global):
    """A function of a module.

    >>> counter = pycoro.Module(pycoro.examples.COUNTER).functions["counter"]
    >>> counter.type, counter.presplit, len(counter.blocks)
    ('ptr (i32, i32)', True, 9)
    >>> [instruction.opcode for instruction in counter.walk() if instruction.intrinsic == "llvm.coro.suspend"]
    ['call', 'call']
    """

    __slots__ = ("_data", "_flow", "_generation")

    _data: dict[str, Any]
    _generation: int  # of the module when it was told `_data`
    _flow: Flow

    name = _fact(str, "Without the ``@``.")
    type = _fact(str, 'As LLVM prints it, ``"ptr (i32)"``; as an object, ``value_type``.')  # type: ignore[assignment]
    declaration = look(_core.ir_declaration, "Whether it has no body.")
    intrinsic = _fact(bool, "Whether LLVM defines it: ``llvm.*``.")
    presplit = _fact(bool, "Whether it will be split: it has a body and the attribute ``presplitcoroutine``.")
    local = _fact(bool, "Whether it is internal or private: no other module can name it.")
    sret = _fact(str, "What its ``sret`` parameter, the first, points at, structs spelt out; empty where it has none.")
    coroutine = _fact(bool, "Whether it is presplit, or calls an ``llvm.coro.id`` of its own.")

    blocks = look(_core.ir_blocks, "In their order, the entry first; none where it is a declaration.")
    arguments = look(_core.ir_arguments, "In their order.")
    calling_convention = look(_core.ir_calling_convention, 'As LLVM writes it: ``"fastcc"``, ``"cc64"``; ``"ccc"`` for C\'s.')
    attributes = look(
        _core.ir_attributes,
        "By name, in LLVM's order. The value is ``True``, a number as LLVM encodes it, the text of one that is a text, or a "
        "`Type`; ``True`` too for ``range`` and ``initializes``, whose values LLVM's C API does not tell.",
    )
    result_attributes = look(_core.ir_result_attributes, "Of its result, as ``attributes``.")
    metadata = look(_core.ir_metadata, "The kinds that are attached.")
    personality = look(_core.ir_personality, "The function that unwinding asks, or ``None``.")
    gc = look(_core.ir_gc, "The name of the garbage collector, or ``None``.")
    align = look(_core.ir_align, "In bytes; ``None`` where none is given.")
    section = look(_core.ir_section, "Empty where none is given.")

    @property
    def debug(self) -> Place | None:
        """Where in a source it is defined; ``None`` where there is no debug information of it."""
        return place_of(_core.ir_place(self))

    @property
    def dominators(self) -> Dominators:
        """Of its blocks. Found once for as long as the module stays as it is."""
        return Dominators(self._control())

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Its natural loops, each behind the one that it lies in."""
        return self._control().loops

    def loop_of(self, block: Block) -> Loop | None:
        """The innermost loop that a block is in. ``UsageError`` where it is none of the function's."""
        flow = self._control()
        number = flow.loop_of[flow.of(block)]
        return Loop(flow, number) if number >= 0 else None

    def walk(self) -> Iterator[Instruction]:
        """Every instruction, in the order of the text."""
        for block in self.blocks:
            yield from block.instructions

    def to_dict(self) -> dict[str, Any]:
        """What the engine tells of it, as texts and truths, for JSON."""
        copied: dict[str, Any] = plain(self._facts())
        return copied

    def _control(self) -> Flow:
        if getattr(self, "_flow", None) is None or self._flow.life.stale:
            self._flow = Flow(self)
        return self._flow

    def _facts(self) -> dict[str, Any]:
        if self.stale:
            _core.ir_name(self)  # says why
        if getattr(self, "_generation", None) != self.core.generation:
            generation = self.core.generation
            self._data, self._generation = told_of(self.core, self), generation
        return self._data

    def _brief(self) -> str:
        facts = getattr(self, "_data", {"name": "", "type": "gone"}) if self.stale else self._facts()
        return f"@{facts['name']}: {facts['type']}"


def told_of(core: _core.Module, function: Function) -> dict[str, Any]:
    """What the engine tells of one."""
    return core.function(function)


class Functions(Mapping[str, Function]):
    """The functions of a module as it is now: listed when all are asked for, and found one by one else, at a cost that does
    not grow with the others."""

    __slots__ = ("_core", "_life", "_listed")

    def __init__(self, core: _core.Module) -> None:
        self._core = core
        self._life = Life(core)
        self._listed: dict[str, Function] | None = None
        self._named("")  # a module that is closed, or busy, says so

    def _named(self, name: str) -> Function | None:
        try:
            return self._core.function_named(name)
        except UsageError:  # nothing can be named so
            return None

    def _all(self) -> dict[str, Function]:
        if self._listed is None:
            self._listed = {} if self._life.stale else functions_of(self._core)
        return self._listed

    def __getitem__(self, name: str) -> Function:
        if self._listed is not None:
            return self._listed[name]
        function = self._named(name)
        if function is None:
            return self._all()[name]
        function._facts()  # they can be read while the module is busy
        return function

    def __contains__(self, name: object) -> bool:
        if self._listed is not None:
            return name in self._listed
        return isinstance(name, str) and self._named(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def functions_of(core: _core.Module) -> dict[str, Function]:
    """The functions of a module by name, in its order."""
    while True:
        generation = core.generation
        functions, told = _core.ir_functions(core), core.functions()
        if core.generation == generation:  # else another thread has changed the module in between
            break
    for function, data in zip(functions, told, strict=True):
        function._data, function._generation = data, generation
    return {function._data["name"]: function for function in functions}
