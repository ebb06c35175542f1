"""Recognize textual IR of Swift's LLVM, which is upgraded on reading."""

from __future__ import annotations

import re

__all__ = ["KEYWORD_END", "KEYWORD_START", "is_swift"]

KEYWORD_START = r'(?<![-\w$.@%!"])'
KEYWORD_END = r'(?![-\w$.":])'
"""The start and end of a keyword that is not part of a name, a string or a label."""
_HINTS = (b"@llvm.coro.id.retcon", b"swiftcoro", b"@llvm.coro.alloca.")
_DIALECT = (
    rb"@llvm\.coro\.id\.retcon(?:\.once)?\([^)\n]*\.\.\.\)|\.\.\.\)\s*@llvm\.coro\.id\.retcon\b"
    rb"|%bswiftcoro(?:cc)?%b|@llvm\.coro\.alloca\.(?:alloc|free)\.frame\b"
) % (KEYWORD_START.encode(), KEYWORD_END.encode())


def is_swift(data: bytes | bytearray | memoryview) -> bool:
    """Return whether `data` is textual IR that only Swift's LLVM, or LLVM after 22, prints: variadic ``llvm.coro.id.retcon``,
    ``swiftcorocc``, ``swiftcoro``, or ``llvm.coro.alloca.alloc.frame``."""
    if bytes(data[:2]) in (b"BC", b"\xde\xc0"):
        return False
    text = bytes(data) if isinstance(data, memoryview) else data
    return any(hint in text for hint in _HINTS) and re.search(_DIALECT, text) is not None
