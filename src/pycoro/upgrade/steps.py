"""What has changed of the coroutine intrinsics, and of what stands around them: a function for each step, over the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from pycoro.upgrade.calls import Call, rewritten
from pycoro.upgrade.first import first_design
from pycoro.upgrade.pointers import opaque
from pycoro.upgrade.second import second_design
from pycoro.upgrade.statements import FLOAT
from pycoro.upgrade.tokens import closing, split_arguments

__all__ = ["STEPS", "UNUSED", "Tell"]

Tell: TypeAlias = Callable[[str, str, str], None]
"""Told of what was changed: the step, the function, a sentence."""

UNUSED = "pycoro.unused"
"""Metadata of what stands for a result that nothing uses, and that has a number; it is erased once the text is read."""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def typed_pointers(text: str, tell: Tell) -> str:
    """``i8*`` is ``ptr``; what an attribute had from its pointer it says itself."""
    text, changed, named = opaque(text)
    if changed:
        tell("typed-pointers", "", f"{_count(changed, 'pointer')} no longer say what they point at")
    if named:
        tell("typed-attributes", "", f"{_count(named, 'attribute')} say the type themselves that their pointer had said")
    return text


# ---- coro.end ----


def ends(text: str, tell: Tell) -> str:
    """``llvm.coro.end`` gives nothing; what its result told, whether this is a part that was resumed, ``llvm.coro.is_in_ramp``
    tells the other way round; and it takes a token of results."""

    def change(call: Call) -> str | None:
        given = [*call.arguments]
        old_token = call.name == "llvm.coro.end" and len(given) == 2
        old_result = re.match(r"i1\b", call.type) is not None
        if not old_token and not old_result:
            return None
        if old_token:
            given.append("token none")
            tell("coro-end-token", call.function, "llvm.coro.end takes a third argument, the token of results: none")
        kind = re.sub(r"^i1\b", "void", call.type)
        kind = re.sub(r"\(ptr, i1\)$", "(ptr, i1, token)", kind)
        made = f"{call.indent}{call.how} {kind} @{call.name}({', '.join(given)}){call.behind}"
        if not old_result:
            return made
        tell("coro-end-void", call.function, f"@{call.name} gives nothing")
        if call.used:
            tell("coro-end-result", call.function, f"what {call.result} told, llvm.coro.is_in_ramp tells the other way round")
            name = "in.ramp." + re.sub(r"\W", ".", call.result[1:])
            made += f"\n{call.indent}%{name} = call i1 @llvm.coro.is_in_ramp()\n{call.indent}{call.result} = xor i1 %{name}, true"
        elif call.numbered or not call.result:
            name = f"{call.result} = " if call.result else ""
            made += f"\n{call.indent}{name}freeze i1 poison, !{UNUSED} !{{}}"
        return made

    return rewritten(text, r"llvm\.coro\.end(?:\.async)?", change)


# ---- Other calls ----


def suspends(text: str, tell: Tell) -> str:
    """``llvm.coro.suspend`` gives an ``i8``."""

    def change(call: Call) -> str | None:
        if not re.match(r"i1\b", call.type) or not call.arguments or not call.arguments[0].startswith("token"):
            return None
        tell("coro-suspend-i8", call.function, f"{call.result} is an i8: -1, 0 or 1")
        kind = re.sub(r"^i1\b", "i8", call.type)
        return f"{call.indent}{call.result} = {call.how} {kind} @{call.name}({', '.join(call.arguments)}){call.behind}"

    return rewritten(text, r"llvm\.coro\.suspend", change)


def parameters(text: str, tell: Tell) -> str:
    """``llvm.coro.param`` asked whether a parameter's copy is needed: it is, and optimisers find out where it is not."""

    def change(call: Call) -> str | None:
        tell("coro-param", call.function, "llvm.coro.param is gone: the parameter is copied")
        if not call.result:
            return f"{call.indent}; llvm.coro.param"
        return f"{call.indent}{call.result} = or i1 true, true"

    return rewritten(text, r"llvm\.coro\.param", change)


_CHANGED = r"\bi1 @llvm\.coro\.(?:end|end\.async|suspend)\(|@llvm\.coro\.end\(ptr, i1\)|@llvm\.coro\.param\("
_DECLARED = re.compile(rf"^declare\b[^@\n]*(?:{_CHANGED})[^\n]*\n?", re.MULTILINE)


def declarations(text: str, tell: Tell) -> str:
    """LLVM declares its intrinsics where a module calls them and does not: those that have changed are left to it."""
    left, count = _DECLARED.subn("", text)
    if count:
        tell("coro-declarations", "", f"{_count(count, 'declaration')} of coroutine intrinsics that have changed left to LLVM")
    return left


# ---- Attributes ----

_OLD = {
    r'"coroutine\.presplit"(?:="[^"]*")?': "the text attribute",
    r"\bpresplitcoroutine_custom_abi\b": "presplitcoroutine_custom_abi",
}


def attributes(text: str, tell: Tell) -> str:
    """A coroutine that is to be split is marked by ``presplitcoroutine``."""
    for old, what in _OLD.items():
        text, count = re.subn(old, "presplitcoroutine", text)
        if count:
            tell("presplit-attribute", "", f"presplitcoroutine says what {what} said")
    groups = set(re.findall(r"^attributes (#\d+) = \{[^}]*\bpresplitcoroutine\b", text, re.MULTILINE))
    pieces: list[str] = []
    done = 0
    for head in re.finditer(r'^define\b[^@\n]*@([-\w$.]+|"[^"]*")\(', text, re.MULTILINE):
        behind = closing(text, head.end() - 1)
        opened, end = text.find("{\n", behind), text.find("\n}", behind)
        if behind < 0 or opened < 0:
            continue
        said = text[behind:opened]
        if "presplitcoroutine" in said or groups & set(re.findall(r"#\d+", said)) or not _is_coroutine(text[opened:end]):
            continue
        kept = re.match(r"\s*(?:local_)?unnamed_addr\b|", said)
        at = behind + (kept.end() if kept else 0)
        pieces += [text[done:at], " presplitcoroutine"]
        done = at
        tell("presplit-attribute", head[1].strip('"'), "the function is a coroutine, and says so by presplitcoroutine")
    return "".join([*pieces, text[done:]])


def _is_coroutine(body: str) -> bool:
    """Whether it has an id of its own that was not split, and something to split it at."""
    found = re.search(r"@llvm\.coro\.id\(", body)
    if not found or not re.search(r"@llvm\.coro\.(?:suspend|end|size|align|alloc|free)\b", body):
        return False
    given = split_arguments(body[found.end() : closing(body, found.end() - 1) - 1])
    return len(given) == 4 and given[3] == "ptr null"


# ---- What is declared nowhere ----

_CALL = re.compile(
    r"^[ \t]*(?:%\S+[ \t]*=[ \t]*)?(?:(?:tail|musttail|notail)[ \t]+)?(?:call|invoke)\b(?P<type>[^@\n=;]*?)@"
    r'(?P<name>(?!llvm\.)(?:[-\w$.]+|"[^"\n]*"))\(',
    re.MULTILINE,
)
_WORD = rf"(?:void|{FLOAT}|ptr(?: addrspace\(\d+\))?|i\d+|token|metadata|%[-\w$.]+)"


def _first_type(text: str) -> str:
    """The type that an argument, or a result, begins with; empty where it is none that is known."""
    if text[:1] in "[{<":
        end = closing(text.replace("<", "(").replace(">", ")"), 0)
        return text[:end] if end > 0 else ""
    found = re.match(_WORD, text)
    return found[0] if found else ""


def _result_type(text: str) -> str:
    """What a call gives, behind its attributes; with the arguments of a function that takes any."""
    words = text.strip()
    while words:
        found = re.match(r"(?:\w+cc|cc ?\d+|noalias|noundef|nonnull|zeroext|signext|align \d+|\w+\(\d+\))\s+", words)
        if not found:
            break
        words = words[found.end() :]
    return words


def undeclared(text: str, tell: Tell) -> str:
    """A function that is called, and that nobody declares, is declared as it is called."""
    known = set(re.findall(r'^(?:define|declare)\b[^@\n]*@([-\w$.]+|"[^"\n]*")\(', text, re.MULTILINE))
    known |= set(re.findall(r"^@([-\w$.]+)\s*=", text, re.MULTILINE))
    made: list[str] = []
    for found in _CALL.finditer(text):
        name = found["name"]
        end = closing(text, found.end() - 1)
        if name in known or end < 0:
            continue
        gives = _result_type(found["type"])
        kind = _first_type(gives)
        kinds = [_first_type(argument) for argument in split_arguments(text[found.end() : end - 1])]
        if not kind or not all(kinds):
            continue
        taken = gives[len(kind) :].strip() or f"({', '.join(kinds)})"
        known.add(name)
        made.append(f"declare {kind} @{name}{taken}")
        tell("declaration", name, "it is declared as it is called")
    return "\n".join([text.rstrip("\n"), "", *made, ""]) if made else text


STEPS: tuple[Callable[[str, Tell], str], ...] = (
    typed_pointers,
    second_design,
    first_design,
    ends,
    suspends,
    parameters,
    declarations,
    attributes,
    undeclared,
)
"""In their order: each sees what those before it have left."""
