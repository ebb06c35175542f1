"""Find clang. This module is all that a command line loads if clang replaces the process."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VERSION", "ClangError", "find_archiver", "find_installed_clang", "find_plugin", "find_tool", "write_stderr"]

VERSION = "22"
"""LLVM version of pycoro, whose bitcode clang must write and read."""

_VARIABLES = {"clang": "PYCORO_CLANG", "clang++": "PYCORO_CLANGXX"}


class ClangError(Exception):
    """No usable clang was found; the message contains the fix."""


def find_installed_clang(program: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of ``clang`` or ``clang++``. Raises ``ClangError``."""
    variable = _VARIABLES[program]
    given = environment.get(variable)
    path = environment.get("PATH") or os.defpath
    if found := _program_path(given, path) if given else find_tool(program, path):
        return found
    if given:
        raise ClangError(f"{variable} names '{given}', which does not exist")
    raise ClangError(
        f"clang {VERSION} is not installed: neither {program}-{VERSION} nor {program} was found; "
        f"Debian: apt-get install clang-{VERSION}; or set {variable}=PATH"
    )


def find_tool(program: str, path: str) -> str:
    """Return the path of a program of LLVM, preferably of pycoro's version; empty if there is none. ``path`` is a ``PATH``."""
    names = (f"{program}-{VERSION}", f"/usr/lib/llvm-{VERSION}/bin/{program}", program)
    return next(filter(None, (_program_path(name, path) for name in names)), "")


def find_archiver(program: str, fallback: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of ``llvm-ar`` or ``llvm-ranlib``, preferably of clang's directory, or else of the system's ``fallback``.
    Raises ``ClangError``.
    """
    path = environment.get("PATH") or os.defpath
    clangs = os.path.join(os.path.dirname(os.path.realpath(find_installed_clang("clang", environment))), program)
    found = _program_path(clangs, path) or find_tool(program, path) or _program_path(fallback, path)
    if not found:
        raise ClangError(f"neither {program}-{VERSION} nor {fallback} was found; Debian: apt-get install llvm-{VERSION}")
    return found


def find_plugin() -> str:
    """Return the path of pycoro's plugin for clang; empty if it was not built."""
    import pycoro_driver

    paths = (os.path.join(folder, "clang_plugin.so") for folder in pycoro_driver.__path__)
    return next(filter(os.path.isfile, paths), "")


def _program_path(name: str, path: str) -> str:
    """Return the path of a program; empty if it does not exist."""
    folders = [""] if "/" in name else path.split(os.pathsep)
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), "")


def write_stderr(text: str) -> None:
    """Print to stderr, including undecodable bytes."""
    sys.stderr.flush()
    os.write(2, text.encode("utf-8", "surrogateescape"))
