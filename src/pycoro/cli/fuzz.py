"""``pycoro fuzz``: campaigns of random coroutines."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from pycoro._encode import file_name
from pycoro.cli.oracle import TRUST
from pycoro.cli.streams import write_json
from pycoro.errors import UsageError

__all__ = ["add"]

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_ABOUT = """\
Draws programs of coroutines by a seed, lowers each by pycoro and by a reference, runs both, and compares what they do.
Failures are kept in a folder as files that `pycoro oracle FILE` runs again; the next campaign with it begins with them.
Exit status: 0 nothing to look at, 1 differences that are not the reference's fault by the
interpreter's word, or runs that could not be compared, 2 usage.
"""


def _time(text: str) -> float:
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smh]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no time, such as 90, 90s, 30m or 2h")
    return float(found[1]) * _UNITS[found[2]]


def _some_time(text: str) -> float:
    if not _time(text):
        raise argparse.ArgumentTypeError("in no time nothing is compared")
    return _time(text)


def _number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number


_some = partial(_number, least=1)
_any = partial(_number, least=0)


def add(commands: Any) -> None:
    """The command ``fuzz``."""
    keep = argparse.RawDescriptionHelpFormatter
    fuzz = commands.add_parser(
        "fuzz",
        help="compare lowerings of random coroutines by running them",
        epilog=_ABOUT,
        formatter_class=keep,
        allow_abbrev=False,
    )
    fuzz.add_argument("--count", type=_some, metavar="N", help="number of programs; default: 1000 without --time")
    fuzz.add_argument("--time", type=_some_time, metavar="T", help="duration: 90s, 30m, 2h")
    fuzz.add_argument("--seed", type=int, default=0, help="seed; the same seed draws the same programs")
    fuzz.add_argument("--profile", default="all", metavar="NAME", help="kind of programs: all, small, quiet, callers, lives")
    fuzz.add_argument(
        "--passes",
        action="append",
        metavar="PIPELINE",
        help="passes of both sides: plain, reuse, optimized, whole (O2 after the split), O2 (default<O2>), or a pass "
        "string; several are alternated (default: the first four, the fourth for every tenth program)",
    )
    fuzz.add_argument("--reference", default="llvm", metavar="R", help="llvm, pycoro:PIPELINE, or a registered reference")
    fuzz.add_argument(
        "--judge",
        choices=("execution", "checker"),
        default="execution",
        help="execution: run both lowerings and compare; checker: prove pycoro's lowering, without compiling or running",
    )
    fuzz.add_argument(
        "--abis",
        action="store_true",
        help="compare with lowerings by ABIs of one's own, drawn for each shard: what is kept, field orders, layouts, hooks",
    )
    fuzz.add_argument("--workers", type=_any, default=os.cpu_count() or 1, metavar="N", help="processes; 0: this one")
    fuzz.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, instead of processes of this machine")
    fuzz.add_argument("--shard", type=_some, default=64, metavar="N", help="programs that a worker does at a time")
    fuzz.add_argument("--database", type=Path, metavar="DIR", help="where failures are kept, and replayed from at the start")
    fuzz.add_argument("--trust", action="store_true", help=f"of the files that are in DIR already: {TRUST}")
    fuzz.add_argument("--reduce", type=_time, default=60.0, metavar="T", help="time for each kind of difference; 0: none")
    fuzz.add_argument("--report", type=Path, metavar="FILE", help="the report as JSON")
    fuzz.add_argument("--json", action="store_true", help="the report as JSON on stdout, instead of text")
    fuzz.add_argument("--quiet", action="store_true", help="no progress on stderr")
    fuzz.set_defaults(run=_run)


def _executor(options: argparse.Namespace) -> tuple[Callable[[], AbstractContextManager[Executor]], int]:
    """Return the factory of an executor, and the number of shards to run concurrently."""
    from pycoro.fuzz.executors import dask, processes

    if options.scheduler:
        return partial(dask, options.scheduler), 64
    return partial(processes, options.workers), max(1, 2 * options.workers)


def _run(options: argparse.Namespace) -> int:
    """Runs a campaign; 0 where nothing is left to look at, 1 where something is."""
    from pycoro.fuzz.campaign import Budget, Campaign, Settings
    from pycoro.fuzz.failures import FailureStore
    from pycoro.fuzz.profiles import TURNS, pipeline_of
    from pycoro.fuzz.progress import Progress
    from pycoro.fuzz.proof import prove_shard, reduce_refuted
    from pycoro.fuzz.report import CampaignReport
    from pycoro.fuzz.shard import run_shard

    checks = options.judge == "checker"
    if checks and options.abis:
        raise UsageError("--judge checker proves pycoro's own lowerings; use it without --abis")
    count = 1000 if options.count is None and options.time is None else options.count
    settings = Settings(
        Budget(count, options.time),
        options.seed,
        options.profile,
        tuple(pipeline_of(name) for name in options.passes or (("plain", "reuse") if checks else TURNS)),
        options.reference,
        options.shard,
        abis=options.abis,
    )
    make, window = _executor(options)
    with FailureStore(options.database, trusted=options.trust, reducer=reduce_refuted if checks else None) as cares:
        replayed = cares.replay()
        if replayed and not (options.trust or options.quiet):
            print("note: what was kept is replayed by interpreting it; --trust compiles and runs it", file=sys.stderr)
        progress = Progress(quiet=options.quiet)
        work = prove_shard if checks else run_shard
        results = Campaign(settings, make, window=window, progress=progress, each=cares.keep, work=work).run()
        report = CampaignReport(settings, ["pycoro", *sys.argv[1:]], results, cares.files, cares.reduced, replayed)
        with suppress(KeyboardInterrupt):  # findings are reported even if interrupted
            cares.reduce(report.failures, options.reduce)
    if options.report:
        with open(file_name(options.report), "w") as file:
            write_json(report.to_dict(), file)
    if options.json:
        write_json(report.to_dict())
    else:
        print("\n".join(report.lines()))
    return 0 if report.ok else 1
