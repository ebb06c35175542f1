"""A look at memory that may not be there: the system copies it, and refuses where a process would be ended."""

from __future__ import annotations

import ctypes
import os

__all__ = ["copied", "peek"]


def peek(address: int, size: int) -> bytes | None:
    """What is in memory there; None where the process has none. `size` is at most 512 bytes. ``OSError`` without a pipe."""
    if not 0 < address <= (1 << 8 * ctypes.sizeof(ctypes.c_void_p)) - size:
        return None
    reading, writing = os.pipe()
    try:
        written = os.write(writing, (ctypes.c_char * size).from_address(address))
        return os.read(reading, size) if written == size else None
    except OSError:  # EFAULT
        return None
    finally:
        os.close(reading)
        os.close(writing)


_CHUNK = 4096
"""What a pipe takes at once."""


def copied(address: int, size: int) -> bytes | None:
    """A copy of memory of any size; None where the process does not have all of it. ``OSError`` without a pipe."""
    if not 0 < address <= (1 << 8 * ctypes.sizeof(ctypes.c_void_p)) - size:
        return None
    parts: list[bytes] = []
    reading, writing = os.pipe()
    try:
        for at in range(0, size, _CHUNK):
            part = min(_CHUNK, size - at)
            if os.write(writing, (ctypes.c_char * part).from_address(address + at)) != part:
                return None
            parts.append(os.read(reading, part))
    except OSError:  # EFAULT
        return None
    finally:
        os.close(reading)
        os.close(writing)
    return b"".join(parts)
