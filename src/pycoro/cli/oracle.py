"""``pycoro oracle``: a case in a file, run and compared again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

__all__ = ["TRUST", "add"]

TRUST = "compile and run what such files hold, with any passes that they name; else it is interpreted"


def add(commands: Any) -> None:
    """The command ``oracle``."""
    oracle = commands.add_parser(
        "oracle", help="run a reproducer: two lowerings of one coroutine, compared by what they do", allow_abbrev=False
    )
    oracle.add_argument("input", metavar="FILE", help="a file of IR that was written by the oracle or by pycoro fuzz")
    oracle.add_argument("--passes", metavar="PIPELINE", help="other passes than the file says")
    oracle.add_argument("--reference", metavar="R", help="another reference than the file says: llvm, interpreter, pycoro:PIPELINE")
    oracle.add_argument("--trace", action="store_true", help="print what both sides did")
    oracle.add_argument("--trust", action="store_true", help=TRUST)
    oracle.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Runs one case; 0 where both sides do the same, 1 where they do not."""
    from pycoro.fuzz.abis import add_drawn_abis
    from pycoro.oracle import Oracle, read_reproducer

    add_drawn_abis()
    case, how = read_reproducer(options.input)
    if not options.trust:
        print("note: interpreted, not compiled; --trust compiles and runs what the file holds", file=sys.stderr)
    given = {name: value for name in ("passes", "reference") if (value := getattr(options, name)) is not None}
    with Oracle(trusted=options.trust) as oracle:
        outcome = oracle.compare_cases([case], **{**how, **given})[0]
    for schedule, verdict in zip(case.schedules, outcome.verdicts, strict=True):
        print(f"{','.join(schedule) or 'called'}: {verdict}")
        if options.trace:
            print(f"-- pycoro\n{verdict.ours}\n-- reference\n{verdict.theirs}")
            if verdict.third:
                print(f"-- interpreter\n{verdict.third}")
    return 0 if outcome.equal else 1
