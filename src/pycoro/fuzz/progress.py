"""Progress of a campaign on stderr: an updated line on a terminal or in a notebook, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from pycoro._elapsed import is_notebook_stream
from pycoro.view import format_count

__all__ = ["Progress"]


class Progress:
    """Rate-limited progress display of a campaign: five times a second on a terminal or in a notebook, else every 30 seconds.
    ``stream`` is stderr by default. ``quiet`` disables it.

    >>> import io
    >>> from pycoro import fuzz
    >>> stream = io.StringIO()
    >>> settings = fuzz.Settings(fuzz.Budget(programs=4), profile="small", pipelines=("plain",), reference="interpreter")
    >>> results = fuzz.Campaign(settings, fuzz.Serial, progress=fuzz.Progress(stream)).run()
    >>> "0 differences" in stream.getvalue()
    True
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty() or is_notebook_stream(self._stream)
        self._quiet = quiet
        self._start = time.monotonic()
        self._last = self._start if not self._terminal else 0.0
        self._width = 0

    def show(self, part: float, coroutines: int, failures: int, *, end: bool = False) -> None:
        """Display the used ``part`` of the budget, from 0 to 1."""
        now = time.monotonic()
        if self._quiet or (not end and now - self._last < (0.2 if self._terminal else 30)):
            return
        self._last = now
        passed = now - self._start
        filled = round(min(part, 1) * 24)
        left = f", {_clock_time(passed / part - passed)} left" if 0 < part < 1 else ""
        rate = coroutines / passed if passed else 0
        found = format_count(failures, "difference")
        text = f"[{'#' * filled}{'.' * (24 - filled)}] {coroutines:,} coroutines, {rate:.0f}/s, {found}{left}"
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width) + ("\n" if end else ""))
        else:
            self._stream.write(text + "\n")
        self._width = len(text)
        self._stream.flush()


def _clock_time(seconds: float) -> str:
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
