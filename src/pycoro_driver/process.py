"""A program that is run, however long its line."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Done", "Runner"]


class Done(NamedTuple):
    """What became of it."""

    status: int
    """Negative: the number of the signal that ended it."""
    output: bytes
    errors: bytes


class Runner:
    """Runs programs; what lies between them is kept in a folder of its own."""

    def __init__(self, scratch: str) -> None:
        self.scratch = scratch
        self._responses = 0

    def show(self, command: Sequence[str], data: bytes | None = None) -> int:
        """Runs a program that says what it has to say; its status."""
        return self._run(command, data, None).status

    def hold(self, command: Sequence[str], data: bytes | None = None) -> Done:
        """Runs a program, and keeps what it says."""
        return self._run(command, data, subprocess.PIPE)

    def _run(self, command: Sequence[str], data: bytes | None, to: int | None) -> Done:
        try:
            done = subprocess.run(command, input=data, stdout=to, stderr=to, check=False)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            done = subprocess.run(self._short(command), input=data, stdout=to, stderr=to, check=False)
        return Done(done.returncode, done.stdout or b"", done.stderr or b"")

    def _short(self, command: Sequence[str]) -> list[str]:
        """A line that is longer than the system takes, by a response file. What makes ``clang`` a compiler stays in front."""
        kept = 2 if command[1] in ("-cc1", "-cc1as") else 1
        self._responses += 1
        path = os.path.join(self.scratch, f"response-{self._responses}")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(re.sub(r"""([\s\\"'])""", r"\\\1", argument) + "\n" for argument in command[kept:])
        return [*command[:kept], f"@{path}"]
