"""``pycoro explain``: print ABI, suspend points and frame of a module's coroutines without modifying it."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

from pycoro._demangle import demangle
from pycoro._escape import printable, printable_lines
from pycoro._suggest import unknown_name_message
from pycoro.cli.streams import add_input_argument, print_error, print_usage_error, read_module, write_json, write_output
from pycoro.coroutine import Coroutine, CoroutineMapping
from pycoro.drawing.tables import page
from pycoro.drawing.text import replace_characters_missing_in
from pycoro.errors import RejectedError
from pycoro.explore.unit import build_passes, read_unit
from pycoro.module import STAGES, Coroutines, Module
from pycoro.pipeline import CoroSplit

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command ``explain``."""
    explain = commands.add_parser("explain", help="show ABI, suspend points and frame of coroutines", allow_abbrev=False)
    add_input_argument(explain)
    explain.add_argument("--function", "-function", metavar="F", help="show only this coroutine")
    explain.add_argument(
        "-p",
        "--build",
        default="",
        metavar="BUILD",
        help="IN is C++: compile it as in compile_commands.json of the directory BUILD, and show the frames at its -O level",
    )
    explain.add_argument("--reuse-storage", action="store_true", help="lay frames out as coro-split<reuse-storage>")
    explain.add_argument(
        "--stage", metavar="S", help="print the result of one stage of the lowering instead, or of every stage: all"
    )
    explain.add_argument("--svg", metavar="FILE", help="also draw a single coroutine to FILE")
    explain.add_argument("--what", choices=("frame", "cfg"), help="what --svg draws: frame or control flow graph (default: cfg)")
    explain.add_argument("--html", metavar="FILE", help="also write a page with pictures of the coroutines to FILE")
    explain.add_argument("--json", action="store_true", help="print JSON instead of text")
    explain.set_defaults(run=_run_explain)


def _print_stages(coroutines: Coroutines, names: list[str], stages: list[str], source: str) -> int:
    """Print the results of stages for each coroutine; for a malformed one those before the rejection."""
    status = 0
    for name in names:
        print(printable(f"@{name}"))
        try:
            for stage in stages:
                print(printable_lines(coroutines.stage_text(name, stage)), end="")
        except RejectedError as error:
            print_error(error, source)
            status = error.exit_status
    return status


def _module_and_coroutines(options: argparse.Namespace) -> tuple[Module, CoroutineMapping]:
    """Return the module and its coroutines before the split, or those that a build splits."""
    if not options.build:
        module = read_module(options.input)
        return module, module.preview(CoroSplit(reuse_storage=options.reuse_storage))
    module = read_unit(options.input, database=options.build)
    return module, module.run(build_passes(options.input, (), options.build)).coroutines


def _names_for_source_name(coroutines: CoroutineMapping, name: str) -> list[str]:
    """Return the names in IR of the coroutine with that name, or of those with that source name in any namespace or class."""
    exact = coroutines._ir_name_or_none(name)
    pattern = re.compile(rf"(?:.*::)?{re.escape(name)}(?:\[abi:[^]]*\])*(?:\(.*)?")
    return [exact] if exact else [other for other in coroutines if pattern.fullmatch(demangle(other))]


def _run_explain(options: argparse.Namespace) -> int:
    """Run the command and return the exit status. A malformed coroutine does not hide other coroutines."""
    if options.build and (options.stage or options.reuse_storage):
        return print_usage_error("-p shows the frames of the build; omit --stage and --reuse-storage")
    module, coroutines = _module_and_coroutines(options)
    names = list(coroutines)
    if options.stage not in (None, "all", *STAGES):
        return print_usage_error(unknown_name_message("stage", options.stage, ["all", *STAGES]))
    if options.stage and (options.json or options.svg or options.html):
        return print_usage_error("--stage prints text only; omit --json, --svg and --html")
    if options.what and not options.svg:
        return print_usage_error("--what needs --svg=FILE")
    if options.function is not None:
        name = options.function.removeprefix("@")
        found_names = _names_for_source_name(coroutines, name)
        if len(found_names) != 1:
            what = unknown_name_message("coroutine", name, [demangle(other) for other in found_names or names])
            return print_usage_error(f"{module.name}: {what}")
        names = found_names
    if options.svg and len(names) != 1:
        return print_usage_error(f"--svg draws a single coroutine, but the module has {len(names)}; choose one with --function")
    if not names and not options.json:
        print(f"{printable(module.name)}: no coroutines", file=sys.stderr)
    if options.stage:
        assert isinstance(coroutines, Coroutines)
        return _print_stages(coroutines, names, list(STAGES) if options.stage == "all" else [options.stage], options.input)
    found: list[Coroutine] = []
    status = 0
    for name in names:
        try:
            found.append(coroutines[name])
        except RejectedError as error:
            print_error(error, options.input)
            status = error.exit_status
    if options.svg and found:
        write_output(options.svg, (found[0].frame if options.what == "frame" else found[0]).svg().encode())
    if options.html:
        write_output(options.html, page(printable(module.name), coroutines.rows(), found).encode())
    if options.json:
        write_json([coroutine.to_dict() for coroutine in found])
    elif found:
        print(replace_characters_missing_in("\n\n".join(str(coroutine).rstrip() for coroutine in found), sys.stdout.encoding))
        sys.stdout.flush()
        if not module._core.data_layout:
            print(
                f"note: {printable(module.name)} has no data layout: sizes and offsets are those of LLVM's default", file=sys.stderr
            )
    return status
