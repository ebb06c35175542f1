"""Textual IR as editable lines with one instruction each, and the repair of edited modules.

The parser recognizes functions, blocks and names only. LLVM decides if the result is valid IR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pycoro._ir_syntax import GLOBAL, LOCAL, NAME, WORD

__all__ = [
    "Block",
    "ListedFunction",
    "Values",
    "defined_value_or_empty",
    "direct_callee_or_empty",
    "listed_functions",
    "normalized_lines_of",
    "phi_entries",
    "start_of_phi_or_empty",
    "substitute_and_repair",
    "successor_labels",
]

_WORD = re.compile(rf'c?"[^"]*"|{NAME}')
_LABEL = re.compile(rf"^({WORD}):")
_DEFINED = re.compile(rf"^  ({LOCAL}) = ")
_CALLEE = re.compile(rf"^  (?:{LOCAL} = )?(?:(?:tail|musttail|notail) )?(?:call|invoke) [^@]*?({GLOBAL})\(")
_PHI = re.compile(rf"^(  {LOCAL} = phi .*?) (\[ .*\])$")
_ENTRY = re.compile(rf"\[ ((?:(?!, {LOCAL} \]).)*), ({LOCAL}) \]")
_END = re.compile(rf"^  (?:{LOCAL} = )?(?:br|switch|ret|unreachable|invoke|resume|callbr|indirectbr|c\w+ret|catchswitch)\b")
_NUMBERED = re.compile(r"(%)(?=\d)|^(?=\d+:)", re.MULTILINE)
_ZERO = "zeroinitializer"
_PLAIN_ZERO = re.compile(r"\b(ptr|i\d+) zeroinitializer")
_ZEROS = {"ptr": "null", "i1": "false"}

Values = Mapping[tuple[str, str], str]
"""Replacements of values, by function name and value name."""


@dataclass
class Block:
    """A label, empty for an unlabeled entry, and its instructions, with their line numbers."""

    label: str
    lines: list[str] = field(default_factory=list[str])
    first: int = 0
    """Number of the line after the label."""

    @property
    def name(self) -> str:
        """Return the label with the ``%``."""
        return f"%{self.label}"

    @property
    def line_numbers(self) -> frozenset[int]:
        """Return the numbers of its lines, including that of its label, which must exist."""
        return frozenset(range(self.first - 1, self.first + len(self.lines)))

    @property
    def end(self) -> str:
        """Return the terminator."""
        return self.lines[-1] if self.lines else ""


@dataclass
class ListedFunction:
    """A function with a body."""

    head: str
    number: int
    """Line number of its header."""
    blocks: list[Block]

    @property
    def name(self) -> str:
        """Return the name with the ``@``."""
        found = re.search(GLOBAL, self.head)
        return found[0] if found else ""

    @property
    def line_numbers(self) -> frozenset[int]:
        """Return the numbers of its lines."""
        return frozenset(range(self.number, self.number + len(list(self.text))))

    @property
    def text(self) -> Iterator[str]:
        """Yield its lines."""
        yield self.head
        for block in self.blocks:
            if block.label:
                yield f"{block.label}:"
            yield from block.lines
        yield "}"


# ---- parsing ----


def _with_inlined_attribute_groups(ir: str) -> str:
    """Inline attribute groups."""
    groups = dict(re.findall(r"^attributes (#\d+) = \{ (.*) \}$", ir, re.MULTILINE))
    ir = re.sub(r"^attributes #.*\n?", "", ir, flags=re.MULTILINE)
    return re.sub(r" (#\d+)(?=[ \n])", lambda found: f" {groups.get(found[1], '')}".rstrip(), ir)


def _name_values(ir: str) -> str:
    """Name unnamed values, because LLVM requires their numbers to be consecutive."""

    def with_entry_label(head: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"%(\d+)", head[0])]
        return f"{head[0]}\n{max(numbers, default=-1) + 1}:"

    if not re.search(r"%\d|^\d+:", ir, re.MULTILINE):
        return ir
    ir = re.sub(rf"^define .*\{{$(?!\n{WORD}:)", with_entry_label, ir, flags=re.MULTILINE)
    return _NUMBERED.sub(r"\1n", ir)


def normalized_lines_of(ir: str) -> list[str]:
    """Return the lines of a module, one for each instruction, without comments and declarations of intrinsics."""
    ir = re.sub(r'^((?:[^";\n]|"[^"]*")*);.*$', r"\1", ir, flags=re.MULTILINE)
    ir = _with_inlined_attribute_groups(re.sub(r"[ \t]+$", "", ir, flags=re.MULTILINE))
    ir = re.sub(r"\n(?:[ \t]{4,}|  (?=\]))", " ", ir)  # continuation lines of an instruction are indented further
    leave = re.compile(r"\s*$|declare [^@]*@llvm\.|source_filename")
    lines = [line for line in ir.splitlines() if not leave.match(line)]
    return _name_values("\n".join(lines)).splitlines()


def listed_functions(lines: Sequence[str]) -> Iterator[ListedFunction | str]:
    """Yield the functions with bodies, and the other lines."""
    rest = iter(enumerate(lines))
    for number, line in rest:
        if not line.startswith("define ") or not line.endswith("{"):
            yield line
            continue
        made = ListedFunction(line, number, [Block("", first=number + 1)])
        for inner, text in rest:
            label = _LABEL.match(text)
            if text == "}":
                break
            if label and made.blocks == [Block("", first=number + 1)]:
                made.blocks = []
            if label:
                made.blocks.append(Block(label[1], first=inner + 1))
            else:
                made.blocks[-1].lines.append(text)
        yield made


def successor_labels(end: str) -> list[str]:
    """Return the successors of a terminator, with the ``%``."""
    return re.findall(f"label ({LOCAL})", end)


def direct_callee_or_empty(line: str) -> str:
    """Return the function of a direct call; empty otherwise."""
    found = _CALLEE.match(line)
    return found[1] if found else ""


def defined_value_or_empty(line: str) -> str:
    """Return the value that an instruction defines; empty without one."""
    found = _DEFINED.match(line)
    return found[1] if found else ""


def start_of_phi_or_empty(line: str) -> str:
    """Return the start of a PHI up to its entries; empty for other lines."""
    found = _PHI.match(line)
    return found[1] if found else ""


def phi_entries(line: str) -> list[tuple[str, str]]:
    """Return the values and blocks of a PHI, with the ``%``."""
    found = _PHI.match(line)
    return _ENTRY.findall(found[2]) if found else []


# ---- repair ----


def _substitute_names(lines: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """Substitute values for names transitively."""

    def substitute(found: re.Match[str]) -> str:
        word, seen = found[0], {found[0]}
        while word in values and values[word] not in seen:
            word = values[word]
            seen.add(word)
        return word

    return [_WORD.sub(substitute, line) for line in lines]


def _terminator_without_deleted_successors(end: str, there: set[str]) -> str:
    """Return the terminator without its deleted successors."""
    targets = successor_labels(end)
    left = [label for label in targets if label in there]
    if len(left) == len(targets):
        return end
    if " invoke " in f" {end}" and left:
        return f"{re.sub(' to label .*', '', end.replace('invoke ', 'call ', 1))}\n  br label {left[0]}"
    cases = re.match(r"  switch (.*?), label (\S+) \[ (.*) \]$", end)
    if cases and cases[2] in there:
        kept = [case for case in re.findall(rf"\S+ \S+, label {LOCAL}", cases[3]) if successor_labels(case)[0] in there]
        return f"  switch {cases[1]}, label {cases[2]} [ {' '.join(kept)} ]" if kept else f"  br label {cases[2]}"
    return f"  br label {left[0]}" if left else "  unreachable"


def _reachable_blocks(blocks: list[Block]) -> list[Block]:
    """Return the reachable blocks."""
    by_label = {block.name: block for block in blocks}
    seen, todo = {id(blocks[0])}, [blocks[0]]
    while todo:
        for label in successor_labels(todo.pop().end):
            block = by_label[label]
            if id(block) not in seen:
                seen.add(id(block))
                todo.append(block)
    return [block for block in blocks if id(block) in seen]


def _phi_with_entry_for_each_edge(line: str, predecessors: list[str]) -> str:
    """Return the PHI with one entry for each edge, zero for new ones."""
    known = {block: value for value, block in phi_entries(line)}
    if sorted(block for _, block in phi_entries(line)) == sorted(predecessors):
        return line
    entries = [f"[ {known.get(block, _ZERO)}, {block} ]" for block in predecessors]
    return f"{start_of_phi_or_empty(line)} {', '.join(entries)}"


def _repair_edges(function: ListedFunction) -> None:
    there = {block.name for block in function.blocks}
    for block in function.blocks:
        if not _END.match(block.end):
            block.lines.append("  unreachable")
        block.lines[-1:] = _terminator_without_deleted_successors(block.end, there).split("\n")
    function.blocks = _reachable_blocks(function.blocks)
    before: dict[str, list[str]] = {}
    for block in function.blocks:
        for label in successor_labels(block.end):
            before.setdefault(label, []).append(block.name)
    for block in function.blocks:
        edges = before.get(block.name, [])
        phis = [line for line in block.lines if start_of_phi_or_empty(line)] if edges else []
        rest = [line for line in block.lines if not start_of_phi_or_empty(line)]
        block.lines = [_phi_with_entry_for_each_edge(line, edges) for line in phis] + rest


def _with_deleted_names_zero_or_call_dropped(line: str, there: set[str], everywhere: set[str]) -> str:
    """Return the line without names of deleted items; empty if it calls one."""
    if (called := direct_callee_or_empty(line)) and called not in everywhere and not called.startswith("@llvm."):
        return ""
    line = re.sub(rf"token ({LOCAL})", lambda found: found[0] if found[1] in there else "token none", line)

    def name_or_zero(found: re.Match[str]) -> str:
        word = found[0]
        if word[0] == "@":
            return word if word in everywhere or word.startswith("@llvm.") else "null"
        return word if word[0] != "%" or word in there or word in everywhere else _ZERO

    head, equals, rest = line.partition(" = ") if _DEFINED.match(line) else ("", "", line)
    return head + equals + _PLAIN_ZERO.sub(lambda found: f"{found[1]} {_ZEROS.get(found[1], '0')}", _WORD.sub(name_or_zero, rest))


def _repair_function(function: ListedFunction, everywhere: set[str]) -> None:
    before: list[str] = []
    parameters = set(re.findall(LOCAL, function.head))
    while before != (now := list(function.text)):
        before = now
        _repair_edges(function)
        there = parameters | {block.name for block in function.blocks}
        there |= {name for block in function.blocks for line in block.lines if (name := defined_value_or_empty(line))}
        for block in function.blocks:
            label = next(iter(successor_labels(block.end)), "")
            known = [_with_deleted_names_zero_or_call_dropped(line, there, everywhere) for line in block.lines]
            block.lines = [text for text in known if text]
            if not known[-1]:  # the line was an invoke
                block.lines.append(f"  br label {label}")


def substitute_and_repair(lines: Sequence[str], values: Values) -> list[str]:
    """Substitute values and repair the module: delete unreachable blocks, adjust PHIs to their predecessors, and replace
    undefined values by zero.
    """
    items = list(listed_functions(lines))
    for item in items:
        if isinstance(item, ListedFunction):
            own = {value: instead for (name, value), instead in values.items() if name == item.name}
            for block in item.blocks:
                block.lines = _substitute_names(block.lines, own) if own else block.lines
    everywhere = {item.name for item in items if isinstance(item, ListedFunction)}
    for item in items:
        if isinstance(item, str):
            everywhere |= set(re.findall(rf"^(?:declare [^@]*)?({NAME})", item))
    for item in items:
        if isinstance(item, ListedFunction):
            _repair_function(item, everywhere)
    out: list[str] = []
    for item in items:
        out += (
            item.text if isinstance(item, ListedFunction) else [_with_deleted_names_zero_or_call_dropped(item, set(), everywhere)]
        )
    return out
