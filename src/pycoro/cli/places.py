"""Find the places of diagnostics: in the source by debug information, or else in the file of textual IR."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import takewhile

from pycoro._diagnostic_location import (
    instruction_of_diagnostic,
    location_of_diagnostic_or_function,
    without_attribute_and_metadata_numbers,
)
from pycoro._escape import printable
from pycoro._ir_syntax import LOCAL
from pycoro.errors import Diagnostic, Error
from pycoro.module import Module

__all__ = ["Places"]

_POSITION = re.compile(r"line (\d+), column (\d+): ")
_NAME = re.compile(r'^(?:define|declare)\b[^@]*@(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))\(')
_INSTRUCTION = re.compile(
    rf"\s*(?:{LOCAL}\s*=|(?:(?:tail|musttail|notail)\s+)?(?:call|invoke|callbr)\b(?!.*@\"?llvm\.dbg\.)"
    r"|(?:store|fence|br|switch|indirectbr|ret|resume|unreachable|cleanupret|catchret)\b)"
)
"""Start of an instruction's line. Further lines of an instruction, labels, comments and debug records do not match."""


class Places:
    """Places of diagnostics about an input file; ``-`` is the standard input, which is not read again."""

    def __init__(self, path: str) -> None:
        self._path = path

    def place_and_message(self, diagnostic: Diagnostic) -> tuple[str, str]:
        """Return ``FILE:LINE:COLUMN``, empty if unknown, and the message without it."""
        position = _POSITION.match(diagnostic.message)
        if position:
            name = "<stdin>" if self._path == "-" else printable(self._path)
            return f"{name}:{position[1]}:{position[2]}", diagnostic.message[position.end() :]
        if self._path == "-" or not diagnostic.function:
            return "", diagnostic.message
        located = self._module_of_file_or_none and location_of_diagnostic_or_function(self._module_of_file_or_none, diagnostic)
        place = printable(str(located)) if located and located.line else self._place_in_text(diagnostic)
        return place, diagnostic.message

    @cached_property
    def _module_of_file_or_none(self) -> Module | None:
        try:
            return Module.from_file(self._path)
        except (Error, OSError):
            return None

    @cached_property
    def _lines_of_file_or_empty(self) -> list[str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                return file.read().split("\n")
        except (OSError, ValueError):
            return []

    def _place_in_text(self, diagnostic: Diagnostic) -> str:
        """Return the place of the instruction in textual IR, or else of its function. The parsed instruction and its line have the
        same number in the function, whatever the spelling; IR that does not verify is not parsed, so its lines are compared.
        """
        names = ((number, _NAME.match(line)) for number, line in enumerate(self._lines_of_file_or_empty, 1))
        start = next((number for number, name in names if name and diagnostic.function in name.groups()), 0)
        if not start:
            return ""
        body = takewhile(lambda numbered: numbered[1] != "}", enumerate(self._lines_of_file_or_empty[start:], start + 1))
        lines = [(number, line) for number, line in body if _INSTRUCTION.match(line)]
        for number, line in self._lines_of_instruction(lines, diagnostic):
            return f"{printable(self._path)}:{number}:{len(line) - len(line.lstrip()) + 1}"
        return f"{printable(self._path)}:{start}:1"

    def _lines_of_instruction(self, lines: list[tuple[int, str]], diagnostic: Diagnostic) -> list[tuple[int, str]]:
        """Return the numbered lines that may be those of the instruction, from all that start an instruction of its function."""
        instruction = self._module_of_file_or_none and instruction_of_diagnostic(self._module_of_file_or_none, diagnostic)
        if instruction:
            parsed = list(instruction.function.walk())
            if len(parsed) == len(lines):
                return [lines[parsed.index(instruction)]]
        wanted = without_attribute_and_metadata_numbers(diagnostic.instruction)
        return [each for each in lines if wanted and without_attribute_and_metadata_numbers(" ".join(each[1].split())) == wanted]
