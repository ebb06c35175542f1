"""Encode text as the bytes that LLVM and the operating system take. Text that cannot be encoded raises a pycoro error."""

from __future__ import annotations

import os

__all__ = ["checked_path_text", "ir_bytes"]


def ir_bytes(text: str) -> bytes:
    """Encode IR as UTF-8; surrogate escapes become their original bytes. Raises ``ParseError`` for any other lone surrogate."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        from pycoro.errors import Diagnostic, ParseError

        before = text[: error.start]
        place = f"line {before.count(chr(10)) + 1}, column {error.start - before.rfind(chr(10))}"
        message = f"{place}: U+{ord(text[error.start]):04X} is a lone surrogate, which UTF-8 cannot encode"
        hint = "pass the file's bytes, or decode them with errors='surrogateescape'"
        raise ParseError("", [Diagnostic(message, hint, status=ParseError.status)]) from None


def checked_path_text(path: str | os.PathLike[str]) -> str:
    """Return a path as text. Raises ``UsageError`` if it contains a NUL or a lone surrogate."""
    name = os.fsdecode(path)
    try:
        if b"\0" not in os.fsencode(name):
            return name
    except UnicodeEncodeError:
        pass
    from pycoro.errors import UsageError

    raise UsageError(f"invalid file name {name!r}: it contains {'a NUL' if chr(0) in name else 'a lone surrogate'}")
