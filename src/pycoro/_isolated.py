"""How this package starts a part of itself in another process."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pycoro

__all__ = ["isolated", "safe_path"]


def isolated(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this package as a program.

    The process finds what it imports where Python is installed and where this package is, and nowhere else: not in the
    working directory, nor in what the environment or the user's own packages add. Whoever can write a file next to a
    module that is compared writes none that is executed.
    """
    flags = ["-I", *(["-S"] if sys.flags.no_site else [])]
    start = (
        "import sys; sys.path[:0] = [p for p in PATHS if p not in sys.path]; import runpy; runpy.run_module(NAME, {}, '__main__')"
    )
    return [sys.executable, *flags, "-c", start.replace("PATHS", repr(_found_by())).replace("NAME", repr(module)), *arguments]


def _found_by() -> list[str]:
    """The folders on this process's path that this package was found in; none where something else finds it."""
    folder = Path(pycoro.__file__).resolve().parent.parent
    return [str(folder)] if any(Path(entry or os.curdir).resolve() == folder for entry in sys.path) else []


@contextmanager
def safe_path() -> Generator[None, None, None]:
    """Python processes that are started meanwhile do not look for modules in the working directory."""
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
