"""Optimization remarks of pycoro's passes for ``-Rpass=``, ``-Rpass-missed=`` and ``-fsave-optimization-record``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pycoro.report import Report
    from pycoro_driver.job import Job

__all__ = ["RequestedRemarks", "requested_remarks"]


@dataclass(frozen=True)
class RequestedRemarks:
    """Remarks that a job requests."""

    done: re.Pattern[str] | None
    missed: re.Pattern[str] | None
    """Names of passes with requested remarks, for applied and missed optimizations."""
    record: str
    """YAML file of clang's remarks; empty if none is requested."""
    recorded: re.Pattern[str] | None
    """Names of the passes in that file; None for a regular expression that Python cannot parse."""

    def __bool__(self) -> bool:
        return bool(self.done or self.missed or self.record)

    def remarks_text(self, report: Report, source: str) -> str:
        """Return the remarks in clang's format."""
        lines: list[str] = []
        for remark in report.remarks:
            wanted, option = (self.done, "-Rpass") if remark.passed else (self.missed, "-Rpass-missed")
            if wanted and wanted.search(remark.pass_name):
                place = f"{remark.file}:{remark.line}:{remark.column}" if remark.line else source
                lines.append(f"{place}: remark: {remark.message} [{option}={remark.pass_name}]\n")
        return "".join(dict.fromkeys(lines))  # a call site may be visited more than once

    def append_to_file(self, report: Report) -> None:
        """Append the remarks to those of clang's passes. Raises ``OSError``."""
        if self.record and self.recorded:
            with open(self.record, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(report.remarks_yaml(self.recorded.pattern))


def requested_remarks(job: Job) -> RequestedRemarks:
    """Parse a line of ``clang -cc1``. LLVM regular expressions that Python cannot parse match nothing."""
    yaml = job.last_separate_value_of("-opt-record-format") in ("", "yaml")
    return RequestedRemarks(
        _last_pattern_unless_disabled(job, "-Rpass"),
        _last_pattern_unless_disabled(job, "-Rpass-missed"),
        job.last_separate_value_of("-opt-record-file") if yaml else "",
        _parse_regex_or_none(job.last_separate_value_of("-opt-record-passes")),
    )


def _last_pattern_unless_disabled(job: Job, option: str) -> re.Pattern[str] | None:
    no = option.replace("-R", "-Rno-", 1)
    given = [a for a in job.command if a in (option, no) or a.startswith(f"{option}=")]
    if not given or given[-1] == no:
        return None
    return _parse_regex_or_none(given[-1].partition("=")[2] or ".*")


def _parse_regex_or_none(text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text)
    except re.error:
        return None
