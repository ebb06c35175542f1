"""Exception classes, all derived from :class:`Error`.

Each has ``diagnostics``: the error, its location and the fix. ``str(error)`` prints them. An argument of a wrong type raises
``TypeError``, an index past the end of a sequence ``IndexError``, and exhausted memory ``MemoryError``; exceptions of callbacks
propagate unchanged. A :class:`UsageError` is also a ``ValueError``, for an unknown name a ``KeyError``, for a missing element of a
constant an ``IndexError``, and for a number that does not fit its type an ``OverflowError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pycoro._core import STATUSES
from pycoro._escape import printable, printable_lines

__all__ = [
    "BusyError",
    "CallbackError",
    "ClosedError",
    "CompileError",
    "Diagnostic",
    "Error",
    "FileError",
    "InternalError",
    "JitError",
    "LifecycleError",
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
"""Number of characters shown before and after the wrong part of a pass string."""

_STATUSES = {name: (exit_status, text) for name, exit_status, text in STATUSES}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error or warning. Fields that do not apply are empty.

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
    """The error in one sentence."""
    hint: str = ""
    """The fix in one sentence."""
    function: str = ""
    """Function with the error, without the ``@``."""
    block: str = ""
    """Block, ``"%entry"``; ``"%7"`` if unnamed."""
    instruction: str = ""
    """Instruction as LLVM prints it."""
    rule: str = ""
    """Stable short name of the violated rule, as ``"one-final-suspend"``."""
    status: str = ""
    """Status name of ``status.def``, as ``"EREJECTED"``, as in pycoro.h's enum."""
    severity: Literal["error", "warning"] = "error"
    """``"error"`` or ``"warning"``."""
    passes: str = ""
    """Pass string with the error."""
    at: int = 0
    """Byte offset of the error in the pass string."""
    length: int = 0
    """Length of the wrong part in bytes; 0 if something is missing."""

    @property
    def where(self) -> str:
        """Location as ``"in @f, block %b: instruction"``, as far as known. For a pass string, its wrong part with carets below."""
        if self.passes:
            return self._pass_string_with_carets()
        function = f"in @{printable(self.function)}" if self.function else ""
        block = f"block {printable(self.block)}" if self.block else ""
        place = ", ".join(text for text in (function, block) if text)
        return ": ".join(text for text in (place, printable_lines(self.instruction.strip())) if text)

    def _pass_string_with_carets(self) -> str:
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
        """Return the diagnostic as a dict of texts and numbers, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


class Error(Exception):
    """Base class of pycoro's exceptions.

    A call that raises does not modify the module, unless the class says otherwise.

    >>> try:
    ...     pycoro.Module("no IR")
    ... except pycoro.Error as error:
    ...     print(type(error).__name__, error.exit_status, error.diagnostics[0].message)
    ParseError 1 line 1, column 1: expected top-level entity
    """

    status: ClassVar[str] = "EBUG"

    diagnostics: tuple[Diagnostic, ...]
    """Errors with their locations; empty if the message is all that is known."""

    def __init__(self, message: str = "", diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message, tuple(diagnostics))
        self.diagnostics = tuple(diagnostics)

    @property
    def message(self) -> str:
        """The error in one sentence, without its location."""
        text: str = self.args[0]
        return text or next((d.message for d in self.diagnostics), _STATUSES[self.status][1])

    @property
    def exit_status(self) -> int:
        """Exit status of a command that ends with this error: 1 rejected input, 2 usage, 3 internal error."""
        return _STATUSES[self.status][0]

    def __str__(self) -> str:
        texts = [str(diagnostic) for diagnostic in self.diagnostics]
        message = printable_lines(self.args[0])
        return "\n".join([message, *texts] if message else texts) or printable_lines(self.message)


class ParseError(Error):
    """The input is neither textual IR nor bitcode.

    >>> pycoro.Module("define i32 @f() { ret 0 }")
    Traceback (most recent call last):
        ...
    pycoro.errors.ParseError: line 1, column 23: expected type
      in @f: define i32 @f() { ret 0 }
      hint: correct the line; LLVM 22's `opt -S` reports the same
    """

    status = "EPARSE"


class VerifyError(Error):
    """LLVM's verifier rejects the module; the diagnostics have its messages.

    >>> pycoro.Module("define i32 @f() { %x = add i32 %x, 1 ret i32 %x }")
    Traceback (most recent call last):
        ...
    pycoro.errors.VerifyError: Only PHI nodes may reference their own value!
      in @f, block %0: %x = add i32 %x, 1
      hint: correct the IR at this place; `opt -passes=verify` reports the same
    """

    status = "EVERIFY"


class RejectedError(Error):
    """A coroutine is malformed, or uses something that cannot be lowered.

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
    """A pass string is malformed or names an unknown pass. The diagnostics list up to twenty errors in order, each with
    ``passes``, ``at`` and ``length``.

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
    """The call itself is invalid, for example it names a function that the module does not have.

    >>> pycoro.CGSCC()
    Traceback (most recent call last):
        ...
    pycoro.errors.UsageError: a cgscc group needs at least one pass
    """

    status = "EUSAGE"


class IndexUsageError(UsageError, IndexError):
    """A sequence has no element with the index."""


class OverflowUsageError(UsageError, OverflowError):
    """A number does not fit its type."""


class JitError(Error):
    """A module cannot be compiled, or compiled code does not define a name.

    >>> pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)).address("missing")
    Traceback (most recent call last):
        ...
    pycoro.errors.JitError: the engine has no definition of @missing
      hint: only what an added module defines and does not keep internal can be looked up
    """

    status = "EJIT"


class LinkError(Error):
    """Modules cannot be linked: duplicate definitions, different targets, or an error of LLVM's linker.

    >>> pycoro.link([pycoro.examples.COUNTER, pycoro.examples.COUNTER])
    Traceback (most recent call last):
        ...
    pycoro.errors.LinkError: @counter is defined in both <string> and <string>
      hint: rename one of the definitions, or make one internal, weak or linkonce_odr
    """

    status = "ELINK"


class UndefinedError(Error):
    """An interpreted program has undefined behavior, or its observable behavior depends on an undefined value.

    >>> pycoro.Interpreter("define i32 @f() { %x = udiv i32 1, 0 ret i32 %x }").call("f")
    Traceback (most recent call last):
        ...
    pycoro.errors.UndefinedError: the divisor is 0
      in @f, block %0: %x = udiv i32 1, 0
      hint: fix the program: its behavior may differ between lowerings
    """

    status = "EUNDEFINED"


class UnsupportedError(Error):
    """The interpreter does not support an instruction or value of the program.

    >>> pycoro.Interpreter('define void @f() { call void asm "nop", ""() ret void }').call("f")
    Traceback (most recent call last):
        ...
    pycoro.errors.UnsupportedError: the interpreter does not support this instruction, or a value of its type
      in @f, block %0: call void asm "nop", ""()
      hint: the interpreter does not support this; lower the module and run the result
    """

    status = "EUNSUPPORTED"


class LimitError(Error):
    """An interpreted program exceeds its interpreter's limit of steps, memory or call depth; or compiled code and Python call each
    other deeper than the thread's stack allows.

    >>> pycoro.Interpreter(pycoro.examples.COUNTER, steps=1000).call("sum", 1000)
    Traceback (most recent call last):
        ...
    pycoro.errors.LimitError: the program exceeded the limit of 1000 steps
      in @sum, block %loop: %done = call i1 @llvm.coro.done(ptr %handle)
    """

    status = "ELIMIT"


class LifecycleError(Error, RuntimeError):
    """The state of a coroutine in an engine does not permit the operation: it is done or destroyed.

    >>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
    ...     handle = engine["counter"](3, 6)
    ...     handle.destroy()
    ...     handle.resume()
    Traceback (most recent call last):
        ...
    pycoro.errors.LifecycleError: the coroutine @counter was destroyed, and its frame is freed
    """

    status = "EUSAGE"


class CompileError(Error):
    """:func:`pycoro.compile` cannot compile a Python function. ``str`` gives the location, the error and the fix.

    >>> try:
    ...     @pycoro.compile
    ...     def shout(text: str) -> int:
    ...         return 1
    ... except pycoro.CompileError as error:
    ...     print(error.line, error.column, error.message)
    3 15 a parameter of type str is not supported
    """

    status = "EREJECTED"

    def __init__(self, message: str = "", file: str = "", line: int = 0, column: int = 0, text: str = "") -> None:
        super().__init__(text or message)
        self.args = (message, file, line, column, text)
        self.file = file
        """Python file."""
        self.line = line
        """From 1."""
        self.column = column
        """From 1, in characters."""

    def __str__(self) -> str:
        return printable_lines(self.args[4] or self.args[0])


class CallbackError(Error):
    """A native callback stopped the run. Exceptions of Python callbacks propagate unchanged.

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
    pycoro.errors.FileError: other.json: not a summary of pycoro, because its 'format' is not 'pycoro-summary'
      hint: recreate it with pycoro opt --export-summary=FILE
    """

    status = "EIO"


class InternalError(Error):
    """Bug in pycoro. Please report it together with ``ir``.

    >>> print(pycoro.InternalError())
    internal error
    """

    status = "EBUG"

    ir: str | None = None
    """Textual IR of the module before the run, if known."""


class StaleViewError(Error):
    """A view was used after its module changed. Get a new view from the module.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> frame = module.coroutines["counter"].frame
    >>> report = module.run("coro-early,cgscc(coro-split)")
    >>> frame.size
    Traceback (most recent call last):
        ...
    pycoro.errors.StaleViewError: the module has changed since this view was created; get a new one from the module
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
    """The object is in use by another thread, or by the run that called this callback.

    >>> module = pycoro.Module(pycoro.examples.COUNTER)
    >>> module.run("coro-early", after_pass=lambda *step: module.run("coro-cleanup"))
    Traceback (most recent call last):
        ...
    pycoro.errors.BusyError: the module is in use by another thread, or by the run that called this callback; use ...
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


def error_for_status(status: str, diagnostics: Sequence[dict[str, Any]]) -> Error:
    """Create the exception for a status; the engine calls this function."""
    return _CLASSES[status]("", [Diagnostic(**fields) for fields in diagnostics])
