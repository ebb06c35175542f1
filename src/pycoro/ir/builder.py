"""Building IR: instructions at a place, and functions, variables and constants around them.

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
from pycoro.ir.atomic import Atomic
from pycoro.ir.block import Block
from pycoro.ir.calling import Calling, signature_of
from pycoro.ir.computing import Computing
from pycoro.ir.constant import GlobalVariable
from pycoro.ir.describing import Describing
from pycoro.ir.function import Function, Functions
from pycoro.ir.instruction import Instruction
from pycoro.ir.making import ConstantLike
from pycoro.ir.pads import Pads
from pycoro.ir.standing import Operand
from pycoro.ir.storing import Storing, alignment
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


class Builder(Computing, Storing, Atomic, Calling, Pads, Describing):
    """Builds instructions at a place: at the end of a block, or before an instruction.

    What does not fit is a ``UsageError`` before anything is built: operands of different types, values of another function or
    module, an instruction behind the end of its block. What only a whole function shows, as a value that is used before it
    is computed, is for :meth:`Module.verify` to say. Where all operands are constants LLVM may compute the result: it is a
    constant then.

    Numbers, ``None`` for zero and sequences stand for constants where their type follows from the rest: ``build.add(x, 1)``.

    >>> module = pycoro.Module("")
    >>> build = pycoro.ir.Builder(module)
    >>> double = build.add_function("double", "i32 (i32)")
    >>> result = build.at_end(build.add_block("entry", function=double)).add(double.arguments[0], double.arguments[0])
    >>> end = build.ret(result)
    >>> pycoro.Interpreter(module).call("double", 21)
    42
    """

    __slots__ = ()

    # ---- What is around ----

    def add_function(self, name: str, type: TypeLike, *, linkage: Linkage = "external") -> Function:
        """A new function: a declaration until it is given a block. ``UsageError`` where the name is taken."""
        return _core.ir_add_function(self._core, name, type, linkage)

    def declare(self, name: str, type: TypeLike) -> Function:
        """The function of that name and type: as the module has it, or declared now."""
        kind = Types(self._core).parse(type) if isinstance(type, str) else type
        function = Functions(self._core).get(name)
        if function is None:
            return _core.ir_add_function(self._core, name, kind, "external")
        if signature_of(function) == kind:
            return function
        raise UsageError(f"the module has a function @{name} of type {function.type}, not {kind}")

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
        """A new variable of the module, zero where it has no initializer; ``"external"``: another module defines it."""
        value = None if isinstance(initializer, str) else self.constant(type, initializer)
        return _core.ir_add_variable(self._core, name, type, value, linkage, constant, alignment(align))

    def add_string(self, text: str | bytes, name: str = "", *, terminated: bool = True) -> GlobalVariable:
        """A private constant of these bytes, or the UTF-8 of a text, with a NUL behind them."""
        try:
            data = (text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)) + b"\0" * terminated
        except UnicodeEncodeError:
            raise UsageError(f"{text!r} holds half of a character, which text in UTF-8 cannot hold") from None
        array = f"[{len(data)} x i8]"
        return _core.ir_add_variable(self._core, name, array, _core.ir_text_constant(self._core, data), "private", True, 1)

    def add_block(self, name: str = "", *, function: Function | None = None, before: Block | None = None) -> Block:
        """A new block at the end of a function, the one that is built in where none is given, or before another block."""
        return _core.ir_add_block(before or function or self.function, name)

    def rename(self, value: Value, name: str) -> None:
        """Another name. LLVM puts a number behind one that its function has already; that of a global has to be free."""
        _core.ir_set_name(value, name)

    def add_attribute(
        self,
        of: Function | Instruction,
        attribute: str | tuple[str, TypeLike],
        *,
        parameter: int | None = None,
        result: bool = False,
    ) -> None:
        """An attribute of a function or a call, of a parameter (by number, from 0) or of the result, in LLVM's words:
        ``"presplitcoroutine"``, ``"align 8"``, ``'"key"="value"'``; with a type, as ``("byval", pair)``."""
        text, type = (attribute, None) if isinstance(attribute, str) else attribute
        _core.ir_add_attribute(of, _index_of(parameter, result), text, type)

    def remove_attribute(
        self, of: Function | Instruction, name: str, *, parameter: int | None = None, result: bool = False
    ) -> None:
        """Takes an attribute away, if it is there."""
        _core.ir_remove_attribute(of, _index_of(parameter, result), name)

    def set_personality(self, function: Function, personality: Function) -> None:
        """What unwinds through the function; who has landingpads needs one."""
        _core.ir_set_personality(function, personality)

    def set_convention(self, of: Function | Instruction, number: int) -> None:
        """The calling convention of a function or a call, by LLVM's number: 0 is C's, 8 is ``fastcc``."""
        if not 0 <= number < 1024:
            raise UsageError(f"a calling convention is a number from 0 to 1023, and not {number}")
        _core.ir_set_convention(of, number)

    def split(self, instruction: Instruction, name: str = "") -> Block:
        """Splits a block: what stands before the instruction becomes a block of its own, which is given, and which goes on
        to the rest. Who went to the block goes there; all objects stay what they were. Debug records of variables stay with
        the rest."""
        return _core.ir_split(instruction, name)

    def replace(self, value: Value, by: Operand) -> None:
        """All uses of a value are of another one, but for those in that itself: ``replace(x, build.freeze(x))``."""
        _core.ir_replace(value, self._of(_core.ir_type(value), by))

    def erase(self, value: Value) -> None:
        """Erases an instruction, a block, a function or a variable that nothing uses. Its objects are stale from then on."""
        _core.ir_erase(value)

    def __repr__(self) -> str:
        return f"<Builder at {self._where!r}>"


def _index_of(parameter: int | None, result: bool) -> int:
    """What LLVM counts by: the function, its result, its parameters."""
    if parameter is None:
        return 0 if result else -1
    if result or not 0 <= parameter < 1 << 30:
        raise UsageError(f"an attribute is of a parameter by its number, from 0, or of the result, not of {parameter}")
    return parameter + 1
