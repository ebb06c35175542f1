"""What of a command line is pycoro's own, and which command lines cannot have a coroutine in them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["HELP", "Options", "UsageError", "cannot_have_coroutines", "of_cxx20", "split"]

HELP = """\
usage: {name} [--pycoro-...] [any option of clang's] file...

clang's driver, with pycoro in the place of LLVM's coroutine passes. Every option of clang's means what it means to clang
(--help shows them). Of pycoro's own:

  --pycoro-fallback       what pycoro refuses is lowered by clang, with a warning
  --pycoro-report=DIR     keep a JSON file about the coroutines of each unit, for `pycoro report DIR`
  --pycoro-passes=STRING  run these passes, and none of clang's, in the place of those of the -O level
  --pycoro-help           this text

Environment: PYCORO_CLANG, PYCORO_CLANGXX name a clang 22 that is not found by itself.
"""


class UsageError(Exception):
    """The command line is wrong; the message is a sentence that says how."""


@dataclass(frozen=True)
class Options:
    """What was asked of pycoro."""

    fallback: bool = False
    """Clang lowers what pycoro refuses."""
    report: str = ""
    """The folder for a JSON file of each unit; empty: none is kept."""
    passes: str | None = None
    """A pass string in the place of the level's."""
    help: bool = False
    """Print the help, do nothing."""


_VALUES = {"report": "DIR", "passes": "STRING"}


def split(arguments: Sequence[str]) -> tuple[Options, list[str]]:
    """The options of pycoro's, and what is left for clang. ``UsageError``."""
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
            raise UsageError(f"unknown option '{argument}'; those of pycoro's are shown by --pycoro-help")
    return own, rest


_CXX20 = re.compile(r"^(?:--?std=|/std:)(?:c|gnu)\+\+(?:2[0-9a-z]|[3-9][0-9]|latest)$")
_NOTHING_COMPILED = {"-###", "--version", "-E", "-M", "-MM", "-fsyntax-only", "--help", "-cc1", "-cc1as"}


def of_cxx20(argument: str) -> bool:
    """Whether an argument chooses a dialect that has coroutines, or turns them on by themselves."""
    return _CXX20.match(argument) is not None or "coroutines" in argument


def cannot_have_coroutines(arguments: Sequence[str]) -> bool:
    """Whether clang may take over at once: nothing is compiled, or nothing in a dialect that has coroutines.

    Where it takes more than a look at each argument to know, the answer is no, and clang's driver is asked for its jobs."""
    if not arguments:
        return True
    if any(a.startswith(("@", "--config", "-X")) for a in arguments):
        return False  # more arguments, or an argument that only looks like an option
    if not _NOTHING_COMPILED.isdisjoint(arguments):
        return True
    after = dict(itertools.pairwise(arguments))
    is_ir = any(a.endswith((".ll", ".bc")) or a in ("-xir", "--language=ir") for a in arguments) or after.get("-x") == "ir"
    return not is_ir and "-std" not in after and "--std" not in after and not any(map(of_cxx20, arguments))
