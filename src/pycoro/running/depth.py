"""How deep compiled code and Python may call each other: the stack that they share has an end."""

from __future__ import annotations

import resource
import sys
import threading

from pycoro.errors import LimitError

__all__ = ["nested"]

_STACK_A_CALL = 64 << 10  # bytes: compiled code, its callback, and Python's own calls between
_FRAMES_A_CALL = 12  # of Python's, of which it allows sys.getrecursionlimit(), where a callable has one or two of its own


def _stack_size() -> int:
    """Bytes of this thread's stack, as far as Python knows."""
    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    usual = 8 << 20 if limit == resource.RLIM_INFINITY else limit
    return usual if threading.current_thread() is threading.main_thread() else threading.stack_size() or usual


class _Depth(threading.local):
    """How deep compiled code and Python have called each other on this thread, in whatever engines."""

    def __init__(self) -> None:
        self.depth = 0
        self.most = max(4, min(_stack_size() // _STACK_A_CALL, 1000))

    def check(self) -> None:
        """LimitError before the stack ends, or Python's own limit is reached."""
        frames = sys.getrecursionlimit() // _FRAMES_A_CALL
        if self.depth >= max(2, min(self.most, frames)):
            least = "this thread's stack allows" if self.most <= frames else "sys.getrecursionlimit() allows"
            raise LimitError(f"compiled code and Python call each other {self.depth} deep, as deep as {least}")

    def told(self, error: BaseException) -> BaseException:
        """What is raised for what a callable has raised: it may have met Python's own limit before `check` did."""
        if not self.depth or not isinstance(error, RecursionError):
            return error
        limit = LimitError(f"compiled code and Python call each other {self.depth} deep, and Python's limit of calls is reached")
        limit.__cause__ = error
        return limit


nested = _Depth()
