"""What can go wrong, as a small tree of exceptions under :class:`Error`.

Each carries ``diagnostics``: what is wrong, where, and how to mend it. ``str(error)`` is all of that as text.
Memory that ran out is Python's own ``MemoryError``; an exception raised by a callback comes through as it was raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pycoro._core import STATUSES
from pycoro._printable import printable, printable_lines

__all__ = [
    "BusyError",
    "CallbackError",
    "ClosedError",
    "CompileError",
    "CoroutineError",
    "Diagnostic",
    "Error",
    "FileError",
    "InternalError",
    "JitError",
    "LimitError",
    "LinkError",
    "ParseError",
    "PipelineError",
    "RejectedError",
    "StaleViewError",
    "UndefinedError",
    "UnsupportedError",
    "UsageError",
    "VerifyError",
]

MARGIN = 50
"""How many characters of a pass string are shown on either side of what is wrong in it."""

_STATUSES = {name: (exit_status, text) for name, exit_status, text in STATUSES}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong. A text that does not apply is empty.

    >>> try:
    ...     pycoro.Pipeline("coro-early,coro-spilt")
    ... except pycoro.PipelineError as error:
    ...     print(error.diagnostics[0])
    LLVM: unknown module pass 'coro-spilt' (at character 12 of the pass string)
      coro-early,coro-spilt
                 ^^^^^^^^^^
      hint: did you mean coro-split?
    """

    message: str
    """What is wrong, in one sentence."""
    hint: str = ""
    """How to mend it, in one sentence."""
    function: str = ""
    """The function it was found in, without the ``@``."""
    block: str = ""
    """The block, ``"%entry"``; ``"%7"`` where it has no name."""
    instruction: str = ""
    """The instruction as LLVM prints it."""
    rule: str = ""
    """Stable short name of the rule that was broken, as ``"one-final-suspend"``."""
    status: str = ""
    """The status it belongs to, as ``"EREJECTED"``: a name of ``status.def``, as in pycoro.h's enum."""
    severity: Literal["error", "warning"] = "error"
    """``"error"`` or ``"warning"``."""
    passes: str = ""
    """The pass string that is wrong."""
    at: int = 0
    """Where in it, in bytes from its start."""
    length: int = 0
    """How many bytes of it are wrong; 0 where something is missing."""

    @property
    def where(self) -> str:
        """``"in @f, block %b: instruction"``, as far as each is known; empty where nothing is. Of a pass string, the part that
        is wrong with carets below it."""
        if self.passes:
            return self._marked()
        function = f"in @{printable(self.function)}" if self.function else ""
        block = f"block {printable(self.block)}" if self.block else ""
        place = ", ".join(text for text in (function, block) if text)
        return ": ".join(text for text in (place, printable_lines(self.instruction.strip())) if text)

    def _marked(self) -> str:
        raw = self.passes.encode("utf-8", "surrogatepass")
        before, wrong, after = (
            printable(part.decode("utf-8", "replace"))
            for part in (raw[: self.at], raw[self.at : self.at + self.length], raw[self.at + self.length :])
        )
        if len(before) > MARGIN + 3:
            before = f"...{before[-MARGIN:]}"
        if len(after) > MARGIN + 3:
            after = f"{after[:MARGIN]}..."
        return f"{before}{wrong}{after}\n  {' ' * len(before)}{'^' * max(1, len(wrong))}"

    def __str__(self) -> str:
        message = printable_lines(self.message)
        lines = [message if self.severity == "error" else f"{self.severity}: {message}"]
        if self.where:
            lines.append(f"  {self.where}")
        if self.hint:
            lines.append(f"  hint: {printable_lines(self.hint)}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, str | int]:
        """The diagnostic as a dict of texts and numbers, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


class Error(Exception):
    """The root of pycoro's exceptions.

    Unless its class says otherwise, an error leaves the module it is about as it was.

    >>> try:
    ...     pycoro.Module("no IR")
    ... except pycoro.Error as error:
    ...     print(type(error).__name__, error.exit_status, error.diagnostics[0].message)
    ParseError 1 line 1, column 1: expected top-level entity
    """

    status: ClassVar[str] = "EBUG"

    diagnostics: tuple[Diagnostic, ...]
    """What is wrong, each with its place; empty where there is no more to say than the message."""

    def __init__(self, message: str = "", diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, tuple(diagnostics))
        self.diagnostics = tuple(diagnostics)

    @property
    def message(self) -> str:
        """What is wrong, in one sentence, without its place."""
        text: str = self.args[0]
        return text or next((d.message for d in self.diagnostics), _STATUSES[self.status][1])

    @property
    def exit_status(self) -> int:
        """The exit status of a command line that ends with this error: 1 rejected input, 2 usage, 3 internal error."""
        return _STATUSES[self.status][0]

    def __str__(self) -> str:
        texts = [str(diagnostic) for diagnostic in self.diagnostics]
        said = printable_lines(self.args[0])
        return "\n".join([said, *texts] if said else texts) or printable_lines(self.message)


class ParseError(Error):
    """The input is not LLVM IR, neither text nor bitcode.

    >>> pycoro.Module("define i32 @f() { ret 0 }")
    Traceback (most recent call last):
        ...
    pycoro.errors.ParseError: line 1, column 23: expected type
      in @f: define i32 @f() { ret 0 }
      hint: correct the line; LLVM 22's `opt -S` reports the same
    """

    status = "EPARSE"


class VerifyError(Error):
    """The module breaks a rule of LLVM's; what LLVM's verifier says is in the diagnostics.

    >>> pycoro.Module("define i32 @f() { %x = add i32 %x, 1 ret i32 %x }")
    Traceback (most recent call last):
        ...
    pycoro.errors.VerifyError: Only PHI nodes may reference their own value!
      in @f, block %0: %x = add i32 %x, 1
      hint: correct the IR at this place; `opt -passes=verify` reports the same
    """

    status = "EVERIFY"


class RejectedError(Error):
    """A coroutine is malformed, or of a kind that cannot be lowered.

    >>> try:
    ...     pycoro.lower(pycoro.examples.COUNTER.replace("token none, i1 false", "token none, i1 true"))
    ... except pycoro.RejectedError as error:
    ...     print(error.diagnostics[0].rule, "in", error.diagnostics[0].block)
    ...     print(error.message)
    one-final-suspend in %final
    only one suspend point can be marked as final
    """

    status = "EREJECTED"


class PipelineError(Error):
    """A pass string does not parse, or names a pass that does not exist. Everything that is wrong with it is told of, in its
    order, up to twenty things: each diagnostic has ``passes``, ``at`` and ``length``.

    >>> pycoro.Pipeline("coro-early,coro-spilt")
    Traceback (most recent call last):
        ...
    pycoro.errors.PipelineError: LLVM: unknown module pass 'coro-spilt' (at character 12 of the pass string)
      coro-early,coro-spilt
                 ^^^^^^^^^^
      hint: did you mean coro-split?
    """

    status = "EPIPELINE"


class UsageError(Error, ValueError):
    """The call itself is wrong, as when a function is asked for that the module does not have.

    >>> pycoro.CGSCC()
    Traceback (most recent call last):
        ...
    pycoro.errors.UsageError: a cgscc group has a pass in it
    """

    status = "EUSAGE"


class JitError(Error):
    """A module could not be compiled, or a name not be found in what was compiled.

    >>> pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)).address("missing")
    Traceback (most recent call last):
        ...
    pycoro.errors.JitError: the engine has no definition of @missing
      hint: only what an added module defines and does not keep internal can be looked up
    """

    status = "EJIT"


class LinkError(Error):
    """Modules do not fit together: two define the same, or are of different machines, or LLVM's linker says why.

    >>> pycoro.link([pycoro.examples.COUNTER, pycoro.examples.COUNTER])
    Traceback (most recent call last):
        ...
    pycoro.errors.LinkError: @counter is defined in both <string> and <string>
      hint: rename one of the definitions, or make one internal, weak or linkonce_odr
    """

    status = "ELINK"


class UndefinedError(Error):
    """What an interpreted program does is undefined, or what it would show depends on what is.

    >>> pycoro.Interpreter("define i32 @f() { %x = udiv i32 1, 0 ret i32 %x }").call("f")
    Traceback (most recent call last):
        ...
    pycoro.errors.UndefinedError: the divisor is 0
      in @f: %x = udiv i32 1, 0
      hint: fix the program: its behavior may differ between lowerings
    """

    status = "EUNDEFINED"


class UnsupportedError(Error):
    """An interpreted program holds what the interpreter does not execute.

    >>> pycoro.Interpreter('define void @f() { call void asm "nop", ""() ret void }').call("f")
    Traceback (most recent call last):
        ...
    pycoro.errors.UnsupportedError: the interpreter does not support this instruction, or a value of its type
      in @f: call void asm "nop", ""()
      hint: the interpreter does not support this; lower the module and run the result
    """

    status = "EUNSUPPORTED"


class LimitError(Error):
    """An interpreted program took more steps or memory, or nested deeper, than its interpreter allows; or compiled code and
    Python called each other deeper than the stack of the thread allows.

    >>> pycoro.Interpreter(pycoro.examples.COUNTER, steps=1000).call("sum", 1000)
    Traceback (most recent call last):
        ...
    pycoro.errors.LimitError: the program exceeded the limit of 1000 steps
      in @sum, block %loop: %done = call i1 @llvm.coro.done(ptr %handle)
    """

    status = "ELIMIT"


class CoroutineError(Error, RuntimeError):
    """A coroutine in an engine is in no state for what was asked of it: it is done, or its frame is gone.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     handle = engine["counter"](3, 6)
    ...     handle.destroy()
    ...     handle.resume()
    Traceback (most recent call last):
        ...
    pycoro.errors.CoroutineError: the coroutine @counter was destroyed: its frame is gone
    """

    status = "EUSAGE"


class CompileError(Error):
    """A Python function is not compiled by :func:`pycoro.compile`: ``str`` says where, what is wrong, and how to mend it.

    >>> try:
    ...     @pycoro.compile
    ...     def shout(text: str) -> int:
    ...         return 1
    ... except pycoro.CompileError as error:
    ...     print(error.line, error.column, error.message)
    3 15 a parameter of type str is not compiled
    """

    status = "EREJECTED"

    def __init__(self, message: str = "", file: str = "", line: int = 0, column: int = 0, text: str = "") -> None:
        super().__init__(text or message)
        self.args = (message, file, line, column, text)
        self.file = file
        """The Python file."""
        self.line = line
        """From 1."""
        self.column = column
        """From 1, in characters."""

    def __str__(self) -> str:
        return printable_lines(self.args[4] or self.args[0])


class CallbackError(Error):
    """A callback that is not Python's stopped the run. The exception of a Python callback is raised as it is.

    >>> print(pycoro.CallbackError())
    a callback failed
    """

    status = "ECALLBACK"


class FileError(Error):
    """The engine could not read or write a file.

    >>> import pathlib
    >>> from pycoro import summary
    >>> written = pathlib.Path("other.json").write_text("{}")
    >>> summary.read_summary("other.json")
    Traceback (most recent call last):
        ...
    pycoro.errors.FileError: other.json: this is no summary of pycoro's
      hint: write it again: pycoro opt --export-summary=FILE
    """

    status = "EIO"


class InternalError(Error):
    """A mistake in pycoro. Please report it, with ``ir``.

    >>> print(pycoro.InternalError())
    internal error
    """

    status = "EBUG"

    ir: str | None = None
    """The module that the run began with, as textual IR, where it is known."""


class StaleViewError(Error):
    """A view was used after a pass had changed its module. Ask the module for a new one.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> frame = module.coroutines["counter"].frame
    >>> report = module.run("coro-early,cgscc(coro-split)")
    >>> frame.size
    Traceback (most recent call last):
        ...
    pycoro.errors.StaleViewError: the module has changed since this view of it was made; ask the module for a new one
    """

    status = "EUSAGE"


class ClosedError(Error, ValueError):
    """The object was closed.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> module.close()
    >>> print(module)
    Traceback (most recent call last):
        ...
    pycoro.errors.ClosedError: the module was closed
    """

    status = "EUSAGE"


class BusyError(Error, RuntimeError):
    """The object is in use: by another thread, or by the run whose callback this is.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> module.run("coro-early", after_pass=lambda *step: module.run("coro-cleanup"))
    Traceback (most recent call last):
        ...
    pycoro.errors.BusyError: the module is in use, by another thread or by the run whose callback this is; a ...
    """

    status = "EUSAGE"


_CLASSES: dict[str, type[Error]] = {
    cls.status: cls
    for cls in (
        ParseError,
        VerifyError,
        RejectedError,
        PipelineError,
        UsageError,
        JitError,
        LinkError,
        UndefinedError,
        UnsupportedError,
        LimitError,
        CallbackError,
        FileError,
        InternalError,
    )
}


def error(status: str, diagnostics: Sequence[dict[str, Any]]) -> Error:
    """The exception for a status of the engine, which calls this; it is not meant for others."""
    return _CLASSES[status]("", [Diagnostic(**fields) for fields in diagnostics])
