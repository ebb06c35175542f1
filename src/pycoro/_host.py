"""This machine, as a module names it: frames are laid out by the data layout of the module that they are lowered in."""

from __future__ import annotations

import re
from functools import cache

from pycoro import _core
from pycoro._printable import printable
from pycoro.errors import UsageError

__all__ = ["for_host", "host"]

_WORDS = {"triple": "target", "datalayout": "data layout"}
_TARGET = re.compile(r'^[ \t]*target[ \t]+(triple|datalayout)[ \t]*=[ \t]*"([^"]*)"', re.MULTILINE)


@cache
def host() -> dict[str, str]:
    """Triple and data layout of this machine."""
    engine = _core.Engine()
    found = {"triple": engine.triple, "datalayout": engine.data_layout}
    engine.close()
    return found


def _is_of_nothing(kind: str, text: str) -> bool:
    """Nothing is named: as llvmlite does by ``unknown-unknown-unknown``."""
    return not text or (kind == "triple" and text.partition("-")[0] == "unknown")


def for_host(ir: str, *, strict: bool = False) -> str:
    """The IR with this machine's triple and data layout where it names none. What names another machine stays as it is, or
    is a ``UsageError`` where `strict`.

    >>> from pycoro import oracle
    >>> "target triple" in oracle.for_host(pycoro.examples.COUNTER)
    True
    """
    machine = host()
    named = {kind: text for kind, text in _TARGET.findall(ir) if not _is_of_nothing(kind, text)}
    triple, layout = named.get("triple", machine["triple"]), named.get("datalayout", machine["datalayout"])
    if triple.partition("-")[0] != machine["triple"].partition("-")[0] or layout != machine["datalayout"]:
        if strict:
            told = " and ".join(f"{_WORDS[kind]} {printable(text)!r}" for kind, text in named.items() if text != machine[kind])
            here = " and ".join(f"{_WORDS[kind]} {text!r}" for kind, text in machine.items() if kind in named)
            raise UsageError(
                f"the module is for the {told}; this machine has the {here}. Leave host=True out, or leave that out of the IR"
            )
        return ir
    empty = _TARGET.sub(lambda found: found[0] if found[1] in named else "", ir)
    return "".join(f'target {kind} = "{text}"\n' for kind, text in machine.items() if kind not in named) + empty
