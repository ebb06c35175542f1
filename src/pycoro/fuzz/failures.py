"""Store, replay and reduce the failures of a campaign."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType

from pycoro.fuzz.database import Database, Replay
from pycoro.fuzz.reduce import reduce
from pycoro.fuzz.shard import Failure, ShardResult
from pycoro.oracle import Oracle

__all__ = ["FailureStore"]


class FailureStore:
    """Store of failures in a directory, or no store without one.

    If not ``trusted``, reproducers from the directory are interpreted instead of compiled.
    """

    def __init__(
        self, folder: Path | None, *, trusted: bool = False, reducer: Callable[[Failure, float], Failure] | None = None
    ) -> None:
        self._trusted = trusted
        self._database = Database(folder) if folder else None
        self._oracle = Oracle()
        self._reducer = reducer or partial(reduce, self._oracle)
        self.files: dict[str, list[Path]] = {}
        self.reduced: dict[str, Failure] = {}

    def replay(self) -> list[Replay]:
        """Run all stored failures again."""
        if not self._database:
            return []
        with Oracle(trusted=self._trusted) as oracle:
            return list(self._database.replay(oracle))

    def store(self, result: ShardResult) -> None:
        """Store the failures of a shard when it is done, so that they survive the end of the campaign."""
        for failure in result.failures:
            self._store_failure(failure)

    def _store_failure(self, failure: Failure) -> None:
        if self._database and self._database.should_store(failure):
            path = self._database.add(failure)
            self.files.setdefault(failure.bucket, []).append(path)

    def reduce(self, failures: list[Failure], seconds_each: float) -> None:
        """Reduce the first failure of each kind, for at most that long each."""
        for failure in failures:
            if failure.bucket in self.reduced:
                continue
            reduced = self._reducer(failure, seconds_each) if seconds_each > 0 else failure
            self.reduced[failure.bucket] = reduced
            if self._database and (files := self.files.get(failure.bucket)):
                small = files[0].with_name(f"{files[0].stem}.reduced.ll")
                self._database.write(small, reduced)
                files.insert(0, small)

    def __enter__(self) -> FailureStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._oracle.close()
