"""Bound the nesting of compiled code and Python on the stack that they share."""

from __future__ import annotations

import resource
import sys
import threading

from pycoro.errors import LimitError

__all__ = ["nested"]

_STACK_A_CALL = 64 << 10  # bytes for compiled code, its callback, and Python's calls between them
_FRAMES_A_CALL = 12  # Python frames of one level, if a callable adds one or two; sys.getrecursionlimit() bounds their sum


def _thread_stack_size() -> int:
    """Return the size of this thread's stack in bytes, as far as Python knows it."""
    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    usual = 8 << 20 if limit == resource.RLIM_INFINITY else limit
    return usual if threading.current_thread() is threading.main_thread() else threading.stack_size() or usual


class _CallDepth(threading.local):
    """Nesting depth of compiled code and Python on this thread, over all engines."""

    def __init__(self) -> None:
        self.depth = 0
        self.most = max(4, min(_thread_stack_size() // _STACK_A_CALL, 1000))

    def check(self) -> None:
        """Raise LimitError before the stack overflows or Python's recursion limit is reached."""
        frames = sys.getrecursionlimit() // _FRAMES_A_CALL
        if self.depth >= max(2, min(self.most, frames)):
            least = "this thread's stack allows" if self.most <= frames else "sys.getrecursionlimit() allows"
            raise LimitError(f"compiled code and Python call each other {self.depth} levels deep, as many as {least}")

    def limit_error_for_recursion_error_or_same(self, error: BaseException) -> BaseException:
        """Return the error to raise for one from a callable: a LimitError if Python's recursion limit was reached first."""
        if not self.depth or not isinstance(error, RecursionError):
            return error
        limit = LimitError(
            f"compiled code and Python call each other {self.depth} levels deep, which reached Python's recursion limit"
        )
        limit.__cause__ = error
        return limit


nested = _CallDepth()
