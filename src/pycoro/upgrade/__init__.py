"""Convert coroutines in textual IR of LLVM 4 to 21 to LLVM 22, and complete listings from documents.

>>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
>>> made.text
'define void @f(ptr %x) { ret void }'
"""

from pycoro.upgrade.listing import complete
from pycoro.upgrade.run import Upgraded, erase_placeholders, upgrade, upgraded

__all__ = ["Upgraded", "complete", "erase_placeholders", "upgrade", "upgraded"]
