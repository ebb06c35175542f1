"""What the commands share: reading IR, writing results, and printing what is wrong."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any, TextIO

from pycoro.errors import Diagnostic, Error, InternalError
from pycoro.module import Module

__all__ = ["complain", "diagnostic_lines", "keep_ir", "read_module", "write_json", "write_output"]


def read_module(path: str) -> Module:
    """The module in a file, or on stdin where the path is ``-``. ``OSError``, ``ParseError``, ``VerifyError``."""
    if path == "-":
        return Module(sys.stdin.buffer.read(), name="<stdin>")
    return Module.from_file(path)


def write_output(path: str, data: bytes) -> None:
    """Writes to a file, whole or not at all, or to stdout where the path is ``-``."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe
        with open(path, "wb") as file:
            file.write(data)
        return
    target = os.path.realpath(path)
    try:
        handle, part = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(part, _mode(target))
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise


def _mode(path: str) -> int:
    """The permissions that a file written the ordinary way would have."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_json(data: Any, file: TextIO | None = None) -> None:
    """One JSON document, as lines for people."""
    print(json.dumps(data, indent=2), file=file or sys.stdout)


def diagnostic_lines(diagnostic: Diagnostic) -> list[str]:
    """What is wrong, where, and how to mend it: a line for each that is known."""
    lines = [f"{diagnostic.severity}: {diagnostic.message}"]
    places = [f"@{diagnostic.function}" if diagnostic.function else "", diagnostic.block]
    where = ", ".join(place for place in places if place)
    if diagnostic.instruction:
        where = f"{where}: {diagnostic.instruction.strip()}" if where else diagnostic.instruction.strip()
    if where:
        lines.append(f"  --> {where}")
    if diagnostic.hint:
        lines.append(f"  help: {diagnostic.hint}")
    return lines


def complain(error: Error) -> None:
    """Prints an error to stderr, with its place and its mending."""
    lines = [f"error: {error.args[0]}"] if error.args[0] or not error.diagnostics else []
    if lines and not error.args[0]:
        lines = [f"error: {error.message}"]
    for diagnostic in error.diagnostics:
        lines += diagnostic_lines(diagnostic)
    print("\n".join(lines), file=sys.stderr)


def keep_ir(error: InternalError) -> None:
    """Saves the IR that a mistake of pycoro's came up on, for a report, and says where."""
    if error.ir is None:
        return
    handle, path = tempfile.mkstemp(prefix="pycoro-", suffix=".ll")
    with open(handle, "w") as file:
        file.write(error.ir)
    print(f"  help: this is a mistake in pycoro; please report it with {path}", file=sys.stderr)
