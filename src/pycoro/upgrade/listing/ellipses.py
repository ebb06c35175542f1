"""Ellipses among the operands of an instruction: what is plainly meant is put there, and what is not is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pycoro.errors import UsageError
from pycoro.upgrade.listing.body import TYPE, Function, defined
from pycoro.upgrade.statements import NAME
from pycoro.upgrade.steps import Tell
from pycoro.upgrade.tokens import closing, split_arguments

__all__ = ["Taken", "elided", "taken_by"]

Taken = Mapping[str, Sequence[str]]
"""What functions take, by their names: types, and values behind those where an ellipsis stands for these."""

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
"""The type of a function that takes any number of arguments, in a call of it."""
_BINARY = re.compile(
    rf"(?:{NAME} = )?(?:add|sub|mul|[su]div|[su]rem|and|or|xor|shl|[al]shr|f(?:add|sub|mul|div|rem)|[if]cmp \w+)"
    rf"(?: (?:nsw|nuw|exact|disjoint|fast))* {TYPE} "
)
_OPCODE = re.compile(rf"({NAME}) = (\w+)")


def taken_by(functions: Iterable[Function], globals: Iterable[str]) -> Taken:
    """What the functions take that are defined or declared, and those of LLVM's."""
    found = dict(_INTRINSICS)
    for head in [*(function.head for function in functions), *(line for line in globals if line.startswith("declare"))]:
        callee = _CALLEE.search(head)
        end = closing(head, callee.end() - 1) if callee else -1
        if callee and end > 0 and callee[1] not in found:
            given = split_arguments(head[callee.end() : end - 1])
            found[callee[1]] = [kind[0] if (kind := re.match(TYPE, one)) else one for one in given]
    return found


class _Ellipses:
    def __init__(self, function: Function, taken: Taken, tell: Tell) -> None:
        self.function = function
        self.taken = taken
        self.tell = tell
        self.count = 0

    def value(self, kind: str) -> str:
        """A value of a type that is not printed: a parameter of a fragment, and a call's elsewhere."""
        self.count += 1
        name = f"%operand.{self.count}"
        self.tell("operand", self.function.name, f"an operand for which an ellipsis stands is {kind} {name}")
        return name

    def arguments(self, line: str) -> str:
        """Those of a call: by what its callee takes, where that is known."""
        callee = _CALLEE.search(_SIGNATURE.sub(lambda found: "." * len(found[0]), line))
        end = closing(line, callee.end() - 1) if callee and re.search(r"\b(?:call|invoke|callbr)\b", line) else -1
        if callee is None or end < 0:
            return line
        given = split_arguments(line[callee.end() : end - 1])
        if not any(re.search(rf"{_LEFT}$", one) for one in given):
            return line
        takes = self.taken.get(callee[1])
        left = [number for number, one in enumerate(given) if re.fullmatch(_LEFT, one)]
        known = takes is not None and "..." not in takes
        if len(left) > 1 and known and takes is not None and len(given) != len(takes):
            raise UsageError(_refused(self.function, line, "it has several ellipses: leave one, or write the arguments"))
        if left and len(left) == 1:
            at = left[0]
            missing = ["..."] * (len(takes) - len(given) + 1 if takes is not None and known else 0)
            if not missing:
                self.tell("operand", self.function.name, f"the ellipsis in the call of @{callee[1]} stands for no argument")
            given[at : at + 1] = missing
        elif left and not known:
            given = [one for number, one in enumerate(given) if number not in left]
            self.tell("operand", self.function.name, f"the ellipses in the call of @{callee[1]} stand for no argument")
        made: list[str] = []
        for number, one in enumerate(given):
            found = re.fullmatch(rf"(?:(\S.*?) )?{_LEFT}", one)
            if found is None:
                made.append(one)
                continue
            meant = takes[number] if takes is not None and number < len(takes) else ""
            kind, _, told = meant.partition(" ") if not meant.startswith(("{", "[", "<")) else (meant, "", "")
            if told and found[1] in (None, kind):
                made.append(meant)
                self.tell("operand", self.function.name, f"the ellipsis in the call of @{callee[1]} stands for {meant}")
            else:
                kind = found[1] or kind
                made.append(f"{kind} {self.value(kind)}")
        return f"{line[: callee.end()]}{', '.join(made)}{line[end - 1 :]}"

    def operands(self, line: str) -> str:
        """Values and blocks that stand behind their type, or where there is only one place for them."""
        binary = _BINARY.match(line)
        if binary is not None:
            kind = re.search(rf"({TYPE}) $", binary[0])
            given = re.sub(_LEFT, lambda _: self.value(kind[1] if kind else "i32"), line[binary.end() :])
            return binary[0] + given
        if line.startswith("switch "):
            line = re.sub(rf"\s*{_LEFT}(?=[^\[\]]*\]$)", "", line)
        if re.search(rf" = phi {TYPE} {_LEFT}$", line):
            return line  # nothing of it is known but its type
        line = re.sub(rf"\bcall {_LEFT} (?=@)", "call ? ", line)
        line = re.sub(rf"(?<![-\w$.\"%@!])((?!%){TYPE}|label) {_LEFT}(?!\()", self._typed, line)
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

    def _typed(self, found: re.Match[str]) -> str:
        return self.label() if found[1] == "label" else f"{found[1]} {self.value(found[1])}"

    def label(self) -> str:
        """A block that is not printed: what it does, its place says."""
        self.count += 1
        return f"label %left.out.{self.count}"

    def result(self, line: str) -> str:
        """An instruction of which so much is left out that only its result is known."""
        found = _OPCODE.match(line)
        if found is None:
            raise UsageError(
                _refused(self.function, line, "write what is meant there, or leave the whole instruction out by an ellipsis")
            )
        if found[2] == "alloca":
            return f"{found[1]} = alloca..."
        kind = {"getelementptr": "ptr", "icmp": "i1", "fcmp": "i1"}.get(found[2], "")
        if told := re.search(rf" to ({TYPE})$| = (?:\w+ )?call ({TYPE}) | = phi ({TYPE}) ", line):
            kind = told[1] or told[2] or told[3]
        if not kind:
            return f"{found[1]} = ..."
        self.tell(
            "value", self.function.name, f"{found[1]} is not printed: @left.out.{found[1][1:]} gives it, which is to be defined"
        )
        return f"{found[1]} = call {kind} @left.out.{found[1][1:]}()"


def _refused(function: Function, line: str, how: str) -> str:
    return f"in @{function.name}: what the ellipsis in `{line}` stands for cannot be known: {how}"


def _is_left(line: str) -> bool:
    """Whether an ellipsis stands in it, which is not a text's, and not that of a function's type."""
    return re.search(_LEFT, _SIGNATURE.sub("", re.sub(r'"[^"]*"', '""', line))) is not None


def elided(function: Function, taken: Taken, tell: Tell) -> None:
    """The function without ellipses. ``UsageError`` for those of which is not plain what they stand for."""
    ellipses = _Ellipses(function, taken, tell)
    for block in function.blocks:
        for number, line in enumerate(block.lines):
            if not _is_left(line) or (defined(line) and re.fullmatch(rf"{NAME} = \.+( !.*)?", line)):
                continue
            for step in (ellipses.arguments, ellipses.operands, ellipses.result):
                if _is_left(line):
                    line = step(line)
            block.lines[number] = line
