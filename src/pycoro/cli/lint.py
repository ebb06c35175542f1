"""``pycoro lint``: find bugs in coroutines and in uses of their handles."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import Any

from pycoro.cli.streams import add_input_argument, print_usage_error, read_module, write_json, write_output

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command ``lint``."""
    lint = commands.add_parser(
        "lint", help="find coroutine bugs that verify and lower cleanly; --fix applies safe fixes", allow_abbrev=False
    )
    add_input_argument(lint)
    lint.add_argument("--select", metavar="RULES", help="check only these rules, separated by commas")
    lint.add_argument("--ignore", metavar="RULES", default="", help="skip these rules, separated by commas")
    lint.add_argument("--notes", action="store_true", help="also report correct but costly code")
    lint.add_argument("--reuse-storage", action="store_true", help="lay frames out as coro-split<reuse-storage>")
    output = lint.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON instead of text")
    output.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0 instead of text")
    output.add_argument("--diff", action="store_true", help="print the changes of --fix instead of the findings")
    lint.add_argument("--fix", action="store_true", help="apply safe fixes, write the IR to OUT, and report the remaining findings")
    lint.add_argument("-o", "--output", metavar="OUT", help="output file of --fix, textual IR; -: stdout, with findings on stderr")
    lint.add_argument("--rules", action=_ListRulesAction, help="list the rules with their reasons and exit")
    lint.set_defaults(run=_run_lint)


class _ListRulesAction(argparse.Action):
    """Action that lists the rules and exits, as ``--version`` does."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from pycoro.lint import REJECTED, RULES

        for rule in RULES.values():
            why = textwrap.indent(textwrap.fill(rule.why, 96), "    ")
            print(f"{rule.name:24}{rule.severity:9}{rule.title}\n{why}")
        print(f"{REJECTED:24}{'error':9}all rejections by the engine, with its rule names")
        parser.exit()


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _run_lint(options: argparse.Namespace) -> int:
    """Run the command: 0 without findings, else 1."""
    from pycoro.pipeline import CoroSplit

    if options.fix != (options.output is not None):
        return print_usage_error(
            "--fix needs an output file; add -o OUT" if options.fix else "-o is the output of --fix; add --fix"
        )
    if options.fix and options.diff:
        return print_usage_error("use either --fix or --diff")
    if options.select is not None and not _split_names(options.select):
        return print_usage_error("--select is empty; pycoro lint --rules lists the rules")
    module = read_module(options.input)
    arguments: dict[str, Any] = {
        "select": None if options.select is None else _split_names(options.select),
        "ignore": _split_names(options.ignore),
        "notes": options.notes,
        "split": CoroSplit(reuse_storage=options.reuse_storage),
    }
    findings = module.lint(**arguments)
    if options.diff:
        write_output("-", findings.patch().encode())
        return int(any(finding.fixable for finding in findings))
    if options.fix:
        findings.fix()
        findings = module.lint(**arguments)
        write_output(options.output, str(module).encode())
    out = sys.stderr if options.output in ("-", "") else sys.stdout
    if options.json or options.sarif:
        write_json(findings.to_sarif() if options.sarif else findings.to_dict(), out)
    elif findings:
        print(findings, file=out)
    return int(bool(findings))
