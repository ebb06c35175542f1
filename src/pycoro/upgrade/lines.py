"""Each instruction and each function on lines of its own, as LLVM prints them and the steps look for them."""

from __future__ import annotations

from pycoro.upgrade.tokens import CLOSES, OPENS, Token, tokens

__all__ = ["apart"]

_OUTSIDE = {"define", "declare", "attributes", "target", "source_filename"}
_INSTRUCTIONS = {
    *("br", "call", "callbr", "catchret", "cleanupret", "fence", "indirectbr", "invoke"),
    *("musttail", "notail", "resume", "ret", "store", "switch", "tail", "unreachable"),
}
_BEFORE_A_CALL = {"=", "tail", "musttail", "notail"}


def _begins(before: str, word: Token, behind: str) -> bool:
    """Whether an instruction, or a label, begins with a word of a body."""
    named = word.text.startswith("%") and behind == "="
    return named or behind == ":" or word.text.startswith("#dbg_") or (word.text in _INSTRUCTIONS and before not in _BEFORE_A_CALL)


def apart(text: str) -> str:
    r"""The text with line breaks where something begins in the middle of a line; functions that have data in front of them stay.

    >>> from pycoro.upgrade.lines import apart
    >>> print(apart("declare void @g() define void @f() { call void @g() ret void }"))
    declare void @g()
    define void @f() {
    call void @g()
    ret void
    }
    """
    words = list(tokens(text))
    depth, state, fresh = 0, "outside", False  # state: outside, header, with parameters, body
    for place, word in enumerate(words[:-1]):
        before, behind = words[place - 1].text if place else "", words[place + 1].text
        if not depth:
            body = state == "body"
            starts = _begins(before, word, behind) or word.text == "}" if body else word.text in _OUTSIDE
            if (starts or fresh) and place and "\n" not in word.before:
                word.before = "\n"
            fresh = body and word.text in ("}", ":")
            if body and word.text == "}":
                state = "outside"
                continue
            if not body and word.text in _OUTSIDE:
                state = "header" if word.text == "define" else "outside"
            elif state == "header" and word.text == "(" and before.startswith("@"):
                state = "with parameters"
            elif state == "with parameters" and word.text in ("prefix", "prologue"):
                state = "outside"
            elif state == "with parameters" and word.text == "{":
                state, fresh = "body", True
                continue
        depth += (word.text in OPENS) - (word.text in CLOSES)
    return "".join(word.before + word.text for word in words)
