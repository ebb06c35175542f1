"""Print coroutines of the async ABI, and callers that drive them.

A suspend transfers a continuation and its context to a function that stores both for the caller. It can also transfer to
another coroutine, whose new context names the continuation to run at the end. The async function pointer holds the size of
the context with the frame. Such a coroutine cannot be destroyed: a caller runs it to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from pycoro.strategies import model as m
from pycoro.strategies.kinds import type_in_intrinsic_name
from pycoro.strategies.writer import Writer, alloca_of, call_arguments_storing_byvals, store_of

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["Async", "Contexts"]

HEADER = 16
"""Size in bytes of the context header: the parent context, and the function to call with it at the end."""


def _typed_operands_v0_v1(kinds: Sequence[str]) -> list[str]:
    return [f"{kind} %v{number}" for number, kind in enumerate(kinds)]


class Async:
    """Printer of the statements that depend on the async ABI."""

    def __init__(self, printer: Printer, how: m.Returned) -> None:
        self._p = printer
        self._how = how
        self._name = f"{printer.prefix}{printer.coroutine.name}"

    def _print_suspend_call(self, kinds: Sequence[str], resume: str, given: Sequence[str]) -> str:
        """Print a suspend that yields values of the kinds, and return its result."""
        p = self._p
        kind = f"{{ {', '.join(kinds)} }}"
        name = f"@llvm.coro.suspend.async.sl_{''.join(map(type_in_intrinsic_name, kinds))}s"
        return p.add_result("back", f"call {kind} (i32, ptr, ptr, ...) {name}(i32 0, ptr {resume}, {', '.join(given)})")

    def print_suspend(self, s: m.Suspend) -> None:
        """Print a suspend; its result is an i1, true if the continuation received the coroutine's own context."""
        p = self._p
        resume = p.add_result("resume", "call ptr @llvm.coro.async.resume()")
        yields = [f"{kind} {value}" for kind, value in zip(self._how.yields, s.yields, strict=True)]
        given = ["ptr @project", f"ptr @{self._name}.hand", "ptr %context", f"ptr {resume}", *yields]
        back = self._print_suspend_call(["ptr"], resume, given)
        same = p.add_result("same", f"extractvalue {{ ptr }} {back}, 0")
        p.add_line(f"{s.name} = icmp eq ptr {same}, %context")

    def print_await(self, s: m.Await) -> NoReturn:
        """Raise TypeError, because llvm.coro.await.suspend needs the switch ABI."""
        raise TypeError("strategies.model.Await needs a coroutine of the switch ABI")

    def print_suspend_until_callee_ends(self, s: m.Call) -> None:
        """Print a suspend that runs another coroutine to its end, frees the context of that one, and binds its results."""
        p, callee = self._p, self._p.program.coroutine(s.coroutine)
        assert callee.returned and callee.returned.tail, "the callee must end with a tail call of the function in its context"
        name, kinds = f"{p.prefix}{callee.name}", ["ptr", *callee.returned.results]
        values = call_arguments_storing_byvals(p, callee, s.arguments)
        inner = print_context_allocation(p, name)
        resume = p.add_result("resume", "call ptr @llvm.coro.async.resume()")
        print_stores_of_context_header(p, inner, "%context", resume)
        back = self._print_suspend_call(
            kinds, resume, ["ptr @caller_of", f"ptr @{name}.enter", f"ptr @{name}", f"ptr {inner}", *values]
        )
        kind = f"{{ {', '.join(kinds)} }}"
        over = p.add_result("over", f"extractvalue {kind} {back}, 0")
        for number, given in enumerate(s.names, 1):
            p.add_line(f"{given} = extractvalue {kind} {back}, {number}")
        p.add_line(f"call void @free_aligned(ptr {over})")

    def coroutine_ir(self) -> str:
        """Return the coroutine, its async function pointer, and its transfer functions."""
        p, c = self._p, self._p.coroutine
        if p.print_body(c.body):
            p.add_line("br label %cleanup")
        shown = ", ".join(["ptr swiftasync %context", *(f"{parameter.kind} {parameter.name}" for parameter in c.parameters)])
        head = f"define swifttailcc void @{self._name}({shown}) presplitcoroutine {{"
        pointer = f"@{self._name}.pointer = global <{{ i32, i32 }}> <{{ i32 0, i32 {HEADER} }}>"
        lines = [pointer, "", head, "entry:", *self._entry_lines(), *p.lines, *p.later, *self._cleanup_block_lines(), "}"]
        return "\n".join(
            [*lines, "", *self._lines_of_yield_function(), *(self._lines_of_resume_begin_end_functions() if self._how.tail else [])]
        )

    def _cleanup_block_lines(self) -> list[str]:
        p, c = self._p, self._p.coroutine
        how = "call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false"
        with p.redirect_lines() as lines:
            p.begin_block("cleanup")
            p.print_body(c.finish)
            if self._how.tail:
                results = [f"{kind} {value}" for kind, value in zip(self._how.results, c.results, strict=True)]
                p.add_line(f"{how}, {', '.join([f'ptr @{self._name}.back', 'ptr %context', *results])})")
            else:
                p.add_line("store ptr null, ptr @next")
                p.add_line(f"{how})")
            p.add_line("unreachable")
        return lines

    def _entry_lines(self) -> list[str]:
        p, c = self._p, self._p.coroutine
        lines = [f"  {alloca_of(v)}" for v in c.variables] + [f"  {text}" for text in p.entry]
        lines += [f"  {store_of(v)}" for v in c.variables if v.early]
        with p.redirect_lines() as early:
            p.print_body(c.early)
        lines += [*early, f"  %id = call token @llvm.coro.id.async(i32 {HEADER}, i32 16, i32 0, ptr @{self._name}.pointer)"]
        lines.append("  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)")
        lines += [f"  {store_of(v)}" for v in c.variables if not v.early]
        return [*lines, "  br label %start", "", "start:"]

    def _lines_of_yield_function(self) -> list[str]:
        """Return the function that reports yielded values and stores the continuation with its context."""
        w = Writer()
        for number, kind in enumerate(self._how.yields):
            w.report(kind, f"%v{number}")
        w.add_line("store ptr %resume, ptr @next")
        w.add_line("store ptr %context, ptr @with")
        w.add_line("ret void")
        self._p.reported |= w.reported
        return self._function_lines("hand", ["ptr swiftasync %context", "ptr %resume", *_typed_operands_v0_v1(self._how.yields)], w)

    def _lines_of_resume_begin_end_functions(self) -> list[str]:
        """Return the functions that resume the parent, begin a callee, and notify a driver at the end."""
        results, passed = (
            _typed_operands_v0_v1(self._how.results),
            _typed_operands_v0_v1([p.kind for p in self._p.coroutine.parameters]),
        )
        context = "ptr swiftasync %context"
        back = Writer()
        to = back.add_result("to", f"load ptr, ptr {back.add_result('at', 'getelementptr i8, ptr %context, i64 8')}")
        back.add_line(f"musttail call swifttailcc void {to}({', '.join([context, *results])})")
        back.add_line("ret void")
        enter = Writer()
        enter.add_line(f"musttail call swifttailcc void %callee({', '.join([context, *passed])})")
        enter.add_line("ret void")
        over = Writer()
        for number, kind in enumerate(self._how.results):
            over.report(kind, f"%v{number}")
        over.add_line("store ptr null, ptr @next")
        over.add_line("ret void")
        self._p.reported |= over.reported
        lines = self._function_lines("back", [context, *results], back)
        lines += ["", *self._function_lines("enter", ["ptr %callee", context, *passed], enter)]
        return ["", *lines, "", *self._function_lines("over", [context, *results], over)]

    def _function_lines(self, name_suffix: str, parameters: Sequence[str], body_writer: Writer) -> list[str]:
        head = f"define internal swifttailcc void @{self._name}.{name_suffix}({', '.join(parameters)}) {{"
        return [head, "entry:", *body_writer.lines, "}"]


def print_context_allocation(w: Writer, coroutine_name: str) -> str:
    """Print the allocation of a context for a coroutine; return the context."""
    place = w.add_result("sizes", f"getelementptr <{{ i32, i32 }}>, ptr @{coroutine_name}.pointer, i32 0, i32 1")
    bytes_ = w.add_result("bytes", f"zext i32 {w.add_result('size', f'load i32, ptr {place}')} to i64")
    return w.add_result("inner", f"call ptr @alloc_aligned(i64 {bytes_}, i64 16)")


def print_stores_of_context_header(w: Writer, context: str, parent_context: str, function_at_end: str) -> None:
    """Store the parent context and the function to call at the end into a context."""
    w.add_line(f"store ptr {parent_context}, ptr {context}")
    w.add_line(f"store ptr {function_at_end}, ptr {w.add_result('at', f'getelementptr i8, ptr {context}, i64 8')}")


class Contexts:
    """An async coroutine driven by a caller, which holds the next continuation and its context in allocas."""

    def __init__(self, writer: Writer, coroutine: m.Coroutine, name: str) -> None:
        assert coroutine.returned
        self._w = writer
        self._c = coroutine
        self._how = coroutine.returned
        self._next, self._with = f"{name}.next", f"{name}.with"
        self._context = ""

    def _print_copy_of_continuation_to_allocas(self) -> None:
        """Save the continuation that the coroutine stored, before another coroutine overwrites it."""
        w = self._w
        for place, kept in (("@next", self._next), ("@with", self._with)):
            w.add_line(f"store ptr {w.add_result('left', f'load ptr, ptr {place}')}, ptr {kept}")

    def print_creation(self, callee: str, values: Sequence[str], *, elide_safe: bool = False) -> None:
        """Allocate a context and run the coroutine to its first suspend."""
        w = self._w
        w.entry += [f"{self._next} = alloca ptr", f"{self._with} = alloca ptr"]
        given = call_arguments_storing_byvals(w, self._c, values)
        self._context = print_context_allocation(w, callee)
        if self._how.tail:
            print_stores_of_context_header(w, self._context, "null", f"@{callee}.over")
        w.add_line(f"call swifttailcc void @{callee}({', '.join([f'ptr swiftasync {self._context}', *given])})")
        self._print_copy_of_continuation_to_allocas()

    def _print_done_query(self) -> str:
        w = self._w
        return w.add_result("over", f"icmp eq ptr {w.add_result('next', f'load ptr, ptr {self._next}')}, null")

    def print_resume_unless_done(self) -> None:
        """Resume the coroutine, unless it is done."""
        w, n = self._w, self._w.fresh_number()
        w.add_line(f"br i1 {self._print_done_query()}, label %over{n}, label %go{n}")
        w.begin_block(f"go{n}")
        after, context = w.add_result("next", f"load ptr, ptr {self._next}"), w.add_result("context", f"load ptr, ptr {self._with}")
        w.add_line(f"call swifttailcc void {after}(ptr swiftasync {context})")
        self._print_copy_of_continuation_to_allocas()
        w.add_line(f"br label %over{n}")
        w.begin_block(f"over{n}")

    def report_values_not_yet_reported(self) -> None:
        """Do nothing, because values are reported when they are yielded."""

    def report_whether_done(self) -> None:
        """Report if the coroutine reached its end."""
        self._w.report("i1", self._print_done_query())

    def print_end_of_lifetime(self) -> None:
        """Run the coroutine to its end, and free its context."""
        w, n = self._w, self._w.fresh_number()
        w.add_line(f"br label %rest{n}")
        w.begin_block(f"rest{n}")
        self.print_resume_unless_done()
        w.add_line(f"br i1 {self._print_done_query()}, label %end{n}, label %rest{n}")
        w.begin_block(f"end{n}")
        w.add_line(f"call void @free_aligned(ptr {self._context})")
