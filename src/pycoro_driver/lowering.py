"""Presplit bitcode to lowered bitcode, by pycoro, and what it refuses as a compiler says it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from pycoro.errors import Diagnostic, Error, InternalError, PipelineError, UsageError
from pycoro.ir import Place
from pycoro.module import Module
from pycoro.report import Report
from pycoro_driver.job import Job

__all__ = ["Lowered", "Refusal", "before_clangs", "keep_report", "lower", "place_of"]

_SIMPLIFY = "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>"


def before_clangs(level: str, *, as_written: bool = False) -> str:
    """The passes that lower, where clang's pipeline of a level runs behind them. ``as_written``: nothing is inlined or
    simplified before that has looked at it."""
    if level == "O0" or as_written:
        option = "reuse-storage-unless-debug" if level == "O0" else "reuse-storage"
        return f"always-inline,coro-early,cgscc(coro-split<{option}>),coro-cleanup"
    return (
        f"inferattrs,coro-early,cgscc(inline,function({_SIMPLIFY},coro-elide),function-attrs,coro-split<reuse-storage>,"
        f"coro-annotation-elide),"
        f"cgscc(inline),function({_SIMPLIFY},coro-elide),coro-cleanup"
    )


@dataclass(frozen=True)
class Lowered:
    """What has been lowered."""

    report: Report
    bitcode: bytes


@dataclass
class Refusal:
    """What has not."""

    error: Error
    place: Place | None
    """Where in the source, by debug information."""

    @property
    def is_about_source(self) -> bool:
        """Whether another source would do: else the pass string is wrong."""
        return not isinstance(self.error, (PipelineError, UsageError))

    @property
    def message(self) -> str:
        """What is wrong, in one sentence."""
        return self.error.message

    def text(self, source: str, driver: str) -> str:
        """What is wrong, as a compiler says it: a line that begins with its place, and lines that say more."""
        if not self.is_about_source:
            return f"{driver}: error: --pycoro-passes: {self.error}\n"
        lines: list[str] = []
        for diagnostic in self.error.diagnostics or (Diagnostic(self.error.message),):
            place = self.place if diagnostic is _first(self.error) else None
            lines.append(f"{place or source}: {diagnostic.severity}: {diagnostic.message}")
            if diagnostic.where:
                lines.append(f"{place or source}: note: {diagnostic.where}")
            if diagnostic.hint:
                lines.append(f"{place or source}: note: {diagnostic.hint}")
        if isinstance(self.error, InternalError):
            lines.append(
                f"{source}: note: a mistake in pycoro; please report it, with the source; --pycoro-fallback has clang lower it"
            )
        return "\n".join(lines) + "\n"


def lower(bitcode: bytes, passes: str, name: str, *, own: bool = False) -> Lowered | Refusal:
    """Runs passes over a unit. The place of what is refused is known where the unit has debug information. ``own``: the passes
    are the user's, and may leave coroutines as they are, which no code generator survives."""
    try:
        module = Module(bitcode, name=name, trusted=True)
    except Error as error:
        return Refusal(error, None)
    try:
        report = module.run(passes)
        if own:
            from pycoro._lowering_check import require_lowered

            require_lowered(module)
        return Lowered(report, module.bitcode())
    except Error as error:
        return Refusal(error, _place(module, _first(error)))


def place_of(bitcode: bytes, passes: str) -> Place | None:
    """The place of what is refused of a unit."""
    refused = lower(bitcode, passes, "")
    return refused.place if isinstance(refused, Refusal) else None


def _first(error: Error) -> Diagnostic | None:
    return next((d for d in error.diagnostics if d.severity == "error"), None)


def _place(module: Module, diagnostic: Diagnostic | None) -> Place | None:
    """Of the instruction that a diagnostic names, as far as it has one, or of the function."""
    if diagnostic is None or diagnostic.function not in module.functions:
        return None
    function = module.functions[diagnostic.function]
    wanted = _bare(diagnostic.instruction)
    inside = [block for block in function.blocks if diagnostic.block == f"%{block.name}"] or function.blocks
    found = next((i.debug for block in inside for i in block if wanted and _bare(str(i)) == wanted), None)
    return found if found and found.line else function.debug


_NUMBERS = re.compile(r"( #\d+)?(, ![\w.]+ !\d+)*$")


def _bare(instruction: str) -> str:
    """Without the numbers of attributes and metadata: those of a line in a listing are others than those of the line alone."""
    return _NUMBERS.sub("", instruction.strip())


def keep_report(directory: str, report: Report | None, job: Job, scratch: str) -> None:
    """A JSON file about a unit; ``None``: it has no coroutines. ``OSError``."""
    from pycoro.reporting import write_unit

    write_unit(directory, report, source=job.input, output=_lasting(job, scratch))


def _lasting(job: Job, scratch: str) -> str:
    """What a job makes, by a name that is the same in the next build: an object that is linked at once is named as clang names
    what it keeps beside the program."""
    if os.path.dirname(job.output) != scratch:
        return job.output
    stem = os.path.splitext(os.path.basename(job.input))[0]
    return f"{job.value_of('-dumpdir')}{stem}{os.path.splitext(job.output)[1]}"
