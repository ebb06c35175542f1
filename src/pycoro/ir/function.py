"""Functions and their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.constant import Global
from pycoro.ir.control_flow import Dominators, Flow, Loop
from pycoro.ir.core_property import core_property
from pycoro.ir.source_location import SourceLocation, source_location_from_core
from pycoro.ir.value import Value
from pycoro.view import Life, with_lists_for_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pycoro.ir.block import Block
    from pycoro.ir.instruction import Instruction

__all__ = ["Argument", "Function", "Functions"]

T = TypeVar("T")


class _DescribedAttribute(Generic[T]):
    """Attribute from the engine's description of a function, cached until the module changes."""

    def __init__(self, type_: type[T], doc: str) -> None:
        self.__doc__ = doc
        self._key = ""

    def __set_name__(self, owner: type[Function], name: str) -> None:
        self._key = name

    @overload
    def __get__(self, function: None, owner: type[Function]) -> _DescribedAttribute[T]: ...
    @overload
    def __get__(self, function: Function, owner: type[Function]) -> T: ...
    def __get__(self, function: Function | None, owner: type[Function]) -> _DescribedAttribute[T] | T:
        if function is None:
            return self
        found: T = function._description()[self._key]
        return found

    def __set__(self, function: Function, to: object) -> None:
        raise AttributeError(f"Function.{self._key} is read-only")


class Argument(Value):
    """Argument of a function.

    >>> first, to = pycoro.Module(pycoro.examples.COUNTER).functions["counter"].arguments
    >>> to.name, str(to.type), [str(user).strip() for user in to.users]
    ('to', 'i32', ['%more = icmp slt i32 %n, %to'])
    """

    __slots__ = ()

    parent = core_property(_core.ir_argument_parent, "Function with the argument.")
    attributes = core_property(_core.ir_argument_attributes, "Attributes as in `Function.attributes`.")

    @property
    def function(self) -> Function:
        """Function with the argument."""
        return self.parent


class Function(Global):
    """Function of a module.

    >>> counter = pycoro.Module(pycoro.examples.COUNTER).functions["counter"]
    >>> counter.type, counter.is_presplit, len(counter.blocks)
    ('ptr (i32, i32)', True, 9)
    >>> [instruction.opcode for instruction in counter.walk() if instruction.intrinsic == "llvm.coro.suspend"]
    ['call', 'call']
    """

    __slots__ = ("_data", "_flow", "_generation")

    _data: dict[str, Any]
    _generation: int  # of the module when `_data` was read
    _flow: Flow

    name = _DescribedAttribute(str, "Name without the ``@``.")
    type = _DescribedAttribute(str, 'Type as LLVM prints it, ``"ptr (i32)"``; ``value_type`` is the object.')  # type: ignore[assignment]
    is_declaration = core_property(_core.ir_declaration, "True if it has no body.")
    is_intrinsic = _DescribedAttribute(bool, "True if it is an intrinsic, ``llvm.*``.")
    is_presplit = _DescribedAttribute(
        bool,
        "True if it is an unsplit coroutine: it has a body, and the attribute ``presplitcoroutine`` or, before coro-early, the id "
        "of an ABI whose coroutines coro-early marks: all but switched-resume.",
    )
    is_local = _DescribedAttribute(bool, "True if it has internal or private linkage.")
    sret = _DescribedAttribute(str, "Pointee type of its ``sret`` parameter with structs expanded; empty without one.")
    is_coroutine = _DescribedAttribute(bool, "True if it is presplit or calls an ``llvm.coro.id`` that refers to it.")

    blocks = core_property(_core.ir_blocks, "Blocks in order, the entry first; empty for a declaration.")
    arguments = core_property(_core.ir_arguments, "Arguments in order.")
    calling_convention = core_property(_core.ir_calling_convention, 'LLVM keyword: ``"fastcc"``, ``"cc64"``; ``"ccc"`` for C.')
    attributes = core_property(
        _core.ir_attributes,
        "Attributes by name in order. A value is ``True``, a number as LLVM encodes it, the text of a string attribute, or a "
        "`Type`; also ``True`` for ``range`` and ``initializes``, whose values LLVM's C API does not return.",
    )
    result_attributes = core_property(_core.ir_result_attributes, "Attributes of its result.")
    metadata = core_property(_core.ir_metadata, "Kinds of attached metadata.")
    personality = core_property(_core.ir_personality, "Personality function, or ``None``.")
    gc = core_property(_core.ir_gc, "Name of the garbage collector, or ``None``.")
    align = core_property(_core.ir_align, "Alignment in bytes; ``None`` if unspecified.")
    section = core_property(_core.ir_section, "Section; empty if unspecified.")

    @property
    def debug(self) -> SourceLocation | None:
        """Source location of its definition; ``None`` without debug information."""
        return source_location_from_core(_core.ir_location(self))

    @property
    def dominators(self) -> Dominators:
        """Dominator tree, cached until the module changes."""
        return Dominators(self._flow_analysis())

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Natural loops, outer before inner."""
        return self._flow_analysis().loops

    def loop_of(self, block: Block) -> Loop | None:
        """Return the innermost loop with the block, or None. Raises ``UsageError`` for a block of another function."""
        flow = self._flow_analysis()
        number = flow.loop_of[flow.number_of_block(block)]
        return Loop(flow, number) if number >= 0 else None

    def walk(self) -> Iterator[Instruction]:
        """Yield every instruction in textual order."""
        for block in self.blocks:
            yield from block.instructions

    def to_dict(self) -> dict[str, Any]:
        """Return the engine's description as texts and booleans, for JSON."""
        copied: dict[str, Any] = with_lists_for_sequences(self._description())
        return copied

    def _flow_analysis(self) -> Flow:
        if getattr(self, "_flow", None) is None or self._flow.life.is_stale:
            self._flow = Flow(self)
        return self._flow

    def _description(self) -> dict[str, Any]:
        if self.is_stale:
            _core.ir_name(self)  # raises the reason
        if getattr(self, "_generation", None) != self.core.generation:
            generation = self.core.generation
            self._data, self._generation = function_description(self.core, self), generation
        return self._data

    def _repr_details(self) -> str:
        data = getattr(self, "_data", {"name": "", "type": "erased"}) if self.is_stale else self._description()
        return f"@{data['name']}: {data['type']}"


def function_description(core: _core.Module, function: Function) -> dict[str, Any]:
    """Return the engine's description of a function."""
    return core.function(function)


class Functions(Mapping[str, Function]):
    """Functions of a module in its current state. Iterating lists them all; a lookup finds one in constant time."""

    __slots__ = ("_core", "_life", "_listed")

    def __init__(self, core: _core.Module) -> None:
        self._core = core
        self._life = Life(core)
        self._listed: dict[str, Function] | None = None
        self._find_function("")  # raises if the module is closed or busy

    def _find_function(self, name: str) -> Function | None:
        try:
            return self._core.function_named(name)
        except UsageError:  # not a possible name
            return None

    def _listed_functions(self) -> dict[str, Function]:
        if self._listed is None:
            self._listed = {} if self._life.is_stale else functions_of(self._core)
        return self._listed

    def __getitem__(self, name: str) -> Function:
        if self._listed is not None:
            return self._listed[name]
        function = self._find_function(name)
        if function is None:
            return self._listed_functions()[name]
        function._description()  # cached, to be readable while the module is busy
        return function

    def __contains__(self, name: object) -> bool:
        if self._listed is not None:
            return name in self._listed
        return isinstance(name, str) and self._find_function(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed_functions())

    def __len__(self) -> int:
        return len(self._listed_functions())


def functions_of(core: _core.Module) -> dict[str, Function]:
    """Return the functions of a module by name, in order."""
    while True:
        generation = core.generation
        functions, descriptions = _core.ir_functions(core), core.functions()
        if core.generation == generation:  # otherwise another thread changed the module in between
            break
    for function, data in zip(functions, descriptions, strict=True):
        function._data, function._generation = data, generation
    return {function._data["name"]: function for function in functions}
