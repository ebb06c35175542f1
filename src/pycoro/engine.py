"""Classes for compiling and running modules."""

from pycoro.errors import LifecycleError
from pycoro.running.compiled import CompiledFunction
from pycoro.running.continuation import Continuation
from pycoro.running.engine import Engine
from pycoro.running.frame_snapshot import FieldValue, RunningFrame
from pycoro.running.handle import Handle
from pycoro.running.trace import Trace, TraceStop

__all__ = [
    "CompiledFunction",
    "Continuation",
    "Engine",
    "FieldValue",
    "Handle",
    "LifecycleError",
    "RunningFrame",
    "Trace",
    "TraceStop",
]
