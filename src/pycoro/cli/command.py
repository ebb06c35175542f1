"""The command line: a table of commands, and compilers, whose options are clang's: ``c++``, ``cc``.

Exit status: 0 done, 1 the input was rejected, 2 the command line is wrong (a pass string among it), 3 a mistake of
pycoro's. What a command was asked for goes to stdout, all else to stderr.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from pycoro import LLVM_VERSION, __version__
from pycoro.cli.streams import complain, drop_output, keep_ir, open_streams

__all__ = ["main"]

_COMMANDS = ("opt", "compile", "link", "explain", "explore", "lint", "upgrade", "report", "fuzz", "oracle", "doctor")
"""Each is a module beside this one, imported when it is asked for."""

_COMPILERS = {"c++": ("cxx", "clang++"), "cc": ("cc", "clang")}
"""Their options are clang's, and not parsed here."""


def _parser(asked: str) -> argparse.ArgumentParser:
    """With the command that is asked for, or with all where none is."""
    parser = argparse.ArgumentParser(
        prog="pycoro",
        description="Lowers LLVM coroutines, and shows what it decides.",
        epilog="Exit status: 0 done, 1 the input was rejected, 2 usage, 3 internal error.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pycoro {__version__} (LLVM {LLVM_VERSION})")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (asked,) if asked in _COMMANDS else _COMMANDS:
        import_module(f"pycoro.cli.{command}").add(commands)
    for name, (_, program) in _COMPILERS.items():
        commands.add_parser(name, help=f"{program}, with pycoro in the place of LLVM's coroutine passes; also pycoro-{name}")
    return parser


def _tell(error: Exception) -> int:
    """What is wrong, to stderr; the exit status."""
    from pycoro.errors import Error, InternalError

    if not isinstance(error, Error):
        import traceback

        traceback.print_exception(error)
        print("error: a mistake in pycoro; please report it with the lines above and the input", file=sys.stderr)
        return 3
    complain(error)
    if isinstance(error, InternalError):
        keep_ir(error)
    return error.exit_status


def _run(arguments: Sequence[str], alone: bool) -> int:
    """``alone``: the process is the command's own."""
    asked = arguments[0] if arguments else ""
    if asked in _COMPILERS:
        compiler: int = getattr(import_module("pycoro_driver"), _COMPILERS[asked][0])(arguments[1:])
        return compiler
    options = _parser(asked).parse_args(arguments, argparse.Namespace(alone=alone))
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return 0  # the reader has seen enough
    except OSError as error:
        name = "input or output" if error.filename is None else repr(str(error.filename))[1:-1] or "''"
        print(f"error: {name}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        print("error: memory ran out", file=sys.stderr)
        return 3
    except Exception as error:
        return _tell(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status. Usage errors and ``--help`` raise ``SystemExit`` as argparse does."""
    open_streams()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments, arguments is None)
    except OSError:  # stderr takes nothing either: there is nobody to tell
        return 1
    finally:
        drop_output()
