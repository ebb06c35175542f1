"""Print callers as functions. A slot is two pointers: a handle, and the address of a byte that the coroutine sets when it frees
itself, or null for a coroutine with a final suspend."""

from __future__ import annotations

from pycoro.strategies import acts as a
from pycoro.strategies import model as m
from pycoro.strategies.writer import Writer, call_arguments_storing_byvals

__all__ = ["OWNERS", "OWNING", "caller_text_and_reported_types", "text_calling_last_caller_and_reported_types"]

OWNERS = 2
DEEP = 3  # bound of nested caller calls
PAIR = "{ ptr, ptr }"

OWNING = {
    **{f"kept{n}": f"@kept{n} = internal global {PAIR} zeroinitializer" for n in range(OWNERS)},
    "published": f"@published = internal global {PAIR} zeroinitializer",
    "lives": "@lives = internal global [4096 x i8] zeroinitializer",
    "lives.next": "@lives.next = internal global i32 0",
    "new_life": """define internal ptr @new_life() {
  %next = load i32, ptr @lives.next
  %more = add i32 %next, 1
  store i32 %more, ptr @lives.next
  %number = and i32 %next, 4095
  %life = getelementptr i8, ptr @lives, i32 %number
  store i8 0, ptr %life
  ret ptr %life
}""",
    "owner_over": f"""define internal i1 @owner_over(ptr %owner) {{
  %handle = load ptr, ptr %owner
  %none = icmp eq ptr %handle, null
  br i1 %none, label %over, label %some

some:
  %place = getelementptr {PAIR}, ptr %owner, i32 0, i32 1
  %life = load ptr, ptr %place
  %ends = icmp eq ptr %life, null
  br i1 %ends, label %ask, label %look

ask:
  %done = call i1 @llvm.coro.done(ptr %handle)
  ret i1 %done

look:
  %byte = load i8, ptr %life
  %gone = icmp ne i8 %byte, 0
  ret i1 %gone

over:
  ret i1 true
}}""",
    "owner_step": """define internal void @owner_step(ptr %owner) uwtable {
  %over = call i1 @owner_over(ptr %owner)
  br i1 %over, label %out, label %go

go:
  %handle = load ptr, ptr %owner
  call void @llvm.coro.resume(ptr %handle)
  br label %out

out:
  ret void
}""",
    "owner_end": f"""define internal void @owner_end(ptr %owner) {{
  %handle = load ptr, ptr %owner
  %none = icmp eq ptr %handle, null
  br i1 %none, label %out, label %some

some:
  %known = load ptr, ptr @published
  %same = icmp eq ptr %known, %handle
  br i1 %same, label %withdraw, label %look

withdraw:
  store {PAIR} zeroinitializer, ptr @published
  br label %look

look:
  %place = getelementptr {PAIR}, ptr %owner, i32 0, i32 1
  %life = load ptr, ptr %place
  %ends = icmp eq ptr %life, null
  br i1 %ends, label %destroy, label %ask

ask:
  %byte = load i8, ptr %life
  %gone = icmp ne i8 %byte, 0
  br i1 %gone, label %clear, label %destroy

destroy:
  call void @llvm.coro.destroy(ptr %handle)
  br label %clear

clear:
  store {PAIR} zeroinitializer, ptr %owner
  br label %out

out:
  ret void
}}""",
    "owner_move": f"""define internal void @owner_move(ptr %to, ptr %from) {{
  %same = icmp eq ptr %to, %from
  br i1 %same, label %out, label %go

go:
  call void @owner_end(ptr %to)
  %moved = load {PAIR}, ptr %from
  store {PAIR} %moved, ptr %to
  store {PAIR} zeroinitializer, ptr %from
  br label %out

out:
  ret void
}}""",
    "lent_step": f"""define internal void @lent_step(ptr %handle, ptr %life) noinline uwtable {{
  %own = alloca {PAIR}
  %place = getelementptr {PAIR}, ptr %own, i32 0, i32 1
  store ptr %handle, ptr %own
  store ptr %life, ptr %place
  call void @owner_step(ptr %own)
  ret void
}}""",
}
"""Helper functions of callers, by name."""


class _CallerPrinter:
    """Printer of one caller."""

    def __init__(self, program: m.Program, of: a.Caller, prefix: str) -> None:
        self.w = Writer()
        self._program = program
        self._of = of
        self._prefix = prefix

    def function_ir(self) -> str:
        """Return the IR of the function."""
        of, w = self._of, self.w
        w.add_line("%shallow = icmp eq i32 %deep, 0")
        w.add_line("br i1 %shallow, label %end, label %go")
        w.begin_block("go")
        w.add_line("%less = sub i32 %deep, 1")
        self._print_body(of.body)
        if of.destroys:
            self._print_destroys_of_owned_slots()
        w.add_line("br label %end")
        w.begin_block("end")
        w.add_line("ret void")
        own = [line for n in range(1, of.places + 1) for line in (f"%own{n} = alloca {PAIR}", _line_clearing_slot(f"%own{n}"))]
        apart = " noinline" if of.apart else ""
        how = f"{apart} uwtable personality ptr @__gxx_personality_v0"
        head = f"define internal void @{self._prefix}{of.name}(ptr %lent, i32 %deep){how} {{"
        entry = [f"  {line}" for line in (*w.entry, *own)]
        return "\n".join([head, "entry:", *entry, *w.lines, *w.later, "}"])

    def _slot_operand(self, number: int) -> str:
        return f"%own{number}" if number else "%lent"

    def _print_destroys_of_owned_slots(self) -> None:
        for number in range(1, self._of.places + 1):
            self.w.add_line(f"call void @owner_end(ptr %own{number})")

    def _print_call_that_may_throw(self, text: str, result: str = "") -> None:
        """Print a call that may throw, with the caller's exception handling."""
        of, w, assign = self._of, self.w, f"{result} = " if result else ""
        if not of.unwinds and not of.catches:
            w.add_line(f"{assign}call {text}")
            return
        n = w.fresh_number()
        w.add_line(f"{assign}invoke {text} to label %fine{n} unwind label %pad{n}")
        with w.print_block_at_end(f"pad{n}"):
            w.add_line(f"%thrown{n} = landingpad {{ ptr, i32 }} {'catch ptr null' if of.catches else 'cleanup'}")
            if of.unwinds:
                self._print_destroys_of_owned_slots()
            if of.catches:
                w.report("i8", "-3")
                w.add_line("br label %end")
            else:
                w.add_line(f"resume {{ ptr, i32 }} %thrown{n}")
        w.begin_block(f"fine{n}")

    def _print_body(self, body: tuple[a.Act, ...]) -> None:
        for act in body:
            self._print_act(act)

    def _print_act(self, act: a.Act) -> None:
        w = self.w
        match act:
            case a.Begin(place, coroutine, given):
                self._print_creation(self._slot_operand(place), self._program.coroutine(coroutine), given)
            case a.Step(place):
                self._print_call_that_may_throw(f"void @owner_step(ptr {self._slot_operand(place)})")
            case a.Ask(place):
                w.report("i1", w.add_result("over", f"call i1 @owner_over(ptr {self._slot_operand(place)})"))
            case a.End(place):
                w.add_line(f"call void @owner_end(ptr {self._slot_operand(place)})")
            case a.Move(to, place):
                self._print_move(self._slot_operand(to), self._slot_operand(place))
            case a.Publish(place):
                w.add_line(f"store {PAIR} {w.add_result('shown', f'load {PAIR}, ptr {self._slot_operand(place)}')}, ptr @published")
            case a.Poke():
                self._print_call_that_may_throw("void @owner_step(ptr @published)")
            case a.Keep(place, owner):
                self._print_move(f"@kept{owner}", self._slot_operand(place))
            case a.Take(place, owner):
                self._print_move(self._slot_operand(place), f"@kept{owner}")
            case a.Forget(place):
                w.add_line(_line_clearing_slot(self._slot_operand(place)))
            case a.Lend(place):
                both = w.add_result("both", f"load {PAIR}, ptr {self._slot_operand(place)}")
                handle, life = (w.add_result("part", f"extractvalue {PAIR} {both}, {n}") for n in range(2))
                self._print_call_that_may_throw(f"void @lent_step(ptr {handle}, ptr {life})")
            case a.Enter(caller_, place):
                self._print_call_that_may_throw(f"void @{self._prefix}{caller_}(ptr {self._slot_operand(place)}, i32 %less)")
            case a.Throw():
                self._print_call_that_may_throw(
                    f"i32 @may_throw(i32 {w.add_result('given', 'call i32 @pick()')})", f"%not{w.fresh_number()}"
                )
            case a.Either(then, other):
                self._print_if(then, other)
            case a.Again(count, body):
                self._print_loop(count, body)

    def _print_move(self, to_slot: str, from_slot: str) -> None:
        self.w.add_line(f"call void @owner_move(ptr {to_slot}, ptr {from_slot})")

    def _print_creation(self, slot: str, coroutine: m.Coroutine, given: tuple[str, ...]) -> None:
        w = self.w
        w.add_line(f"call void @owner_end(ptr {slot})")
        life = "null" if coroutine.final else w.add_result("life", "call ptr @new_life()")
        shown = [*([] if coroutine.final else [f"ptr {life}"]), *call_arguments_storing_byvals(w, coroutine, given)]
        handle = f"%begun{w.fresh_number()}"
        self._print_call_that_may_throw(f"ptr @{self._prefix}{coroutine.name}({', '.join(shown)})", handle)
        w.add_line(f"store ptr {handle}, ptr {slot}")
        w.add_line(f"store ptr {life}, ptr {w.add_result('beside', f'getelementptr {PAIR}, ptr {slot}, i32 0, i32 1')}")

    def _print_if(self, then: tuple[a.Act, ...], other: tuple[a.Act, ...]) -> None:
        w = self.w
        n = w.fresh_number()
        w.add_line(f"%bit{n} = trunc i32 {w.add_result('way', 'call i32 @pick()')} to i1")
        w.add_line(f"br i1 %bit{n}, label %then{n}, label %other{n}")
        for label, body in ((f"then{n}", then), (f"other{n}", other)):
            w.begin_block(label)
            self._print_body(body)
            w.add_line(f"br label %join{n}")
        w.begin_block(f"join{n}")

    def _print_loop(self, count: int, body: tuple[a.Act, ...]) -> None:
        w = self.w
        n = w.fresh_number()
        w.entry.append(f"%round{n} = alloca i32")
        w.add_line(f"store i32 0, ptr %round{n}")
        w.add_line(f"br label %again{n}")
        w.begin_block(f"again{n}")
        self._print_body(body)
        w.add_line(f"%before{n} = load i32, ptr %round{n}")
        w.add_line(f"%after{n} = add i32 %before{n}, 1")
        w.add_line(f"store i32 %after{n}, ptr %round{n}")
        w.add_line(f"%more{n} = icmp ult i32 %after{n}, {count}")
        w.add_line(f"br i1 %more{n}, label %again{n}, label %left{n}")
        w.begin_block(f"left{n}")


def _line_clearing_slot(place: str) -> str:
    return f"store {PAIR} zeroinitializer, ptr {place}"


def _may_leak(program: m.Program) -> bool:
    """Return True if a coroutine may leak. The frame of a leaked coroutine may still be elided, which reduces the leak."""
    callers = program.callers
    return any(not (c.destroys and c.unwinds) or any(isinstance(act, a.Forget) for act in a.acts_of(c.body)) for c in callers)


def caller_text_and_reported_types(program: m.Program, of: a.Caller, prefix: str) -> tuple[str, set[str]]:
    """Return the function, and the types that it reports."""
    printer = _CallerPrinter(program, of, prefix)
    return printer.function_ir(), printer.w.reported


def text_calling_last_caller_and_reported_types(program: m.Program, name: str, prefix: str) -> tuple[str, set[str]]:
    """Return ``void name()``, which calls the last caller and destroys coroutines in globals, and the reported types. Where
    coroutines may leak, it always leaks one, so that elision cannot change the outcome.
    """
    last = program.callers[-1].name
    lines = [f"define void @{name}() uwtable personality ptr @__gxx_personality_v0 {{", "entry:", f"  %own = alloca {PAIR}"]
    lines += [f"  {_line_clearing_slot(place)}" for place in ("%own", "@published", *(f"@kept{n}" for n in range(OWNERS)))]
    lines.append("  store i32 0, ptr @lives.next")
    lines.append(f"  invoke void @{prefix}{last}(ptr %own, i32 {DEEP}) to label %fine unwind label %pad")
    lines += ["", "pad:", "  %thrown = landingpad { ptr, i32 } catch ptr null", "  call void @report_i8(i8 -1)", "  br label %fine"]
    lines += ["", "fine:", "  call void @owner_end(ptr %own)"]
    lines += [f"  call void @owner_end(ptr @kept{n})" for n in range(OWNERS)]
    lines.append(f"  {_line_clearing_slot('@published')}")
    if _may_leak(program):
        lines.append("  %lost = call ptr @alloc_frame(i64 8)")
    return "\n".join([*lines, "  ret void", "}"]), {"i8"}
