"""Text that is safe to show: names in IR are any bytes, and a terminal or a reader obeys some of them.

What is looked up by name keeps its name as it is; what is shown (``str``, ``repr``, pictures, errors) goes through here.
"""

from __future__ import annotations

__all__ = ["printable", "printable_lines"]


def _escaped(character: str) -> str:
    raw = character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
    return "".join(f"\\{byte:02X}" for byte in raw)


def printable(text: str) -> str:
    r"""One line: control characters, direction marks, invisible characters and bytes that are no UTF-8 become ``\1B``, a
    backslash and two hexadecimal digits for each byte, as LLVM prints them in names."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def printable_lines(text: str) -> str:
    """The same for text of several lines, which stay lines."""
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))
