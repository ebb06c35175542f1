"""Continuations, the functions that go on behind one suspend each: whose they are, and where the frame is that they go on with."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

from pycoro.coroutine import AsyncShape, RetconShape
from pycoro.errors import LifecycleError, UsageError
from pycoro.running.kinds import POINTER_SIZE
from pycoro.running.memory import copied, peek

if TYPE_CHECKING:
    from pycoro.coroutine import Coroutine
    from pycoro.running.told import Told

__all__ = ["Behind"]

NAMED = re.compile(r"\.resume\.[0-9]+$")
"""The end of the name of one."""
PARTS = ("resume", "destroy", "cleanup")


def _address(coroutine: Coroutine, storage: int) -> int:
    """Of the frame by its buffer or context; 0 where no memory is that names it."""
    shape = coroutine.shape
    if isinstance(shape, AsyncShape):
        return storage + shape.frame_offset
    if not isinstance(shape, RetconShape) or shape.frame_in_storage:
        return storage
    return int.from_bytes(peek(storage, POINTER_SIZE) or b"", sys.byteorder)


class Behind:
    """The continuations of the modules of one engine, by their addresses."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Coroutine, int]] = {}
        self._untold: dict[int, str] = {}  # of modules without a report

    def take(self, parts: dict[int, str], defined: Collection[str], told: Told) -> dict[int, str]:
        """Those among the parts of one more module; gives the others."""
        others: dict[int, str] = {}
        for address, name in parts.items():
            if not NAMED.search(name) or any(f"{name}.{part}" in defined for part in PARTS):
                others[address] = name
            elif name in told.behind:
                self._known[address] = told.behind[name]
            else:
                self._untold[address] = name
        return others

    def frame(self, continuation: int, storage: int) -> tuple[Coroutine, int, int, bytes]:
        """The coroutine, the place of the suspend that it stands at, address and bytes of its frame. `LifecycleError`,
        `UsageError`."""
        if continuation in self._untold:
            raise UsageError(
                f"the frame of the coroutine of @{self._untold[continuation]} is not known: give the engine the report of its "
                "lowering, not the module"
            )
        if continuation not in self._known:
            raise LifecycleError(f"no coroutine of this engine goes on at {continuation:#x}")
        coroutine, place = self._known[continuation]
        address, size = _address(coroutine, storage), coroutine.frame.size
        data = b"" if not size else copied(address, size) if address else None
        if data is None:
            raise LifecycleError(f"the coroutine @{coroutine.name} has no frame by {storage:#x}: there is no memory of its size")
        return coroutine, place, address, data
