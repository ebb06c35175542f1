"""Builder methods for funclets, the exception handling pads of Windows."""

from __future__ import annotations

from collections.abc import Sequence

from pycoro import _core
from pycoro.ir.block import Block
from pycoro.ir.insertion_point import InsertionPoint
from pycoro.ir.instruction import Instruction
from pycoro.ir.value import Value

__all__ = ["Funclets"]


class Funclets(InsertionPoint):
    """Funclet instructions. Calls inside a funclet name it by the bundle ``funclet``: ``call(f, bundles={"funclet": [pad]})``.

    ``parent`` is the enclosing catchpad or cleanuppad, or None. :meth:`Module.verify` finds errors that concern the whole
    function, such as an unwind destination without a pad.
    """

    __slots__ = ()

    def cleanuppad(self, arguments: Sequence[Value] = (), *, parent: Value | None = None, name: str = "") -> Instruction:
        """Build ``cleanuppad`` as the first instruction of its block after phis."""
        return _core.ir_build_cleanuppad(self._position(name), parent, tuple(arguments))

    def catchswitch(
        self, handlers: Sequence[Block], *, unwind: Block | None = None, parent: Value | None = None, name: str = ""
    ) -> Instruction:
        """Build ``catchswitch``, the only instruction of its block after phis. Each handler starts with a :meth:`catchpad`.
        ``unwind`` is the destination of exceptions that no handler catches; None is the caller."""
        return _core.ir_build_catchswitch(self._position(name), parent, tuple(handlers), unwind)

    def catchpad(self, catchswitch: Value, arguments: Sequence[Value] = (), *, name: str = "") -> Instruction:
        """Build ``catchpad`` as the first instruction of its block after phis."""
        return _core.ir_build_catchpad(self._position(name), catchswitch, tuple(arguments))

    def cleanupret(self, cleanuppad: Value, unwind: Block | None = None) -> Instruction:
        """Build ``cleanupret``: the exception continues to unwind to the pad of the block, or to the caller."""
        return _core.ir_build_cleanupret(self._position(), cleanuppad, unwind)

    def catchret(self, catchpad: Value, target: Block) -> Instruction:
        """Build ``catchret``: the exception is handled, and control continues at the block."""
        return _core.ir_build_catchret(self._position(), catchpad, target)
