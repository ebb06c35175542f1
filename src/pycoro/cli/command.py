"""The command line: a table of commands, and compilers, whose options are clang's: ``c++``, ``cc``.

Exit status: 0 done, 1 the input was rejected, 2 the command line is wrong (a pass string among it), 3 a mistake of
pycoro's. What a command was asked for goes to stdout, all else to stderr.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence

from pycoro import LLVM_VERSION, __version__
from pycoro.cli import compile, doctor, explain, fuzz, link, opt, oracle, report
from pycoro.cli.streams import complain, drop_output, keep_ir, open_streams
from pycoro.errors import Error, InternalError
from pycoro_driver import cc, cxx

__all__ = ["main"]

_COMPILERS = {"c++": (cxx, "clang++"), "cc": (cc, "clang")}
"""Their options are clang's, and not parsed here."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pycoro",
        description="Lowers LLVM coroutines, and shows what it decides.",
        epilog="Exit status: 0 done, 1 the input was rejected, 2 usage, 3 internal error.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pycoro {__version__} (LLVM {LLVM_VERSION})")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in (opt, compile, link, explain, report, fuzz, oracle, doctor):
        command.add(commands)
    for name, (_, program) in _COMPILERS.items():
        commands.add_parser(name, help=f"{program}, with pycoro in the place of LLVM's coroutine passes; also pycoro-{name}")
    return parser


def _run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in _COMPILERS:
        return _COMPILERS[arguments[0]][0](arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except Error as error:
        complain(error)
        if isinstance(error, InternalError):
            keep_ir(error)
        return error.exit_status
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
    except Exception:
        traceback.print_exc()
        print("error: a mistake in pycoro; please report it with the lines above and the input", file=sys.stderr)
        return 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status. Usage errors and ``--help`` raise ``SystemExit`` as argparse does."""
    open_streams()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except OSError:  # stderr takes nothing either: there is nobody to tell
        return 1
    finally:
        drop_output()
