"""Minimize a module that satisfies a predicate, by a search over edits that tests many candidates at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from pycoro.errors import Error
from pycoro.fuzz.edits import STAGES, Edit, Propose, apply_edits_and_repair, edits_deleting_unreferenced_symbols
from pycoro.fuzz.irlines import normalized_lines_of
from pycoro.module import Module

__all__ = ["minimize_lines"]

Which = Callable[[Sequence[str]], Sequence[bool]]


def _is_ir(text: str) -> bool:
    try:
        Module(text).close()
    except Error:
        return False
    return True


class _ReductionSearch:
    """Current best program, and the results for tested candidates."""

    def __init__(self, lines: list[str], which: Which, end: float, most: int) -> None:
        self.lines = lines
        self._which = which
        self._end = end
        self._most = most
        self._known: dict[str, bool] = {}

    @property
    def is_out_of_time(self) -> bool:
        return time.monotonic() >= self._end

    def _valid_candidates(self, texts: list[str], *, even_after_time_limit: bool) -> Iterator[str]:
        """Yield the texts that are valid IR while time remains; other texts are recorded as failing."""
        for text in texts:
            if self.is_out_of_time and not even_after_time_limit:
                return
            if _is_ir(text):
                yield text
            else:
                self._known[text] = False

    def _is_smaller(self, lines: list[str]) -> bool:
        """Return True if the lines are fewer, or as many and shorter."""
        return (len(lines), sum(map(len, lines))) < (len(self.lines), sum(map(len, self.lines)))

    def which_smaller_candidates_fail(self, candidates: Sequence[list[str]], *, even_after_time_limit: bool = False) -> list[bool]:
        """Return which candidates satisfy the predicate. Candidates that are not smaller or not valid IR are not tested, and
        after the time limit none is, unless `even_after_time_limit`.
        """
        texts = ["\n".join(lines) + "\n" if self._is_smaller(lines) else "" for lines in candidates]
        asked = self._valid_candidates(
            [text for text in dict.fromkeys(texts) if text and text not in self._known], even_after_time_limit=even_after_time_limit
        )
        while some := list(islice(asked, self._most)):
            self._known |= zip(some, self._which(some), strict=True)
        return [bool(text) and self._known.get(text, False) for text in texts]

    def _compatible_prefixes_by_halving(self, edits: list[Edit], taken: list[Edit]) -> Iterator[tuple[int, list[Edit]]]:
        """Yield numbers of leading edits, and the edits among them that are compatible with each other and with the taken
        ones.
        """
        size = len(edits)
        while size:
            some: list[Edit] = []
            for edit in edits[:size]:
                if edit.is_compatible_with([*taken, *some]):
                    some.append(edit)
            yield size, some
            size //= 2

    def _apply_as_many_edits_as_possible(self, edits: list[Edit]) -> None:
        """Apply as many edits as possible together; each satisfies the predicate alone."""
        taken: list[Edit] = []
        while edits and not self.is_out_of_time:
            sizes = [(size, some) for size, some in self._compatible_prefixes_by_halving(edits, taken) if some]
            found = self.which_smaller_candidates_fail([apply_edits_and_repair(self.lines, taken + some) for _, some in sizes])
            size, some = next((one for one, good in zip(sizes, found, strict=True) if good), (1, list[Edit]()))
            taken += some
            edits = edits[size:]
        if taken:
            self.lines = apply_edits_and_repair(self.lines, taken)

    def try_each_edit_and_apply_good_ones(self, propose_edits: Propose) -> None:
        """Try the edits of one proposer."""
        edits = [] if self.is_out_of_time else list(propose_edits(self.lines))
        good = self.which_smaller_candidates_fail([apply_edits_and_repair(self.lines, [edit]) for edit in edits])
        self._apply_as_many_edits_as_possible([edit for edit, may in zip(edits, good, strict=True) if may])

    def delete_unreferenced(self) -> None:
        """Delete unreferenced functions and globals, even after the time limit, because this takes few tests."""
        before: list[str] = []
        while before != self.lines:
            before = self.lines
            edits = edits_deleting_unreferenced_symbols(self.lines)
            whole = [edit for edit in edits if len(edit.gone) > 1]  # function bodies; one of them is the entry that is run
            small = [edit for edit in edits if len(edit.gone) == 1]
            candidates = [apply_edits_and_repair(self.lines, some) for some in (small, *([edit, *small] for edit in whole))]
            good = self.which_smaller_candidates_fail(candidates[: self._most], even_after_time_limit=True)
            found = [lines for lines, may in zip(candidates, good, strict=False) if may]
            self.lines = min(found, key=_line_count, default=self.lines)


def _line_count(lines: list[str]) -> int:
    return len(lines)


def minimize_lines(ir: str, which: Which, *, seconds: float = float("inf"), most: int = 64) -> str:
    """Return the smallest found module that satisfies a predicate.

    ``which`` tests several texts at once, up to ``most``, all of them verified IR. If it rejects the module itself, the
    module is returned unchanged. After ``seconds``, the best result so far is returned, without unreferenced functions and
    globals.

    >>> from pycoro import fuzz
    >>> print(fuzz.minimize_lines(pycoro.examples.COUNTER, lambda texts: ["@malloc" in text for text in texts]), end="")
    declare ptr @malloc(i64)
    """
    search = _ReductionSearch(normalized_lines_of(ir), which, time.monotonic() + seconds, most)
    first = "\n".join(search.lines) + "\n"
    if not _is_ir(first) or not which([first])[0]:
        return ir
    before: list[str] = []
    while before != (before := search.lines):
        for propose_edits in STAGES:
            search.try_each_edit_and_apply_good_ones(propose_edits)
    search.delete_unreferenced()
    return "\n".join(search.lines) + "\n"
