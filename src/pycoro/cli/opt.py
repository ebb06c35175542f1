"""``pycoro opt``: passes over IR, with the options and habits of LLVM's ``opt``."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from pycoro._escape import printable
from pycoro.cli.streams import add_input, add_report, complain, diagnostic_lines, keep_report, read_module, write_json, write_output

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pycoro.errors import Error
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = ["LEVELS", "add", "add_options", "run_passes"]

LEVELS = ("O0", "O1", "O2", "O3", "Os", "Oz")
"""As :data:`pycoro.pipeline.Level` has them."""

_PASSES = """\
pycoro's own passes are coro-early, coro-split, coro-split<reuse-storage>, coro-split<reuse-storage-unless-debug>,
coro-annotation-elide, coro-elide (both also with <max-frame-bytes=N>) and coro-cleanup, bare or inside module(...),
cgscc(...), function(...) or coro-cond(...). Every other name is a pass of LLVM's, which runs it in its place in the order;
-O2 is default<O2>, LLVM's own order with pycoro's passes in it. Lowering alone:
  pycoro opt in.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup'
"""


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def add(commands: Any) -> None:
    """The command ``opt``."""
    keep = argparse.RawDescriptionHelpFormatter
    opt = commands.add_parser(
        "opt", help="run passes over IR, as LLVM's opt does", epilog=_PASSES, formatter_class=keep, allow_abbrev=False
    )
    add_input(opt)
    add_options(opt, "default<{}>")
    opt.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if _wants_nothing_else(options):
        from pycoro.cli.plain import run_plain

        status = run_plain(options)
        if status is not None:
            return status
    return run_passes(options, lambda: read_module(options.input))


def _wants_nothing_else(options: argparse.Namespace) -> bool:
    """Whether the command is to read, run and write, and to tell no more of it."""
    told = (options.print_pipeline_passes, options.print_after_all, options.print_after, options.json, options.report)
    remarks = (options.pass_remarks, options.pass_remarks_missed, options.pass_remarks_output)
    return not any((*told, *remarks, options.export_summary, options.import_summary, options.verify_each)) and not _mistake(options)


def add_options(opt: argparse.ArgumentParser, levels: str) -> None:
    """What is done with a module, once it is there: what `run_passes` takes. ``levels`` is what -O2 runs, with {} for its O2."""
    opt.add_argument("-passes", "--passes", "-p", default="", metavar="PIPELINE", help="pass string of opt's form")
    for level in LEVELS:
        opt.add_argument(
            f"-{level}", dest="level", action="store_const", const=levels.format(level), help=f"as -passes='{levels.format(level)}'"
        )
    opt.add_argument("-o", "--output", default="-", metavar="OUT", help="where the result goes; - or nothing: stdout")
    opt.add_argument("-S", dest="text", action="store_true", help="write textual IR, not bitcode")
    opt.add_argument("-f", dest="force", action="store_true", help="write bitcode even to a terminal")
    opt.add_argument("-disable-output", "--disable-output", action="store_true", help="write no IR")
    opt.add_argument(
        "-disable-verify", "--disable-verify", action="store_true", help="believe what the passes leave: a third less time"
    )
    opt.add_argument(
        "-verify-each", "--verify-each", action="store_true", help="verify the module, and read its text back, after every pass"
    )
    opt.add_argument(
        "-print-pipeline-passes",
        "--print-pipeline-passes",
        action="store_true",
        help="print the pass string to stdout as it is understood, levels by their passes, and run nothing",
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
    opt.add_argument(
        "-pass-remarks-output",
        "--pass-remarks-output",
        metavar="FILE",
        help="write the remarks of pycoro's passes to FILE, as the YAML that LLVM's opt-viewer reads",
    )
    opt.add_argument(
        "-pass-remarks-filter",
        "--pass-remarks-filter",
        type=_pattern,
        default=_pattern(""),
        metavar="REGEX",
        help="write there only what passes say whose names match",
    )
    add_report(opt)
    opt.add_argument(
        "--export-summary", default="", metavar="FILE", help="publish the frames of coroutines, and say in FILE which, for callers"
    )
    opt.add_argument(
        "--import-summary", action="append", default=[], metavar="FILE", help="elide coroutines that another module publishes"
    )
    opt.add_argument("--json", action="store_true", help="report as JSON: to stdout where the IR goes elsewhere, else to stderr")


def _pass_title(name: str) -> str:
    """What LLVM's dump headers call a coroutine pass: its class. Of other passes only the pass string is known here."""
    bare = name.partition("<")[0]
    return "".join(map(str.capitalize, bare.split("-"))) + "Pass" if bare.startswith("coro-") else name


def _printer(options: argparse.Namespace) -> Callable[[str, str, str], None] | None:
    wanted = {name for name in options.print_after.split(",") if name}
    if not options.print_after_all and not wanted:
        return None

    def dump(name: str, target: str, ir: str) -> None:
        if options.print_after_all or name in wanted or name.partition("<")[0] in wanted:
            end = "" if ir.endswith("\n") else "\n"
            sys.stderr.write(f"; *** IR Dump After {_pass_title(name)} on {printable(target)} ***\n{ir}{end}")

    return dump


def _mistake(options: argparse.Namespace) -> tuple[str, ...]:
    """What is wrong with the options together, in lines; nothing where they fit."""
    if options.level and options.passes:
        level = options.level.partition("<")[2].rstrip(">")
        help = f"  help: -passes='{options.level},...' holds the level"
        return (f"error: -passes and -{level} cannot both be given", help)
    no_ir = options.disable_output or options.print_pipeline_passes
    to_terminal = options.output == "-" and not options.text and not no_ir and sys.stdout.isatty()
    if to_terminal and not options.force:
        help = "  help: -S writes textual IR, -o FILE writes to a file, -f writes bitcode all the same"
        return ("error: bitcode is not written to a terminal", help)
    return ()


def run_passes(options: argparse.Namespace, read: Callable[[], Module]) -> int:
    """Runs the command over the module that is read; the exit status."""
    from pycoro.errors import Error
    from pycoro.pipeline import Pipeline
    from pycoro.summary import import_summary, publish, read_summary, write_summary

    if mistake := _mistake(options):
        print("\n".join(mistake), file=sys.stderr)
        return 2
    report_to = sys.stderr if options.output == "-" and not options.disable_output else sys.stdout
    try:  # the passes before the input is read: stdin may be slow to come
        pipeline = Pipeline(options.level or options.passes)
        if options.print_pipeline_passes:
            print(pipeline.expanded)
            return 0
        module = read()
        for path in options.import_summary:
            import_summary(module, read_summary(path))
        if options.export_summary:
            publish(module)
        report = module.run(
            pipeline, verify=not options.disable_verify, verify_each=options.verify_each, after_pass=_printer(options)
        )
        for warning in report.warnings:
            print("\n".join(diagnostic_lines(warning)), file=sys.stderr)
        for remark in report.remarks:
            wanted = options.pass_remarks if remark.done else options.pass_remarks_missed
            if wanted is not None and wanted.search(remark.pass_name):
                place = f"{remark.file}:{remark.line}:{remark.column}: " if remark.line else ""
                print(f"remark: {printable(place + remark.message)}", file=sys.stderr)
        if options.pass_remarks_output:
            text = report.remarks_yaml(options.pass_remarks_filter.pattern)
            write_output(options.pass_remarks_output, text.encode("utf-8", "surrogateescape"))
        if options.export_summary:
            write_summary(options.export_summary, module)
        keep_report(options.report, report, source=module.name, output=options.output)
        if not options.disable_output:
            write_output(options.output, str(module).encode() if options.text else module.bitcode())
    except Error as error:
        if not options.json or error.exit_status == 3:
            raise
        complain(error)
        write_json(_failure(error), report_to)
        return error.exit_status
    if options.json:
        write_json(_success(report), report_to)
    return 0


def _success(report: Report) -> dict[str, Any]:
    facts = report.to_dict()
    for step in facts["steps"]:
        del step["before"], step["after"]
    return {"status": "OK", **facts}


def _failure(error: Error) -> dict[str, Any]:
    return {
        "status": error.status,
        "message": error.message,
        "diagnostics": [diagnostic.to_dict() for diagnostic in error.diagnostics],
    }
