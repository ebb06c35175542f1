"""Plain data for coroutines that are emitted through `pycoro.build`: a tree of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from pycoro.strategies.plain import Plain

__all__ = ["Built", "Words"]

Words: TypeAlias = tuple[tuple[Any, ...], ...]
"""Operations of a body, each an opcode with its operands; nested bodies are Words too."""


@dataclass(frozen=True, slots=True, repr=False)
class Built(Plain):
    """A coroutine that `module` emits through :mod:`pycoro.build`.

    Its body is a tuple of operations, such as ``("yield", 0)`` or ``("defer", (("report", "i32", 0),))``. A number ``n``
    selects one of the values of a type in scope, 0 the most recent; without such a value it is a constant. ``kind`` is a
    type, and ``body`` a tuple of operations:

    - ``report kind n``; ``opaque kind``: a value from ``pick``; ``combine kind operation n m``: combine two values
    - ``variable kind align n``: an alloca with an initial value; ``store n m`` into the n-th one, ``load n`` from it
    - ``yield n ...``, one for each yielded type; ``suspend``; ``await_suspend form n``: suspend through an await function of form
      ``void``, ``bool`` or ``handle``, which resumes the n-th held coroutine; ``transfer n`` to that
    - ``child coroutine (n ...) safe body``: a coroutine that lives during the body; ``resume n``: resume a held coroutine
    - ``await coroutine (n ...)``: run it to its end
    - ``scope body``; ``scope_with_value kind n body``: a scope with a value; ``local kind align n body``: an alloca of a scope;
      ``defer body``: a cleanup
    - ``if then other``; ``branch then other``, with explicit blocks; ``loop times body``; ``break``; ``continue``
    - ``throw``, conditionally; ``attempt body handler``; ``rethrow`` in a handler
    - ``return n ...``, one for each result type; ``final``: a final suspend without a successor

    >>> from pycoro import strategies
    >>> of = strategies.model.Built("f", (("defer", (("report", "i32", 1),)), ("yield", 7)), yields=("i32",))
    >>> ir = strategies.module([strategies.Program((), (strategies.model.Drive("f", steps=("resume",)),), built=(of,))])
    >>> "call void @report_i32(i32 1)" in ir
    True
    """

    name: str
    body: Words = ()
    abi: str = "switch"
    """One of ``switch``, ``retcon``, ``retcon.once`` and ``async``."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Type of each parameter, and how it is passed: directly (empty), ``copied`` as bytes, or ``moved`` by a function."""
    yields: tuple[str, ...] = ()
    """Types of the yielded values; at most one in the promise of the switch ABI."""
    results: tuple[str, ...] | None = None
    """Types of the results for an awaiter; None if the coroutine cannot be awaited. Only ``retcon.once`` may have several."""
    takes: str = ""
    """Type of the argument of a continuation."""
    size: int = 8
    """Size of the buffer for a continuation's frame, in bytes."""
    lazy: bool = False
    final: bool = True
    unwinds: bool = False
    """True if it has a personality and invokes calls that may throw."""
    allocates: str = "malloc"
    """One of ``malloc``, ``aligned`` and ``fails``; the last allocator is declared fallible but never fails."""
    lines: bool = False
    """True if it has debug information."""

    @property
    def is_awaitable(self) -> bool:
        """Return True if coroutines of the switch ABI can await it."""
        return self.abi == "switch" and self.results is not None
