"""Files that a name out of IR, of a report or of a folder leads to: only regular ones are read.

Such a name may be anything: a FIFO or a device is read without end, and what the kernel shows of processes under ``/proc`` is no
file of anybody's project. Files that the user names on the command line may be FIFOs and need none of this.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["NotRegularError", "read_regular"]

_OF_THE_KERNEL = tuple(map(Path, ("/proc", "/sys", "/dev")))


class NotRegularError(OSError):
    """The file is a folder, a FIFO, a socket, a device, or lies under ``/proc``, ``/sys`` or ``/dev``."""


def read_regular(path: str | os.PathLike[str], most: int = -1) -> bytes:
    """The bytes of a regular file, at most so many unless that is negative. ``OSError``, which is a `NotRegularError` for anything
    else. Nothing is waited for: another file may take its place between a look at it and the opening."""
    found = Path(path).resolve()
    if any(map(found.is_relative_to, _OF_THE_KERNEL)):
        raise NotRegularError(f"{os.fspath(path)}: files of the kernel under /proc, /sys and /dev are not read")
    handle = os.open(found, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegularError(f"{os.fspath(path)}: this is no regular file; replace it by one, or remove it")
        return file.read(most)
