"""Base class of coroutine builders: operations of all ABIs, with errors for those that an ABI lacks."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro.build.function_body import FunctionBody
from pycoro.errors import UsageError
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

__all__ = ["CoroutineBuilder"]


class CoroutineBuilder(FunctionBody):
    """Builds a coroutine: a :class:`pycoro.ir.Builder` with suspends, scopes and cleanups.

    A value computed before a suspend may be used after it if its definition dominates the use.

    >>> with pycoro.build.coroutine(pycoro.Module(""), "f", abi=pycoro.build.Retcon(yields=["i32"])) as c:
    ...     isinstance(c, pycoro.build.CoroutineBuilder), c.abi_name
    ...     taken = c.yield_(1)
    (True, 'retcon')
    """

    __slots__ = ()

    @property
    def abi_name(self) -> str:
        """LLVM's name of the ABI."""
        raise NotImplementedError

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspend without a value."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI suspends only by yield_()")

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Run another coroutine to its end and return its result."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI cannot await")

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Call another coroutine, run it to its end and return its result."""
        return self.await_(self.call(callee, arguments), result)

    def passed(self, number: int, type: TypeLike) -> Value:
        """Return an extra argument, by index, of the clone that resumed the coroutine, in a custom ABI whose clones take more than
        the frame."""
        return self.call(self.declare(f"abi.passed.{number}", self.types.function(type)), name="passed")

    def final(self, to: Value | None = None) -> None:
        """Run the cleanups of all scopes and suspend at the final suspend point."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI has no final suspend point; end it by return_()")

    def check_may_suspend(self, caller: str) -> None:
        """Check that a suspend is allowed here."""
        self._position()
        if self.cleaning:
            raise UsageError(
                f"{caller} in a cleanup, which also runs when the coroutine is destroyed and cannot be resumed. Suspend "
                "before the end of the scope"
            )

    def check(self) -> None:
        """Check the function and mark it as a coroutine."""
        super().check()
        self.add_attribute(self.home, "presplitcoroutine")
