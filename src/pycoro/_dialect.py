"""Recognize textual IR of Swift's LLVM, which is upgraded on reading."""

from __future__ import annotations

import re

__all__ = ["KEYWORD_END", "KEYWORD_START", "is_text_of_swift_llvm"]

KEYWORD_START = r'(?<![-\w$.@%!"])'
KEYWORD_END = r'(?![-\w$.":])'
"""The start and end of a keyword that is not part of a name, a string or a label."""
_HINTS = (b"llvm.coro.id.retcon", b"swiftcoro", b"llvm.coro.alloca.", b"llvm.ret.popless")
_DIALECT = (
    rb'@"?llvm\.coro\.id\.retcon(?:\.once)?"?\s*\([^)]*\.\.\.\s*\)'
    rb'|\.\.\.\s*\)\s*@"?llvm\.coro\.(?:id\.retcon(?!\.once\.dynamic)|alloca\.alloc)\b'
    rb'|%bswiftcoro(?:cc)?%b|@"?llvm\.coro\.alloca\.(?:alloc|free)\.frame\b|@"?llvm\.ret\.popless\b'
) % (KEYWORD_START.encode(), KEYWORD_END.encode())
_DYNAMIC = b"llvm.coro.id.retcon.once.dynamic"
_DECLARED = rb'^declare\b[^@\n]*@"?llvm\.coro\.id\.retcon\.once\.dynamic"?\s*\('


def is_text_of_swift_llvm(data: bytes | bytearray | memoryview) -> bool:
    """Return whether `data` is textual IR that only Swift's LLVM, or LLVM after 22, prints: variadic ``llvm.coro.id.retcon``,
    ``swiftcorocc``, ``swiftcoro``, ``llvm.coro.alloca.alloc.frame``, ``llvm.ret.popless``, or an undeclared
    ``llvm.coro.id.retcon.once.dynamic``, as in the tests of Swift's LLVM."""
    if bytes(data[:2]) in (b"BC", b"\xde\xc0"):
        return False
    text = bytes(data) if isinstance(data, memoryview) else data
    if not any(hint in text for hint in _HINTS):
        return False
    undeclared = _DYNAMIC in text and re.search(_DECLARED, text, re.MULTILINE) is None
    return undeclared or re.search(_DIALECT, text) is not None
