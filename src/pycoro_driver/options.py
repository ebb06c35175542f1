"""Parse pycoro's options, and detect command lines that cannot contain a coroutine."""

from __future__ import annotations

import itertools
import os

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "HELP",
    "Options",
    "UsageError",
    "cannot_have_coroutines",
    "enables_coroutines_or_cxx20",
    "options_with_values",
    "split_options",
]

HELP = """\
usage: {name} [--pycoro-...] [any clang option] file...

clang's driver with pycoro instead of LLVM's coroutine passes. All options of clang work as with clang
(see --help). Options of pycoro:

  --pycoro-fallback       lower a unit with clang, with a warning, if pycoro rejects it
  --pycoro-report=DIR     write a JSON file about the coroutines of each unit, for `pycoro report DIR`
  --pycoro-passes=STRING  run these passes instead of the pipeline of the -O level
  --pycoro-cache-frames   keep the memory of destroyed frames in lists of the thread, for the next frames
  --pycoro-infer-captures
                          infer which calls keep addresses of variables, for smaller frames; assumes that all
                          definitions of an inline function keep the same ones
  --pycoro-separate       lower a unit outside of clang's process; this is slower
  --pycoro-help           print this help

-fplugin-arg-pycoro-report=DIR is the same as --pycoro-report=DIR, likewise for the others; clangd accepts it.

Environment:
  PYCORO_REPORT=DIR, PYCORO_PASSES=STRING, PYCORO_FALLBACK=1, PYCORO_CACHE_FRAMES=1,
  PYCORO_INFER_CAPTURES=1
                          as the options, which take precedence; with ccache, set CCACHE_RECACHE=1
                          for a complete report
  PYCORO_CLANG, PYCORO_CLANGXX
                          a clang 22 outside of the default places
"""

_PREFIXES = ("--pycoro-", "-fplugin-arg-pycoro-")
"""The second one is clang's syntax for an option of a plugin, which clang and its tools ignore without the plugin."""

_VALUES = {"report": "DIR", "passes": "STRING"}


class UsageError(Exception):
    """The command line is invalid; the message explains the error."""


class Options:
    """Options of pycoro, with defaults of the environment."""

    __slots__ = ("cache_frames", "fallback", "help", "infer_captures", "passes", "report", "separate")

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self.cache_frames = environment.get("PYCORO_CACHE_FRAMES", "") not in ("", "0")
        """Run ``coro-cache-frames`` before the other passes."""
        self.fallback = environment.get("PYCORO_FALLBACK", "") not in ("", "0")
        """Lower with clang if pycoro rejects a unit."""
        self.infer_captures = environment.get("PYCORO_INFER_CAPTURES", "") not in ("", "0")
        """Run ``coro-infer-captures`` before the other passes."""
        self.report = environment.get("PYCORO_REPORT", "")
        """Directory for a JSON file of each unit; empty for none."""
        self.passes = environment.get("PYCORO_PASSES") or None
        """Pass string that replaces the pipeline of the level."""
        self.separate = False
        """Lower outside of clang's process, although pycoro could be a plugin of clang."""
        self.help = False
        """Print the help and exit."""


def split_options(arguments: Sequence[str]) -> tuple[Options, list[str]]:
    """Split the command line into pycoro's options and clang's. Raises ``UsageError``."""
    own = Options()
    rest: list[str] = []
    for argument in arguments:
        prefix = next((prefix for prefix in _PREFIXES if argument.startswith(prefix)), "")
        if not prefix:
            rest.append(argument)
            continue
        name, given, value = argument.removeprefix(prefix).partition("=")
        if name in ("cache-frames", "fallback", "help", "infer-captures", "separate"):
            if given:
                raise UsageError(f"{prefix}{name} takes no value")
            setattr(own, name.replace("-", "_"), True)
        elif name in _VALUES:
            if not value:
                raise UsageError(f"{prefix}{name} needs a value: {prefix}{name}={_VALUES[name]}")
            setattr(own, name, value)
        else:
            raise UsageError(f"unknown option '{argument}'; --pycoro-help lists the options")
    return own, rest


STANDARDS = tuple(f"{option}{language}++" for option in ("-std=", "--std=", "/std:") for language in ("c", "gnu"))
_WITH_VALUE = {
    "-A", "-B", "-D", "-F", "-G", "-I", "-L", "-MF", "-MJ", "-MQ", "-MT", "-T", "-U", "-arch", "-b", "-cxx-isystem",
    "-dependency-dot", "-dependency-file", "-dsym-dir", "-dumpdir", "-e", "-framework", "-h", "-idirafter", "-iframework",
    "-iframeworkwithsysroot", "-imacros", "-include", "-include-pch", "-iprefix", "-iquote", "-isysroot", "-isystem",
    "-isystem-after", "-ivfsoverlay", "-iwithprefix", "-iwithprefixbefore", "-iwithsysroot", "-l", "-mllvm", "-mmlir",
    "-module-dependency-dir", "-mthread-model", "-o", "-resource-dir", "-rpath", "-serialize-diagnostics",
    "--serialize-diagnostics", "-std", "--std", "-stdlib++-isystem", "--sysroot", "-target", "-u", "-vfsoverlay",
    "-working-directory", "-x", "-z", "--analyzer-output", "--config", "--output", "--param", "--language", "--include",
}  # fmt: skip
"""Options of clang's driver that take the next argument as their value, besides those that begin with ``-X``."""

_NOTHING_COMPILED = {"--version", "-E", "-M", "-MM", "-fsyntax-only", "--help", "-cc1", "-cc1as"}


def enables_coroutines_or_cxx20(argument: str) -> bool:
    """Return True if an argument enables coroutines or selects a dialect with them."""
    if argument.startswith(STANDARDS):
        year = argument[argument.index("++") + 2 :]
        return year == "latest" or (len(year) == 2 and "20" <= year < "98")
    return "coroutines" in argument


def options_with_values(arguments: Sequence[str]) -> dict[str, str]:
    """Return the arguments that are not values of other options, each with the argument that is its value, or ``""``. The last of
    several equal ones counts.
    """
    words = iter(arguments)
    return {word: next(words, "") if word in _WITH_VALUE or word.startswith("-X") else "" for word in words}


def cannot_have_coroutines(arguments: Sequence[str]) -> bool:
    """Return True if clang can replace the process, because no dialect with coroutines is compiled.

    If that depends on more than single arguments, the result is False, and clang's driver is queried for its jobs.
    """
    if not arguments:
        return True
    if any(a.startswith(("@", "--config", "-X")) for a in arguments):
        return False  # response files, or an argument that only resembles an option
    if not _NOTHING_COMPILED.isdisjoint(options_with_values(arguments)):
        return True
    after = dict(itertools.pairwise(arguments))
    is_ir = any(a.endswith((".ll", ".bc")) or a in ("-xir", "--language=ir") for a in arguments) or after.get("-x") == "ir"
    return not is_ir and "-std" not in after and "--std" not in after and not any(map(enables_coroutines_or_cxx20, arguments))
