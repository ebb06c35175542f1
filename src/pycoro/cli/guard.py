"""Read IR in a forked child that also runs the command, so that a crash of LLVM's reader only ends the child, and nothing is read
twice. The parent waits and exits as the child does."""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pycoro import _core

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["flush_and_exit_child", "fork_and_read_in_child_while_parent_waits"]

SECONDS, BYTES_A_SECOND, MEMORY, MEMORY_A_BYTE = 5, 1 << 20, 512 << 20, 64
"""As csrc/sandbox/read_sandboxed.c has them, which has the last word."""


@contextmanager
def _limit_time_and_memory_while_reading(size: int) -> Generator[None, None, None]:
    """Limit processor time and memory for reading input of this size; disable core files."""
    try:
        with open("/proc/self/statm", "rb") as file:
            memory = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        memory = 0
    time = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    limits = {
        resource.RLIMIT_CPU: int(time) + 1 + SECONDS + size // BYTES_A_SECOND,
        resource.RLIMIT_AS: memory + MEMORY + size * MEMORY_A_BYTE,
        resource.RLIMIT_CORE: 0,
    }
    before = {which: resource.getrlimit(which) for which in limits}
    for which, (soft, hard) in before.items():
        known = [limits[which], *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
        resource.setrlimit(which, (min(known), hard))
    try:
        yield
    finally:
        for which, limit in before.items():
            resource.setrlimit(which, limit)


@contextmanager
def _buffered_stderr() -> Generator[None, None, None]:
    """Buffer stderr until the end; if the process crashes, the buffer is lost, because the parent prints a better message."""
    original, buffer = os.dup(2), os.memfd_create("stderr")
    os.dup2(buffer, 2)
    try:
        yield
    finally:
        os.dup2(original, 2)
        os.lseek(buffer, 0, os.SEEK_SET)
        while data := os.read(buffer, 1 << 16):
            os.write(2, data)
        os.close(buffer)
        os.close(original)


def _exit_like_child_or_raise(status: int, data: bytes, name: str) -> None:
    """Exit as the child did. Raises ``ParseError`` if the input made it crash."""
    if os.WIFEXITED(status):
        raise SystemExit(os.WEXITSTATUS(status))
    _core.Module(data, name)
    signal_number = os.WTERMSIG(status)
    print(f"pycoro: the process that read {name} was terminated by signal {signal_number}", file=sys.stderr, flush=True)
    if signal_number != signal.SIGKILL:
        signal.signal(signal_number, signal.SIG_DFL)
    os.kill(os.getpid(), signal_number)


def fork_and_read_in_child_while_parent_waits(data: bytes, name: str) -> _core.Module:
    """Fork this single-threaded process and return the module in the child, which continues the command and ends by a function of
    this file. The parent does not return: it waits, and exits as the child does."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        child = os.fork()
    except OSError:
        return _core.Module(data, name)  # reports the error
    if child:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child receives it, too
        _exit_like_child_or_raise(os.waitpid(child, 0)[1], data, name)
    _core.end_with_parent()
    with _limit_time_and_memory_while_reading(len(data)), _buffered_stderr():
        return _core.Module(data, name, at_risk=True)


def flush_and_exit_child(status: int) -> None:
    """End the child without freeing memory, which the system does faster."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
