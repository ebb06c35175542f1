"""Functions in textual IR as blocks of lines, with the names in each line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pycoro.upgrade.statements import FLOAT, NAME

__all__ = ["RECORD", "TYPE", "Block", "Function", "Use", "defined", "labels", "substituted", "uses"]

TYPE = rf"(?:ptr(?: addrspace\(\d+\))?|i\d+|{FLOAT}|token|\{{[^{{}}]*\}}|\[\d+ x [^\]]+\]|{NAME})"
RECORD = re.compile(r"\s*(?:#dbg_|(?:tail )?call void @llvm\.dbg\.)\w+\(")
"""Debug record; its values do not count as uses."""
_ATTRIBUTES = r"(?: (?:noalias|nonnull|noundef|zeroext|signext|align \d+|sret\([^)]*\)))*"
_TYPED = re.compile(rf"(?<![-\w$.\"%@!])({TYPE}){_ATTRIBUTES} ({NAME})(?![-\w$.(])")
_BINARY = re.compile(
    rf"^(?:{NAME} = )?(?:add|sub|mul|[su]div|[su]rem|and|or|xor|shl|[al]shr|f(?:add|sub|mul|div)|[if]cmp \w+)"
    rf"(?: (?:nsw|nuw|exact|disjoint|fast))* ({TYPE}) (\S+), (\S+?)(?:,|$)"
)
_PHI = re.compile(rf"^{NAME} = phi ({TYPE}) ")
_PAIR = re.compile(rf"\[ *([^,\]]+?) *, *({NAME}) *\]")
_ENDS = re.compile(
    r"(?:br|switch|ret|unreachable|resume|cleanupret|indirectbr|catchret)\b|(?:%\S+ = )?(?:invoke|callbr|catchswitch)\b"
)


@dataclass(slots=True)
class Use:
    """Value used by a line, with its type."""

    type: str
    name: str


@dataclass(slots=True)
class Block:
    """Block with its name, including the percent sign, and its lines."""

    name: str
    lines: list[str] = field(default_factory=list[str])
    left: bool = False
    """True if the document omits a part of it."""

    @property
    def ended(self) -> bool:
        return bool(self.lines) and _ENDS.match(self.lines[-1]) is not None

    @property
    def goes(self) -> list[str]:
        """Successors."""
        return labels(self.lines[-1]) if self.ended else []


@dataclass(slots=True)
class Function:
    """Function definition."""

    head: str
    """Text up to the brace."""
    blocks: list[Block]
    fragment: bool = False
    """True if the document has no head for it."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """Current names of values that share a name with a later value."""

    def meant(self, line: str) -> str:
        """Replace names in a line by the current names of their values."""
        name = defined(line)
        return name + substituted(line[len(name) :], self.renamed)

    @property
    def name(self) -> str:
        found = re.search(r'@([-\w$.]+|"[^"]*")\s*\(', self.head)
        return found[1].strip('"') if found else ""

    @property
    def gives(self) -> str:
        """Result type."""
        found = re.search(rf"({TYPE}|void) @", self.head)
        return found[1] if found else "void"

    @property
    def lines(self) -> list[str]:
        return [line for block in self.blocks for line in block.lines]

    @property
    def parameters(self) -> list[str]:
        return re.findall(rf"(?<= )({NAME})(?=\s*[,)])", self.head[self.head.find("@") :])

    @property
    def names(self) -> set[str]:
        """Names of its values."""
        return {*self.parameters, *filter(None, map(defined, self.lines))}

    def calls(self, pattern: str) -> list[str]:
        """Return its lines that call a function that matches a pattern."""
        return [line for line in self.lines if re.search(rf"@{pattern}\(", line)]

    def text(self, *, marked: bool = False) -> str:
        """Return the function as LLVM reads it; with ``marked``, also with ellipses."""
        parts = [f"{self.head} {{"]
        for block in self.blocks:
            parts += [f"{block.name[1:]}:", *["  ..."] * (marked and block.left), *(f"  {line}" for line in block.lines)]
        return "\n".join([*parts, "}"])


def defined(line: str) -> str:
    """Return the name that a line defines; empty if none."""
    found = re.match(rf"({NAME}) =", line)
    return found[1] if found else ""


def labels(line: str) -> list[str]:
    """Return the blocks that a line branches to."""
    return re.findall(rf"label ({NAME})", line)


def uses(line: str) -> list[Use]:
    """Return the values that a line uses, with their types."""
    body = line[len(defined(line)) :] if defined(line) else line
    found: list[Use] = []
    if RECORD.match(line):
        return found
    if phi := _PHI.match(line):
        return [Use(phi[1], pair[1]) for pair in _PAIR.finditer(body) if pair[1].startswith("%")]
    if binary := _BINARY.match(line):
        return [Use(binary[1], name) for name in binary.group(2, 3) if name.startswith("%")]
    for typed in _TYPED.finditer(body):
        if typed[1] != "label":
            found.append(Use(typed[1], typed[2]))
    return found


def substituted(line: str, names: dict[str, str]) -> str:
    """Rename values and blocks in a line."""
    return re.sub(rf"(?<![-\w$.\"]){NAME}", lambda found: names.get(found[0], found[0]), line) if names else line
