"""Start a module of this package in another process."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pycoro

__all__ = ["isolated_module_command", "subprocesses_without_imports_from_cwd"]


def isolated_module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this package as a program.

    The process imports only from the Python installation and from this package's folder: not from the working directory, the
    environment or user site-packages. A file next to a compared module is therefore never executed.
    """
    flags = ["-I", *(["-S"] if sys.flags.no_site else [])]
    start = (
        "import sys; sys.path[:0] = [p for p in PATHS if p not in sys.path]; import runpy; runpy.run_module(NAME, {}, '__main__')"
    )
    return [
        sys.executable,
        *flags,
        "-c",
        start.replace("PATHS", repr(_sys_path_entry_of_package())).replace("NAME", repr(module)),
        *arguments,
    ]


def _sys_path_entry_of_package() -> list[str]:
    """Return the entry of ``sys.path`` that contains this package; empty if another finder loaded it."""
    folder = Path(pycoro.__file__).resolve().parent.parent
    return [str(folder)] if any(Path(entry or os.curdir).resolve() == folder for entry in sys.path) else []


@contextmanager
def subprocesses_without_imports_from_cwd() -> Generator[None, None, None]:
    """Keep Python subprocesses started in this context from importing from the working directory."""
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
