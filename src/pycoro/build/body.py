"""The body of a function in which scopes are left in order, by exceptions, too."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from pycoro.build.scopes import Scoped
from pycoro.build.ways import Cleanup, Way
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.calls import Bundles
from pycoro.ir.function import Function
from pycoro.ir.insertion_point import Operand
from pycoro.ir.instruction import Instruction
from pycoro.ir.types import TypeLike
from pycoro.ir.value import Value

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["EXCEPTION", "Attempt", "Body"]

EXCEPTION = "{ ptr, i32 }"
"""What a landingpad gives, by the exceptions that C++ has on most systems."""

_THROWING = ("llvm.coro.resume", "llvm.coro.destroy", "llvm.coro.await.suspend")
"""Intrinsics that call code of others."""


class Body(Scoped):
    """Builds in a function, with scopes: see :func:`pycoro.build.coroutine`.

    >>> with pycoro.build.coroutine(pycoro.Module(""), "f", {"n": "i32"}) as c:
    ...     print(c["n"], isinstance(c, pycoro.build.Body))
    i32 %n True
    """

    __slots__ = ("_attempts", "_pads", "_personality", "plain", "unhandled")

    def __init__(self, module: Module, function: Function, personality: Function | None) -> None:
        super().__init__(module, function)
        self._personality = personality
        self._attempts: list[Way] = []
        self._pads: dict[tuple[Cleanup | None, Way | None], Block] = {}
        self.plain = False
        self.unhandled = 0

    @property
    def unwinding(self) -> Way:
        """The way that an exception takes from the body's scopes to who called it."""
        raise NotImplementedError

    def may_throw(self, callee: Value) -> bool:
        """Whether a call of it is to be an ``invoke``."""
        if self._personality is None or self.plain:
            return False
        if isinstance(callee, Function):
            return callee.name.startswith(_THROWING) if callee.intrinsic else "nounwind" not in (callee.attributes or {})
        return True

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
        """``call``; an ``invoke`` where the function has a personality and what is called may throw: the cleanups are done
        then, up to the innermost :meth:`attempt`."""
        if not self.may_throw(callee):
            return super().call(callee, arguments, type=type, tail=tail, fast=fast, bundles=bundles, name=name)
        on, pad = self.own_block("on"), self._pad()
        made = self.invoke(callee, arguments, on, pad, type=type, bundles=bundles, name=name)
        self.at_end(on)
        return made

    def throw_on(self, exception: Value) -> None:
        """Throws an exception that :meth:`attempt` has caught, as it came from there, from here."""
        if self._personality is None:
            raise UsageError(
                "an exception is thrown on where there is a personality: coroutine(..., personality='__gxx_personality_v0')"
            )
        if self._way_of_exceptions() is None:
            raise UsageError("a cleanup does not throw: what it calls may throw is caught in it, or ends the program")
        # thrown anew: who unwinds has found its handler here, and would look no further where it only went on
        again = self.declare("_Unwind_Resume_or_Rethrow", "i32 (ptr)")
        self.add_attribute(again, "noreturn")
        self.call(again, [self.extract_value(exception, 0)])
        self.unreachable()
        self.end("an exception was thrown on")

    def _way_of_exceptions(self) -> Way | None:
        """None in a cleanup, which has none."""
        if self._attempts and self._attempts[-1].depth == self.cleaning:
            return self._attempts[-1]
        return None if self.cleaning else self.unwinding

    def _pad(self) -> Block:
        """The landingpad of calls here."""
        way = self._way_of_exceptions()
        key = (self.top if way else None, way)
        if key not in self._pads:
            self._pads[key] = pad = self.own_block("pad" if way else "terminate")
            with self.standing(pad):
                caught = self.landingpad(EXCEPTION, catch=[None] if self._attempts or not way else [], cleanup=bool(way))
                if way:
                    self.branch(self.toward(way, {"exception": caught}))
                else:
                    self._terminate()
        return self._pads[key]

    def _terminate(self) -> None:
        abort = self.declare("abort", "void ()")
        for attribute in ("noreturn", "nounwind"):
            self.add_attribute(abort, attribute)
        super().call(abort)
        self.unreachable()

    @contextmanager
    def attempt(self) -> Generator[Attempt, None, None]:
        """A scope in which exceptions are caught: ``with c.attempt() as attempt: ...``, and behind it, ``with attempt.caught() as
        exception: ...``. It catches all; one that is not for it is thrown on by :meth:`throw_on`."""
        if self._personality is None:
            raise UsageError(
                "exceptions are caught where there is a personality: coroutine(..., personality='__gxx_personality_v0')"
            )
        attempt = Attempt(self, self.new_way("catch", self.top, {"exception": self.types.parse(EXCEPTION)}))
        self._attempts.append(attempt.way)
        try:
            with self.scope():
                yield attempt
        finally:
            self._attempts.remove(attempt.way)
        self.unhandled += 1
        attempt.ended()

    def forget(self, first: int) -> bool:
        gone = super().forget(first)
        self._pads = {key: pad for key, pad in self._pads.items() if not pad.stale}
        return gone


class Attempt:
    """Calls whose exceptions are caught.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "careful", personality="__gxx_personality_v0") as f:
    ...     with f.attempt() as attempt:
    ...         call = f.call(f.declare("may_throw", "void ()"))
    ...     with attempt.caught() as exception:
    ...         call = f.call(f.declare("sorry", "void ()"))
    >>> [i.opcode for i in module.functions["careful"].walk() if i.callee and not i.intrinsic]
    ['invoke', 'invoke']
    """

    def __init__(self, body: Body, way: Way) -> None:
        self._body = body
        self._end: Block | None = None
        self.way = way
        self.handled = False

    def ended(self) -> None:
        """What is attempted is built."""
        self._end = self._body.block if self._body.open else None
        self._body.end("an attempt has ended: with attempt.caught() as exception: ... comes next")

    @contextmanager
    def caught(self) -> Generator[Value, None, None]:
        """Within ``with``, what is done with an exception: ``{ ptr, i32 }``, as a landingpad gives it."""
        body = self._body
        if self.handled:
            raise UsageError("what the attempt does with exceptions was said before")
        self.handled = True
        body.unhandled -= 1
        first = len(body.made)
        if self.way.arrivals:
            exception = body.arrive(self.way)["exception"]
        else:
            body.at_end(body.own_block("catch"))
            exception = body.poison(EXCEPTION)
        with body.scope():
            yield exception
        if not self.way.arrivals and body.forget(first):  # nothing throws: what was built for that goes
            body.end("what was attempted does not end")
        ends = [end for end in (self._end, body.block if body.open else None) if end is not None]
        if not ends:
            return
        join = body.own_block("join")
        for end in ends:
            body.at_end(end).branch(join)
        body.at_end(join)
