"""Map continuation addresses to coroutines, suspend points and frames, for the ABIs with one continuation function per
suspend.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

from pycoro.coroutine import AsyncShape, RetconShape
from pycoro.errors import LifecycleError, UsageError
from pycoro.running.kinds import POINTER_SIZE
from pycoro.running.memory import copy_memory_or_none

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.running.coroutine_info import CoroutineInfo

__all__ = ["Continuations"]

NAMED = re.compile(r"\.resume\.[0-9]+$")
"""Suffix of the name of a continuation."""
PARTS = ("resume", "destroy", "cleanup")


def _frame_address(coroutine: Coroutine, storage: int) -> int:
    """Return the address of the frame, found through its buffer or context; 0 if the memory is unreadable."""
    shape = coroutine.shape
    if isinstance(shape, AsyncShape):
        return storage + shape.frame_offset
    if not isinstance(shape, RetconShape) or shape.frame_in_storage:
        return storage
    return int.from_bytes(copy_memory_or_none(storage, POINTER_SIZE) or b"", sys.byteorder)


class Continuations:
    """Continuations of the modules of one engine, by address."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Coroutine, int]] = {}
        self._unreported: dict[int, str] = {}  # of modules without a report

    def register_continuations_return_others(
        self, clones: dict[int, str], defined: Collection[str], info: CoroutineInfo
    ) -> dict[int, str]:
        """Register the continuations among the clones of one more module, and return the other clones."""
        others: dict[int, str] = {}
        for address, name in clones.items():
            if not NAMED.search(name) or any(f"{name}.{part}" in defined for part in PARTS):
                others[address] = name
            elif name in info.suspends_by_continuation:
                self._known[address] = info.suspends_by_continuation[name]
            else:
                self._unreported[address] = name
        return others

    def frame(self, continuation: int, storage: int) -> tuple[Coroutine, int, int, bytes]:
        """Return the coroutine, the position of its current suspend, and the address and bytes of its frame. Raises
        `LifecycleError` or `UsageError`.
        """
        if continuation in self._unreported:
            raise UsageError(
                f"the frame layout of the coroutine of @{self._unreported[continuation]} is unknown; add the report of its "
                "lowering to the engine, not the module"
            )
        if continuation not in self._known:
            raise LifecycleError(f"no coroutine of this engine resumes at {continuation:#x}")
        coroutine, place = self._known[continuation]
        address, size = _frame_address(coroutine, storage), coroutine.frame.size
        data = b"" if not size else copy_memory_or_none(address, size) if address else None
        if data is None:
            raise LifecycleError(f"the coroutine @{coroutine.name} has no frame at {storage:#x}: the memory is not mapped")
        return coroutine, place, address, data
