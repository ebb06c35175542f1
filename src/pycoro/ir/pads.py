"""Building the pads that exceptions come to one inside of another, as on Windows, and the ways out of them."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro import _core
from pycoro.ir.block import Block
from pycoro.ir.instruction import Instruction
from pycoro.ir.standing import Standing
from pycoro.ir.value import Value

__all__ = ["Pads"]


class Pads(Standing):
    """Funclets: calls in one name it by the bundle ``funclet``, ``call(f, bundles={"funclet": [pad]})``.

    ``parent`` is the catchpad or cleanuppad around a pad, None where there is none. What only the whole function shows, as an
    exception that unwinds to no pad, is for :meth:`Module.verify` to say.
    """

    __slots__ = ()

    def cleanuppad(self, arguments: Sequence[Value] = (), *, parent: Value | None = None, name: str = "") -> Instruction:
        """``cleanuppad``, the first of its block behind the phis."""
        return _core.ir_build_cleanuppad(self._place(name), parent, tuple(arguments))

    def catchswitch(
        self, handlers: Sequence[Block], *, unwind: Block | None = None, parent: Value | None = None, name: str = ""
    ) -> Instruction:
        """``catchswitch``, alone in its block behind the phis: the handlers begin with a :meth:`catchpad` of it. ``unwind`` is
        where an exception goes on to that none of them takes, None for the caller."""
        return _core.ir_build_catchswitch(self._place(name), parent, tuple(handlers), unwind)

    def catchpad(self, catchswitch: Value, arguments: Sequence[Value] = (), *, name: str = "") -> Instruction:
        """``catchpad``, the first of its block behind the phis."""
        return _core.ir_build_catchpad(self._place(name), catchswitch, tuple(arguments))

    def cleanupret(self, cleanuppad: Value, unwind: Block | None = None) -> Instruction:
        """``cleanupret``: the exception goes on to the pad of the block, or to the caller."""
        return _core.ir_build_cleanupret(self._place(), cleanuppad, unwind)

    def catchret(self, catchpad: Value, target: Block) -> Instruction:
        """``catchret``: the exception is over, and control goes on at the block."""
        return _core.ir_build_catchret(self._place(), catchpad, target)
