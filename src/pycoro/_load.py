"""Load the engine before anything else. If that fails, the error says how to fix it."""

from __future__ import annotations

import sys

__all__ = ["LLVM_VERSION", "VERSION"]


def _load_error_with_fix(error: ImportError) -> ImportError:
    """Add the fix to the loader's error."""
    if isinstance(error, ModuleNotFoundError):
        fix = "it was not built: run `./dev setup` in a checkout, or `pip install .`"
    else:
        fix = "it needs the shared library of LLVM 22: run `apt-get install libllvm22` on Debian"
    message = f"cannot load pycoro's engine; {fix}. Loader error: {error}"
    return ImportError(message, name=error.name, path=error.path)


try:
    from pycoro._core import LLVM_VERSION, VERSION, use_reader_process
    from pycoro._core import __file__ as _ENGINE
except ImportError as _error:
    raise _load_error_with_fix(_error) from None

_SERVE = """\
import _imp, sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
core = _imp.create_dynamic(ModuleSpec("pycoro._core", ExtensionFileLoader("pycoro._core", sys.argv[1]), origin=sys.argv[1]))
_imp.exec_dynamic(core)
core.serve_reader()
"""
"""Loads the extension alone, in a process that reads untrusted texts."""

if sys.executable:
    use_reader_process(sys.executable, "-I", "-S", "-c", _SERVE, _ENGINE)
