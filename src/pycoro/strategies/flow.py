"""Print statements; only suspends depend on the ABI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pycoro.strategies import model as m
from pycoro.strategies.handles import handle_printer_for
from pycoro.strategies.kinds import abi_alignment, size_in_array

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer
    from pycoro.strategies.writer import FallsThrough

__all__ = ["STATEMENTS"]


def _phi_lines(phis: Sequence[m.Phi], predecessors: Sequence[str]) -> list[str]:
    """Return PHIs with one value for each predecessor."""
    shown: list[str] = []
    for phi in phis:
        values = ", ".join(f"[ {value}, %{block} ]" for value, block in zip(phi.values, predecessors, strict=True))
        shown.append(f"  {phi.name} = phi {phi.kind} {values}")
    return shown


def _print_join_if_reached(p: Printer, label: str, predecessors: Sequence[str], phis: Sequence[m.Phi]) -> FallsThrough:
    """Print the join block; return False if it is unreachable."""
    if not predecessors:
        return False
    p.begin_block(label)
    p.lines += _phi_lines(phis, predecessors)
    return True


def _print_path_and_return_predecessors_of_join(p: Printer, label: str, body: m.Body, join: str) -> list[str]:
    """Print one of several paths, and return the predecessors of the join."""
    p.begin_block(label)
    if not p.print_body(body):
        return []
    p.add_line(f"br label %{join}")
    return [p.block]


def _print_named_instruction(p: Printer, s: m.Let) -> FallsThrough:
    p.add_line(f"{s.name} = {s.text}")
    return True


def _print_void_instruction(p: Printer, s: m.Do) -> FallsThrough:
    p.add_line(s.text)
    return True


def _print_report(p: Printer, s: m.ReportValue) -> FallsThrough:
    p.report(s.kind, s.value)
    return True


def _print_suspend(p: Printer, s: m.Suspend) -> FallsThrough:
    p.abi.print_suspend(s)
    return True


def _print_await(p: Printer, s: m.Await) -> FallsThrough:
    p.abi.print_await(s)
    return True


def _print_if(p: Printer, s: m.If) -> FallsThrough:
    n = p.fresh_number()
    p.add_line(f"br i1 {s.condition}, label %then{n}, label %{'else' if s.other else 'join'}{n}")
    before = p.block
    predecessors = _print_path_and_return_predecessors_of_join(p, f"then{n}", s.then, f"join{n}")
    predecessors += _print_path_and_return_predecessors_of_join(p, f"else{n}", s.other, f"join{n}") if s.other else [before]
    return _print_join_if_reached(p, f"join{n}", predecessors, s.phis)


def _print_switch(p: Printer, s: m.Switch) -> FallsThrough:
    n = p.fresh_number()
    cases = [f"{s.kind} {number}, label %way{n}.{way}" for way, of in enumerate(s.numbers, 1) for number in of]
    p.add_line(f"switch {s.kind} {s.value}, label %way{n}.0 [ {' '.join(cases)} ]")
    predecessors: list[str] = []
    for way, body in enumerate(s.ways):
        predecessors += _print_path_and_return_predecessors_of_join(p, f"way{n}.{way}", body, f"join{n}")
    return _print_join_if_reached(p, f"join{n}", predecessors, s.phis)


def _print_loop(p: Printer, s: m.Loop) -> FallsThrough:
    n, before = p.fresh_number(), p.block
    p.add_line(f"br label %loop{n}")
    p.begin_block(f"loop{n}")
    place = len(p.lines)
    phis = [m.Phi(s.counter, "i32", ("0", f"%next{n}"))] + [m.Phi(c.name, c.kind, (c.first, c.next)) for c in s.carried]
    if not p.print_body(s.body):  # the back edge is unreachable
        p.lines[place:place] = _phi_lines([m.Phi(phi.name, phi.kind, phi.values[:1]) for phi in phis], [before])
        return False
    p.lines[place:place] = _phi_lines(phis, [before, p.block])
    p.add_line(f"%next{n} = add i32 {s.counter}, 1")
    p.add_line(f"%more{n} = icmp ult i32 %next{n}, {s.times}")
    p.add_line(f"br i1 %more{n}, label %loop{n}, label %done{n}")
    p.begin_block(f"done{n}")
    return True


def _print_tangle(p: Printer, s: m.Tangle) -> FallsThrough:
    """Print blocks whose jumps each cost fuel; without fuel they branch to the join."""
    n, before = p.fresh_number(), p.block
    p.add_line(f"br label %part{n}.0")
    places: list[int] = []
    ends: list[str] = []
    for number, block in enumerate(s.blocks):
        p.begin_block(f"part{n}.{number}")
        places.append(len(p.lines))
        ends.append(p.block if p.print_body(block.body) else "")
        if ends[number]:
            ends[number] = p.block
            _print_end_of_tangle_block(p, s, n, number)
    for number in range(len(s.blocks) - 1, -1, -1):  # in reverse, so that indices stay valid
        froms = [i for i, block in enumerate(s.blocks) if ends[i] and number in block.to]
        fuel = [f"%left{n}.{i}" for i in froms]
        predecessors = [f"on{n}.{i}" for i in froms]
        if number == 0:
            fuel, predecessors = [str(s.jumps), *fuel], [before, *predecessors]
        counted = m.Phi(f"{s.fuel}.{number}", "i32", tuple(fuel))
        p.lines[places[number] : places[number]] = _phi_lines([counted, *s.blocks[number].phis], predecessors)
    return _print_join_if_reached(p, f"join{n}", [end for end in ends if end], s.phis)


def _print_end_of_tangle_block(p: Printer, tangle: m.Tangle, tangle_number: int, block_index: int) -> None:
    """Print the end of one block: without fuel it leaves the tangle, else it branches to another block of it."""
    block = tangle.blocks[block_index]
    p.add_line(f"%left{tangle_number}.{block_index} = sub i32 {tangle.fuel}.{block_index}, 1")
    p.add_line(f"%empty{tangle_number}.{block_index} = icmp eq i32 %left{tangle_number}.{block_index}, 0")
    p.add_line(f"br i1 %empty{tangle_number}.{block_index}, label %join{tangle_number}, label %on{tangle_number}.{block_index}")
    p.begin_block(f"on{tangle_number}.{block_index}")
    if len(set(block.to)) == 1:
        p.add_line(f"br label %part{tangle_number}.{block.to[0]}")
    else:
        p.add_line(f"br i1 {block.condition}, label %part{tangle_number}.{block.to[0]}, label %part{tangle_number}.{block.to[1]}")


def _print_local(p: Printer, s: m.Local) -> FallsThrough:
    if s.asked:
        return _print_local_by_coro_alloca_alloc(p, s)
    p.entry.append(f"{s.name} = alloca {s.kind}" + (f", align {s.align}" if s.align else ""))
    if s.known:
        p.entry.append(f"{s.name}.known = alloca ptr")
        p.add_line(f"store ptr {s.name}, ptr {s.name}.known")
    p.add_line(f"call void @llvm.lifetime.start.p0(ptr {s.name})")
    where = p.add_result("known", f"load ptr, ptr {s.name}.known") if s.known else s.name
    p.add_line(f"store {s.kind} {s.value}, ptr {where}")
    return p.print_scope(lambda unwinding: _print_lifetime_end_of_local(p, s, unwinding), s.body)


def _print_local_by_coro_alloca_alloc(p: Printer, s: m.Local) -> FallsThrough:
    align = s.align or abi_alignment(s.kind)
    p.add_line(f"{s.name}.room = call token @llvm.coro.alloca.alloc.i64(i64 {size_in_array(s.kind)}, i32 {align})")
    p.add_line(f"{s.name} = call ptr @llvm.coro.alloca.get(token {s.name}.room)")
    p.add_line(f"store {s.kind} {s.value}, ptr {s.name}")
    if s.align:
        bits = p.add_result("bits", f"ptrtoint ptr {s.name} to i64")
        p.report("i1", p.add_result("aligned", f"icmp eq i64 {p.add_result('low', f'and i64 {bits}, {s.align - 1}')}, 0"))
    return p.print_scope(lambda _: _print_coro_alloca_free(p, s), s.body)


def _print_coro_alloca_free(p: Printer, s: m.Local) -> None:
    if s.told:
        place = p.add_result("place", f"call ptr @llvm.coro.alloca.get(token {s.name}.room)")
        p.report(s.kind, p.add_result("last", f"load {s.kind}, ptr {place}"))
    p.add_line(f"call void @llvm.coro.alloca.free(token {s.name}.room)")


def _print_lifetime_end_of_local(p: Printer, s: m.Local, unwinding: bool) -> None:
    if s.told:
        p.report(s.kind, p.add_result("last", f"load {s.kind}, ptr {s.name}"))
    if s.marked_on_unwind or not unwinding:
        p.add_line(f"call void @llvm.lifetime.end.p0(ptr {s.name})")


def _print_child(p: Printer, s: m.Child) -> FallsThrough:
    child = handle_printer_for(p, p.program.coroutine(s.coroutine), s.name)
    child.print_creation(f"{p.prefix}{s.coroutine}", s.arguments, elide_safe=s.elide_safe)
    p.children[s.name] = child
    return p.print_scope(lambda _: child.print_end_of_lifetime(), s.body)


def _print_async_call(p: Printer, s: m.Call) -> FallsThrough:
    p.abi.print_suspend_until_callee_ends(s)
    return True


def _print_resume(p: Printer, s: m.Resume) -> FallsThrough:
    p.children[s.child].print_resume_unless_done()
    p.children[s.child].report_values_not_yet_reported()
    return True


def _print_invoke(p: Printer, s: m.Invoke) -> FallsThrough:
    n = p.fresh_number()
    p.add_line(f"{s.name} = invoke i32 @may_throw(i32 {s.value}) to label %fine{n} unwind label %pad{n}")
    predecessors = _print_path_and_return_predecessors_of_join(p, f"fine{n}", s.then, f"join{n}")
    if s.caught is None:
        with p.print_block_at_end(f"pad{n}"):
            p.add_line(f"%thrown{n} = landingpad {{ ptr, i32 }} cleanup")
            p.print_branch_to_unwind(f"%thrown{n}")
    else:
        p.begin_block(f"pad{n}")
        p.add_line(f"%thrown{n} = landingpad {{ ptr, i32 }} catch ptr null")
        if p.print_body(s.caught):
            p.add_line(f"br label %join{n}")
            predecessors.append(p.block)
    return _print_join_if_reached(p, f"join{n}", predecessors, s.phis)


def _print_leave(p: Printer, s: m.Leave) -> FallsThrough:
    p.branch_to_end()
    return False


STATEMENTS: dict[type, Callable[[Any, Any], bool]] = {
    m.Let: _print_named_instruction,
    m.Do: _print_void_instruction,
    m.ReportValue: _print_report,
    m.Suspend: _print_suspend,
    m.Await: _print_await,
    m.If: _print_if,
    m.Switch: _print_switch,
    m.Loop: _print_loop,
    m.Tangle: _print_tangle,
    m.Local: _print_local,
    m.Child: _print_child,
    m.Call: _print_async_call,
    m.Resume: _print_resume,
    m.Invoke: _print_invoke,
    m.Leave: _print_leave,
}
