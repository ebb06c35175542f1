"""Pointers that say what they point at, as LLVM had them up to 16: ``i8*`` is ``ptr``."""

from __future__ import annotations

from pycoro.upgrade.tokens import CLOSES, OPENS, Token, tokens

__all__ = ["opaque"]

TYPED = ("sret", "byval", "inalloca", "preallocated")
"""Attributes that had the type from their pointer."""


def _start(words: list[Token], end: int) -> int:
    """Where the type begins that ends at a place; -1 where none does."""
    while end >= 0:
        last = words[end]
        if last.text not in CLOSES:
            return end
        opened = last.opened
        if last.text != ")":
            return opened
        end = opened - 1  # a function's type, behind what it returns; or ptr addrspace(1), behind both words
        if end >= 0 and words[end].text == "addrspace":
            end -= 1
    return -1


def _text(words: list[Token]) -> str:
    return "".join((word.before if number else "") + word.text for number, word in enumerate(words))


class _Words:
    """The words that are written so far, with their brackets."""

    def __init__(self) -> None:
        self.words: list[Token] = []
        self.open: list[int] = []
        self.changed = 0
        self.named = 0

    def add(self, word: Token) -> None:
        if word.text in OPENS:
            self.open.append(len(self.words))
        elif word.text in CLOSES and self.open and self.words[self.open[-1]].text == CLOSES[word.text]:
            word.opened = self.open.pop()
        self.words.append(word)

    def star(self, word: Token) -> None:
        """The type that ends here is what a pointer points at. Where none does the star stays, for LLVM to complain of."""
        words, space = self.words, list[Token]()
        if len(words) > 4 and words[-1].text == ")" and words[words[-1].opened - 1].text == "addrspace":
            space = words[words[-1].opened - 1 :]
            if words[words[-1].opened - 2].text != "ptr":
                del words[words[-1].opened - 1 :]
            else:
                space = []
        start = _start(words, len(words) - 1)
        if start < 0:
            self.add(word)
            return
        pointee = words[start:]
        made = Token(pointee[0].before, "ptr", pointee=_text(pointee))
        words[start:] = [made]
        self.changed += 1
        for word in space:
            self.add(word)

    def name_type(self) -> None:
        """``sret`` was of what its pointer points at."""
        depth = 0
        for word in reversed(self.words[:-1]):
            depth += (word.text in CLOSES) - (word.text in OPENS)
            if depth < 0 or (not depth and word.text == ","):
                return
            if word.pointee:
                self.named += 1
                self.words[-1].text += f"({word.pointee})"
                return


def opaque(text: str) -> tuple[str, int, int]:
    """The text with pointers that say nothing; how many said something, and how many attributes got a type. Linear."""
    made = _Words()
    bare = False
    for word in tokens(text):
        if bare and word.text != "(":
            made.name_type()
        bare = word.text in TYPED
        if word.text == "*" and made.words:
            made.star(word)
        else:
            made.add(word)
    if not made.changed:
        return text, 0, 0
    return "".join(word.before + word.text for word in made.words), made.changed, made.named
