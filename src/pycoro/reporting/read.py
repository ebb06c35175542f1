"""Read reports from directories of units."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from pycoro._encode import checked_path_text
from pycoro._escape import printable
from pycoro._regular import NotRegularError, read_regular_file
from pycoro.errors import Diagnostic, FileError
from pycoro.reporting.checked import UNIT, InvalidReport, validate_keys
from pycoro.reporting.project import Project
from pycoro.reporting.unit import FORMAT, FORMAT_VERSION

__all__ = ["read_project"]


_BUILD = "build with --report=DIR or --pycoro-report=DIR first; a hit of ccache writes no report: set CCACHE_RECACHE=1"


def _file_error(path: str, what: str, hint: str) -> FileError:
    return FileError("", [Diagnostic(f"{printable(path)}: {printable(what)}", hint, status=FileError.status)])


def _load_json_of_unit_unvalidated(path: str, *, is_directory_entry: bool) -> dict[str, Any]:
    """`is_directory_entry` is true for an entry of a directory, which is read only if it is a regular file."""
    try:
        data: object = json.loads(read_regular_file(path) if is_directory_entry else Path(path).read_bytes())
    except NotRegularError:
        raise _file_error(path, "not a regular file", "keep only reports in the directory of `--report`") from None
    except (ValueError, RecursionError) as error:
        message = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise _file_error(path, f"not valid JSON: {message}", "rebuild the unit, or remove the file") from None
    known = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if known.get("format") != FORMAT:
        hint = "keep nothing else in the folder that `--report` names"
        raise _file_error(path, f"not a pycoro report, because its 'format' is not {FORMAT!r}", hint)
    if known.get("version") != FORMAT_VERSION:
        message = f"its version is {str(known.get('version'))[:40]}, and this pycoro reads version {FORMAT_VERSION}"
        raise _file_error(path, message, "rebuild the project with this version of pycoro")
    known.setdefault("external_calls", [])  # earlier versions did not write it, nor `creation`
    elisions: object = known.get("elisions")
    for elision in cast("list[object]", elisions) if isinstance(elisions, list) else []:
        if isinstance(elision, dict):
            cast("dict[str, Any]", elision).setdefault("creation", "")
    return known


def _read_validated_unit(path: str, *, is_directory_entry: bool = False) -> dict[str, Any]:
    try:
        return validate_keys(_load_json_of_unit_unvalidated(path, is_directory_entry=is_directory_entry), UNIT)
    except InvalidReport as wrong:
        raise _file_error(path, f"the report is damaged: {wrong}", "rebuild the unit, or remove the file") from None


def _read_units_of_file_or_directory(name: str) -> list[dict[str, Any]]:
    if not os.path.exists(name):
        raise _file_error(name, "No such file or directory", _BUILD)
    if not os.path.isdir(name):
        return [_read_validated_unit(name)]
    files = sorted(entry.path for entry in os.scandir(name) if entry.name.endswith(".json") and not entry.name.startswith("."))
    if not files:
        raise _file_error(name, "the directory contains no unit report", _BUILD)
    return [_read_validated_unit(path, is_directory_entry=True) for path in files]


def read_project(*paths: str | os.PathLike[str]) -> Project:
    """Read the project with the units in these directories; a path may also be the file of one unit.

    Raises ``FileError`` with the path of a damaged file, of one in another format or version, or of a directory that is missing
    or has no units. Raises ``OSError``.

    >>> from pycoro import reporting
    >>> path = reporting.write_unit("coroutines", pycoro.lower(pycoro.examples.COUNTER), source="a.cpp")
    >>> [(entry.name, entry.size) for entry in reporting.read_project("coroutines").entries]
    [('counter', 32)]
    """
    return Project.of([unit for path in paths for unit in _read_units_of_file_or_directory(checked_path_text(path))])
