"""Parse the call types that ``pycoro.h`` prints, ``cc 0 { ptr, i32 } (ptr, i1 zeroext)``."""

from __future__ import annotations

import re
from typing import NamedTuple

from pycoro._ir_syntax import split_at_top_level_commas
from pycoro.errors import UsageError

__all__ = ["CallType", "parse_call_type", "parse_function_type", "split_off_parameter_list", "value_types_of_result"]

_TYPE = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
"""Parenthesized type. Parentheses nest two deep, as in ``target("a", ptr addrspace(1))``."""
_ATTRIBUTE = rf"(?:inreg|signext|swiftasync|swifterror|swiftself|zeroext|(?:byval|inalloca|preallocated|sret){_TYPE})"
_PARAMETER = re.compile(rf"(.*?)((?:\s+{_ATTRIBUTE})*)\s*", re.DOTALL)
_RESULT = re.compile(rf"(cc \d+(?:\s+{_ATTRIBUTE})*)\s+(.*?)\s*", re.DOTALL)


class CallType(NamedTuple):
    """Parsed form of ``cc 0 { ptr, i32 } (ptr, i1 zeroext)``."""

    text: str
    convention: str
    """Calling convention and result attributes."""
    result: str
    """``void`` or a type."""
    parameters: tuple[str, ...]
    attributes: tuple[str, ...]
    """Attributes of each parameter, as text after its type."""


def _mask_quoted_names(text: str) -> str:
    """Replace quoted names by underscores, so that they contain no bracket or comma. The length stays the same."""
    return re.sub(r'"[^"]*"', lambda name: "_" * len(name[0]), text)


def _split_type_and_attributes(text: str) -> tuple[str, str]:
    """Split a parameter into its type and its attributes."""
    found = _PARAMETER.fullmatch(_mask_quoted_names(text))
    if not found:
        raise UsageError(f"{text!r} is not a parameter: expected a type and attributes")
    return text[: found.end(1)], text[found.start(2) : found.end(2)].strip()


def split_off_parameter_list(text: str) -> tuple[str, list[str]]:
    """Split the trailing parameter list off: return the text before it and the parameters."""
    depth, start = 0, len(text)
    masked = _mask_quoted_names(text)
    for start in range(len(text) - 1, -1, -1):
        depth += (masked[start] == ")") - (masked[start] == "(")
        if not depth:
            break
    return text[:start], split_at_top_level_commas(text[start + 1 : -1])


def parse_function_type(text: str) -> tuple[str, tuple[str, ...], bool]:
    """Parse ``"ptr (i32, ...)"`` into result type, parameter types and whether it is variadic."""
    result, parameters = split_off_parameter_list(text)
    variadic = parameters[-1:] == ["..."]
    return result.strip(), tuple(parameters[: len(parameters) - variadic]), variadic


def parse_call_type(text: str) -> CallType:
    """Parse the ``ramp_type`` or ``resume_type`` of ``pycoro.h``. Raises ``UsageError`` for any other text."""
    before, taken = split_off_parameter_list(text)
    head = _RESULT.fullmatch(before)
    if not head:
        raise UsageError(f"{text!r} is not a call type such as 'cc 0 ptr (i32)'")
    parameters = [_split_type_and_attributes(part) for part in taken]
    return CallType(
        text,
        head[1],
        head[2],
        tuple(kind for kind, _ in parameters),
        tuple(attributes for _, attributes in parameters),
    )


def value_types_of_result(type_text: str) -> tuple[str, ...]:
    """Return the types of the values that a result type consists of."""
    if type_text == "void":
        return ()
    return tuple(split_at_top_level_commas(type_text[1:-1])) if type_text.startswith("{") else (type_text,)
