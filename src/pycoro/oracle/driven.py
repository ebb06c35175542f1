"""Extract the parameters of an ABI driver from a presplit module."""

from __future__ import annotations

import re
from typing import Any

from pycoro._host import for_host
from pycoro._ir_syntax import DEFINITION, LOCAL, WORD, function_text, unquote_name
from pycoro.errors import UnsupportedError
from pycoro.oracle._batch import with_suffix
from pycoro.oracle._headers import split_until_closing_parenthesis
from pycoro.oracle.case import Case

__all__ = ["abi_of_ramp_or_call_without_steps", "case_for_child", "for_host"]

_ID = re.compile(r"@llvm\.coro\.id(?:\.(retcon\.once\.dynamic|retcon\.once|retcon|async))?\(")


_PLAIN = re.compile(r"[-\w$.]+")


def _name_quoted_if_necessary(name: str) -> str:
    """Return the name of a function as LLVM prints it, quoted if necessary."""
    return name if _PLAIN.fullmatch(name) or name.startswith('"') else f'"{name}"'


def _ramp_text(case: Case) -> str:
    return function_text(case.ir, unquote_name(_name_quoted_if_necessary(case.ramp)))


def abi_of_ramp_or_call_without_steps(case: Case) -> str:
    """Return the driver name: ``call`` for a call without steps, or else the ABI of the ramp's ``coro.id``."""
    if not any(case.schedules):
        return "call"
    found = _ID.search(_ramp_text(case))
    if found and found[1] == "retcon.once.dynamic":
        raise UnsupportedError(
            f"@{case.ramp}: the oracle cannot drive coroutines of llvm.coro.id.retcon.once.dynamic; compare a function of the"
            " module that calls it, without steps"
        )
    return (found[1] or "switch") if found else "switch"


def _continuation_prototype(case: Case) -> dict[str, Any]:
    """Return the prototype of the continuations, and the index of the ramp's buffer parameter."""
    text = _ramp_text(case)
    head = DEFINITION.match(text)
    found = re.search(rf"@llvm\.coro\.id\.retcon[.\w]*\([^,]*,[^,]*,[^,]*?({LOCAL}),[^,]*@({WORD})", text)
    if not head or not found:
        return {"prototype": "", "buffer": None}
    parameters = split_until_closing_parenthesis(text[head.end() :])
    buffer = next((index for index, parameter in enumerate(parameters) if parameter.endswith(f" {found[1]}")), None)
    return {"prototype": found[2], "buffer": buffer}


_SUSPEND = re.compile(r"\bcall (\{[^()]*\}) \(i32, ptr, ptr, \.\.\.\)\s+@llvm\.coro\.suspend\.async[.\w]*\(\s*i32 (\d+)")


def _describe_async_context(case: Case, suffix: str) -> dict[str, Any]:
    """Return the async function pointer, the index of the ramp's context parameter, and types and context index of the
    suspends' resume values.
    """
    text = _ramp_text(case)
    found = re.search(rf"@llvm\.coro\.id\.async\(i32 [^,]*, i32 [^,]*, i32 (\d+),\s*ptr @({WORD})", text)
    # those of the function, or else of the module
    suspends: set[tuple[str, str]] = set(_SUSPEND.findall(text) or _SUSPEND.findall(case.ir))
    if "@llvm.coro.suspend.async" not in text and len(suspends) > 1:
        suspends = set()
    return {
        "pointer": with_suffix(found[2], suffix) if found else "",
        "context": int(found[1]) if found else 0,
        "resumed": sorted({kinds[1:-1].strip() for kinds, _ in suspends}),
        "places": sorted({int(numbers) for _, numbers in suspends}),
    }


def case_for_child(case: Case, suffix: str = "") -> dict[str, Any]:
    """Return the case as the child expects it, with the suffix of its names in a batch."""
    abi = abi_of_ramp_or_call_without_steps(case)
    own = (
        _continuation_prototype(case)
        if abi.startswith("retcon")
        else _describe_async_context(case, suffix)
        if abi == "async"
        else {}
    )
    if own.get("prototype"):
        own["prototype"] = with_suffix(own["prototype"], suffix)
    return own | {
        "abi": abi,
        "ramp": with_suffix(_name_quoted_if_necessary(case.ramp), suffix),
        "args": list(case.args),
        "schedules": [list(schedule) for schedule in case.schedules],
        "promise": case.promise,
        "returns": {name: list(values) for name, values in case.returns.items()},
    }
