"""Files that are written whole or not at all, whoever writes beside."""

from __future__ import annotations

import errno
import os

from pycoro._encoded import file_name

__all__ = ["write_whole"]

_OPEN = ("/dev/std", "/dev/fd/", "/proc/")


def write_whole(path: str, data: bytes) -> None:
    """Writes to a file, whole or not at all; what is no ordinary file, as a pipe, is written to, and so is one that the process
    has open, by its number. ``OSError``."""
    path = file_name(path)
    if os.path.abspath(path).startswith(_OPEN) and os.path.isfile(path):
        with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), "wb") as file:
            file.write(data)
        return
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe
        with open(path, "wb") as file:
            file.write(data)
        return
    if path.endswith("/"):  # a directory, whether it is there or not
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
        os.chmod(part, _mode(target))
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise


def _mode(path: str) -> int:
    """The permissions that a file written the ordinary way would have."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
