"""Text on its way to LLVM and to the system, which take bytes: what has none is told as an error of pycoro's."""

from __future__ import annotations

import os

__all__ = ["file_name", "ir_bytes"]


def ir_bytes(text: str) -> bytes:
    """IR as UTF-8; bytes that were none when they were read are as they were. ``ParseError`` for half a character."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        from pycoro.errors import Diagnostic, ParseError

        before = text[: error.start]
        place = f"line {before.count(chr(10)) + 1}, column {error.start - before.rfind(chr(10))}"
        said = f"{place}: U+{ord(text[error.start]):04X} is half of a character, which text in UTF-8 cannot hold"
        hint = "give IR that comes from a file as bytes, or decode it with the error handler 'surrogateescape'"
        raise ParseError("", [Diagnostic(said, hint, status=ParseError.status)]) from None


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as text. ``UsageError`` where no file can have that name."""
    name = os.fsdecode(path)
    try:
        if b"\0" not in os.fsencode(name):
            return name
    except UnicodeEncodeError:
        pass
    from pycoro.errors import UsageError

    raise UsageError(f"no file can be named {name!r}: it holds {'a NUL' if chr(0) in name else 'half of a character'}")
