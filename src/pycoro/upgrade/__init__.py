"""Older dialects: coroutines as LLVM 4 to 21 had them, in today's words.

>>> made = upgrade(open("old.ll").read())
>>> print(made.text, made.remarks)
"""

from pycoro.upgrade.run import Upgraded, tidy, upgrade, upgraded

__all__ = ["Upgraded", "tidy", "upgrade", "upgraded"]
