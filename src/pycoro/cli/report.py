"""``pycoro report``: the coroutines of a whole project, or what has changed in them since another build."""

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
from pycoro.reporting import Budget, Change, Growth, Project, compare, over_budget, over_growth, read_project
from pycoro.reporting.page import project_html
from pycoro.reporting.project import SORTS
from pycoro.reporting.table import changes_csv, changes_json, project_csv, project_json
from pycoro.reporting.text import changes_text, entry_title, project_text

__all__ = ["add"]

_ABOUT = """\
DIR is a folder of units, as `pycoro-c++ --pycoro-report=DIR`, `pycoro opt --report=DIR` and `pycoro link --report=DIR` fill
it; several are one project. For a CI that watches frames:
  pycoro report build/coroutines --budget 4096 --budget 'net::*=16384'
  pycoro report --compare main/coroutines build/coroutines --max-growth 10%
Exit status: 0 done, 1 a budget is exceeded or a report is damaged, 2 usage.
"""


def _budget(text: str) -> Budget:
    pattern, _, amount = text.rpartition("=")
    if not re.fullmatch(r"[0-9]{1,18}", amount):
        raise argparse.ArgumentTypeError(f"{text!r} is no budget, such as 4096 or 'net::*=4096'")
    return Budget(int(amount), pattern or "*")


def _growth(text: str) -> Growth:
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,9})?%|[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no growth, such as 10% or 64, which is in bytes")
    return Growth(float(text.rstrip("%")), text.endswith("%"))


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return int(text)


def add(commands: Any) -> None:
    """The command ``report``."""
    keep = argparse.RawDescriptionHelpFormatter
    report = commands.add_parser(
        "report", help="show the coroutines of a whole project", epilog=_ABOUT, formatter_class=keep, allow_abbrev=False
    )
    report.add_argument("folders", nargs="*", metavar="DIR", help="a folder of units")
    report.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"), help="two folders: what has come, gone, grown, shrunk")
    report.add_argument("--format", choices=("text", "json", "csv", "html"), default="text", help="text is the default")
    report.add_argument("--sort", choices=tuple(SORTS), default="size", help="by what; size is the default")
    report.add_argument("--top", type=_count, metavar="N", help="only the first N")
    report.add_argument("--fields", type=_count, default=3, metavar="N", help="the N largest fields of each, as text; 3")
    report.add_argument("-o", "--output", default="-", metavar="OUT", help="where it goes; - or nothing: stdout")
    report.add_argument(
        "--budget",
        action="append",
        type=_budget,
        default=[],
        metavar="[NAME=]N",
        help="exit status 1 where a frame has more bytes; of the names that a pattern matches, the last that does",
    )
    report.add_argument(
        "--max-growth", type=_growth, metavar="N[%]", help="with --compare: exit status 1 where a frame has grown by more"
    )
    report.add_argument(
        "--keep-elided", action="store_true", help="with --compare: exit status 1 where a coroutine is elided in fewer places"
    )
    report.set_defaults(run=_run)


def _check(options: argparse.Namespace) -> None:
    if options.compare and options.folders:
        raise UsageError("--compare takes both folders: give no others")
    if not options.compare and not options.folders:
        raise UsageError("which folder? pycoro report DIR, or pycoro report --compare OLD NEW")
    if not options.compare and (options.max_growth or options.keep_elided):
        raise UsageError("--max-growth and --keep-elided are of two reports: give --compare OLD NEW")
    if options.compare and options.format == "html":
        raise UsageError("what has changed is shown as text, json or csv")


def _written(options: argparse.Namespace, text: str) -> None:
    write_output(options.output, text.encode("utf-8", "replace"))


def _show(options: argparse.Namespace, project: Project) -> None:
    sorted_project = project.sorted(options.sort).first(options.top)
    if options.format == "text":
        text = project_text(project.sorted(options.sort), most=options.top, fields=options.fields)
    elif options.format == "json":
        text = json.dumps(project_json(sorted_project), indent=2) + "\n"
    else:
        text = project_csv(sorted_project) if options.format == "csv" else project_html(sorted_project)
    _written(options, text)


def _show_changes(options: argparse.Namespace, changes: Sequence[Change]) -> None:
    if options.format == "text":
        text = changes_text(changes, most=options.top, fields=options.fields)
    elif options.format == "json":
        text = json.dumps(changes_json(changes[: options.top]), indent=2) + "\n"
    else:
        text = changes_csv(changes[: options.top])
    _written(options, text)


def _too_much(options: argparse.Namespace, project: Project, changes: Sequence[Change]) -> list[str]:
    """What the options do not allow."""
    found = [
        f"{entry_title(entry)}: its frame has {entry.size} bytes, and the budget is {budget.bytes}"
        for entry, budget in over_budget(project, options.budget)
    ]
    for budget in options.budget:
        if budget.pattern != "*" and not any(map(budget.names, project.entries)):
            found.append(f"no coroutine is named {budget.pattern!r}, for which there is a budget")
    if options.max_growth:
        for change in over_growth(changes, options.max_growth):
            title, more = entry_title(change.entry), f"{change.bytes} bytes, to {change.entry.size}"
            found.append(f"{title}: its frame has grown by {more}, and may by {options.max_growth}")
    if options.keep_elided:
        found += [f"{entry_title(change.entry)}: it is elided in fewer places" for change in changes if change.lost]
    return found


def _run(options: argparse.Namespace) -> int:
    """Runs the command; the exit status."""
    _check(options)
    changes: Sequence[Change] = ()
    if options.compare:
        old, project = (read_project(folder) for folder in options.compare)
        changes = compare(old, project)
        _show_changes(options, changes)
    else:
        project = read_project(*options.folders)
        _show(options, project)
    wrong = _too_much(options, project, changes)
    for line in wrong:
        print(f"error: {printable(line)}", file=sys.stderr)
    return 1 if wrong else 0
