"""Values that are used and not printed, and types that nothing defines."""

from __future__ import annotations

import re

from pycoro.errors import UsageError
from pycoro.upgrade.listing.body import RECORD, TYPE, Function, defined, uses
from pycoro.upgrade.statements import NAME
from pycoro.upgrade.steps import Tell
from pycoro.upgrade.tokens import closing, split_arguments

__all__ = ["fields_left", "kinds", "operands", "recorded", "valued"]

_BEFORE = r"\b(?:getelementptr(?: inbounds| nuw| nusw)*|alloca|load)|\b(?:sret|byval)\(|[{\[,] ?"
_OF_TYPE = re.compile(rf"(?:{_BEFORE}) ?({NAME})(?= ?[,)}}\]]|$)")
_FIELD = re.compile(rf"^({NAME}) = getelementptr (?:inbounds |nuw |nusw )*({NAME}), ptr {NAME}, i\d+ 0, i32 (\d+)")
_VARIABLE = re.compile(rf"^({NAME}) = alloca ({NAME})")


def operands(function: Function, tell: Tell) -> None:
    """What a line leaves out: where a store goes, what a value is."""
    latest = ""
    for block in function.blocks:
        for number, line in enumerate(block.lines):
            if re.match(r"store .*, ptr(?=,|$)(?! [%@])", line) and latest:
                block.lines[number] = re.sub(r", ptr(?=,|$)", f", ptr {latest}", line, count=1)
                tell("value", function.name, f"a store that does not say where goes to {latest}, the pointer made just before it")
            elif found := re.match(rf"({NAME}) = (?!\w+ \S)(\S*?)(?:\.\.\.)?( !.*)?$", line):
                block.lines[number] = _left(function, found[1], found[2], tell) + (f",{found[3]}" if found[3] else "")
            elif found := re.match(rf"(?:({NAME}) = )?((?:\w+ )?call) \? (.*)$", line):
                kind = "void" if not found[1] else _kind(function, found[1]) or "ptr"
                name = f"{found[1]} = " if found[1] else ""
                block.lines[number] = f"{name}{found[2]} {kind} {found[3]}"
            if re.match(rf"{NAME} = (?:bitcast .* to ptr|getelementptr)", block.lines[number]):
                latest = defined(line)
            if "musttail call" in block.lines[number] and not _as_its_caller(function, block.lines[number]):
                block.lines[number] = block.lines[number].replace("musttail call", "tail call")
                tell("value", function.name, "a musttail call whose caller has other parameters is a tail call")


def _as_its_caller(function: Function, call: str) -> bool:
    """Whether a call is given what its caller is given, type by type; not known of a fragment, whose parameters are to come."""
    return not function.fragment and _taken(function.head) == _taken(call)


def _taken(line: str) -> list[str]:
    """The types that a head, or a call, has in its parentheses; what is none of them counts as it stands."""
    callee = re.search(r'[@%](?:[-\w$.]+|"[^"]*")\(', line)
    end = closing(line, callee.end() - 1) if callee else -1
    given = split_arguments(line[callee.end() : end - 1]) if callee and end > 0 else [line]
    return [found[0] if (found := re.match(TYPE, argument)) else argument for argument in given]


def _kind(function: Function, name: str) -> str:
    for line in function.lines:
        for use in uses(line):
            if use.name == name:
                return use.type
    return ""


def _left(function: Function, name: str, what: str, tell: Tell) -> str:
    """A value whose instruction is not printed."""
    promise = function.calls(r"llvm\.coro\.id") and any(
        re.search(rf"coro\.id\(i32 \w+, ptr {re.escape(name)}(?![-\w$.])", line) for line in function.lines
    )
    if promise or what.startswith("alloca"):
        tell("value", function.name, f"{name} is a variable whose type is not printed: i32")
        return f"{name} = alloca i32"
    kind = _kind(function, name) or "ptr"
    tell("value", function.name, f"{name} is not printed: @left.out.{name[1:]} gives it, which is to be defined")
    return f"{name} = call {kind} @left.out.{name[1:]}()"


def valued(function: Function, tell: Tell) -> None:
    """Values that nothing defines are parameters of a fragment, and come from a function of their name elsewhere."""
    known, wanted = function.names, dict[str, str]()
    for line in function.lines:
        for use in uses(line):
            if use.name not in known:
                wanted.setdefault(use.name, use.type)
    memory = next((line for line in function.calls(r"llvm\.coro\.begin(?:\.custom\.abi)?")), "")
    for name, kind in wanted.items():
        if re.search(rf", ptr {re.escape(name)}[,)]", memory):
            block = next(block for block in function.blocks if memory in block.lines)
            at = block.lines.index(memory)
            block.lines[at:at] = [f"{name}.size = call i64 @llvm.coro.size.i64()", f"{name} = call ptr @malloc(i64 {name}.size)"]
            tell("value", function.name, f"{name}, the memory of the frame, is not printed: it is @malloc's")
        elif function.fragment:
            continue
        else:
            function.blocks[0].lines.insert(0, f"{name} = call {kind} @left.out.{name[1:]}()")
            tell("value", function.name, f"{name} is not printed: @left.out.{name[1:]} gives it, which is to be defined")
    if function.fragment and wanted:
        known = function.names
        given = [f"{kind} {name}" for name, kind in wanted.items() if name not in known]
        had = function.head[function.head.index("(") + 1 : function.head.index(")")]
        function.head = re.sub(r"\(.*?\)", lambda _: f"({', '.join(filter(None, [had, *given]))})", function.head, count=1)
        if given:
            tell("parameter", function.name, f"what is used and not defined is a parameter: {', '.join(given)}")


def recorded(function: Function, tell: Tell) -> None:
    """A debugger is told of values that are there."""
    known = function.names
    gone: set[str] = set()
    for block in function.blocks:
        unknown = {line: set(re.findall(NAME, line)) - known for line in block.lines if RECORD.match(line)}
        block.lines = [line for line in block.lines if not unknown.get(line)]
        gone.update(*unknown.values())
    if gone:
        tell("marks", function.name, f"what a debugger is told of {', '.join(sorted(gone))}, printed nowhere, is left out")


def kinds(text: str, functions: list[Function], tell: Tell) -> list[str]:
    """Definitions of the types that are named and not defined."""
    known: list[str] = re.findall(rf"^({NAME}) = type\b", text, re.MULTILINE)
    named = [name for function in functions for line in [function.head, *function.lines] for name in _OF_TYPE.findall(line)]
    within = [line.partition(" = type ")[2] for line in text.split("\n") if " = type " in line]
    named += [name for line in within for name in re.findall(NAME, line)]
    values = {name for function in functions for name in (*function.names, *(block.name for block in function.blocks))}
    wanted: list[str] = []
    for name in dict.fromkeys(named):
        if name in known or (name in values and not re.search(rf"(?:getelementptr(?: inbounds)?|alloca) {re.escape(name)},", text)):
            continue
        same = [other for other in [*known, *wanted] if other.lower() == name.lower()]
        if not same:
            wanted.append(name)
            continue
        for block in [block for function in functions for block in function.blocks]:
            block.lines = [re.sub(rf"{re.escape(name)}(?![-\w$.])", same[0], line) for line in block.lines]
        tell("type", "", f"{name} is {same[0]}")
    made: list[str] = []
    for name in wanted:
        fields = ", ".join(_fields(name, functions))
        made.append(f"{name} = type {{ {fields} }}")
        tell("type", "", f"{name} is defined nowhere: as far as it is used, it is {{ {fields} }}")
    return made


def fields_left(globals: list[str], functions: list[Function], tell: Tell) -> None:
    """Structures of which the last fields are left out have them as they are used. ``UsageError`` where others are."""
    for number, line in enumerate(globals):
        found = re.fullmatch(rf"({NAME}) = type (<?\{{)(.*?)(?:,\s*)?\.\.+\s*(\}}>?)", line)
        if found is not None:
            printed = split_arguments(found[3])
            used = _fields(found[1], functions)[len(printed) :]
            globals[number] = f"{found[1]} = type {found[2]} {', '.join([*printed, *used] or ['i8'])} {found[4]}"
            what = f"also {', '.join(used)}" if used else "no more"
            tell("type", "", f"the fields of {found[1]} that are not printed are as they are used: {what}")
        elif re.match(rf"{NAME} = type <?\{{[^\"]*\.\.", line):
            raise UsageError(
                f"`{line}`: which fields are left out between others cannot be known: write them, or leave out the last ones"
            )


def _fields(name: str, functions: list[Function]) -> list[str]:
    """A structure's fields by the loads and stores of them."""
    places: dict[int, str] = {}
    for function in functions:
        for line in function.lines:
            if (found := _FIELD.match(line)) and found[2] == name:
                places.setdefault(int(found[3]), "")
                places[int(found[3])] = places[int(found[3])] or _held(function, found[1])
            elif (found := _VARIABLE.match(line)) and found[2] == name and not places:
                held = _held(function, found[1])
                places = {0: held} if held else {}
            elif re.search(rf"getelementptr (?:inbounds )?{re.escape(name)}, ptr \S+, i\d+ 0, i32 1$", line):
                places.setdefault(1, "ptr")
    for function in functions:  # a frame begins by a function that is stored to it without a step
        base = re.search(rf"getelementptr (?:inbounds )?{re.escape(name)}, ptr ({NAME})", function.text())
        if base and not places.get(0):
            places[0] = _held(function, base[1]) or places.get(0, "")
    if not places:
        return ["i8"]
    return [places.get(number, "") or ("ptr" if number < 2 else "i32") for number in range(max(places) + 1)]


def _held(function: Function, pointer: str) -> str:
    for line in function.lines:
        if found := re.search(rf"= load (\S+), ptr {re.escape(pointer)}(?![-\w$.])", line):
            return found[1]
        if found := re.match(rf"store (\S+) \S+, ptr {re.escape(pointer)}(?![-\w$.])", line):
            return found[1]
    return ""
