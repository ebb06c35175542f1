"""Coroutines as plain data that are written through `pycoro.build`: what an author says, word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from pycoro.strategies.plain import Plain

__all__ = ["Built", "Words"]

Words: TypeAlias = tuple[tuple[Any, ...], ...]
"""What a body does: each a word, and what it is about. Those that are held in others are Words, too."""


@dataclass(frozen=True, slots=True, repr=False)
class Built(Plain):
    """A coroutine that `module` writes through :mod:`pycoro.build`.

    Its body consists of words, which mean what a frontend's author would write: ``("yield", 0)``, or ``("defer", (("tell", "i32",
    0),))``.
    A number says which of the values of a type that are known there is meant, the last one by 0; where there is none, it is the
    value. ``kind`` is a type, ``body`` more words:

    - ``tell kind n``; ``make kind``: a value of what ``pick`` gives; ``mix kind operation n m``: one of two others
    - ``variable kind align n``, a variable with that value; ``store n m`` into the n-th known, ``load n`` from it
    - ``yield n ...``, of each type that it yields one; ``suspend``; ``park form n``, by a function that is told the handle,
      ``void``, ``bool`` or ``handle``, which goes on with the n-th coroutine that is held; ``transfer n`` to that
    - ``child coroutine (n ...) safe body``, a coroutine that is held while the body runs; ``resume n``, one of those that are held
    - ``await coroutine (n ...)``, to its end
    - ``scope body``; ``give kind n body``, a scope that comes to a value; ``local kind align n body``, a variable of a scope;
      ``defer body``, a cleanup
    - ``if then other``; ``branch then other``, by blocks of the author's own; ``loop times body``; ``break``; ``continue``
    - ``throw``, maybe; ``attempt body handler``; ``rethrow`` in a handler
    - ``return n ...``, of each type of results one; ``final``: with nobody to go on

    >>> from pycoro import strategies
    >>> of = strategies.Built("f", (("defer", (("tell", "i32", 1),)), ("yield", 7)), yields=("i32",))
    >>> ir = strategies.module([strategies.Program((), (strategies.Drive("f", steps=("resume",)),), built=(of,))])
    >>> "call void @say_i32(i32 1)" in ir
    True
    """

    name: str
    body: Words = ()
    abi: str = "switch"
    """Or ``retcon``, ``retcon.once``, ``async``."""
    parameters: tuple[tuple[str, str], ...] = ()
    """A type each, and how it is passed: as it is (empty), ``copied`` byte by byte, or ``moved`` by a function."""
    yields: tuple[str, ...] = ()
    """The types of what it yields; one at the most in its promise, where it is of the switch ABI."""
    results: tuple[str, ...] | None = None
    """The types of what it gives in the end: to who awaits it, which only those can be that do not say None; one at the most, but
    for ``retcon.once``."""
    takes: str = ""
    """The type of what a continuation is passed."""
    size: int = 8
    """Of the buffer for a continuation's frame."""
    lazy: bool = False
    final: bool = True
    unwinds: bool = False
    """Whether it has a personality: what may throw is invoked then."""
    allocates: str = "malloc"
    """Or ``aligned``; or ``fails``, where there may be no frame by what it is told, though there always is."""
    lines: bool = False
    """Whether it has debug information."""

    @property
    def is_task(self) -> bool:
        """Whether others of the switch ABI await it."""
        return self.abi == "switch" and self.results is not None
