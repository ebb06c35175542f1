"""Instrumented memory: an arena with red zones between blocks, which are never reused.

It detects double frees, leaks and stray writes, and gives pointers names that are equal in all correct lowerings.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Callable

__all__ = ["Memory"]

_ARENA = 64 << 20
_RED = 512  # minimum bytes of red zone on either side of a block; all memory between two blocks is one
_TAIL = 4096  # bytes of red zone before the first block and after the last one
_SCRATCH = 4096  # bytes of memory for a pointer argument or result
_CANARY, _FRESH, _DEAD = b"\xa5", b"\xcd", b"\xdd"


def _noop_resume(_: object) -> None:
    """Body of the no-op coroutine."""


class Memory:
    """One arena. ``clear`` starts a new run."""

    def __init__(self, log: Callable[..., None], alignment: int) -> None:
        self._log = log
        self._alignment = alignment
        self._map = mmap.mmap(-1, _ARENA, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._noop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_noop_resume)
        self.clear()

    def clear(self) -> None:
        """Remove all blocks; memory outside of blocks keeps its bytes."""
        self._next = 0
        self._reserved: list[tuple[int, int, str]] = []  # offset, end and name of blocks and scratch memory
        self._blocks: list[tuple[int, int]] = []  # offset, size
        self._live: set[int] = set()
        self._reported: set[str] = set()
        self._scratch: list[int] = []

    def _reserve_offset(self, name: str, size: int, align: int, shift: int = 0) -> int:
        """Reserve memory ``shift`` bytes above a multiple of ``align``, with red zones up to the neighboring blocks."""
        start = -(-(self._next + (_RED if self._reserved else _TAIL)) // align) * align + shift
        if start + size + _TAIL > _ARENA:
            raise MemoryError("the program allocates more memory than the oracle's arena has")
        self._fill_bytes(self._next, start - self._next, _CANARY)
        self._next = start + size
        self._fill_bytes(self._next, _TAIL, _CANARY)
        self._reserved.append((start, self._next, name))
        return start

    def _fill_bytes(self, offset: int, size: int, byte: bytes) -> None:
        self._map[offset : offset + size] = byte * size

    def _has_only(self, byte: bytes, offset: int, end: int) -> bool:
        return self._map[offset:end] == byte * (end - offset)

    def allocate(self, allocator: str, size: int, align: int) -> int:
        align = max(align, self._alignment)
        if not 0 <= size <= _ARENA or align > _ARENA:
            raise MemoryError("the program allocates more memory than the oracle's arena has")
        name_of_block = f"block {len(self._blocks)}"
        offset = self._reserve_offset(name_of_block, size, 2 * align, align)  # aligned as promised, and not to twice that
        self._fill_bytes(offset, size, _FRESH)
        self._live.add(len(self._blocks))
        self._log("allocate", allocator, name_of_block)
        self._blocks.append((offset, size))
        return self._base + offset

    def free(self, allocator: str, address: int) -> None:
        block = next((i for i, (offset, _) in enumerate(self._blocks) if self._base + offset == address), None)
        if block is None:
            self._log("free", allocator, "null" if not address else "what was not allocated")
        elif block not in self._live:
            self._log("free", allocator, f"block {block} a second time")
        else:
            self._log("free", allocator, f"block {block}")
            self.log_stray_writes()
            self._live.discard(block)
            self._fill_bytes(*self._blocks[block], _DEAD)

    def log_stray_writes(self) -> None:
        """Log out-of-bounds writes, once for each block, and for the nearest one."""
        starts = [start for start, _, _ in self._reserved]
        before = 0  # where the red zone in front begins
        for (start, end, name), following in zip(self._reserved, [*starts[1:], self._next + 2 * _TAIL], strict=False):
            after = (end + following) // 2
            if name not in self._reported and not (self._has_only(_CANARY, before, start) and self._has_only(_CANARY, end, after)):
                self._reported.add(name)
                self._log("stray write", f"outside of {name}")
            before = after
        for block, (offset, size) in enumerate(self._blocks):
            name = f"block {block}"
            if block not in self._live and name not in self._reported and not self._has_only(_DEAD, offset, offset + size):
                self._reported.add(name)
                self._log("stray write", f"into {name} after it was freed")

    @property
    def address_and_size_of_arena(self) -> tuple[int, int]:
        """Return address and size of the arena."""
        return self._base, _ARENA

    def contains(self, address: int) -> bool:
        """Return True for an address in the arena."""
        return self._base <= address < self._base + _ARENA

    def is_start_of_live_block(self, address: int) -> bool:
        """Return True for the start of a live block."""
        return any(address - self._base == self._blocks[block][0] for block in self._live)

    def is_start_of_live_block_or_scratch(self, address: int) -> bool:
        """Return True for the start of a live block or of scratch memory."""
        return address - self._base in self._scratch or self.is_start_of_live_block(address)

    @property
    def noop_function_address(self) -> int:
        """Return the address of a function that ignores its pointer."""
        return ctypes.cast(self._noop, ctypes.c_void_p).value or 0

    def is_freed(self, address: int) -> bool:
        """Return True if the block at the address was freed."""
        place = address - self._base
        return any(offset <= place < offset + size and i not in self._live for i, (offset, size) in enumerate(self._blocks))

    def leaked_blocks(self) -> list[str]:
        return [f"block {block}" for block in sorted(self._live)]

    def allocate_scratch_memory(self) -> int:
        """Return memory for a pointer argument or result: the handle of a no-op coroutine in its first two words, then zeros."""
        offset = self._reserve_offset(f"scratch {len(self._scratch)}", _SCRATCH, 256)
        self._map[offset : offset + _SCRATCH] = (self.noop_function_address.to_bytes(8, sys.byteorder) * 2).ljust(_SCRATCH, b"\0")
        self._scratch.append(offset)
        return self._base + offset

    def name_of_pointer(self, address: int) -> str:
        """Return a name for a pointer that is equal in all correct lowerings."""
        if not address:
            return "null"
        for block, (offset, _) in enumerate(self._blocks):
            if self._base + offset == address:
                return f"block {block}"
        for number, offset in enumerate(self._scratch):
            if offset <= address - self._base < offset + _SCRATCH:
                return f"scratch {number}+{address - self._base - offset}"
        return "pointer"
