"""A design that was proposed and never was in LLVM: ``llvm.coro.init`` says whether parameters are still to be moved, and
``llvm.coro.init.end`` where that is over; variables that live in the frame, the promise among them, are told by metadata."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycoro.upgrade.calls import Call, rewritten

__all__ = ["second_design"]

_PROMISE = re.compile(r"^[ \t]*(%[-\w$.]+) = alloca\b[^\n]*!coroutine_frame_alloca (!\d+)", re.MULTILINE)


def second_design(text: str, tell: Callable[[str, str, str], None]) -> str:
    """The function is one, as it was before: what it does once is done where it stands."""
    if "@llvm.coro.init()" not in text:
        return text
    promises = set(re.findall(r"^(!\d+) = (?:distinct )?!\{i1 (?:true|1)\b", text, re.MULTILINE))

    def init(call: Call) -> str:
        tell("second-init", call.function, "parameters are moved where they are: llvm.coro.init is true")
        return f"{call.indent}{call.result} = or i1 true, true"

    def end(call: Call) -> str:
        return f"{call.indent}; llvm.coro.init.end"

    def identify(call: Call) -> str | None:
        named = [found[1] for found in _PROMISE.finditer(call.body) if found[2] in promises]
        if not named or len(call.arguments) != 4 or call.arguments[1] != "ptr null":
            return None
        tell("second-promise", call.function, f"llvm.coro.id names the promise, {named[0]}")
        given = ", ".join([call.arguments[0], f"ptr {named[0]}", *call.arguments[2:]])
        return f"{call.indent}{call.result} = {call.how} {call.type} @{call.name}({given}){call.behind}"

    text = rewritten(text, r"llvm\.coro\.init", init)
    text = rewritten(text, r"llvm\.coro\.init\.end", end)
    text = rewritten(text, r"llvm\.coro\.id", identify)
    return re.sub(r"^declare\b[^@\n]*@llvm\.coro\.init(?:\.end)?\(\)[^\n]*\n?", "", text, flags=re.MULTILINE)
