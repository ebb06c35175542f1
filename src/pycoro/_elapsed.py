"""The elapsed time of a long run, in a notebook: a line on stderr that is updated and removed at the end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["is_notebook_stream", "show_elapsed_time_in_notebook"]

FIRST, EVERY = 1.0, 0.5
"""Seconds before the line appears, and between updates."""


def is_notebook_stream(stream: object) -> bool:
    """Return True if the stream is a cell's output, in which a carriage return replaces the line."""
    return type(stream).__module__.startswith("ipykernel.")


@contextmanager
def show_elapsed_time_in_notebook(describe: Callable[[], str]) -> Generator[None, None, None]:
    """Show the time that the block takes if it is long and runs in a notebook; a thread writes it after the description."""
    stream = sys.stderr
    if not is_notebook_stream(stream):
        yield
        return
    work, ended = describe(), threading.Event()
    start = time.monotonic()

    def write_lines() -> None:
        wait, width = FIRST, 0
        while not ended.wait(wait):
            text = f"{work}: {time.monotonic() - start:.0f} s"
            stream.write("\r" + text.ljust(width))
            stream.flush()
            wait, width = EVERY, max(width, len(text))
        if width:
            stream.write("\r" + " " * width + "\r")
            stream.flush()

    writer = threading.Thread(target=write_lines, name="pycoro elapsed time", daemon=True)
    try:
        writer.start()
        started = True
    except RuntimeError:  # no more threads: the work runs without the line
        started = False
    try:
        yield
    finally:
        ended.set()
        if started:
            writer.join()
