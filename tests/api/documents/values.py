"""Add values that are used but not printed, and missing type definitions."""

from __future__ import annotations

import re

from documents.body import RECORD, TYPE, Function, defined, uses
from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.errors import UsageError
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.statements import NAME
from pycoro.upgrade.tokens import index_after_closing_bracket

__all__ = [
    "complete_operands",
    "complete_struct_fields",
    "define_missing_values",
    "missing_type_definitions",
    "remove_dangling_records",
]

_BEFORE = r"\b(?:getelementptr(?: inbounds| nuw| nusw)*|alloca|load)|\b(?:sret|byval)\(|[{\[,] ?"
_OF_TYPE = re.compile(rf"(?:{_BEFORE}) ?({NAME})(?= ?[,)}}\]]|$)")
_FIELD = re.compile(rf"^({NAME}) = getelementptr (?:inbounds |nuw |nusw )*({NAME}), ptr {NAME}, i\d+ 0, i32 (\d+)")
_VARIABLE = re.compile(rf"^({NAME}) = alloca ({NAME})")


def complete_operands(function: Function, report: Reporter) -> None:
    """Complete omitted operands: the address of a store, the definition of a value."""
    latest = ""
    for block in function.blocks:
        for number, line in enumerate(block.lines):
            if re.match(r"store .*, ptr(?=,|$)(?! [%@])", line) and latest:
                block.lines[number] = re.sub(r", ptr(?=,|$)", f", ptr {latest}", line, count=1)
                report("value", function.name, f"a store without an address uses {latest}, the last computed pointer")
            elif found := re.match(rf"({NAME}) = (?!\w+ \S)(\S*?)(?:\.\.\.)?( !.*)?$", line):
                block.lines[number] = _define_omitted_value(function, found[1], found[2], report) + (
                    f",{found[3]}" if found[3] else ""
                )
            elif found := re.match(rf"(?:({NAME}) = )?((?:\w+ )?call) \? (.*)$", line):
                kind = "void" if not found[1] else _type_of_value(function, found[1]) or "ptr"
                name = f"{found[1]} = " if found[1] else ""
                block.lines[number] = f"{name}{found[2]} {kind} {found[3]}"
            if re.match(rf"{NAME} = (?:bitcast .* to ptr|getelementptr)", block.lines[number]):
                latest = defined(line)
            if "musttail call" in block.lines[number] and not _as_its_caller(function, block.lines[number]):
                block.lines[number] = block.lines[number].replace("musttail call", "tail call")
                report("value", function.name, "a musttail call whose caller has other parameters becomes a tail call")


def _as_its_caller(function: Function, call: str) -> bool:
    """Return whether a call has the argument types of its caller; false for a fragment, with parameters yet unknown."""
    return not function.fragment and _parameter_types(function.head) == _parameter_types(call)


def _parameter_types(line: str) -> list[str]:
    """Return the types in the parentheses of a head or call; unknown text is unchanged."""
    callee = re.search(r'[@%](?:[-\w$.]+|"[^"]*")\(', line)
    end = index_after_closing_bracket(line, callee.end() - 1) if callee else -1
    given = split_at_top_level_commas(line[callee.end() : end - 1]) if callee and end > 0 else [line]
    return [found[0] if (found := re.match(TYPE, argument)) else argument for argument in given]


def _type_of_value(function: Function, name: str) -> str:
    for line in function.lines:
        for use in uses(line):
            if use.name == name:
                return use.type
    return ""


def _define_omitted_value(function: Function, name: str, what: str, report: Reporter) -> str:
    """Return the definition of a value that is not printed."""
    promise = function.calls(r"llvm\.coro\.id") and any(
        re.search(rf"coro\.id\(i32 \w+, ptr {re.escape(name)}(?![-\w$.])", line) for line in function.lines
    )
    if promise or what.startswith("alloca"):
        report("value", function.name, f"{name} is an alloca of unknown type: i32")
        return f"{name} = alloca i32"
    kind = _type_of_value(function, name) or "ptr"
    report("value", function.name, f"{name} is not printed: it comes from @left.out.{name[1:]}, for you to define")
    return f"{name} = call {kind} @left.out.{name[1:]}()"


def define_missing_values(function: Function, report: Reporter) -> None:
    """Define undefined values: as parameters of a fragment, otherwise by calls of functions with their names."""
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
            report("value", function.name, f"{name}, the memory of the frame, is not printed: it comes from @malloc")
        elif function.fragment:
            continue
        else:
            function.blocks[0].lines.insert(0, f"{name} = call {kind} @left.out.{name[1:]}()")
            report("value", function.name, f"{name} is not printed: it comes from @left.out.{name[1:]}, for you to define")
    if function.fragment and wanted:
        known = function.names
        given = [f"{kind} {name}" for name, kind in wanted.items() if name not in known]
        had = function.head[function.head.index("(") + 1 : function.head.index(")")]
        function.head = re.sub(r"\(.*?\)", lambda _: f"({', '.join(filter(None, [had, *given]))})", function.head, count=1)
        if given:
            report("parameter", function.name, f"undefined values become parameters: {', '.join(given)}")


def remove_dangling_records(function: Function, report: Reporter) -> None:
    """Remove debug records of missing values."""
    known = function.names
    gone: set[str] = set()
    for block in function.blocks:
        unknown = {line: set(re.findall(NAME, line)) - known for line in block.lines if RECORD.match(line)}
        block.lines = [line for line in block.lines if not unknown.get(line)]
        gone.update(*unknown.values())
    if gone:
        report(
            "marks", function.name, f"debug records of {', '.join(sorted(gone))} are removed, because the values are not printed"
        )


def missing_type_definitions(text: str, functions: list[Function], report: Reporter) -> list[str]:
    """Return definitions of types that are named but not defined."""
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
        report("type", "", f"{name} is {same[0]}")
    made: list[str] = []
    for name in wanted:
        fields = ", ".join(_infer_fields(name, functions))
        made.append(f"{name} = type {{ {fields} }}")
        report("type", "", f"{name} is not defined: from its uses it is {{ {fields} }}")
    return made


def complete_struct_fields(globals: list[str], functions: list[Function], report: Reporter) -> None:
    """Complete omitted last fields of structs from their uses. Raises ``UsageError`` for fields omitted in between."""
    for number, line in enumerate(globals):
        found = re.fullmatch(rf"({NAME}) = type (<?\{{)(.*?)(?:,\s*)?\.\.+\s*(\}}>?)", line)
        if found is not None:
            printed = split_at_top_level_commas(found[3])
            used = _infer_fields(found[1], functions)[len(printed) :]
            globals[number] = f"{found[1]} = type {found[2]} {', '.join([*printed, *used] or ['i8'])} {found[4]}"
            what = f"also {', '.join(used)}" if used else "none"
            report("type", "", f"the omitted fields of {found[1]} follow from their uses: {what}")
        elif re.match(rf"{NAME} = type <?\{{[^\"]*\.\.", line):
            raise UsageError(f"`{line}`: omitted fields between others are unknown; write them, or omit only the last ones")


def _infer_fields(name: str, functions: list[Function]) -> list[str]:
    """Return the fields of a struct from their loads and stores."""
    places: dict[int, str] = {}
    for function in functions:
        for line in function.lines:
            if (found := _FIELD.match(line)) and found[2] == name:
                places.setdefault(int(found[3]), "")
                places[int(found[3])] = places[int(found[3])] or _type_in_memory(function, found[1])
            elif (found := _VARIABLE.match(line)) and found[2] == name and not places:
                held = _type_in_memory(function, found[1])
                places = {0: held} if held else {}
            elif re.search(rf"getelementptr (?:inbounds )?{re.escape(name)}, ptr \S+, i\d+ 0, i32 1$", line):
                places.setdefault(1, "ptr")
    for function in functions:  # the first field of a frame is a function that is stored without a getelementptr
        base = re.search(rf"getelementptr (?:inbounds )?{re.escape(name)}, ptr ({NAME})", function.text())
        if base and not places.get(0):
            places[0] = _type_in_memory(function, base[1]) or places.get(0, "")
    if not places:
        return ["i8"]
    return [places.get(number, "") or ("ptr" if number < 2 else "i32") for number in range(max(places) + 1)]


def _type_in_memory(function: Function, pointer: str) -> str:
    for line in function.lines:
        if found := re.search(rf"= load (\S+), ptr {re.escape(pointer)}(?![-\w$.])", line):
            return found[1]
        if found := re.match(rf"store (\S+) \S+, ptr {re.escape(pointer)}(?![-\w$.])", line):
            return found[1]
    return ""
