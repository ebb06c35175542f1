"""Reports of campaigns as JSON data and as text."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pycoro import LLVM_VERSION, __version__
from pycoro.fuzz.abis import ByDrawnABI
from pycoro.fuzz.campaign import Results, Settings
from pycoro.fuzz.database import Database, Replay
from pycoro.fuzz.shard import CHECKER, Failure, blame_text
from pycoro.oracle import reference

__all__ = ["CampaignReport"]


@dataclass
class CampaignReport:
    """Settings, results and reduced failures of a campaign.

    >>> from pycoro import fuzz
    >>> settings = fuzz.Settings(fuzz.Budget(programs=4), profile="small", pipelines=(fuzz.PIPELINES["plain"],))
    >>> report = fuzz.CampaignReport(settings, ["pycoro", "fuzz"], fuzz.Results())
    >>> report.ok, report.to_dict()["programs"]
    (False, 0)
    """

    settings: Settings
    command: Sequence[str]
    results: Results
    files: dict[str, list[Path]] = field(default_factory=dict[str, list[Path]])
    """Files written to the database, by bucket."""
    reduced: dict[str, Failure] = field(default_factory=dict[str, Failure])
    """Smallest case, by bucket."""
    replayed: list[Replay] = field(default_factory=list[Replay])

    @property
    def failures(self) -> list[Failure]:
        """Return the failures in shard order."""
        return self.results.failures

    @property
    def ok(self) -> bool:
        """Return True if programs were compared and no failure needs attention; differences attributed to the reference do
        not.
        """
        still = [path for path, _, now in self.replayed if now and not Database.is_reference_bug(path)]
        return (
            bool(self.results.judged)
            and not (self.results.lost or still)
            and all(self._is_bug_of_reference(bucket) for bucket in self._failures_by_bucket())
        )

    def _is_bug_of_reference(self, bucket: str) -> bool:
        theirs = bucket in self.reduced and self.reduced[bucket].blame == "theirs"
        return theirs and not self.settings.abis  # both sides are pycoro lowerings

    def _failures_by_bucket(self) -> dict[str, list[Failure]]:
        found: defaultdict[str, list[Failure]] = defaultdict(list)
        for failure in self.failures:
            found[f"{failure.bucket}"].append(failure)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def _total_endings_and_seconds(self) -> tuple[Counter[str], Counter[str]]:
        endings: Counter[str] = Counter()
        seconds: Counter[str] = Counter()
        for result in self.results.shards.values():
            endings.update(result.endings)
            seconds.update({name: round(value, 3) for name, value in result.seconds.items()})
        return endings, seconds

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        results = self.results
        endings, seconds = self._total_endings_and_seconds()
        return {
            "pycoro": __version__,
            "llvm": LLVM_VERSION,
            "command": shlex.join(self.command),
            "seed": self.settings.seed,
            "profile": self.settings.profile,
            "pipelines": list(self.settings.pipelines),
            "reference": "drawn ABIs" if self.settings.abis else self.settings.reference,
            "programs": results.programs,
            "coroutines": results.coroutines,
            "runs": sum(result.runs for result in results.shards.values()),
            "runs_judged": results.judged,
            "events": sum(result.events for result in results.shards.values()),
            "seconds": round(results.seconds, 3),
            "coroutines_per_second": round(results.coroutines / results.seconds, 2) if results.seconds else 0,
            "seconds_by_phase": dict(seconds),
            "endings": dict(endings),
            "shards": len(results.shards),
            "shards_done_again": results.again,
            "shards_lost": {str(number): why for number, why in results.lost.items()},
            "workers": dict(Counter(result.worker for result in results.shards.values())),
            "interrupted": results.interrupted,
            "differences": [self._difference_data(bucket, failures) for bucket, failures in self._failures_by_bucket().items()],
            "replayed": [{"file": str(path), "was": was, "now": now} for path, was, now in self.replayed],
        }

    def _difference_data(self, bucket: str, failures: Sequence[Failure]) -> dict[str, Any]:
        small = self.reduced.get(bucket, failures[0])
        return {
            "bucket": bucket,
            "count": len(failures),
            "first": small.difference,
            "blame": small.blame,
            "passes": small.passes,
            "reference": small.reference,
            "abi": _drawn_abi_expression_or_empty(small.reference),
            "seeds": [failure.case.name for failure in failures[:5]],
            "lines": len(small.case.ir.splitlines()),
            "files": [str(path) for path in self.files.get(bucket, [])],
        }

    def lines(self) -> Iterable[str]:
        """Yield the lines of the text report."""
        data = self.to_dict()
        yield f"{data['programs']:,} programs, {data['coroutines']:,} coroutines, {data['runs']:,} runs in {data['seconds']:.1f} s:"
        yield f"  {data['coroutines_per_second']} coroutines a second, seed {data['seed']}, profile {data['profile']}"
        yield "  " + ", ".join(_run_counts_by_ending(data))
        if data["shards_done_again"] or data["shards_lost"]:
            yield f"  {data['shards_done_again']} shards retried, {len(data['shards_lost'])} lost"
        for replay in data["replayed"]:
            yield f"  {replay['file']}: {'still: ' + replay['now'] if replay['now'] else 'fixed'}"
        for number, item in enumerate(data["differences"], 1):
            yield f"{number}. {item['bucket']} ({item['count']} times; {blame_text(item['reference'], item['blame'])})"
            yield f"   {item['first'].splitlines()[0]}"
            if item["abi"]:
                yield f"   by {item['abi']}, {item['reference']}"
            yield f"   {', '.join(item['files'] or item['seeds'])}, {item['lines']} lines"
        if not data["runs_judged"]:
            yield "no run was compared"
        elif not data["differences"]:
            yield "no difference"


def _drawn_abi_expression_or_empty(name: str) -> str:
    """Return the expression of a drawn ABI; empty for other references."""
    lowering = None if name == CHECKER else reference(name)
    return str(lowering.abi) if isinstance(lowering, ByDrawnABI) else ""


_ENDINGS = {"finished": "finished", "rejected": "rejected", "timeout": "timed out", "crashed": "crashed"}
"""Endings that are always listed, even with a count of zero."""


def _run_counts_by_ending(data: Mapping[str, Any]) -> Iterable[str]:
    """Yield the number of compared runs, and of runs with each ending."""
    endings = dict(data["endings"])
    yield f"{data['runs_judged']:,} runs compared by {data['events']:,} events"
    for how, label in _ENDINGS.items():
        yield f"{endings.pop(how, 0):,} {label}"
    for how, count in endings.items():
        yield f"{count:,} {how}"
