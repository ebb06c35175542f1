"""Compile one unit: front end, search for coroutines, lowering, and clang's code generation.

If the source names coroutines and needs no report, all happens in one process of clang, with pycoro as its plugin. Otherwise
the front end runs once, and the other steps follow. For a unit without a coroutine, clang continues from that bitcode, and the
object is byte-identical to clang's. If that step emits diagnostics, the original job runs instead, since clang formats them
better with the source.
"""

from __future__ import annotations

import os

from pycoro_driver.find import find_plugin, write_stderr
from pycoro_driver.job import temporary_beside
from pycoro_driver.pipelines import passes_before_clang_passes, with_passes_of_own_options
from pycoro_driver.process import read_and_delete

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from pycoro.report import Report
    from pycoro_driver.job import Job
    from pycoro_driver.lowering import Rejection
    from pycoro_driver.options import Options
    from pycoro_driver.process import Done, Runner

__all__ = ["Crashed", "Unit", "mentions_coroutines", "write_stdout"]

TOKENS = (b"co_yield", b"co_await", b"co_return", b"__builtin_coro_begin")
COROUTINE = b"llvm.coro.begin"
"""Callee of every coroutine; its name appears literally in bitcode strings and textual IR."""


class Front:
    """Results of the front end."""

    __slots__ = ("bitcode", "errors", "printed", "status")

    def __init__(self, status: int, bitcode: bytes, printed: bytes, errors: bytes) -> None:
        self.status = status
        self.bitcode = bitcode
        self.printed = printed
        """Standard output, such as that of ``-Xclang -ast-dump-...``."""
        self.errors = errors


class Crashed(Exception):
    """clang's front end crashed."""


class Unit:
    """A job whose source may contain coroutines."""

    def __init__(self, name: str, job: Job, own: Options, runner: Runner, source: bytes | None) -> None:
        self.name = name
        """Name of the driver in messages."""
        self.job = job
        self.own = own
        self.runner = runner
        self.source = source
        """Standard input, if that is the source."""

    def run(self) -> int:
        """Run the job atomically, and return its exit status. Raises ``Crashed`` without output."""
        status = self._run_with_plugin_or_none()
        return self._run_in_steps() if status is None else status

    def _run_with_plugin_or_none(self) -> int | None:
        """Run the job with pycoro as a plugin of clang. Return ``None``, without output, if that is not possible, if the unit has
        no coroutine, or if pycoro rejects it.
        """
        plugin = self._plugin_or_empty_for_steps()
        if not plugin:
            return None
        temporary = temporary_beside(self.job.output)
        outcome = os.path.join(self.runner.scratch, "outcome")
        environment = {
            **os.environ,
            "PYCORO_PLUGIN_PASSES": self._passes_and_whether_clangs_follow()[0],
            "PYCORO_PLUGIN_OUTCOME": outcome,
        }
        try:
            done = self.runner.run_captured(self.job.plugin_command(plugin, temporary), self.source, environment)
            said = read_and_delete(outcome) if os.path.exists(outcome) else b""
            names_temporary = os.fsencode(os.path.basename(temporary)) in done.errors  # an error of writing it
            if done.status < 0 or not said or names_temporary or (not done.status and said != b"lowered"):
                return None
            if not done.status:
                os.replace(temporary, self.job.output)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
        write_stdout(done.output)
        self._print_errors(done.errors)
        return done.status

    def _plugin_or_empty_for_steps(self) -> str:
        """Return the plugin for the job; empty if it must run in steps."""
        if (
            self.own.separate
            or self._needs_report
            or not self.job.may_use_plugin
            or not mentions_coroutines(self.job.input, self.source)
        ):
            return ""
        return find_plugin()

    def commands(self) -> list[tuple[str, ...]]:
        """Return the commands of the job, for ``-###``. They assume that the source has a coroutine."""
        passes, clangs = self._passes_and_whether_clangs_follow()
        if plugin := self._plugin_or_empty_for_steps():
            return [("env", f"PYCORO_PLUGIN_PASSES={passes}", *self.job.plugin_command(plugin, self.job.output))]
        presplit, lowered = (os.path.join(self.runner.scratch, name) for name in ("presplit.bc", "lowered.bc"))
        is_ir = self.job.language == "ir"
        lowering = ("pycoro", "opt", self.job.input if is_ir else presplit, f"-passes={passes}", "-o", lowered)
        front = [] if is_ir else [self.job.front_end_command(presplit, with_locations_for_report=bool(self.own.report))]
        return [*front, lowering, self.job.command_from_ir(lowered, with_passes=clangs)]

    def _run_in_steps(self) -> int:
        """Run front end, lowering and code generation as separate steps."""
        front = self._presplit_ir_or_none_if_unreadable()
        if front is None:
            return self._run_original_job_or_raise_crashed()
        if front.status:
            self._print_messages(front)
            return front.status
        if COROUTINE not in front.bitcode:
            status = self._compile_without_coroutine(front)
            if self.own.report and not status:
                from pycoro_driver.lowering import report_of_unit_without_coroutines_or_none, write_report

                write_report(
                    self.own.report, report_of_unit_without_coroutines_or_none(front.bitcode), self.job, self.runner.scratch
                )
            return status
        return self._lower_and_compile(front)

    # ---- Steps

    def _presplit_ir_or_none_if_unreadable(self, *, force_line_tables: bool = False) -> Front | None:
        """Return presplit IR, or the front end's errors; ``None`` if an input of IR cannot be read."""
        if self.job.language != "ir":
            path = os.path.join(self.runner.scratch, "presplit.bc")
            done = self._run_clang(
                self.job.front_end_command(
                    path, force_line_tables=force_line_tables, with_locations_for_report=bool(self.own.report)
                ),
                self.source,
            )
            return Front(done.status, b"" if done.status else read_and_delete(path), done.output, done.errors)
        if self.source is not None:
            return Front(0, self.source, b"", b"")
        try:
            with open(self.job.input, "rb") as file:
                return Front(0, file.read(), b"", b"")
        except OSError:
            return None  # clang reports the error

    def _compile_without_coroutine(self, front: Front) -> int:
        """Compile a unit without a coroutine."""
        if self.job.has_text_output:
            return self._run_original_job_or_raise_crashed()  # reading IR changes block names
        back = self._run_clang(self.job.command_from_ir("-", with_passes=True), front.bitcode)
        if back.status or back.errors:
            return self._run_original_job_or_raise_crashed()
        self._print_messages(front)
        write_stdout(back.output)
        return 0

    def _lower_and_compile(self, front: Front) -> int:
        passes, clangs = self._passes_and_whether_clangs_follow()
        from_clang = self.job.language != "ir"
        report = None
        bitcode = None
        if not self._needs_report:
            from pycoro_driver.engine import lower_or_none

            bitcode = lower_or_none(front.bitcode, passes, from_clang=from_clang)
        if bitcode is None:
            from pycoro_driver.lowering import Rejection, lower

            lowered = lower(front.bitcode, passes, self.job.input, from_clang=from_clang)
            if isinstance(lowered, Rejection):
                return self._handle_rejection(front, lowered, passes)
            bitcode, report = lowered.bitcode, lowered.report
        back = self._run_clang(self.job.command_from_ir("-", with_passes=clangs), bitcode)
        self._print_messages(front)
        self._print_errors(_errors_missing_in_first_step(front.errors, back.errors))
        write_stdout(back.output)
        if back.status < 0:
            write_stderr(f"{self.name}: error: {self.job.input}: clang's code generator crashed (signal {-back.status})\n")
            return 1
        if not back.status and report:
            self._write_reports(report)
        return back.status

    @property
    def _needs_report(self) -> bool:
        """True if the lowering must be described, or its passes must be checked."""
        return bool(self.own.report or self.own.passes is not None or self.job.may_request_remarks)

    def _write_reports(self, report: Report) -> None:
        """Write the requested reports and remarks of the lowering."""
        from pycoro_driver.lowering import write_report
        from pycoro_driver.remarks import requested_remarks

        if self.own.report:
            write_report(self.own.report, report, self.job, self.runner.scratch)
        if remarks := requested_remarks(self.job):
            write_stderr(remarks.remarks_text(report, self.job.input))
            remarks.append_to_file(report)

    def _handle_rejection(self, front: Front, rejection: Rejection, passes: str) -> int:
        from pycoro_driver.lowering import location_of_rejection

        if self.own.fallback and rejection.is_not_about_pass_string:
            write_stderr(
                f"{self.name}: warning: {self.job.input}: lowered by clang, because pycoro rejects it: {rejection.message}\n"
            )
            return self._run_original_job_or_raise_crashed()
        if rejection.location is None and rejection.is_not_about_pass_string and self.job.language != "ir":
            again = self._presplit_ir_or_none_if_unreadable(force_line_tables=True)
            if again and not again.status:
                rejection.location = location_of_rejection(again.bitcode, passes)
        self._print_messages(front)
        write_stderr(rejection.error_text(self.job.input, self.name))
        return 1

    def _passes_and_whether_clangs_follow(self) -> tuple[str, bool]:
        """Return pycoro's pass string, and True if clang's passes run after it."""
        needs = self.job.needs_clangs_passes
        passes = f"default<{self.job.level}>"
        if self.own.passes is not None:
            passes = self.own.passes
        elif needs:
            passes = passes_before_clang_passes(self.job.level, without_inlining=self.job.instruments_before_inlining)
        return with_passes_of_own_options(passes, self.own, self.job.command), needs

    # ---- Processes

    def _run_original_job_or_raise_crashed(self) -> int:
        """Run the original job of clang's driver."""
        status = self.runner.run_with_inherited_output(self.job.command, self.source)
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
        write_stdout(front.printed)
        self._print_errors(front.errors)

    def _print_errors(self, errors: bytes) -> None:
        if errors:
            write_stderr(errors.decode("utf-8", "surrogateescape"))


def mentions_coroutines(path: str, source: bytes | None = None) -> bool:
    """Return whether a source contains a token of coroutines. It may have some without, in its headers."""
    if source is None:
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError:
            return False  # clang reports the error
    return any(token in source for token in TOKENS)


def _errors_missing_in_first_step(before: bytes, errors: bytes) -> bytes:
    """Return the errors of the second step that the first has not printed; both parse the same options."""
    known = set(before.splitlines())
    return b"".join(line for line in errors.splitlines(keepends=True) if line.rstrip(b"\n") not in known)


def write_stdout(output: bytes) -> None:
    """Write everything to standard output."""
    while output:
        output = output[os.write(1, output) :]
