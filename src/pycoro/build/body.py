"""Function bodies with scopes that run their cleanups on exceptions too."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from pycoro.build.exits import Cleanup, Exit
from pycoro.build.scopes import Scoped
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
"""Result type of a landingpad for C++ exceptions of the Itanium ABI."""

_THROWING = ("llvm.coro.resume", "llvm.coro.destroy", "llvm.coro.await.suspend")
"""Prefixes of intrinsics that call other coroutines' code."""


class Body(Scoped):
    """Builds a function with scopes: see :func:`pycoro.build.coroutine`.

    >>> with pycoro.build.coroutine(pycoro.Module(""), "f", {"n": "i32"}) as c:
    ...     print(c["n"], isinstance(c, pycoro.build.Body))
    i32 %n True
    """

    __slots__ = ("_attempts", "_pads", "_personality", "plain", "unhandled")

    def __init__(self, module: Module, function: Function, personality: Function | None) -> None:
        super().__init__(module, function)
        self._personality = personality
        self._attempts: list[Exit] = []
        self._pads: dict[tuple[Cleanup | None, Exit | None], Block] = {}
        self.plain = False
        self.unhandled = 0

    @property
    def unwinding(self) -> Exit:
        """Exit for exceptions that leave the function."""
        raise NotImplementedError

    def may_throw(self, callee: Value) -> bool:
        """Return whether a call must be an ``invoke``."""
        if self._personality is None or self.plain:
            return False
        if isinstance(callee, Function):
            return callee.name.startswith(_THROWING) if callee.is_intrinsic else "nounwind" not in (callee.attributes or {})
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
        """Build ``call``, or ``invoke`` if the function has a personality and the callee may throw. An exception runs the cleanups
        up to the innermost :meth:`attempt`. An ``invoke`` ends the block, and has neither ``tail`` nor ``fast``."""
        if not self.may_throw(callee):
            return super().call(callee, arguments, type=type, tail=tail, fast=fast, bundles=bundles, name=name)
        on, pad = self.internal_block("on"), self._landing_pad_block()
        invoke = self.invoke(callee, arguments, on, pad, type=type, bundles=bundles, name=name)
        self.at_end(on)
        return invoke

    def throw_on(self, exception: Value) -> None:
        """Rethrow an exception that :meth:`attempt` caught."""
        if self._personality is None:
            raise UsageError("throw_on() needs a personality: coroutine(..., personality='__gxx_personality_v0')")
        if self._exit_for_exceptions_or_none_in_cleanup() is None:
            raise UsageError("a cleanup must not throw; catch exceptions inside it")
        # rethrow: the unwinder's handler search ended here, so _Unwind_Resume would find no handler
        rethrow = self.declare("_Unwind_Resume_or_Rethrow", "i32 (ptr)")
        self.add_attribute(rethrow, "noreturn")
        self.call(rethrow, [self.extract_value(exception, 0)])
        self.unreachable()
        self.end("throw_on() ended the block")

    def _exit_for_exceptions_or_none_in_cleanup(self) -> Exit | None:
        """Return the exit for exceptions at the current position; None in a cleanup."""
        if self._attempts and self._attempts[-1].depth == self.cleaning:
            return self._attempts[-1]
        return None if self.cleaning else self.unwinding

    def _landing_pad_block(self) -> Block:
        """Return the landingpad block for calls at the current position."""
        exit = self._exit_for_exceptions_or_none_in_cleanup()
        key = (self.top if exit else None, exit)
        if key not in self._pads:
            self._pads[key] = pad = self.internal_block("pad" if exit else "terminate")
            with self.temporary_position(pad):
                caught = self.landingpad(EXCEPTION, catch=[None] if self._attempts or not exit else [], cleanup=bool(exit))
                if exit:
                    self.branch(self.record_edge_and_return_exit_target(exit, {"exception": caught}))
                else:
                    self._build_call_of_abort()
        return self._pads[key]

    def _build_call_of_abort(self) -> None:
        abort = self.declare("abort", "void ()")
        for attribute in ("noreturn", "nounwind"):
            self.add_attribute(abort, attribute)
        super().call(abort)
        self.unreachable()

    @contextmanager
    def attempt(self) -> Generator[Attempt, None, None]:
        """Open a scope that catches all exceptions: ``with c.attempt() as attempt: ...``, followed by ``with attempt.caught() as
        exception: ...``. Rethrow an exception by :meth:`throw_on`."""
        if self._personality is None:
            raise UsageError("attempt() needs a personality: coroutine(..., personality='__gxx_personality_v0')")
        attempt = Attempt(self, self.new_exit("catch", self.top, {"exception": self.types.parse(EXCEPTION)}))
        self._attempts.append(attempt.exit)
        try:
            with self.scope():
                yield attempt
        finally:
            self._attempts.remove(attempt.exit)
        self.unhandled += 1
        attempt.end_scope()

    def erase_if_unreferenced(self, first: int) -> bool:
        gone = super().erase_if_unreferenced(first)
        self._pads = {key: pad for key, pad in self._pads.items() if not pad.is_stale}
        return gone


class Attempt:
    """Scope that catches exceptions.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "careful", personality="__gxx_personality_v0") as f:
    ...     with f.attempt() as attempt:
    ...         call = f.call(f.declare("may_throw", "void ()"))
    ...     with attempt.caught() as exception:
    ...         call = f.call(f.declare("sorry", "void ()"))
    >>> [i.opcode for i in module.functions["careful"].walk() if i.callee and not i.intrinsic]
    ['invoke', 'invoke']
    """

    def __init__(self, body: Body, exit: Exit) -> None:
        self._body = body
        self._end: Block | None = None
        self.exit = exit
        self.handled = False

    def end_scope(self) -> None:
        """End the scope; :meth:`caught` must follow."""
        self._end = self._body.block if self._body.open else None
        self._body.end("an attempt ended; add its handler, with attempt.caught() as exception: ...")

    @contextmanager
    def caught(self) -> Generator[Value, None, None]:
        """Build the handler of an exception, a ``{ ptr, i32 }`` of a landingpad, within ``with``."""
        body = self._body
        if self.handled:
            raise UsageError("the attempt already has a handler")
        self.handled = True
        body.unhandled -= 1
        first = len(body.created)
        if self.exit.edges:
            exception = body.move_to_exit(self.exit)["exception"]
        else:
            body.at_end(body.internal_block("catch"))
            exception = body.poison(EXCEPTION)
        with body.scope():
            yield exception
        if not self.exit.edges and body.erase_if_unreferenced(first):  # nothing throws: erase the handler
            body.end("the attempt never completes")
        ends = [end for end in (self._end, body.block if body.open else None) if end is not None]
        if not ends:
            return
        join = body.internal_block("join")
        for end in ends:
            body.at_end(end).branch(join)
        body.at_end(join)
