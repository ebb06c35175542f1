"""Printed IR for readers: functions by name, lines without metadata, and their source lines.

It needs the text of a whole module. Debug records show variable names. Metadata numbers are removed, because they vary
between printings and would hide equal text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pycoro._escape import printable
from pycoro._ir_syntax import DEFINITION, WORD, unquote_name

__all__ = ["REGISTER", "Printed", "ShownCode", "Variable"]

REGISTER = re.compile(f"%({WORD})")
"""A local name in IR."""

_ATTACHED = re.compile(r"(?:,)? ![\w.]+ !\d+(?=$|,| \{$| ![\w.]+ !)")
_GROUP = re.compile(r"(?<=\)) #\d+$")
_GROUP_OF_DEFINITION = re.compile(r" #\d+(?= [^)]*\{$)")
_NUMBERS = re.compile(r"!\d+| #\d+")
_DBG = re.compile(r"!dbg !(\d+)")
_RECORD = re.compile(r"#dbg_(\w+)\((.*), !(\d+)\)$")
_NUMBERED = re.compile(r"^!(\d+) = (?:distinct )?(.*)$", re.MULTILINE)
_OF = {key: re.compile(rf"\b{key}: !(\d+)") for key in ("scope", "file", "inlinedAt")}
_NODE = re.compile(r"(?<![A-Za-z])!(\d+)")
_LINE = re.compile(r"\bline: (\d+)")
_NAME = re.compile(r'\bname: "([^"]*)"')


@dataclass(frozen=True, slots=True)
class ShownCode:
    """A function as shown."""

    lines: tuple[str, ...]
    at: tuple[int, ...]
    """Source line of each line; 0 if there is none."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A source variable of a function."""

    name: str
    line: int
    """Line of its declaration."""


def _definition_positions(text: str) -> Iterator[int]:
    """Yield the positions of definitions."""
    if text.startswith("define "):
        yield 0
    at = text.find("\ndefine ")
    while at >= 0:
        yield at + 1
        at = text.find("\ndefine ", at + 1)


class Printed:
    """Text of a module, parsed on demand."""

    def __init__(self, text: str) -> None:
        self._raw: dict[str, str] = {}
        self._shown: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, str] = {}
        self._nodes: dict[int, str] | None = None
        self._text = text
        for start in _definition_positions(text):
            if head := DEFINITION.match(text, start):
                end = text.find("\n}\n", start)
                self._raw[unquote_name(head[1])] = text[start : end + 2 if end >= 0 else len(text)]

    @property
    def function_names(self) -> tuple[str, ...]:
        """Names of defined functions, in module order."""
        return tuple(self._raw)

    def has_same_text_without_numbers(self, other: Printed, name: str) -> bool:
        """Return True if both texts of a function are equal up to numbers of metadata and attribute groups."""
        return self._raw.get(name) == other._raw.get(name) or self._text_without_numbers(name) == other._text_without_numbers(name)

    def _text_without_numbers(self, name: str) -> str:
        if name not in self._keys:
            self._keys[name] = _NUMBERS.sub("!", self._raw.get(name, ""))
        return self._keys[name]

    def _function_lines(self, name: str) -> list[str]:
        raw = self._raw.get(name)
        return raw.split("\n") if raw else []

    def lines_without_metadata(self, name: str) -> tuple[str, ...]:
        """Return the shown lines of a function; empty for an unknown one."""
        if name not in self._shown:
            lines = (self._shown_line_or_none(line) for line in self._function_lines(name))
            self._shown[name] = tuple(line for line in lines if line is not None)
        return self._shown[name]

    def lines_with_source(self, name: str) -> ShownCode:
        """Return the shown lines with their source lines."""
        own = self._subprogram_of_function(name)
        pairs = [
            (shown, self._source_line_of_instruction_or_call_or_0(line, own))
            for line in self._function_lines(name)
            if (shown := self._shown_line_or_none(line)) is not None
        ]
        return ShownCode(tuple(shown for shown, _ in pairs), tuple(at for _, at in pairs))

    def source_line_range_or_zeros(self, name: str) -> tuple[int, int]:
        """Return the first and last source line of a function; zeros without debug information."""
        own = self._subprogram_of_function(name)
        first = self._integer_of_node_or_0(own, _LINE) if own is not None else 0
        return (first, max([first, *self.lines_with_source(name).at])) if first else (0, 0)

    def source_variables(self, name: str) -> tuple[Variable, ...]:
        """Return the source variables of a function by line, without those of inlined functions."""
        own, found = self._subprogram_of_function(name), dict[Variable, None]()
        for line in self._function_lines(name):
            record = _RECORD.search(line)
            if record is None or "inlinedAt" in self._metadata_node(int(record[3])):
                continue
            for number in _NODE.findall(record[2]):
                node = self._metadata_node(int(number))
                called = _NAME.search(node)
                if node.startswith("!DILocalVariable(") and called and self._subprogram_of_scope(int(number)) == own:
                    found[Variable(printable(called[1]), self._integer_of_node_or_0(int(number), _LINE))] = None
        return tuple(sorted(found, key=lambda variable: variable.line))

    # ---- lines ----

    def _shown_line_or_none(self, line: str) -> str | None:
        """Return a line without metadata; None if nothing remains."""
        if "#dbg_" in line:
            return self._debug_record_with_names_or_none(line)
        if line[:1] not in (" ", "}"):
            if not line:
                return None
            if not line.startswith("define "):
                line = line.partition("  ")[0]  # the list of predecessors of a label
        if "!" in line:
            while (shorter := _ATTACHED.sub("", line)) != line:
                line = shorter
        return printable((_GROUP_OF_DEFINITION if line.startswith("define ") else _GROUP).sub("", line))

    def _debug_record_with_names_or_none(self, line: str) -> str | None:
        """Return a debug record with the variable name; None for labels."""
        record = _RECORD.search(line)
        if record is None or record[1] == "label":
            return None

        def quoted_name_of_node(number: re.Match[str]) -> str:
            name = _NAME.search(self._metadata_node(int(number[1])))
            return f'"{name[1] if name else ""}"'

        return printable(f"  #dbg_{record[1]}({_NODE.sub(quoted_name_of_node, record[2])})")

    # ---- metadata ----

    def _metadata_node(self, number: int) -> str:
        if self._nodes is None:
            self._nodes = {int(found[1]): found[2] for found in _NUMBERED.finditer(self._text)}
        return self._nodes.get(number, "")

    def _integer_of_node_or_0(self, node: int, what: re.Pattern[str]) -> int:
        found = what.search(self._metadata_node(node))
        return int(found[1]) if found else 0

    def _reference_of_node_or_none(self, node: int, key: str) -> int | None:
        found = _OF[key].search(self._metadata_node(node))
        return int(found[1]) if found else None

    def _subprogram_of_scope(self, node: int) -> int | None:
        """Return the function of a scope."""
        seen: set[int] = set()
        at: int | None = node
        while at is not None and at not in seen and not self._metadata_node(at).startswith("!DISubprogram("):
            seen.add(at)
            at = self._reference_of_node_or_none(at, "scope")
        return at if at is not None and at not in seen else None

    def _subprogram_of_function(self, name: str) -> int | None:
        found = _DBG.search(self._raw.get(name, "").partition("\n")[0])
        return int(found[1]) if found else None

    def _source_line_of_instruction_or_call_or_0(self, line: str, subprogram_node: int | None) -> int:
        """Return the line of an instruction in the source of its function, the metadata node `subprogram_node`; of an inlined
        instruction, the line of the call. 0: unknown."""
        found = _DBG.search(line)
        if found is None or subprogram_node is None:
            return 0
        at, seen = int(found[1]), set[int]()
        while (call := self._reference_of_node_or_none(at, "inlinedAt")) is not None and at not in seen:
            seen.add(at)
            at = call
        scope = self._reference_of_node_or_none(at, "scope")
        file = self._reference_of_node_or_none(scope, "file") if scope is not None else None
        return (
            self._integer_of_node_or_0(at, _LINE)
            if file is not None and file == self._reference_of_node_or_none(subprogram_node, "file")
            else 0
        )
