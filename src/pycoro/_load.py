"""Loading of the engine, the first thing that importing pycoro does: where it fails, what mends it is said."""

from __future__ import annotations

__all__ = ["LLVM_VERSION", "VERSION"]


def _unloadable(error: ImportError) -> ImportError:
    """The loader's error, with what mends it."""
    if isinstance(error, ModuleNotFoundError):
        mend = "it was not built here: `./dev setup` in a checkout, or `pip install .`"
    else:
        mend = "it needs the shared library of LLVM 22: `apt-get install libllvm22` on Debian"
    what = f"pycoro's engine does not load; {mend}. The loader says: {error}"
    return ImportError(what, name=error.name, path=error.path)


try:
    from pycoro._core import LLVM_VERSION, VERSION
except ImportError as _error:
    raise _unloadable(_error) from None
