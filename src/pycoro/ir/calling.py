"""Building what moves control: calls, intrinsics, branches, phis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

from pycoro import _core
from pycoro._encode import ir_bytes
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.computing import fast_flags
from pycoro.ir.constant import Constant
from pycoro.ir.function import Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.making import constant, results_of
from pycoro.ir.standing import Operand, Standing
from pycoro.ir.types import Type, TypeLike, Types
from pycoro.ir.value import Value

__all__ = ["Calling", "signature_of"]


Bundles: TypeAlias = Mapping[str, Sequence[Value]]


def _pairs(bundles: Bundles) -> tuple[tuple[bytes, tuple[Value, ...]], ...]:
    return tuple((ir_bytes(tag), tuple(values)) for tag, values in bundles.items())


def signature_of(function: Function) -> Type:
    kind = _core.ir_value_type(function)
    assert kind is not None
    return kind


class Calling(Standing):
    """Instructions that call, and that say where control goes."""

    __slots__ = ()

    # ---- Calls ----

    def _arguments(self, callee: Value, type: TypeLike | None, arguments: Sequence[Operand]) -> tuple[Value, ...]:
        if all(isinstance(argument, Value) for argument in arguments):
            return tuple(arguments)  # type: ignore[arg-type]
        kind = Types(self._core).parse(type) if isinstance(type, str) else type or _core.ir_value_type(callee)
        if kind is None or kind.kind != "function":
            raise UsageError("what is called is no function: say of which type it is")
        kinds = kind.parameters
        return tuple(
            self._of(kinds[at], argument) if at < len(kinds) else self._typed(argument) for at, argument in enumerate(arguments)
        )

    def call(
        self,
        callee: Value,
        arguments: Sequence[Operand] = (),
        *,
        type: TypeLike | None = None,
        tail: Literal["", "tail", "musttail", "notail"] = "",
        fast: bool | Sequence[str] = False,
        bundles: Bundles = MappingProxyType({}),
        name: str = "",
    ) -> Instruction:
        """``call``, by the convention of the function. A pointer is called by a ``type``. ``bundles`` are operand bundles by tag:
        ``{"deopt": [x]}``."""
        values = self._arguments(callee, type, arguments)
        return _core.ir_build_call(self._place(name), callee, type, values, _pairs(bundles), tail, fast_flags(fast))

    def invoke(
        self,
        callee: Value,
        arguments: Sequence[Operand],
        normal: Block,
        unwind: Block,
        *,
        type: TypeLike | None = None,
        bundles: Bundles = MappingProxyType({}),
        name: str = "",
    ) -> Instruction:
        """``invoke``: a call that goes on at ``normal``, or at ``unwind`` where it throws."""
        values = self._arguments(callee, type, arguments)
        return _core.ir_build_invoke(self._place(name), callee, type, values, _pairs(bundles), normal, unwind)

    def landingpad(
        self,
        type: TypeLike,
        *,
        catch: Sequence[Operand] = (),
        filters: Sequence[Constant] = (),
        cleanup: bool = False,
        name: str = "",
    ) -> Instruction:
        """``landingpad``: the clauses to catch by, where ``None`` catches everything, then those to filter by."""
        clauses = (*(self._of("ptr", clause) for clause in catch), *filters)
        return _core.ir_build_landingpad(self._place(name), type, clauses, cleanup)

    def resume(self, value: Value) -> Instruction:
        """``resume``: throws on what a landingpad has given."""
        return _core.ir_build_resume(self._place(), value)

    def intrinsic(
        self, name: str, arguments: Sequence[Operand] = (), *, result: TypeLike | None = None, named: str = ""
    ) -> Instruction:
        """A call of one of LLVM's intrinsics, which is declared where the module does not: ``intrinsic("llvm.coro.suspend",
        [None, False])``.

        Of an overloaded one the arguments have types of their own, so that numbers are given as constants, and ``result``
        says what it gives where the name (``llvm.coro.size.i64``) and the arguments leave that open. ``named`` is the
        name of the result.
        """
        function = self.intrinsic_function(name, arguments, result=result)
        return self.call(function, arguments, name=named)

    def intrinsic_function(self, name: str, arguments: Sequence[Operand] = (), *, result: TypeLike | None = None) -> Function:
        """The declaration of an intrinsic that takes these arguments."""
        values = tuple(argument for argument in arguments if isinstance(argument, Value))
        if len(values) < len(arguments):
            try:
                return _core.ir_make_intrinsic(self._core, name, (), ())
            except UsageError as error:
                if "does not take" not in error.message:
                    raise
                raise UsageError(f"{name} is overloaded: give numbers as constants of a type, build.constant('i32', 1)") from None
        kinds = (result,) if result is not None else tuple(results_of(name, values))
        return _core.ir_make_intrinsic(self._core, name, values, kinds)

    # ---- Control ----

    def branch(self, target: Block) -> Instruction:
        """``br label``."""
        return _core.ir_build_branch(self._place(), target)

    def branch_if(self, condition: Operand, true: Block, false: Block) -> Instruction:
        """``br i1``."""
        return _core.ir_build_branch_if(self._place(), self._of("i1", condition), true, false)

    def switch(
        self, value: Value, default: Block, cases: Mapping[int, Block] | Sequence[tuple[Operand, Block]] = ()
    ) -> Instruction:
        """``switch``: the cases are blocks by number."""
        pairs = list(cases.items() if isinstance(cases, Mapping) else cases)
        type = _core.ir_type(self._typed(value))
        numbers = tuple(self._of(type, number) for number, _ in pairs)
        return _core.ir_build_switch(self._place(), value, default, numbers, tuple(block for _, block in pairs))

    def ret(self, value: Operand | None = None) -> Instruction:
        """``ret``; of a function that returns nothing without a value. ``None`` is no value here, but zero where the function
        returns one is ``build.constant(type, None)``."""
        if value is not None and not isinstance(value, Value):
            value = constant(self._core, signature_of(self.function).result, value)
        return _core.ir_build_ret(self._place(), value)

    def unreachable(self) -> Instruction:
        """``unreachable``."""
        return _core.ir_build_unreachable(self._place())

    def phi(self, type: TypeLike, incoming: Sequence[tuple[Operand, Block]] = (), *, name: str = "") -> Instruction:
        """``phi``, among those at the start of the block; :meth:`add_incoming` adds what comes in later."""
        pairs = [(self._of(type, value), block) for value, block in incoming]
        made = _core.ir_build_phi(self._place(name), type)
        for value, block in pairs:
            try:
                _core.ir_add_incoming(made, value, block)
            except BaseException:
                _core.ir_erase(made)
                raise
        return made

    def add_incoming(self, phi: Instruction, value: Operand, block: Block) -> None:
        """One more value of a phi: what it is where control comes from the block."""
        _core.ir_add_incoming(phi, self._of(_core.ir_type(phi), value), block)
