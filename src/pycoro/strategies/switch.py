"""Print coroutines of the switched-resume ABI."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from pycoro.strategies import model as m
from pycoro.strategies.ends import ROOM, Ends, print_acts_of_cleanup, print_branch_after_cleanup
from pycoro.strategies.handles import Handle
from pycoro.strategies.writer import alloca_of, store_of

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["Switch"]


class Switch:
    """Printer of the statements that depend on the switch ABI."""

    def __init__(self, printer: Printer) -> None:
        self._p = printer
        self._c = printer.coroutine
        self._ended_at = ""  # predecessor of the cleanup at the final suspend point

    # ---- suspends ----

    def print_suspend(self, s: m.Suspend) -> None:
        """Print a suspend point, from its save to its resume block."""
        p, token = self._p, "none"
        if s.save is not None:
            token = p.add_result("save", "call token @llvm.coro.save(ptr %hdl)")
            p.print_body(s.save)
        self._print_suspend_point(s.name, token, s.gone, branches=s.branches)

    def _print_suspend_point(self, name: str, token: str, destroy_statements: m.Body, *, branches: bool = False) -> None:
        p = self._p
        n, undo = p.fresh_number(), p.print_destroy_path_and_return_label(destroy_statements)
        p.add_line(f"{name} = call i8 @llvm.coro.suspend(token {token}, i1 false)")
        if branches:
            p.add_line(f"%stays{n} = icmp slt i8 {name}, 0")
            p.add_line(f"br i1 %stays{n}, label %out, label %either{n}")
            p.begin_block(f"either{n}")
            p.add_line(f"%goes{n} = icmp eq i8 {name}, 0")
            p.add_line(f"br i1 %goes{n}, label %resume{n}, label %{undo}")
        else:
            p.add_line(f"switch i8 {name}, label %out [ i8 0, label %resume{n} i8 1, label %{undo} ]")
        p.begin_block(f"resume{n}")

    def print_await(self, s: m.Await) -> None:
        """Print a suspend through an awaiter, an alloca with the await function's argument."""
        p = self._p
        n = p.fresh_number()
        awaiter, kind = f"%awaiter{n}", {"void": "i32", "bool": "i1", "handle": "ptr"}[s.form]
        p.entry.append(f"{awaiter} = alloca {kind}")
        p.add_line(f"store {kind} {self._awaiter_operand(s)}, ptr {awaiter}")
        token = p.add_result("save", "call token @llvm.coro.save(ptr %hdl)")
        call = f"@llvm.coro.await.suspend.{s.form}(ptr {awaiter}, ptr %hdl, ptr @await_{s.form})"
        if s.form == "bool":
            p.add_line(f"%waits{n} = call i1 {call}")
            p.add_line(f"br i1 %waits{n}, label %wait{n}, label %ready{n}")
            p.begin_block(f"wait{n}")
        else:
            p.add_line(f"call void {call}")
        self._print_suspend_point(s.name, token, s.gone)
        if s.form == "bool":
            p.add_line(f"br label %ready{n}")
            p.begin_block(f"ready{n}")

    def print_suspend_until_callee_ends(self, s: m.Call) -> NoReturn:
        """Raise TypeError, because strategies.model.Call needs an async coroutine."""
        raise TypeError("strategies.model.Call needs an async coroutine")

    def _awaiter_operand(self, s: m.Await) -> str:
        """Return the content of the awaiter: a value, or the handle to transfer to. The handle is that of a no-op coroutine if
        the child is done.
        """
        p = self._p
        if s.form != "handle":
            return s.value
        noop = p.add_result("noop", "call ptr @llvm.coro.noop()")
        if not s.child:
            return noop
        child = p.children[s.child]
        assert isinstance(child, Handle), "only a coroutine of the switch ABI can be transferred to"
        return p.add_result("next", f"select i1 {child.print_done_or_freed_query()}, ptr {noop}, ptr {s.child}")

    # ---- coroutine ----

    def coroutine_ir(self) -> str:
        """Return the text of the coroutine."""
        p, c = self._p, self._c
        if p.print_body(c.body):
            p.add_line(f"br label %{p.label_of_end_block()}")
        if c.final:
            self._print_final()
        lines = [
            self._define_line(),
            "entry:",
            *self._entry_lines(),
            *p.lines,
            *p.later,
            *self._cleanup_lines(),
            *self._unwind_lines(),
        ]
        return "\n".join([*lines, "}"])

    def _define_line(self) -> str:
        c = self._c
        shown = [] if c.final else ["ptr %life"]
        for parameter in c.parameters:
            by = f" byval({parameter.byval}) align {parameter.align}" if parameter.byval else ""
            shown.append(f"{parameter.kind}{by} {parameter.name}")
        personality = (
            " personality ptr @__gxx_personality_v0" if any(isinstance(s, m.Invoke) for s in m.all_statements(c.body)) else ""
        )
        uwtable = " uwtable" if personality else ""
        return f"define ptr @{self._p.prefix}{c.name}({', '.join(shown)}) presplitcoroutine{uwtable}{personality} {{"

    def _entry_lines(self) -> list[str]:
        c = self._c
        variables = [*c.variables, *([c.promise] if c.promise else [])]
        promise = c.promise.name if c.promise else "null"
        lines = [f"  {alloca_of(v)}" for v in variables] + [f"  {text}" for text in self._p.entry]
        if c.ends:
            lines += ["  %ends.room = alloca [16 x i8]", "  %ends.room.behind = getelementptr i8, ptr %ends.room, i64 8"]
            lines += ["  %ends.object = alloca ptr", "  %ends.selector = alloca i32"]
        lines += [f"  {store_of(v)}" for v in variables if v.early]
        with self._p.redirect_lines() as early:
            self._p.print_body(c.early)
        lines += early
        lines.append(f"  %id = call token @llvm.coro.id(i32 0, ptr {promise}, ptr null, ptr null)")
        lines += self._allocation_lines()
        lines += [f"  {store_of(v)}" for v in variables if not v.early]
        if c.ends:
            lines += [f"  store i64 {ROOM[0]}, ptr %ends.room", f"  store i64 {ROOM[1]}, ptr %ends.room.behind"]
        if c.fails:
            lines += [f"  br i1 {c.fails}, label %fail, label %start", "", "fail:", *self._free_lines("fail")]
            lines += ["  call void @llvm.coro.end(ptr %hdl, i1 true, token none)", "  ret ptr null"]
        else:
            lines.append("  br label %start")
        return [*lines, "", "start:"]

    def _allocation_lines(self) -> list[str]:
        size = ["  %size = call i64 @llvm.coro.size.i64()", "  %align = call i64 @llvm.coro.align.i64()"]
        size.append("  %mem = call ptr @alloc_aligned(i64 %size, i64 %align)")
        if not self._c.guarded:
            return [*size, "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)"]
        return [
            "  %need = call i1 @llvm.coro.alloc(token %id)",
            "  br i1 %need, label %allocate, label %begin",
            "",
            "allocate:",
            *size,
            "  br label %begin",
            "",
            "begin:",
            "  %place = phi ptr [ null, %entry ], [ %mem, %allocate ]",
            "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %place)",
        ]

    def _free_lines(self, name_suffix: str) -> list[str]:
        """Return the deallocation of the frame; conditional on llvm.coro.alloc, it ends in a new block."""
        lines = [f"  %dead.{name_suffix} = call ptr @llvm.coro.free(token %id, ptr %hdl)"]
        free = f"  call void @free_aligned(ptr %dead.{name_suffix})"
        if not self._c.guarded:
            return [*lines, free]
        return [
            *lines,
            f"  %none.{name_suffix} = icmp eq ptr %dead.{name_suffix}, null",
            f"  br i1 %none.{name_suffix}, label %freed.{name_suffix}, label %free.{name_suffix}",
            "",
            f"free.{name_suffix}:",
            free,
            f"  br label %freed.{name_suffix}",
            "",
            f"freed.{name_suffix}:",
        ]

    def _lines_setting_life_flag_unless_final(self) -> list[str]:
        return [] if self._c.final else ["  store i8 1, ptr %life"]

    def _print_final(self) -> None:
        p = self._p
        p.begin_block("finish")
        p.print_body(self._c.finish)
        gone = (
            self._print_final_destroy_block_and_return_label()
            if self._c.ends
            else p.print_destroy_path_and_return_label(self._c.final_gone)
        )
        p.add_line("%final = call i8 @llvm.coro.suspend(token none, i1 true)")
        if self._c.compared:  # it cannot be resumed
            p.add_line("%ends = icmp slt i8 %final, 0")
            p.add_line(f"%known = icmp ult {self._c.compared} 1, 257")
            p.add_line("%stays = icmp eq i1 %ends, %known")
            p.add_line(f"br i1 %stays, label %out, label %{gone}")
            return
        p.add_line(f"switch i8 %final, label %out [ i8 0, label %never i8 1, label %{gone} ]")
        p.begin_block("never")
        p.add_line("unreachable")

    def _print_final_destroy_block_and_return_label(self) -> str:
        """Print the destroy block of the final suspend, which branches to the shared cleanup; return its label."""
        p = self._p
        with p.print_block_at_end("final.gone"):
            p.print_body(self._c.final_gone)
            self._ended_at = p.block
            p.add_line("br label %every.end")
        return "final.gone"

    def _lines_of_shared_cleanup_with_selector(self, ends: Ends) -> list[str]:
        """Return the cleanup and its selector."""
        p, one = self._p, ends.copy is None and bool(self._p.thrown)
        ways = [(ends.numbers[0], "cleanup"), (ends.numbers[1], self._ended_at)] + [(ends.numbers[2], "unwind")] * one
        with p.redirect_lines() as lines:
            p.begin_block("every.end")
            if one and not ends.kept:
                brought = ", ".join(f"[ {'%thrown' if way == 'unwind' else 'poison'}, %{way} ]" for _, way in ways)
                p.add_line(f"%ends.thrown = phi {{ ptr, i32 }} {brought}")
            p.add_line(f"%ends.leads = phi i32 {', '.join(f'[ {number}, %{way} ]' for number, way in ways)}")
            print_acts_of_cleanup(p, ends.acts)
            p.lines += self._free_lines("cleanup")
            print_branch_after_cleanup(p, ends if one else replace(ends, copy=()), ("ends.first", "ends.final", "ends.lost"))
            for way in ("first", "final"):
                p.begin_block(f"ends.{way}")
                if ends.behind:
                    p.report("i32", ends.behind if way == "final" else "6")
                p.add_line("br label %out")
            if one:
                p.begin_block("ends.lost")
                if ends.lost:
                    p.report("i32", "5")
                p.add_line("br label %rethrow")
        return ["", "cleanup:", "  br label %every.end", *lines]

    def _cleanup_lines(self) -> list[str]:
        lines = ["", "cleanup:", *self._lines_setting_life_flag_unless_final(), *self._free_lines("cleanup"), "  br label %out"]
        lines = [*(self._lines_of_shared_cleanup_with_selector(self._c.ends) if self._c.ends else lines), "", "out:"]
        lines.append("  call void @llvm.coro.end(ptr %hdl, i1 false, token none)")
        with self._p.redirect_lines() as after:
            self._p.print_body(self._c.after)
        return [*lines, *after, "  ret ptr %hdl"]

    def _unwind_lines(self) -> list[str]:
        """Return the exceptional exit. A throwing coroutine is at its final suspend point afterwards, unless its ramp still
        runs.
        """
        if not self._p.thrown:
            return []
        thrown = ", ".join(f"[ {value}, %{block} ]" for value, block in self._p.thrown)
        lines = ["", "unwind:", f"  %thrown = phi {{ ptr, i32 }} {thrown}"]
        end = "  call void @llvm.coro.end(ptr %hdl, i1 true, token none)"
        if not self._c.final:
            return [
                *lines,
                *self._lines_setting_life_flag_unless_final(),
                end,
                *self._free_lines("unwind"),
                "  resume { ptr, i32 } %thrown",
            ]
        if self._c.ends:
            return [*lines, *self._unwind_branch_lines(self._c.ends, end)]
        lines += [end, "  %ramp = call i1 @llvm.coro.is_in_ramp()", "  br i1 %ramp, label %unmake, label %rethrow"]
        lines += ["", "unmake:", *self._free_lines("unmake"), "  br label %rethrow"]
        return [*lines, "", "rethrow:", "  resume { ptr, i32 } %thrown"]

    def _unwind_branch_lines(self, ends: Ends, end: str) -> list[str]:
        """Return the branch to the cleanup for exceptions, and the code after it."""
        p, one = self._p, ends.copy is None
        thrown = "%thrown" if ends.kept or not one else "%ends.again"
        with p.redirect_lines() as lines:
            if ends.kept:
                for at, kind, name in ((0, "ptr", "object"), (1, "i32", "selector")):
                    p.add_line(f"%thrown.{name} = extractvalue {{ ptr, i32 }} %thrown, {at}")
                    p.add_line(f"store {kind} %thrown.{name}, ptr %ends.{name}")
            p.lines.append(end)
            p.add_line("%ramp = call i1 @llvm.coro.is_in_ramp()")
            p.add_line(f"br i1 %ramp, label %{'every.end' if one else 'unmake'}, label %rethrow")
            if ends.copy is not None:
                p.begin_block("unmake")
                print_acts_of_cleanup(p, ends.copy)
                p.lines += self._free_lines("unmake")
                p.add_line("br label %rethrow")
            p.begin_block("rethrow")
            if ends.kept:
                p.add_line("%its.object = load ptr, ptr %ends.object")
                p.add_line("%its.selector = load i32, ptr %ends.selector")
                p.add_line("%its.half = insertvalue { ptr, i32 } poison, ptr %its.object, 0")
                thrown = p.add_result("its", "insertvalue { ptr, i32 } %its.half, i32 %its.selector, 1")
            elif one:
                p.add_line("%ends.again = phi { ptr, i32 } [ %thrown, %unwind ], [ %ends.thrown, %ends.lost ]")
            p.add_line(f"resume {{ ptr, i32 }} {thrown}")
        return lines
