"""Find clang. This module is all that a command line loads if clang replaces the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

__all__ = ["VERSION", "ClangError", "find", "write_stderr"]

VERSION = "22"
"""LLVM version of pycoro, whose bitcode clang must write and read."""

_VARIABLES = {"clang": "PYCORO_CLANG", "clang++": "PYCORO_CLANGXX"}


class ClangError(Exception):
    """No usable clang was found; the message contains the fix."""


def find(program: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of ``clang`` or ``clang++``. Raises ``ClangError``."""
    variable = _VARIABLES[program]
    given = environment.get(variable)
    names = [given] if given else [f"{program}-{VERSION}", f"/usr/lib/llvm-{VERSION}/bin/{program}", program]
    for name in names:
        if path := _program_path(name, environment.get("PATH") or os.defpath):
            return path
    if given:
        raise ClangError(f"{variable} names '{given}', which does not exist")
    raise ClangError(
        f"clang {VERSION} is not installed: neither {program}-{VERSION} nor {program} was found; "
        f"Debian: apt-get install clang-{VERSION}; or set {variable}=PATH"
    )


def _program_path(name: str, path: str) -> str:
    """Return the path of a program; empty if it does not exist."""
    folders = [""] if "/" in name else path.split(os.pathsep)
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), "")


def write_stderr(text: str) -> None:
    """Print to stderr, including undecodable bytes."""
    sys.stderr.flush()
    os.write(2, text.encode("utf-8", "surrogateescape"))
