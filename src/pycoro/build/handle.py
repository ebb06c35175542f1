"""Operations on the handle of a switch coroutine, for its callers."""

from __future__ import annotations

from pycoro.build.spec import parse_type
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

__all__ = ["HandleValue", "promise_type_of_awaitable"]


def promise_type_of_awaitable(build: Builder, result: TypeLike) -> Type:
    """Return the promise type of an awaitable coroutine: handle of the awaiter, and result."""
    kind = parse_type(build, result)
    return build.types.struct(["ptr"] if kind.kind == "void" else ["ptr", kind])


class HandleValue:
    """Handle of a switch coroutine, for code that resumes and destroys it.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> with pycoro.build.function(module, "first", {"n": "i32"}, "i32") as f:
    ...     numbers = pycoro.build.HandleValue(f, f.call(module.functions["counter"], [f["n"], 100]), promise="i32")
    ...     f.defer(numbers.destroy)
    ...     f.return_(numbers.value())
    >>> pycoro.Interpreter(module).call("first", 7)
    7
    """

    def __init__(self, build: Builder, address: Value, *, promise: TypeLike | None = None, result: TypeLike | None = None) -> None:
        if promise is not None and result is not None:
            raise UsageError("pass either promise= or result=, not both")
        self._build = build
        self._promise = promise if result is None else promise_type_of_awaitable(build, result)
        self._is_task = result is not None
        self.address = address

    def _call_intrinsic(self, name: str, *rest: Operand, named: str = "") -> Value:
        return self._build.intrinsic(name, [self.address, *rest], named=named)

    def resume(self) -> None:
        """Resume it up to its next suspend. It must not be done."""
        self._call_intrinsic("llvm.coro.resume")

    def destroy(self) -> None:
        """Run the cleanups of its current suspend and free its frame. The handle is invalid afterwards."""
        self._call_intrinsic("llvm.coro.destroy")

    def done(self) -> Value:
        """Return whether it is at its final suspend, as an ``i1``."""
        return self._call_intrinsic("llvm.coro.done", named="done")

    @property
    def _promise_type(self) -> Type:
        if self._promise is None:
            raise UsageError("the type of the promise is unknown; pass it as HandleValue(build, handle, promise='i32')")
        return parse_type(self._build, self._promise)

    def promise(self) -> Value:
        """Return the address of its promise."""
        return self._call_intrinsic("llvm.coro.promise", self._promise_type.align or 1, False, named="promise")

    def value(self) -> Value:
        """Return the last yielded value; for an awaitable coroutine, its result."""
        kind, place = self._promise_type, self.promise()
        if not self._is_task:
            return self._build.load(kind, place, name="value")
        if len(kind.elements) == 1:
            raise UsageError("the coroutine's result is void, so it has no value")
        return self._build.load(kind.elements[1], self._build.gep(kind, place, [0, 1], inbounds=True), name="value")
