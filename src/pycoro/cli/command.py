"""Dispatch commands and the compiler drivers ``c++`` and ``cc``, which accept the options of clang.

Exit status: 0 success, 1 rejected input, 2 usage error (including pass strings), 3 bug in pycoro. Results go to stdout, all
other output to stderr.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from pycoro import LLVM_VERSION, __version__
from pycoro.cli.streams import discard_unwritable_output, error_line, print_error, reopen_closed_streams, save_ir_and_print_path

__all__ = ["main"]

_COMMANDS = ("opt", "compile", "link", "explain", "explore", "lint", "upgrade", "report", "fuzz", "oracle", "doctor")
"""Names of the command modules of this package, imported on demand."""

_COMPILERS = {"c++": ("cxx", "clang++"), "cc": ("cc", "clang")}
"""Compiler drivers; their options are not parsed here."""


def _make_parser(command_name: str) -> argparse.ArgumentParser:
    """Create the parser for one command, or for all if the name is unknown."""
    parser = argparse.ArgumentParser(
        prog="pycoro",
        description="Lower LLVM coroutines and inspect the result.",
        epilog="Exit status: 0 success, 1 rejected input, 2 usage error, 3 internal error.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pycoro {__version__} (LLVM {LLVM_VERSION})")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (command_name,) if command_name in _COMMANDS else _COMMANDS:
        import_module(f"pycoro.cli.{command}").add_command(commands)
    for name, (_, program) in _COMPILERS.items():
        commands.add_parser(name, help=f"{program} with pycoro instead of LLVM's coroutine passes; also installed as pycoro-{name}")
    return parser


def _report_error(error: Exception, source: str) -> int:
    """Print an error about an input file to stderr and return the exit status."""
    from pycoro.errors import Error, InternalError

    if not isinstance(error, Error):
        import traceback

        traceback.print_exception(error)
        print(error_line("bug in pycoro; please report it with the lines above and the input"), file=sys.stderr)
        return 3
    print_error(error, source)
    if isinstance(error, InternalError):
        save_ir_and_print_path(error)
    return error.exit_status


def _run_command(arguments: Sequence[str], owns_process: bool) -> int:
    """Run a command. If it owns the process, it may fork and end it."""
    name = arguments[0] if arguments else ""
    if name in _COMPILERS:
        compiler: int = getattr(import_module("pycoro_driver"), _COMPILERS[name][0])(arguments[1:])
        return compiler
    parser = _make_parser(name)
    if not arguments:
        parser.print_help()
        return 0
    options = parser.parse_args(arguments, argparse.Namespace(owns_process=owns_process))
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return 0  # the reader closed the pipe
    except OSError as error:
        file = "input or output" if error.filename is None else repr(str(error.filename))[1:-1] or "''"
        print(error_line(f"{file}: {error.strerror or error}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        print(error_line("out of memory"), file=sys.stderr)
        return 3
    except Exception as error:
        return _report_error(error, getattr(options, "input", None) or "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status. Usage errors and ``--help`` raise ``SystemExit`` as in argparse."""
    reopen_closed_streams()
    try:
        return _run_command(sys.argv[1:] if arguments is None else arguments, arguments is None)
    except OSError:  # stderr is not writable either
        return 1
    finally:
        discard_unwritable_output()
