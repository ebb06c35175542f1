"""Convert textual IR of LLVM 22 for readers of LLVM 19, 20 and 21.

>>> made = pycoro.downgrade.downgrade("declare void @f(ptr captures(none))", 20)
>>> made.text
'declare void @f(ptr nocapture)'
"""

from pycoro.downgrade.run import Downgraded, downgrade

__all__ = ["Downgraded", "downgrade"]
