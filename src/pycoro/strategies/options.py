"""What may be drawn, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from pycoro._suggest import unknown_name
from pycoro.errors import UsageError
from pycoro.strategies.kinds import AGGREGATES, SCALARS, VECTORS
from pycoro.strategies.plain import Plain

__all__ = ["ABIS", "ALL", "ASKED_ACROSS", "BYVAL_WRITE", "FAULTS", "SMALL", "THROWN_FINAL", "UNWOUND_ONCE", "Options"]

ASKED_ACROSS = "asked-across"
BYVAL_WRITE = "byval-write"
THROWN_FINAL = "thrown-final"
UNWOUND_ONCE = "unwound-once"

Abi = Literal["switch", "retcon", "retcon.once", "async"]
ABIS: tuple[Abi, ...] = ("switch", "retcon", "retcon.once", "async")

FAULTS = {
    ASKED_ACROSS: "llvm.coro.alloca.alloc whose memory is used after a suspend ends LLVM's process, but where the coroutine's"
    " id names an allocator",
    BYVAL_WRITE: "what is written to a byval parameter before the first suspend is lost: the frame gets the caller's bytes",
    THROWN_FINAL: "destroying what an exception has ended does what belongs to the final suspend point, which was never reached",
    UNWOUND_ONCE: "a coroutine that yields once and may be left by an exception becomes a broken module, or ends LLVM's process",
}
"""What LLVM 22 lowers wrongly. It is only drawn where `Options.faults` names it, since a comparison with LLVM's lowering
would find nothing else.

>>> from pycoro import strategies
>>> sorted(strategies.FAULTS)
['asked-across', 'byval-write', 'thrown-final', 'unwound-once']
"""


@dataclass(frozen=True, slots=True, repr=False)
class Options(Plain):
    """Bounds of what is drawn. What is a number is the most of it; 0 and False mean none at all.

    >>> from pycoro import strategies
    >>> options = strategies.SMALL.but(statements=3, loops=False)
    >>> options.statements, strategies.SMALL.statements
    (3, 8)
    """

    abis: tuple[Abi, ...] = ABIS
    """Of the coroutine that is driven."""
    callees: tuple[Abi, ...] = ABIS
    """The ABIs of the coroutines that others call; the first is drawn more often than the others."""
    statements: int = 30
    """In one coroutine."""
    depth: int = 3
    """Of statements inside of others."""
    coroutines: int = 3
    """In one program; more than one where ``children``."""
    drives: int = 3
    """What is done with a program, each time from its start."""
    steps: int = 7
    """In one drive."""
    kinds: tuple[str, ...] = (*SCALARS, *VECTORS, *AGGREGATES)
    """The types of values, as LLVM spells them; ``i32`` and ``i1`` are always there."""
    parameters: int = 4
    variables: int = 4
    """Allocas that live as long as the coroutine."""
    alignment: int = 64
    """Of allocas, in bytes, a power of 2."""
    loops: bool = True
    switches: bool = True
    tangles: bool = True
    """Parts whose blocks jump to each other anyhow, irreducible ones too."""
    leaves: bool = True
    """Ways to the end from inside."""
    locals: bool = True
    """Allocas with lifetime markers."""
    asked: bool = True
    """Memory that ``llvm.coro.alloca.alloc`` gives."""
    errors: bool = True
    """swifterror: variables, and a parameter of what returns its continuations."""
    results: bool = True
    """What is given in the end, by ``llvm.coro.end.results`` or to who called an async coroutine."""
    addresses: bool = True
    """Addresses kept in memory, merged and compared."""
    saves: bool = True
    """Saves apart from their suspends."""
    awaits: bool = True
    """llvm.coro.await.suspend."""
    exceptions: bool = True
    """Invokes, landing pads, and exceptions that leave the coroutine."""
    children: bool = True
    """Coroutines that create, resume, await and destroy others."""
    elision: bool = True
    """``coro_elide_safe`` on calls of children; whether coroutines ask llvm.coro.alloc."""
    promise: bool = True
    byval: bool = True
    early: bool = True
    """Instructions on variables before llvm.coro.begin."""
    fails: bool = True
    """Ramps that give null."""
    unended: bool = True
    """Coroutines without a final suspend point."""
    compared: bool = False
    """Final suspend points behind which wide constants are compared, as an optimiser may leave them; where they are asked
    for only, so that what is drawn by a seed stays as it is."""
    ends: bool = False
    """Cleanups that say by a number where they lead in the end, and such as there are twice, for exceptions too; where they are
    asked for only, so that what is drawn by a seed stays as it is."""
    lives: bool = False
    """Variables of which parts are written, that take turns, and that are known before their lives begin; where they are
    asked for only, so that what is drawn by a seed stays as it is."""
    late: bool = False
    """Values that are needed late behind a suspend, and on one of two ways, when another variable has come to life there; where
    they are asked for only, so that what is drawn by a seed stays as it is."""
    built: int = 1
    """How many in four programs are written through :mod:`pycoro.build`; where there are ``callers``, none."""
    callers: int = 0
    """Functions that keep coroutines, move them, hand them on, lose them and throw past them, instead of drives."""
    faults: tuple[str, ...] = ()
    """Known faults of LLVM 22 that may be drawn though its lowering goes wrong; see `FAULTS`."""

    def __post_init__(self) -> None:
        if self.alignment & (self.alignment - 1) or self.alignment < 1:
            raise UsageError(f"the alignment {self.alignment} is not a power of 2")
        for what, given, known in (("ABI", (*self.abis, *self.callees), ABIS), ("fault", self.faults, FAULTS)):
            for name in given:
                if name not in known:
                    raise UsageError(unknown_name(what, name, known))
        if not self.abis or not self.callees:
            raise UsageError("of no ABI no coroutine can be drawn")

    def but(self, **changes: Any) -> Options:
        """The same with other values; ``UsageError`` for an option that is none."""
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise UsageError(unknown_name("option", name, names))
        return replace(self, **changes)


ALL = Options()
"""Everything.

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
"""Little coroutines, to look at.

>>> from pycoro import strategies
>>> strategies.SMALL.abis, strategies.SMALL.statements
(('switch',), 8)
"""
