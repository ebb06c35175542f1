"""Convert a proposed design that never was in LLVM: ``llvm.coro.init`` and ``llvm.coro.init.end`` around parameter moves, and
metadata for stack slots in the frame, including the promise."""

from __future__ import annotations

import re

from pycoro.upgrade.calls import Call, Reporter, replace_calls_inside_functions

__all__ = ["convert_proposed_design"]

_PROMISE = re.compile(r"^[ \t]*(%[-\w$.]+) = alloca\b[^\n]*!coroutine_frame_alloca (!\d+)", re.MULTILINE)


def convert_proposed_design(text: str, report: Reporter) -> str:
    """Convert ``llvm.coro.init`` to a constant, so that the code that runs once stays in place."""
    if "@llvm.coro.init()" not in text:
        return text
    promises = set(re.findall(r"^(!\d+) = (?:distinct )?!\{i1 (?:true|1)\b", text, re.MULTILINE))

    def init(call: Call) -> str:
        report("second-init", call.function, "llvm.coro.init becomes true: parameters are moved in place")
        return f"{call.indent}{call.result} = or i1 true, true"

    def end(call: Call) -> str:
        return f"{call.indent}; llvm.coro.init.end"

    def identify(call: Call) -> str | None:
        named = [found[1] for found in _PROMISE.finditer(call.body) if found[2] in promises]
        if not named or len(call.arguments) != 4 or call.arguments[1] != "ptr null":
            return None
        report("second-promise", call.function, f"llvm.coro.id names the promise, {named[0]}")
        return call.text(call.type, call.name, [call.arguments[0], f"ptr {named[0]}", *call.arguments[2:]], call.suffix)

    text = replace_calls_inside_functions(text, r"llvm\.coro\.init", init)
    text = replace_calls_inside_functions(text, r"llvm\.coro\.init\.end", end)
    text = replace_calls_inside_functions(text, r"llvm\.coro\.id", identify)
    return re.sub(r"^declare\b[^@\n]*@llvm\.coro\.init(?:\.end)?\(\)[^\n]*\n?", "", text, flags=re.MULTILINE)
