"""Hide the contents of strings, comments and quoted names, which may look like IR, from the steps of an upgrade."""

from __future__ import annotations

import re

__all__ = ["HiddenStrings"]

_QUOTED = re.compile(r'(?P<sigil>[@%$]?)"(?P<content>[^"]*)"|;(?P<comment>[^\n]*)')
_HIDDEN = re.compile(r"\x01(\d+)\x01")
_PLAIN = re.compile(r"[-A-Za-z$._][-\w$.]*", re.ASCII)
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")
_ATTRIBUTE = "coroutine.presplit"
"""String attribute that a step replaces."""
_NOT_AN_ATTRIBUTE = re.compile(
    r"(?:[=:,(\[!]|(?<![-\w$.])c|(?<![-\w$.@%])(?:asm|sideeffect|alignstack|inteldialect|unwind|section|gc|partition))\s*$"
)
"""Text before a string that is a constant, a metadata string, assembly or a name instead of an attribute."""


class HiddenStrings:
    r"""Text with a number in place of the content of each string, comment and quoted name.

    Equal contents get the same number, so names can be compared. Unnecessary quotes of names are removed.

    >>> from pycoro.upgrade.strings import HiddenStrings
    >>> hidden = HiddenStrings('call void @"f"() ; call @g')
    >>> hidden.text
    'call void @f() ;\x010\x01'
    >>> hidden.restore(hidden.text)
    'call void @f() ; call @g'
    """

    def __init__(self, text: str) -> None:
        self._numbers: dict[str, int] = {}
        self._contents: list[str] = []
        self.text = _QUOTED.sub(self._hide, text)

    def _hide(self, found: re.Match[str]) -> str:
        if found["comment"] is not None:
            return f";{self._placeholder(found['comment'])}"
        sigil, content = found["sigil"], found["content"]
        if sigil and _PLAIN.fullmatch(name := _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), content)):
            return sigil + name
        if content == _ATTRIBUTE and not sigil and self._is_string_attribute(found):
            return found[0]
        return f'{sigil}"{self._placeholder(content)}"'

    @staticmethod
    def _is_string_attribute(found: re.Match[str]) -> bool:
        before = found.string[max(0, found.start() - 100) : found.start()]
        return found.string[found.end() : found.end() + 1] not in ("(", ":") and not _NOT_AN_ATTRIBUTE.search(before)

    def _placeholder(self, content: str) -> str:
        number = self._numbers.setdefault(content, len(self._contents))
        if number == len(self._contents):
            self._contents.append(content)
        return f"\x01{number}\x01"

    def restore(self, text: str) -> str:
        """Return a text with the contents of the hidden strings."""
        contents = dict(enumerate(self._contents))
        return _HIDDEN.sub(lambda found: contents.get(int(found[1]), found[0]), text)
