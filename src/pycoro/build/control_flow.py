"""Structured control flow: conditionals and loops whose scopes run their cleanups."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from pycoro.build.body import Body
from pycoro.build.exits import Exit
from pycoro.errors import UsageError
from pycoro.ir.block import Block
from pycoro.ir.insertion_point import Operand
from pycoro.ir.value import Value

__all__ = ["Choice", "Flow", "LoopBuilder"]


class Choice:
    """Conditional whose then-branch is built.

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

    def end_scope(self) -> None:
        """End the then-branch and continue in the empty else-branch."""
        body = self._body
        assert self._other is not None
        self._end = body.block if body.open else None
        if self._end is not None:
            body.branch(self._other)
        body.at_end(self._other)

    @contextmanager
    def otherwise(self) -> Generator[None, None, None]:
        """Build the else-branch within ``with``, directly after the ``if_``."""
        body = self._body
        if self._other is None or not body.open or body.block is not self._other or self._other.instructions:
            raise UsageError("otherwise() must directly follow its if_, once, without instructions in between")
        self._other = None
        with body.scope():
            yield
        if not body.open:
            if self._end is None:
                return
            join = body.internal_block("join")
        else:
            last, join = body.block, body.internal_block("join")
            body.at_end(last).branch(join)
        if self._end is not None:
            terminator = self._end.terminator
            assert terminator is not None
            body.erase(terminator)
            body.at_end(self._end).branch(join)
        body.at_end(join)


class LoopBuilder:
    """Loop under construction.

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
        self._exit: Exit = body.new_exit("done", body.top)
        self._repeat: Exit = body.new_exit("loop", body.top)
        self._repeat.block = body.internal_block("loop")
        self._closed = False

    def break_(self) -> None:
        """Exit the loop from here."""
        self._check_loop_is_open()
        self._body.leave(self._exit, why="break_() ended the block")

    def continue_(self) -> None:
        """Continue with the next iteration from here."""
        self._check_loop_is_open()
        self._body.leave(self._repeat, why="continue_() ended the block")

    def while_(self, condition: Value) -> None:
        """Exit the loop unless the condition holds."""
        self._check_loop_is_open()
        body = self._body
        on = body.internal_block("on")
        body.branch_if(condition, on, body.record_edge_and_return_exit_target(self._exit))
        body.at_end(on)

    def _check_loop_is_open(self) -> None:
        if self._closed:
            raise UsageError("the loop has ended; use break_(), continue_() and while_() inside its with block")

    def branch_to_header(self) -> None:
        """Branch to the loop header."""
        assert self._repeat.block is not None
        self._body.branch(self._repeat.block)
        self._body.at_end(self._repeat.block)

    def end_scope(self) -> None:
        """End the loop body."""
        if self._body.open:
            self.continue_()
        self._closed = True
        if self._exit.edges:
            self._body.move_to_exit(self._exit)
        else:
            self._body.end("the preceding loop never exits")


class Flow(Body):
    """Body with conditionals and loops, as alternatives to explicit blocks and branches.

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
        """Build the then-branch within ``with``: ``with c.if_(x) as choice: ...``; optionally followed by ``with
        choice.otherwise(): ...``."""
        then, other = self.internal_block("then"), self.internal_block("otherwise")
        self.branch_if(condition, then, other)
        self.at_end(then)
        choice = Choice(self, other)
        with self.scope():
            yield choice
        choice.end_scope()

    @contextmanager
    def loop(self) -> Generator[LoopBuilder, None, None]:
        """Build a loop body within ``with``: ``with c.loop() as loop: loop.while_(x); ...``."""
        loop = LoopBuilder(self)
        loop.branch_to_header()
        with self.scope():
            yield loop
        loop.end_scope()
