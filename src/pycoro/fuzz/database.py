"""Failures that persist: a folder of reproducers, each a file of IR that says how to run it and what it showed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pycoro.errors import Error
from pycoro.fuzz.shard import Failure, judge
from pycoro.oracle import Oracle, read_reproducer, write_reproducer

__all__ = ["Database", "Replay"]

Replay = tuple[Path, str, str]
"""A file, what it showed when it was written, and what it shows now; empty where it shows nothing any more."""


class Database:
    """Keeps failures under a folder, which is made when it is needed; of those that look alike at most ``most``.

    >>> from pycoro import fuzz, oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> failure = fuzz.Failure(case, "event 3 differs", "finished/finished", "coro-early", "interpreter", "small", ())
    >>> database = fuzz.Database("found")
    >>> path = database.add(failure)
    >>> len(database.files()), database.wants(failure)
    (1, False)
    """

    def __init__(self, folder: str | Path, most: int = 5) -> None:
        self.folder = Path(folder)
        self._most = most
        self._counts = Counter(path.name.partition("-")[0] for path in self.files())

    def files(self) -> list[Path]:
        """The reproducers, by name."""
        return sorted(self.folder.glob("*.ll"))

    def _place(self, failure: Failure) -> tuple[str, Path]:
        """The name of its kind, and its file."""
        kind = _digest(f"{failure.passes}\n{failure.bucket}")
        case = failure.case
        return kind, self.folder / f"{kind}-{_digest(case.ir + repr(case.schedules) + case.ramp)}.ll"

    def wants(self, failure: Failure) -> bool:
        """Whether there are not enough of its kind yet, and it is not there itself."""
        kind, path = self._place(failure)
        return not path.exists() and self._counts[kind] < self._most

    def add(self, failure: Failure) -> Path:
        """Writes a failure, and gives the file."""
        kind, path = self._place(failure)
        self._counts[kind] += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        self.write(path, failure)
        return path

    @staticmethod
    def accounted(path: Path) -> bool:
        """Whether the failure in the file was the reference's fault, when it was written."""
        return "\n; blame: theirs\n" in path.read_text()

    @staticmethod
    def write(path: Path, failure: Failure) -> None:
        """Writes a failure to a file of that name."""
        told = f"{failure.difference}\nbucket: {failure.bucket}"
        if failure.blame:
            told += f"\nblame: {failure.blame}"
        write_reproducer(
            path,
            failure.case,
            difference=told,
            passes=failure.passes,
            reference=failure.reference,
            allocation=failure.allocation,
        )
        path.with_suffix(".choices.json").write_text(json.dumps({"profile": failure.profile, "choices": failure.choices}))

    def replay(self, oracle: Oracle) -> Iterator[Replay]:
        """Runs every failure again."""
        for path in self.files():
            was = next(iter(path.read_text(errors="replace").splitlines()), "").removeprefix("; ")
            yield path, was, self._now(path, oracle)

    @staticmethod
    def _now(path: Path, oracle: Oracle) -> str:
        """What a file shows. One that cannot be run shows that: it is not mended."""
        try:
            case, how = read_reproducer(path)
            return judge(oracle.compare_cases([case], **how)[0])[0]
        except (Error, TypeError, UnicodeDecodeError) as error:
            return f"it cannot be run: {str(error).splitlines()[0]}"

    def choices(self, path: Path) -> dict[str, Any] | None:
        """The profile and the choices that a failure was drawn by, where they are known."""
        file = path.with_suffix(".choices.json")
        return json.loads(file.read_text()) if file.exists() else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:10]
