"""Parse pycoro's options, and detect command lines that cannot contain a coroutine."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["HELP", "Options", "UsageError", "cannot_have_coroutines", "of_cxx20", "split"]

HELP = """\
usage: {name} [--pycoro-...] [any clang option] file...

clang's driver with pycoro instead of LLVM's coroutine passes. All options of clang work as with clang
(see --help). Options of pycoro:

  --pycoro-fallback       lower a unit with clang, with a warning, if pycoro rejects it
  --pycoro-report=DIR     write a JSON file about the coroutines of each unit, for `pycoro report DIR`
  --pycoro-passes=STRING  run these passes instead of the pipeline of the -O level
  --pycoro-help           print this help

Environment: PYCORO_CLANG, PYCORO_CLANGXX name a clang 22 outside of the default places.
"""


class UsageError(Exception):
    """The command line is invalid; the message explains the error."""


@dataclass(frozen=True)
class Options:
    """Options of pycoro."""

    fallback: bool = False
    """Lower with clang if pycoro rejects a unit."""
    report: str = ""
    """Directory for a JSON file of each unit; empty for none."""
    passes: str | None = None
    """Pass string that replaces the pipeline of the level."""
    help: bool = False
    """Print the help and exit."""


_VALUES = {"report": "DIR", "passes": "STRING"}


def split(arguments: Sequence[str]) -> tuple[Options, list[str]]:
    """Split the command line into pycoro's options and clang's. Raises ``UsageError``."""
    own = Options()
    rest: list[str] = []
    for argument in arguments:
        if not argument.startswith("--pycoro-"):
            rest.append(argument)
            continue
        name, given, value = argument.removeprefix("--pycoro-").partition("=")
        if name in ("fallback", "help") and given:
            raise UsageError(f"--pycoro-{name} takes no value")
        if name in _VALUES and not value:
            raise UsageError(f"--pycoro-{name} needs a value: --pycoro-{name}={_VALUES[name]}")
        if name == "fallback":
            own = replace(own, fallback=True)
        elif name == "help":
            own = replace(own, help=True)
        elif name == "passes":
            own = replace(own, passes=value)
        elif name == "report":
            own = replace(own, report=value)
        else:
            raise UsageError(f"unknown option '{argument}'; --pycoro-help lists the options")
    return own, rest


_CXX20 = re.compile(r"^(?:--?std=|/std:)(?:c|gnu)\+\+(?:2[0-9a-z]|[3-9][0-9]|latest)$")
_NOTHING_COMPILED = {"-###", "--version", "-E", "-M", "-MM", "-fsyntax-only", "--help", "-cc1", "-cc1as"}


def of_cxx20(argument: str) -> bool:
    """Return True if an argument enables coroutines or selects a dialect with them."""
    return _CXX20.match(argument) is not None or "coroutines" in argument


def cannot_have_coroutines(arguments: Sequence[str]) -> bool:
    """Return True if clang can replace the process, because no dialect with coroutines is compiled.

    If that depends on more than single arguments, the result is False, and clang's driver is queried for its jobs.
    """
    if not arguments:
        return True
    if any(a.startswith(("@", "--config", "-X")) for a in arguments):
        return False  # response files, or an argument that only resembles an option
    if not _NOTHING_COMPILED.isdisjoint(arguments):
        return True
    after = dict(itertools.pairwise(arguments))
    is_ir = any(a.endswith((".ll", ".bc")) or a in ("-xir", "--language=ir") for a in arguments) or after.get("-x") == "ir"
    return not is_ir and "-std" not in after and "--std" not in after and not any(map(of_cxx20, arguments))
