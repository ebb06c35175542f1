"""Smaller programs of which something still holds: a search among edits, many of which are tried at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from pycoro.errors import Error
from pycoro.fuzz.edits import STAGES, Edit, Propose, edited, unnamed
from pycoro.fuzz.listing import lines_of
from pycoro.module import Module

__all__ = ["smaller"]

Which = Callable[[Sequence[str]], Sequence[bool]]


def _is_ir(text: str) -> bool:
    try:
        Module(text).close()
    except Error:
        return False
    return True


class _Search:
    """A program, and what is known of others."""

    def __init__(self, lines: list[str], which: Which, end: float, most: int) -> None:
        self.lines = lines
        self._which = which
        self._end = end
        self._most = most
        self._known: dict[str, bool] = {}

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._end

    def _asked(self, texts: list[str], *, late: bool) -> Iterator[str]:
        """Those that are IR, as long as there is time; the others are known from here on."""
        for text in texts:
            if self.over and not late:
                return
            if _is_ir(text):
                yield text
            else:
                self._known[text] = False

    def _better(self, lines: list[str]) -> bool:
        """Whether there is less of it: lines, or else letters."""
        return (len(lines), sum(map(len, lines))) < (len(self.lines), sum(map(len, self.lines)))

    def holds(self, candidates: Sequence[list[str]], *, late: bool = False) -> list[bool]:
        """For which of them it holds; those that are not smaller, or no IR, are not asked for, nor any when the time is over,
        unless they may be `late`."""
        texts = ["\n".join(lines) + "\n" if self._better(lines) else "" for lines in candidates]
        asked = self._asked([text for text in dict.fromkeys(texts) if text and text not in self._known], late=late)
        while some := list(islice(asked, self._most)):
            self._known |= zip(some, self._which(some), strict=True)
        return [bool(text) and self._known.get(text, False) for text in texts]

    def _fitting(self, edits: list[Edit], taken: list[Edit]) -> Iterator[tuple[int, list[Edit]]]:
        """How many of the first edits, and those of them that fit to each other and to the ones that are taken."""
        size = len(edits)
        while size:
            some: list[Edit] = []
            for edit in edits[:size]:
                if edit.fits([*taken, *some]):
                    some.append(edit)
            yield size, some
            size //= 2

    def _together(self, edits: list[Edit]) -> None:
        """Does as many of the edits as it holds for together; for each alone it does."""
        taken: list[Edit] = []
        while edits and not self.over:
            sizes = [(size, some) for size, some in self._fitting(edits, taken) if some]
            found = self.holds([edited(self.lines, taken + some) for _, some in sizes])
            size, some = next((one for one, good in zip(sizes, found, strict=True) if good), (1, list[Edit]()))
            taken += some
            edits = edits[size:]
        if taken:
            self.lines = edited(self.lines, taken)

    def stage(self, propose: Propose) -> None:
        """Tries the edits of a kind."""
        edits = [] if self.over else list(propose(self.lines))
        good = self.holds([edited(self.lines, [edit]) for edit in edits])
        self._together([edit for edit, may in zip(edits, good, strict=True) if may])

    def sweep(self) -> None:
        """Leaves out what nothing names any more: whatever the time, since it is asked for but once or twice."""
        before: list[str] = []
        while before != self.lines:
            before = self.lines
            edits = unnamed(self.lines)
            whole = [edit for edit in edits if len(edit.gone) > 1]  # functions with bodies: one of them is what is run
            small = [edit for edit in edits if len(edit.gone) == 1]
            candidates = [edited(self.lines, some) for some in (small, *([edit, *small] for edit in whole))]
            good = self.holds(candidates[: self._most], late=True)
            found = [lines for lines, may in zip(candidates, good, strict=False) if may]
            self.lines = min(found, key=_size, default=self.lines)


def _size(lines: list[str]) -> int:
    return len(lines)


def smaller(ir: str, which: Which, *, seconds: float = float("inf"), most: int = 64) -> str:
    """As little of a module as something holds for.

    ``which`` says for which of several texts it holds; it is asked for up to ``most`` at a time, all of them IR that LLVM's
    verifier accepts. It must hold for the module itself, else that is given back as it is. After so many ``seconds`` what
    was reached is given back, without functions and variables that nothing in it names.

    >>> from pycoro import fuzz
    >>> print(fuzz.smaller(pycoro.examples.COUNTER, lambda texts: ["@malloc" in text for text in texts]), end="")
    declare ptr @malloc(i64)
    """
    search = _Search(lines_of(ir), which, time.monotonic() + seconds, most)
    first = "\n".join(search.lines) + "\n"
    if not _is_ir(first) or not which([first])[0]:
        return ir
    before: list[str] = []
    while before != (before := search.lines):
        for propose in STAGES:
            search.stage(propose)
    search.sweep()
    return "\n".join(search.lines) + "\n"
