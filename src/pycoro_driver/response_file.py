"""Expand response files, ``@FILE`` arguments, as clang's driver does: words quoted as in a shell, also with nested response files.

Requires: the files are those of the command line. Guarantees: an argument whose file cannot be read remains, as in clang.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["expand_response_files"]

MAX_DEPTH = 64
"""Maximum nesting of response files; clang rejects recursive ones."""

_WORD = re.compile(r"""(?:\\.|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[^\s"'\\]|\\$)+""", re.DOTALL)
_PIECE = re.compile(r"""\\(.)|"((?:\\.|[^"\\])*)"?|'((?:\\.|[^'\\])*)'?""", re.DOTALL)


def _unquote(word: str) -> str:
    """Remove quotes, and the backslashes of escaped characters, which LLVM also accepts within single quotes."""

    def text_of_piece(piece: re.Match[str]) -> str:
        if piece[1] is not None:
            return piece[1]
        return re.sub(r"\\(.)", r"\1", piece[2] if piece[2] is not None else piece[3], flags=re.DOTALL)

    return _PIECE.sub(text_of_piece, word)


def expand_response_files(arguments: Sequence[str], depth: int = MAX_DEPTH) -> list[str]:
    """Return the arguments with the contents of response files in their places."""
    expanded: list[str] = []
    for argument in arguments:
        try:
            if not argument.startswith("@") or not depth:
                raise OSError
            with open(argument[1:], encoding="utf-8", errors="surrogateescape") as file:
                words = [_unquote(word) for word in _WORD.findall(file.read())]
        except (OSError, ValueError):  # ValueError: a null character in the name
            expanded.append(argument)
        else:
            expanded += expand_response_files(words, depth - 1)
    return expanded
