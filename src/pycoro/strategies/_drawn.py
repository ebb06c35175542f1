"""Hypothesis strategies; the only module of this package that imports hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

try:
    from hypothesis import strategies as st
except ImportError as error:  # pragma: no cover
    raise ImportError("this strategy needs hypothesis, which is not installed: pip install 'pycoro-llvm[strategies]'") from error

from pycoro._typecheck import takes
from pycoro.strategies import broken, decisions
from pycoro.strategies import draw as drawing
from pycoro.strategies.choices import Choices
from pycoro.strategies.model import Coroutine, Drive, Program
from pycoro.strategies.options import ALL, SMALL, Options
from pycoro.strategies.unused import without_unused_allocas, without_unused_parts

__all__ = ["abis", "coroutines", "drives", "malformed", "programs"]


T = TypeVar("T")

_ANY = SMALL.but(abis=ALL.abis)


@cache
def _integers_from_0_below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


class _HypothesisChoices(Choices):
    """Choices that hypothesis makes and shrinks."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def draw_below(self, count: int) -> int:
        return self._draw(_integers_from_0_below(count))


@st.composite
def _drawn(draw: st.DrawFn, make: Callable[[Choices], T]) -> T:
    return make(_HypothesisChoices(draw))


@takes(options=Options)
def programs(options: Options = ALL, **changes: Any) -> st.SearchStrategy[Program]:
    """Return a strategy of programs with one or more coroutines and drives of the last one.

    >>> import hypothesis
    >>> from pycoro import strategies
    >>> @hypothesis.settings(max_examples=5, deadline=None, database=None, derandomize=True)
    ... @hypothesis.given(strategies.programs(strategies.SMALL))
    ... def test(program):
    ...     report = pycoro.lower(strategies.module([program]))
    ...     assert "llvm.coro" not in str(report.module)
    >>> print(test())
    None
    """
    options = options.but(**changes)
    return _drawn(lambda choices: without_unused_parts(drawing.program(choices, options)))


@takes(options=Options)
def coroutines(options: Options = ALL, **changes: Any) -> st.SearchStrategy[Coroutine]:
    """Return a strategy of coroutines named ``f`` that call no other coroutine.

    >>> import hypothesis
    >>> from pycoro import strategies
    >>> small = hypothesis.find(strategies.coroutines(strategies.SMALL), lambda coroutine: True)
    >>> small.name, small.abi
    ('f', 'switch')
    """
    options = options.but(**changes)
    return _drawn(lambda choices: without_unused_allocas(drawing.draw_coroutine(choices, options, "f")))


@takes(options=Options)
def drives(coroutine: Coroutine, options: Options = ALL, **changes: Any) -> st.SearchStrategy[Drive]:
    """Return a strategy of drives: the arguments of a coroutine, and the steps of its caller.

    >>> import hypothesis
    >>> from pycoro import strategies
    >>> coroutine = strategies.model.Coroutine("f", (strategies.model.Suspend("%s1"),))
    >>> hypothesis.find(strategies.drives(coroutine), lambda drive: len(drive.steps) == 2)
    Drive('f', steps=('resume', 'resume'))
    """
    options = options.but(**changes)
    return _drawn(lambda choices: drawing.draw_drive(choices, options, coroutine))


@takes(options=Options)
def malformed(options: Options = _ANY, rules: Iterable[str] = broken.RULES, **changes: Any) -> st.SearchStrategy[broken.Malformed]:
    """Return a strategy of programs that break one of the rules.

    >>> import hypothesis
    >>> from pycoro import strategies
    >>> hypothesis.find(strategies.malformed(rules=["one-final-suspend"]), lambda malformed: True).rule
    'one-final-suspend'
    """
    options, rules = options.but(**changes), tuple(rules)
    return _drawn(lambda choices: broken.draw_malformed(choices, options, rules))


def abis() -> st.SearchStrategy[decisions.DrawnABI]:
    """Return a strategy of ABIs whose decisions change a lowering, and preserve the behavior of every coroutine.

    >>> import hypothesis
    >>> from pycoro import strategies
    >>> hypothesis.find(strategies.abis(), lambda drawn: drawn.gap > 0).gap
    1
    """
    return _drawn(decisions.abi)
