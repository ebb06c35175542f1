"""The command line: ``pycoro opt``, ``explain``, ``fuzz``, ``oracle``, ``doctor``.

Exit status: 0 done, 1 the input was rejected, 2 the command line is wrong (a pass string among it), 3 a mistake of
pycoro's. What a command was asked for goes to stdout, all else to stderr.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from pycoro import LLVM_VERSION, __version__
from pycoro.cli.doctor import run as run_doctor
from pycoro.cli.explain import run as run_explain
from pycoro.cli.fuzz import add_fuzz
from pycoro.cli.opt import run as run_opt
from pycoro.cli.oracle import add_oracle
from pycoro.cli.streams import complain, drop_output, keep_ir, open_streams
from pycoro.errors import Error, InternalError

__all__ = ["main"]

_PASSES = """\
pycoro's own passes are coro-early, coro-split, coro-split<reuse-storage>, coro-annotation-elide, coro-elide and
coro-cleanup, bare or inside module(...), cgscc(...), function(...) or coro-cond(...). Every other name is a pass of
LLVM's, which runs it in its place in the order. Lowering, whole:
  pycoro opt in.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup'
"""


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def _add_opt(commands: Any) -> None:
    keep = argparse.RawDescriptionHelpFormatter
    opt = commands.add_parser(
        "opt", help="run passes over IR, as LLVM's opt does", epilog=_PASSES, formatter_class=keep, allow_abbrev=False
    )
    opt.add_argument("input", nargs="?", default="-", metavar="IN", help="textual IR or bitcode; - or nothing: stdin")
    opt.add_argument("-passes", "--passes", "-p", default="", metavar="PIPELINE", help="pass string of opt's form")
    opt.add_argument("-o", "--output", default="-", metavar="OUT", help="where the result goes; - or nothing: stdout")
    opt.add_argument("-S", dest="text", action="store_true", help="write textual IR, not bitcode")
    opt.add_argument("-f", dest="force", action="store_true", help="write bitcode even to a terminal")
    opt.add_argument("-disable-output", "--disable-output", action="store_true", help="write no IR")
    opt.add_argument(
        "-verify-each", "--verify-each", action="store_true", help="verify the module, and read its text back, after every pass"
    )
    opt.add_argument(
        "-print-after-all",
        "--print-after-all",
        action="store_true",
        help="print the module to stderr after every pass, under LLVM's dump headers",
    )
    opt.add_argument(
        "-print-after",
        "--print-after",
        default="",
        metavar="PASSES",
        help="print it after these passes only (names, with commas)",
    )
    for name, told in (("pass-remarks", "did"), ("pass-remarks-missed", "refused to do")):
        opt.add_argument(
            f"-{name}",
            f"--{name}",
            type=_pattern,
            metavar="REGEX",
            help=f"print to stderr what those of pycoro's passes {told} whose names match",
        )
    opt.add_argument("--json", action="store_true", help="report as JSON: to stdout where the IR goes elsewhere, else to stderr")
    opt.set_defaults(run=run_opt)


def _add_explain(commands: Any) -> None:
    explain = commands.add_parser("explain", help="show shape, suspend points and frame of coroutines", allow_abbrev=False)
    explain.add_argument("input", nargs="?", default="-", metavar="IN", help="textual IR or bitcode; - or nothing: stdin")
    explain.add_argument("--function", "-function", metavar="F", help="of this coroutine only")
    explain.add_argument("--reuse-storage", action="store_true", help="frames as coro-split<reuse-storage> lays them out")
    explain.add_argument("--svg", metavar="FILE", help="draw the one coroutine into FILE as well")
    explain.add_argument("--json", action="store_true", help="as JSON instead of text")
    explain.set_defaults(run=run_explain)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pycoro",
        description="Lowers LLVM coroutines, and shows what it decides.",
        epilog="Exit status: 0 done, 1 the input was rejected, 2 usage, 3 internal error.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pycoro {__version__} (LLVM {LLVM_VERSION})")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_opt(commands)
    _add_explain(commands)
    add_fuzz(commands)
    add_oracle(commands)

    check = commands.add_parser("doctor", help="say what pycoro found on this machine, and what is missing")
    check.add_argument("--json", action="store_true", help="as JSON instead of text")
    check.set_defaults(run=run_doctor)
    return parser


def _run(arguments: Sequence[str] | None) -> int:
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
        return _run(arguments)
    except OSError:  # stderr takes nothing either: there is nobody to tell
        return 1
    finally:
        drop_output()
