"""Read a file for the explorer: IR, or C++ that clang compiles without its coroutine passes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from pycoro._escape import printable, printable_lines
from pycoro.errors import Diagnostic, UsageError
from pycoro.module import Module

__all__ = ["FRONTEND", "is_source", "read"]

FRONTEND = ("-std=c++20", "-O1", "-g", "-fno-discard-value-names")
"""Default options of clang. -O1 emits lifetime markers; no optimization runs."""

_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".cppm")


def is_source(path: str) -> bool:
    """Return True if the file needs clang."""
    return path.endswith(_SOURCES)


def _compile_source(path: str, options: Sequence[str]) -> bytes:
    find = import_module("pycoro_driver.find")
    try:
        clang: str = find.find("clang++")
    except find.ClangError as error:
        raise UsageError(str(error), [Diagnostic(str(error), "or pass IR that clang wrote on another machine")]) from None
    if os.path.basename(path).startswith("@"):  # clang would expand the bare name as a response file
        message = f"{printable(path)}: clang reads a name that begins with @ as a response file"
        raise UsageError(message, [Diagnostic(message, "rename the file")])
    source = os.path.abspath(path)  # clang reads a name that begins with - as an option
    command = [clang, *FRONTEND, *options, "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "-", source]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        output = printable_lines(done.stderr.decode("utf-8", "backslashreplace")).strip()
        raise UsageError(f"clang does not compile {printable(path)}:\n{output[:4000]}")
    return done.stdout


def read(path: str, options: Sequence[str] = ()) -> Module:
    """Return the module of a file. ``options`` are for clang. Raises ``OSError``, ``UsageError`` if clang is missing or fails,
    and the errors of :meth:`Module.from_file`.
    """
    if not is_source(path):
        if options:
            raise UsageError(f"{printable(path)} is IR; options for clang need a C++ source")
        return Module.from_file(path)
    Path(path).open("rb").close()
    return Module(_compile_source(path, options), name=path, trusted=True)
