"""Host triple and data layout. The data layout of a module determines the layout of its frames."""

from __future__ import annotations

import re
from functools import cache

from pycoro import _core
from pycoro._escape import printable
from pycoro.errors import UsageError

__all__ = ["for_host", "host_triple_and_data_layout"]

_WORDS = {"triple": "target", "datalayout": "data layout"}
_TARGET = re.compile(r'^[ \t]*target[ \t]+(triple|datalayout)[ \t]*=[ \t]*"([^"]*)"', re.MULTILINE)


@cache
def host_triple_and_data_layout() -> dict[str, str]:
    """Return triple and data layout of this machine."""
    engine = _core.Engine()
    found = {"triple": engine.triple, "datalayout": engine.data_layout}
    engine.close()
    return found


def _is_empty_or_unknown_target(kind: str, text: str) -> bool:
    """Return whether no target is named; llvmlite writes ``unknown-unknown-unknown``."""
    return not text or (kind == "triple" and text.partition("-")[0] == "unknown")


def for_host(ir: str, *, strict: bool = False) -> str:
    """Return the IR with this machine's triple and data layout where it names none. IR for another machine is returned unchanged;
    with `strict` it raises ``UsageError``.

    >>> from pycoro import oracle
    >>> "target triple" in oracle.for_host(pycoro.examples.COUNTER)
    True
    """
    machine = host_triple_and_data_layout()
    named = {kind: text for kind, text in _TARGET.findall(ir) if not _is_empty_or_unknown_target(kind, text)}
    triple, layout = named.get("triple", machine["triple"]), named.get("datalayout", machine["datalayout"])
    if triple.partition("-")[0] != machine["triple"].partition("-")[0] or layout != machine["datalayout"]:
        if strict:
            stated = " and ".join(f"{_WORDS[kind]} {printable(text)!r}" for kind, text in named.items() if text != machine[kind])
            here = " and ".join(f"{_WORDS[kind]} {text!r}" for kind, text in machine.items() if kind in named)
            raise UsageError(
                f"the module is for the {stated}; this machine has the {here}. Omit host=True, or remove it from the IR"
            )
        return ir
    empty = _TARGET.sub(lambda found: found[0] if found[1] in named else "", ir)
    return "".join(f'target {kind} = "{text}"\n' for kind, text in machine.items() if kind not in named) + empty
