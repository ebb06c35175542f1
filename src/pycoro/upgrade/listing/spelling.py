"""What a document spells in its own way: one statement at a time, as LLVM reads it."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycoro.upgrade.statements import NAME

__all__ = ["respelt"]

Tell = Callable[[str, str], None]
"""Told of what was assumed: the step, a sentence."""

_LATEST = re.compile(r"(?<![-\w$.\"])%(\d+)(?![-\w$.])")
_PLACEHOLDER = re.compile(r"\s*<(?!\s*\d+\s+x)[^<>]*>|\s+%[-\w$.]+(?=\s*[,)])")
_NO_NUMBER = r"(?!(?:true|false|undef|poison|zeroext|signext|noundef|x)\b)"
_WORD_FOR_NUMBER = re.compile(rf"\b(i\d+) {_NO_NUMBER}([A-Za-z_][\w ]*)(?=[,)])")
_ARGUMENTS = {
    "suspend": "token none, i1 false",
    "save": "ptr null",
    "end": "ptr null, i1 false, token none",
    "size.i32": "",
    "size.i64": "",
}
"""Of intrinsics whose arguments a document leaves out."""


def _numbers(text: str, tell: Tell) -> str:
    made, count = _LATEST.subn(r"%v\1", text)
    made, labels = re.subn(r"^(\d+):$", r"v\1:", made)
    if count or labels:
        tell("numbers", "values that have numbers have names: %v0 is %0")
    return made


def _arguments(text: str, tell: Tell) -> str:
    """An ellipsis for arguments, and brackets that are not closed."""
    identity = re.search(r"@llvm\.coro\.id\((?=\.\.\.)", text)
    if identity is not None:
        promise = re.search(rf"{NAME}", text[identity.end() :])
        told = f"its promise is {promise[0]}" if promise else "it has no promise"
        tell("arguments", f"what the ellipsis leaves out of llvm.coro.id is 0 and null, and {told}")
        given = f"i32 0, ptr {promise[0] if promise else 'null'}, ptr null, ptr null"
        return f"{text[: identity.end()]}{given})"
    for name, given in _ARGUMENTS.items():
        if f"@llvm.coro.{name}(...)" in text:
            tell("arguments", f"what the ellipsis leaves out of llvm.coro.{name} is ({given})")
            text = text.replace(f"@llvm.coro.{name}(...)", f"@llvm.coro.{name}({given})")
    return text


def _brackets(text: str, tell: Tell) -> str:
    opened: list[str] = []
    pieces: list[str] = []
    for piece in re.findall(r'"[^"]*"|[^"]', text):
        if piece in "([{":
            opened.append({"(": ")", "[": "]", "{": "}"}[piece])
        elif piece in ")]}":
            if not opened or opened[-1] != piece:
                tell("brackets", f"a bracket that closes none is left out behind {''.join(pieces)[-24:].strip()}")
                continue
            opened.pop()
        pieces.append(piece)
    if opened:
        tell("brackets", f"brackets are closed at the end of a statement: {''.join(reversed(opened))}")
    return "".join(pieces) + "".join(reversed(opened))


def _switch(text: str, tell: Tell) -> str:
    """Cases that an ellipsis stands for are those of a suspend: resumed and destroyed."""
    found = re.fullmatch(rf"(switch i8 ({NAME}), label {NAME}) \[([^\[\]]*?),?\s*\.\.\.\s*\]", text)
    if found is None:
        return text
    cases = found[3].split()
    if "i8 0," not in found[3]:
        cases += ["i8", "0,", "label", f"%{found[2][1:]}.next"]
    if "i8 1," not in found[3]:
        cases += ["i8", "1,", "label", "%cleanup"]
    tell(
        "cases",
        f"of the cases, those that are left out are 0, which goes on behind it, and 1, which cleans up: switch on {found[2]}",
    )
    return f"{found[1]} [ {' '.join(cases)} ]"


def _labels(text: str, tell: Tell) -> str:
    found = re.fullmatch(r"br (?:i1 )?(%[-\w$.]+), (?:label )?%?([-\w$.]+), (?:label )?%?((?!\.\.)[-\w$.]+)", text)
    if found is not None:
        made = f"br i1 {found[1]}, label %{found[2]}, label %{found[3]}"
    else:
        made = re.sub(r"^br (?!label\b|i1\b|%)([-\w$.]+)$", r"br label %\1", text)
    if made != text:
        tell("labels", f"a branch names blocks: {made}")
    return made


def _operands(text: str, tell: Tell) -> str:
    """Arguments and results without a type, addresses of variables, texts as arguments."""
    made = re.sub(r"(?<=[(,])(\s*)&(\w+)", lambda found: f"{found[1]}ptr %{found[2]}", text)
    method = re.sub(r"call (?=%[-\w$]+\.\w+\()%([-\w$]+)\.(\w+)\(\)", r"call ? @\1.\2(ptr %\1)", made)
    made = re.sub(r"call (?=@)", "call ? ", method)
    made = re.sub(r"(@[-\w$.]+\()\s*(%[-\w$.]+)\s*(?=[,)])", lambda found: f"{found[1]}ptr {found[2]}", made)
    made = re.sub(r"\bgetelementptr ((?:inbounds )?)(%[-\w$.]+), (?=i\d+ )", r"getelementptr \1\2.type, ptr \2, ", made)
    made = re.sub(r'bitcast (@(?:"[^"]*"|[-\w$.]+)) to (\S+?)(?=[,)])', r"\2 \1", made)
    if made != text:
        tell("types", f"types that are not said are ptr, or as what is there is used: {made}")
    return made


def _declaration(text: str, tell: Tell) -> str:
    head, bracket, rest = text.partition("(")
    made = head + bracket + re.sub(r"\s+,", ",", _PLACEHOLDER.sub("", rest))
    made = re.sub(r"(?:,\s*)?\.\.\.(?:\s*,?\s*\.\.\.)+", ", ...", made)
    if "@llvm.coro.id.async(i32, i32, ptr, ptr)" in made:
        made = made.replace("(i32, i32, ptr, ptr)", "(i32, i32, i32, ptr)")
        tell("async-context", "the context of llvm.coro.id.async is told by the number of its parameter, an i32")
    if "@llvm.coro.suspend.async(ptr, ptr," in made:
        made = made.replace("@llvm.coro.suspend.async(ptr", "@llvm.coro.suspend.async(i32, ptr")
        tell("async-context", "llvm.coro.suspend.async begins by the number of the parameter that holds the context, an i32")
    if made != text:
        tell("placeholders", f"what a declaration says of its parameters is left out: {made}")
    return made


def _async_context(text: str, tell: Tell) -> str:
    """An async suspend tells which result holds the context."""
    suspend = r"\((?:ptr, ptr, )?\.\.\.\) @llvm\.coro\.suspend\.async\(\s*(?=ptr)"
    made = re.sub(suspend, "(i32, ptr, ptr, ...) @llvm.coro.suspend.async(i32 0, ", text)
    made = re.sub(r"@llvm\.coro\.id\.async\((i32 \w+, i32 \w+), ptr \S+,", r"@llvm.coro.id.async(\1, i32 0,", made)
    if made != text:
        tell("async-context", "the context of an async coroutine is told by the number of its parameter: 0")
    return made


def _numbers_meant(text: str, tell: Tell) -> str:
    made, count = _WORD_FOR_NUMBER.subn(r"\1 0", text)
    if count:
        tell("numbers-meant", f"where a word stands for a number it is 0: {made}")
    return made


def respelt(kind: str, text: str, tell: Tell) -> str:
    """The statement as LLVM spells it; what is assumed for that is told."""
    text = re.sub(r'@"([-\w$.]+)"', r"@\1", _numbers(text, tell))
    if kind == "head":
        made = re.sub(r"(?<=\))([^()]*?)\s*\.\.+(?=[^()]*$)", r"\1", text)
        if made != text:
            tell("left-out", "an ellipsis behind its parameters leaves nothing out")
        return made
    if kind == "declaration":
        return _brackets(_declaration(text, tell), tell)
    if kind in ("set", "do"):
        for step in (_arguments, _switch, _brackets, _labels, _operands, _async_context, _numbers_meant):
            text = step(text, tell)
    return text
