"""Directory of unit reports, one file each, which concurrent builds can write to."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from pycoro._atomicwrite import write_atomically_if_regular
from pycoro._encode import checked_path_text
from pycoro.report import Report
from pycoro.reporting.unit import unit

__all__ = ["write_unit"]

LONGEST = 80
"""Maximum number of characters of the source's name in a file name."""


def _file_name_of_unit(source: str, output: str) -> str:
    """Return a file name that depends on source and output only, independent of the compiler's working directory."""
    named = f"{os.path.abspath(source)}\0{os.path.abspath(output) if output else ''}"
    digest = hashlib.sha256(os.fsencode(named)).hexdigest()[:16]
    base = "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "_" for c in os.path.basename(source))
    return f"{base[:LONGEST].lstrip('.') or 'unit'}.{digest}.json"


def write_unit(directory: str | os.PathLike[str], report: Report | None, *, source: str, output: str = "") -> str:
    """Write the report of a unit into the directory, which is created if missing, and return the path.

    The file name depends on source and output, so that the next build replaces the file; the write is atomic. ``None`` as
    report means that the unit has no coroutines. Write the report before the module is closed or changed: see `unit`. Raises
    ``OSError``.

    >>> import pathlib
    >>> from pycoro import reporting
    >>> path = reporting.write_unit("coroutines", pycoro.lower(pycoro.examples.COUNTER), source="a.cpp", output="a.o")
    >>> pathlib.Path(path).parent, pathlib.Path(path).suffix
    (PosixPath('coroutines'), '.json')
    """
    folder = checked_path_text(directory)
    data: dict[str, Any] = unit(report, source=source, output=output)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, _file_name_of_unit(checked_path_text(source), checked_path_text(output)))
    write_atomically_if_regular(path, (json.dumps(data, indent=1) + "\n").encode())
    return path
