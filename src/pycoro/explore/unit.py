"""Read a file for the explorer: IR, or C++ that clang compiles without its coroutine passes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pycoro._escape import printable, printable_lines
from pycoro.errors import Diagnostic, FileError, UsageError
from pycoro.module import Module

__all__ = ["FRONTEND", "READABLE", "build_passes", "is_source", "read_unit"]

FRONTEND = ("-std=c++20", "-O1")
"""Default options of clang. -O1 emits lifetime markers; no optimization runs."""

READABLE = ("-g", "-fno-discard-value-names")
"""Options of clang for names and source lines."""

_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".cppm")


def is_source(path: str) -> bool:
    """Return True if the file needs clang."""
    return path.endswith(_SOURCES)


_NOT_REPEATED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-MJ")
"""Options with a value, joined or as the next argument."""
_NOT_REPEATED_ALONE = ("-c", "-S")
_NOT_REPEATED = (
    *("-emit-llvm", "-MD", "-MMD", "-MP", "-save-temps", "--pycoro-", "-fplugin-arg-pycoro-"),
    *_NOT_REPEATED_WITH_VALUE,
)


def _file_of(entry: Mapping[str, Any]) -> Path:
    return Path(os.path.normpath(Path(entry["directory"], entry["file"])))


def unit_error(message: str, hint: str) -> UsageError:
    return UsageError(message, [Diagnostic(message, hint)])


def _directory_and_options_of_build(path: str, database: str) -> tuple[str, list[str]]:
    """Return the directory and the options with which a build compiles a source, from its ``compile_commands.json``."""
    file = Path(database, "compile_commands.json") if os.path.isdir(database) else Path(database)
    wanted = Path(os.path.abspath(path))
    try:
        entries: list[dict[str, Any]] = json.loads(file.read_bytes())
        found = next((entry for entry in entries if _file_of(entry) == wanted), None)
        words: list[Any] = [] if found is None else found.get("arguments") or shlex.split(found["command"])
        if type(words) is not list or not all(isinstance(word, str) and "\0" not in word for word in words):
            raise ValueError("the arguments of a command are not a list of texts")
    except FileNotFoundError:
        text, hint = f"{printable(str(file))}: No such file or directory", "configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
        raise FileError("", [Diagnostic(text, hint, status=FileError.status)]) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unit_error(f"{printable(str(file))} is not a compilation database: {error}", "let CMake write one") from None
    if found is None:
        known = ", ".join(sorted({_file_of(entry).name for entry in entries})[:5])
        message = f"{printable(str(file))} has no command for {printable(path)}; it has: {printable(known)}"
        raise unit_error(message, "name a source file of the build, not a header")
    options: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word in _NOT_REPEATED_WITH_VALUE:
            next(rest, None)
        elif (
            not word.startswith(_NOT_REPEATED)
            and word not in (found["file"], "--", *_NOT_REPEATED_ALONE)
            and Path(os.path.normpath(Path(found["directory"], word))) != wanted
        ):
            options.append(word)
    return found["directory"], options


def build_passes(path: str, options: Sequence[str], database: str) -> str:
    """Return the pass string of the level with which a build compiles a source; ``options`` follow those of the build."""
    level: str = import_module("pycoro_driver.job").level_of([*_directory_and_options_of_build(path, database)[1], *options])
    return f"default<{level}>"


def _compile_source(path: str, options: Sequence[str], database: str) -> bytes:
    find = import_module("pycoro_driver.find")
    try:
        clang: str = find.find_installed_clang("clang++")
    except find.ClangError as error:
        raise UsageError(str(error), [Diagnostic(str(error), "or pass IR that clang wrote on another machine")]) from None
    if os.path.basename(path).startswith("@"):  # clang would expand the bare name as a response file
        message = f"{printable(path)}: clang reads a name that begins with @ as a response file"
        raise UsageError(message, [Diagnostic(message, "rename the file")])
    source = os.path.abspath(path)  # clang reads a name that begins with - as an option
    directory, standard = _directory_and_options_of_build(path, database) if database else (None, [*FRONTEND])
    command = [clang, *standard, *READABLE, *options, "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "-", source]
    done = subprocess.run(command, capture_output=True, check=False, cwd=directory)
    if done.returncode:
        output = printable_lines(done.stderr.decode("utf-8", "backslashreplace")).strip()
        raise UsageError(f"clang does not compile {printable(path)}:\n{output[:4000]}")
    return done.stdout


def read_unit(path: str, options: Sequence[str] = (), database: str = "") -> Module:
    """Return the module of a file. ``options`` are for clang; with a ``database``, a file ``compile_commands.json`` or its
    directory, they follow those of the build. Raises ``OSError``, ``UsageError`` if clang is missing or fails,
    and the errors of :meth:`Module.from_file`.
    """
    if not is_source(path):
        if options or database:
            raise UsageError(f"{printable(path)} is IR; options for clang need a C++ source")
        return Module.from_file(path)
    Path(path).open("rb").close()
    return Module(_compile_source(path, options, database), name=path, trusted=True)
