"""Runs gdb in batch mode for tests of debug information."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

__all__ = ["run_gdb"]

_SETTINGS = ("set pagination off", "set confirm off", "set width 0", "set style enabled off", "set debuginfod enabled off")


def run_gdb(commands: Iterable[str], *program: str | Path, options: Iterable[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run commands on a program, or on a program and arguments after ``--args``. Skip the test if gdb may not trace processes."""
    words = [word for command in (*_SETTINGS, *commands) for word in ("-ex", command)]
    done = subprocess.run(
        ["gdb", "-batch", "-nx", *options, *words, *program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
    if "ptrace: Operation not permitted" in done.stderr:
        pytest.skip("gdb may not trace processes here")
    return done
