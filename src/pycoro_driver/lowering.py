"""Lower presplit bitcode with pycoro, and format rejections as compiler diagnostics."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pycoro import _core
from pycoro._diagnostic_location import location_of_diagnostic_or_function
from pycoro._escape import printable
from pycoro._lowering_check import require_lowered
from pycoro.errors import Diagnostic, Error, InternalError, PipelineError, UsageError
from pycoro.ir import SourceLocation
from pycoro.module import Module
from pycoro.report import Report
from pycoro_driver.job import Job

__all__ = ["Lowered", "Rejection", "location_of_rejection", "lower", "report_of_unit_without_coroutines_or_none", "write_report"]


@dataclass(frozen=True)
class Lowered:
    """A successful lowering."""

    report: Report
    bitcode: bytes


@dataclass
class Rejection:
    """A rejection."""

    error: Error
    location: SourceLocation | None
    """Source place by debug information."""

    @property
    def is_not_about_pass_string(self) -> bool:
        """True if the source is rejected or pycoro has a bug, False if the pass string is invalid."""
        return not isinstance(self.error, (PipelineError, UsageError))

    @property
    def message(self) -> str:
        """Return the error message in one sentence."""
        return self.error.message

    def error_text(self, source: str, driver: str) -> str:
        """Return the error as a compiler prints it: a line that begins with the place, then notes."""
        if not self.is_not_about_pass_string:
            return f"{driver}: error: --pycoro-passes: {self.error}\n"
        lines: list[str] = []
        for diagnostic in self.error.diagnostics or (Diagnostic(self.error.message),):
            place = self.location if diagnostic is _first_error(self.error) else None
            lines.append(f"{place or source}: {diagnostic.severity}: {diagnostic.message}")
            if diagnostic.where:
                lines.append(f"{place or source}: note: {diagnostic.where}")
            if diagnostic.hint:
                lines.append(f"{place or source}: note: {diagnostic.hint}")
        if isinstance(self.error, InternalError):
            lines.append(
                f"{source}: note: this is a bug in pycoro; please report it with the source; --pycoro-fallback lowers it with clang"
            )
        return "\n".join(lines) + "\n"


def lower(bitcode: bytes, passes: str, name: str, *, from_clang: bool = False) -> Lowered | Rejection:
    """Run passes over a unit. Rejections have places if the unit has debug information. Bitcode ``from_clang`` comes from the
    front end of this clang. It is read once, as clang reads its own bitcode; other input is read twice, because LLVM's reader
    ends the process if debug info is invalid. The passes must split all coroutines, because others crash a code generator.

    The report takes a third of the time, or half with debug information: it quotes instructions, and LLVM numbers the metadata
    of the whole module to print one of them. `engine` makes none.
    """
    try:
        module = _read_module(bitcode, name, from_clang)
    except Error as error:
        return Rejection(error, None)
    try:
        report = module.run(passes)
        require_lowered(module)
        return Lowered(report, module.bitcode())
    except Error as error:
        first = _first_error(error)
        return Rejection(error, location_of_diagnostic_or_function(module, first) if first else None)


def _read_module(bitcode: bytes, name: str, from_clang: bool) -> Module:
    return Module._owner_of_core_or_new(_core.Module(bitcode, printable(name), at_risk=from_clang, trusted=True), name)


def location_of_rejection(bitcode: bytes, passes: str) -> SourceLocation | None:
    """Return the place of the rejection of a unit."""
    refused = lower(bitcode, passes, "")
    return refused.location if isinstance(refused, Rejection) else None


def _first_error(error: Error) -> Diagnostic | None:
    return next((d for d in error.diagnostics if d.severity == "error"), None)


def report_of_unit_without_coroutines_or_none(bitcode: bytes) -> Report | None:
    """Return the report of a unit without coroutines, which lists its calls of other units; ``None`` if pycoro rejects it."""
    try:
        return _read_module(bitcode, "", True).run("")
    except Error:
        return None


def write_report(directory: str, report: Report | None, job: Job, scratch: str) -> None:
    """Write the JSON report of a unit; ``None`` means that it has neither coroutines nor calls of them. Raises ``OSError``."""
    from pycoro.reporting import write_unit

    write_unit(directory, report, source=job.input, output=_stable_output_name(job, scratch))


def _stable_output_name(job: Job, scratch: str) -> str:
    """Return a name of the job's output that is stable across builds. A temporary object is named like clang's other output
    for the program.
    """
    if os.path.dirname(job.output) != scratch:
        return job.output
    stem = os.path.splitext(os.path.basename(job.input))[0]
    return f"{job.last_separate_value_of('-dumpdir')}{stem}{os.path.splitext(job.output)[1]}"
