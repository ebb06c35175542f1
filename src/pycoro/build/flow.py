"""Choices and loops in a body, which scopes are left by in order."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from pycoro.build.body import Body
from pycoro.build.ways import Way
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.insertion_point import Operand
from pycoro.ir.value import Value

__all__ = ["Choice", "Flow", "Loop"]


class Choice:
    """A condition that was built: what is done where it does not hold.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "sign", {"n": "i32"}, "i32") as f:
    ...     with f.if_(f.icmp("slt", f["n"], 0)) as choice:
    ...         f.return_(-1)
    ...     with choice.otherwise():
    ...         f.return_(1)
    >>> pycoro.Interpreter(module).call("sign", 5)
    1
    """

    def __init__(self, body: Body, other: Block) -> None:
        self._body = body
        self._other: Block | None = other
        self._end: Block | None = None

    def ended(self) -> None:
        """What is done where the condition holds is built; where it does not hold, nothing so far."""
        body = self._body
        assert self._other is not None
        self._end = body.block if body.open else None
        if self._end is not None:
            body.branch(self._other)
        body.at_end(self._other)

    @contextmanager
    def otherwise(self) -> Generator[None, None, None]:
        """Within ``with``, what is done where the condition does not hold. It comes right behind the ``if_``."""
        body = self._body
        if self._other is None or not body.open or body.block is not self._other or self._other.instructions:
            raise UsageError("otherwise() comes right behind its if_, once: nothing is built in between")
        self._other = None
        with body.scope():
            yield
        if not body.open:
            if self._end is None:
                return
            join = body.own_block("join")
        else:
            last, join = body.block, body.own_block("join")
            body.at_end(last).branch(join)
        if self._end is not None:
            terminator = self._end.terminator
            assert terminator is not None
            body.erase(terminator)
            body.at_end(self._end).branch(join)
        body.at_end(join)


class Loop:
    """A loop that is being built.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.coroutine(module, "upto", {"to": "i32"}, promise="i32") as c:
    ...     n = c.variable("i32", 0)
    ...     with c.loop() as loop:
    ...         loop.while_(c.icmp("slt", c.load("i32", n), c["to"]))
    ...         c.yield_(c.load("i32", n))
    ...         stored = c.store(c.add(c.load("i32", n), 1), n)
    >>> list(pycoro.Engine(pycoro.lower(module, host=True))["upto"](3))
    [0, 1, 2]
    """

    def __init__(self, body: Body) -> None:
        self._body = body
        self._out: Way = body.new_way("done", body.top)
        self._again: Way = body.new_way("loop", body.top)
        self._again.block = body.own_block("loop")
        self._over = False

    def break_(self) -> None:
        """Leaves the loop, from here."""
        self._check()
        self._body.leave(self._out, why="the loop was left by break_()")

    def continue_(self) -> None:
        """Begins the next round, from here."""
        self._check()
        self._body.leave(self._again, why="the next round was begun by continue_()")

    def while_(self, condition: Value) -> None:
        """Leaves the loop where the condition does not hold."""
        self._check()
        body = self._body
        on = body.own_block("on")
        body.branch_if(condition, on, body.toward(self._out))
        body.at_end(on)

    def _check(self) -> None:
        if self._over:
            raise UsageError("the loop has ended: it is left, or gone on with, within its with")

    def begin(self) -> None:
        """Goes into it."""
        assert self._again.block is not None
        self._body.branch(self._again.block)
        self._body.at_end(self._again.block)

    def ended(self) -> None:
        """One round is built."""
        if self._body.open:
            self.continue_()
        self._over = True
        if self._out.arrivals:
            self._body.arrive(self._out)
        else:
            self._body.end("the loop before it is never left")


class Flow(Body):
    """A body with choices and loops. They are for convenience: blocks and branches of a builder's do as well.

    >>> module = pycoro.Module("")
    >>> with pycoro.build.function(module, "sign", {"n": "i32"}, "i32") as f:
    ...     with f.if_(f.icmp("slt", f["n"], 0)):
    ...         f.return_(-1)
    ...     f.return_(1)
    >>> pycoro.Interpreter(module).call("sign", -5)
    -1
    """

    __slots__ = ()

    @contextmanager
    def if_(self, condition: Operand) -> Generator[Choice, None, None]:
        """Within ``with``, a scope that is entered where the condition holds: ``with c.if_(x) as choice: ...``; what else is
        done, ``with choice.otherwise(): ...``."""
        then, other = self.own_block("then"), self.own_block("otherwise")
        self.branch_if(condition, then, other)
        self.at_end(then)
        choice = Choice(self, other)
        with self.scope():
            yield choice
        choice.ended()

    @contextmanager
    def loop(self) -> Generator[Loop, None, None]:
        """Within ``with``, a scope that is entered again at its end: ``with c.loop() as loop: loop.while_(x); ...``."""
        loop = Loop(self)
        loop.begin()
        with self.scope():
            yield loop
        loop.ended()
