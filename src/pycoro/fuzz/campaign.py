"""Fuzzing campaigns: run shards until the budget is used, over any executor, and rerun the shards of workers that die."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

from pycoro._elapsed import is_notebook_stream
from pycoro._suggest import unknown_name_message
from pycoro.errors import Error, UsageError
from pycoro.fuzz.abis import name_of_drawn_reference
from pycoro.fuzz.profiles import PIPELINES, PROFILES, TURNS
from pycoro.fuzz.progress import Progress
from pycoro.fuzz.shard import Failure, Shard, ShardResult, run_shard
from pycoro.oracle.lowerings import check_passes, reference
from pycoro.view import format_count

__all__ = ["Budget", "Campaign", "Results", "Settings"]

_ATTEMPTS = 3


@dataclass(frozen=True)
class Budget:
    """Limits of a campaign: a number of programs, a number of seconds, or both; the campaign ends at the first limit.

    >>> from pycoro import fuzz
    >>> fuzz.Budget(programs=200).used(programs=50, seconds=3)
    0.25
    """

    programs: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("programs", "seconds"):
            most = getattr(self, name)
            if most is not None and most <= 0:
                raise UsageError(f"the budget must be positive, not {most} {name}")

    def used(self, programs: int, seconds: float) -> float:
        """Return the used fraction, from 0 to 1."""
        parts = [done / most for done, most in ((programs, self.programs), (seconds, self.seconds)) if most]
        return min(max(parts, default=0.0), 1.0)


@dataclass(frozen=True)
class Settings:
    """Parameters of a campaign. Equal settings draw equal programs, independent of the executor.

    >>> from pycoro import fuzz
    >>> settings = fuzz.Settings(fuzz.Budget(programs=100), profile="small", pipelines=(fuzz.PIPELINES["plain"],))
    >>> settings.reference, settings.shard_size
    ('llvm', 64)
    """

    budget: Budget
    seed: int = 0
    profile: str = "all"
    pipelines: tuple[str, ...] = TURNS
    """Pass strings, used by the shards in rotation; a name of `PIPELINES` stands for its pass string."""
    reference: str = "llvm"
    shard_size: int = 64
    allocation: bool | None = None
    abis: bool = False
    """True to compare with lowerings by drawn ABIs, one for each shard, instead of a reference."""
    variants: int = 1
    """Number of programs for each drawn one, see `Shard.variants`."""

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise UsageError(unknown_name_message("profile", self.profile, PROFILES))
        if self.shard_size <= 0:
            raise UsageError(f"shard_size must be positive, not {self.shard_size}")
        if self.variants <= 0:
            raise UsageError(f"variants must be positive, not {self.variants}")
        if isinstance(self.pipelines, str):
            raise TypeError(f"pipelines must be a tuple of pass strings, such as ({self.pipelines!r},)")
        names = ", ".join(map(repr, PIPELINES))
        if not self.pipelines:
            raise UsageError(f"Settings.pipelines is empty; choose pass strings or names of pycoro.fuzz.PIPELINES: {names}")
        object.__setattr__(self, "pipelines", tuple(PIPELINES.get(passes, passes) for passes in self.pipelines))
        for passes in self.pipelines:
            try:
                check_passes(passes)
            except Error as error:
                error.add_note(f"pipelines are pass strings or names of pycoro.fuzz.PIPELINES: {names}")
                raise
        reference(self.reference)


@dataclass
class Results:
    """Results of a campaign so far.

    >>> from pycoro import fuzz
    >>> results = fuzz.Results({0: fuzz.ShardResult(0, programs=64), 1: fuzz.ShardResult(1, programs=36)})
    >>> results.programs
    100
    """

    shards: dict[int, ShardResult] = field(default_factory=dict[int, ShardResult])
    lost: dict[int, str] = field(default_factory=dict[int, str])
    """Failed shards by number, with the reason."""
    again: int = 0
    """Number of shards that were restarted after a worker died."""
    seconds: float = 0
    interrupted: bool = False

    @property
    def programs(self) -> int:
        """Number of programs drawn, lowered and run."""
        return sum(result.programs for result in self.shards.values())

    @property
    def judged(self) -> int:
        """Number of compared runs."""
        return sum(result.judged for result in self.shards.values())

    @property
    def coroutines(self) -> int:
        """Number of coroutines in the programs."""
        return sum(result.coroutines for result in self.shards.values())

    @property
    def failures(self) -> list[Failure]:
        """Programs that differ, are rejected, crash or do not end, in the order of their numbers."""
        return [failure for _, result in sorted(self.shards.items()) for failure in result.failures]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each shard, for ``pandas.DataFrame``."""
        return [
            {
                "shard": number,
                "programs": result.programs,
                "coroutines": result.coroutines,
                "runs": result.runs,
                "compared": result.judged,
                "failures": len(result.failures),
                **result.endings,
            }
            for number, result in sorted(self.shards.items())
        ]

    def __repr__(self) -> str:
        failures = format_count(len(self.failures), "failure")
        stopped = ", interrupted" if self.interrupted else ""
        return f"<Results: {failures} in {format_count(self.programs, 'program')}, {self.judged} runs compared{stopped}>"

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        from pycoro.drawing import tables, views

        return views.bundle({"text/plain": repr, "text/html": tables.results_html}, self, include, exclude)


def shards_of_campaign(settings: Settings) -> Iterator[Shard]:
    """Yield the shards in order; without end if only the time is limited."""
    number = first = 0
    most = settings.budget.programs
    while most is None or first < most:
        count = settings.shard_size if most is None else min(settings.shard_size, most - first)
        passes = settings.pipelines[number % len(settings.pipelines)]
        by = name_of_drawn_reference(f"{settings.seed}.{number}", passes) if settings.abis else settings.reference
        allocation = False if settings.abis else settings.allocation  # a drawn ABI may change allocations
        yield Shard(number, first, count, settings.seed, settings.profile, passes, by, allocation, settings.variants)
        number, first = number + 1, first + count


class Campaign:
    """Runner of shards on an executor. If the executor breaks, ``make`` returns a new one, and unfinished shards run again.
    ``progress`` displays the progress; by default, only a notebook does.

    >>> from pycoro import fuzz
    >>> settings = fuzz.Settings(
    ...     fuzz.Budget(programs=4), profile="small", pipelines=(fuzz.PIPELINES["plain"],), reference="interpreter"
    ... )
    >>> results = fuzz.Campaign(settings, lambda: fuzz.processes(0)).run()
    >>> results.programs, results.lost
    (4, {})
    """

    def __init__(
        self,
        settings: Settings,
        make: Callable[[], AbstractContextManager[Executor]],
        *,
        window: int = 4,
        progress: Progress | None = None,
        each: Callable[[ShardResult], object] = lambda result: None,
        work: Callable[[Shard], ShardResult] = run_shard,
    ) -> None:
        self._settings = settings
        self._make = make
        self._window = window
        self._progress = progress or Progress(quiet=not is_notebook_stream(sys.stderr))
        self._each = each
        self._work = work
        self._shards = shards_of_campaign(settings)
        self._again: list[Shard] = []
        self._attempts: dict[int, int] = {}
        self.results = Results()

    def run(self) -> Results:
        """Run to the end of the budget or to Ctrl-C."""
        start = time.monotonic()
        self._start = start
        try:
            while not self._run_on_one_executor_and_return_is_done():
                pass
        except KeyboardInterrupt:
            self.results.interrupted = True
        self.results.seconds = time.monotonic() - start
        self._show_progress(end=True)
        return self.results

    def _next_shard(self) -> Shard | None:
        if self._again:
            return self._again.pop(0)
        seconds = self._settings.budget.seconds
        if seconds is not None and time.monotonic() - self._start >= seconds:
            return None
        return next(self._shards, None)

    def _run_on_one_executor_and_return_is_done(self) -> bool:
        """Run on one executor. Return True if all shards are done, False if the executor broke."""
        running: dict[Future[ShardResult], Shard] = {}
        with ExitStack() as stack:
            executor = stack.enter_context(self._make())
            try:
                while True:
                    while len(running) < self._window and (shard := self._next_shard()):
                        running[self._submit_or_requeue_shard(executor, shard)] = shard
                    if not running:
                        return True
                    done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._record_result_or_retry(running.pop(future), future)
                    self._show_progress()
            except BrokenExecutor as error:
                for shard in running.values():
                    self._requeue_unless_attempts_used_up(shard, error)
                return False

    def _submit_or_requeue_shard(self, executor: Executor, shard: Shard) -> Future[ShardResult]:
        try:
            return executor.submit(self._work, shard)
        except BrokenExecutor:
            self._again.insert(0, shard)
            raise

    def _record_result_or_retry(self, shard: Shard, future: Future[ShardResult]) -> None:
        try:
            result = future.result()
        except BrokenExecutor as error:
            self._requeue_unless_attempts_used_up(shard, error)
            raise
        except Exception as error:  # a failed shard may succeed on another worker
            self._requeue_unless_attempts_used_up(shard, error)
            return
        self.results.shards[result.number] = result
        self._each(result)

    def _requeue_unless_attempts_used_up(self, shard: Shard, error: BaseException) -> None:
        self._attempts[shard.number] = self._attempts.get(shard.number, 0) + 1
        if self._attempts[shard.number] >= _ATTEMPTS:
            self.results.lost[shard.number] = f"{type(error).__name__}: {error}"
        else:
            self.results.again += 1
            self._again.append(shard)

    def _show_progress(self, *, end: bool = False) -> None:
        part = self._settings.budget.used(self.results.programs, time.monotonic() - self._start)
        self._progress.show(part, self.results.coroutines, len(self.results.failures), end=end)
