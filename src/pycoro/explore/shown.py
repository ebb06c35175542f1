"""The explorer of a module as an object: shown by a notebook, or written to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pycoro._atomicwrite import write_atomically
from pycoro._encode import file_name
from pycoro.explore.html import framed, page
from pycoro.view import counted

__all__ = ["Explorer"]

_HEIGHT = 860
"""Pixels of it in a notebook."""


class Explorer:
    """A module's coroutines from their source to their parts, to be pointed at: what :meth:`pycoro.Module.explore` gives.

    A record: it does not change, and never goes stale. A notebook shows it in a frame of its own, which the notebook's page and it
    cannot look out of.

    >>> explorer = pycoro.Module(pycoro.examples.COUNTER).explore()
    >>> explorer
    <Explorer of '<string>': 1 coroutine>
    >>> explorer.html()[:15]
    '<!doctype html>'
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.model = model
        """What is shown, as dicts, lists, texts and numbers."""

    def html(self) -> str:
        """The page: one document that needs nothing else."""
        return page(self.model)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file. ``OSError``."""
        write_atomically(file_name(path), self.html().encode())

    def _repr_html_(self) -> str:
        return framed(self.html(), _HEIGHT)

    def __repr__(self) -> str:
        return f"<Explorer of {self.model['title']!r}: {counted(len(self.model['coroutines']), 'coroutine')}>"
