"""Directory of persistent failures: each is an IR file with the command that runs it and its difference.

Only regular files are read, so that a FIFO or a device cannot block the campaign.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pycoro._regular import read_regular_file
from pycoro.errors import Error, UsageError
from pycoro.fuzz.proof import prove
from pycoro.fuzz.shard import CHECKER, Failure, problem_bucket_schedule_trace
from pycoro.oracle import Oracle, write_reproducer
from pycoro.oracle.reproducer import parse_reproducer
from pycoro.pipeline import DEFAULT

__all__ = ["Database", "Replay"]

_LARGEST = 64 << 20
"""Maximum size in bytes of a file that is read."""

Replay = tuple[Path, str, str]
"""A file, its recorded difference, and its current difference; the latter is empty if the failure is fixed."""


class Database:
    """Store of failures in a directory, which is created on first use. It keeps at most ``most`` failures of a kind.

    >>> from pycoro import fuzz, oracle
    >>> case = oracle.Case(pycoro.examples.COUNTER, (("resume", "destroy"),), "counter", (3, 6))
    >>> failure = fuzz.Failure(case, "event 3 differs", "finished/finished", "coro-early", "interpreter", "small", ())
    >>> database = fuzz.Database("found")
    >>> path = database.add(failure)
    >>> len(database.files()), database.should_store(failure)
    (1, False)
    """

    def __init__(self, folder: str | Path, most: int = 5) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is not a directory, and failures are files in one; name a directory, or a new path")
        self._most = most
        self._counts = Counter(path.name.partition("-")[0] for path in self.files())

    def files(self) -> list[Path]:
        """Return the reproducers, sorted by name."""
        return sorted(self.folder.glob("*.ll"))

    def _kind_and_file_of_failure(self, failure: Failure) -> tuple[str, Path]:
        """Return the kind and the file of a failure."""
        kind = _short_digest(f"{failure.passes}\n{failure.bucket}")
        case = failure.case
        return kind, self.folder / f"{kind}-{_short_digest(case.ir + repr(case.schedules) + case.ramp)}.ll"

    def should_store(self, failure: Failure) -> bool:
        """Return True if the failure is new, and its kind has fewer than the maximum."""
        kind, path = self._kind_and_file_of_failure(failure)
        return not path.exists() and self._counts[kind] < self._most

    def add(self, failure: Failure) -> Path:
        """Write a failure and return its file."""
        kind, path = self._kind_and_file_of_failure(failure)
        self._counts[kind] += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        self.write(path, failure)
        return path

    @staticmethod
    def is_reference_bug(path: Path) -> bool:
        """Return True if the recorded failure was attributed to the reference."""
        try:
            return "\n; blame: theirs\n" in _read_regular_text_file_within_limit(path)
        except OSError:
            return False

    @staticmethod
    def write(path: Path, failure: Failure) -> None:
        """Write a failure to that file."""
        header = f"{failure.difference}\nbucket: {failure.bucket}"
        if failure.blame:
            header += f"\nblame: {failure.blame}"
        is_proof = failure.reference == CHECKER
        if is_proof:
            header += f"\njudge: {CHECKER}"
        choices = path.with_suffix(".choices.json")
        for place in (path, choices):
            place.unlink(missing_ok=True)  # opening an existing FIFO would wait for a reader
        write_reproducer(
            path,
            failure.case,
            difference=header,
            passes=failure.passes,
            reference="llvm" if is_proof else failure.reference,
            allocation=failure.allocation,
        )
        choices.write_text(json.dumps({"profile": failure.profile, "choices": failure.choices}))

    def replay(self, oracle: Oracle) -> Iterator[Replay]:
        """Run every failure again."""
        for path in self.files():
            try:
                text = _read_regular_text_file_within_limit(path)
            except OSError as error:
                yield path, "", f"it cannot be read: {error}"
            else:
                was = next(iter(text.splitlines()), "").removeprefix("; ")
                yield (
                    path,
                    was.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
                    self._current_difference_or_error(text, path, oracle),
                )

    @staticmethod
    def _current_difference_or_error(text: str, path: Path, oracle: Oracle) -> str:
        """Return the current difference of a reproducer. A file that cannot be run reports its error, since it is not fixed."""
        try:
            case, how = parse_reproducer(text, str(path))
            if f"\n; judge: {CHECKER}\n" in text:
                proof = prove(case.ir, how.get("passes", DEFAULT))
                return proof.refuted or proof.failed
            return problem_bucket_schedule_trace(oracle.compare_cases([case], **how)[0])[0]
        except (Error, TypeError, UnicodeDecodeError) as error:
            return f"it cannot be run: {str(error).splitlines()[0]}"

    def choices(self, path: Path) -> dict[str, Any] | None:
        """Return the profile and the choices that a failure was drawn from, if known."""
        file = path.with_suffix(".choices.json")
        return json.loads(_read_regular_text_file_within_limit(file)) if file.exists() else None


def _read_regular_text_file_within_limit(path: Path) -> str:
    """Return the text of a regular file. Raises ``OSError``."""
    data = read_regular_file(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise OSError(f"{path}: this file exceeds {_LARGEST >> 20} MiB, the largest size of a reproducer")
    return data.decode("utf-8", "surrogateescape")


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:10]
