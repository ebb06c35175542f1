"""Generate random coroutines that are valid by construction, as hypothesis strategies or from a seed.

A drawn `Program` is a small tree of plain data. Its ``repr`` recreates it, and `module` prints it as IR. One in four
programs consists of `pycoro.build` operations instead, and is emitted through that package.

The functions ``drive0``, ``drive1`` ... of a program call its coroutines step by step and never break their rules;
``drives`` calls them all, so running a program means calling ``void ()`` functions. Programs report through external
functions: ``say_*`` receive values, ``pick`` returns numbers, ``alloc_aligned`` and ``free_aligned`` manage frames.
Programs terminate and have no undefined behavior, so every correct lowering reports the same values.

`programs`, `coroutines`, `drives`, `malformed` and `abis` are hypothesis strategies; importing them needs hypothesis.
`sample` draws thousands of programs per second from seeds, and has no dependency.

>>> from hypothesis import given, settings
>>> from pycoro import strategies
>>> @settings(deadline=None, max_examples=10)
... @given(strategies.programs(strategies.SMALL))
... def test(program):
...     report = pycoro.lower(strategies.module([program]))
...     assert "llvm.coro" not in str(report.module)
>>> print(test())
None

`programs`, `coroutines`, `drives`, `malformed` and `abis` are hypothesis strategies, and importing them needs hypothesis;
`sample` draws by a seed, thousands in a second, and needs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycoro._hypothesis import register_if_loaded
from pycoro.strategies import acts as _acts
from pycoro.strategies import model as _model
from pycoro.strategies.acts import *  # noqa: F403
from pycoro.strategies.broken import RULES, RULES_OF, Malformed
from pycoro.strategies.choices import Choices, Recorded, Seeded, shrink
from pycoro.strategies.decisions import DrawnABI, abi, sample_abi
from pycoro.strategies.draw import program, sample
from pycoro.strategies.hooks import Hooks, hooks, sample_hooks
from pycoro.strategies.mistakes import MISTAKES, mistaken
from pycoro.strategies.model import *  # noqa: F403
from pycoro.strategies.options import ALL, FAULTS, SMALL, Options
from pycoro.strategies.text import drivers, module
from pycoro.strategies.unused import used_of

if TYPE_CHECKING:
    from pycoro.strategies._drawn import abis, coroutines, drives, malformed, programs

__all__ = [
    "ALL",
    "FAULTS",
    "MISTAKES",
    "RULES",
    "RULES_OF",
    "SMALL",
    "Choices",
    "DrawnABI",
    "Hooks",
    "Malformed",
    "Options",
    "Recorded",
    "Seeded",
    "abi",
    "abis",
    "coroutines",
    "drivers",
    "drives",
    "hooks",
    "malformed",
    "mistaken",
    "module",
    "program",
    "programs",
    "sample",
    "sample_abi",
    "sample_hooks",
    "shrink",
    "used_of",
]
__all__ += _model.__all__
__all__ += _acts.__all__


def __getattr__(name: str) -> Any:
    """Import the strategies on first use, because they need hypothesis."""
    if name in ("abis", "coroutines", "drives", "malformed", "programs"):
        from pycoro.strategies import _drawn

        return getattr(_drawn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_if_loaded()  # hypothesis may be imported already
