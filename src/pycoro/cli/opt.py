"""``pycoro opt``: run passes on IR, with the options of LLVM's ``opt``."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from pycoro._escape import printable
from pycoro.cli.streams import (
    add_input_argument,
    add_report_option,
    print_diagnostic,
    print_error,
    read_module,
    write_json,
    write_output,
    write_report,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pycoro.errors import Error
    from pycoro.module import Module
    from pycoro.report import Report

__all__ = ["LEVELS", "add_command", "add_options", "run_passes"]

LEVELS = ("O0", "O1", "O2", "O3", "Os", "Oz")
"""Values of :data:`pycoro.pipeline.Level`."""

_PASSES = """\
pycoro's own passes are coro-cache-frames (also with <TLS-MODEL>), coro-infer-captures, coro-early, coro-split,
coro-split<reuse-storage>, coro-split<reuse-storage-unless-debug>, coro-annotation-elide, coro-elide (both also with
<max-frame-bytes=N>) and coro-cleanup, directly or inside module(...), cgscc(...), function(...) or coro-cond(...).
All other names are LLVM's passes. -O2 is default<O2>, LLVM's pipeline with pycoro's passes. To lower coroutines
without optimization:
  pycoro opt in.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup'
"""


def _parse_regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def add_command(commands: Any) -> None:
    """Add the command ``opt``."""
    raw = argparse.RawDescriptionHelpFormatter
    opt = commands.add_parser(
        "opt", help="run passes on IR, as LLVM's opt does", epilog=_PASSES, formatter_class=raw, allow_abbrev=False
    )
    add_input_argument(opt)
    add_options(opt, "default<{}>")
    opt.set_defaults(run=_run_opt)


def _run_opt(options: argparse.Namespace) -> int:
    if _is_valid_and_needs_no_report(options):
        from pycoro.cli.plain import run_plain

        status = run_plain(options)
        if status is not None:
            return status
    return run_passes(options, lambda: read_module(options.input))


def _is_valid_and_needs_no_report(options: argparse.Namespace) -> bool:
    """Return whether the command only reads, runs passes and writes, without any report."""
    reports = (options.print_pipeline_passes, options.print_after_all, options.print_after, options.json, options.report)
    remarks = (options.pass_remarks, options.pass_remarks_missed, options.pass_remarks_output)
    summaries = (options.export_summary, options.import_summary)
    checks = (options.verify_each, options.check_lowering)
    return not any((*reports, *remarks, *summaries, *checks, options.emit)) and not _option_conflict_lines(options)


def add_options(opt: argparse.ArgumentParser, levels: str) -> None:
    """Add the options of `run_passes`. ``levels`` is the pass string of -O2 with {} instead of O2."""
    opt.add_argument("-passes", "--passes", "-p", default="", metavar="PIPELINE", help="passes to run, in opt's syntax")
    for level in LEVELS:
        opt.add_argument(
            f"-{level}", dest="level", action="store_const", const=levels.format(level), help=f"as -passes='{levels.format(level)}'"
        )
    opt.add_argument("-o", "--output", default="-", metavar="OUT", help="output file (default: - for stdout)")
    opt.add_argument("-S", dest="text", action="store_true", help="write textual IR, not bitcode")
    opt.add_argument(
        "--emit",
        choices=[f"llvm-{version}" for version in (19, 20, 21, 22)],
        help="write textual IR for the reader of this LLVM version, without hints that it does not parse",
    )
    opt.add_argument("-f", dest="force", action="store_true", help="write bitcode even to a terminal")
    opt.add_argument("-disable-output", "--disable-output", action="store_true", help="write no IR")
    opt.add_argument(
        "-disable-verify", "--disable-verify", action="store_true", help="skip verification after passes (about 30%% faster)"
    )
    opt.add_argument(
        "-verify-each", "--verify-each", action="store_true", help="verify the module and parse its printed text after every pass"
    )
    opt.add_argument(
        "-check-lowering",
        "--check-lowering",
        action="store_true",
        help="prove that the functions that coro-split creates compute what the coroutine computes",
    )
    opt.add_argument(
        "-print-pipeline-passes",
        "--print-pipeline-passes",
        action="store_true",
        help="print the parsed pass string with expanded levels to stdout, and run nothing",
    )
    opt.add_argument(
        "-print-after-all",
        "--print-after-all",
        action="store_true",
        help="print the module to stderr after every pass, with LLVM's dump headers",
    )
    opt.add_argument(
        "-print-after",
        "--print-after",
        default="",
        metavar="PASSES",
        help="print the module to stderr only after these passes, separated by commas",
    )
    for name, what in (("pass-remarks", "applied"), ("pass-remarks-missed", "missed")):
        opt.add_argument(
            f"-{name}",
            f"--{name}",
            type=_parse_regex,
            metavar="REGEX",
            help=f"print {what} transformations of pycoro's passes with matching names to stderr",
        )
    opt.add_argument(
        "-pass-remarks-output",
        "--pass-remarks-output",
        metavar="FILE",
        help="write the remarks of pycoro's passes to FILE, as YAML for LLVM's opt-viewer",
    )
    opt.add_argument(
        "-pass-remarks-filter",
        "--pass-remarks-filter",
        type=_parse_regex,
        default=_parse_regex(""),
        metavar="REGEX",
        help="only write remarks of passes with matching names",
    )
    add_report_option(opt)
    opt.add_argument(
        "--export-summary",
        default="",
        metavar="FILE",
        help="let other modules elide coroutines of this module, and write their summary to FILE",
    )
    opt.add_argument(
        "--import-summary",
        action="append",
        default=[],
        metavar="FILE",
        help="elide coroutines of another module, which FILE describes",
    )
    opt.add_argument("--json", action="store_true", help="print a JSON report: to stderr if the IR goes to stdout, else to stdout")


def _pass_name_in_dump_header(name: str) -> str:
    """Return the name of a pass in LLVM's dump headers: the class name of a coroutine pass, else the pass string."""
    bare = name.partition("<")[0]
    return "".join(map(str.capitalize, bare.split("-"))) + "Pass" if bare.startswith("coro-") else name


def _module_printer_or_none(options: argparse.Namespace) -> Callable[[str, str, str], None] | None:
    selected = {name for name in options.print_after.split(",") if name}
    if not options.print_after_all and not selected:
        return None

    def dump(name: str, target: str, ir: str) -> None:
        if options.print_after_all or name in selected or name.partition("<")[0] in selected:
            end = "" if ir.endswith("\n") else "\n"
            sys.stderr.write(f"; *** IR Dump After {_pass_name_in_dump_header(name)} on {printable(target)} ***\n{ir}{end}")

    return dump


def _option_conflict_lines(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the error of an invalid combination of options, as lines; empty if valid."""
    if options.level and options.passes:
        level = options.level.partition("<")[2].rstrip(">")
        help = f"  help: write -passes='{options.level},...'"
        return (f"error: -passes and -{level} cannot be combined", help)
    no_ir = options.disable_output or options.print_pipeline_passes
    to_terminal = options.output == "-" and not (options.text or options.emit) and not no_ir and sys.stdout.isatty()
    if to_terminal and not options.force:
        help = "  help: -S writes textual IR, -o FILE writes to a file, -f writes bitcode anyway"
        return ("error: bitcode is not written to a terminal", help)
    return ()


def run_passes(options: argparse.Namespace, read: Callable[[], Module]) -> int:
    """Run the passes on the module that ``read`` returns; return the exit status."""
    from pycoro.errors import Error
    from pycoro.pipeline import Pipeline
    from pycoro.summary import import_summary, publish, read_summary, write_summary

    if lines := _option_conflict_lines(options):
        print("\n".join(lines), file=sys.stderr)
        return 2
    report_to = sys.stderr if options.output == "-" and not options.disable_output else sys.stdout
    try:  # check the passes before reading, because stdin may be slow
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
            pipeline,
            verify=not options.disable_verify,
            verify_each=options.verify_each,
            after_pass=_module_printer_or_none(options),
            check=options.check_lowering,
        )
        for warning in report.warnings:
            print_diagnostic(warning, options.input)
        for remark in report.remarks:
            pattern = options.pass_remarks if remark.passed else options.pass_remarks_missed
            if pattern is not None and pattern.search(remark.pass_name):
                place = f"{remark.file}:{remark.line}:{remark.column}: " if remark.line else ""
                print(f"remark: {printable(place + remark.message)}", file=sys.stderr)
        if options.pass_remarks_output:
            text = report.remarks_yaml(options.pass_remarks_filter.pattern)
            write_output(options.pass_remarks_output, text.encode("utf-8", "surrogateescape"))
        if options.export_summary:
            write_summary(options.export_summary, module)
        write_report(options.report, report, source=module.name, output=options.output)
        if not options.disable_output:
            write_output(options.output, _output_bytes(module, options))
    except Error as error:
        if not options.json or error.exit_status == 3:
            raise
        print_error(error, options.input)
        write_json(_failure_json(error), report_to)
        return error.exit_status
    if options.json:
        write_json(_success_json(report), report_to)
    return 0


def _output_bytes(module: Module, options: argparse.Namespace) -> bytes:
    if options.emit:
        return module.to_text(llvm=int(options.emit.removeprefix("llvm-"))).encode()
    return str(module).encode() if options.text else module.bitcode()


def _success_json(report: Report) -> dict[str, Any]:
    facts = report.to_dict()
    for step in facts["steps"]:
        del step["before"], step["after"]
    return {"status": "OK", **facts}


def _failure_json(error: Error) -> dict[str, Any]:
    return {
        "status": error.status,
        "message": error.message,
        "diagnostics": [diagnostic.to_dict() for diagnostic in error.diagnostics],
    }
