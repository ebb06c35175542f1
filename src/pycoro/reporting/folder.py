"""A folder of units, a file for each, which builds that run beside each other write to."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from pycoro._atomicwrite import write_atomically
from pycoro._encode import file_name
from pycoro.report import Report
from pycoro.reporting.unit import unit

__all__ = ["write_unit"]

LONGEST = 80
"""Characters of a source's name that a file's name begins with."""


def _unit_name(source: str, output: str) -> str:
    """The same for the same source and output wherever the compiler is started, another for any others."""
    named = f"{os.path.abspath(source)}\0{os.path.abspath(output) if output else ''}"
    digest = hashlib.sha256(os.fsencode(named)).hexdigest()[:16]
    base = "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "_" for c in os.path.basename(source))
    return f"{base[:LONGEST].lstrip('.') or 'unit'}.{digest}.json"


def write_unit(directory: str | os.PathLike[str], report: Report | None, *, source: str, output: str = "") -> str:
    """Writes what a run has found out into the folder, which is made where it is not there; the path of the file.

    The file is named after source and output, so that the next build of the unit takes its place; it is written whole or not
    at all. ``None`` for a report: the unit has no coroutines, whatever it had before. ``OSError``.

    >>> import pathlib
    >>> from pycoro import reporting
    >>> path = reporting.write_unit("coroutines", pycoro.lower(pycoro.examples.COUNTER), source="a.cpp", output="a.o")
    >>> pathlib.Path(path).parent, pathlib.Path(path).suffix
    (PosixPath('coroutines'), '.json')
    """
    folder = file_name(directory)
    data: dict[str, Any] = unit(report, source=source, output=output)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, _unit_name(file_name(source), file_name(output)))
    write_atomically(path, (json.dumps(data, indent=1) + "\n").encode())
    return path
