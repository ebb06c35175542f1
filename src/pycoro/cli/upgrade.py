"""``pycoro upgrade``: convert textual IR of older LLVM versions to LLVM 22."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from pycoro._escape import printable
from pycoro.cli.streams import add_input_argument, write_json, write_output
from pycoro.errors import UsageError

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command ``upgrade``."""
    upgrade = commands.add_parser(
        "upgrade", help="convert coroutines of LLVM 4 to 21, and of LLVM 23, to LLVM 22", allow_abbrev=False
    )
    add_input_argument(upgrade)
    upgrade.add_argument("-o", "--output", default="-", metavar="OUT", help="output file, textual IR (default: - for stdout)")
    upgrade.add_argument("--json", action="store_true", help="print the changes to stderr as JSON")
    upgrade.add_argument("--quiet", action="store_true", help="do not print the changes")
    upgrade.set_defaults(run=_run_upgrade)


def _run_upgrade(options: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    from pycoro.module import Module

    if options.json and options.quiet:
        print("error: --json and --quiet cannot be combined", file=sys.stderr)
        return UsageError().exit_status
    name = "<stdin>" if options.input == "-" else options.input
    data = sys.stdin.buffer.read() if options.input == "-" else Path(options.input).read_bytes()
    module = Module(data, name=name, upgrade=True)
    remarks = module.upgrades
    if options.json:
        write_json([{"step": r.name, "function": r.function, "message": r.message} for r in remarks], sys.stderr)
    elif not options.quiet:
        for remark in remarks:
            where = f" in @{remark.function}" if remark.function else ""
            print(printable(f"remark[{remark.name}]{where}: {remark.message}"), file=sys.stderr)
    write_output(options.output, str(module).encode() if remarks else data)
    return 0
