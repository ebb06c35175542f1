"""Query clang's driver for the jobs of a command line."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from pycoro_driver.find import VERSION, ClangError
from pycoro_driver.job import Job

__all__ = ["Plan", "plan", "verbose_command_line"]


class Plan(NamedTuple):
    """Output of clang's driver for a command line."""

    status: int
    """Exit status of the driver, nonzero for an invalid command line."""
    jobs: list[Job]
    """Jobs in execution order."""
    messages: list[str]
    """Other messages about the command line, such as warnings."""
    version: list[str]
    """Version lines, as ``-v`` prints them."""


_DIAGNOSTIC = re.compile(r"^(?:\x1b\[[0-9;]*m)*[^\s:]+: (?:\x1b\[[0-9;]*m)*(?:warning|note|remark|error): ")


def plan(clang: str, arguments: Sequence[str], scratch: str) -> Plan:
    """Query the driver for its jobs, with temporary files in ``scratch``. Raises ``ClangError`` for another clang version or
    an unreadable answer.
    """
    if any("\n" in argument for argument in arguments):
        raise ClangError("an argument contains a line break, which the output of clang -### cannot represent")
    done = subprocess.run(
        [clang, "-###", *_for_terminal(), *arguments],
        env={**os.environ, "TMPDIR": scratch, "TMP": scratch, "TEMP": scratch},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )
    jobs: list[Job] = []
    messages: list[str] = []
    version: list[str] = []
    for line in done.stderr.removesuffix("\n").split("\n"):
        if line.startswith(' "'):
            jobs.append(Job(tuple(_split_quoted(line))))
        elif _DIAGNOSTIC.match(line):
            messages.append(line)
        elif line != " (in-process)":
            version.append(line)
    found = re.search(r"clang version (\d+)(?:\.\d+)*", version[0]) if version else None
    if found and found[1] != VERSION:
        raise ClangError(f"{clang} is {found[0]}; pycoro needs clang {VERSION}, because bitcode depends on the version")
    return Plan(done.returncode, jobs, messages, version)


def _for_terminal() -> list[str]:
    """Return the options that the driver derives from a terminal on standard error."""
    try:
        if not os.isatty(2) or os.environ.get("TERM", "dumb") == "dumb":
            return []
        columns = os.get_terminal_size(2).columns
    except OSError:
        return []
    return ["-fcolor-diagnostics", *([f"-fmessage-length={columns}"] if columns else [])]


def verbose_command_line(job: Job) -> str:
    """Return a job as ``clang -v`` prints it."""
    program, *arguments = job.command
    return " " + " ".join(
        [_quote_argument(program), *(_quote_argument(a) if re.search(r'[ "\\$]', a) or not a else a for a in arguments)]
    )


_WORD = re.compile(r' (?:"((?:[^"\\]|\\.)*)"|([^ ]*))')


def _split_quoted(line: str) -> list[str]:
    """Split a job line as clang quotes it."""
    found = _WORD.findall(line)
    return [re.sub(r"\\(.)", r"\1", quoted) if quoted else plain for quoted, plain in found]


def _quote_argument(text: str) -> str:
    return '"' + re.sub(r'(["\\$])', r"\\\1", text) + '"'
