"""Query clang's driver for the jobs of a command line."""

from __future__ import annotations

import os

from pycoro_driver.find import VERSION, ClangError
from pycoro_driver.job import Job
from pycoro_driver.process import read_and_delete

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pycoro_driver.process import Runner

__all__ = [
    "Plan",
    "plan_jobs",
    "quote_argument",
    "verbose_command_line",
    "write_compilation_database_if_requested",
]  # fmt: skip


class Plan:
    """Output of clang's driver for a command line."""

    __slots__ = ("jobs", "messages", "status", "version")

    def __init__(self, status: int) -> None:
        self.status = status
        """Exit status of the driver, nonzero for an invalid command line."""
        self.jobs: list[Job] = []
        """Jobs in execution order."""
        self.messages: list[str] = []
        """Other messages about the command line, such as warnings."""
        self.version: list[str] = []
        """Version lines, as ``-v`` prints them."""


_SEVERITIES = ("error: ", "warning: ", "note: ", "remark: ")


def plan_jobs(clang: str, arguments: Sequence[str], runner: Runner) -> Plan:
    """Query the driver for its jobs, with temporary files in the runner's directory. Raises ``ClangError`` for another clang
    version or an unreadable answer.
    """
    if any("\n" in argument for argument in arguments):
        raise ClangError("an argument contains a line break, which the output of clang -### cannot represent")
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), runner.scratch)}
    done = runner.run_captured([clang, "-###", *_terminal_options(), *arguments], b"", environment)
    answer = _read_plan(done.status, done.errors.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n"))
    version = "".join(answer.version[:1]).partition("clang version ")[2].partition(" ")[0]
    if version and version.partition(".")[0] != VERSION:
        raise ClangError(
            f"{clang} is clang version {version}; pycoro needs clang {VERSION}, because bitcode depends on the version"
        )
    return answer


def _read_plan(status: int, lines: Sequence[str]) -> Plan:
    """Parse lines of ``clang -###``."""
    plan = Plan(status)
    for line in lines:
        if line.startswith(' "'):
            plan.jobs.append(Job(tuple(_split_quoted(line))))
        elif any(severity in line for severity in _SEVERITIES):
            plan.messages.append(line)
        elif line != " (in-process)":
            plan.version.append(line)
    return plan


def write_compilation_database_if_requested(
    clang: str, arguments: Sequence[str], options: Mapping[str, str], runner: Runner
) -> None:
    """Write the file of ``-MJ``, as clang's driver does if it runs the jobs itself."""
    path = next((value or option.removeprefix("-MJ") for option, value in options.items() if option.startswith("-MJ")), "")
    if not path:
        return
    entries = os.path.join(runner.scratch, "entries")
    runner.run_captured([clang, _WITHOUT_JOBS, *arguments, "-MJ", entries], b"")
    if os.path.exists(entries):
        with open(path, "wb") as file:
            file.write(read_and_delete(entries).replace(f'"{_WITHOUT_JOBS}", '.encode(), b""))


_WITHOUT_JOBS = "-fdriver-only"


def _terminal_options() -> list[str]:
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
    return " " + " ".join([quote_argument(program), *(a if a and _SPECIAL.isdisjoint(a) else quote_argument(a) for a in arguments)])


_SPECIAL = frozenset(' "\\$')


def _split_quoted(line: str) -> list[str]:
    """Split a job line as clang quotes it."""
    words = line[2:-1].split('" "')
    if "\\" not in line and not any('"' in word for word in words):
        return words
    import re  # slow to import, and seldom needed

    found: list[tuple[str, str]] = re.findall(r' (?:"((?:[^"\\]|\\.)*)"|([^ ]*))', line)
    return [re.sub(r"\\(.)", r"\1", quoted) if quoted else plain for quoted, plain in found]


def quote_argument(text: str) -> str:
    """Quote a word as clang does."""
    return '"' + "".join(f"\\{c}" if c in '"\\$' else c for c in text) + '"'
