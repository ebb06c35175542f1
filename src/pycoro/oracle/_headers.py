"""Headers of functions in printed IR: calling convention, types, and those attributes that callers must repeat.

LLVM prints a function's header on one line. What is read of it is what it takes to call the function, or to define it
elsewhere: attributes that merely promise something are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pycoro.running.kinds import Kind, host_kinds

__all__ = ["Header", "Headers", "Parameter", "before_functions", "split", "with_variables"]

_LINE = re.compile(r'\n(declare|define)\b(.*?)@("[^"]*"|[-\w$.]+)\((.*)')
_CONVENTION = re.compile(
    r"\b(fastcc|coldcc|swiftcc|swifttailcc|tailcc|ghccc|preserve_\w+cc|cxx_fast_tlscc|anyregcc|x86_\w+cc|win64cc|cc ?\d+)\b"
)
_KEPT = re.compile(
    r"\b(zeroext|signext|inreg|swiftself|swiftasync|swifterror|nest|align \d+|(?:byval|sret|inalloca|preallocated)\()"
)
_VARIABLE = re.compile(r'^(@(?:"[^"]*"|[-\w$.]+) = )external ((?:\w+ )*)(?:global|constant) (.*)$', re.MULTILINE)
_TYPE = re.compile(r'^(%(?:"[^"]*"|[-\w$.]+)) = type (.*)$', re.MULTILINE)
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


@dataclass(frozen=True)
class Parameter:
    """A parameter, or a result."""

    text: str
    """Its type as LLVM spells it."""
    attributes: str = ""

    @cached_property
    def type(self) -> Kind | None:
        """None where it has no values in Python."""
        return host_kinds().known(self.text)

    def __str__(self) -> str:
        return f"{self.text} {self.attributes}".rstrip()


@dataclass(frozen=True)
class Header:
    """What a function looks like from outside."""

    name: str
    """As printed, with quotes where LLVM needs them, without the ``@``."""
    declaration: bool
    convention: str
    result: Parameter
    parameters: tuple[Parameter, ...]
    variadic: bool = False

    @property
    def returns(self) -> bool:
        """Whether it gives anything."""
        return self.result.text != "void"

    def line(self, keyword: str, name: str = "") -> str:
        """``declare`` or ``define``, and the header after it; the parameters have no names."""
        words = [keyword, self.convention, self.result.attributes, self.result.text]
        parameters = [str(parameter) for parameter in self.parameters] + ["..."] * self.variadic
        return " ".join(filter(None, words)) + f" @{name or self.name}({', '.join(parameters)})"


def split(text: str) -> Iterator[str]:
    """What stands between commas up to the parenthesis that closes the list."""
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


def _leading_type(text: str) -> int:
    """Where the type that the text begins with ends."""
    depth = 0
    for at, char in enumerate(text):
        if char in _CLOSING:
            depth += 1
        elif char in _CLOSING.values():
            depth -= 1
        elif char == " " and not depth and not text.startswith("addrspace", at + 1):
            return at
    return len(text)


def _kept(text: str) -> str:
    found: list[str] = []
    for match in _KEPT.finditer(text):
        if match[0].endswith("("):
            inside = next(split(text[match.end() :]))
            found.append(f"{match[0]}{inside})")
        else:
            found.append(match[0])
    return " ".join(found)


def _parameter(text: str, types: dict[str, str]) -> Parameter:
    end = _leading_type(text)
    return Parameter(
        _expanded(text[:end], types), _kept(re.sub(r"\balign \d+", "", text[end:]) if "byval" not in text else text[end:])
    )


def _result(text: str, types: dict[str, str]) -> Parameter:
    """From what stands before the name: linkage, convention, attributes, and the type as the last."""
    at = len(text)
    depth = 0
    while at and (depth or text[at - 1] != " " or text[at:].startswith("addrspace")):
        at -= 1
        depth += (text[at] in _CLOSING.values()) - (text[at] in _CLOSING)
    return Parameter(_expanded(text[at:], types), _kept(re.sub(r"\balign \d+", "", text[:at])))


def _expanded(text: str, types: dict[str, str]) -> str:
    """The type with the bodies of named types in their place; a pointer is opaque, so none holds itself."""
    while named := re.search(r'%("[^"]*"|[-\w$.]+)', text):
        body = types.get(named[0])
        if body is None:
            return text
        text = text[: named.start()] + body + text[named.end() :]
    return text


def before_functions(ir: str) -> str:
    """What LLVM prints before the first function with a body: the target, types, variables."""
    end = ir.find("\ndefine ")
    return ir if end < 0 else ir[:end]


class Headers(Mapping[str, Header]):
    """The functions of printed IR by name; intrinsics are left out. Of most nobody asks more than that they are there."""

    def __init__(self, ir: str) -> None:
        self._types = dict(_TYPE.findall(before_functions(ir)))
        self._lines = {match[3]: match for match in _LINE.finditer(f"\n{ir}") if not match[3].startswith("llvm.")}
        self._known: dict[str, Header] = {}

    def __getitem__(self, name: str) -> Header:
        if name not in self._known:
            self._known[name] = _header(self._lines[name], self._types)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def declared(self) -> Iterator[Header]:
        """Those that the module does not define."""
        return (self[name] for name, match in self._lines.items() if match[1] == "declare")


def _header(match: re.Match[str], types: dict[str, str]) -> Header:
    keyword, before, name, after = match.groups()
    items = [item for item in split(after) if item]
    variadic = items[-1:] == ["..."]
    parameters = tuple(_parameter(item, types) for item in (items[:-1] if variadic else items))
    convention = _CONVENTION.search(before)
    result = _result(before.strip(), types)
    return Header(name, keyword == "declare", convention[0] if convention else "", result, parameters, variadic)


def with_variables(ir: str) -> str:
    """Printed IR with memory for the variables that it does not define: zeros, which no optimization knows of."""
    types = dict(_TYPE.findall(before_functions(ir)))

    def defined(match: re.Match[str]) -> str:
        text = match[3].rstrip()
        kind, rest = text[: _leading_type(text)].rstrip(","), text[_leading_type(text) :]
        known = "opaque" not in _expanded(kind, types)
        return f"{match[1]}{match[2]}global {kind if known else 'i8'} zeroinitializer{',' if rest else ''}{rest}"

    return _VARIABLE.sub(defined, ir)
