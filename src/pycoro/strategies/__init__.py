"""Random coroutines that are valid by construction, as hypothesis strategies or by a seed.

What is drawn is a `Program`: a small tree of plain data whose ``repr`` makes it again, and that `module` prints as IR. One in
four is what an author would write by `pycoro.build`, and is written by that.
Its functions ``drive0``, ``drive1`` ... call the coroutines, step by step, and take care of what they may not do;
``drives`` does all of them. So running a program is calling ``void ()`` functions. What it does it tells through functions
that it only declares: ``say_*`` get every value, ``pick`` gives numbers, ``alloc_aligned`` and ``free_aligned`` are the
frames'. Programs end, and nothing in them is undefined: whoever lowers and runs one must be told the same.

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
    """The strategies, once they are asked for: they need hypothesis."""
    if name in ("abis", "coroutines", "drives", "malformed", "programs"):
        from pycoro.strategies import _drawn

        return getattr(_drawn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_if_loaded()  # hypothesis may be there already
