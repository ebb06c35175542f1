"""Compile one unit: front end, search for coroutines, lowering, and clang's code generation.

The front end runs once. For a unit without a coroutine, clang continues from that bitcode, and the object is byte-identical
to clang's. If that step emits diagnostics, the original job runs instead, since clang formats them better with the source.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pycoro_driver.find import write_stderr
from pycoro_driver.job import Job
from pycoro_driver.options import Options
from pycoro_driver.process import Done, Runner

if TYPE_CHECKING:
    from pycoro.report import Report
    from pycoro_driver.lowering import Rejection

__all__ = ["Crashed", "Unit"]

COROUTINE = b"llvm.coro.begin"
"""Callee of every coroutine; its name appears literally in bitcode strings and textual IR."""


class Front(NamedTuple):
    """Results of the front end."""

    status: int
    bitcode: bytes
    printed: bytes
    """Standard output, such as that of ``-Xclang -ast-dump-...``."""
    errors: bytes


class Crashed(Exception):
    """clang's front end crashed."""


@dataclass
class Unit:
    """A job whose source may contain coroutines."""

    name: str
    """Name of the driver in messages."""
    job: Job
    own: Options
    runner: Runner
    source: bytes | None
    """Standard input, if that is the source."""

    def run(self) -> int:
        """Run the job atomically, and return its exit status. Raises ``Crashed`` without output."""
        front = self._presplit_ir()
        if front is None:
            return self._run_original_job()
        if front.status:
            self._print_messages(front)
            return front.status
        if COROUTINE not in front.bitcode:
            status = self._without_coroutine(front)
            if self.own.report and not status:
                from pycoro_driver.lowering import write_report

                write_report(self.own.report, None, self.job, self.runner.scratch)
            return status
        return self._lower_and_compile(front)

    # ---- Steps

    def _presplit_ir(self, *, places: bool = False) -> Front | None:
        """Return presplit IR; ``None`` if the job cannot be split."""
        if self.job.language != "ir":
            path = os.path.join(self.runner.scratch, "presplit.bc")
            done = self._run_clang(self.job.front(path, places=places), self.source)
            return Front(done.status, b"" if done.status else _read_and_delete(path), done.output, done.errors)
        if self.source is not None:
            return Front(0, self.source, b"", b"")
        try:
            with open(self.job.input, "rb") as file:
                return Front(0, file.read(), b"", b"")
        except OSError:
            return None  # clang reports the error

    def _without_coroutine(self, front: Front) -> int:
        """Compile a unit without a coroutine."""
        if self.job.outputs_text:
            return self._run_original_job()  # reading IR changes block names
        back = self._run_clang(self.job.ir_command(passes=True), front.bitcode)
        if back.status or back.errors:
            return self._run_original_job()
        self._print_messages(front)
        _write_stdout(back.output)
        return 0

    def _lower_and_compile(self, front: Front) -> int:
        from pycoro_driver.lowering import Rejection, lower
        from pycoro_driver.remarks import requested_remarks

        passes, clangs = self._pass_string()
        reported = bool(self.own.report or requested_remarks(self.job))
        lowered = lower(
            front.bitcode,
            passes,
            self.job.input,
            own=self.own.passes is not None,
            reported=reported,
            from_clang=self.job.language != "ir",
        )
        if isinstance(lowered, Rejection):
            return self._handle_rejection(front, lowered, passes)
        back = self._run_clang(self.job.ir_command(passes=clangs), lowered.bitcode)
        self._print_messages(front)
        self._print_errors(_errors_not_printed_yet(front.errors, back.errors))
        _write_stdout(back.output)
        if back.status < 0:
            write_stderr(f"{self.name}: error: {self.job.input}: clang's code generator crashed (signal {-back.status})\n")
            return 1
        if not back.status and lowered.report:
            self._write_reports(lowered.report)
        return back.status

    def _write_reports(self, report: Report) -> None:
        """Write the requested reports and remarks of the lowering."""
        from pycoro_driver.lowering import write_report
        from pycoro_driver.remarks import requested_remarks

        if self.own.report:
            write_report(self.own.report, report, self.job, self.runner.scratch)
        if remarks := requested_remarks(self.job):
            write_stderr(remarks.text(report, self.job.input))
            remarks.append_to_file(report)

    def _handle_rejection(self, front: Front, rejection: Rejection, passes: str) -> int:
        from pycoro_driver.lowering import location_of

        if self.own.fallback and rejection.is_about_source:
            write_stderr(
                f"{self.name}: warning: {self.job.input}: lowered by clang, because pycoro rejects it: {rejection.message}\n"
            )
            return self._run_original_job()
        if rejection.location is None and rejection.is_about_source and self.job.language != "ir":
            again = self._presplit_ir(places=True)
            if again and not again.status:
                rejection.location = location_of(again.bitcode, passes)
        self._print_messages(front)
        write_stderr(rejection.text(self.job.input, self.name))
        return 1

    def _pass_string(self) -> tuple[str, bool]:
        """Return pycoro's pass string, and True if clang's passes run after it."""
        from pycoro_driver.lowering import before_clangs

        needs = self.job.needs_clangs_passes
        if self.own.passes is not None:
            return self.own.passes, needs
        as_written = self.job.counts_as_written
        return (before_clangs(self.job.level, as_written=as_written), True) if needs else (f"default<{self.job.level}>", False)

    # ---- Processes

    def _run_original_job(self) -> int:
        """Run the original job of clang's driver."""
        status = self.runner.show(self.job.command, self.source)
        if status < 0:
            raise Crashed
        return status

    def _run_clang(self, command: tuple[str, ...], data: bytes | None) -> Done:
        done = self.runner.run_captured(command, data)
        if done.status < 0 and data is self.source:
            raise Crashed
        return done

    def _print_messages(self, front: Front) -> None:
        """Print the front end's messages."""
        _write_stdout(front.printed)
        self._print_errors(front.errors)

    def _print_errors(self, errors: bytes) -> None:
        if errors:
            write_stderr(errors.decode("utf-8", "surrogateescape"))


def _errors_not_printed_yet(before: bytes, errors: bytes) -> bytes:
    """Return the errors of the second step that the first has not printed; both parse the same options."""
    known = set(before.splitlines())
    return b"".join(line for line in errors.splitlines(keepends=True) if line.rstrip(b"\n") not in known)


def _read_and_delete(path: str) -> bytes:
    """Read and delete a file."""
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    return data


def _write_stdout(output: bytes) -> None:
    """Write everything to standard output."""
    while output:
        output = output[os.write(1, output) :]
