"""Reading for a command that is a process of its own: a child process reads, and goes on with the command, so that what LLVM's
reader does not survive costs the child and no more, and nothing is read twice. The parent waits, and ends as the child does."""

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

__all__ = ["leave", "read_guarded"]

SECONDS, BYTES_A_SECOND, MEMORY, MEMORY_A_BYTE = 5, 1 << 20, 512 << 20, 64
"""As csrc/ir/read_sandboxed.c has them, which has the last word."""


@contextmanager
def _limited(size: int) -> Generator[None, None, None]:
    """Processor time and memory for input of so many bytes; no core files of what is expected to crash."""
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
        for which, was in before.items():
            resource.setrlimit(which, was)


@contextmanager
def _held_stderr() -> Generator[None, None, None]:
    """What LLVM says on stderr comes out at the end, and not if the process is lost: the parent says it better then."""
    kept, held = os.dup(2), os.memfd_create("stderr")
    os.dup2(held, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.lseek(held, 0, os.SEEK_SET)
        while said := os.read(held, 1 << 16):
            os.write(2, said)
        os.close(held)
        os.close(kept)


def _end_as(status: int, data: bytes, name: str) -> None:
    """Ends as the child has. ``ParseError`` where the input is to blame that it was lost."""
    if os.WIFEXITED(status):
        raise SystemExit(os.WEXITSTATUS(status))
    _core.Module(data, name)
    lost = os.WTERMSIG(status)
    print(f"pycoro: the process that read {name} was ended by signal {lost}", file=sys.stderr, flush=True)
    if lost != signal.SIGKILL:
        signal.signal(lost, signal.SIG_DFL)
    os.kill(os.getpid(), lost)


def read_guarded(data: bytes, name: str) -> _core.Module:
    """The module, in a child of the process that calls this, which has no other thread; `leave` ends it."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        child = os.fork()
    except OSError:
        return _core.Module(data, name)  # says so
    if child:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child hears of it, too
        _end_as(os.waitpid(child, 0)[1], data, name)
    _core.end_with_parent()
    with _limited(len(data)), _held_stderr():
        return _core.Module(data, name, at_risk=True)


def leave(status: int) -> None:
    """Ends the child, whose memory the system frees sooner than LLVM."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
