"""Convert coroutines in textual IR of LLVM 4 to 21, of LLVM 23, and of Swift's LLVM, to LLVM 22.

>>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
>>> made.text
'define void @f(ptr %x) { ret void }'
"""

from pycoro.upgrade.run import Upgraded, erase_placeholders_of_unused_results, upgrade, upgraded

__all__ = ["Upgraded", "erase_placeholders_of_unused_results", "upgrade", "upgraded"]
