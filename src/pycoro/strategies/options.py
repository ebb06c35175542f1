"""Options that select and bound the drawn language features."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from pycoro._suggest import unknown_name_message
from pycoro.errors import UsageError
from pycoro.strategies.kinds import AGGREGATES, SCALARS, VECTORS
from pycoro.strategies.plain import Plain

__all__ = ["ABIS", "ALL", "ASKED_ACROSS", "BYVAL_WRITE", "DYNAMIC", "FAULTS", "SMALL", "THROWN_FINAL", "UNWOUND_ONCE", "Options"]

ASKED_ACROSS = "asked-across"
BYVAL_WRITE = "byval-write"
THROWN_FINAL = "thrown-final"
UNWOUND_ONCE = "unwound-once"

DYNAMIC: Literal["retcon.once.dynamic"] = "retcon.once.dynamic"

Abi = Literal["switch", "retcon", "retcon.once", "async", "retcon.once.dynamic"]
ABIS: tuple[Abi, ...] = ("switch", "retcon", "retcon.once", "async")

FAULTS = {
    ASKED_ACROSS: "LLVM aborts if memory of llvm.coro.alloca.alloc is used after a suspend, "
    "unless the coroutine's id names an allocator",
    BYVAL_WRITE: "stores to a byval parameter before the first suspend are lost: the frame gets the caller's bytes",
    THROWN_FINAL: "destroying a coroutine that an exception ended runs the cleanup of the final suspend point, "
    "which was never reached",
    UNWOUND_ONCE: "a coroutine that yields once and that an exception may leave becomes an invalid module, or LLVM aborts",
}
"""Constructs that LLVM 22 miscompiles. They are drawn only if `Options.faults` names them, since they would hide all other
differences from LLVM's lowering.

>>> from pycoro import strategies
>>> sorted(strategies.options.FAULTS)
['asked-across', 'byval-write', 'thrown-final', 'unwound-once']
"""


@dataclass(frozen=True, slots=True, repr=False)
class Options(Plain):
    """Bounds of drawn programs. A number is a maximum; 0 and False exclude the feature.

    >>> from pycoro import strategies
    >>> options = strategies.SMALL.but(statements=3, loops=False)
    >>> options.statements, strategies.SMALL.statements
    (3, 8)
    """

    abis: tuple[Abi, ...] = ABIS
    """ABIs of the driven coroutine. ``retcon.once.dynamic``, which LLVM 22 cannot lower, is only drawn if it is named here."""
    callees: tuple[Abi, ...] = ABIS
    """ABIs of called coroutines; the first one is drawn most often."""
    statements: int = 30
    """Maximum number of statements in one coroutine."""
    depth: int = 3
    """Maximum nesting of statements."""
    coroutines: int = 3
    """Maximum number of coroutines in one program; more than one needs ``children``."""
    drives: int = 3
    """Maximum number of drives of a program; each starts a new instance."""
    steps: int = 7
    """Maximum number of steps in one drive."""
    kinds: tuple[str, ...] = (*SCALARS, *VECTORS, *AGGREGATES)
    """Value types in LLVM's spelling; ``i32`` and ``i1`` are always included."""
    parameters: int = 4
    variables: int = 4
    """Maximum number of allocas that live as long as the coroutine."""
    alignment: int = 64
    """Maximum alignment of allocas in bytes, a power of 2."""
    loops: bool = True
    switches: bool = True
    tangles: bool = True
    """Regions with arbitrary jumps between their blocks, including irreducible ones."""
    leaves: bool = True
    """Early exits to the end of the coroutine."""
    locals: bool = True
    """Allocas with lifetime markers."""
    asked: bool = True
    """Memory from ``llvm.coro.alloca.alloc``."""
    errors: bool = True
    """swifterror allocas, and a swifterror parameter of retcon coroutines."""
    results: bool = True
    """Results, through ``llvm.coro.end.results`` or passed to the caller of an async coroutine."""
    addresses: bool = True
    """Addresses that are stored in memory, merged and compared."""
    saves: bool = True
    """Separate llvm.coro.save calls."""
    awaits: bool = True
    """llvm.coro.await.suspend."""
    exceptions: bool = True
    """Invokes, landing pads, and exceptions that leave the coroutine."""
    children: bool = True
    """Coroutines that create, resume, await and destroy others."""
    elision: bool = True
    """``coro_elide_safe`` on calls of children; conditional allocation by llvm.coro.alloc."""
    promise: bool = True
    byval: bool = True
    early: bool = True
    """Accesses to allocas before llvm.coro.begin."""
    fails: bool = True
    """Ramps that return null."""
    unended: bool = True
    """Coroutines without a final suspend point."""
    compared: bool = False
    """Comparisons of wide constants after final suspend points, as optimizers may produce them. Off by default, so that seeds
    keep their programs.
    """
    ends: bool = False
    """Cleanups with a selector of their successor, and duplicated cleanups for exceptions. Off by default, so that seeds keep
    their programs.
    """
    lives: bool = False
    """Allocas with partial stores, alternating accesses, and addresses stored before their lifetimes. Off by default, so that
    seeds keep their programs.
    """
    late: bool = False
    """Values used on one of two paths after a suspend, where another alloca becomes live. Off by default, so that seeds keep
    their programs.
    """
    built: int = 1
    """Number in four programs that are emitted through :mod:`pycoro.build`; none if there are ``callers``."""
    callers: int = 0
    """Maximum number of functions, instead of drives, that store, move, publish and leak coroutines and throw past them. All
    coroutines are then of the switch ABI."""
    faults: tuple[str, ...] = ()
    """Known LLVM 22 bugs that programs may contain; see `FAULTS`."""

    def __post_init__(self) -> None:
        if self.alignment & (self.alignment - 1) or self.alignment < 1:
            raise UsageError(f"Options.alignment must be a power of 2, not {self.alignment}")
        checked = (("ABI", self.abis, (*ABIS, DYNAMIC)), ("ABI", self.callees, ABIS), ("fault", self.faults, FAULTS))
        for what, given, known in checked:
            for name in given:
                if name not in known:
                    raise UsageError(unknown_name_message(what, name, known))
        if not self.abis or not self.callees:
            raise UsageError("Options.abis and Options.callees must each name at least one ABI")
        if self.callers and not ("switch" in self.abis and "switch" in self.callees):
            raise UsageError("callers need the ABI switch in Options.abis and Options.callees")

    def but(self, **changes: Any) -> Options:
        """Return a copy with other values. Raises ``UsageError`` for an unknown option."""
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise UsageError(unknown_name_message("option", name, names))
        return replace(self, **changes)


ALL = Options()
"""All default features.

>>> from pycoro import strategies
>>> strategies.ALL.abis
('switch', 'retcon', 'retcon.once', 'async')
"""

SMALL = Options(
    abis=("switch",),
    statements=8,
    depth=2,
    coroutines=1,
    drives=2,
    steps=4,
    kinds=("i32", "i64", "i1", "double"),
    alignment=8,
    tangles=False,
    exceptions=False,
    awaits=False,
    byval=False,
    fails=False,
    built=0,
)
"""Bounds of small coroutines for reading.

>>> from pycoro import strategies
>>> strategies.SMALL.abis, strategies.SMALL.statements
(('switch',), 8)
"""
