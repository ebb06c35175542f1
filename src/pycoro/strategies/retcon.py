"""Print coroutines of the returned-continuation ABIs, and callers that drive them.

Each yield returns the next continuation and the yielded values; the frame is in a buffer of the caller if it fits. A caller
resumes the coroutine or lets it clean up, and receives null at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from pycoro.strategies import model as m
from pycoro.strategies.writer import Writer, alloca_of, call_arguments_storing_byvals, store_of

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["Continuations", "Retcon", "ramp_result_type", "suspend_result_type_and_call"]

_MANGLED = {"i1": "i1", "i32": "i32", "i64": "i64", "double": "f64", "ptr": "p0"}
"""Names of the resume argument types in intrinsic names."""


def ramp_result_type(how: m.Returned) -> str:
    """Return the result type of the ramp."""
    return f"{{ {', '.join(['ptr', *how.yields])} }}" if how.yields else "ptr"


def _result_type_of_only_continuation(how: m.Returned) -> str:
    """Return the result type of the only continuation."""
    kinds = how.results
    return kinds[0] if _is_returned_as_one_value(kinds) else f"{{ {', '.join(kinds)} }}" if kinds else "void"


def _is_returned_as_one_value(kinds: Sequence[str]) -> bool:
    """Return True if the results are returned as one value; a struct always counts as several results."""
    return len(kinds) == 1 and kinds[0][0] != "{"


def swifterror_parameter_or_none(coroutine: m.Coroutine) -> m.Parameter | None:
    """Return the swifterror parameter."""
    return next((parameter for parameter in coroutine.parameters if parameter.error), None)


def swiftcc_if_swifterror(coroutine: m.Coroutine) -> str:
    """Return the calling convention that a swifterror needs."""
    return "swiftcc " if swifterror_parameter_or_none(coroutine) else ""


def prototype_declaration(c: m.Coroutine, how: m.Returned, name: str) -> str:
    """Return the prototype declaration of the continuations."""
    result = _result_type_of_only_continuation(how) if how.once else ramp_result_type(how)
    taken = [
        "ptr",
        *(["ptr"] if how.dynamic else []),
        "i1",
        *([how.takes] if how.takes else []),
        *(["ptr swifterror"] if swifterror_parameter_or_none(c) else []),
    ]
    return f"declare {swiftcc_if_swifterror(c)}{result} @{name}({', '.join(taken)})"


def dynamic_retcon_function_pointer_ir(name: str) -> str:
    """Return the coroutine function pointer of a dynamic coroutine: its offset, and the size of its frame."""
    offset = f"i32 trunc (i64 sub (i64 ptrtoint (ptr @{name} to i64), i64 ptrtoint (ptr @{name}.cfp to i64)) to i32)"
    return f"@{name}.cfp = internal global <{{ i32, i32 }}> <{{ {offset}, i32 0 }}>"


def suspend_result_type_and_call(c: m.Coroutine, how: m.Returned, given: str) -> tuple[str, str]:
    """Return the result type of a suspend, and the call of it."""
    takes = [
        *(["ptr"] if how.dynamic else []),
        "i1",
        *([how.takes] if how.takes else []),
        *(["ptr"] if swifterror_parameter_or_none(c) else []),
    ]
    kind = f"{{ {', '.join(takes)} }}" if len(takes) > 1 else "i1"
    suffix = f"sl_{''.join(map(_MANGLED.__getitem__, takes))}s" if len(takes) > 1 else "i1"
    return kind, f"call {kind} (...) @llvm.coro.suspend.retcon.{suffix}({given})"


class Retcon:
    """Printer of the statements that depend on the retcon ABIs."""

    def __init__(self, printer: Printer, how: m.Returned) -> None:
        self._p = printer
        self._how = how

    def print_suspend(self, s: m.Suspend) -> None:
        """Print a yield."""
        p, n = self._p, self._p.fresh_number()
        clean_up = p.print_destroy_path_and_return_label(s.gone)
        given = ", ".join(f"{kind} {value}" for kind, value in zip(self._how.yields, s.yields, strict=True))
        kind, call = suspend_result_type_and_call(p.coroutine, self._how, given)
        way, takes, first = f"%way{n}" if self._how.takes else s.name, kind != "i1", int(self._how.dynamic)
        result = f"%back{n}" if takes else s.name
        p.add_line(f"{result} = {call}")
        if takes:
            p.add_line(f"{way} = extractvalue {kind} {result}, {first}")
        if self._how.takes:
            p.add_line(f"{s.name} = extractvalue {kind} {result}, {first + 1}")
        p.add_line(f"br i1 {way}, label %{clean_up}, label %resume{n}")
        p.begin_block(f"resume{n}")

    def print_await(self, s: m.Await) -> NoReturn:
        """Raise TypeError, because llvm.coro.await.suspend needs the switch ABI."""
        raise TypeError("strategies.model.Await needs a coroutine of the switch ABI")

    def print_suspend_until_callee_ends(self, s: m.Call) -> NoReturn:
        """Raise TypeError, because strategies.model.Call needs an async coroutine."""
        raise TypeError("strategies.model.Call needs an async coroutine")

    def coroutine_ir(self) -> str:
        """Return the text of the coroutine."""
        p, c, how = self._p, self._p.coroutine, self._how
        if p.print_body(c.body):
            p.add_line("br label %cleanup")
        shown = ["ptr %buffer", *(["ptr %allocator"] if how.dynamic else [])]
        for parameter in c.parameters:
            by = f" byval({parameter.byval}) align {parameter.align}" if parameter.byval else ""
            error = " swifterror" if parameter.error else ""
            shown.append(f"{parameter.kind}{by}{error} {parameter.name}")
        eh = (
            " uwtable personality ptr @__gxx_personality_v0"
            if any(isinstance(s, m.Invoke) for s in m.all_statements(c.body))
            else ""
        )
        name = f"@{p.prefix}{c.name}"
        head = f"define {swiftcc_if_swifterror(c)}{ramp_result_type(how)} {name}({', '.join(shown)}) presplitcoroutine{eh} {{"
        lines = [head, "entry:", *self._entry_lines(), *p.lines, *p.later, *self._end_lines(), *self._unwind_lines(), "}"]
        lines += ["", prototype_declaration(c, how, f"{p.prefix}{c.name}.prototype")]
        return "\n".join([*lines, dynamic_retcon_function_pointer_ir(f"{p.prefix}{c.name}")] if how.dynamic else lines)

    def _end_lines(self) -> list[str]:
        p, c, token = self._p, self._p.coroutine, "none"
        with p.redirect_lines() as lines:
            p.begin_block("cleanup")
            p.print_body(c.finish)
            if c.results:
                given = ", ".join(f"{kind} {value}" for kind, value in zip(self._how.results, c.results, strict=True))
                token = p.add_result("results", f"call token (...) @llvm.coro.end.results({given})")
            p.add_line(f"call void @llvm.coro.end(ptr %hdl, i1 false, token {token})")
            p.add_line("unreachable")
        return lines

    def _entry_lines(self) -> list[str]:
        p, c, how = self._p, self._p.coroutine, self._how
        lines = [f"  {alloca_of(v)}" for v in c.variables] + [f"  {text}" for text in p.entry]
        lines += [f"  {store_of(v)}" for v in c.variables if v.early]
        with p.redirect_lines() as early:
            p.print_body(c.early)
        name = f"{p.prefix}{c.name}"
        given = f"i32 {how.size}, i32 {how.align}, ptr %buffer, ptr @{name}.prototype, ptr @alloc_frame, ptr @free_frame"
        if how.dynamic:
            given = f"i32 -1, i32 {how.align}, ptr @{name}.cfp, ptr %allocator, ptr %buffer, ptr @{name}.prototype"
            given += ", ptr @alloc_dynamic, ptr @free_dynamic"
        lines += [*early, f"  %id = call token @llvm.coro.id.{c.abi}({given})"]
        lines.append("  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)")
        lines += [f"  {store_of(v)}" for v in c.variables if not v.early]
        return [*lines, "  br label %start", "", "start:"]

    def _unwind_lines(self) -> list[str]:
        if not self._p.thrown:
            return []
        thrown = ", ".join(f"[ {value}, %{block} ]" for value, block in self._p.thrown)
        lines = ["", "unwind:", f"  %thrown = phi {{ ptr, i32 }} {thrown}"]
        return [*lines, "  call void @llvm.coro.end(ptr %hdl, i1 true, token none)", "  resume { ptr, i32 } %thrown"]


class Continuations:
    """A retcon coroutine driven by a caller, which holds its buffer, its swifterror and the next continuation in allocas."""

    def __init__(self, writer: Writer, coroutine: m.Coroutine, name: str) -> None:
        assert coroutine.returned
        self._w = writer
        self._c = coroutine
        self._throws = coroutine.throws
        self._how = coroutine.returned
        self._buffer, self._next, self._error = f"{name}.buffer", f"{name}.next", f"{name}.error"
        self._guard = f"{name}.guard"
        self._passed = [f"ptr {self._buffer}", *(["ptr @allocator"] if self._how.dynamic else [])]

    def _print_call_that_may_throw(self, text: str, result_type: str, join_label: str) -> str:
        """Print a call that may throw; an exception leaves no continuation."""
        w, n = self._w, self._w.fresh_number()
        assign = "" if result_type.endswith("void") else f"%given{n} = "
        if not self._throws:
            w.add_line(f"{assign}call {result_type} {text}")
            return f"%given{n}"
        w.add_line(f"{assign}invoke {result_type} {text} to label %fine{n} unwind label %pad{n}")
        with w.print_block_at_end(f"pad{n}"):
            w.add_line(f"%thrown{n} = landingpad {{ ptr, i32 }} catch ptr null")
            w.report("i8", "-1")
            w.add_line(f"store ptr null, ptr {self._next}")
            w.add_line(f"br label %{join_label}")
        w.begin_block(f"fine{n}")
        return f"%given{n}"

    def _store_next_and_report_yields(self, given: str) -> None:
        """Store the next continuation, and report the yielded values if there is one."""
        w, kind = self._w, ramp_result_type(self._how)
        after = w.add_result("next", f"extractvalue {kind} {given}, 0") if self._how.yields else given
        w.add_line(f"store ptr {after}, ptr {self._next}")
        n, none = w.fresh_number(), w.add_result("none", f"icmp eq ptr {after}, null")
        w.add_line(f"br i1 {none}, label %taken{n}, label %yielded{n}")
        w.begin_block(f"yielded{n}")
        for number, part in enumerate(self._how.yields, 1):
            w.report(part, w.add_result("value", f"extractvalue {kind} {given}, {number}"))
        w.add_line(f"br label %taken{n}")
        w.begin_block(f"taken{n}")

    def _report_swifterror_if_any(self) -> None:
        w = self._w
        if swifterror_parameter_or_none(self._c):
            held = w.add_result("held", f"load ptr, ptr {self._error}")
            w.report("i64", w.add_result("error", f"ptrtoint ptr {held} to i64"))

    def _buffer_allocation_lines(self, callee: str) -> list[str]:
        """Return the allocation of the buffer; after a dynamic frame there are 8 bytes that nothing may write."""
        how, buffer, guard = self._how, self._buffer, self._guard
        if not how.dynamic:
            return [f"{buffer} = alloca [{how.size} x i8], align {how.align}"]
        return [
            f"{buffer}.size = load i32, ptr getelementptr (i8, ptr @{callee}.cfp, i64 4)",
            f"{buffer}.whole = add i32 {buffer}.size, 8",
            f"{buffer} = alloca i8, i32 {buffer}.whole, align {how.align}",
            f"{guard} = getelementptr i8, ptr {buffer}, i32 {buffer}.size",
            f"store i64 6510615555426900570, ptr {guard}, align 1",
        ]

    def print_creation(self, callee: str, values: Sequence[str], *, elide_safe: bool = False) -> None:
        """Call the ramp."""
        w, how = self._w, self._how
        w.entry += [*self._buffer_allocation_lines(callee), f"{self._next} = alloca ptr"]
        w.add_line(f"store ptr null, ptr {self._next}")
        if swifterror_parameter_or_none(self._c):
            w.entry.append(f"{self._error} = alloca swifterror ptr")
            w.add_line(f"store ptr null, ptr {self._error}")
        n, passed = w.fresh_number(), ", ".join([*self._passed, *call_arguments_storing_byvals(w, self._c, values, self._error)])
        given = self._print_call_that_may_throw(
            f"@{callee}({passed})", f"{swiftcc_if_swifterror(self._c)}{ramp_result_type(how)}", f"started{n}"
        )
        self._store_next_and_report_yields(given)
        self._report_swifterror_if_any()
        w.add_line(f"br label %started{n}")
        w.begin_block(f"started{n}")

    def _call_next_unless_null(self, *, clean_up: bool) -> None:
        """Call the continuation if there is one, to resume or to clean up."""
        w, n = self._w, self._w.fresh_number()
        after = w.add_result("next", f"load ptr, ptr {self._next}")
        none = w.add_result("none", f"icmp eq ptr {after}, null")
        w.add_line(f"br i1 {none}, label %over{n}, label %go{n}")
        w.begin_block(f"go{n}")
        passed = [*self._passed, f"i1 {'true' if clean_up else 'false'}"]
        if self._how.takes:
            passed.append(f"{self._how.takes} {n}{'.5' if self._how.takes == 'double' else ''}")
        passed += [f"ptr swifterror {self._error}"] if swifterror_parameter_or_none(self._c) else []
        result = _result_type_of_only_continuation(self._how) if self._how.once else ramp_result_type(self._how)
        text = f"{after}({', '.join(passed)})"
        given = self._print_call_that_may_throw(text, f"{swiftcc_if_swifterror(self._c)}{result}", f"over{n}")
        if self._how.once:
            self._clear_next_and_report_results(given)
        else:
            self._store_next_and_report_yields(given)
        self._report_swifterror_if_any()
        w.add_line(f"br label %over{n}")
        w.begin_block(f"over{n}")

    def _clear_next_and_report_results(self, given: str) -> None:
        """Report the results and clear the continuation."""
        w, kinds = self._w, self._how.results
        w.add_line(f"store ptr null, ptr {self._next}")
        for number, kind in enumerate(kinds):
            w.report(
                kind,
                given
                if _is_returned_as_one_value(kinds)
                else w.add_result("value", f"extractvalue {_result_type_of_only_continuation(self._how)} {given}, {number}"),
            )

    def print_resume_unless_done(self) -> None:
        """Resume it unless it is done."""
        self._call_next_unless_null(clean_up=False)

    def report_values_not_yet_reported(self) -> None:
        """Do nothing, because values are reported when they are yielded."""

    def print_end_of_lifetime(self) -> None:
        """Call the continuation, if there is one, with the flag to clean up; report the bytes after a dynamic frame."""
        self._call_next_unless_null(clean_up=True)
        if self._how.dynamic:
            self._w.report("i64", self._w.add_result("guard", f"load i64, ptr {self._guard}, align 1"))

    def report_whether_done(self) -> None:
        """Report if there is no continuation."""
        after = self._w.add_result("next", f"load ptr, ptr {self._next}")
        self._w.report("i1", self._w.add_result("none", f"icmp eq ptr {after}, null"))
