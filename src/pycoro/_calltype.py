"""How a function is called, read from LLVM's words for it."""

from __future__ import annotations

import re
from typing import NamedTuple

from pycoro.errors import UsageError

__all__ = ["CallType", "function_type", "parse_call_type", "values_of"]

_TYPE = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
"""In parentheses: a type may have some of its own, two deep, as ``target("a", ptr addrspace(1))`` has."""
_ATTRIBUTE = rf"(?:inreg|signext|swiftasync|swifterror|swiftself|zeroext|(?:byval|inalloca|preallocated|sret){_TYPE})"
_PARAMETER = re.compile(rf"(.*?)((?:\s+{_ATTRIBUTE})*)\s*", re.DOTALL)
_RESULT = re.compile(rf"(cc \d+(?:\s+{_ATTRIBUTE})*)\s+(.*?)\s*", re.DOTALL)


class CallType(NamedTuple):
    """``cc 0 { ptr, i32 } (ptr, i1 zeroext)``, taken apart."""

    text: str
    convention: str
    """With the attributes of the result."""
    result: str
    """``void``, or a type."""
    parameters: tuple[str, ...]
    attributes: tuple[str, ...]
    """By parameter: what stands behind its type."""


def _masked(text: str) -> str:
    """The text as long as it was, with no bracket or comma in the names that it quotes."""
    return re.sub(r'"[^"]*"', lambda name: "_" * len(name[0]), text)


def _split(text: str) -> list[str]:
    """At the commas that no bracket holds."""
    parts, depth = [""], 0
    for letter, seen in zip(text, _masked(text), strict=True):
        depth += (seen in "([{<") - (seen in ")]}>")
        if seen == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _parameter(text: str) -> tuple[str, str]:
    """A parameter's type, and the attributes behind it."""
    found = _PARAMETER.fullmatch(_masked(text))
    if not found:
        raise UsageError(f"{text!r} is no parameter")
    return text[: found.end(1)], text[found.start(2) : found.end(2)].strip()


def _taken(text: str) -> tuple[str, list[str]]:
    """What stands before the list of parameters at the end, and they."""
    depth, start = 0, len(text)
    masked = _masked(text)
    for start in range(len(text) - 1, -1, -1):
        depth += (masked[start] == ")") - (masked[start] == "(")
        if not depth:
            break
    return text[:start], _split(text[start + 1 : -1])


def function_type(text: str) -> tuple[str, tuple[str, ...], bool]:
    """The types of the result and the parameters of ``"ptr (i32, ...)"``, and whether it is variadic."""
    result, parameters = _taken(text)
    variadic = parameters[-1:] == ["..."]
    return result.strip(), tuple(parameters[: len(parameters) - variadic]), variadic


def parse_call_type(text: str) -> CallType:
    """What ``pycoro.h`` calls ramp_type and resume_type."""
    before, taken = _taken(text)
    head = _RESULT.fullmatch(before)
    if not head:
        raise UsageError(f"{text!r} does not say how a function is called")
    parameters = [_parameter(part) for part in taken]
    return CallType(
        text,
        head[1],
        head[2],
        tuple(kind for kind, _ in parameters),
        tuple(attributes for _, attributes in parameters),
    )


def values_of(type_text: str) -> tuple[str, ...]:
    """The types of the values that a function of this result gives."""
    if type_text == "void":
        return ()
    return tuple(_split(type_text[1:-1])) if type_text.startswith("{") else (type_text,)
