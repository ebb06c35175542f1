"""Build coroutines from structured bodies with suspends, scopes and cleanups; the result is well-formed by construction.

The IR is deterministic and small: each cleanup is built once, and all exits of its scope share it.

>>> from pycoro.build import coroutine
>>> module = pycoro.Module("")
>>> with coroutine(module, "count", {"to": "i32"}, promise="i32") as c:
...     n = c.variable("i32", 0)
...     with c.loop() as loop:
...         loop.while_(c.icmp("slt", c.load("i32", n), c["to"]))
...         c.yield_(c.load("i32", n))
...         stored = c.store(c.add(c.load("i32", n), 1), n)
>>> list(pycoro.Engine(pycoro.lower(module, host=True))["count"](3))
[0, 1, 2]
"""

from pycoro.build.async_ import Async, AsyncBuilder, Context, continue_async
from pycoro.build.body import Attempt, Body
from pycoro.build.builders import coroutine, function
from pycoro.build.control_flow import Choice, Flow, LoopBuilder
from pycoro.build.coroutine import CoroutineBuilder
from pycoro.build.handle import HandleValue
from pycoro.build.placement import Placed
from pycoro.build.plain_function import FunctionBuilder
from pycoro.build.retcon import ContinuationValue, Retcon, RetconBuilder
from pycoro.build.scopes import Scope, Scoped
from pycoro.build.spec import Allocation, ByValue, Source
from pycoro.build.switch import SwitchBuilder

__all__ = [
    "Allocation",
    "Async",
    "AsyncBuilder",
    "Attempt",
    "Body",
    "ByValue",
    "Choice",
    "Context",
    "ContinuationValue",
    "CoroutineBuilder",
    "Flow",
    "FunctionBuilder",
    "HandleValue",
    "LoopBuilder",
    "Placed",
    "Retcon",
    "RetconBuilder",
    "Scope",
    "Scoped",
    "Source",
    "SwitchBuilder",
    "continue_async",
    "coroutine",
    "function",
]
