"""Parse function headers in printed IR: calling convention, types, and the attributes that callers must repeat.

LLVM prints a header on one line. The parser extracts what a call or a definition in another module needs, and skips
optimization attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pycoro._ir_syntax import GLOBAL, LOCAL, WORD
from pycoro.running.kinds import Kind, host_kinds

__all__ = ["Header", "Headers", "Parameter", "define_external_globals", "split_until_closing_parenthesis", "text_before_functions"]

_LINE = re.compile(rf"\n(declare|define)\b(.*?)@({WORD})\((.*)")
_CONVENTION = re.compile(
    r"\b(fastcc|coldcc|swiftcc|swifttailcc|tailcc|ghccc|preserve_\w+cc|cxx_fast_tlscc|anyregcc|x86_\w+cc|win64cc|cc ?\d+)\b"
)
_KEPT = re.compile(
    r"\b(zeroext|signext|inreg|swiftself|swiftasync|swifterror|nest|align \d+|(?:byval|sret|inalloca|preallocated)\()"
)
_VARIABLE = re.compile(rf"^({GLOBAL} = )external ((?:\w+ )*)(?:global|constant) (.*)$", re.MULTILINE)
_TYPE = re.compile(rf"^({LOCAL}) = type (.*)$", re.MULTILINE)
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


@dataclass(frozen=True)
class Parameter:
    """A parameter or a result."""

    text: str
    """LLVM spelling of its type."""
    attributes: str = ""

    @cached_property
    def type(self) -> Kind | None:
        """Return the type; None if it has no values in Python."""
        return host_kinds().find_kind(self.text)

    @cached_property
    def sret_size(self) -> int:
        """Return the size of the result that an ``sret`` parameter points to, 8 if its type has no values in Python; 0 for any
        other parameter."""
        found = re.search(r"\bsret\((.*)\)", self.attributes)
        kind = host_kinds().find_kind(found[1]) if found else None
        return kind.size if kind else 8 if found else 0

    def __str__(self) -> str:
        return f"{self.text} {self.attributes}".rstrip()


@dataclass(frozen=True)
class Header:
    """Signature of a function for its callers."""

    name: str
    """Name as printed, quoted if necessary, without the ``@``."""
    declaration: bool
    convention: str
    result: Parameter
    parameters: tuple[Parameter, ...]
    variadic: bool = False

    @property
    def returns_a_value(self) -> bool:
        """Return True for a non-void result."""
        return self.result.text != "void"

    def declaration_line(self, keyword: str, name: str = "") -> str:
        """Return the header after ``declare`` or ``define``, with unnamed parameters."""
        words = [keyword, self.convention, self.result.attributes, self.result.text]
        parameters = [str(parameter) for parameter in self.parameters] + ["..."] * self.variadic
        return " ".join(filter(None, words)) + f" @{name or self.name}({', '.join(parameters)})"


def split_until_closing_parenthesis(text: str) -> Iterator[str]:
    """Split at commas up to the closing parenthesis of the list."""
    stack, start = [")"], 0
    quoted = False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _CLOSING:
            stack.append(_CLOSING[char])
        elif char == stack[-1]:
            stack.pop()
            if not stack:
                yield text[start:at].strip()
                return
        elif char == "," and len(stack) == 1:
            yield text[start:at].strip()
            start = at + 1


def _end_of_leading_type(text: str) -> int:
    """Return the end of the leading type."""
    depth = 0
    for at, char in enumerate(text):
        if char in _CLOSING:
            depth += 1
        elif char in _CLOSING.values():
            depth -= 1
        elif char == " " and not depth and not text.startswith("addrspace", at + 1):
            return at
    return len(text)


def _attributes_to_keep(text: str, types: dict[str, str]) -> str:
    found: list[str] = []
    for match in _KEPT.finditer(text):
        if match[0].endswith("("):
            inside = _expand_named_types(next(split_until_closing_parenthesis(text[match.end() :])), types)
            found.append(f"{match[0]}{inside})")
        else:
            found.append(match[0])
    return " ".join(found)


def _parse_parameter(text: str, types: dict[str, str]) -> Parameter:
    end = _end_of_leading_type(text)
    return Parameter(
        _expand_named_types(text[:end], types),
        _attributes_to_keep(re.sub(r"\balign \d+", "", text[end:]) if "byval" not in text else text[end:], types),
    )


def _parse_result(text: str, types: dict[str, str]) -> Parameter:
    """Parse the text before the name: linkage, convention, attributes, and finally the type."""
    at = len(text)
    depth = 0
    while at and (depth or text[at - 1] != " " or text[at:].startswith("addrspace")):
        at -= 1
        depth += (text[at] in _CLOSING.values()) - (text[at] in _CLOSING)
    return Parameter(_expand_named_types(text[at:], types), _attributes_to_keep(re.sub(r"\balign \d+", "", text[:at]), types))


def _expand_named_types(text: str, types: dict[str, str]) -> str:
    """Expand named types. Pointers are opaque, so no type contains itself."""
    while named := re.search(f"%({WORD})", text):
        body = types.get(named[0])
        if body is None:
            return text
        text = text[: named.start()] + body + text[named.end() :]
    return text


def text_before_functions(ir: str) -> str:
    """Return the text before the first function body: target, types and globals."""
    end = ir.find("\ndefine ")
    return ir if end < 0 else ir[:end]


class Headers(Mapping[str, Header]):
    """Functions of printed IR by name, without intrinsics. Headers are parsed on access."""

    def __init__(self, ir: str) -> None:
        self._types = dict(_TYPE.findall(text_before_functions(ir)))
        self._lines = {match[3]: match for match in _LINE.finditer(f"\n{ir}") if not match[3].startswith("llvm.")}
        self._known: dict[str, Header] = {}

    def __getitem__(self, name: str) -> Header:
        if name not in self._known:
            self._known[name] = _parse_header(self._lines[name], self._types)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def undefined_functions(self) -> Iterator[Header]:
        """Yield the functions that the module does not define."""
        return (self[name] for name, match in self._lines.items() if match[1] == "declare")


def _parse_header(match: re.Match[str], types: dict[str, str]) -> Header:
    keyword, before, name, after = match.groups()
    items = [item for item in split_until_closing_parenthesis(after) if item]
    variadic = items[-1:] == ["..."]
    parameters = tuple(_parse_parameter(item, types) for item in (items[:-1] if variadic else items))
    convention = _CONVENTION.search(before)
    result = _parse_result(before.strip(), types)
    return Header(name, keyword == "declare", convention[0] if convention else "", result, parameters, variadic)


def define_external_globals(ir: str) -> str:
    """Define the external globals of printed IR as zeros that optimizations treat as unknown."""
    types = dict(_TYPE.findall(text_before_functions(ir)))

    def define_global(match: re.Match[str]) -> str:
        text = match[3].rstrip()
        kind, rest = text[: _end_of_leading_type(text)].rstrip(","), text[_end_of_leading_type(text) :]
        known = "opaque" not in _expand_named_types(kind, types)
        return f"{match[1]}{match[2]}global {kind if known else 'i8'} zeroinitializer{',' if rest else ''}{rest}"

    return _VARIABLE.sub(define_global, ir)
