"""Builder methods for calls, intrinsics, terminators and phis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

from pycoro import _core
from pycoro._encode import ir_bytes
from pycoro.errors import UsageError
from pycoro.ir.arithmetic import fast_flag_bits
from pycoro.ir.block import Block
from pycoro.ir.constant import Constant
from pycoro.ir.constants import candidate_result_types, constant
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import InsertionPoint, Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import Type, TypeLike, Types
from pycoro.ir.value import Value

__all__ = ["Calls", "function_type_of"]


Bundles: TypeAlias = Mapping[str, Sequence[Value]]


def _bundle_pairs(bundles: Bundles) -> tuple[tuple[bytes, tuple[Value, ...]], ...]:
    return tuple((ir_bytes(tag), tuple(values)) for tag, values in bundles.items())


def function_type_of(function: Function) -> Type:
    kind = _core.ir_value_type(function)
    assert kind is not None
    return kind


class Calls(InsertionPoint):
    """Calls, intrinsics, terminators and phis."""

    __slots__ = ()

    # ---- Calls ----

    def _call_arguments(self, callee: Value, type: TypeLike | None, arguments: Sequence[Operand]) -> tuple[Value, ...]:
        if all(isinstance(argument, Value) for argument in arguments):
            return tuple(arguments)  # type: ignore[arg-type]
        kind = Types(self._core).parse(type) if isinstance(type, str) else type or _core.ir_value_type(callee)
        if kind is None or kind.kind != "function":
            raise UsageError("the callee is not a function; pass its function type as type=")
        kinds = kind.parameters
        return tuple(
            self._value_or_constant(kinds[at], argument) if at < len(kinds) else self._check_is_value(argument)
            for at, argument in enumerate(arguments)
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
        """Build ``call`` with the calling convention of the function. A pointer callee needs a ``type``. ``bundles`` are operand
        bundles by tag: ``{"deopt": [x]}``."""
        values = self._call_arguments(callee, type, arguments)
        return _core.ir_build_call(self._position(name), callee, type, values, _bundle_pairs(bundles), tail, fast_flag_bits(fast))

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
        """Build ``invoke``, which continues at ``normal``, or at ``unwind`` if the callee throws."""
        values = self._call_arguments(callee, type, arguments)
        return _core.ir_build_invoke(self._position(name), callee, type, values, _bundle_pairs(bundles), normal, unwind)

    def landingpad(
        self,
        type: TypeLike,
        *,
        catch: Sequence[Operand] = (),
        filters: Sequence[Constant] = (),
        cleanup: bool = False,
        name: str = "",
    ) -> Instruction:
        """Build ``landingpad`` with catch clauses, where ``None`` catches everything, and filter clauses."""
        clauses = (*(self._value_or_constant("ptr", clause) for clause in catch), *filters)
        return _core.ir_build_landingpad(self._position(name), type, clauses, cleanup)

    def resume(self, value: Value) -> Instruction:
        """Build ``resume``, which rethrows the exception of a landingpad."""
        return _core.ir_build_resume(self._position(), value)

    def intrinsic(
        self, name: str, arguments: Sequence[Operand] = (), *, result: TypeLike | None = None, named: str = ""
    ) -> Instruction:
        """Call an intrinsic and declare it if necessary: ``intrinsic("llvm.coro.suspend", [None, False])``.

        The types of the arguments select the overload, so pass numbers as typed constants for an overloaded intrinsic.
        ``result`` is its result type if neither the name (``llvm.coro.size.i64``) nor the arguments determine it. ``named`` is
        the name of the result.
        """
        function = self.intrinsic_function(name, arguments, result=result)
        return self.call(function, arguments, name=named)

    def intrinsic_function(self, name: str, arguments: Sequence[Operand] = (), *, result: TypeLike | None = None) -> Function:
        """Return the declaration of an intrinsic for these arguments."""
        values = tuple(argument for argument in arguments if isinstance(argument, Value))
        if len(values) < len(arguments):
            try:
                return _core.ir_make_intrinsic(self._core, name, (), ())
            except UsageError as error:
                if "does not take" not in error.message:
                    raise
                raise UsageError(f"{name} is overloaded; pass numbers as typed constants, build.constant('i32', 1)") from None
        kinds = (result,) if result is not None else tuple(candidate_result_types(name, values))
        return _core.ir_make_intrinsic(self._core, name, values, kinds)

    # ---- Control ----

    def branch(self, target: Block) -> Instruction:
        """Build ``br label``."""
        return _core.ir_build_branch(self._position(), target)

    def branch_if(self, condition: Operand, true: Block, false: Block) -> Instruction:
        """Build ``br i1``."""
        return _core.ir_build_branch_if(self._position(), self._value_or_constant("i1", condition), true, false)

    def switch(
        self, value: Value, default: Block, cases: Mapping[int, Block] | Sequence[tuple[Operand, Block]] = ()
    ) -> Instruction:
        """Build ``switch`` with blocks by case value."""
        pairs = list(cases.items() if isinstance(cases, Mapping) else cases)
        type = _core.ir_type(self._check_is_value(value))
        numbers = tuple(self._value_or_constant(type, number) for number, _ in pairs)
        return _core.ir_build_switch(self._position(), value, default, numbers, tuple(block for _, block in pairs))

    def ret(self, value: Operand | None = None) -> Instruction:
        """Build ``ret``; without a value in a function that returns void. For a zero result use ``build.constant(type, None)``,
        because ``None`` means no value here."""
        if value is not None and not isinstance(value, Value):
            value = constant(self._core, function_type_of(self.function).result, value)
        return _core.ir_build_ret(self._position(), value)

    def unreachable(self) -> Instruction:
        """Build ``unreachable``."""
        return _core.ir_build_unreachable(self._position())

    def phi(self, type: TypeLike, incoming: Sequence[tuple[Operand, Block]] = (), *, name: str = "") -> Instruction:
        """Build ``phi`` at the start of the block; :meth:`add_incoming` adds further operands."""
        pairs = [(self._value_or_constant(type, value), block) for value, block in incoming]
        phi = _core.ir_build_phi(self._position(name), type)
        for value, block in pairs:
            try:
                _core.ir_add_incoming(phi, value, block)
            except BaseException:
                _core.ir_erase(phi)
                raise
        return phi

    def add_incoming(self, phi: Instruction, value: Operand, block: Block) -> None:
        """Add an incoming value and block to a phi."""
        _core.ir_add_incoming(phi, self._value_or_constant(_core.ir_type(phi), value), block)
