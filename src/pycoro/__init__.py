"""Python interface of pycoro: lower LLVM coroutines and inspect the frames, clones and elisions that result.

The examples in docstrings need only ``import pycoro``; :mod:`pycoro.examples` has the modules that they use.

Use an object from one thread at a time; different objects may be used in parallel. Sizes, offsets and alignments are in bytes.
Failures raise :class:`pycoro.Error`.

>>> report = pycoro.lower(pycoro.examples.COUNTER)
>>> report.coroutines["counter"].frame
<Frame of @counter: 32 bytes, 5 fields>
>>> "llvm.coro" in str(report.module)
False
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from pycoro import _load

if TYPE_CHECKING:
    from pycoro import build as build
    from pycoro import downgrade as downgrade
    from pycoro import examples as examples
    from pycoro import explore as explore
    from pycoro import fuzz as fuzz
    from pycoro import ir as ir
    from pycoro import lint as lint
    from pycoro import oracle as oracle
    from pycoro import reporting as reporting
    from pycoro import strategies as strategies
    from pycoro import upgrade as upgrade
    from pycoro import view as view
    from pycoro.abi import (
        ABI,
        AddressOf,
        AsyncABI,
        Candidate,
        CandidateSuspend,
        Fields,
        RematCandidate,
        RetconABI,
        SpillCandidate,
        SwitchABI,
    )
    from pycoro.comparison import CoroutineDiff, Diff, diff
    from pycoro.compiling import Compiled, compile
    from pycoro.coroutine import AsyncShape, Coroutine, CoroutineBlock, RetconShape, Shape, SwitchShape
    from pycoro.engine import CompiledFunction, Continuation, Engine, FieldValue, Handle, RunningFrame, Trace, TraceStop
    from pycoro.errors import (
        BusyError,
        CallbackError,
        ClosedError,
        CompileError,
        Diagnostic,
        Error,
        FileError,
        InternalError,
        JitError,
        LifecycleError,
        LimitError,
        LinkError,
        ParseError,
        PipelineError,
        RejectedError,
        StaleViewError,
        UndefinedError,
        UnsupportedError,
        UsageError,
        VerifyError,
    )
    from pycoro.explanation import Explanation
    from pycoro.frame import Frame, FrameField, Hole, SuspendPoint
    from pycoro.frame_comparison import FieldDiff, FrameDiff
    from pycoro.interpreter import Interpreter
    from pycoro.llvm_frame import LLVMFrame, LLVMFrameField
    from pycoro.module import Function, Module, link, lower
    from pycoro.passes import CoroutinePass, FunctionPass, ModulePass, Pass, PythonPass
    from pycoro.pipeline import (
        CGSCC,
        CoroAnnotationElide,
        CoroCacheFrames,
        CoroCleanup,
        CoroEarly,
        CoroElide,
        CoroInferCaptures,
        CoroSplit,
        Pipeline,
    )
    from pycoro.registry import register_abi, register_pass, registered_passes, unregister_abi, unregister_pass
    from pycoro.report import Elision, Remark, Report, Step

__version__ = _load.VERSION
LLVM_VERSION = _load.LLVM_VERSION
"""Version of the loaded LLVM.

>>> pycoro.LLVM_VERSION.split(".")[0]
'22'
"""

__all__ = [
    "ABI",
    "CGSCC",
    "LLVM_VERSION",
    "AddressOf",
    "AsyncABI",
    "AsyncShape",
    "BusyError",
    "CallbackError",
    "Candidate",
    "CandidateSuspend",
    "ClosedError",
    "CompileError",
    "Compiled",
    "CompiledFunction",
    "Continuation",
    "CoroAnnotationElide",
    "CoroCacheFrames",
    "CoroCleanup",
    "CoroEarly",
    "CoroElide",
    "CoroInferCaptures",
    "CoroSplit",
    "Coroutine",
    "CoroutineBlock",
    "CoroutineDiff",
    "CoroutinePass",
    "Diagnostic",
    "Diff",
    "Elision",
    "Engine",
    "Error",
    "Explanation",
    "FieldDiff",
    "FieldValue",
    "Fields",
    "FileError",
    "Frame",
    "FrameDiff",
    "FrameField",
    "Function",
    "FunctionPass",
    "Handle",
    "Hole",
    "InternalError",
    "Interpreter",
    "JitError",
    "LLVMFrame",
    "LLVMFrameField",
    "LifecycleError",
    "LimitError",
    "LinkError",
    "Module",
    "ModulePass",
    "ParseError",
    "Pass",
    "Pipeline",
    "PipelineError",
    "PythonPass",
    "RejectedError",
    "Remark",
    "RematCandidate",
    "Report",
    "RetconABI",
    "RetconShape",
    "RunningFrame",
    "Shape",
    "SpillCandidate",
    "StaleViewError",
    "Step",
    "SuspendPoint",
    "SwitchABI",
    "SwitchShape",
    "Trace",
    "TraceStop",
    "UndefinedError",
    "UnsupportedError",
    "UsageError",
    "VerifyError",
    "compile",
    "diff",
    "link",
    "lower",
    "register_abi",
    "register_pass",
    "registered_passes",
    "unregister_abi",
    "unregister_pass",
]


_HOMES = {
    "compiling": "Compiled compile",
    "abi": "ABI AddressOf AsyncABI Candidate CandidateSuspend RematCandidate Fields SpillCandidate RetconABI SwitchABI",
    "comparison": "CoroutineDiff Diff diff",
    "frame_comparison": "FieldDiff FrameDiff",
    "coroutine": "AsyncShape Coroutine CoroutineBlock RetconShape Shape SwitchShape",
    "engine": "CompiledFunction Continuation Engine FieldValue Handle RunningFrame Trace TraceStop",
    "errors": (
        "BusyError CallbackError ClosedError CompileError LifecycleError Diagnostic Error FileError InternalError JitError "
        "LimitError LinkError ParseError PipelineError RejectedError StaleViewError UndefinedError UnsupportedError UsageError "
        "VerifyError"
    ),
    "explanation": "Explanation",
    "frame": "Frame FrameField Hole SuspendPoint",
    "interpreter": "Interpreter",
    "llvm_frame": "LLVMFrame LLVMFrameField",
    "module": "Function Module link lower",
    "passes": "CoroutinePass FunctionPass ModulePass Pass PythonPass",
    "pipeline": "CGSCC CoroAnnotationElide CoroCacheFrames CoroCleanup CoroEarly CoroElide CoroInferCaptures CoroSplit Pipeline",
    "registry": "register_abi register_pass registered_passes unregister_abi unregister_pass",
    "report": "Elision Remark Report Step",
    "view": "",
    "ir": "",
    "build": "",
    "examples": "",
    "explore": "",
    "lint": "",
    "upgrade": "",
    "downgrade": "",
}
"""Module of each public name; the modules are attributes of the package too."""

_TOOLS = ("fuzz", "oracle", "reporting", "strategies")
"""Modules that nothing above imports. They are attributes too, and are imported alone, because they are large."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import a name at its first use, so that a command imports only what it needs."""
    home = _HOME_OF.get(name)
    if home is None and name not in _HOMES and name not in _TOOLS:
        raise AttributeError(f"module 'pycoro' has no attribute {name!r}")
    threading = sys.modules.get("threading")
    if threading and threading.active_count() > 1:
        for each in _HOMES:  # always in this order, else threads could deadlock on import locks
            import_module(f"pycoro.{each}")
    found: object = import_module(f"pycoro.{home or name}")
    if home is not None:
        found = getattr(found, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_HOMES, *_TOOLS})
