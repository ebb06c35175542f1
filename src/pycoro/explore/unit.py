"""A file to be explored, as a module: IR as it is, C++ as clang leaves it when its own coroutine passes do not run."""

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
"""What clang is given unless it is told otherwise: -O1 so that it says where a variable's life ends; it optimises nothing."""

_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".cppm")


def is_source(path: str) -> bool:
    """Whether clang has to read it first."""
    return path.endswith(_SOURCES)


def _compiled(path: str, options: Sequence[str]) -> bytes:
    find = import_module("pycoro_driver.find")
    try:
        clang: str = find.find("clang++")
    except find.ClangError as error:
        raise UsageError(str(error), [Diagnostic(str(error), "or give IR that clang has written elsewhere")]) from None
    if os.path.basename(path).startswith("@"):  # clang repeats the name without its folder, and expands it there
        message = f"{printable(path)}: clang reads a name that begins with @ as a file of options"
        raise UsageError(message, [Diagnostic(message, "rename the file")])
    source = os.path.abspath(path)  # clang reads a name that begins with - as an option
    command = [clang, *FRONTEND, *options, "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "-", source]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        said = printable_lines(done.stderr.decode("utf-8", "backslashreplace")).strip()
        raise UsageError(f"clang does not compile {printable(path)}:\n{said[:4000]}")
    return done.stdout


def read(path: str, options: Sequence[str] = ()) -> Module:
    """The module of a file. ``options`` are clang's. ``OSError``; ``UsageError`` where clang is not there or does not compile it;
    what :meth:`Module.from_file` raises."""
    if not is_source(path):
        if options:
            raise UsageError(f"{printable(path)} is read as IR: options for clang are for a source of C++")
        return Module.from_file(path)
    Path(path).open("rb").close()
    return Module(_compiled(path, options), name=path, trusted=True)
