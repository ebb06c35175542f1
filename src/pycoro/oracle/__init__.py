"""Differential oracle: run two lowerings of one module on the same schedule, and compare their observable behavior.

It compares calls of external functions with their arguments, allocations and deallocations, final states, requested
promises, results, out-of-bounds writes, and leaks. Both sides run in child processes, so a crash, an abort or an infinite
loop is a result.

>>> from pycoro import oracle
>>> how = {"ramp": "counter", "args": (3, 6), "reference": "interpreter"}
>>> oracle.compare(pycoro.examples.COUNTER, ("resume", "resume", "destroy"), **how).equal
True
"""

from __future__ import annotations

import atexit

from pycoro.oracle.case import Case
from pycoro.oracle.driven import for_host
from pycoro.oracle.judge import Oracle, Outcome
from pycoro.oracle.lowerings import LLVM, REFERENCES, ByPipeline, CallableLowering, Interpreted, Lowering, Passes, Side, reference
from pycoro.oracle.reproducer import read_reproducer, write_reproducer
from pycoro.oracle.trace import Ending, Run, Verdict, first_difference

__all__ = [
    "LLVM",
    "REFERENCES",
    "ByPipeline",
    "CallableLowering",
    "Case",
    "Ending",
    "Interpreted",
    "Lowering",
    "Oracle",
    "Outcome",
    "Passes",
    "Run",
    "Side",
    "Verdict",
    "compare",
    "first_difference",
    "for_host",
    "read_reproducer",
    "reference",
    "write_reproducer",
]

_shared = Oracle()
atexit.register(_shared.close)

compare = _shared.compare
"""`Oracle.compare` on an oracle that the process shares."""
