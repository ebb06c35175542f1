"""What is done with coroutines of the switch ABI by whoever has their handle."""

from __future__ import annotations

from pycoro.build.given import parsed
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.ir.insertion_point import Operand
from pycoro.ir.types import Type, TypeLike
from pycoro.ir.value import Value

__all__ = ["Handle", "promise_of_task"]


def promise_of_task(build: Builder, result: TypeLike) -> Type:
    """Of a coroutine that is awaited: who goes on when it is over, and its result."""
    kind = parsed(build, result)
    return build.types.struct(["ptr"] if kind.kind == "void" else ["ptr", kind])


class Handle:
    """A coroutine's handle where a builder stands: ``Handle(build, build.call(ramp, [7]), promise="i32")``.

    ``promise`` is the type of its promise, ``result`` what it gives to who awaits it: as its :func:`coroutine` was told.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> with pycoro.build.function(module, "first", {"n": "i32"}, "i32") as f:
    ...     numbers = pycoro.build.Handle(f, f.call(module.functions["counter"], [f["n"], 100]), promise="i32")
    ...     f.defer(numbers.destroy)
    ...     f.return_(numbers.value())
    >>> pycoro.Interpreter(module).call("first", 7)
    7
    """

    def __init__(self, build: Builder, address: Value, *, promise: TypeLike | None = None, result: TypeLike | None = None) -> None:
        if promise is not None and result is not None:
            raise UsageError("a coroutine has a promise, or a result that it is awaited for, not both")
        self._build = build
        self._promise = promise if result is None else promise_of_task(build, result)
        self._is_task = result is not None
        self.address = address

    def _intrinsic(self, name: str, *rest: Operand, named: str = "") -> Value:
        return self._build.intrinsic(name, [self.address, *rest], named=named)

    def resume(self) -> None:
        """Runs it to its next suspend. It may not be done."""
        self._intrinsic("llvm.coro.resume")

    def destroy(self) -> None:
        """Runs the cleanups around the suspend that it stands at, and frees its frame: the last that is done with a handle."""
        self._intrinsic("llvm.coro.destroy")

    def done(self) -> Value:
        """Whether it stands at its final suspend: an ``i1``."""
        return self._intrinsic("llvm.coro.done", named="done")

    @property
    def _kind(self) -> Type:
        if self._promise is None:
            raise UsageError("nobody has said what the coroutine's promise is: Handle(build, handle, promise='i32')")
        return parsed(self._build, self._promise)

    def promise(self) -> Value:
        """The address of its promise."""
        return self._intrinsic("llvm.coro.promise", self._kind.align or 1, False, named="promise")

    def value(self) -> Value:
        """What it has yielded last; of one that is awaited, its result."""
        kind, place = self._kind, self.promise()
        if not self._is_task:
            return self._build.load(kind, place, name="value")
        if len(kind.elements) == 1:
            raise UsageError("the coroutine's result is void: there is no value")
        return self._build.load(kind.elements[1], self._build.gep(kind, place, [0, 1], inbounds=True), name="value")
