"""Older dialects: coroutines as LLVM 4 to 21 had them, in today's words.

>>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
>>> made.text
'define void @f(ptr %x) { ret void }'
"""

from pycoro.upgrade.run import Upgraded, tidy, upgrade, upgraded

__all__ = ["Upgraded", "tidy", "upgrade", "upgraded"]
