"""Lowerings that the oracle can run: pycoro's passes, LLVM's, the interpreter, or a function of the user.

The oracle compares two of them; one is called the reference. The registry `REFERENCES` creates them by name. A side that
does not lower cases overrides `Side.runs`.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias

from pycoro import _core
from pycoro._encode import ir_bytes
from pycoro._subprocess import isolated_module_command
from pycoro._suggest import closest_name_or_empty
from pycoro._typecheck import check, short_repr, takes
from pycoro.errors import Error, UsageError
from pycoro.module import Module
from pycoro.oracle.case import Case
from pycoro.oracle.trace import Run
from pycoro.pipeline import DEFAULT, Pass, Pipeline, abi_arguments_of, escaped_pass_string, pass_string_of

__all__ = [
    "LLVM",
    "REFERENCES",
    "AnyLowering",
    "ByPipeline",
    "CallableLowering",
    "Interpreted",
    "Lowering",
    "Passes",
    "Side",
    "check_passes",
    "reference",
    "reference_of",
    "side_of",
]


@lru_cache(maxsize=64)
def _check_pass_string(passes: str) -> None:
    _core.pipeline_check(escaped_pass_string(passes))


def check_passes(passes: str) -> str:
    """Return the pass string. Raises ``PipelineError`` for an unknown pass."""
    check("passes must be a pass string; pass other lowerings as lowering=", passes, str)
    _check_pass_string(passes)
    return passes


def _has_passes_other_than_coro(passes: str) -> bool:
    """Return whether the string names a pass other than ``coro-*``; adaptors such as ``cgscc(...)`` do not count."""
    leaves = re.findall(r"([\w-]+)(?:<[^<>]*>)?(?=[,)]|$)", passes)
    return not all(name.startswith("coro-") for name in leaves)


class Executor(Protocol):
    """Oracle interface that a side uses."""

    @abstractmethod
    def execute(self, lowering: Lowering, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """Run cases with a lowering; return the runs of each one's schedules."""


class Side(ABC):
    """One side of a comparison: a procedure that runs cases.

    >>> from pycoro import oracle
    >>> side = oracle.reference("pycoro:default<O2>")
    >>> isinstance(side, oracle.Side), side.optimizes
    (True, True)
    """

    name: str
    """Name in messages, such as ``"LLVM's lowering"``."""
    optimizes: bool = False
    """True if it may remove unobserved allocations, because it runs passes that do not lower coroutines."""

    @abstractmethod
    def runs(self, oracle: Executor, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """Run each case on its schedules.

        With ``live``, events before a crash must be reported, and cases must be isolated. Otherwise speed matters, since
        cases that differ or fail run again.
        """


class Lowering(Side):
    """A side that lowers a module; child processes of the oracle compile and run the result.

    >>> from pycoro import oracle
    >>> class Reused(oracle.Lowering):
    ...     name = "mine"
    ...     def lower(self, ir):
    ...         return str(pycoro.lower(ir, "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup").module)
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=Reused(), reference="interpreter"))
    equal: 4 events, finished
    """

    passes: str = ""
    """Passes that pycoro runs in the child, on the result of `lower`."""
    theirs: str = ""
    """LLVM passes that the child runs instead of `lower`, if crashes need no diagnosis."""
    interpreted: bool = False
    """True to interpret the result of `lower` instead of compiling it."""
    alone: bool = False
    """True to lower every case in a separate module with its original names, even in batches."""

    def check_confined(self) -> None:
        """Raise ``PipelineError`` if its passes have effects outside of the module: file access, processes or output."""
        for passes in (self.passes, self.theirs):
            _core.passes_confined(escaped_pass_string(passes))

    @abstractmethod
    def lower(self, ir: str) -> str | bytes | Run:
        """Return the module to compile, as text or bitcode, or a `Run` with the failure."""

    def runs(self, oracle: Executor, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """Lower, compile and run the cases, in batches if permitted."""
        return oracle.execute(self, cases, live=live)


class Passes(Lowering):
    """pycoro's lowering by a pass string.

    >>> from pycoro import oracle
    >>> reused = oracle.Passes("coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup", "smaller frames")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=reused, reference="interpreter"))
    equal: 4 events, finished
    """

    ours = "pycoro's lowering"

    def __init__(self, passes: str = DEFAULT, name: str = ours) -> None:
        self.passes = check_passes(passes)
        self.optimizes = _has_passes_other_than_coro(passes)
        self.name = name

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the module unchanged, because the child lowers it."""
        return ir


class Interpreted(Lowering):
    """No lowering: the presplit module is interpreted by the language reference.

    A run that ends ``undefined``, ``unsupported`` or ``timeout`` supports neither side.

    >>> from pycoro import oracle
    >>> with oracle.Oracle() as runs:
    ...     print(runs.run(pycoro.examples.COUNTER, ramp="sum", args=(4,), passes=oracle.Interpreted()))
    allocate malloc block 0
    free free block 0
    returned 6
    left
    finished
    """

    interpreted = True

    def __init__(self, name: str = "the interpreter") -> None:
        self.name = name

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the module unchanged."""
        return ir


class CallableLowering(Lowering):
    """A Python function from presplit IR to lowered IR: bitcode, or an object with IR as its ``str``.

    The function receives the unmodified IR, and runs in a fork of this process, so it may crash. An exception counts as a
    rejection.

    >>> from pycoro import oracle
    >>> own = oracle.CallableLowering(lambda ir: pycoro.lower(ir).module, "ours")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=own, reference="interpreter"))
    equal: 4 events, finished
    """

    alone = True

    def __init__(self, function: Callable[[str], object], name: str = "") -> None:
        self._function = function
        self.name = name or f"{getattr(function, '__name__', 'the function')}'s lowering"

    def _call_lowering(self, ir: str) -> str | bytes | Run:
        try:
            lowered = self._function(ir)
            return lowered if isinstance(lowered, bytes) else str(lowered)
        except Error as error:
            return Run("rejected", str(error), ())
        except Exception as error:
            return Run("rejected", f"{type(error).__name__}: {error}", ())

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the result of the function."""
        source, sink = os.pipe()
        child = os.fork()
        if not child:
            os.close(source)
            with open(sink, "wb") as file:
                pickle.dump(self._call_lowering(ir), file)
            os._exit(0)
        os.close(sink)
        with open(source, "rb") as file:
            data = file.read()
        status = os.waitpid(child, 0)[1]
        if status or not data:
            return Run("crashed", f"{self.name} ended its process with status {os.waitstatus_to_exitcode(status)}", ())
        lowered: str | bytes | Run = pickle.loads(data)
        return lowered


class ByPipeline(Lowering):
    """pycoro's lowering by a `Pipeline` with Python objects, such as ABIs, which exist in this process only.

    It lowers in this process, with many cases in one module. A crash therefore ends the caller. Errors of pycoro are
    rejections; other exceptions propagate.

    >>> from pycoro import oracle
    >>> pipeline = pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=True), "coro-cleanup")
    >>> own = oracle.ByPipeline(pipeline, "ours")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=own, reference="interpreter"))
    equal: 4 events, finished
    """

    def __init__(self, pipeline: Pipeline, name: str = Passes.ours) -> None:
        self.pipeline = pipeline
        self.optimizes = _has_passes_other_than_coro(str(pipeline))
        self.name = name

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the lowered module as bitcode."""
        try:
            module = Module(ir)
            module.run(self.pipeline)
            return module.bitcode()
        except Error as error:
            return Run("rejected", str(error), ())


class LLVM(Lowering):
    """LLVM's lowering by `opt` of LLVM 22, in a separate process. Batches without a specified `opt` use the LLVM library in
    the child that runs the result; without any `opt`, a separate process uses the library.

    >>> from pycoro import oracle
    >>> llvm = oracle.LLVM()
    >>> llvm.name, "@counter.resume" in llvm.text(pycoro.examples.COUNTER)
    ("LLVM's lowering", True)
    """

    name = "LLVM's lowering"

    def __init__(self, passes: str = DEFAULT, opt: str | None = None, timeout: float = 60) -> None:
        self._passes = check_passes(passes)
        self.optimizes = _has_passes_other_than_coro(passes)
        self._timeout = timeout
        self.theirs = "" if opt or os.environ.get("PYCORO_OPT") else passes
        named = opt or os.environ.get("PYCORO_OPT")
        found = shutil.which(named or "opt-22")
        self._opt = [found] if found else [] if named else isolated_module_command("pycoro.oracle._opt")

    def check_confined(self) -> None:
        """Raise ``PipelineError`` if its passes have effects outside of the module."""
        _core.passes_confined(self._passes)

    def _run_opt(self, ir: str, *options: str) -> bytes | Run:
        if not self._opt:
            raise UsageError("the given opt executable does not exist; set PYCORO_OPT or Oracle(opt=...)")
        command = [*self._opt, f"-passes={self._passes}", *options, "-o", "-", "-"]
        try:
            done = subprocess.run(command, input=ir_bytes(ir), capture_output=True, timeout=self._timeout)
        except subprocess.TimeoutExpired:
            return Run("timeout", "while it was lowered", ())
        if done.returncode == 0:
            return done.stdout
        output = done.stderr.decode("utf-8", "replace")
        fatal = re.search(r"LLVM ERROR: .*|error: .*", output)
        if fatal:
            return Run("rejected" if fatal[0].startswith("LLVM ERROR") else "broken", fatal[0], ())
        return Run("crashed", f"opt ended with status {done.returncode}", ())

    def lower(self, ir: str) -> str | bytes | Run:
        """Return the lowered module as bitcode."""
        return self._run_opt(ir)

    def text(self, ir: str) -> str | Run:
        """Return the lowered module as text."""
        done = self._run_opt(ir, "-S")
        return done if isinstance(done, Run) else done.decode("utf-8", "surrogateescape")


REFERENCES: dict[str, Callable[[str], Side]] = {
    "llvm": lambda passes: LLVM(passes or DEFAULT),
    "interpreter": lambda _: Interpreted(),
    "pycoro": lambda passes: Passes(passes or DEFAULT, "pycoro's other lowering"),
}
"""References by name; the factory receives the text after the colon, as in ``pycoro:coro-early,...``.

>>> from pycoro import oracle
>>> oracle.REFERENCES["interpreter"]("").name
'the interpreter'
"""


@takes(text=str)
def reference(text: str, passes: str = DEFAULT) -> Side:
    """Return the reference of that name, ``"llvm"`` or ``"pycoro:PASSES"``; without passes in the name, it runs ``passes``.

    >>> from pycoro import oracle
    >>> oracle.reference("interpreter").name, oracle.reference("llvm").name
    ('the interpreter', "LLVM's lowering")
    """
    name, _, own = text.partition(":")
    if name not in REFERENCES:
        near = closest_name_or_empty(name, REFERENCES)
        hint = f"; did you mean {near!r}?" if near else ""
        raise UsageError(f"{name!r} is not a reference; the references are {', '.join(REFERENCES)}{hint}")
    return REFERENCES[name](own or passes)


AnyLowering: TypeAlias = str | Pass | Pipeline | Side | Callable[[str], object]
"""Any value that denotes a lowering."""


def _lowering_by_pass_objects(passes: Pass | Pipeline) -> Side:
    """Return the lowering by passes with Python objects, which exist in this process only."""

    def lowered(ir: str) -> Module:
        module = Module(ir)
        module.run(passes)
        return module

    return CallableLowering(lowered, Passes.ours)


def side_of(lowering: object) -> Side:
    """Return the lowering for a pass string, a pass, a `Pipeline`, a callable or a `Side`."""
    if isinstance(lowering, Side):
        return lowering
    if isinstance(lowering, Pass | Pipeline) and abi_arguments_of(lowering):
        return _lowering_by_pass_objects(lowering)
    if isinstance(lowering, str | Pass | Pipeline):
        return Passes(pass_string_of(lowering))
    if callable(lowering):
        return CallableLowering(lowering)
    raise TypeError(f"lowering must be a pass string, a Pipeline or a callable, not {short_repr(lowering)}")


def reference_of(given: Side | str, passes: str) -> Side:
    """Return a reference by name, or the argument if it is one."""
    if isinstance(given, Side):
        return given
    check("a reference is 'llvm', 'interpreter', 'pycoro:PASSES' or a Side", given, str)
    return reference(given, passes)
