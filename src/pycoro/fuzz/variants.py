"""Variants of a drawn program, by random edits of its coroutines: further uses of values, computations, accesses and suspends.

A variant is valid IR, but is never run: it may loop forever, or report values that no other lowering reports. This makes it as
useful to the checker of lowerings as a drawn program, and much cheaper to create.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pycoro._ir_syntax import GLOBAL, LOCAL
from pycoro.fuzz.irlines import (
    Block,
    ListedFunction,
    defined_value_or_empty,
    direct_callee_or_empty,
    listed_functions,
    normalized_lines_of,
    successor_labels,
)

__all__ = ["Variants"]

T = TypeVar("T")

_KIND = r"(?:i\d+|half|float|double|<\d+ x (?:i\d+|half|float|double)>)"
_RESULT = re.compile(
    rf"  {LOCAL} = (?:(?:tail )?call|invoke|load|phi|freeze|fneg|f?(?:add|sub|mul|div)|[us](?:div|rem)|and|x?or|shl|[al]shr)"
    rf"(?: (?:nuw|nsw|exact|disjoint|fast))* ({_KIND})[ ,]"
)
_CAST = re.compile(rf"  {LOCAL} = \w+ .* to ({_KIND})$")
_COMPARED = re.compile(rf"  {LOCAL} = [if]cmp \w+ (?:i\d+|ptr|float|double) ")
_SELECTED = re.compile(rf"  {LOCAL} = select i1 \S+, ({_KIND}) ")
_PARAMETER = re.compile(rf"(?<=[(,])\s*({_KIND}) ({LOCAL})")
_OPERAND = re.compile(rf"({_KIND}) ({LOCAL})(?=[,)])")
_EDITABLE = re.compile(rf"  (?:call void @report_|store {_KIND} |{LOCAL} = (?:add|sub|mul|and|xor|or|[if]cmp|select|freeze) )")
_REPORT = re.compile(rf"^(?:define|declare) void (@report_\w+)\(({_KIND})[ )]", re.MULTILINE)
_ALLOCA = re.compile(rf"  ({LOCAL}) = alloca ({_KIND})(?:, align \d+)?$")
_SUSPEND = re.compile(rf"  ({LOCAL}) = call (?:i8 @llvm\.coro\.suspend\(.*|i1 \(\.\.\.\) @llvm\.coro\.suspend\.retcon.*)")
_REPEATABLE = re.compile(rf"  {LOCAL} = call i(?:8 @llvm\.coro\.suspend\(token none, i1 false\)|1 )")
_DRIVER = re.compile(r"@drive")
_PHI = re.compile(rf"  {LOCAL} = phi ")
_INTEGERS = re.compile(r"(?:<\d+ x )?i\d+")
_AT_START = re.compile(rf"  {LOCAL} = (?:phi|landingpad|\w+pad)\b")
_LEAVES = ("@llvm.coro.await.suspend.handle(", "= call i8 @llvm.coro.suspend(")
"""Calls after which no code is inserted into the block, because control is about to leave the function."""
_EDITS = 4


@dataclass(frozen=True)
class _Value:
    """A value and the place from which on it is available."""

    name: str
    kind: str
    block: int
    line: int


@dataclass
class _Suspend:
    """A suspend that can be repeated elsewhere: its lines, and its successors other than the one that continues."""

    block: int
    call: str
    end: str
    resumed: str
    others: list[int]


@dataclass
class _Coroutine:
    """A coroutine with the facts that edits need. Line numbers are those of the program."""

    blocks: list[Block]
    number: dict[str, int] = field(default_factory=dict[str, int])
    after: list[list[int]] = field(default_factory=list[list[int]])
    """Successors by block."""
    idom: list[int] = field(default_factory=list[int])
    """Immediate dominator by block; -1 for unreachable ones."""
    values: list[_Value] = field(default_factory=list[_Value])
    allocas: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Blocks and lines before which code can be inserted, while the frame exists."""
    editable: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    suspends: list[_Suspend] = field(default_factory=list[_Suspend])
    destroyed: set[int] = field(default_factory=set[int])
    """Blocks that a destroyed or finished coroutine may execute; it must not suspend there."""

    def dominates(self, block: int, other: int) -> bool:
        """Return True if every path to the reachable block ``other`` passes ``block``."""
        while other > 0 and other != block:
            other = self.idom[other]
        return other == block

    def is_available(self, value: _Value, block: int, line: int) -> bool:
        """Return True if the value is computed on every path to the line."""
        return value.line < line if value.block == block else self.dominates(value.block, block)


def _reachable_from(after: Sequence[Sequence[int]], starts: Sequence[int]) -> set[int]:
    seen, todo = set(starts), list(starts)
    while todo:
        for other in after[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def _immediate_dominators(after: Sequence[Sequence[int]]) -> list[int]:
    """Return the immediate dominators, by the algorithm of Cooper, Harvey and Kennedy."""
    order: list[int] = []
    seen = {0}
    todo: list[tuple[int, Iterator[int]]] = [(0, iter(after[0]))]
    while todo:
        block, rest = todo[-1]
        other = next((other for other in rest if other not in seen), None)
        if other is None:
            order.append(todo.pop()[0])
        else:
            seen.add(other)
            todo.append((other, iter(after[other])))
    rank = {block: number for number, block in enumerate(order)}
    before: dict[int, list[int]] = {block: [] for block in order}
    for block in order:
        for other in after[block]:
            before[other].append(block)
    idom = {0: 0}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            found = -1
            for other in before[block]:
                if other not in idom:
                    continue
                one = other
                while found not in (-1, one):
                    if rank[one] < rank[found]:
                        one = idom[one]
                    else:
                        found = idom[found]
                found = one
            changed |= idom.get(block) != found
            idom[block] = found
    return [idom.get(block, -1) for block in range(len(after))]


def _usable_result_type_or_empty(line: str) -> str:
    """Return the type of an instruction's result if edits may use it; empty otherwise."""
    called = direct_callee_or_empty(line)
    if called.startswith("@llvm.coro.") and "suspend(" not in line:
        return ""
    found = _RESULT.match(line) or _SELECTED.match(line) or _CAST.match(line)
    return found[1] if found else "i1" if _COMPARED.match(line) else ""


def _derived_from_ptrtoint(blocks: Sequence[Block]) -> set[str]:
    """Return the values that are computed from addresses. They must not be used after the lifetime of the memory."""
    found: set[str] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for block in blocks:
            for line in block.lines:
                if " = ptrtoint " in line or (found and not found.isdisjoint(re.findall(LOCAL, line)[1:])):
                    found.add(defined_value_or_empty(line))
    return found


def _point_where_result_is_available(made: _Coroutine, block: int, line: int, text: str) -> tuple[int, int] | None:
    """Return the block and line after which the result of an instruction is available."""
    if " invoke " not in text:
        return block, line
    normal = made.number[successor_labels(text)[0]]
    return (normal, -1) if sum(normal in after for after in made.after) == 1 else None


def _add_insertion_places_and_editable_lines(made: _Coroutine, begun: int) -> None:
    ended = [n for n, block in enumerate(made.blocks) if any("@llvm.coro.free(" in t or "@llvm.coro.end" in t for t in block.lines)]
    gone = _reachable_from(made.after, ended)
    for number, block in enumerate(made.blocks):
        if number in gone or not made.dominates(begun, number):
            continue
        started = number != begun
        for line, text in enumerate(block.lines, block.first):
            if started and not _AT_START.match(text):
                made.places.append((number, line))
                if _EDITABLE.match(text):
                    made.editable.append((number, line))
            started |= "@llvm.coro.begin" in text
            if any(call in text for call in _LEAVES):
                break


def _resume_successor_or_empty(end: str) -> str:
    """Return the successor at which the coroutine continues if it is resumed; empty if that is unknown."""
    found = re.search(rf"i8 0, label ({LOCAL})", end) or re.search(rf"br i1 .*, label ({LOCAL})$", end)
    return found[1] if found and successor_labels(end).count(found[1]) == 1 else ""


def _add_repeatable_suspends_and_destroyed(made: _Coroutine, text: str) -> None:
    left: list[int] = []
    for number, block in enumerate(made.blocks):
        found = _SUSPEND.search("\n".join(block.lines))
        if not found:
            continue
        resumed = _resume_successor_or_empty(block.end) if found[1] in block.end else ""
        others = [made.number[label] for label in successor_labels(block.end) if label != resumed or "i1 true" in found[0]]
        left += others
        if resumed and block.lines[-2].startswith(found[0]) and _REPEATABLE.match(found[0]):
            made.suspends.append(_Suspend(number, block.lines[-2], block.end, resumed, others))
    made.destroyed = _reachable_from(made.after, left)
    if "@llvm.coro.id.retcon.once" in text or "@llvm.coro.save" in text:
        made.suspends = []


def _facts_of_editable_coroutine_or_none(listed: ListedFunction) -> _Coroutine | None:
    """Return the facts of a coroutine; None if it has no code to edit."""
    made = _Coroutine(listed.blocks)
    text = "\n".join(listed.text)
    made.number = {block.name: number for number, block in enumerate(made.blocks)}
    made.after = [[made.number[label] for label in successor_labels(block.end)] for block in made.blocks]
    made.idom = _immediate_dominators(made.after)
    begun = next((n for n, block in enumerate(made.blocks) if any("@llvm.coro.begin" in t for t in block.lines)), None)
    if begun is None:
        return None
    excluded = _derived_from_ptrtoint(made.blocks)
    made.values = [_Value(name, kind, 0, -1) for kind, name in _PARAMETER.findall(listed.head)]
    for number, block in enumerate(made.blocks):
        for line, instruction in enumerate(block.lines, block.first):
            kind = "" if defined_value_or_empty(instruction) in excluded else _usable_result_type_or_empty(instruction)
            where = _point_where_result_is_available(made, number, line, instruction) if kind and made.idom[number] >= 0 else None
            if where:
                made.values.append(_Value(defined_value_or_empty(instruction), kind, *where))
            found = _ALLOCA.match(instruction) if not number else None
            if found and not re.search(rf"lifetime[^\n]* {re.escape(found[1])}\)|swifterror {re.escape(found[1])}\b", text):
                made.allocas.append((found[1], found[2]))
    _add_insertion_places_and_editable_lines(made, begun)
    _add_repeatable_suspends_and_destroyed(made, text)
    return made if made.places else None


def _lines_without_drivers_and_their_callees(lines: Sequence[str]) -> list[str]:
    """Return the lines without drivers, and what only they use."""
    names: dict[str, list[str]] = {}
    rest: list[str] = []
    for item in listed_functions(lines):
        text = list(item.text) if isinstance(item, ListedFunction) else [item]
        found = re.match(rf"(?:(?:define|declare) [^@]*)?({GLOBAL})", text[0])
        if found:
            names[found[1]] = text
        else:
            rest += text
    todo = [name for name, text in names.items() if "presplitcoroutine" in text[0] or name.startswith("@report_")]
    if any("@drive" not in name and "coro_elide_safe" in "".join(text) for name, text in names.items()):
        todo += [name for name, text in names.items() if text[0].startswith("define") and not _DRIVER.match(name)]
    kept: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in kept and name in names:
            kept.add(name)
            todo += re.findall(GLOBAL, "\n".join(names[name]))
    return rest + [line for name, text in names.items() if name in kept for line in text]


class Variants:
    """A program, and the variants of it that random numbers select.

    >>> import random
    >>> from pycoro import fuzz
    >>> variants = fuzz.Variants(fuzz.draw(17, "small").cases[0].ir)
    >>> pycoro.lower(variants.make(random.Random(1)), check=True).proof
    {'f': 'proved'}
    """

    def __init__(self, ir: str) -> None:
        self._lines = _lines_without_drivers_and_their_callees(normalized_lines_of(ir))
        listed = [item for item in listed_functions(self._lines) if isinstance(item, ListedFunction)]
        found = [_facts_of_editable_coroutine_or_none(item) for item in listed if "presplitcoroutine" in item.head]
        self._coroutines = [made for made in found if made]
        self._reports = {kind: name for name, kind in _REPORT.findall("\n".join(self._lines))}
        self.coroutines = sum("presplitcoroutine" in item.head for item in listed)
        """Number of its coroutines."""

    def make(self, numbers: random.Random) -> str:
        """Return the text of a variant. Each coroutine with code to edit is edited."""
        edit = _Edit(self._lines, self._reports, numbers)
        for made in self._coroutines:
            for _ in range(1 + int(numbers.random() * _EDITS)):
                edit.try_random_edit(made)
        return edit.text()


class _Edit:
    """The edits of one variant."""

    def __init__(self, lines: Sequence[str], reports: dict[str, str], numbers: random.Random) -> None:
        self._lines = list(lines)
        self._reports = reports
        self._numbers = numbers
        self._inserted: dict[int, list[str]] = {}
        self._split: set[int] = set()
        self._count = 0

    def text(self) -> str:
        """Return the edited module."""
        for line, inserted in self._inserted.items():
            self._lines[line] = "\n".join([*inserted, self._lines[line]])
        return "\n".join(self._lines) + "\n"

    def try_random_edit(self, made: _Coroutine) -> None:
        """Apply one edit, if there is a place for it."""
        kinds = (
            self._insert_report_call,
            self._insert_report_call,
            self._insert_computation_and_report,
            self._replace_operand,
            self._insert_alloca_access,
            self._insert_suspend,
            self._delete_report_or_store,
        )
        kinds[int(self._numbers.random() * len(kinds))](made)

    def _pick_item(self, items: Sequence[T]) -> T:
        return items[int(self._numbers.random() * len(items))]

    def _insert_lines_before(self, line: int, *text: str) -> None:
        self._inserted.setdefault(line, []).extend(text)

    def _new_name(self) -> str:
        self._count += 1
        return f"%new{self._count}"

    def _find_value_available_at(self, made: _Coroutine, block: int, line: int, kind: str = "") -> _Value | None:
        """Return a value that is available at the line; None if none was found."""
        for _ in range(8 if made.values else 0):
            value = self._pick_item(made.values)
            if (value.kind == kind if kind else value.kind in self._reports) and made.is_available(value, block, line):
                return value
        return None

    def _insert_report_call(self, made: _Coroutine) -> None:
        """Insert a call that reports a value."""
        block, line = self._pick_item(made.places)
        if value := self._find_value_available_at(made, block, line):
            self._insert_lines_before(line, f"  call void {self._reports[value.kind]}({value.kind} {value.name})")

    def _insert_computation_and_report(self, made: _Coroutine) -> None:
        """Compute a value, and report it in a block that is reached later."""
        block, line = self._pick_item(made.places)
        value = self._find_value_available_at(made, block, line)
        other = self._find_value_available_at(made, block, line, value.kind) if value else None
        if not value or not other or not _INTEGERS.match(value.kind):
            return
        name = self._new_name()
        operation = self._pick_item(("add", "xor", "or", "and", "sub", "mul"))
        self._insert_lines_before(line, f"  {name} = {operation} {value.kind} {value.name}, {other.name}")
        computed = _Value(name, value.kind, block, line)
        for _ in range(4):
            there, at = self._pick_item(made.places)
            if made.is_available(computed, there, at):
                self._insert_lines_before(at, f"  call void {self._reports[value.kind]}({value.kind} {name})")
                return

    def _replace_operand(self, made: _Coroutine) -> None:
        """Replace an operand."""
        if not made.editable:
            return
        block, line = self._pick_item(made.editable)
        found = _OPERAND.search(self._lines[line])
        value = self._find_value_available_at(made, block, line, found[1]) if found else None
        if found and value:
            text = self._lines[line]
            self._lines[line] = f"{text[: found.start(2)]}{value.name}{text[found.end(2) :]}"

    def _insert_alloca_access(self, made: _Coroutine) -> None:
        """Read or write an alloca."""
        if not made.allocas:
            return
        address, kind = self._pick_item(made.allocas)
        block, line = self._pick_item(made.places)
        if self._numbers.random() < 0.5 and kind in self._reports:
            name = self._new_name()
            self._insert_lines_before(
                line, f"  {name} = load {kind}, ptr {address}", f"  call void {self._reports[kind]}({kind} {name})"
            )
        elif value := self._find_value_available_at(made, block, line, kind):
            self._insert_lines_before(line, f"  store {kind} {value.name}, ptr {address}")

    def _delete_report_or_store(self, made: _Coroutine) -> None:
        """Delete a report or a store."""
        if made.editable:
            _, line = self._pick_item(made.editable)
            if not defined_value_or_empty(self._lines[line]):
                self._lines[line] = ""

    def _insert_suspend(self, made: _Coroutine) -> None:
        """Suspend once more, as at another suspend: the block is split, and its second part is where control resumes."""
        if not made.suspends:
            return
        model = self._pick_item(made.suspends)
        block, line = self._pick_item(made.places)
        known = {value.name: value for value in made.values}
        operands = [known.get(name) for name in re.findall(LOCAL, model.call)[1:]]
        fits = (
            made.blocks[block].first not in self._split
            and all(block != made.idom[other] and made.dominates(made.idom[other], block) for other in model.others)
            and block not in made.destroyed
            and all(value and made.is_available(value, block, line) for value in operands)
        )
        if not fits or any(_PHI.match(text) for other in model.others for text in made.blocks[other].lines):
            return
        self._split.add(made.blocks[block].first)
        name, label = self._new_name(), f"resumed.{self._new_name()[1:]}"
        was = defined_value_or_empty(model.call)
        rename = re.compile(rf"{re.escape(was)}(?![-\w$.])")
        end = re.sub(rf"label {re.escape(model.resumed)}(?![-\w$.])", f"label %{label}", rename.sub(name, model.end))
        self._insert_lines_before(line, rename.sub(name, model.call), end, f"{label}:")
        here = re.compile(rf", {re.escape(made.blocks[block].name)} \]")
        for other in set(made.after[block]):
            for at in range(made.blocks[other].first, made.blocks[other].first + len(made.blocks[other].lines)):
                if _PHI.match(self._lines[at]):
                    self._lines[at] = here.sub(f", %{label} ]", self._lines[at])
