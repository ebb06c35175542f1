"""Reads regular files only, for names that come from IR, a report or a directory.

Such a name may be anything: reads of a FIFO or a device may not end, and files under ``/proc`` describe processes. Files that
the user names on the command line may be FIFOs and do not need this.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["NotRegularError", "read_regular_file"]

_KERNEL_DIRECTORIES = tuple(map(Path, ("/proc", "/sys", "/dev")))


class NotRegularError(OSError):
    """The file is a directory, a FIFO, a socket, a device, or under ``/proc``, ``/sys`` or ``/dev``."""


def read_regular_file(path: str | os.PathLike[str], limit: int = -1) -> bytes:
    """Return the bytes of a regular file, at most ``limit`` if that is not negative.

    Raises ``OSError``, and `NotRegularError` for other files. The file is opened without blocking and checked when it is open,
    because another one may replace it in between.
    """
    found = Path(path).resolve()
    if any(map(found.is_relative_to, _KERNEL_DIRECTORIES)):
        raise NotRegularError(f"{os.fspath(path)}: files of the kernel under /proc, /sys and /dev are not read")
    handle = os.open(found, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegularError(f"{os.fspath(path)}: not a regular file; replace it by one, or remove it")
        return file.read(limit)
