"""One line of printed IR as tokens, with the edits that the conversions share."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycoro.upgrade.calls import Reporter
from pycoro.upgrade.tokens import DEPTH, DEPTH_OF_TYPES, Token, tokens

__all__ = ["Line", "ignore_remark"]


def ignore_remark(conversion: str, function: str, message: str) -> None:
    """Discard a remark."""


@dataclass(slots=True)
class Line:
    """Line of the text that LLVM prints, which has one instruction, header, attribute group or metadata node."""

    words: list[Token]
    target: int
    """Major version of the reader."""
    function: str
    report: Reporter
    rejections: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Problem and fix of each construct that the reader lacks."""

    @classmethod
    def parse(cls, text: str, target: int, function: str, report: Reporter) -> Line:
        return cls(list(tokens(text)), target, function, report)

    @property
    def text(self) -> str:
        return "".join(word.before + word.text for word in self.words)

    @property
    def line_kind(self) -> str:
        """``"metadata"``, ``"record"``, or the first word if that is a keyword of the module level, else ``"instruction"``."""
        first = self.words[0].text
        if first.startswith("!"):
            return "metadata"
        if first.startswith("#dbg_"):
            return "record"
        return first if first in ("attributes", "declare", "define", "target") else "instruction"

    def find_token(self, text: str, start: int = 0) -> int:
        """Return the index of the first token with this text; -1 if there is none."""
        return next((at for at in range(start, len(self.words)) if self.words[at].text == text), -1)

    def closing_bracket_or_last(self, token_index: int) -> int:
        """Return the index of the bracket that closes the one at an index."""
        depth = 0
        for index in range(token_index, len(self.words)):
            depth += DEPTH.get(self.words[index].text, 0)
            if not depth:
                return index
        return len(self.words) - 1

    def ranges_between_commas(self, token_index: int) -> list[tuple[int, int]]:
        """Return the ranges of tokens between the top-level commas inside the bracket at an index."""
        end, depth, start = self.closing_bracket_or_last(token_index), 0, token_index + 1
        found: list[tuple[int, int]] = []
        for index in range(token_index + 1, end):
            word = self.words[index].text
            depth += DEPTH_OF_TYPES.get(word, 0)
            if word == "," and not depth:
                found.append((start, index))
                start = index + 1
        return [*found, (start, end)] if end > token_index + 1 else []

    def next_token_is(self, token_index: int, text: str) -> bool:
        return token_index + 1 < len(self.words) and self.words[token_index + 1].text == text

    def remove(self, start: int, end: int) -> None:
        """Remove tokens; the first token of a line leaves its indentation to the next."""
        if start == 0 and end < len(self.words):
            self.words[end].before = self.words[0].before
        del self.words[start:end]

    def remove_list_element(self, start: int, end: int) -> None:
        """Remove a range between commas with one of them."""
        if self.words[start - 1].text == ",":
            self.remove(start - 1, end)
        else:
            self.words[end + 1 if self.next_token_is(end - 1, ",") else end].before = self.words[start].before
            self.remove(start, end + 1 if self.next_token_is(end - 1, ",") else end)

    def insert(self, token_index: int, text: str) -> None:
        """Insert text before a token, after its white space."""
        self.words.insert(token_index, Token(self.words[token_index].before, text))
        self.words[token_index + 1].before = ""

    def report_conversion(self, conversion: str, message: str) -> None:
        self.report(conversion, self.function, message)

    def record_rejection(self, problem: str, fix: str) -> None:
        self.rejections.append((problem, fix))
