"""Run the jobs of a command line as clang's driver does."""

from __future__ import annotations

import os
import signal
import sys

from pycoro_driver.clang import plan_jobs, quote_argument, verbose_command_line, write_compilation_database_if_requested
from pycoro_driver.find import write_stderr
from pycoro_driver.job import delete_output
from pycoro_driver.options import options_with_values
from pycoro_driver.process import Runner
from pycoro_driver.unit import Crashed, Unit

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from typing import NoReturn

    from pycoro_driver.clang import Plan
    from pycoro_driver.job import Job
    from pycoro_driver.options import Options

__all__ = ["run_jobs_unless_clang_suffices"]


def run_jobs_unless_clang_suffices(name: str, clang: str, arguments: list[str], own: Options) -> int | None:
    """Run the jobs with a temporary directory, and return clang's exit status. Return ``None`` if clang can run the command
    line alone.
    """
    scratch = os.path.join(_temporary_directory(), f"{name}-{os.getpid()}-{os.urandom(6).hex()}")
    os.mkdir(scratch, 0o700)
    ends = [s for s in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) is not signal.SIG_IGN]
    for number in ends:
        signal.signal(number, _exit_by_signal)
    try:
        runner = Runner(scratch)
        planned = plan_jobs(clang, arguments, runner)
        if not planned.status and any(job.may_have_coroutines for job in planned.jobs):
            run = _JobRunner(name, clang, own, planned, runner)
            options = options_with_values(_expand_response_files(arguments))
            if "-###" in options:
                run.print_commands()
                return 0
            write_compilation_database_if_requested(clang, arguments, options, runner)
            try:
                return run.run_all_jobs("-v" in options)
            except Crashed:  # clang reports its crash
                return run.runner.run_with_inherited_output([clang, *arguments], run.source)
    finally:
        _remove_directory(scratch)
    for number in ends:
        signal.signal(number, signal.SIG_DFL)
    return None


def _expand_response_files(arguments: list[str]) -> list[str]:
    if not any(argument.startswith("@") for argument in arguments):
        return arguments
    from pycoro_driver.response_file import expand_response_files  # seldom needed

    return expand_response_files(arguments)


def _temporary_directory() -> str:
    """Return clang's directory for temporary files."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TMP", "TEMP"))
    return next((folder for folder in named if folder and os.path.isdir(folder)), "/tmp")


def _remove_directory(path: str) -> None:
    try:
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
    except OSError:  # it contains a directory
        from shutil import rmtree  # slow to import

        rmtree(path, ignore_errors=True)


def _exit_by_signal(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)


class _JobRunner:
    """Runner of the jobs of a command line; it skips those that depend on a failed one."""

    def __init__(self, name: str, clang: str, own: Options, planned: Plan, runner: Runner) -> None:
        self.name, self.clang, self.own, self.plan, self.runner = name, clang, own, planned, runner
        self.source: bytes | None = None

    def print_commands(self) -> None:
        """Print the commands in clang's format of ``-###``."""
        for line in self.plan.messages + self.plan.version:
            write_stderr(line + "\n")
        for job in self.plan.jobs:
            for command in self._unit(job).commands() if job.may_have_coroutines else [job.command]:
                write_stderr("".join(f" {quote_argument(word)}" for word in command) + "\n")

    def run_all_jobs(self, verbose: bool) -> int:
        if any(job.may_have_coroutines and job.input == "-" for job in self.plan.jobs):
            self.source = sys.stdin.buffer.read() if sys.stdin else b""
        for line in self.plan.messages + (self.plan.version if verbose else []):
            write_stderr(line + "\n")
        status, missing = 0, set[str]()
        for job in self.plan.jobs:
            failed = 1
            if missing.isdisjoint(job.command):
                if verbose:
                    write_stderr(verbose_command_line(job) + "\n")
                try:
                    failed = self._run_job(job)
                finally:  # failing to write a report is an error after a successful job
                    if failed:
                        delete_output(os.path.join(job.last_separate_value_of("-working-directory"), job.output))
                status = status or failed
            if failed and job.output:
                missing.add(job.output)
        return status

    def _run_job(self, job: Job) -> int:
        if job.may_have_coroutines:
            return self._unit(job).run()
        status = self.runner.run_with_inherited_output(job.command)
        if status and not job.is_clang:
            how = f"failed with exit code {status}" if status > 0 else "failed due to signal"
            write_stderr(f"{os.path.basename(self.clang)}: error: {job.tool} command {how} (use -v to see invocation)\n")
        return status if status >= 0 else 1

    def _unit(self, job: Job) -> Unit:
        return Unit(self.name, job, self.own, self.runner, self.source if job.input == "-" else None)
