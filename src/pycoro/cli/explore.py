"""``pycoro explore``: write or serve a page that shows coroutines from their source to their clones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from pycoro._escape import printable
from pycoro.cli.streams import print_error, write_output
from pycoro.errors import Error, UsageError
from pycoro.explore.data import empty_model, model
from pycoro.explore.html import page
from pycoro.explore.serve import EVENTS, Server
from pycoro.explore.unit import build_passes, is_source, read_unit
from pycoro.pipeline import DEFAULT

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command ``explore``."""
    explore = commands.add_parser(
        "explore", help="write or serve a page that shows coroutines from source to clones", allow_abbrev=False
    )
    explore.add_argument("input", metavar="FILE", help="textual IR, bitcode, or C++ to compile with clang")
    explore.add_argument("-o", "--output", metavar="OUT", help="output file; -: stdout (default: FILE with the suffix .html)")
    explore.add_argument(
        "-passes", "--passes", metavar="PIPELINE", help=f"passes to run and show (default: the level of -p, otherwise {DEFAULT})"
    )
    explore.add_argument("--serve", action="store_true", help="serve the page on localhost, and reload it when FILE changes")
    explore.add_argument("--port", type=int, default=0, metavar="N", help="port of --serve (default: any free port)")
    explore.add_argument(
        "--source-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="also show source files in DIR that debug information refers to (default: only FILE, if it is C++)",
    )
    explore.add_argument(
        "--clang", action="append", default=[], metavar="OPTION", help="pass OPTION to clang: --clang=-O0 --clang=-Iinclude"
    )
    explore.add_argument(
        "-p",
        "--build",
        default="",
        metavar="BUILD",
        help="compile FILE as in compile_commands.json of the directory BUILD; options of --clang are added",
    )
    explore.set_defaults(run=_run_explore)


def _render_page(options: argparse.Namespace, events: str = "") -> str:
    module = read_unit(options.input, options.clang, options.build)
    shown = [options.input] if is_source(options.input) else []
    passes = options.passes or (build_passes(options.input, options.clang, options.build) if options.build else DEFAULT)
    return page(model(module, passes, folders=[*shown, *options.source_dir]), events=events)


def _page_or_error_page(options: argparse.Namespace) -> str:
    """Return the page, or a page with the error message if the file is invalid."""
    try:
        return _render_page(options, EVENTS)
    except (Error, OSError) as error:
        message = str(error)
        print(f"error: {printable(message.partition(chr(10))[0])}", file=sys.stderr)
        return page({**empty_model(options.input), "trouble": message}, events=EVENTS)


def _run_explore(options: argparse.Namespace) -> int:
    """Run the command. Return the exit status."""
    if not options.serve:
        out = options.output or str(Path(options.input).with_suffix(".html"))
        write_output(out, _render_page(options).encode())
        if out != "-":
            print(f"{printable(out)}: open it in a browser", file=sys.stderr)
        return 0
    if options.output:
        print_error(UsageError("--serve does not write the page to a file; omit -o"))
        return UsageError().exit_status
    with Server(lambda: _page_or_error_page(options), [options.input], options.port) as server:
        print(f"{server.address}  (Ctrl-C to stop)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.over.set()
    return 0
