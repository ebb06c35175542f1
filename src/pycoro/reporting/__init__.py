"""Coroutine reports of whole projects: a JSON file for each lowered unit, and analyses of a directory of them.

>>> from pycoro import reporting
>>> report = pycoro.lower(pycoro.examples.COUNTER, "default<O2>")
>>> path = reporting.write_unit("build/coroutines", report, source="server.cpp", output="build/server.o")
>>> for entry in reporting.read_project("build/coroutines").entries:
...     print(entry.size, entry.shown)
32 counter

Results are plain data that does not reference modules.
"""

from pycoro.reporting.compare import Budget, Change, Growth, compare, missing_units, over_budget, over_growth
from pycoro.reporting.folder import write_unit
from pycoro.reporting.page import project_html
from pycoro.reporting.project import CreationSite, Entry, Field, Project
from pycoro.reporting.read import read_project
from pycoro.reporting.table import changes_csv, changes_json, project_csv, project_json
from pycoro.reporting.text import changes_text, project_text
from pycoro.reporting.unit import FORMAT, FORMAT_VERSION, unit

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "Budget",
    "Change",
    "CreationSite",
    "Entry",
    "Field",
    "Growth",
    "Project",
    "changes_csv",
    "changes_json",
    "changes_text",
    "compare",
    "missing_units",
    "over_budget",
    "over_growth",
    "project_csv",
    "project_html",
    "project_json",
    "project_text",
    "read_project",
    "unit",
    "write_unit",
]
