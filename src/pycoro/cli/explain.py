"""``pycoro explain``: shape, suspend points and frame of the coroutines of a module, without changing it."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pycoro._escape import printable, printable_lines
from pycoro._suggest import unknown_name
from pycoro.cli.streams import add_input, complain, read_module, write_json, write_output
from pycoro.coroutine import Coroutine
from pycoro.drawing.tables import page
from pycoro.drawing.text import in_encoding
from pycoro.errors import RejectedError, UsageError
from pycoro.module import STAGES, Coroutines
from pycoro.pipeline import CoroSplit

__all__ = ["add"]


def add(commands: Any) -> None:
    """The command ``explain``."""
    explain = commands.add_parser("explain", help="show shape, suspend points and frame of coroutines", allow_abbrev=False)
    add_input(explain)
    explain.add_argument("--function", "-function", metavar="F", help="of this coroutine only")
    explain.add_argument("--reuse-storage", action="store_true", help="frames as coro-split<reuse-storage> lays them out")
    explain.add_argument("--stage", metavar="S", help="what a stage of the lowering leaves, instead; all: every stage")
    explain.add_argument("--svg", metavar="FILE", help="draw the one coroutine into FILE as well")
    explain.add_argument("--what", choices=("frame", "cfg"), help="what --svg draws: the frame, or the control flow (unless told)")
    explain.add_argument("--html", metavar="FILE", help="a page of the coroutines, with pictures, into FILE as well")
    explain.add_argument("--json", action="store_true", help="as JSON instead of text")
    explain.set_defaults(run=_run)


def _usage(message: str) -> int:
    print(f"error: {printable(message)}", file=sys.stderr)
    return UsageError().exit_status


def _print_stages(coroutines: Coroutines, names: list[str], stages: list[str]) -> int:
    """What the stages leave of each coroutine; of a malformed one those before the rejection."""
    status = 0
    for name in names:
        print(printable(f"@{name}"))
        try:
            for stage in stages:
                print(printable_lines(coroutines.stage_text(name, stage)), end="")
        except RejectedError as error:
            complain(error)
            status = error.exit_status
    return status


def _run(options: argparse.Namespace) -> int:
    """Runs the command; the exit status. A malformed coroutine does not keep the others from being shown."""
    module = read_module(options.input)
    coroutines = module.explain(CoroSplit(reuse_storage=options.reuse_storage))
    names = list(coroutines)
    if options.stage not in (None, "all", *STAGES):
        return _usage(unknown_name("stage", options.stage, ["all", *STAGES]))
    if options.stage and (options.json or options.svg or options.html):
        return _usage("--stage shows text: leave out --json, --svg and --html")
    if options.what and not options.svg:
        return _usage("--what says what --svg draws: give --svg=FILE too")
    if options.function is not None:
        wanted = options.function.removeprefix("@")
        if wanted not in names:
            return _usage(f"{module.name}: {unknown_name('coroutine', wanted, names)}")
        names = [wanted]
    if options.svg and len(names) != 1:
        return _usage(f"--svg draws one coroutine and there are {len(names)}; choose one with --function")
    if not names and not options.json:
        print(f"{printable(module.name)}: no coroutines", file=sys.stderr)
    if options.stage:
        return _print_stages(coroutines, names, list(STAGES) if options.stage == "all" else [options.stage])
    found: list[Coroutine] = []
    status = 0
    for name in names:
        try:
            found.append(coroutines[name])
        except RejectedError as error:
            complain(error)
            status = error.exit_status
    if options.svg and found:
        write_output(options.svg, (found[0].frame if options.what == "frame" else found[0]).svg().encode())
    if options.html:
        write_output(options.html, page(printable(module.name), coroutines.rows(), found).encode())
    if options.json:
        write_json([coroutine.to_dict() for coroutine in found])
    elif found:
        print(in_encoding("\n\n".join(str(coroutine).rstrip() for coroutine in found), sys.stdout.encoding))
    return status
