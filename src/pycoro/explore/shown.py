"""Explorer object, displayed in a notebook or written to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pycoro._atomicwrite import write_atomically_if_regular
from pycoro._encode import checked_path_text
from pycoro.explore.html import page, page_in_sandboxed_frame
from pycoro.view import format_count

__all__ = ["Explorer"]

_HEIGHT = 860
"""Height in a notebook, in pixels."""


class Explorer:
    """Interactive view of a module's coroutines from source to clones, as :meth:`pycoro.Module.explore` returns it.

    It is immutable and never stale. A notebook displays it in a sandboxed frame.

    >>> explorer = pycoro.Module(pycoro.examples.COUNTER).explore()
    >>> explorer
    <Explorer of '<string>': 1 coroutine>
    >>> explorer.html()[:15]
    '<!doctype html>'
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.model = model
        """Content as dicts, lists, texts and numbers."""

    def html(self) -> str:
        """Return the page as one self-contained document."""
        return page(self.model)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file. Raises ``OSError``."""
        write_atomically_if_regular(checked_path_text(path), self.html().encode())

    def _repr_html_(self) -> str:
        return page_in_sandboxed_frame(self.html(), _HEIGHT)

    def __repr__(self) -> str:
        return f"<Explorer of {self.model['title']!r}: {format_count(len(self.model['coroutines']), 'coroutine')}>"
