"""Replace ellipses among operands by values that their positions determine; reject others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from documents.body import TYPE, Function, defined
from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.errors import UsageError
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.statements import NAME
from pycoro.upgrade.tokens import index_after_closing_bracket

__all__ = ["Taken", "replace_ellipses", "taken_by"]

Taken = Mapping[str, Sequence[str]]
"""Parameters of functions by name: types, followed by default values for ellipses."""

_LEFT = r"(?<!\.)\.\.+(?![\w.])"
_INTRINSICS: Taken = {
    "llvm.coro.id": ("i32 0", "ptr null", "ptr null", "ptr null"),
    "llvm.coro.begin": ("token", "ptr"),
    "llvm.coro.alloc": ("token",),
    "llvm.coro.free": ("token", "ptr"),
    "llvm.coro.save": ("ptr null",),
    "llvm.coro.suspend": ("token none", "i1 false"),
    "llvm.coro.end": ("ptr", "i1 false", "token none"),
    "llvm.coro.resume": ("ptr",),
    "llvm.coro.destroy": ("ptr",),
    "llvm.coro.done": ("ptr",),
}
_CALLEE = re.compile(r'[@%]([-\w$.]+|"[^"]*")\(')
_SIGNATURE = re.compile(r"\([^()]*\.\.\.\s*\)(?=\s*[@%])")
"""Variadic function type in a call."""
_BINARY = re.compile(
    rf"(?:{NAME} = )?(?:add|sub|mul|[su]div|[su]rem|and|or|xor|shl|[al]shr|f(?:add|sub|mul|div|rem)|[if]cmp \w+)"
    rf"(?: (?:nsw|nuw|exact|disjoint|fast))* {TYPE} "
)
_OPCODE = re.compile(rf"({NAME}) = (\w+)")


def taken_by(functions: Iterable[Function], globals: Iterable[str]) -> Taken:
    """Return the parameters of defined and declared functions and of intrinsics."""
    found = dict(_INTRINSICS)
    for head in [*(function.head for function in functions), *(line for line in globals if line.startswith("declare"))]:
        callee = _CALLEE.search(head)
        end = index_after_closing_bracket(head, callee.end() - 1) if callee else -1
        if callee and end > 0 and callee[1] not in found:
            given = split_at_top_level_commas(head[callee.end() : end - 1])
            found[callee[1]] = [kind[0] if (kind := re.match(TYPE, one)) else one for one in given]
    return found


class _EllipsisExpander:
    def __init__(self, function: Function, taken: Taken, report: Reporter) -> None:
        self.function = function
        self.taken = taken
        self.report = report
        self.count = 0

    def value(self, kind: str) -> str:
        """Return a new value of a type: a parameter of a fragment, otherwise the result of a call."""
        self.count += 1
        name = f"%operand.{self.count}"
        self.report("operand", self.function.name, f"an ellipsis for an operand becomes {kind} {name}")
        return name

    def arguments(self, line: str) -> str:
        """Replace ellipses among the arguments of a call by the callee's parameters."""
        callee = _CALLEE.search(_SIGNATURE.sub(lambda found: "." * len(found[0]), line))
        is_call = callee is not None and re.search(r"\b(?:call|invoke|callbr)\b", line) is not None
        end = index_after_closing_bracket(line, callee.end() - 1) if callee and is_call else -1
        if callee is None or end < 0:
            return line
        given = split_at_top_level_commas(line[callee.end() : end - 1])
        if not any(re.search(rf"{_LEFT}$", one) for one in given):
            return line
        takes = self.taken.get(callee[1])
        left = [number for number, one in enumerate(given) if re.fullmatch(_LEFT, one)]
        known = takes is not None and "..." not in takes
        if len(left) > 1 and known and takes is not None and len(given) != len(takes):
            raise UsageError(_unclear_message(self.function, line, "it has several; keep one, or write the arguments"))
        if left and len(left) == 1:
            at = left[0]
            missing = ["..."] * (len(takes) - len(given) + 1 if takes is not None and known else 0)
            if not missing:
                self.report("operand", self.function.name, f"the ellipsis in the call of @{callee[1]} is no argument")
            given[at : at + 1] = missing
        elif left and not known:
            given = [one for number, one in enumerate(given) if number not in left]
            self.report("operand", self.function.name, f"the ellipses in the call of @{callee[1]} are no arguments")
        made: list[str] = []
        for number, one in enumerate(given):
            found = re.fullmatch(rf"(?:(\S.*?) )?{_LEFT}", one)
            if found is None:
                made.append(one)
                continue
            meant = takes[number] if takes is not None and number < len(takes) else ""
            kind, _, operand = meant.partition(" ") if not meant.startswith(("{", "[", "<")) else (meant, "", "")
            if operand and found[1] in (None, kind):
                made.append(meant)
                self.report("operand", self.function.name, f"the ellipsis in the call of @{callee[1]} becomes {meant}")
            else:
                kind = found[1] or kind
                made.append(f"{kind} {self.value(kind)}")
        return f"{line[: callee.end()]}{', '.join(made)}{line[end - 1 :]}"

    def operands(self, line: str) -> str:
        """Replace ellipses for typed values and labels, and those with a unique meaning."""
        binary = _BINARY.match(line)
        if binary is not None:
            kind = re.search(rf"({TYPE}) $", binary[0])
            given = re.sub(_LEFT, lambda _: self.value(kind[1] if kind else "i32"), line[binary.end() :])
            return binary[0] + given
        if line.startswith("switch "):
            line = re.sub(rf"\s*{_LEFT}(?=[^\[\]]*\]$)", "", line)
        if re.search(rf" = phi {TYPE} {_LEFT}$", line):
            return line  # only its type is known
        line = re.sub(rf"\bcall {_LEFT} (?=@)", "call ? ", line)
        line = re.sub(rf"(?<![-\w$.\"%@!])((?!%){TYPE}|label) {_LEFT}(?!\()", self._typed_operand, line)
        line = re.sub(
            rf"^((?:{NAME} = load|store) (?!.*, ptr ).*), {_LEFT}", lambda found: f"{found[1]}, ptr {self.value('ptr')}", line
        )
        line = re.sub(rf"^(br i1 \S+, label {NAME}), {_LEFT}$", lambda found: f"{found[1]}, {self.label()}", line)
        selected = re.match(rf"{NAME} = select i1 \S+, ({TYPE}) \S+, (?={_LEFT}$)", line)
        if selected is not None:
            line = f"{selected[0]}{selected[1]} {self.value(selected[1])}"
        if " = phi " in line:
            line = re.sub(rf"\[\s*{_LEFT}\s*,", lambda _: f"[ {self.value(line.split()[3])},", line)
            line = re.sub(rf"(?:,\s*)?(?:\[[^\]]*{_LEFT}\s*\]|(?<=,){_LEFT}|(?<=, ){_LEFT})", "", line)
        elif not re.search(r" = (?:getelementptr|extractvalue|insertvalue|select|alloca)\b", line) and not line.startswith("br "):
            line = re.sub(rf"(?<=[)\w]), {_LEFT}$", "", line)
        return line

    def _typed_operand(self, found: re.Match[str]) -> str:
        return self.label() if found[1] == "label" else f"{found[1]} {self.value(found[1])}"

    def label(self) -> str:
        """Return the name of an omitted block; its content follows from its references."""
        self.count += 1
        return f"label %left.out.{self.count}"

    def result(self, line: str) -> str:
        """Replace an instruction with a known result but an unknown operation."""
        found = _OPCODE.match(line)
        if found is None:
            raise UsageError(
                _unclear_message(self.function, line, "write the operand, or replace the whole instruction by an ellipsis")
            )
        if found[2] == "alloca":
            return f"{found[1]} = alloca..."
        kind = {"getelementptr": "ptr", "icmp": "i1", "fcmp": "i1"}.get(found[2], "")
        if typed := re.search(rf" to ({TYPE})$| = (?:\w+ )?call ({TYPE}) | = phi ({TYPE}) ", line):
            kind = typed[1] or typed[2] or typed[3]
        if not kind:
            return f"{found[1]} = ..."
        self.report(
            "value", self.function.name, f"{found[1]} is not printed: it comes from @left.out.{found[1][1:]}, for you to define"
        )
        return f"{found[1]} = call {kind} @left.out.{found[1][1:]}()"


def _unclear_message(function: Function, line: str, how: str) -> str:
    return f"in @{function.name}: the meaning of the ellipsis in `{line}` is unclear: {how}"


def _is_left(line: str) -> bool:
    """Return whether a line has an ellipsis outside of strings and function types."""
    return re.search(_LEFT, _SIGNATURE.sub("", re.sub(r'"[^"]*"', '""', line))) is not None


def replace_ellipses(function: Function, taken: Taken, report: Reporter) -> None:
    """Replace the ellipses of a function. Raises ``UsageError`` for unclear ones."""
    ellipses = _EllipsisExpander(function, taken, report)
    for block in function.blocks:
        for number, line in enumerate(block.lines):
            if not _is_left(line) or (defined(line) and re.fullmatch(rf"{NAME} = \.+( !.*)?", line)):
                continue
            for step in (ellipses.arguments, ellipses.operands, ellipses.result):
                if _is_left(line):
                    line = step(line)
            block.lines[number] = line
