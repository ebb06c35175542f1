"""``pycoro fuzz``: campaigns of random coroutines."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from pycoro.cli.oracle import TRUST
from pycoro.cli.streams import write_json, write_output
from pycoro.errors import UsageError

__all__ = ["add_command"]

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_ABOUT = """\
Generates random programs with coroutines, lowers each with pycoro and with a reference, runs both, and compares their
behavior. With --database, each difference is written to a file that `pycoro oracle FILE` reruns, and later campaigns with
the same DIR rerun all its files first.
Exit status: 0 success, 1 differences or runs that could not be compared, 2 usage error. A difference does not count if
pycoro's interpreter shows, on the reduced program, that only the reference is wrong.
"""


def _parse_duration(text: str) -> float:
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smh]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; use a form such as 90, 90s, 30m or 2h")
    return float(found[1]) * _UNITS[found[2]]


def _parse_positive_duration(text: str) -> float:
    if not _parse_duration(text):
        raise argparse.ArgumentTypeError("the duration must be positive")
    return _parse_duration(text)


def _parse_number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number


_positive = partial(_parse_number, least=1)
_nonnegative = partial(_parse_number, least=0)


def add_command(commands: Any) -> None:
    """Add the command ``fuzz``."""
    fuzz = commands.add_parser(
        "fuzz",
        help="compare lowerings of random coroutines by running them",
        epilog=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    fuzz.add_argument("--count", type=_positive, metavar="N", help="maximum number of programs (default: 1000 without --time)")
    fuzz.add_argument("--time", type=_parse_positive_duration, metavar="T", help="maximum duration: 90s, 30m, 2h")
    fuzz.add_argument("--seed", type=int, default=0, help="random seed; equal seeds generate equal programs (default: 0)")
    fuzz.add_argument(
        "--profile",
        default="all",
        metavar="NAME",
        help="kind of programs: all, small, built, quiet, callers, lives (default: all)",
    )
    fuzz.add_argument(
        "--passes",
        action="append",
        metavar="PIPELINE",
        help="passes to run on both sides: plain, reuse, optimized, whole (O2 after the split), O2 (default<O2>), or a pass "
        "string. Repeat to alternate between several (default: the first four, the fourth for every tenth program)",
    )
    fuzz.add_argument(
        "--reference",
        default="llvm",
        metavar="R",
        help="lowering to compare with: llvm (default), pycoro:PIPELINE, or a registered reference",
    )
    fuzz.add_argument(
        "--judge",
        choices=("execution", "checker"),
        default="execution",
        help="execution: run both lowerings and compare; checker: prove pycoro's lowering, without compiling or running",
    )
    fuzz.add_argument(
        "--variants",
        type=_positive,
        metavar="N",
        help="programs for each drawn one: itself, and N - 1 with random edits; only for --judge checker (default: 32)",
    )
    fuzz.add_argument(
        "--abis",
        action="store_true",
        help="compare with pycoro lowerings by random custom ABIs (spill decisions, frame layouts, hooks) instead of R",
    )
    fuzz.add_argument("--workers", type=_nonnegative, default=os.cpu_count() or 1, metavar="N", help="worker processes; 0: none")
    fuzz.add_argument("--scheduler", metavar="ADDRESS", help="run on the Dask cluster at ADDRESS instead of on this machine")
    fuzz.add_argument(
        "--shard", type=_positive, metavar="N", help="programs that a worker processes in one job (default: 64; 512 to check them)"
    )
    fuzz.add_argument("--database", type=Path, metavar="DIR", help="write failures to DIR, and rerun its files first")
    fuzz.add_argument("--trust", action="store_true", help=f"for files already in DIR: {TRUST}")
    fuzz.add_argument(
        "--reduce",
        type=_parse_duration,
        default=60.0,
        metavar="T",
        help="time to spend on reducing one program of each kind of difference; 0: do not reduce (default: 60s)",
    )
    fuzz.add_argument("--report", type=Path, metavar="FILE", help="also write the report to FILE, as JSON")
    fuzz.add_argument("--json", action="store_true", help="print the report as JSON instead of text")
    fuzz.add_argument("--quiet", action="store_true", help="do not print progress to stderr")
    fuzz.set_defaults(run=_run_fuzz)


def _executor_factory_and_window(options: argparse.Namespace) -> tuple[Callable[[], AbstractContextManager[Executor]], int]:
    """Return the factory of an executor, and the number of shards to run concurrently."""
    from pycoro.fuzz.executors import dask, processes

    if options.scheduler:
        return partial(dask, options.scheduler), 64
    return partial(processes, options.workers), max(1, 2 * options.workers)


def _run_fuzz(options: argparse.Namespace) -> int:
    """Run a campaign. Return 130 after Ctrl-C, 0 if no difference needs attention, otherwise 1."""
    from pycoro.fuzz.campaign import Budget, Campaign, Settings
    from pycoro.fuzz.failures import FailureStore
    from pycoro.fuzz.profiles import TURNS, named_pipeline_or_pass_string
    from pycoro.fuzz.progress import Progress
    from pycoro.fuzz.proof import SPLIT, prove_shard, reduce_refuted
    from pycoro.fuzz.report import CampaignReport
    from pycoro.fuzz.shard import run_shard

    checks = options.judge == "checker"
    if checks and options.abis:
        raise UsageError("--judge checker proves pycoro's own lowerings; use it without --abis")
    if options.variants and not checks:
        raise UsageError("variants of a program have no defined behavior; use --variants with --judge checker")
    count = 1000 if options.count is None and options.time is None else options.count
    settings = Settings(
        Budget(count, options.time),
        options.seed,
        options.profile,
        tuple(named_pipeline_or_pass_string(name) for name in options.passes or (SPLIT if checks else TURNS)),
        options.reference,
        options.shard or (512 if checks else 64),
        abis=options.abis,
        variants=options.variants or (32 if checks else 1),
    )
    make, window = _executor_factory_and_window(options)
    with FailureStore(options.database, trusted=options.trust, reducer=reduce_refuted if checks else None) as failures:
        replayed = failures.replay()
        if replayed and not (options.trust or options.quiet):
            print(
                "note: files of the database are interpreted, not compiled; use --trust to compile and run their code",
                file=sys.stderr,
            )
        progress = Progress(quiet=options.quiet)
        work = prove_shard if checks else run_shard
        results = Campaign(settings, make, window=window, progress=progress, each=failures.store, work=work).run()
        report = CampaignReport(settings, ["pycoro", *sys.argv[1:]], results, failures.files, failures.reduced, replayed)
        with suppress(KeyboardInterrupt):  # findings are reported even if interrupted
            failures.reduce(report.failures, options.reduce)
    if options.report:
        write_output(str(options.report), (json.dumps(report.to_dict(), indent=2) + "\n").encode())
    if options.json:
        write_json(report.to_dict())
    else:
        print("\n".join(report.lines()))
    return 130 if results.interrupted else 0 if report.ok else 1
