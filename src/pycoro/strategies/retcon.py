"""Returned continuations: how a coroutine begins, yields and ends; and what a caller does with one.

Each yield returns what to call next and the values that are yielded; the frame is in a buffer of the caller's where it
fits. A caller goes on normally or tells the coroutine to clean up, and is given null when there is nothing to go on with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycoro.strategies import model as m
from pycoro.strategies.writer import Writer, alloca_of, store_of

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["Retcon", "drive"]

_SUFFIX = {"": "i1", "i32": "sl_i1i32s", "i64": "sl_i1i64s", "double": "sl_i1f64s"}
"""What llvm.coro.suspend.retcon is called by the type of what a caller passes in."""


def _results(how: m.Returned) -> str:
    """What the ramp returns."""
    return f"{{ {', '.join(['ptr', *how.yields])} }}" if how.yields else "ptr"


def prototype(how: m.Returned, name: str) -> str:
    """The declaration that continuations have the type of."""
    result = "void" if how.once else _results(how)
    return f"declare {result} @{name}({', '.join(['ptr', 'i1', *([how.takes] if how.takes else [])])})"


class Retcon:
    """Prints what belongs to the ABI into a printer."""

    def __init__(self, printer: Printer, how: m.Returned) -> None:
        self._p = printer
        self._how = how

    def suspend(self, s: m.Suspend) -> None:
        """A yield."""
        p, n = self._p, self._p.number()
        undo = p.gone(s.gone)
        given = ", ".join(f"{kind} {value}" for kind, value in zip(self._how.yields, s.yields, strict=True))
        kind = f"{{ i1, {self._how.takes} }}" if self._how.takes else "i1"
        way = f"%way{n}" if self._how.takes else s.name
        result = f"%back{n}" if self._how.takes else s.name
        p.line(f"{result} = call {kind} (...) @llvm.coro.suspend.retcon.{_SUFFIX[self._how.takes]}({given})")
        if self._how.takes:
            p.line(f"{way} = extractvalue {kind} {result}, 0")
            p.line(f"{s.name} = extractvalue {kind} {result}, 1")
        p.line(f"br i1 {way}, label %{undo}, label %resume{n}")
        p.label(f"resume{n}")

    def wait(self, s: m.Await) -> None:
        """There is no llvm.coro.await.suspend here: it is a yield of the same values as any other."""
        raise TypeError("only coroutines of the switch ABI await")

    def text(self) -> str:
        """The coroutine."""
        p, c, how = self._p, self._p.coroutine, self._how
        if p.body(c.body):
            p.line("br label %cleanup")
        shown = ["ptr %buffer"]
        for parameter in c.parameters:
            by = f" byval({parameter.byval}) align {parameter.align}" if parameter.byval else ""
            shown.append(f"{parameter.kind}{by} {parameter.name}")
        eh = " uwtable personality ptr @__gxx_personality_v0" if any(isinstance(s, m.Invoke) for s in m.walk(c.body)) else ""
        head = f"define {_results(how)} @{p.prefix}{c.name}({', '.join(shown)}) presplitcoroutine{eh} {{"
        end = ["", "cleanup:", "  call void @llvm.coro.end(ptr %hdl, i1 false, token none)", "  unreachable"]
        lines = [head, "entry:", *self._entry(), *p.lines, *p.later, *end, *self._unwind(), "}"]
        return "\n".join([*lines, "", prototype(how, f"{p.prefix}{c.name}.prototype")])

    def _entry(self) -> list[str]:
        p, c, how = self._p, self._p.coroutine, self._how
        lines = [f"  {alloca_of(v)}" for v in c.variables] + [f"  {text}" for text in p.entry]
        lines += [f"  {store_of(v)}" for v in c.variables if v.early]
        with p.aside() as early:
            p.body(c.early)
        given = f"i32 {how.size}, i32 {how.align}, ptr %buffer, ptr @{p.prefix}{c.name}.prototype"
        lines += [*early, f"  %id = call token @llvm.coro.id.{c.abi}({given}, ptr @alloc_frame, ptr @free_frame)"]
        lines.append("  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)")
        lines += [f"  {store_of(v)}" for v in c.variables if not v.early]
        return [*lines, "  br label %start", "", "start:"]

    def _unwind(self) -> list[str]:
        if not self._p.thrown:
            return []
        thrown = ", ".join(f"[ {value}, %{block} ]" for value, block in self._p.thrown)
        lines = ["", "unwind:", f"  %thrown = phi {{ ptr, i32 }} {thrown}"]
        return [*lines, "  call void @llvm.coro.end(ptr %hdl, i1 true, token none)", "  resume { ptr, i32 } %thrown"]


class _Caller:
    """Writes a drive of such a coroutine."""

    def __init__(self, w: Writer, coroutine: m.Coroutine, how: m.Returned) -> None:
        self._w = w
        self._c = coroutine
        self._how = how

    def _call(self, text: str, after: str) -> str:
        """Calls what may throw: then there is nothing to go on with."""
        w, n = self._w, self._w.number()
        result = "" if text.startswith("void") else f"%given{n} = "
        if not self._c.throws:
            w.line(f"{result}call {text}")
            return f"%given{n}"
        w.line(f"{result}invoke {text} to label %fine{n} unwind label %pad{n}")
        with w.elsewhere(f"pad{n}"):
            w.line(f"%thrown{n} = landingpad {{ ptr, i32 }} catch ptr null")
            w.say("i8", "-1")
            w.line("store ptr null, ptr %next")
            w.line(f"br label %{after}")
        w.label(f"fine{n}")
        return f"%given{n}"

    def _take(self, given: str) -> None:
        """Keeps what to go on with, and tells what was yielded, if there is anything to go on with."""
        w, kind = self._w, _results(self._how)
        after = w.let("next", f"extractvalue {kind} {given}, 0") if self._how.yields else given
        w.line(f"store ptr {after}, ptr %next")
        n, none = w.number(), w.let("none", f"icmp eq ptr {after}, null")
        w.line(f"br i1 {none}, label %taken{n}, label %yielded{n}")
        w.label(f"yielded{n}")
        for number, part in enumerate(self._how.yields, 1):
            w.say(part, w.let("value", f"extractvalue {kind} {given}, {number}"))
        w.line(f"br label %taken{n}")
        w.label(f"taken{n}")

    def start(self, callee: str, arguments: list[str]) -> None:
        """Calls the ramp."""
        w = self._w
        w.entry += [f"%buffer = alloca [{self._how.size} x i8], align {self._how.align}", "%next = alloca ptr"]
        w.line("store ptr null, ptr %next")
        given = self._call(f"{_results(self._how)} @{callee}({', '.join(['ptr %buffer', *arguments])})", "started")
        self._take(given)
        w.line("br label %started")
        w.label("started")

    def go_on(self, number: int, *, undo: bool) -> None:
        """Calls the continuation if there is one, to go on or to clean up."""
        w, n = self._w, self._w.number()
        after = w.let("next", "load ptr, ptr %next")
        none = w.let("none", f"icmp eq ptr {after}, null")
        w.line(f"br i1 {none}, label %over{n}, label %go{n}")
        w.label(f"go{n}")
        passed = {"": "", "double": f", double {number}.5"}.get(self._how.takes, f", {self._how.takes} {number}")
        result = "void" if self._how.once else _results(self._how)
        given = self._call(f"{result} {after}(ptr %buffer, i1 {'true' if undo else 'false'}{passed})", f"over{n}")
        if self._how.once:
            w.line("store ptr null, ptr %next")
        else:
            self._take(given)
        w.line(f"br label %over{n}")
        w.label(f"over{n}")

    def tell_over(self) -> None:
        """Tells whether there is nothing to go on with."""
        self._w.say("i1", self._w.let("none", f"icmp eq ptr {self._w.let('next', 'load ptr, ptr %next')}, null"))


def drive(w: Writer, c: m.Coroutine, how: m.Returned, callee: str, arguments: list[str], steps: tuple[str, ...]) -> None:
    """Starts, goes on as the steps say, cleans up."""
    caller = _Caller(w, c, how)
    caller.start(callee, arguments)
    for number, step in enumerate(steps):
        if step == "resume":
            caller.go_on(number, undo=False)
        else:
            caller.tell_over()
    caller.go_on(len(steps), undo=True)
    w.line("br label %end")
    w.label("end")
    w.line("ret void")
