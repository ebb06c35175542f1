"""Complete listings from documents to modules.

>>> made = complete("%s = call i8 @llvm.coro.suspend(...)")
>>> print(made.text, made.remarks)
"""

from pycoro.upgrade.listing.complete import complete

__all__ = ["complete"]
