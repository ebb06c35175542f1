"""Build plain functions with scopes, for callers and owners of coroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.build.body import EXCEPTION
from pycoro.build.exits import Exit
from pycoro.build.function_body import FunctionBody
from pycoro.build.spec import Parameters
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["FunctionBuilder"]


class FunctionBuilder(FunctionBody):
    """Builds a plain function with scopes and cleanups; only coroutines can suspend.

    >>> with pycoro.build.function(pycoro.Module(""), "double", {"n": "i32"}, "i32") as f:
    ...     isinstance(f, pycoro.build.FunctionBuilder)
    ...     f.return_(f.mul(f["n"], 2))
    True
    """

    __slots__ = ("_result", "_returning", "_unwinding")

    def __init__(
        self, module: Module, function: Function, parameters: Parameters, personality: Function | None, *, result: Type
    ) -> None:
        super().__init__(module, function, parameters, personality)
        self._result = None if result.kind == "void" else result
        self._returning = self.new_exit("return", None, {"result": result} if self._result is not None else {}, ends=True)
        self._unwinding = self.new_exit("unwind", None, {"exception": self.types.parse(EXCEPTION)}, ends=True)

    @property
    def unwinding(self) -> Exit:
        return self._unwinding

    def build_prologue(self) -> None:
        entry, start = self.internal_block("entry"), self.internal_block("start")
        self.at_end(entry)
        self.anchor = self.branch(start)
        self.bind_parameters(0)
        self.at_end(start)
        self.copy_parameters(0)

    def return_(self, *values: Operand) -> None:
        """Run the cleanups of all scopes and return, with a value unless the result is void."""
        self._position()
        if len(values) != (self._result is not None):
            raise UsageError(f"return_ expects {'a' if self._result else 'no'} value in @{self.home.name}, not {len(values)}")
        carried = {"result": self.typed(self._result, values[0], "return_", "the result")} if self._result is not None else {}
        self.leave(self._returning, carried, "return_() ended the block")

    def build_epilogue(self) -> None:
        if self._returning.edges:
            Builder.ret(self, self.move_to_exit(self._returning).get("result"))
        if self._unwinding.edges:
            Builder.resume(self, self.move_to_exit(self._unwinding)["exception"])
