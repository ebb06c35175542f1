"""``pycoro oracle``: rerun the case in a reproducer file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

__all__ = ["TRUST", "add_command"]

TRUST = "compile and run their code with the passes that they name, instead of interpreting it"


def add_command(commands: Any) -> None:
    """Add the command ``oracle``."""
    oracle = commands.add_parser(
        "oracle", help="run a reproducer: compare the behavior of two lowerings of a coroutine", allow_abbrev=False
    )
    oracle.add_argument("input", metavar="FILE", help="IR file written by the oracle or by pycoro fuzz")
    oracle.add_argument("--passes", metavar="PIPELINE", help="passes to use instead of the file's")
    oracle.add_argument(
        "--reference", metavar="R", help="reference to use instead of the file's: llvm, interpreter, pycoro:PIPELINE"
    )
    oracle.add_argument("--trace", action="store_true", help="print the events that each lowering produced")
    oracle.add_argument(
        "--trust", action="store_true", help="compile and run the file's code with its passes, instead of interpreting it"
    )
    oracle.set_defaults(run=_run_oracle)


def _run_oracle(options: argparse.Namespace) -> int:
    """Run the case; 0 if both sides behave the same, else 1."""
    from pycoro.fuzz.abis import register_drawn_abis
    from pycoro.oracle import Oracle, read_reproducer

    register_drawn_abis()
    case, options_of_case = read_reproducer(options.input)
    if not options.trust:
        print("note: interpreted, not compiled; use --trust to compile and run the code of the file", file=sys.stderr)
    overrides = {name: value for name in ("passes", "reference") if (value := getattr(options, name)) is not None}
    with Oracle(trusted=options.trust) as oracle:
        outcome = oracle.compare_cases([case], **{**options_of_case, **overrides})[0]
    for schedule, verdict in zip(case.schedules, outcome.verdicts, strict=True):
        print(f"{','.join(schedule) or 'called'}: {verdict}")
        if options.trace:
            print(f"-- pycoro\n{verdict.ours}\n-- reference\n{verdict.theirs}")
            if verdict.interpreted:
                print(f"-- interpreter\n{verdict.interpreted}")
    return 0 if outcome.equal else 1
