"""A coroutine's body, whatever its ABI: the words that all have, and what is said of those that an ABI does not have."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro.build.whole import Whole
from pycoro.errors import UsageError
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

__all__ = ["CoroutineBuilder"]


class CoroutineBuilder(Whole):
    """Builds a coroutine's body: a :class:`pycoro.ir.Builder` that stands in it, with suspends, scopes and cleanups.

    A value that is computed before a suspend may be used behind it, where it is computed on every path that leads there.

    >>> with pycoro.build.coroutine(pycoro.Module(""), "f", abi=pycoro.build.Retcon(yields=["i32"])) as c:
    ...     isinstance(c, pycoro.build.CoroutineBuilder), c.abi_name
    ...     taken = c.yield_(1)
    (True, 'retcon')
    """

    __slots__ = ()

    @property
    def abi_name(self) -> str:
        """What LLVM calls its ABI."""
        raise NotImplementedError

    def suspend(self, by: Function | None = None, awaiter: Value | None = None, *, to: Value | None = None) -> None:
        """Suspends without a value."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI suspends by yield_ alone")

    def await_(self, child: Value, result: TypeLike = "void") -> Value | None:
        """Runs another coroutine to its end; its result."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI awaits no other")

    def await_call(self, callee: Function, arguments: Sequence[Operand] = (), result: TypeLike = "void") -> Value | None:
        """Calls another coroutine, and runs it to its end; its result."""
        return self.await_(self.call(callee, arguments), result)

    def passed(self, number: int, type: TypeLike) -> Value:
        """What the part that resumed the coroutine last was passed behind the frame, by its number, in an ABI of one's own
        whose parts take more than the frame."""
        return self.call(self.declare(f"abi.passed.{number}", self.types.function(type)), name="passed")

    def final(self, to: Value | None = None) -> None:
        """Ends the coroutine at its final suspend point, behind the cleanups of all scopes."""
        raise UsageError(f"a coroutine of the {self.abi_name} ABI has no final suspend point: return_() ends it")

    def suspending(self, word: str) -> None:
        """Checks that it may suspend here."""
        self._position()
        if self.cleaning:
            raise UsageError(
                f"{word} in a cleanup: it is done where the coroutine is destroyed, too, and nobody would resume it then. Suspend "
                "before the scope ends"
            )

    def check(self) -> None:
        """As of any function; it is a coroutine then."""
        super().check()
        self.add_attribute(self.home, "presplitcoroutine")
