"""``pycoro report``: show the coroutines of a project, or compare two builds."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from pycoro._escape import printable
from pycoro.cli.streams import write_output
from pycoro.errors import UsageError
from pycoro.reporting import (
    Budget,
    Change,
    Entry,
    Growth,
    Project,
    compare,
    missing_units,
    over_budget,
    over_growth,
    read_project,
)
from pycoro.reporting.page import project_html
from pycoro.reporting.project import SORTS
from pycoro.reporting.table import changes_csv, changes_json, project_csv, project_json
from pycoro.reporting.text import changes_text, elided_count_text, entry_title, project_text

__all__ = ["add_command"]

_ABOUT = """\
DIR is a report directory of `pycoro-c++ --pycoro-report=DIR`, `pycoro opt --report=DIR` or `pycoro link --report=DIR`;
several directories form one project. To check frames in CI:
  pycoro report build/coroutines --budget 4096 --budget 'net::*=16384'
  pycoro report --compare main/coroutines build/coroutines --max-growth 10%
Exit status: 0 success, 1 exceeded budget or damaged report, 2 usage error.
"""


def _parse_budget(text: str) -> Budget:
    pattern, _, amount = text.rpartition("=")
    if not re.fullmatch(r"[0-9]{1,18}", amount):
        raise argparse.ArgumentTypeError(f"invalid budget {text!r}; expected N or NAME=N, such as 4096 or 'net::*=4096'")
    return Budget(int(amount), pattern or "*")


def _parse_growth(text: str) -> Growth:
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,9})?%|[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"invalid growth {text!r}; expected a percentage or bytes, such as 10% or 64")
    return Growth(float(text.rstrip("%")), text.endswith("%"))


def _parse_count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)


def add_command(commands: Any) -> None:
    """Add the command ``report``."""
    raw = argparse.RawDescriptionHelpFormatter
    report = commands.add_parser(
        "report", help="show the coroutines of a project", epilog=_ABOUT, formatter_class=raw, allow_abbrev=False
    )
    report.add_argument("folders", nargs="*", metavar="DIR", help="report directory")
    report.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"), help="compare two report directories")
    report.add_argument("--format", choices=("text", "json", "csv", "html"), default="text", help="output format (default: text)")
    report.add_argument("--sort", choices=tuple(SORTS), default="size", help="sort key (default: size)")
    report.add_argument("--top", type=_parse_count, metavar="N", help="show only the first N")
    report.add_argument(
        "--fields",
        type=_parse_count,
        default=3,
        metavar="N",
        help="number of largest fields shown for each, in text format (default: 3)",
    )
    report.add_argument("-o", "--output", default="-", metavar="OUT", help="output file (default: - for stdout)")
    report.add_argument(
        "--budget",
        action="append",
        type=_parse_budget,
        default=[],
        metavar="[NAME=]N",
        help="fail if a frame has more than N bytes; NAME is a source name with its parameters or a symbol, or a pattern with "
        "the wildcards * ? [...]; the last matching one applies",
    )
    report.add_argument(
        "--max-growth", type=_parse_growth, metavar="N[%]", help="with --compare: fail if a frame has grown by more"
    )
    report.add_argument("--keep-elided", action="store_true", help="with --compare: fail if a coroutine is elided in fewer places")
    report.add_argument(
        "--no-new-allocations", action="store_true", help="with --compare: fail if a coroutine is allocated in more places"
    )
    report.add_argument("--keep-units", action="store_true", help="with --compare: fail if a unit of OLD has no report in NEW")
    report.set_defaults(run=_run_report)


def _check_options(options: argparse.Namespace) -> None:
    if options.compare and options.folders:
        raise UsageError("--compare takes exactly two directories; remove the others")
    if not options.compare and not options.folders:
        raise UsageError("missing directory; use pycoro report DIR, or pycoro report --compare OLD NEW")
    limits = {
        "--max-growth": options.max_growth,
        "--keep-elided": options.keep_elided,
        "--no-new-allocations": options.no_new_allocations,
        "--keep-units": options.keep_units,
    }
    given = [name for name, value in limits.items() if value]
    if given and not options.compare:
        raise UsageError(f"{' and '.join(given)} {'need' if len(given) > 1 else 'needs'} --compare OLD NEW")
    if options.compare and options.format == "html":
        raise UsageError("--compare supports the formats text, json and csv, not html")


def _write_text(options: argparse.Namespace, text: str) -> None:
    write_output(options.output, text.encode("utf-8", "replace"))


def _write_project(options: argparse.Namespace, project: Project) -> None:
    sorted_project = project.sorted(options.sort).first(options.top)
    if options.format == "text":
        text = project_text(project.sorted(options.sort), most=options.top, fields=options.fields)
    elif options.format == "json":
        text = json.dumps(project_json(sorted_project), indent=2) + "\n"
    else:
        text = project_csv(sorted_project) if options.format == "csv" else project_html(sorted_project)
    _write_text(options, text)


def _write_changes(options: argparse.Namespace, changes: Sequence[Change]) -> None:
    if options.format == "text":
        text = changes_text(changes, most=options.top, fields=options.fields)
    elif options.format == "json":
        text = json.dumps(changes_json(changes[: options.top]), indent=2) + "\n"
    else:
        text = changes_csv(changes[: options.top])
    _write_text(options, text)


def _limit_violations(options: argparse.Namespace, project: Project, changes: Sequence[Change]) -> list[str]:
    """Return violations of the budget, growth and elision options."""
    found = [
        f"{entry_title(entry)}: its frame has {entry.size} bytes, but the budget is {budget.bytes}"
        for entry, budget in over_budget(project, options.budget)
    ]
    for budget in options.budget:
        if budget.pattern != "*" and not any(map(budget.matches, project.entries)):
            found.append(_unmatched_budget_text(budget.pattern, project))
    if options.max_growth:
        for change in over_growth(changes, options.max_growth):
            title, more = entry_title(change.entry), f"{change.bytes} bytes, to {change.entry.size}"
            found.append(f"{title}: its frame has grown by {more}; the maximum is {options.max_growth}")
    for change in changes:
        if change.new and ((options.keep_elided and change.lost) or (options.no_new_allocations and change.new_allocations > 0)):
            found.append(_new_allocations_text(change.old, change.new))
    return found


def _unmatched_budget_text(pattern: str, project: Project) -> str:
    near = next((entry.shown for entry in project.entries if re.match(rf"{re.escape(pattern)}[(\[<]", entry.shown)), "")
    return f"no coroutine matches the budget pattern {pattern!r}" + (f"; did you mean {near!r}?" if near else "")


def _new_allocations_text(old: Entry | None, new: Entry) -> str:
    before = f"it was elided in {elided_count_text(old)} places, and is now elided" if old else "it is new, and elided"
    allocating = "; ".join(str(site) for site in new.creation_sites if not site.elided)
    return f"{entry_title(new)}: {before} in {elided_count_text(new)}: {allocating}"


def _run_report(options: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    _check_options(options)
    changes: Sequence[Change] = ()
    missing: list[str] = []
    if options.compare:
        old, project = (read_project(folder) for folder in options.compare)
        changes, missing = compare(old, project), missing_units(old, project)
        _write_changes(options, changes)
    else:
        project = read_project(*options.folders)
        _write_project(options, project)
    violations = _limit_violations(options, project, changes)
    if missing:
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        text = f"{options.compare[1]} has no report of {named}; a hit of ccache writes none: set CCACHE_RECACHE=1"
        if options.keep_units:
            violations.append(text)
        else:
            print(f"warning: {printable(text)}", file=sys.stderr)
    for line in violations:
        print(f"error: {printable(line)}", file=sys.stderr)
    return 1 if violations else 0
