"""Run programs, with response files for long command lines."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Done", "Runner"]


class Done(NamedTuple):
    """Result of a program."""

    status: int
    """Exit status; negative for a signal."""
    output: bytes
    errors: bytes


class Runner:
    """Runner of programs with a temporary directory."""

    def __init__(self, scratch: str) -> None:
        self.scratch = scratch
        self._responses = 0

    def show(self, command: Sequence[str], data: bytes | None = None) -> int:
        """Run a program with inherited output, and return its status."""
        return self._run_process(command, data, None).status

    def run_captured(self, command: Sequence[str], data: bytes | None = None) -> Done:
        """Run a program and capture its output."""
        return self._run_process(command, data, subprocess.PIPE)

    def _run_process(self, command: Sequence[str], data: bytes | None, to: int | None) -> Done:
        try:
            done = subprocess.run(command, input=data, stdout=to, stderr=to, check=False)
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            done = subprocess.run(self._with_response_file(command), input=data, stdout=to, stderr=to, check=False)
        return Done(done.returncode, done.stdout or b"", done.stderr or b"")

    def _with_response_file(self, command: Sequence[str]) -> list[str]:
        """Move arguments to a response file if the command line is too long for the system; the option that selects the
        compiler remains first.
        """
        kept = 2 if command[1] in ("-cc1", "-cc1as") else 1
        self._responses += 1
        path = os.path.join(self.scratch, f"response-{self._responses}")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(re.sub(r"""([\s\\"'])""", r"\\\1", argument) + "\n" for argument in command[kept:])
        return [*command[:kept], f"@{path}"]
