"""``pycoro explore``: a page that shows coroutines from their source to their parts, written, or served while the file changes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from pycoro._escape import printable
from pycoro.cli.streams import complain, write_output
from pycoro.errors import Error, UsageError
from pycoro.explore.data import empty, model
from pycoro.explore.html import page
from pycoro.explore.serve import EVENTS, Server
from pycoro.explore.unit import is_source, read
from pycoro.pipeline import DEFAULT

__all__ = ["add"]


def add(commands: Any) -> None:
    """The command ``explore``."""
    explore = commands.add_parser(
        "explore", help="write a page that shows coroutines from source to parts, or serve it", allow_abbrev=False
    )
    explore.add_argument("input", metavar="FILE", help="textual IR, bitcode, or C++, which clang compiles")
    explore.add_argument("-o", "--output", metavar="OUT", help="where the page goes; -: stdout (default: FILE with .html)")
    explore.add_argument("-passes", "--passes", "-p", default=DEFAULT, metavar="PIPELINE", help="the passes that are shown")
    explore.add_argument("--serve", action="store_true", help="serve it to this machine, loaded again when FILE changes")
    explore.add_argument("--port", type=int, default=0, metavar="N", help="to serve at (default: one that is free)")
    explore.add_argument(
        "--source-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="show the sources that debug information names and that lie in DIR (default: only FILE, where it is C++)",
    )
    explore.add_argument("--clang", action="append", default=[], metavar="OPTION", help="for clang: --clang=-O0 --clang=-Iinclude")
    explore.set_defaults(run=_run)


def _page(options: argparse.Namespace, events: str = "") -> str:
    module = read(options.input, options.clang)
    shown = [options.input] if is_source(options.input) else []
    return page(model(module, options.passes, folders=[*shown, *options.source_dir]), events=events)


def _troubled(options: argparse.Namespace) -> str:
    """The page, or one that says what is wrong with the file."""
    try:
        return _page(options, EVENTS)
    except (Error, OSError) as error:
        said = str(error)
        print(f"error: {printable(said.partition(chr(10))[0])}", file=sys.stderr)
        return page({**empty(options.input), "trouble": said}, events=EVENTS)


def _run(options: argparse.Namespace) -> int:
    """Runs the command; the exit status."""
    if not options.serve:
        out = options.output or str(Path(options.input).with_suffix(".html"))
        write_output(out, _page(options).encode())
        if out != "-":
            print(f"{printable(out)}: open it in a browser", file=sys.stderr)
        return 0
    if options.output:
        complain(UsageError("--serve shows the page without writing it: leave out -o"))
        return UsageError().exit_status
    with Server(lambda: _troubled(options), [options.input], options.port) as server:
        print(f"{server.address}  (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.over.set()
    return 0
