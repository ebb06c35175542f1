"""Source text of coroutines, restricted to permitted files, and positions of variable names in it.

IR may name any file, and pages are shared. Only regular, non-hidden files in the given directories, or files given by name,
are read. Names are found as words of the text, independently of the language.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pycoro._escape import printable
from pycoro._regular import read_regular_file
from pycoro.explore.printed import Variable
from pycoro.ir.source_location import SourceLocation

__all__ = ["Sources", "variable_name_positions"]

_LARGEST = 400_000
"""Maximum size in bytes of a shown file."""
_NOT_CODE = re.compile(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"|^\s*#.*')


class Sources:
    """Shown files, without duplicates."""

    def __init__(self, folders: Iterable[str | os.PathLike[str]], given: Mapping[str, str]) -> None:
        self._folders = [Path(folder).resolve() for folder in folders]
        self._given = given
        self._places: dict[str, int | None] = {}
        self.files: list[dict[str, Any]] = []
        """``path`` without directories, and ``lines``, of each file."""

    def index_of_file(self, location: SourceLocation | None) -> int | None:
        """Return the index of a location's file in `files`; None if it is not permitted."""
        if location is None or not location.file:
            return None
        key = os.path.join(location.directory, location.file)
        if key not in self._places:
            text = self._read_source(location.file, key)
            self._places[key] = None if text is None else len(self.files)
            if text is not None:
                lines = [printable(line.expandtabs(4)) for line in text.split("\n")]
                self.files.append({"path": printable(os.path.basename(location.file)), "lines": lines})
        return self._places[key]

    def _read_source(self, file: str, path: str) -> str | None:
        for name in (file, path, os.path.basename(file)):
            if name in self._given:
                return self._given[name]
        try:
            found = Path(path).resolve()
            inside = next((found.relative_to(folder) for folder in self._folders if found.is_relative_to(folder)), None)
            if inside is None or any(part.startswith(".") for part in inside.parts):
                return None
            data = read_regular_file(found, _LARGEST + 1)
            return data.decode("utf-8") if len(data) <= _LARGEST else None
        except (OSError, ValueError):
            return None


def variable_name_positions(lines: Sequence[str], first: int, last: int, variables: Sequence[Variable]) -> list[list[int]]:
    """Return positions of variable names between two lines: line, column, length, and variable. Of equal names, the latest
    declaration before the line wins.
    """
    by_name: dict[str, list[int]] = {}
    for location, variable in enumerate(variables):
        by_name.setdefault(variable.name, []).append(location)
    if not by_name:
        return []
    words = re.compile(rf"(?<![\w.])(?<!->)(?:{'|'.join(map(re.escape, by_name))})(?!\w)")
    found: list[list[int]] = []
    for number in range(first, min(last, len(lines)) + 1):
        line = _NOT_CODE.sub(lambda text: " " * len(text[0]), lines[number - 1])
        for word in words.finditer(line):
            those = by_name[word[0]]
            before = [location for location in those if variables[location].line <= number]
            found.append([number, word.start(), len(word[0]), before[-1] if before else those[0]])
    return found
