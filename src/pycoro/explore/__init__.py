"""Explorer: one HTML page that shows a module's coroutines from source to clones, and why each value is in the frame.

`model` returns the content as plain data; `page` renders it. The page needs no network and no other file.
"""

from pycoro.explore.data import model
from pycoro.explore.html import page
from pycoro.explore.shown import Explorer

__all__ = ["Explorer", "model", "page"]
