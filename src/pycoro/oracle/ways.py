"""Ways to make something that runs of a presplit coroutine: pycoro's passes, LLVM's, a function of yours.

The oracle compares two of them. Which is called the reference is a matter of words: the registry `REFERENCES` makes
them by name, and whatever runs cases otherwise than by lowering them (an interpreter) joins it by `Way.runs`.
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
from pycoro._subprocess import isolated_command
from pycoro._suggest import closest_name
from pycoro._typecheck import check, short_repr
from pycoro.errors import Error, UsageError
from pycoro.module import Module
from pycoro.oracle.case import Case
from pycoro.oracle.trace import Run
from pycoro.pipeline import DEFAULT, Pass, Pipeline, hooks_of, spelt, text_of

__all__ = [
    "LLVM",
    "REFERENCES",
    "AnyLowering",
    "ByPipeline",
    "CallableLowering",
    "Interpreted",
    "Lowering",
    "Passes",
    "Way",
    "check_passes",
    "reference",
    "reference_of",
    "way",
]


@lru_cache(maxsize=64)
def _parsed(passes: str) -> None:
    _core.pipeline_check(spelt(passes))


def check_passes(passes: str) -> str:
    """The pass string, which ``PipelineError`` is raised for where a name in it is no pass."""
    check("passes is a pass string (another lowering is given as lowering=)", passes, str)
    _parsed(passes)
    return passes


def _optimizes(passes: str) -> bool:
    """Whether there are passes in it, other than adaptors around passes, that do not lower coroutines."""
    leaves = re.findall(r"([\w-]+)(?:<[^<>]*>)?(?=[,)]|$)", passes)
    return not all(name.startswith("coro-") for name in leaves)


class Executor(Protocol):
    """What a way needs of an oracle."""

    @abstractmethod
    def execute(self, lowering: Lowering, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """What cases do by a lowering: for each the runs of its schedules."""


class Way(ABC):
    """Runs cases, by whatever means.

    >>> from pycoro import oracle
    >>> way = oracle.reference("pycoro:default<O2>")
    >>> isinstance(way, oracle.Way), way.optimizes
    (True, True)
    """

    name: str
    """What sentences call it: ``"LLVM's lowering"``."""
    optimizes: bool = False
    """Whether it may leave out memory that is allocated and freed and that nobody sees: it runs other passes than those that lower
    coroutines."""

    @abstractmethod
    def runs(self, oracle: Executor, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """For each case what it does on each of its schedules.

        ``live``: what happened before a crash must be told, and nothing but the case itself may show in what it does.
        Otherwise the sooner the better: what differs or does not end well will be asked for again.
        """


class Lowering(Way):
    """A way that lowers a module; the result is compiled and run in the oracle's children.

    >>> from pycoro import oracle
    >>> class Reused(oracle.Lowering):
    ...     name = "mine"
    ...     def lower(self, ir):
    ...         return str(pycoro.lower(ir, "coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup").module)
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=Reused(), reference="interpreter"))
    the same: 4 events, finished
    """

    passes: str = ""
    """What the child runs, in pycoro, on what `lower` gives."""
    theirs: str = ""
    """LLVM's own passes, which the child runs instead of what `lower` does where no crash need be told of."""
    interpreted: bool = False
    """Whether what `lower` gives is interpreted, not compiled."""
    alone: bool = False
    """Whether each case is lowered in a module to itself, with the names that it has, wherever many are compared."""

    def check_confined(self) -> None:
        """``PipelineError`` where its passes do more than change the module: write or read files, start programs, print."""
        for passes in (self.passes, self.theirs):
            _core.passes_confined(spelt(passes))

    @abstractmethod
    def lower(self, ir: str) -> str | bytes | Run:
        """The module that is to be compiled, as text or bitcode; a `Run` that says why there is none."""

    def runs(self, oracle: Executor, cases: Sequence[Case], *, live: bool) -> list[list[Run]]:
        """Lowers, compiles and runs them, many at a time where that is allowed."""
        return oracle.execute(self, cases, live=live)


class Passes(Lowering):
    """pycoro's lowering, by a pass string.

    >>> from pycoro import oracle
    >>> reused = oracle.Passes("coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup", "smaller frames")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=reused, reference="interpreter"))
    the same: 4 events, finished
    """

    ours = "pycoro's lowering"

    def __init__(self, passes: str = DEFAULT, name: str = ours) -> None:
        self.passes = check_passes(passes)
        self.optimizes = _optimizes(passes)
        self.name = name

    def lower(self, ir: str) -> str | bytes | Run:
        """The module as it is: the child that runs it lowers it."""
        return ir


class Interpreted(Lowering):
    """No lowering at all: the presplit module is interpreted, as the language reference has it.

    What it says is evidence for neither side where a run ends ``undefined``, ``unsupported`` or ``timeout``.

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
        """The module as it is."""
        return ir


class CallableLowering(Lowering):
    """A Python function from presplit IR to lowered IR: anything whose ``str`` is IR, or bitcode.

    It is called in a fork of this process, so it may crash; what it raises is a rejection. It is given the very IR of the case.

    >>> from pycoro import oracle
    >>> own = oracle.CallableLowering(lambda ir: pycoro.lower(ir).module, "ours")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=own, reference="interpreter"))
    the same: 4 events, finished
    """

    alone = True

    def __init__(self, function: Callable[[str], object], name: str = "") -> None:
        self._function = function
        self.name = name or f"{getattr(function, '__name__', 'the function')}'s lowering"

    def _call(self, ir: str) -> str | bytes | Run:
        try:
            lowered = self._function(ir)
            return lowered if isinstance(lowered, bytes) else str(lowered)
        except Error as error:
            return Run("rejected", str(error), ())
        except Exception as error:
            return Run("rejected", f"{type(error).__name__}: {error}", ())

    def lower(self, ir: str) -> str | bytes | Run:
        """What the function gives."""
        source, sink = os.pipe()
        child = os.fork()
        if not child:
            os.close(source)
            with open(sink, "wb") as file:
                pickle.dump(self._call(ir), file)
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
    """pycoro's lowering by a `Pipeline` with objects of the caller's, as ABIs are, which no other process has.

    It lowers in this process, many cases in one module: a crash takes the caller along, and what an object raises is raised, but
    for pycoro's own errors, which are rejections.

    >>> from pycoro import oracle
    >>> pipeline = pycoro.Pipeline("coro-early", pycoro.CoroSplit(reuse_storage=True), "coro-cleanup")
    >>> own = oracle.ByPipeline(pipeline, "ours")
    >>> print(oracle.compare(pycoro.examples.COUNTER, ramp="sum", args=(4,), lowering=own, reference="interpreter"))
    the same: 4 events, finished
    """

    def __init__(self, pipeline: Pipeline, name: str = Passes.ours) -> None:
        self.pipeline = pipeline
        self.optimizes = _optimizes(str(pipeline))
        self.name = name

    def lower(self, ir: str) -> str | bytes | Run:
        """The module, lowered, as bitcode."""
        try:
            module = Module(ir)
            module.run(self.pipeline)
            return module.bitcode()
        except Error as error:
            return Run("rejected", str(error), ())


class LLVM(Lowering):
    """LLVM's own lowering: by its optimizer, of LLVM 22, in a process of its own; by the library that pycoro is linked with, in
    the child that runs the result, where many cases share a module and no other optimizer was asked for, and in a process of
    its own where there is no optimizer.

    >>> from pycoro import oracle
    >>> llvm = oracle.LLVM()
    >>> llvm.name, "@counter.resume" in llvm.text(pycoro.examples.COUNTER)
    ("LLVM's lowering", True)
    """

    name = "LLVM's lowering"

    def __init__(self, passes: str = DEFAULT, opt: str | None = None, timeout: float = 60) -> None:
        self._passes = check_passes(passes)
        self.optimizes = _optimizes(passes)
        self._timeout = timeout
        self.theirs = "" if opt or os.environ.get("PYCORO_OPT") else passes
        named = opt or os.environ.get("PYCORO_OPT")
        found = shutil.which(named or "opt-22")
        self._opt = [found] if found else [] if named else isolated_command("pycoro.oracle._opt")

    def check_confined(self) -> None:
        """Likewise, whoever runs them."""
        _core.passes_confined(self._passes)

    def _run(self, ir: str, *options: str) -> bytes | Run:
        if not self._opt:
            raise FileNotFoundError("the opt that was named is not there: see PYCORO_OPT, or Oracle(opt=...)")
        command = [*self._opt, f"-passes={self._passes}", *options, "-o", "-", "-"]
        try:
            done = subprocess.run(command, input=ir_bytes(ir), capture_output=True, timeout=self._timeout)
        except subprocess.TimeoutExpired:
            return Run("timeout", "while it was lowered", ())
        if done.returncode == 0:
            return done.stdout
        said = done.stderr.decode("utf-8", "replace")
        fatal = re.search(r"LLVM ERROR: .*|error: .*", said)
        if fatal:
            return Run("rejected" if fatal[0].startswith("LLVM ERROR") else "broken", fatal[0], ())
        return Run("crashed", f"opt ended with status {done.returncode}", ())

    def lower(self, ir: str) -> str | bytes | Run:
        """The module as bitcode."""
        return self._run(ir)

    def text(self, ir: str) -> str | Run:
        """The module as text."""
        done = self._run(ir, "-S")
        return done if isinstance(done, Run) else done.decode("utf-8", "surrogateescape")


REFERENCES: dict[str, Callable[[str], Way]] = {
    "llvm": lambda passes: LLVM(passes or DEFAULT),
    "interpreter": lambda _: Interpreted(),
    "pycoro": lambda passes: Passes(passes or DEFAULT, "pycoro's other lowering"),
}
"""What can be compared with, by name; each is made of the text after the colon, as in ``pycoro:coro-early,...``.

>>> from pycoro import oracle
>>> oracle.REFERENCES["interpreter"]("").name
'the interpreter'
"""


def reference(text: str, passes: str = DEFAULT) -> Way:
    """The reference of that name, ``"llvm"`` or ``"pycoro:PASSES"``; without passes of its own it runs ``passes``.

    >>> from pycoro import oracle
    >>> oracle.reference("interpreter").name, oracle.reference("llvm").name
    ('the interpreter', "LLVM's lowering")
    """
    name, _, own = text.partition(":")
    if name not in REFERENCES:
        near = closest_name(name, REFERENCES)
        told = f"; did you mean {near!r}?" if near else ""
        raise UsageError(f"{name!r} is no reference; {', '.join(REFERENCES)} are{told}")
    return REFERENCES[name](own or passes)


AnyLowering: TypeAlias = str | Pass | Pipeline | Way | Callable[[str], object]
"""What may be given as a lowering."""


def _by_objects(passes: Pass | Pipeline) -> Way:
    """Passes that call Python of the caller's, which no other process has."""

    def lowered(ir: str) -> Module:
        module = Module(ir)
        module.run(passes)
        return module

    return CallableLowering(lowered, Passes.ours)


def way(lowering: object) -> Way:
    """The way that is meant by a pass string, a pass, a `Pipeline`, a callable, or a way."""
    if isinstance(lowering, Way):
        return lowering
    if isinstance(lowering, Pass | Pipeline) and hooks_of(lowering):
        return _by_objects(lowering)
    if isinstance(lowering, str | Pass | Pipeline):
        return Passes(text_of(lowering))
    if callable(lowering):
        return CallableLowering(lowering)
    raise TypeError(f"a lowering is a pass string, a Pipeline or a callable, not {short_repr(lowering)}")


def reference_of(given: Way | str, passes: str) -> Way:
    """A reference by name, or itself."""
    if isinstance(given, Way):
        return given
    check("a reference is 'llvm', 'interpreter', 'pycoro:PASSES' or a Way", given, str)
    return reference(given, passes)
