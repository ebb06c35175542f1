"""Read memory that may be unmapped: the kernel copies it through a pipe, and returns an error instead of a signal."""

from __future__ import annotations

import ctypes
import os

__all__ = ["copy_memory_or_none"]

_CHUNK = 4096
"""Bytes of one write, which an empty pipe holds."""


def copy_memory_or_none(address: int, size: int) -> bytes | None:
    """Return a copy of memory of any size; None unless all of it is mapped. Raises ``OSError`` if no pipe can be created."""
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
