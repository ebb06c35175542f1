"""``pycoro lint``: mistakes that frontends make in coroutines and with their handles."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pycoro._escape import printable
from pycoro.cli.streams import add_input, read_module, write_json, write_output
from pycoro.errors import UsageError

__all__ = ["add"]


def add(commands: Any) -> None:
    """The command ``lint``."""
    lint = commands.add_parser(
        "lint", help="find mistakes in coroutines that nothing refuses, and mend what is mechanical", allow_abbrev=False
    )
    add_input(lint)
    lint.add_argument("--select", metavar="RULES", help="these rules only, with commas between them")
    lint.add_argument("--ignore", metavar="RULES", default="", help="not these rules")
    lint.add_argument("--notes", action="store_true", help="tell also of what is right and costs something")
    lint.add_argument("--reuse-storage", action="store_true", help="frames as coro-split<reuse-storage> lays them out")
    how = lint.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="as JSON instead of text")
    how.add_argument("--sarif", action="store_true", help="as SARIF 2.1.0 instead of text")
    how.add_argument("--diff", action="store_true", help="what --fix would change, instead of the findings")
    lint.add_argument("--fix", action="store_true", help="mend what is mechanical, write the IR to OUT, and tell of what is left")
    lint.add_argument("-o", "--output", metavar="OUT", help="where --fix writes textual IR; -: stdout, and findings go to stderr")
    lint.add_argument("--rules", action=_Rules, help="list the rules, and do nothing else")
    lint.set_defaults(run=_run)


class _Rules(argparse.Action):
    """Lists the rules and ends, as ``--version`` does."""

    def __init__(self, **how: Any) -> None:
        super().__init__(nargs=0, **how)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from pycoro.lint import REFUSED, RULES

        for rule in RULES.values():
            print(f"{rule.name:24}{rule.severity:9}{rule.title}")
        print(f"{REFUSED:24}{'error':9}whatever the engine refuses, by the name of its rule")
        parser.exit()


def _named(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _usage(message: str) -> int:
    print(f"error: {printable(message)}", file=sys.stderr)
    return UsageError().exit_status


def _run(options: argparse.Namespace) -> int:
    """Runs the command: 0 where nothing is found, 1 where something is."""
    from pycoro.pipeline import CoroSplit

    if options.fix != (options.output is not None):
        return _usage(
            "--fix needs to know where the IR goes: give -o OUT" if options.fix else "-o is where --fix writes: give --fix"
        )
    if options.fix and options.diff:
        return _usage("--fix mends and --diff only shows how: give one of them")
    if options.select is not None and not _named(options.select):
        return _usage("--select names no rule; pycoro lint --rules lists them")
    module = read_module(options.input)
    how: dict[str, Any] = {
        "select": None if options.select is None else _named(options.select),
        "ignore": _named(options.ignore),
        "notes": options.notes,
        "split": CoroSplit(reuse_storage=options.reuse_storage),
    }
    findings = module.lint(**how)
    if options.diff:
        write_output("-", findings.patch().encode())
        return int(any(finding.fixable for finding in findings))
    if options.fix:
        findings.fix()
        findings = module.lint(**how)
        write_output(options.output, str(module).encode())
    out = sys.stderr if options.output in ("-", "") else sys.stdout
    if options.json or options.sarif:
        write_json(findings.to_sarif() if options.sarif else findings.to_dict(), out)
    elif findings:
        print(findings, file=out)
    return int(bool(findings))
