"""Builder: insert instructions at a position, and add functions, variables and constants.

>>> build = Builder(module)
>>> double = build.add_function("double", "i32 (i32)")
>>> build.at_end(build.add_block("entry", function=double))
>>> build.ret(build.add(double.arguments[0], double.arguments[0], nsw=True))
>>> module.verify()
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pycoro import _core
from pycoro.errors import UsageError
from pycoro.ir.arithmetic import Arithmetic
from pycoro.ir.atomic import Atomic
from pycoro.ir.block import Block
from pycoro.ir.calls import Calls, function_type_of
from pycoro.ir.constant import GlobalVariable
from pycoro.ir.constants import ConstantLike
from pycoro.ir.debug_info import DebugInfo
from pycoro.ir.funclets import Funclets
from pycoro.ir.function import Function, Functions
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.memory import Memory, check_alignment_is_64_bit
from pycoro.ir.types import TypeLike, Types
from pycoro.ir.value import Value

__all__ = ["Builder"]

Linkage: TypeAlias = Literal[
    "external",
    "internal",
    "private",
    "weak",
    "weak_odr",
    "linkonce",
    "linkonce_odr",
    "available_externally",
    "extern_weak",
    "common",
]


class Builder(Arithmetic, Memory, Atomic, Calls, Funclets, DebugInfo):
    """Builds instructions at the end of a block or before an instruction.

    It checks before it builds and raises ``UsageError`` for operands of different types, values of another function or module,
    or an instruction after a terminator. :meth:`Module.verify` finds errors that concern the whole function, such as a use that
    its definition does not dominate. If all operands are constants, LLVM may fold the result to a constant.

    Numbers, ``None`` for zero, and sequences stand for constants if the other operands determine their type: ``build.add(x,
    1)``.

    >>> module = pycoro.Module("")
    >>> build = pycoro.ir.Builder(module)
    >>> double = build.add_function("double", "i32 (i32)")
    >>> result = build.at_end(build.add_block("entry", function=double)).add(double.arguments[0], double.arguments[0])
    >>> end = build.ret(result)
    >>> pycoro.Interpreter(module).call("double", 21)
    42
    """

    __slots__ = ()

    # ---- Functions, variables, blocks, attributes ----

    def add_function(self, name: str, type: TypeLike, *, linkage: Linkage = "external") -> Function:
        """Add a function, a declaration until it gets a block. Raises ``UsageError`` if the name is taken."""
        return _core.ir_add_function(self._core, name, type, linkage)

    def declare(self, name: str, type: TypeLike) -> Function:
        """Return the function with this name and type; declare it if the module does not have it."""
        kind = Types(self._core).parse(type) if isinstance(type, str) else type
        function = Functions(self._core).get(name)
        if function is None:
            return _core.ir_add_function(self._core, name, kind, "external")
        if function_type_of(function) == kind:
            return function
        raise UsageError(f"@{name} already exists with type {function.type}, not {kind}")

    def add_variable(
        self,
        name: str,
        type: TypeLike,
        initializer: ConstantLike | Literal["external"] = None,
        *,
        constant: bool = False,
        linkage: Linkage = "external",
        align: int = 0,
    ) -> GlobalVariable:
        """Add a global variable, zero without an initializer. ``"external"`` declares a variable that another module defines."""
        value = None if isinstance(initializer, str) else self.constant(type, initializer)
        return _core.ir_add_variable(self._core, name, type, value, linkage, constant, check_alignment_is_64_bit(align))

    def add_string(self, text: str | bytes, name: str = "", *, terminated: bool = True) -> GlobalVariable:
        """Add a private constant with these bytes or the UTF-8 of a text, by default followed by a NUL."""
        try:
            data = (text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)) + b"\0" * terminated
        except UnicodeEncodeError:
            raise UsageError(f"{text!r} contains a lone surrogate, which UTF-8 cannot encode") from None
        array = f"[{len(data)} x i8]"
        return _core.ir_add_variable(self._core, name, array, _core.ir_text_constant(self._core, data), "private", True, 1)

    def add_block(self, name: str = "", *, function: Function | None = None, before: Block | None = None) -> Block:
        """Add a block before another block, or at the end of a function (default: the current one)."""
        return _core.ir_add_block(before or function or self.function, name)

    def rename(self, value: Value, name: str) -> None:
        """Rename a value. LLVM appends a number to a name that the function already has; the name of a global must be free."""
        _core.ir_set_name(value, name)

    def add_attribute(
        self,
        of: Function | Instruction,
        attribute: str | tuple[str, TypeLike],
        *,
        parameter: int | None = None,
        result: bool = False,
    ) -> None:
        """Add an attribute to a function or call, one of its parameters (index from 0) or its result, in LLVM's syntax:
        ``"presplitcoroutine"``, ``"align 8"``, ``'"key"="value"'``; with a type, ``("byval", pair)``."""
        text, type = (attribute, None) if isinstance(attribute, str) else attribute
        _core.ir_add_attribute(of, _attribute_index_of(parameter, result), text, type)

    def remove_attribute(
        self, of: Function | Instruction, name: str, *, parameter: int | None = None, result: bool = False
    ) -> None:
        """Remove an attribute if present."""
        _core.ir_remove_attribute(of, _attribute_index_of(parameter, result), name)

    def set_personality(self, function: Function, personality: Function) -> None:
        """Set the personality function, which functions with landingpads require."""
        _core.ir_set_personality(function, personality)

    def set_calling_convention(self, of: Function | Instruction, number: int) -> None:
        """Set the calling convention of a function or call by LLVM's number: 0 is C, 8 is ``fastcc``."""
        if not 0 <= number < 1024:
            raise UsageError(f"a calling convention must be a number from 0 to 1023, not {number}")
        _core.ir_set_convention(of, number)

    def split(self, instruction: Instruction, name: str = "") -> Block:
        """Split a block before the instruction: return a new block with the preceding instructions, which branches to the rest.
        Predecessors branch to the new block; all objects stay valid. Debug records of variables stay with the rest."""
        return _core.ir_split(instruction, name)

    def replace(self, value: Value, by: Operand) -> None:
        """Replace all uses of a value, except those in the replacement itself: ``replace(x, build.freeze(x))``."""
        _core.ir_replace(value, self._value_or_constant(_core.ir_type(value), by))

    def erase(self, value: Value) -> None:
        """Erase an unused instruction, block, function or variable. Its objects become stale."""
        _core.ir_erase(value)

    def __repr__(self) -> str:
        return f"<Builder at {self._where!r}>"


def _attribute_index_of(parameter: int | None, result: bool) -> int:
    """Return LLVM's attribute index of the function, its result or a parameter."""
    if parameter is None:
        return 0 if result else -1
    if result or not 0 <= parameter < 1 << 30:
        raise UsageError(f"parameter must be an index from 0, without result=True, not {parameter}")
    return parameter + 1
