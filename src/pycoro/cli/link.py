"""``pycoro link``: link modules and run passes on the result."""

from __future__ import annotations

import argparse
from typing import Any

from pycoro.cli.opt import add_options, run_passes
from pycoro.cli.streams import read_module
from pycoro.errors import UsageError
from pycoro.module import Module, link

__all__ = ["add_command"]

_ABOUT = """\
Inline and elide across modules:
  pycoro link a.bc b.bc -O2 -o out.bc
  pycoro link a.bc b.bc -passes='internalize<preserve-gv=main>,lto-pre-link<O2>,lto<O2>' -o out.bc
"""


def add_command(commands: Any) -> None:
    """Add the command ``link``."""
    raw = argparse.RawDescriptionHelpFormatter
    command = commands.add_parser(
        "link",
        help="link modules and run passes on the result",
        epilog=_ABOUT,
        formatter_class=raw,
        allow_abbrev=False,
    )
    command.add_argument("inputs", nargs="+", metavar="IN", help="textual IR or bitcode; -: stdin")
    add_options(command, "lto-pre-link<{0}>,lto<{0}>")
    command.set_defaults(run=_run_link, input="")


def _read_and_link(options: argparse.Namespace) -> Module:
    if options.inputs.count("-") > 1:
        raise UsageError("stdin (-) can be used only once")
    name = options.output if options.output not in ("", "-") else "<linked>"
    modules: list[Module] = []
    for path in options.inputs:
        options.input = path  # errors are in this file
        modules.append(read_module(path))
    options.input = ""
    return link(modules, name=name)


def _run_link(options: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    return run_passes(options, lambda: _read_and_link(options))
