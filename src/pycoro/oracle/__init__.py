"""Two lowerings of one module run on the same schedule, and compared by what they do.

What is compared: every call of a function that the module does not define, with its arguments; what is allocated and
freed; whether the coroutine is done; its promise, where the schedule asks for it; what functions give; writes outside
of allocated memory; what is left in the end. Both sides run in processes of their own, so a crash, an abort or a loop
without end is a result.

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
from pycoro.oracle.reproducer import read_reproducer, write_reproducer
from pycoro.oracle.trace import Ending, Run, Verdict, first_difference
from pycoro.oracle.ways import LLVM, REFERENCES, ByPipeline, CallableLowering, Interpreted, Lowering, Passes, Way, reference

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
    "Verdict",
    "Way",
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
"""`Oracle.compare` on an oracle that is kept for the process."""
