"""Propose candidate reductions of a program: deletions and simplifications. The search decides which ones to apply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pycoro._ir_syntax import GLOBAL, LOCAL, NAME
from pycoro.fuzz.irlines import (
    Block,
    ListedFunction,
    defined_value_or_empty,
    direct_callee_or_empty,
    listed_functions,
    phi_entries,
    start_of_phi_or_empty,
    substitute_and_repair,
    successor_labels,
)

__all__ = ["STAGES", "Edit", "Propose", "apply_edits_and_repair", "edits_deleting_unreferenced_symbols"]


@dataclass(frozen=True)
class Edit:
    """Deleted lines, replaced lines, and substituted values."""

    gone: frozenset[int] = frozenset()
    instead: dict[int, str] = field(default_factory=dict[int, str])
    values: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def is_compatible_with(self, others: Iterable[Edit]) -> bool:
        """Return True if it conflicts with no other edit, because it replaces no line that they replace or delete."""
        return all(
            not (self.instead.keys() & other.instead.keys() or self.values.keys() & other.values.keys())
            and not (self.gone & other.instead.keys() or other.gone & self.instead.keys())
            for other in others
        )


Propose = Callable[[Sequence[str]], Iterator[Edit]]


def apply_edits_and_repair(lines: Sequence[str], edits: Iterable[Edit]) -> list[str]:
    """Apply all edits and repair the module."""
    edits = list(edits)
    gone = frozenset[int]().union(*(edit.gone for edit in edits))
    instead = {number: text for edit in edits for number, text in edit.instead.items()}
    values = {name: value for edit in edits for name, value in edit.values.items()}
    left = [instead.get(number, line) for number, line in enumerate(lines) if number not in gone]
    return substitute_and_repair("\n".join(left).splitlines(), values)


def _function_bodies(lines: Sequence[str]) -> Iterator[ListedFunction]:
    return (item for item in listed_functions(lines) if isinstance(item, ListedFunction))


def _numbered_lines(block: Block) -> Iterator[tuple[int, str]]:
    return enumerate(block.lines, block.first)


# ---- functions and globals ----


def _propose_symbol_deletions(lines: Sequence[str]) -> Iterator[Edit]:
    """Delete functions and globals with their calls and unused operands."""
    for function in _function_bodies(lines):
        yield Edit(function.line_numbers)
    for number, line in enumerate(lines):
        if line[:1] not in (" ", "}") and not line.startswith("define ") and not line.endswith(":"):
            yield Edit(frozenset([number]))


def edits_deleting_unreferenced_symbols(lines: Sequence[str]) -> list[Edit]:
    """Delete functions and globals that are not referenced."""
    counts = Counter(re.findall(GLOBAL, "\n".join(lines)))
    heads = ((edit, re.search(GLOBAL, lines[min(edit.gone)])) for edit in _propose_symbol_deletions(lines))
    return [edit for edit, name in heads if name and counts[name[0]] == 1]


def _propose_declarations_for_bodies(lines: Sequence[str]) -> Iterator[Edit]:
    """Turn definitions into declarations."""
    for function in _function_bodies(lines):
        head = re.match(r"define (?:internal )?((?:\w+cc )?\S.*?@[^(]*\(.*?\))[^)]*\{$", function.head)
        if head:
            yield Edit(
                function.line_numbers - {function.number}, {function.number: "declare " + re.sub(rf" {LOCAL}(?=[,)])", "", head[1])}
            )


def _propose_block_deletions(lines: Sequence[str]) -> Iterator[Edit]:
    for function in _function_bodies(lines):
        for block in function.blocks[1:]:
            yield Edit(block.line_numbers)


def _propose_simpler_terminators(lines: Sequence[str]) -> Iterator[Edit]:
    """Replace conditional terminators by a branch to one successor, or remove one successor."""
    for function in _function_bodies(lines):
        for block in function.blocks:
            number, targets = block.first + len(block.lines) - 1, successor_labels(block.end)
            if " invoke " in block.end:
                call = re.sub(" to label .*", "", block.end.replace(" invoke ", " call ", 1))
                yield Edit(instead={number: f"{call}\n  br label {targets[0]}"})
                continue
            if len(targets) > 1:
                yield from (Edit(instead={number: f"  br label {label}"}) for label in dict.fromkeys(targets))
            if len(targets) > 2:
                cases = re.findall(rf"\S+ \S+, label {LOCAL}", block.end.partition("[")[2])
                yield from (Edit(instead={number: block.end.replace(f"{case} ", "", 1)}) for case in cases)


def _propose_ordinary_functions(lines: Sequence[str]) -> Iterator[Edit]:
    """Turn coroutines into ordinary functions."""
    for function in _function_bodies(lines):
        own = [(number, line) for block in function.blocks for number, line in _numbered_lines(block)]
        gone = [
            n
            for n, line in own
            if re.match(r"@llvm\.coro\.(?!resume|destroy|done|promise|noop|subfn)", direct_callee_or_empty(line))
        ]
        if gone:
            kind = re.match(rf"define (?:internal )?(?:\w+cc )?(.*) {GLOBAL}\(", function.head)
            end = "  ret void" if not kind or kind[1] == "void" else f"  ret {kind[1]} zeroinitializer"
            instead = {number: end for number, line in own if line == "  unreachable"}
            yield Edit(frozenset(gone), {function.number: function.head.replace(" presplitcoroutine", "")} | instead)


def _propose_inlining(lines: Sequence[str]) -> Iterator[Edit]:
    """Inline functions of a single block, and delete those with a single call."""
    text = "\n".join(lines)
    single = {function.name: function for function in _function_bodies(lines) if len(function.blocks) == 1}
    for function in _function_bodies(lines):
        for block in function.blocks:
            for number, line in _numbered_lines(block):
                called = single.get(direct_callee_or_empty(line))
                if called and called is not function and " invoke " not in line:
                    body, value = _inlined_body_and_result(called, _split_around_argument_list(line, called.name)[1], number)
                    values = {(function.name, defined_value_or_empty(line)): value} if defined_value_or_empty(line) else {}
                    once = len(re.findall(rf"{re.escape(called.name)}(?![-\w$.])", text)) == 2
                    gone = called.line_numbers if once else frozenset[int]()
                    yield Edit(gone if body else gone | {number}, {number: body} if body else {}, values)


def _inlined_body_and_result(called: ListedFunction, given: list[str], number: int) -> tuple[str, str]:
    """Return the instructions of a function with the arguments substituted, and its return value."""
    parameters = [item.split()[-1] for item in _split_around_argument_list(called.head, called.name)[1]]
    names = dict(zip(parameters, (item.split()[-1] for item in given), strict=False))
    names |= {
        defined_value_or_empty(line): f"{defined_value_or_empty(line)}.{number}"
        for line in called.blocks[0].lines
        if defined_value_or_empty(line)
    }
    text = re.sub(LOCAL, lambda found: names.get(found[0], found[0]), "\n".join(called.blocks[0].lines))
    body, _, end = text.rpartition("\n")
    return body, re.sub(rf"^  ret .*?({NAME}|\S+)$", r"\1", end)


def _propose_parameter_deletions(lines: Sequence[str]) -> Iterator[Edit]:
    """Delete parameters and their arguments; declarations keep theirs, because the program does not define them."""
    for function in _function_bodies(lines):
        uses = [(n, text) for n, text in enumerate(lines) if n == function.number or direct_callee_or_empty(text) == function.name]
        for place in range(len(_split_around_argument_list(function.head, function.name)[1])):
            yield Edit(instead={n: _without_argument(text, function.name, place) for n, text in uses})


def _split_around_argument_list(line: str, name: str) -> tuple[str, list[str], str]:
    """Split a line into the text before the parenthesized list after the name, the list, and the rest."""
    before, called, after = line.partition(f"{name}(")
    depth, start, items = 0, 0, list[str]()
    for at, char in enumerate(after):
        if char in "([{<":
            depth += 1
        elif char == ")" and not depth:
            return before + called, [*items, *([after[start:at]] if after[start:at].strip() else [])], after[at:]
        elif char in ")]}>":
            depth -= 1
        elif char == "," and not depth:
            items.append(after[start:at])
            start = at + 1
    return line, [], ""


def _without_argument(line: str, name: str, place: int) -> str:
    before, items, after = _split_around_argument_list(line, name)
    return before + ",".join(items[:place] + items[place + 1 :]).lstrip() + after


# ---- instructions ----


def _propose_deletions(size: int) -> Propose:
    """Return a proposer of deletions of that many consecutive instructions."""

    def propose_edits(lines: Sequence[str]) -> Iterator[Edit]:
        for function in _function_bodies(lines):
            inner = [n for block in function.blocks for n, _ in list(_numbered_lines(block))[:-1]]
            yield from (Edit(frozenset(inner[start : start + size])) for start in range(0, len(inner), size))

    return propose_edits


def _propose_operands_or_numbers_as_results(lines: Sequence[str]) -> Iterator[Edit]:
    """Replace instructions by one of their operands, by 1, or by a large buffer."""
    for function in _function_bodies(lines):
        for block in function.blocks:
            for number, line in _numbered_lines(block):
                name = defined_value_or_empty(line)
                own = re.findall(NAME, line.partition(" = ")[2])
                constants = [value for value, _ in phi_entries(line) if value[0] != "%"]
                for value in dict.fromkeys([*own, *constants, "1", "512"]) if name and " invoke " not in line else ():
                    if value[0] != "@" and value != name and f"label {value}" not in line:
                        yield Edit(frozenset([number]), values={(function.name, name): value})


def _propose_stored_values_for_loads(lines: Sequence[str]) -> Iterator[Edit]:
    """Replace loads by a value that the function stores to the same address."""
    for function in _function_bodies(lines):
        stored: dict[str, list[str]] = {}
        for block in function.blocks:
            for line in block.lines:
                found = re.match(rf"  store .*?({NAME}|\S+), ptr ({NAME})(?=,|$)", line)
                if found:
                    stored.setdefault(found[2], []).append(found[1])
        for block in function.blocks:
            for number, line in _numbered_lines(block):
                found = re.match(rf"  ({LOCAL}) = load .*?, ptr ({NAME})(?=,|$)", line)
                for value in dict.fromkeys(stored.get(found[2], [])) if found else ():
                    assert found
                    yield Edit(frozenset([number]), values={(function.name, found[1]): value})


def _propose_accessed_globals_for_allocas(lines: Sequence[str]) -> Iterator[Edit]:
    """Replace allocas by a global that the function also accesses."""
    for function in _function_bodies(lines):
        code = [(number, line) for block in function.blocks for number, line in _numbered_lines(block)]
        shared = [re.match(rf"  (?:{LOCAL} = load|store) .*, ptr ({GLOBAL})(?=,|$)", line) for _, line in code]
        names = dict.fromkeys(found[1] for found in shared if found)
        own = [(number, defined_value_or_empty(line)) for number, line in code if " = alloca " in line]
        yield from (Edit(frozenset([number]), values={(function.name, name): other}) for number, name in own for other in names)


# ---- blocks and redundant lines ----


def _propose_block_merges(lines: Sequence[str]) -> Iterator[Edit]:
    """Merge blocks into their single predecessor."""
    for function in _function_bodies(lines):
        edges = [(block, label) for block in function.blocks for label in successor_labels(block.end)]
        for block in function.blocks[1:]:
            before = [first for first, label in edges if label == block.name]
            if len(before) != 1 or not before[0].end.startswith("  br label") or before[0] is block:
                continue
            first = before[0]
            place = first.first + len(first.lines) - 1
            phis = [(number, line) for number, line in _numbered_lines(block) if start_of_phi_or_empty(line)]
            values = {(function.name, defined_value_or_empty(line)): phi_entries(line)[0][0] for _, line in phis}
            values[function.name, block.name] = first.name
            rest = "\n".join(line for line in block.lines if not start_of_phi_or_empty(line))
            yield Edit(block.line_numbers, {place: rest}, values)


def _propose_removal_of_forwarding_blocks(lines: Sequence[str]) -> Iterator[Edit]:
    """Remove blocks that contain only a branch."""
    for function in _function_bodies(lines):
        by_label = {block.name: block for block in function.blocks}
        for block in function.blocks[1:]:
            if len(block.lines) != 1 or not block.end.startswith("  br label"):
                continue
            own, following = block.name, by_label[successor_labels(block.end)[0]]
            before = [other.name for other in function.blocks if own in successor_labels(other.end)]
            instead: dict[int, str] = {}
            for number, line in _numbered_lines(following) if following is not block else ():
                if start_of_phi_or_empty(line):
                    entries = [(value, label) for value, by in phi_entries(line) for label in (before if by == own else [by])]
                    instead[number] = (
                        f"{start_of_phi_or_empty(line)} {', '.join(f'[ {value}, {label} ]' for value, label in entries)}"
                    )
            yield Edit(block.line_numbers, instead, {(function.name, own): following.name})


def _propose_blocks_instead_of_exit_blocks(lines: Sequence[str]) -> Iterator[Edit]:
    """Remove blocks that only end the function; their predecessors branch to any other block without PHI or pad."""
    for function in _function_bodies(lines):
        others = [block for block in function.blocks[1:] if not re.search(r" = (phi|landingpad|catchpad) ", block.lines[0])]
        for block in function.blocks[1:]:
            if len(block.lines) == 1 and not successor_labels(block.end):
                own, gone = (function.name, block.name), block.line_numbers
                yield from (Edit(gone, values={own: other.name}) for other in others if other is not block)


def _propose_removal_of_entry_labels(lines: Sequence[str]) -> Iterator[Edit]:
    """Remove unreferenced labels of entry blocks."""
    for function in _function_bodies(lines):
        label = function.blocks[0].label
        if label and f"%{label} ]" not in "\n".join(function.text):
            yield Edit(frozenset([function.number + 1]))


_FRILLS = (
    r" personality ptr @\S+",
    r" (?:uwtable|noinline|nounwind|dso_local|local_unnamed_addr|unnamed_addr|fastcc|optnone|willreturn|mustprogress)\b",
    r"(?<=define )internal ",
    r" (?:nuw|nsw|exact|inbounds|nneg|disjoint|tail|samesign)\b",
    r", align \d+$",
    r"(?:, !\w+ !\d+)+$",
    r"^(?:!.*|target .*|attributes .*|source_filename.*)$",
    r" coro_elide_safe\b",
)


def _propose_removal_of_attributes(lines: Sequence[str]) -> Iterator[Edit]:
    """Remove optional attributes and flags everywhere at once."""
    for frill in _FRILLS:
        found = {number: re.sub(frill, "", line) for number, line in enumerate(lines) if re.search(frill, line)}
        yield Edit(frozenset(n for n, text in found.items() if not text), {n: text for n, text in found.items() if text})


STAGES: tuple[Propose, ...] = (
    _propose_symbol_deletions,
    _propose_block_deletions,
    _propose_simpler_terminators,
    _propose_deletions(8),
    _propose_deletions(3),
    _propose_deletions(1),
    _propose_operands_or_numbers_as_results,
    _propose_stored_values_for_loads,
    _propose_accessed_globals_for_allocas,
    _propose_block_merges,
    _propose_removal_of_forwarding_blocks,
    _propose_blocks_instead_of_exit_blocks,
    _propose_ordinary_functions,
    _propose_inlining,
    _propose_removal_of_entry_labels,
    _propose_declarations_for_bodies,
    _propose_parameter_deletions,
    _propose_removal_of_attributes,
)
"""Proposers in the order of use."""
