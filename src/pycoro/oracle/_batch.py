"""Combine many cases into one module, to share the start-up cost of a compiler.

A suffix makes the definitions of each case unique; equal declarations are shared. The rewriting works on tokens of the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pycoro._ir_syntax import GLOBAL, LOCAL, NAME, WORD

__all__ = ["Batch", "batches", "with_suffix"]

_OTHER = r'|#\d+|!\d+|![A-Za-z_][-\w.]*|;[^\n]*|"[^"]*"'
_WORD = re.compile(NAME + _OTHER)
_GLOBAL_WORD = re.compile(GLOBAL + _OTHER)
_DEFINED = re.compile(rf"^define\b[^@\n]*@({WORD})|^@({WORD}) *=", re.MULTILINE)
_DECLARED = re.compile(rf"^declare\b[^@\n]*@({WORD})\([^\n]*", re.MULTILINE)
_HELPER = re.compile(r"\ndefine internal [^@\n]*@([-\w$.]+)\([^#!]*?\n}$", re.MULTILINE)
_NAME = re.compile(GLOBAL)
_PROTOTYPE = re.compile(rf"@llvm\.coro\.id\.retcon[.\w]*\((?:[^,\n]*,){{3}}[^,\n@]*@({WORD})")
_TYPE = re.compile(rf"^({LOCAL}) *= *type", re.MULTILINE)
_TARGET = re.compile(r"^target .*$", re.MULTILINE)
_ALONE = re.compile(r"^(?:\$|![a-zA-Z]|module asm|@llvm\.|uselistorder|declare[^\n]*[,(]\s*$)", re.MULTILINE)
"""Constructs with module scope, and those that are not renamed. A case with these, or with block addresses, is not combined."""
_HEAD = re.compile(r"\n([^ }\n][^\n]*)")
_OPENED = 8  # modules that are filled concurrently, since cases may declare a function differently
_WHOLE = re.compile(r"\n(target |source_filename |declare )[^\n]*")


def _lines_outside_functions(ir: str) -> str:
    """Return the lines outside of functions, so that line-based searches are fast."""
    return "\n".join(_HEAD.findall(f"\n{ir}"))


@dataclass
class Batch:
    """A module with the numbers of its cases and the suffixes of their names."""

    ir: str = ""
    members: dict[int, str] = field(default_factory=dict[int, str])


def with_suffix(name: str, suffix: str) -> str:
    """Append the suffix to the name, inside of its quotes."""
    return f'{name[:-1]}{suffix}"' if name.endswith('"') else name + suffix


def _make_names_and_numbers_unique(ir: str, number: int, own: set[str]) -> str:
    """Append the suffix to the definitions, and renumber attributes and metadata uniquely."""
    suffix, base = f".case{number}", (number + 1) * 10000

    def unique_name_or_number(match: re.Match[str]) -> str:
        word = match[0]
        if word in own:
            return with_suffix(word, suffix)
        if word[0] in "#!" and word[1:].isdigit():
            return f"{word[0]}{base + int(word[1:])}"
        return "" if word[0] == ";" else word

    types = any(name[0] == "%" for name in own)
    return (_WORD if types else _GLOBAL_WORD).sub(unique_name_or_number, ir)


class _BatchBuilder:
    def __init__(self) -> None:
        self._declared: dict[str, str] = {}
        self._helpers: dict[str, str] = {}
        self._texts: list[str] = []
        self._target: list[str] | None = None
        self.members: dict[int, str] = {}

    def append_unless_conflicting(self, numbers: Sequence[int], ir: str, heads: str) -> bool:
        """Append the text of some cases; return False if its declarations conflict with those in the module."""
        number = numbers[0]
        target = _TARGET.findall(heads)
        own = {f"@{a or b}" for a, b in _DEFINED.findall(heads)} | set(_TYPE.findall(heads))
        prototypes = set(_PROTOTYPE.findall(ir))  # they are never called, and every case has its prototype
        own |= {f"@{name}" for name in prototypes}
        declared = {match[1]: match[0] for match in _DECLARED.finditer(heads) if match[1] not in prototypes}
        shared = set(declared.values())
        for name, text in declared.items():  # attribute numbers are local to a case
            if "#" in text or "!" in text or "%" in text:
                if not name.startswith("llvm."):
                    return False
                declared[name] = re.sub(r" #\d+", "", text)
        if self._target not in (None, target) or any(self._declared.get(n, t) != t for n, t in declared.items()):
            return False
        if any(f"@{name}" in self._helpers for name in declared):
            return False
        self._target = target
        self._declared |= declared
        body = _WHOLE.sub(lambda line: "" if line[1] != "declare " or line[0][1:] in shared else line[0], f"\n{ir}")
        self._texts.append(_make_names_and_numbers_unique(self._without_existing_helpers(body, own), number, own))
        self.members |= dict.fromkeys(numbers, f".case{number}")
        return True

    def _without_existing_helpers(self, ir: str, own: set[str]) -> str:
        """Return the text without helper functions that exist already and reference no definition of the case."""

        def drop_existing_helper(match: re.Match[str]) -> str:
            name = f"@{match[1]}"
            if match[1] in self._declared or own.intersection(_NAME.findall(match[0])) != {name}:
                return match[0]
            if self._helpers.setdefault(name, match[0]) != match[0]:
                return match[0]
            own.discard(name)
            return ""

        return ir if any(name[0] == "%" for name in own) else _HELPER.sub(drop_existing_helper, ir)

    def batch(self) -> Batch:
        shared = [*(self._target or []), *self._declared.values(), *self._helpers.values()]
        return Batch("\n".join([*shared, *self._texts]), self.members)


def batches(irs: Mapping[int, str], most: int) -> Iterator[Batch]:
    """Yield modules of at most ``most`` cases each. Cases of equal text share one copy."""
    same: dict[str, list[int]] = {}
    for number, ir in irs.items():
        same.setdefault(ir, []).append(number)
    opened: list[_BatchBuilder] = []
    for ir, numbers in same.items():
        heads = _lines_outside_functions(ir)
        if most <= 1 or "blockaddress" in ir or _ALONE.search(heads):
            yield Batch(ir, dict.fromkeys(numbers, ""))
            continue
        builder = next((builder for builder in opened if builder.append_unless_conflicting(numbers, ir, heads)), None)
        if not builder:
            builder = _BatchBuilder()
            if not builder.append_unless_conflicting(numbers, ir, heads):
                yield Batch(ir, dict.fromkeys(numbers, ""))
                continue
            opened.append(builder)
        if len(builder.members) >= most or len(opened) > _OPENED:
            full = builder if len(builder.members) >= most else opened[0]
            opened.remove(full)
            yield full.batch()
    for builder in opened:
        yield builder.batch()
