"""Complete partial coroutines: id, frame, handle and exits of suspends."""

from __future__ import annotations

import re

from documents.body import Block, Function, defined, substituted, uses
from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.statements import NAME

__all__ = [
    "add_coroutine_begin",
    "add_omitted_suspend",
    "add_omitted_yield",
    "clones_constant",
    "complete_suspends",
    "exit_lines",
    "exits_of",
    "handle_of",
    "identity_of",
]

_INSIDE = r"llvm\.coro\.(?:id|begin|size|align|alloc|free|save|suspend|end|frame|is_in_ramp|await|async)\b"
_ASYNC = r"llvm\.coro\.(?:suspend\.async|end\.async|async\.resume)"
_OLD_SUSPEND = re.compile(rf"({NAME}) = (?:tail )?call (?:i1|\?) @llvm\.coro\.suspend\((?!token)(\S+ \S+), (?:\S+) (\S+)\)")
_HANDLES = (
    r"(?:free|end|end\.async|await\.suspend\.\w+)\([^,]*, ptr ",
    r"(?:save|end|end\.async)\(ptr ",
)


def handle_of(function: Function) -> str:
    """Return the result of ``llvm.coro.begin``; empty if it is missing."""
    return next((defined(line) for line in function.calls(r"llvm\.coro\.begin(?:\.custom\.abi)?")), "")


def identity_of(function: Function) -> str:
    """Return the result of ``llvm.coro.id``."""
    return next((defined(line) for line in function.calls(r"llvm\.coro\.id(?:\.\w+)*")), "")


def exits_of(function: Function) -> tuple[str, str]:
    """Return the suspend and cleanup destinations of suspends, existing or to be added."""
    for line in function.lines:
        if found := re.match(rf"switch i8 {NAME}, label ({NAME}) \[ *(?:i8 0, label {NAME} *)?i8 1, label ({NAME})", line):
            return found[1], found[2]
    taken = function.names
    return "%suspend.out" if "%suspend" in taken else "%suspend", "%cleanup.out" if "%cleanup" in taken else "%cleanup"


def _complete_design_2015(function: Function, report: Reporter) -> None:
    """Convert intrinsics of 2015 in a coroutine that is only partially printed."""
    split = not function.calls(r"llvm\.coro\.size(?:\.i\d+)?")
    for block in function.blocks:
        made: list[str] = []
        for line in block.lines:
            if found := _OLD_SUSPEND.match(line):
                name, awaiter, called = found.groups()
                called = called if called not in function.names and called[0] == "@" else f"@{called[1:]}"
                made += [
                    f"{name}.save = call token @llvm.coro.save(ptr null)",
                    f"{name}.handle = call ptr @llvm.coro.frame()",
                    f"call void {called}({awaiter}, ptr {name}.handle)",
                    f"{name}.suspend = call i8 @llvm.coro.suspend(token {name}.save, i1 false)",
                ]
                report("first-suspend", function.name, f"{name} becomes a suspend after an llvm.coro.save and the awaited call")
            elif found := re.match(rf"({NAME}) = (?:tail )?call ptr @llvm\.coro\.init\((ptr \S+)\)", line):
                if split:
                    made.append(f"{found[1]} = getelementptr i8, {found[2]}, i64 0")
                    report("first-begin", function.name, "already split: llvm.coro.init returns the memory of its frame")
                else:
                    made.append(f"{found[1]}.id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)")
                    made.append(f"{found[1]} = call ptr @llvm.coro.begin(token {found[1]}.id, {found[2]})")
                    report("first-begin", function.name, "llvm.coro.init becomes llvm.coro.id and llvm.coro.begin")
            elif re.search(r"@llvm\.coro\.done\(ptr null\)", line):
                made.append(f"{defined(line)} = xor i1 true, true")
                report("first-start", function.name, "llvm.coro.done(null) marks the start: it is false")
            elif found := re.match(rf"({NAME}) = call ptr @llvm\.coro\.frame\.get\(ptr \S+, ptr (\S+), ", line):
                made.append(f"{found[1]} = getelementptr i8, ptr {found[2]}, i64 0")
                report("second-frame", function.name, f"{found[1]} becomes the alloca itself, which passes place in the frame")
            else:
                made.append(line)
        block.lines = made
    for block in function.blocks:
        last = re.match(rf"br i1 ({NAME}), label ({NAME}), label ({NAME})$", block.lines[-1]) if block.lines else None
        if last and any(defined(line) == f"{last[1]}.suspend" for line in function.lines):
            way_out, _ = exits_of(function)
            block.lines[-1] = f"switch i8 {last[1]}.suspend, label {way_out} [ i8 0, label {last[2]} i8 1, label {last[3]} ]"


def _rename_values(function: Function, names: dict[str, str]) -> None:
    for block in function.blocks:
        block.lines = [substituted(line, names) for line in block.lines]


def _prologue_lines(function: Function, report: Reporter) -> list[str]:
    if function.calls(_ASYNC):
        pointer = f"@{function.name}.pointer"
        function.head = re.sub(r"\(.*\)", "(ptr %context)", function.head.replace("define ?", "define swiftcc void"))
        report(
            "coroutine",
            function.name,
            f"it becomes an async coroutine with a context of 16 bytes and the function pointer {pointer}",
        )
        return [
            f"%id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr {pointer})",
            "%handle = call ptr @llvm.coro.begin(token %id, ptr null)",
        ]
    report("coroutine", function.name, "it becomes a coroutine with a frame from @malloc")
    return [
        "%id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)",
        "%size = call i64 @llvm.coro.size.i64()",
        "%memory = call ptr @malloc(i64 %size)",
        "%handle = call ptr @llvm.coro.begin(token %id, ptr %memory)",
    ]


def _resume_functions(function: Function, report: Reporter) -> None:
    """Complete the functions of an async suspend, which documents may print as local names."""
    known = function.names
    for block in function.blocks:
        made: list[str] = []
        for line in block.lines:
            if "@llvm.coro.suspend.async(" in line:
                names = [use.name for use in uses(line[line.find("async(") :])]
                if names and names[0] not in known:
                    made.append(f"{names[0]} = call ptr @llvm.coro.async.resume()")
                    report("value", function.name, f"{names[0]} is the result of llvm.coro.async.resume")
                for name in names[1:3]:
                    if name not in known:
                        line = re.sub(rf"{re.escape(name)}(?![-\w$.])", f"@{name[1:]}", line)
                        report("value", function.name, f"{name} is a function: @{name[1:]}")
                if re.search(r"async\(i32 \d+, ptr \S+, ptr [^,]+\)$", line):
                    line = f"{line[:-1]}, ptr @left.out.next)"
                    report("left-out", function.name, "the function that its suspend calls is not printed: define @left.out.next")
            made.append(line)
        block.lines = made


def clones_constant(function: Function, report: Reporter) -> str:
    """Return the constant with the clones of a ramp that is already split, and name it in the id."""
    parts = [f"@{function.name}.{part}" for part in ("resume", "destroy")]
    identity = [line for line in function.lines if re.search(r"@llvm\.coro\.id\(.*, ptr null, ptr null\)", line)]
    stored = [part for part in parts if re.search(rf"store ptr {re.escape(part)},", function.text())]
    if not identity or stored != parts:
        return ""
    for block in function.blocks:
        named = f", ptr @{function.name}, ptr @{function.name}.parts)"
        block.lines = [line.replace(", ptr null, ptr null)", named) if line in identity else line for line in block.lines]
    report("split", function.name, f"already split: its llvm.coro.id names {' and '.join(parts)}")
    return f"@{function.name}.parts = private constant [2 x ptr] [ptr {parts[0]}, ptr {parts[1]}]"


def add_coroutine_begin(function: Function, report: Reporter) -> None:
    """Add an id, a frame and a handle to a function with coroutine intrinsics."""
    _complete_design_2015(function, report)
    if not function.calls(_INSIDE + r"[\w.]*") or re.search(r"@llvm\.coro\.id\.retcon", function.text()):
        return
    _resume_functions(function, report)
    if function.fragment and not identity_of(function):
        start = Block("%entry" if "%entry" not in [block.name for block in function.blocks] else "%begin")
        taken = function.names
        lines = _prologue_lines(function, report)
        mine = {name: f"{name}.begun" for name in map(defined, lines) if name in taken}
        start.lines = [substituted(line, mine) for line in lines] + [f"br label {function.blocks[0].name}"]
        function.blocks.insert(0, start)
    handle, identity = handle_of(function), identity_of(function)
    known, names = function.names, dict[str, str]()
    for line in function.lines:
        for pattern in _HANDLES:
            found = re.search(rf"@llvm\.coro\.{pattern}({NAME})", line)
            if handle and found and found[1] not in known:
                names[found[1]] = handle
        found = re.match(rf"ret ptr ({NAME})$", line)
        if handle and found and found[1] not in known:
            names[found[1]] = handle
        found = re.search(rf"@llvm\.coro\.(?:free|begin|alloc)\(token ({NAME})", line)
        if identity and found and found[1] not in known:
            names[found[1]] = identity
        found = re.search(rf"getelementptr (?:inbounds )?%[-\w$.]+\.[fF]rame, ptr ({NAME})", line)
        if handle and found and found[1] not in known:
            names[found[1]] = handle
    for old, new in names.items():
        report("value", function.name, f"{old} is {new} of the coroutine")
    _rename_values(function, names)


def complete_suspends(function: Function, report: Reporter) -> None:
    """Add a switch after a suspend with an unused result, and a missing save."""
    asked = {use.name for line in function.lines for use in uses(line)}
    known = function.names
    blocks: list[Block] = []
    for block in function.blocks:
        blocks.append(block)
        lines, block.lines = block.lines, []
        for line in lines:
            found = re.match(rf"({NAME}) = call i\d+ @llvm\.coro\.suspend\(token (\S+),", line)
            if found and found[2].startswith("%") and found[2] not in known:
                known.add(found[2])
                blocks[-1].lines.append(f"{found[2]} = call token @llvm.coro.save(ptr null)")
                report("value", function.name, f"{found[2]} is an llvm.coro.save directly before its suspend")
            blocks[-1].lines.append(line)
            if found and found[1] not in asked:
                way_out, cleanup = exits_of(function)
                following = Block(f"{found[1]}.next", [], block.left)
                cases = f"[ i8 0, label {following.name} i8 1, label {cleanup} ]"
                blocks[-1].lines.append(f"switch i8 {found[1]}, label {way_out} {cases}")
                blocks.append(following)
                report("cases", function.name, f"the code after {found[1]} runs when the coroutine is resumed")
    function.blocks = blocks


def exit_lines(function: Function, asked: str) -> list[str] | None:
    """Return the lines of an exit that is not printed: ``suspend`` returns to the caller, ``cleanup`` frees the frame; ``None`` if
    the function has no such exit."""
    handle, identity = handle_of(function), identity_of(function)
    if not handle:
        return None
    if asked == "suspend":
        if function.calls(_ASYNC):
            return [f"call void (ptr, i1, ...) @llvm.coro.end.async(ptr {handle}, i1 false)", "unreachable"]
        return [f"call void @llvm.coro.end(ptr {handle}, i1 false, token none)"]
    memory = f"{handle}.memory"
    return [f"{memory} = call ptr @llvm.coro.free(token {identity}, ptr {handle})", f"call void @free(ptr {memory})"]


def add_omitted_suspend(function: Function, report: Reporter) -> None:
    """Add one suspend to a coroutine with an omitted body."""
    handle, left = handle_of(function), [block for block in function.blocks if block.left]
    if not left or not handle or function.calls(r"llvm\.coro\.(?:suspend|end|id\.\w+)[.\w]*"):
        return
    block = left[-1]
    suspend = "%left.out.suspend = call i8 @llvm.coro.suspend(token none, i1 false)"
    way_out, cleanup = exits_of(function)
    following = Block(way_out, [f"call void @llvm.coro.end(ptr {handle}, i1 false, token none)"])
    if block.ended:
        following.lines.append(block.lines.pop())
        function.blocks.insert(function.blocks.index(block) + 1, following)
    block.lines += [suspend, f"switch i8 %left.out.suspend, label {way_out} [ i8 0, label {cleanup} i8 1, label {cleanup} ]"]
    report("left-out", function.name, "the body of the coroutine is not printed: it gets one suspend, and ends when it is resumed")


def add_omitted_yield(function: Function, report: Reporter) -> None:
    """Add the omitted suspend of a ``retcon.once`` coroutine; it yields its arguments or zeros."""
    gives = re.match(r"define .*?\{ ?([^{}]*?) ?\} @", function.head)
    if not function.calls(r"llvm\.coro\.id\.retcon\.once") or function.calls(r"llvm\.coro\.suspend\.retcon[.\w]*"):
        return
    kinds = [kind.strip() for kind in gives[1].split(",")][1:] if gives else []
    given = [f"{kind} {_last_parameter_of(function, kind)}" for kind in kinds]
    block = next((block for block in function.blocks if not block.ended), function.blocks[0])
    block.lines.append(f"%unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1({', '.join(given)})")
    report("left-out", function.name, f"its suspend is not printed: it yields ({', '.join(given)})")


def _last_parameter_of(function: Function, kind: str) -> str:
    """Return the last parameter of a type."""
    found = re.findall(rf"\b{re.escape(kind)} ({NAME})(?=[,)])", function.head)
    return found[-1] if found else "zeroinitializer"
