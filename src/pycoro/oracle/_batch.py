"""Many cases in one module: what it costs to start a compiler is paid once for all of them.

Everything that a case defines gets a suffix, so that cases do not meet; what they declare is shared where it is the
same. It is done on the text, as a reader of LLVM's would see it word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Batch", "batches", "with_suffix"]

_OTHER = r'|#\d+|!\d+|![A-Za-z_][-\w.]*|;[^\n]*|"[^"]*"'
_WORD = re.compile(r'[@%]"[^"]*"|[@%][-\w$.]+' + _OTHER)
_GLOBAL_WORD = re.compile(r'@"[^"]*"|@[-\w$.]+' + _OTHER)
_DEFINED = re.compile(r'^define\b[^@\n]*@("[^"]*"|[-\w$.]+)|^@("[^"]*"|[-\w$.]+) *=', re.MULTILINE)
_DECLARED = re.compile(r'^declare\b[^@\n]*@("[^"]*"|[-\w$.]+)\([^\n]*', re.MULTILINE)
_HELPER = re.compile(r"\ndefine internal [^@\n]*@([-\w$.]+)\([^#!]*?\n}$", re.MULTILINE)
_NAME = re.compile(r'@(?:"[^"]*"|[-\w$.]+)')
_PROTOTYPE = re.compile(r'@llvm\.coro\.id\.retcon[.\w]*\((?:[^,\n]*,){3}[^,\n@]*@("[^"]*"|[-\w$.]+)')
_TYPE = re.compile(r'^(%(?:"[^"]*"|[-\w$.]+)) *= *type', re.MULTILINE)
_TARGET = re.compile(r"^target .*$", re.MULTILINE)
_ALONE = re.compile(r"^(?:\$|![a-zA-Z]|module asm|@llvm\.|uselistorder|declare[^\n]*[,(]\s*$)", re.MULTILINE)
"""What belongs to a whole module, or is not worth renaming: a case that has such lines stays alone, or addresses of blocks."""
_HEAD = re.compile(r"\n([^ }\n][^\n]*)")
_OPENED = 8  # modules that are filled at a time: authors declare the same functions in ways of their own
_WHOLE = re.compile(r"\n(target |source_filename |declare )[^\n]*")


def _heads(ir: str) -> str:
    """The lines outside of functions: few, so that what stands at the beginning of a line is looked for in them."""
    return "\n".join(_HEAD.findall(f"\n{ir}"))


@dataclass
class Batch:
    """A module, and which cases are in it with what suffixes to their names."""

    ir: str = ""
    members: dict[int, str] = field(default_factory=dict[int, str])


def with_suffix(name: str, suffix: str) -> str:
    """The name with the suffix, within its quotes where it has some."""
    return f'{name[:-1]}{suffix}"' if name.endswith('"') else name + suffix


def _renamed(ir: str, number: int, own: set[str]) -> str:
    """The text with the suffix on names of its own, and numbers of attributes and metadata that no other has."""
    suffix, base = f".case{number}", (number + 1) * 10000

    def replace(match: re.Match[str]) -> str:
        word = match[0]
        if word in own:
            return with_suffix(word, suffix)
        if word[0] in "#!" and word[1:].isdigit():
            return f"{word[0]}{base + int(word[1:])}"
        return "" if word[0] == ";" else word

    types = any(name[0] == "%" for name in own)
    return (_WORD if types else _GLOBAL_WORD).sub(replace, ir)


class _Builder:
    def __init__(self) -> None:
        self._declared: dict[str, str] = {}
        self._helpers: dict[str, str] = {}
        self._texts: list[str] = []
        self._target: list[str] | None = None
        self.members: dict[int, str] = {}

    def add(self, numbers: Sequence[int], ir: str, heads: str) -> bool:
        """Adds the text of some cases, with its heads; False where it does not fit those that are there."""
        number = numbers[0]
        target = _TARGET.findall(heads)
        own = {f"@{a or b}" for a, b in _DEFINED.findall(heads)} | set(_TYPE.findall(heads))
        prototypes = set(_PROTOTYPE.findall(ir))  # nobody calls them, and each case has its own under the same name
        own |= {f"@{name}" for name in prototypes}
        declared = {match[1]: match[0] for match in _DECLARED.finditer(heads) if match[1] not in prototypes}
        shared = set(declared.values())
        for name, text in declared.items():  # attributes are numbered in each case by itself
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
        self._texts.append(_renamed(self._without_helpers(body, own), number, own))
        self.members |= dict.fromkeys(numbers, f".case{number}")
        return True

    def _without_helpers(self, ir: str, own: set[str]) -> str:
        """The text without functions that refer to nothing of the case's own, where others have the very same."""

        def replace(match: re.Match[str]) -> str:
            name = f"@{match[1]}"
            if match[1] in self._declared or own.intersection(_NAME.findall(match[0])) != {name}:
                return match[0]
            if self._helpers.setdefault(name, match[0]) != match[0]:
                return match[0]
            own.discard(name)
            return ""

        return ir if any(name[0] == "%" for name in own) else _HELPER.sub(replace, ir)

    def batch(self) -> Batch:
        shared = [*(self._target or []), *self._declared.values(), *self._helpers.values()]
        return Batch("\n".join([*shared, *self._texts]), self.members)


def batches(irs: Mapping[int, str], most: int) -> Iterator[Batch]:
    """The cases in as few modules as they fit in, at most so many in one. Cases of one text are there once."""
    same: dict[str, list[int]] = {}
    for number, ir in irs.items():
        same.setdefault(ir, []).append(number)
    opened: list[_Builder] = []
    for ir, numbers in same.items():
        heads = _heads(ir)
        if most <= 1 or "blockaddress" in ir or _ALONE.search(heads):
            yield Batch(ir, dict.fromkeys(numbers, ""))
            continue
        builder = next((builder for builder in opened if builder.add(numbers, ir, heads)), None)
        if not builder:
            builder = _Builder()
            if not builder.add(numbers, ir, heads):
                yield Batch(ir, dict.fromkeys(numbers, ""))
                continue
            opened.append(builder)
        if len(builder.members) >= most or len(opened) > _OPENED:
            full = builder if len(builder.members) >= most else opened[0]
            opened.remove(full)
            yield full.batch()
    for builder in opened:
        yield builder.batch()
