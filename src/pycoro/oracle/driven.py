"""What a presplit module says of how its coroutine is to be driven: the ABI, and what the ABI's driver asks for."""

from __future__ import annotations

import re
from typing import Any

from pycoro._host import for_host
from pycoro.oracle._batch import with_suffix
from pycoro.oracle.case import Case

__all__ = ["abi_of", "body", "facts", "for_host"]

_ID = re.compile(r"@llvm\.coro\.id(?:\.(retcon\.once|retcon|async))?\(")


def body(ir: str, function: str) -> str:
    """The text of a function, from its name on; empty where the module does not define it."""
    found = re.search(rf'^define\b[^@\n]*@(?:{re.escape(function)}|"{re.escape(function)}")\(.*?^}}', ir, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


_PLAIN = re.compile(r"[-\w$.]+")


def _printed(name: str) -> str:
    """The name of a function as LLVM prints it: with quotes where it needs them."""
    return name if _PLAIN.fullmatch(name) or name.startswith('"') else f'"{name}"'


def abi_of(case: Case) -> str:
    """The name of a driver: ``call`` where nothing is done after the call, else the ABI of the ramp's ``coro.id``."""
    if not any(case.schedules):
        return "call"
    found = _ID.search(body(case.ir, case.ramp))
    return (found[1] or "switch") if found else "switch"


def _continuations(case: Case) -> dict[str, Any]:
    """The prototype of the continuations, and which parameter of the ramp is the buffer."""
    text = body(case.ir, case.ramp)
    found = re.search(r'@llvm\.coro\.id\.retcon[.\w]*\([^,]*,[^,]*,[^,]*?(%[-\w$.]+),[^,]*@("[^"]*"|[-\w$.]+)', text)
    if not found:
        return {"prototype": "", "buffer": None}
    names = re.findall(r"(%[-\w$.]+)(?=[,)])", text[: text.index("{\n") if "{\n" in text else None])
    return {"prototype": found[2], "buffer": names.index(found[1]) if found[1] in names else None}


_SUSPEND = re.compile(r"\bcall (\{[^()]*\}) \(i32, ptr, ptr, \.\.\.\)\s+@llvm\.coro\.suspend\.async[.\w]*\(\s*i32 (\d+)")


def _contexts(case: Case, suffix: str) -> dict[str, Any]:
    """The async function pointer, which parameter of the ramp is the context, and what its suspends are resumed with: the
    types, and which of them is the context."""
    text = body(case.ir, case.ramp)
    found = re.search(r'@llvm\.coro\.id\.async\(i32 [^,]*, i32 [^,]*, i32 (\d+),\s*ptr @("[^"]*"|[-\w$.]+)', text)
    suspends: set[tuple[str, str]] = set(_SUSPEND.findall(text) or _SUSPEND.findall(case.ir))  # its own, or those of what it calls
    if "@llvm.coro.suspend.async" not in text and len(suspends) > 1:
        suspends = set()
    return {
        "pointer": with_suffix(found[2], suffix) if found else "",
        "context": int(found[1]) if found else 0,
        "resumed": sorted({kinds[1:-1].strip() for kinds, _ in suspends}),
        "places": sorted({int(numbers) for _, numbers in suspends}),
    }


def facts(case: Case, suffix: str = "") -> dict[str, Any]:
    """The case as the child gets it, with the suffix that its names have in a batch."""
    abi = abi_of(case)
    own = _continuations(case) if abi.startswith("retcon") else _contexts(case, suffix) if abi == "async" else {}
    if own.get("prototype"):
        own["prototype"] = with_suffix(own["prototype"], suffix)
    return own | {
        "abi": abi,
        "ramp": with_suffix(_printed(case.ramp), suffix),
        "args": list(case.args),
        "schedules": [list(schedule) for schedule in case.schedules],
        "promise": case.promise,
        "returns": {name: list(values) for name, values in case.returns.items()},
    }
