"""Malformed coroutines: programs that are valid but for one rule, by the name that a rejection gives it.

A rule is broken in the text of the last coroutine, at places that every printed coroutine has. Where that needs more room
than there is, a part is put in front of the body: it may suspend, and has something before and behind that suspend.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from pycoro.errors import UsageError
from pycoro.strategies.choices import Choices
from pycoro.strategies.draw import program
from pycoro.strategies.model import Program
from pycoro.strategies.options import Options
from pycoro.strategies.plain import Plain
from pycoro.strategies.text import module

__all__ = ["RULES", "Malformed", "malformed"]


class _Break(NamedTuple):
    """How a rule is broken: edits (what is found once is replaced), a part in front, declarations."""

    what: str
    edits: tuple[tuple[str, str], ...] = ()
    before: str = ""
    behind: str = ""
    suspend: str = ""
    declarations: str = ""


SUSPEND = "call i8 @llvm.coro.suspend(token none, i1 false)"
BEGIN = r"%hdl = call ptr @llvm\.coro\.begin\(token %id, ptr (%\w+)\)"
END = r"call void @llvm\.coro\.end\(ptr %hdl, i1 false, token none\)"
ODD = "  %odd = icmp ne ptr @free_aligned, null\n"
FIRST = r"^  %id = "

_BREAKS = {
    "one-begin": _Break("llvm.coro.begin is called twice", before="%second = call ptr @llvm.coro.begin(token %id, ptr %hdl)"),
    "custom-abi": _Break(
        "an ABI that is not there is asked for",
        ((BEGIN, r"%hdl = call ptr @llvm.coro.begin.custom.abi(token %id, ptr \1, i32 7)"),),
    ),
    "coro-id": _Break(
        "there is no llvm.coro.id",
        (
            (r"  %id = call token .*\n(  %need = .*\n)?", "  %need = icmp ne ptr @free_aligned, null\n"),
            (r"llvm\.coro\.begin\(token %id", "llvm.coro.begin(token none"),
            (r"= call ptr @llvm\.coro\.free\(token %id, ptr %hdl\)", "= getelementptr i8, ptr %hdl, i64 0"),
        ),
    ),
    "begin-dominates": _Break("a suspend comes before llvm.coro.begin", ((FIRST + r"(.*)", rf"  %id = \1\n  %first = {SUSPEND}"),)),
    "one-final-suspend": _Break(
        "two suspends are final",
        before=f"%last.a = {SUSPEND.replace('false', 'true')}",
        behind=f"%last.b = {SUSPEND.replace('false', 'true')}",
    ),
    "final-is-constant": _Break(
        "whether a suspend is final is computed", ((FIRST, ODD + "  %id = "),), suspend=SUSPEND.replace("i1 false", "i1 %odd")
    ),
    "suspend-of-abi": _Break("a suspend is of another ABI", before="call void (...) @llvm.coro.suspend.retcon.isVoid()"),
    "one-suspend-a-save": _Break(
        "two suspends share a save",
        before="%shared = call token @llvm.coro.save(ptr %hdl)\n  %one = " + SUSPEND.replace("none", "%shared"),
        behind="%other = " + SUSPEND.replace("none", "%shared"),
    ),
    "suspend-names-save": _Break("the token of a suspend is no save's", suspend=SUSPEND.replace("none", "%id")),
    "one-fallthrough-end": _Break(
        "there are two ends", ((END, "call void @llvm.coro.end(ptr %hdl, i1 false, token none)\n  " + END.replace("\\", "")),)
    ),
    "unwind-is-constant": _Break(
        "whether an end unwinds is computed",
        ((FIRST, ODD + "  %id = "), (END, "call void @llvm.coro.end(ptr %hdl, i1 %odd, token none)")),
    ),
    "end-of-abi": _Break("an end is of another ABI", before="call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)"),
    "end-results": _Break(
        "an end gives results",
        (
            (
                END,
                "%results = call token (...) @llvm.coro.end.results(i32 1)\n"
                "  call void @llvm.coro.end(ptr %hdl, i1 false, token %results)",
            ),
        ),
    ),
    "static-alloca": _Break(
        "a variable of unknown size lives across a suspend",
        ((FIRST, "  %many = alloca <vscale x 4 x i32>\n  %id = "),),
        before="store <vscale x 4 x i32> zeroinitializer, ptr %many",
        behind="%lost = load <vscale x 4 x i32>, ptr %many",
        suspend=SUSPEND,
    ),
    "sized-spill": _Break(
        "a value of unknown size lives across a suspend",
        before="%wide = call <vscale x 4 x i32> @wide()",
        behind="call void @take.wide(<vscale x 4 x i32> %wide)",
        suspend=SUSPEND,
        declarations="declare <vscale x 4 x i32> @wide()\ndeclare void @take.wide(<vscale x 4 x i32>)\n",
    ),
    "token-across-suspend": _Break(
        "a token lives across a suspend",
        before="%token = call token @llvm.experimental.convergence.anchor()",
        behind='call void @together() convergent [ "convergencectrl"(token %token) ]',
        suspend=SUSPEND,
        declarations="declare void @together() convergent\n",
    ),
    "alloca-token": _Break(
        "llvm.coro.alloca.free gets a token that is none of its own", before="call void @llvm.coro.alloca.free(token none)"
    ),
    "alloca-align": _Break(
        "memory is aligned to no power of two",
        before="%room = call token @llvm.coro.alloca.alloc.i32(i32 8, i32 12)",
        behind="call void @llvm.coro.alloca.free(token %room)",
    ),
    "promise-is-alloca": _Break(
        "the promise is no variable of the coroutine",
        ((r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 @place,"),),
        declarations="@place = global i32 0\n",
    ),
    "alias-before-begin": _Break(
        "one of two variables is chosen before llvm.coro.begin, and used after a suspend",
        (
            (
                FIRST,
                f"{ODD}  %some = alloca i32\n  %other = alloca i32\n  store i32 0, ptr %some\n  store i32 0, ptr %other\n"
                "  %inside = select i1 %odd, ptr %some, ptr %other\n  %id = ",
            ),
        ),
        before="store i32 0, ptr %inside",
        behind="%found = load i32, ptr %inside",
        suspend=SUSPEND,
    ),
    "id-align-is-constant": _Break(
        "the alignment of llvm.coro.id is computed",
        ((FIRST, "  %unknown = call i32 @pick.align()\n  %id = "), (r"@llvm\.coro\.id\(i32 0", "@llvm.coro.id(i32 %unknown")),
        declarations="declare i32 @pick.align()\n",
    ),
    "presplitcoroutine": _Break("the attribute presplitcoroutine is missing", ((r" presplitcoroutine", ""),)),
}

RULES = {rule: how.what for rule, how in _BREAKS.items()}
"""The rules that can be broken, by the names that diagnostics give them, with what is done to a coroutine."""


def _front(text: str, how: _Break) -> str:
    """Puts the part in front of the body: `start` is still the block that the body begins with."""
    if not (how.before or how.behind or how.suspend):
        return text
    lines = ["", "front:", f"  {how.before}" if how.before else ""]
    if how.suspend:
        lines += [f"  %front.way = {how.suspend}"]
        lines += ["  switch i8 %front.way, label %out [ i8 0, label %behind i8 1, label %cleanup ]", "", "behind:"]
    lines += [f"  {how.behind}" if how.behind else "", "  br label %start", ""]
    text = text.replace("label %start", "label %front", 1)
    return text.replace("\nstart:", "\n".join(line for line in lines if line) + "\n\nstart:", 1)


@dataclass(frozen=True, slots=True, repr=False)
class Malformed(Plain):
    """A program with one rule of the switch ABI broken in its last coroutine."""

    program: Program
    rule: str
    """The name in `RULES`."""

    def text(self) -> str:
        """Its IR: a module that LLVM reads and verifies. ``UsageError`` where the coroutine is not of the switch ABI."""
        if self.program.coroutines[-1].returned:
            raise UsageError("only the rules of the switch ABI can be broken, in a coroutine of that ABI")
        how = _BREAKS[self.rule]
        text = module([self.program])
        start = text.index(f"define ptr @{self.program.coroutines[-1].name}(")
        end = text.index("\n}\n", start)
        head, body, tail = text[:start], text[start:end], text[end:]
        for found, put in how.edits:
            body, count = re.subn(found, put, body, count=0 if "free" in found else 1, flags=re.MULTILINE)
            if not count:
                raise ValueError(f"{found!r} is not in the coroutine's text")
        return head + _front(body, how) + tail + how.declarations


def malformed(choices: Choices, options: Options, rules: tuple[str, ...]) -> Malformed:
    """A program, and a rule to break."""
    return Malformed(program(choices, options.but(abis=("switch",))), choices.pick(rules))
