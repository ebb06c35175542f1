"""Shared parts of the commands: read IR, write results, print errors."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from pycoro._escape import printable, printable_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any, TextIO

    from pycoro.cli.places import Places
    from pycoro.errors import Diagnostic, Error, InternalError
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = [
    "add_input_argument",
    "add_report_option",
    "colored",
    "discard_unwritable_output",
    "error_line",
    "print_diagnostic",
    "print_error",
    "print_usage_error",
    "read_module",
    "reopen_closed_streams",
    "save_ir_and_print_path",
    "write_json",
    "write_output",
    "write_report",
]


def reopen_closed_streams() -> None:
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


def discard_unwritable_output() -> None:
    """Discard output that a standard stream could not write; otherwise Python would retry at exit and report an error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "wb") as null:
                os.dup2(null.fileno(), stream.fileno())
        except ValueError:
            pass  # closed by the embedding program


def add_input_argument(command: argparse.ArgumentParser) -> None:
    """Add the input argument, for `read_module`."""
    command.add_argument("input", nargs="?", default="-", metavar="IN", help="textual IR or bitcode (default: - for stdin)")


def add_report_option(command: argparse.ArgumentParser) -> None:
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
    from pycoro._atomicwrite import write_atomically_if_regular

    write_atomically_if_regular(path, data)


def write_json(data: Any, file: TextIO | None = None) -> None:
    """Print an indented JSON document."""
    import json

    print(json.dumps(data, indent=2), file=file or sys.stdout)


_COLORS = {"error": "1;31", "warning": "1;35", "help": "1;36", "-->": "1;36"}


def colored(label: str, text: str = "") -> str:
    """Return a label, by default as its own text, in the label's color if stderr is a terminal and ``NO_COLOR`` is not set."""
    text = text or label
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb" and sys.stderr.isatty()
    return f"\x1b[{_COLORS[label]}m{text}\x1b[0m" if wanted else text


def error_line(message: str) -> str:
    """Return an error message as a line."""
    return f"{colored('error', 'error:')} {printable_lines(message)}"


def _diagnostic_lines(diagnostic: Diagnostic, places: Places | None) -> list[str]:
    """Return message, location and hint as lines."""
    place, message = places.place_and_message(diagnostic) if places else ("", diagnostic.message)
    severity = colored(diagnostic.severity, f"{diagnostic.severity}:")
    lines = [f"{place}: {severity} {printable_lines(message)}" if place else f"{severity} {printable_lines(message)}"]
    functions = [f"@{diagnostic.function}" if diagnostic.function else "", diagnostic.block]
    where = ", ".join(printable(function) for function in functions if function)
    instruction = printable_lines(diagnostic.instruction.strip())
    if instruction:
        where = f"{where}: {instruction}" if where else instruction
    if where:
        lines.append(f"  {colored('-->')} {where}")
    if diagnostic.hint:
        lines.append(f"  {colored('help', 'help:')} {printable_lines(diagnostic.hint)}")
    return lines


def _print_diagnostics(lines: list[str], diagnostics: Sequence[Diagnostic], source: str) -> None:
    places = None
    if source and diagnostics:
        from pycoro.cli.places import Places

        places = Places(source)
    for diagnostic in diagnostics:
        lines += _diagnostic_lines(diagnostic, places)
    print("\n".join(lines), file=sys.stderr)


def print_diagnostic(diagnostic: Diagnostic, source: str) -> None:
    """Print a diagnostic to stderr, with its place in the input file ``source``."""
    _print_diagnostics([], [diagnostic], source)


def print_error(error: Error, source: str = "") -> None:
    """Print an error to stderr with its diagnostics, and their places in the input file ``source``."""
    message = error.args[0] or ("" if error.diagnostics else error.message)
    _print_diagnostics([error_line(message)] if message else [], error.diagnostics, source)


def print_usage_error(message: str) -> int:
    """Print an error of the command line to stderr, and return the exit status."""
    from pycoro.errors import UsageError

    print(f"error: {printable(message)}", file=sys.stderr)
    return UsageError().exit_status


def save_ir_and_print_path(error: InternalError) -> None:
    """Save the IR of an internal error to a file, for a bug report, and print its path."""
    if error.ir is None:
        return
    import tempfile

    handle, path = tempfile.mkstemp(prefix="pycoro-", suffix=".ll")
    with open(handle, "w") as file:
        file.write(error.ir)
    print(f"  help: this is a bug in pycoro; please report it with {path}", file=sys.stderr)
