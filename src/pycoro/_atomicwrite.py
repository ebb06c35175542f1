"""Atomic file writes."""

from __future__ import annotations

import errno
import os

from pycoro._encode import checked_path_text

__all__ = ["write_atomically_if_regular"]

_OPEN = ("/dev/std", "/dev/fd/", "/proc/")


def write_atomically_if_regular(path: str, data: bytes) -> None:
    """Write a file atomically by renaming a temporary file. Write directly to devices, pipes and open file descriptors
    (``/dev/fd/N``). Raises ``OSError``."""
    path = checked_path_text(path)
    if os.path.abspath(path).startswith(_OPEN) and os.path.isfile(path):
        with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), "wb") as file:
            file.write(data)
        return
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe
        with open(path, "wb") as file:
            file.write(data)
        return
    if path.endswith("/"):  # names a directory, existing or not
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    target = os.path.realpath(path)
    part = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.urandom(8).hex()}")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(part, _new_file_mode(target))
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise


def _new_file_mode(path: str) -> int:
    """Return the permissions that ``open`` would leave the file with."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
