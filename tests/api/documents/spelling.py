"""Convert document-specific spellings of a statement to LLVM's syntax."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycoro.upgrade.statements import NAME

__all__ = ["respelt"]

Reporter = Callable[[str, str], None]
"""Reports an assumption: step, sentence."""

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
"""Arguments of intrinsics that documents omit."""


def _name_numbered_values(text: str, report: Reporter) -> str:
    made, count = _LATEST.subn(r"%v\1", text)
    made, labels = re.subn(r"^(\d+):$", r"v\1:", made)
    if count or labels:
        report("numbers", "numbered values get names: %0 becomes %v0")
    return made


def _expand_arguments(text: str, report: Reporter) -> str:
    """Replace an ellipsis for all arguments of an intrinsic."""
    identity = re.search(r"@llvm\.coro\.id\((?=\.\.\.)", text)
    if identity is not None:
        promise = re.search(rf"{NAME}", text[identity.end() :])
        promise_text = f"its promise is {promise[0]}" if promise else "it has no promise"
        report("arguments", f"the omitted arguments of llvm.coro.id are 0 and null; {promise_text}")
        given = f"i32 0, ptr {promise[0] if promise else 'null'}, ptr null, ptr null"
        return f"{text[: identity.end()]}{given})"
    for name, given in _ARGUMENTS.items():
        if f"@llvm.coro.{name}(...)" in text:
            report("arguments", f"the omitted arguments of llvm.coro.{name} are ({given})")
            text = text.replace(f"@llvm.coro.{name}(...)", f"@llvm.coro.{name}({given})")
    return text


def _balance_brackets(text: str, report: Reporter) -> str:
    opened: list[str] = []
    pieces: list[str] = []
    for piece in re.findall(r'"[^"]*"|[^"]', text):
        if piece in "([{":
            opened.append({"(": ")", "[": "]", "{": "}"}[piece])
        elif piece in ")]}":
            if not opened or opened[-1] != piece:
                report("brackets", f"an unmatched closing bracket is removed after {''.join(pieces)[-24:].strip()}")
                continue
            opened.pop()
        pieces.append(piece)
    if opened:
        report("brackets", f"unclosed brackets are closed at the end of the statement: {''.join(reversed(opened))}")
    return "".join(pieces) + "".join(reversed(opened))


def _expand_switch_cases(text: str, report: Reporter) -> str:
    """Replace an ellipsis among the cases of a suspend's switch by the resume and destroy cases."""
    found = re.fullmatch(rf"(switch i8 ({NAME}), label {NAME}) \[([^\[\]]*?),?\s*\.\.\.\s*\]", text)
    if found is None:
        return text
    cases = found[3].split()
    if "i8 0," not in found[3]:
        cases += ["i8", "0,", "label", f"%{found[2][1:]}.next"]
    if "i8 1," not in found[3]:
        cases += ["i8", "1,", "label", "%cleanup"]
    report(
        "cases",
        f"the omitted cases of the switch on {found[2]} are 0, which continues after it, and 1, which cleans up",
    )
    return f"{found[1]} [ {' '.join(cases)} ]"


def _add_label_keywords(text: str, report: Reporter) -> str:
    found = re.fullmatch(r"br (?:i1 )?(%[-\w$.]+), (?:label )?%?([-\w$.]+), (?:label )?%?((?!\.\.)[-\w$.]+)", text)
    if found is not None:
        made = f"br i1 {found[1]}, label %{found[2]}, label %{found[3]}"
    else:
        made = re.sub(r"^br (?!label\b|i1\b|%)([-\w$.]+)$", r"br label %\1", text)
    if made != text:
        report("labels", f"branch targets get the keyword label: {made}")
    return made


def _add_operand_types(text: str, report: Reporter) -> str:
    """Add missing types of arguments and results, and convert addresses of variables."""
    made = re.sub(r"(?<=[(,])(\s*)&(\w+)", lambda found: f"{found[1]}ptr %{found[2]}", text)
    method = re.sub(r"call (?=%[-\w$]+\.\w+\()%([-\w$]+)\.(\w+)\(\)", r"call ? @\1.\2(ptr %\1)", made)
    made = re.sub(r"call (?=@)", "call ? ", method)
    made = re.sub(r"(@[-\w$.]+\()\s*(%[-\w$.]+)\s*(?=[,)])", lambda found: f"{found[1]}ptr {found[2]}", made)
    made = re.sub(r"\bgetelementptr ((?:inbounds )?)(%[-\w$.]+), (?=i\d+ )", r"getelementptr \1\2.type, ptr \2, ", made)
    made = re.sub(r'bitcast (@(?:"[^"]*"|[-\w$.]+)) to (\S+?)(?=[,)])', r"\2 \1", made)
    if made != text:
        report("types", f"missing types are ptr, or follow from the uses: {made}")
    return made


def _remove_parameter_placeholders(text: str, report: Reporter) -> str:
    head, bracket, rest = text.partition("(")
    made = head + bracket + re.sub(r"\s+,", ",", _PLACEHOLDER.sub("", rest))
    made = re.sub(r"(?:,\s*)?\.\.\.(?:\s*,?\s*\.\.\.)+", ", ...", made)
    if "@llvm.coro.id.async(i32, i32, ptr, ptr)" in made:
        made = made.replace("(i32, i32, ptr, ptr)", "(i32, i32, i32, ptr)")
        report("async-context", "llvm.coro.id.async takes the index of the context parameter, an i32")
    if "@llvm.coro.suspend.async(ptr, ptr," in made:
        made = made.replace("@llvm.coro.suspend.async(ptr", "@llvm.coro.suspend.async(i32, ptr")
        report("async-context", "llvm.coro.suspend.async starts with the index of the context parameter, an i32")
    if made != text:
        report("placeholders", f"placeholders of parameters are removed from a declaration: {made}")
    return made


def _async_context(text: str, report: Reporter) -> str:
    """Add the index of the result with the context to an async suspend."""
    suspend = r"\((?:ptr, ptr, )?\.\.\.\) @llvm\.coro\.suspend\.async\(\s*(?=ptr)"
    made = re.sub(suspend, "(i32, ptr, ptr, ...) @llvm.coro.suspend.async(i32 0, ", text)
    made = re.sub(r"@llvm\.coro\.id\.async\((i32 \w+, i32 \w+), ptr \S+,", r"@llvm.coro.id.async(\1, i32 0,", made)
    if made != text:
        report("async-context", "the context of an async coroutine is parameter 0")
    return made


def _replace_words_by_zero(text: str, report: Reporter) -> str:
    made, count = _WORD_FOR_NUMBER.subn(r"\1 0", text)
    if count:
        report("numbers-meant", f"a word in place of a number becomes 0: {made}")
    return made


def respelt(kind: str, text: str, report: Reporter) -> str:
    """Return the statement in LLVM's syntax; report the assumptions."""
    text = re.sub(r'@"([-\w$.]+)"', r"@\1", _name_numbered_values(text, report))
    if kind == "head":
        made = re.sub(r"(?<=\))([^()]*?)\s*\.\.+(?=[^()]*$)", r"\1", text)
        if made != text:
            report("left-out", "an ellipsis after its parameters is removed")
        return made
    if kind == "declaration":
        return _balance_brackets(_remove_parameter_placeholders(text, report), report)
    if kind in ("set", "do"):
        for step in (
            _expand_arguments,
            _expand_switch_cases,
            _balance_brackets,
            _add_label_keywords,
            _add_operand_types,
            _async_context,
            _replace_words_by_zero,
        ):
            text = step(text, report)
    return text
