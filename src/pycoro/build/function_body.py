"""Builder of a complete function: parameters, final checks, and removal on failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycoro.build.control_flow import Flow
from pycoro.build.spec import ByValue, Parameters, size_of
from pycoro.errors import UsageError
from pycoro.ir.constant import GlobalVariable
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["FunctionBody"]


class FunctionBody(Flow):
    """Builds a function from its first block to its last."""

    __slots__ = ("_parameters", "_values", "owned_globals")

    def __init__(self, module: Module, function: Function, parameters: Parameters, personality: Function | None) -> None:
        super().__init__(module, function, personality)
        self._parameters = parameters
        self._values: dict[str, Value] = {}
        self.owned_globals: list[Function | GlobalVariable] = []
        """Globals created only for this function."""

    def build_prologue(self) -> None:
        """Build the prologue and move to the body."""
        raise NotImplementedError

    def build_epilogue(self) -> None:
        """Build the epilogue."""
        raise NotImplementedError

    def return_(self, *values: Operand) -> None:
        """Run the cleanups of all scopes and end the function."""
        raise NotImplementedError

    # ---- Operations of coroutines ----

    def _error_outside_of_coroutine(self, caller: str) -> UsageError:
        return UsageError(f"{caller} in @{self.home.name}, which is not a coroutine; build it by coroutine() instead of function()")

    def yield_(self, *values: Operand) -> Value | None:
        """Suspend and pass values to the function that resumes."""
        raise self._error_outside_of_coroutine("yield_()")

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspend without a value."""
        raise self._error_outside_of_coroutine("suspend()")

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Run another coroutine to its end and return its result."""
        raise self._error_outside_of_coroutine("await_()")

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Call another coroutine, run it to its end and return its result."""
        raise self._error_outside_of_coroutine("await_call()")

    def final(self, to: Value | None = None) -> None:
        """Run the cleanups of all scopes and suspend at the final suspend point."""
        raise self._error_outside_of_coroutine("final()")

    # ---- The end ----

    def end_body(self) -> None:
        """End the body whose end is reachable."""
        self.return_()

    # ---- Parameters ----

    def __getitem__(self, name: str) -> Value:
        """Return a parameter by name; for a `ByValue` one, the address of the copy."""
        try:
            return self._values[name]
        except KeyError:
            known = ", ".join(self._values) or "none"
            raise UsageError(f"@{self.home.name} has no parameter {name!r}; its parameters are {known}") from None

    def bind_parameters(self, first_argument: int) -> None:
        """Give the arguments from index ``first_argument`` on the names of the parameters, and make them, or a stack slot for
        the copy of a `ByValue` one, the values of these names."""
        for argument, (name, kind) in zip(self.home.arguments[first_argument:], self._parameters.items(), strict=True):
            self.rename(argument, name)
            self._values[name] = argument
            if isinstance(kind, ByValue):
                with self.temporary_position(self.anchor):
                    self._values[name] = self.alloca(kind.type, name=f"{name}.copy")

    def copy_parameters(self, first_argument: int) -> None:
        """Copy the memory of by-address parameters."""
        for argument, (name, kind) in zip(self.home.arguments[first_argument:], self._parameters.items(), strict=True):
            if not isinstance(kind, ByValue):
                continue
            to = self._values[name]
            if kind.by is not None:
                self.call(kind.by, [to, argument])
                continue
            self.intrinsic("llvm.memcpy.p0.p0.i64", [to, argument, size_of(self, kind.type), self.constant("i1", 0)])

    def typed(self, kind: Type, value: Operand, caller: str, what: str) -> Value:
        """Convert a value to the type, or raise ``UsageError``."""
        if value is None:
            raise UsageError(f"{caller} got None, but {what} is of type {kind}; for zero pass 0 or constant({str(kind)!r}, None)")
        operand = self._value_or_constant(kind, value)
        if operand.type != kind:
            raise UsageError(f"{caller} got a value of type {operand.type}, but {what} is of type {kind}")
        return operand

    def check(self) -> None:
        """Check that every block has a terminator and every attempt a handler."""
        if self.unhandled:
            raise UsageError(f"an attempt in @{self.home.name} has no handler; add with attempt.caught(): ...")
        for block in self.home.blocks:
            if block.terminator is None:
                raise UsageError(f"block %{block.name} of @{self.home.name} has no terminator; end it by a branch or return_()")
        if self._personality is not None:
            self.set_personality(self.home, self._personality)
            self.add_attribute(self.home, "uwtable")
        self.complete = True
        self.end(f"@{self.home.name} is complete: its with block has ended")

    def discard(self, *, declared: bool) -> None:
        """Erase the body, and the function unless it was declared before or is in use."""
        self.erase_blocks(self.home.blocks)
        for other in [*self.owned_globals, *([] if declared else [self.home])]:
            if not other.users:
                self.erase(other)
