"""The clang that is used, and what is said on its way: all that a command line needs that clang takes over at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

__all__ = ["VERSION", "ClangError", "find", "said"]

VERSION = "22"
"""Of the LLVM that pycoro is built for: its bitcode is what clang has to write and to read."""

_VARIABLES = {"clang": "PYCORO_CLANG", "clang++": "PYCORO_CLANGXX"}


class ClangError(Exception):
    """There is no clang that can be used; the message says so, and how to mend it."""


def find(program: str, environment: Mapping[str, str] = os.environ) -> str:
    """The path of ``clang`` or ``clang++``. ``ClangError``."""
    variable = _VARIABLES[program]
    given = environment.get(variable)
    names = [given] if given else [f"{program}-{VERSION}", f"/usr/lib/llvm-{VERSION}/bin/{program}", program]
    for name in names:
        if path := _program(name, environment.get("PATH") or os.defpath):
            return path
    if given:
        raise ClangError(f"there is no program '{given}', which {variable} names")
    raise ClangError(
        f"clang {VERSION} is not installed: neither {program}-{VERSION} nor {program} is found; "
        f"Debian: apt-get install clang-{VERSION}; {variable}=PATH names one elsewhere"
    )


def _program(name: str, path: str) -> str:
    """Where a program lies; empty where there is none."""
    folders = [""] if "/" in name else path.split(os.pathsep)
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), "")


def said(text: str) -> None:
    """Prints to stderr, whatever bytes are in it."""
    sys.stderr.flush()
    os.write(2, text.encode("utf-8", "surrogateescape"))
