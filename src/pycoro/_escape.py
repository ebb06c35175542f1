"""Escape text for display. Names in IR may contain any byte, including terminal escapes and direction marks.

Mappings use names unescaped; ``str``, ``repr``, pictures and errors escape them.
"""

from __future__ import annotations

from typing import Any

__all__ = ["escape_unencodable_if_text", "printable", "printable_lines"]


def escape_unencodable_if_text(value: Any) -> Any:
    """Escape a text that UTF-8 cannot encode; return other values unchanged."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _escape_bytes_of_character(character: str) -> str:
    raw = character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
    return "".join(f"\\{byte:02X}" for byte in raw)


def printable(text: str) -> str:
    r"""Return the text as one printable line. Control characters, direction marks, invisible characters and invalid UTF-8 become
    ``\1B``, a backslash and two hexadecimal digits for each byte, as LLVM prints them in names."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape_bytes_of_character(c) for c in text)


def printable_lines(text: str) -> str:
    """Escape each line of a text."""
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))
