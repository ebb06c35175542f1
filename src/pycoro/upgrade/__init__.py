"""Older dialects: coroutines as LLVM 4 to 21 had them, in today's words; and listings of documents, with what they leave out.

>>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
>>> made.text
'define void @f(ptr %x) { ret void }'
"""

from pycoro.upgrade.listing import complete
from pycoro.upgrade.run import Upgraded, tidy, upgrade, upgraded

__all__ = ["Upgraded", "complete", "tidy", "upgrade", "upgraded"]
