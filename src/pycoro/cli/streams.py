"""Shared parts of the commands: read IR, write results, print errors."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from pycoro._escape import printable, printable_lines

if TYPE_CHECKING:
    import argparse
    from typing import Any, TextIO

    from pycoro.errors import Diagnostic, Error, InternalError
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = [
    "add_input",
    "add_report",
    "diagnostic_lines",
    "drop_output",
    "open_streams",
    "print_error",
    "read_module",
    "save_ir",
    "write_json",
    "write_output",
    "write_report",
]


def open_streams() -> None:
    """Replace closed standard streams, so that using them fails and no other file gets their descriptors. A closed stderr discards
    output. Make stdout replace characters that the terminal cannot encode."""
    for number, name, flags in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, flags)  # the lowest free descriptor, normally this one
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            raw = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
            buffer = io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw)
            setattr(sys, name, io.TextIOWrapper(buffer, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def drop_output() -> None:
    """Discard output that a standard stream could not write; otherwise Python would retry at exit and report an error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "wb") as null:
                os.dup2(null.fileno(), stream.fileno())
        except ValueError:
            pass  # closed by the embedding program


def add_input(command: argparse.ArgumentParser) -> None:
    """Add the input argument, for `read_module`."""
    command.add_argument("input", nargs="?", default="-", metavar="IN", help="textual IR or bitcode (default: - for stdin)")


def add_report(command: argparse.ArgumentParser) -> None:
    """Add the report directory option, for `write_report`."""
    command.add_argument(
        "--report", default="", metavar="DIR", help="add the coroutines to the report directory DIR: see pycoro report"
    )


def write_report(directory: str, report: Report, *, source: str, output: str) -> None:
    """Write the report unit if a directory is given. Raises ``OSError``."""
    if directory:
        from pycoro.reporting import write_unit

        write_unit(directory, report, source=source, output="" if output == "-" else output)


def read_module(path: str) -> Module:
    """Read the module in a file, or on stdin for ``-``. Raises ``OSError``, ``ParseError``, ``VerifyError``."""
    from pycoro.module import Module

    if path == "-":
        return Module(sys.stdin.buffer.read(), name="<stdin>")
    return Module.from_file(path)


def write_output(path: str, data: bytes) -> None:
    """Write to a file atomically, or to stdout for ``-`` or an empty path, as LLVM's tools do."""
    if path in ("", "-"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from pycoro._atomicwrite import write_atomically

    write_atomically(path, data)


def write_json(data: Any, file: TextIO | None = None) -> None:
    """Print an indented JSON document."""
    import json

    print(json.dumps(data, indent=2), file=file or sys.stdout)


def diagnostic_lines(diagnostic: Diagnostic) -> list[str]:
    """Return message, location and hint as lines."""
    lines = [f"{diagnostic.severity}: {printable_lines(diagnostic.message)}"]
    places = [f"@{diagnostic.function}" if diagnostic.function else "", diagnostic.block]
    where = ", ".join(printable(place) for place in places if place)
    instruction = printable_lines(diagnostic.instruction.strip())
    if instruction:
        where = f"{where}: {instruction}" if where else instruction
    if where:
        lines.append(f"  --> {where}")
    if diagnostic.hint:
        lines.append(f"  help: {printable_lines(diagnostic.hint)}")
    return lines


def print_error(error: Error) -> None:
    """Print an error to stderr with its diagnostics."""
    message = error.args[0] or ("" if error.diagnostics else error.message)
    lines = [f"error: {printable_lines(message)}"] if message else []
    for diagnostic in error.diagnostics:
        lines += diagnostic_lines(diagnostic)
    print("\n".join(lines), file=sys.stderr)


def save_ir(error: InternalError) -> None:
    """Save the IR of an internal error to a file, for a bug report, and print its path."""
    if error.ir is None:
        return
    import tempfile

    handle, path = tempfile.mkstemp(prefix="pycoro-", suffix=".ll")
    with open(handle, "w") as file:
        file.write(error.ir)
    print(f"  help: this is a bug in pycoro; please report it with {path}", file=sys.stderr)
