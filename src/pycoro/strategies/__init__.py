"""Generate random coroutines that are valid by construction, as hypothesis strategies or from a seed.

A drawn `Program` is a small tree of plain data. Its ``repr`` recreates it, and `module` prints it as IR. One in four
programs consists of `pycoro.build` operations instead, and is emitted through that package.

The functions ``drive0``, ``drive1`` ... of a program call its coroutines step by step and never break their rules;
``drives`` calls them all, so running a program means calling ``void ()`` functions. Programs report through external
functions: ``report_*`` receive values, ``pick`` returns numbers, ``alloc_aligned`` and ``free_aligned`` manage frames.
Programs terminate and have no undefined behavior, so every correct lowering reports the same values.

`programs`, `coroutines`, `drives`, `malformed` and `abis` are hypothesis strategies; importing them needs hypothesis.
`sample` draws thousands of programs per second from seeds, and has no dependency.

These modules have the rest: `strategies.model` and `strategies.acts` the trees that a program consists of,
`strategies.choices` seeds and minimization, `strategies.broken` rules that malformed programs violate,
`strategies.decisions` and `strategies.hooks` the decisions of custom ABIs.

>>> from hypothesis import given, settings
>>> from pycoro import strategies
>>> @settings(deadline=None, max_examples=10)
... @given(strategies.programs(strategies.SMALL))
... def test(program):
...     report = pycoro.lower(strategies.module([program]))
...     assert "llvm.coro" not in str(report.module)
>>> print(test())
None
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pycoro._hypothesis import register_if_hypothesis_loaded
from pycoro.strategies import acts as acts
from pycoro.strategies import broken as broken
from pycoro.strategies import choices as choices
from pycoro.strategies import decisions as decisions
from pycoro.strategies import draw as draw
from pycoro.strategies import hooks as hooks
from pycoro.strategies import model as model
from pycoro.strategies import text as text
from pycoro.strategies import unused as unused
from pycoro.strategies.decisions import sample_abi
from pycoro.strategies.draw import sample
from pycoro.strategies.model import Program
from pycoro.strategies.options import ALL, SMALL, Options
from pycoro.strategies.text import module

if TYPE_CHECKING:
    from pycoro.strategies._drawn import abis, coroutines, drives, malformed, programs

__all__ = [
    "ALL",
    "SMALL",
    "Options",
    "Program",
    "abis",
    "coroutines",
    "drives",
    "malformed",
    "module",
    "programs",
    "sample",
    "sample_abi",
]


def __getattr__(name: str) -> Any:
    """Import the strategies on first use, because they need hypothesis."""
    if name in ("abis", "coroutines", "drives", "malformed", "programs"):
        from pycoro.strategies import _drawn

        return getattr(_drawn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_if_hypothesis_loaded(sys.modules[__name__])  # hypothesis may be imported already
