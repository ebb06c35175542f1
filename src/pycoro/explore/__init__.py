"""The explorer: one page that shows a module's coroutines from their source to their parts, and why each value is in the frame.

`model` is what is shown, as plain data; `page` draws it. The page needs nothing else: no network, no other file.
"""

from pycoro.explore.data import model
from pycoro.explore.html import page
from pycoro.explore.shown import Explorer

__all__ = ["Explorer", "model", "page"]
