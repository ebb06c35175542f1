"""Reports of a whole project: a JSON file for each unit that was lowered.

>>> report = module.run("default<O2>")
>>> pycoro.reporting.write_unit("build/coroutines", report, source="src/server.cpp", output="build/server.o")

All of it is plain data: nothing of it needs the modules that it tells of.
"""

from pycoro.reporting.folder import write_unit
from pycoro.reporting.unit import FORMAT, FORMAT_VERSION, unit

__all__ = ["FORMAT", "FORMAT_VERSION", "unit", "write_unit"]
