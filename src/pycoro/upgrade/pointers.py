"""Convert typed pointers of LLVM up to 16 to opaque ones: ``i8*`` becomes ``ptr``."""

from __future__ import annotations

from pycoro.upgrade.tokens import CLOSES, OPENS, Token, tokens

__all__ = ["with_opaque_pointers_and_counts"]

TYPED = ("sret", "byval", "inalloca", "preallocated")
"""Attributes whose type was the pointee."""


def _type_start_or_minus_1(words: list[Token], end: int) -> int:
    """Return the index where the type ending at ``end`` starts; -1 if there is none."""
    while end >= 0:
        last = words[end]
        if last.text not in CLOSES:
            return end
        opened = last.opened
        if last.text != ")":
            return opened
        end = opened - 1  # function type after its result, or ptr addrspace(1) after both tokens
        if end >= 0 and words[end].text == "addrspace":
            end -= 1
    return -1


def _tokens_text(words: list[Token]) -> str:
    return "".join((word.before if number else "") + word.text for number, word in enumerate(words))


class _TokenOutput:
    """Output tokens with their brackets."""

    def __init__(self) -> None:
        self.words: list[Token] = []
        self.open: list[int] = []
        self.changed = 0
        self.named = 0

    def add_token(self, word: Token) -> None:
        if word.text in OPENS:
            self.open.append(len(self.words))
        elif word.text in CLOSES and self.open and self.words[self.open[-1]].text == CLOSES[word.text]:
            word.opened = self.open.pop()
        self.words.append(word)

    def replace_pointee_type_by_ptr(self, word: Token) -> None:
        """Replace the type that ends here by ``ptr``. Without a type the star stays, and LLVM reports it."""
        words, space = self.words, list[Token]()
        if len(words) > 4 and words[-1].text == ")" and words[words[-1].opened - 1].text == "addrspace":
            space = words[words[-1].opened - 1 :]
            if words[words[-1].opened - 2].text != "ptr":
                del words[words[-1].opened - 1 :]
            else:
                space = []
        start = _type_start_or_minus_1(words, len(words) - 1)
        if start < 0:
            self.add_token(word)
            return
        pointee = words[start:]
        pointer = Token(pointee[0].before, "ptr", pointee=_tokens_text(pointee))
        words[start:] = [pointer]
        self.changed += 1
        for word in space:
            self.add_token(word)

    def add_type_to_attribute(self) -> None:
        """Add the pointee as the type of the attribute."""
        depth = 0
        for word in reversed(self.words[:-1]):
            depth += (word.text in CLOSES) - (word.text in OPENS)
            if depth < 0 or (not depth and word.text == ","):
                return
            if word.pointee:
                self.named += 1
                self.words[-1].text += f"({word.pointee})"
                return


def with_opaque_pointers_and_counts(text: str) -> tuple[str, int, int]:
    """Return the text with opaque pointers, and the numbers of converted pointers and attributes. Linear time."""
    output = _TokenOutput()
    bare = False
    for word in tokens(text):
        if bare and word.text != "(":
            output.add_type_to_attribute()
        bare = word.text in TYPED
        if word.text == "*" and output.words:
            output.replace_pointee_type_by_ptr(word)
        else:
            output.add_token(word)
    if not output.changed:
        return text, 0, 0
    return "".join(word.before + word.text for word in output.words), output.changed, output.named
