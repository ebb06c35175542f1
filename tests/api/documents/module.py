"""Complete the rest of a module: strings, metadata, comdats, attribute groups, declarations."""

from __future__ import annotations

import re

from documents.body import RECORD
from documents.structure import Listing
from pycoro.upgrade.calls import Reporter

__all__ = ["complete_module"]

_GLOBAL = r'@(?:[-\w$.]*[-\w$]|"[^"]*")'


def _define_strings(text: str, report: Reporter) -> str:
    """Replace string arguments by pointers to constants."""
    made: list[str] = []

    def constant(found: re.Match[str]) -> str:
        data = found[2].encode()
        escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in (34, 92) else f"\\{byte:02X}" for byte in data)
        name = f"@.text.{len(made)}"
        made.append(f'{name} = private constant [{len(data) + 1} x i8] c"{escaped}\\00"')
        report("text", "", f"a string argument becomes the constant {name}")
        return f"{found[1]}ptr {name}"

    text = re.sub(r'(?<!syncscope)(?<!allockind)([(,] ?)"([^"\n]*)"(?=[,)])', constant, text)
    return "\n".join([*made, text]) if made else text


def _remove_dangling_metadata(text: str) -> tuple[str, set[str]]:
    """Remove nodes and debug records that refer to missing metadata; return the missing names."""
    lines, missing = text.split("\n"), set[str]()
    while True:
        known = set(re.findall(r"^(!\d+) =", "\n".join(lines), re.MULTILINE))
        kept: list[str] = []
        for line in lines:
            node, record = re.match(r"!\d+ =", line), RECORD.match(line)
            wanting = set(re.findall(r"!\d+\b", re.sub(r'"[^"]*"', "", line))) - known
            if re.match(r"![-$._A-Za-z][-\w$.]* = !\{", line):
                missing |= wanting
                named = [f"!{one}" for one in re.findall(r"!(\d+)", line.partition("{")[2]) if f"!{one}" in known]
                line = f"{line.partition('{')[0]}{{{', '.join(named)}}}"
            elif (node or record) and wanting:
                missing |= wanting
                continue
            kept.append(line)
        if len(kept) == len(lines):
            return "\n".join(kept), missing
        lines = kept


def _remove_dangling_references(text: str, report: Reporter) -> str:
    """Remove references to missing metadata and attribute groups; define missing comdats."""
    text, missing = _remove_dangling_metadata(text)
    metadata = set(re.findall(r"^(![-\w$.]+) =", text, re.MULTILINE))
    groups = set(re.findall(r"^attributes (#\d+) =", text, re.MULTILINE))
    gone: set[str] = missing

    def mark(found: re.Match[str]) -> str:
        if found[1] in metadata | groups:
            return found[0]
        gone.add(found[1])
        return ""

    text = re.sub(r",? ![-\w$.]+ (!\d+)(?![-\w$.])", mark, text)
    text = re.sub(r"(?<=[)\w]) (#\d+)(?=$| |,)", mark, text, flags=re.MULTILINE)
    if gone:
        report("marks", "", f"{', '.join(sorted(gone))}: not printed, removed")
    comdats = [
        name
        for name in re.findall(rf"^define [^\n]*?({_GLOBAL})\([^\n]* comdat(?= \{{| )", text, re.MULTILINE)
        if not re.search(rf"^\${re.escape(name[1:])} =", text, re.MULTILINE)
    ]
    if comdats:
        report("comdat", "", f"comdats are defined as 'any': {', '.join(f'${name[1:]}' for name in comdats)}")
    return "".join(f"${name[1:]} = comdat any\n" for name in comdats) + text


def _declare_named_functions(text: str, report: Reporter) -> str:
    """Declare functions that are named but neither called nor declared."""
    known = set(re.findall(rf"^(?:define|declare)\b[^@\n]*({_GLOBAL})\(", text, re.MULTILINE))
    known |= set(re.findall(rf"^({_GLOBAL})\s*=", text, re.MULTILINE))
    called = set(re.findall(rf"\b(?:call|invoke)\b[^@\n]*({_GLOBAL})\(", text))
    made: list[str] = []

    def add(name: str, declaration: str, what: str) -> None:
        if name not in known:
            known.add(name)
            made.append(declaration)
            report("declaration", name[1:].strip('"'), what)

    for found in re.finditer(r"@llvm\.coro\.await\.suspend\.(void|bool|handle)\(ptr \S+, ptr \S+, ptr (@[^,)]+)\)", text):
        gives = {"void": "void", "bool": "i1", "handle": "ptr"}[found[1]]
        add(found[2], f"declare {gives} {found[2]}(ptr, ptr)", "await_suspend of an awaiter, for you to define")
    for found in re.finditer(r"@llvm\.coro\.id\.retcon(?:\.once)?\([^)]*ptr (@\S+), ptr (@\S+), ptr (@[^,)\s]+)\)", text):
        add(found[1], f"declare i8 {found[1]}(ptr, i1 zeroext)", "prototype of a continuation")
        add(found[2], f"declare ptr {found[2]}(i64)", "allocator of the frame, for you to define")
        add(found[3], f"declare void {found[3]}(ptr)", "deallocator of the frame, for you to define")
    for found in re.finditer(r"@llvm\.coro\.id\.async\(i32 (\d+), [^)]*ptr (@\S+)\)", text):
        holds = f"<{{ i32, i32 }}> <{{ i32 0, i32 {found[1]} }}>"
        add(found[2], f"{found[2]} = global {holds}", "async function pointer with the context size")
    handed = r"(?:, ptr (@[^,)\s]+)((?:, [^,)]+)*))?"
    for found in re.finditer(rf"@llvm\.coro\.suspend\.async\w*\(i32 \d+, ptr %?\S+, ptr (@[^,)\s]+){handed}\)", text):
        add(found[1], f"declare ptr {found[1]}(ptr)", "returns the caller's context, for you to define")
        if found[2]:
            add(found[2], f"declare swiftcc void {found[2]}({_argument_types(found[3])})", "called by a suspend, for you to define")
    for found in re.finditer(r"@llvm\.coro\.end\.async\(ptr \S+, i1 \S+, ptr (@[^,)\s]+)((?:, [^,)]+)*)\)", text):
        add(found[1], f"declare swiftcc void {found[1]}({_argument_types(found[2])})", "called after the end, for you to define")
    for name in dict.fromkeys(re.findall(rf"\bptr ({_GLOBAL})", text)):
        if name in called or name.startswith("@llvm."):
            continue
        if name == "@__gxx_personality_v0" or name == "@__CxxFrameHandler3":
            add(name, f"declare i32 {name}(...)", "personality function")
        else:
            add(name, f"declare void {name}(ptr)", "function of a pointer, for you to define")
    return "\n".join([text.rstrip("\n"), *made, ""]) if made else text


def _argument_types(arguments: str) -> str:
    return ", ".join(argument.split()[0] for argument in arguments.split(",") if argument.strip())


def complete_module(listing: Listing, report: Reporter) -> str:
    """Return the text of the module: functions with everything around them."""
    text = "\n".join([*listing.globals, *(function.text() for function in listing.functions)]) + "\n"
    for step in (_define_strings, _remove_dangling_references, _declare_named_functions):
        text = step(text, report)
    return "\n".join([*listing.targets, text])
