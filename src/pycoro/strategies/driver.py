"""Print drives as functions that call a coroutine step by step."""

from __future__ import annotations

from pycoro.strategies import model as m
from pycoro.strategies.async_ import Contexts
from pycoro.strategies.handles import Handle
from pycoro.strategies.retcon import Continuations
from pycoro.strategies.writer import Writer

__all__ = ["driver_text_and_reported_types"]


class _DrivePrinter:
    """Printer of one drive. It reports an exception of the ramp as the i8 -2, of a resumption as -1."""

    def __init__(self, program: m.Program, drive: m.Drive, prefix: str) -> None:
        self.w = Writer()
        self._coroutine = program.coroutine(drive.coroutine)
        self._handle = Handle(self.w, self._coroutine, "%h")
        self._drive = drive
        self._prefix = prefix
        self.throws = self._coroutine.throws

    def _print_call_that_may_throw(self, text: str, result: str, reported_if_thrown: str, join_label: str) -> None:
        """Print a call that may throw; ``join_label`` is the join of both successors."""
        assign = f"{result} = " if result else ""
        if not self.throws:
            self.w.add_line(f"{assign}call {text}")
            return
        n = self.w.fresh_number()
        self.w.add_line(f"{assign}invoke {text} to label %fine{n} unwind label %pad{n}")
        with self.w.print_block_at_end(f"pad{n}"):
            self.w.add_line(f"%thrown{n} = landingpad {{ ptr, i32 }} catch ptr null")
            self.w.report("i8", reported_if_thrown)
            self.w.add_line(f"br label %{join_label}")
        self.w.begin_block(f"fine{n}")

    def print_drive(self) -> None:
        """Print the start, the steps and the destruction."""
        w, c = self.w, self._coroutine
        if c.returned:
            self._print_continuation_drive()
            return
        self._handle.print_cleared_life_alloca_unless_final()
        given = self._handle.ramp_arguments_storing_byvals(self._drive.arguments)
        self._print_call_that_may_throw(f"ptr @{self._prefix}{c.name}({given})", "%h", "-2", "end")
        if c.fails:
            w.add_line("%failed = icmp eq ptr %h, null")
            w.add_line("br i1 %failed, label %end, label %started")
            w.begin_block("started")
        for step in self._drive.steps:
            self._print_step(step)
        self._handle.print_end_of_lifetime()
        w.add_line("br label %end")
        w.begin_block("end")
        w.add_line("ret void")

    def _print_continuation_drive(self) -> None:
        """Print a drive of a retcon or async coroutine."""
        w, c = self.w, self._coroutine
        held = Contexts(w, c, "%h") if c.returned and c.returned.context else Continuations(w, c, "%h")
        held.print_creation(f"{self._prefix}{c.name}", self._drive.arguments)
        for step in self._drive.steps:
            if step == "resume":
                held.print_resume_unless_done()
            else:
                held.report_whether_done()
        held.print_end_of_lifetime()
        w.add_line("ret void")

    def _print_step(self, step: str) -> None:
        h = self._handle
        if step == "done":
            self.w.report("i1", h.print_done_or_freed_query())
        elif step == "promise":
            if self._coroutine.promise:
                if self._coroutine.final:
                    h.report_promise()
                else:
                    with h.run_unless_done_or_freed():
                        h.report_promise()
        else:
            with h.run_unless_done_or_freed() as over:
                self._print_call_that_may_throw("void @llvm.coro.resume(ptr %h)", "", "-1", over)


def driver_text_and_reported_types(program: m.Program, drive: m.Drive, name: str, prefix: str) -> tuple[str, set[str]]:
    """Return the function ``void name()`` that does a drive, and the types that it reports."""
    writing = _DrivePrinter(program, drive, prefix)
    writing.print_drive()
    w = writing.w
    eh = " uwtable personality ptr @__gxx_personality_v0" if writing.throws else ""
    entry = [f"  {text}" for text in w.entry]
    return "\n".join([f"define void @{name}(){eh} {{", "entry:", *entry, *w.lines, *w.later, "}"]), w.reported
