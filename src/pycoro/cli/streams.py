"""What the commands share: reading IR, writing results, and printing what is wrong."""

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
    "complain",
    "diagnostic_lines",
    "drop_output",
    "keep_ir",
    "keep_report",
    "open_streams",
    "read_module",
    "write_json",
    "write_output",
]


def open_streams() -> None:
    """Makes of a standard stream that is closed one that reports it when it is used, so that no other file takes its place.

    Nothing is said to a closed stderr. A terminal that cannot draw a frame's lines still shows its text."""
    for number, name, flags in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, flags)  # the lowest number that is free: this one
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
    """Drops what a standard stream could not take, or Python would try it again at exit and report that as well."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), stream.fileno())
        except ValueError:
            pass  # closed by who embeds the command


def add_input(command: argparse.ArgumentParser) -> None:
    """The argument that names the IR: what `read_module` takes."""
    command.add_argument("input", nargs="?", default="-", metavar="IN", help="textual IR or bitcode; - or nothing: stdin")


def add_report(command: argparse.ArgumentParser) -> None:
    """The option that names the folder of units: what `keep_report` takes."""
    command.add_argument(
        "--report", default="", metavar="DIR", help="add what is known of the coroutines to DIR: see pycoro report"
    )


def keep_report(directory: str, report: Report, *, source: str, output: str) -> None:
    """Writes the unit where a folder was named. ``OSError``."""
    if directory:
        from pycoro.reporting import write_unit

        write_unit(directory, report, source=source, output="" if output == "-" else output)


def read_module(path: str) -> Module:
    """The module in a file, or on stdin where the path is ``-``. ``OSError``, ``ParseError``, ``VerifyError``."""
    from pycoro.module import Module

    if path == "-":
        return Module(sys.stdin.buffer.read(), name="<stdin>")
    return Module.from_file(path)


def write_output(path: str, data: bytes) -> None:
    """Writes to a file, whole or not at all, or to stdout where the path is ``-`` or empty, as LLVM's tools do."""
    if path in ("", "-"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from pycoro._atomicwrite import write_atomically

    write_atomically(path, data)


def write_json(data: Any, file: TextIO | None = None) -> None:
    """One JSON document, as lines for people."""
    import json

    print(json.dumps(data, indent=2), file=file or sys.stdout)


def diagnostic_lines(diagnostic: Diagnostic) -> list[str]:
    """What is wrong, where, and how to mend it: a line for each that is known."""
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


def complain(error: Error) -> None:
    """Prints an error to stderr, with its place and its mending."""
    said = error.args[0] or ("" if error.diagnostics else error.message)
    lines = [f"error: {printable_lines(said)}"] if said else []
    for diagnostic in error.diagnostics:
        lines += diagnostic_lines(diagnostic)
    print("\n".join(lines), file=sys.stderr)


def keep_ir(error: InternalError) -> None:
    """Saves the IR that a mistake of pycoro's came up on, for a report, and says where."""
    if error.ir is None:
        return
    import tempfile

    handle, path = tempfile.mkstemp(prefix="pycoro-", suffix=".ll")
    with open(handle, "w") as file:
        file.write(error.ir)
    print(f"  help: this is a mistake in pycoro; please report it with {path}", file=sys.stderr)
