"""Async coroutines: how a coroutine begins, hands over and ends; and what a caller does with one.

A suspend hands a continuation over to a function, which keeps it for the caller; the context that the frame is in is as
large as the async function pointer says. There is no way to destroy such a coroutine: a caller runs it to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.strategies import model as m
from pycoro.strategies.writer import Writer, alloca_of, store_of

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["Async", "drive"]

HEADER = 16
"""Of a context, in bytes."""


class Async:
    """Prints what belongs to the ABI into a printer."""

    def __init__(self, printer: Printer, yields: tuple[str, ...]) -> None:
        self._p = printer
        self._yields = yields
        self._name = f"{printer.prefix}{printer.coroutine.name}"

    def suspend(self, s: m.Suspend) -> None:
        """A suspend: what it gives is the context again."""
        p, n = self._p, self._p.number()
        given = "".join(f", {kind} {value}" for kind, value in zip(self._yields, s.yields, strict=True))
        p.line(f"%resume{n} = call ptr @llvm.coro.async.resume()")
        p.line(
            f"%back{n} = call {{ ptr }} (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %resume{n}, "
            f"ptr @project, ptr @{self._name}.hand, ptr %context, ptr %resume{n}{given})"
        )
        p.line(f"%same{n} = extractvalue {{ ptr }} %back{n}, 0")
        p.line(f"{s.name} = icmp eq ptr %same{n}, %context")

    def wait(self, s: m.Await) -> None:
        """There is no llvm.coro.await.suspend here."""
        raise TypeError("only coroutines of the switch ABI await")

    def text(self) -> str:
        """The coroutine, its async function pointer, and the function that it hands over to."""
        p, c = self._p, self._p.coroutine
        if p.body(c.body):
            p.line("br label %cleanup")
        shown = ", ".join(["ptr swiftasync %context", *(f"{parameter.kind} {parameter.name}" for parameter in c.parameters)])
        head = f"define swifttailcc void @{self._name}({shown}) presplitcoroutine {{"
        end = ["", "cleanup:", "  store ptr null, ptr @next", "  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)"]
        pointer = f"@{self._name}.pointer = global <{{ i32, i32 }}> <{{ i32 0, i32 {HEADER} }}>"
        lines = [pointer, "", head, "entry:", *self._entry(), *p.lines, *p.later, *end, "  unreachable", "}"]
        return "\n".join([*lines, "", *self._hand()])

    def _entry(self) -> list[str]:
        p, c = self._p, self._p.coroutine
        lines = [f"  {alloca_of(v)}" for v in c.variables] + [f"  {text}" for text in p.entry]
        lines += [f"  {store_of(v)}" for v in c.variables if v.early]
        with p.aside() as early:
            p.body(c.early)
        lines += [*early, f"  %id = call token @llvm.coro.id.async(i32 {HEADER}, i32 16, i32 0, ptr @{self._name}.pointer)"]
        lines.append("  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)")
        lines += [f"  {store_of(v)}" for v in c.variables if not v.early]
        return [*lines, "  br label %start", "", "start:"]

    def _hand(self) -> list[str]:
        """Tells what is yielded, and keeps the continuation."""
        w = Writer()
        for number, kind in enumerate(self._yields):
            w.say(kind, f"%y{number}")
        self._p.told |= w.told
        shown = ", ".join(["ptr swiftasync %context", "ptr %resume", *(f"{kind} %y{n}" for n, kind in enumerate(self._yields))])
        return [
            f"define internal swifttailcc void @{self._name}.hand({shown}) {{",
            "entry:",
            *w.lines,
            "  store ptr %resume, ptr @next",
            "  ret void",
            "}",
        ]


def drive(w: Writer, callee: str, arguments: list[str], steps: tuple[str, ...]) -> None:
    """Makes a context, runs the coroutine to its end in as many calls as it takes, frees the context. As often as the steps
    say it is told whether the end is reached; then it runs on in a loop."""
    w.line(f"%sizes = getelementptr <{{ i32, i32 }}>, ptr @{callee}.pointer, i32 0, i32 1")
    w.line("%size = load i32, ptr %sizes")
    w.line("%bytes = zext i32 %size to i64")
    w.line("%context = call ptr @alloc_aligned(i64 %bytes, i64 16)")
    w.line(f"call swifttailcc void @{callee}({', '.join(['ptr swiftasync %context', *arguments])})")
    for step in steps:
        if step == "resume":
            _go_on(w)
        else:
            w.say("i1", w.let("over", f"icmp eq ptr {w.let('next', 'load ptr, ptr @next')}, null"))
    w.line("br label %rest")
    w.label("rest")
    _go_on(w)
    over = w.let("over", f"icmp eq ptr {w.let('next', 'load ptr, ptr @next')}, null")
    w.line(f"br i1 {over}, label %end, label %rest")
    w.label("end")
    w.line("call void @free_aligned(ptr %context)")
    w.line("ret void")


def _go_on(w: Writer) -> None:
    n, after = w.number(), w.let("next", "load ptr, ptr @next")
    w.line(f"br i1 {w.let('over', f'icmp eq ptr {after}, null')}, label %over{n}, label %go{n}")
    w.label(f"go{n}")
    w.line(f"call swifttailcc void {after}(ptr swiftasync %context)")
    w.line(f"br label %over{n}")
    w.label(f"over{n}")
