"""Print statements; only suspends depend on the ABI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pycoro.strategies import model as m
from pycoro.strategies.handles import held_coroutine
from pycoro.strategies.kinds import alignment, size

if TYPE_CHECKING:
    from pycoro.strategies.text import Printer

__all__ = ["STATEMENTS"]


def _phi_lines(phis: Sequence[m.Phi], edges: Sequence[str]) -> list[str]:
    """Print PHIs with one value for each predecessor."""
    shown: list[str] = []
    for phi in phis:
        values = ", ".join(f"[ {value}, %{block} ]" for value, block in zip(phi.values, edges, strict=True))
        shown.append(f"  {phi.name} = phi {phi.kind} {values}")
    return shown


def _write_join(p: Printer, label: str, edges: Sequence[str], phis: Sequence[m.Phi]) -> bool:
    """Print the join block; return False if it is unreachable."""
    if not edges:
        return False
    p.label(label)
    p.lines += _phi_lines(phis, edges)
    return True


def _print_path_to_join(p: Printer, label: str, body: m.Body, join: str) -> list[str]:
    """Print one of several paths, and return the predecessors of the join."""
    p.label(label)
    if not p.body(body):
        return []
    p.line(f"br label %{join}")
    return [p.block]


def _write_named_instruction(p: Printer, s: m.Let) -> bool:
    p.line(f"{s.name} = {s.text}")
    return True


def _write_void_instruction(p: Printer, s: m.Do) -> bool:
    p.line(s.text)
    return True


def _write_report(p: Printer, s: m.ReportValue) -> bool:
    p.report(s.kind, s.value)
    return True


def _write_suspend(p: Printer, s: m.Suspend) -> bool:
    p.abi.suspend(s)
    return True


def _write_await(p: Printer, s: m.Await) -> bool:
    p.abi.print_await(s)
    return True


def _write_if(p: Printer, s: m.If) -> bool:
    n = p.fresh_number()
    p.line(f"br i1 {s.condition}, label %then{n}, label %{'else' if s.other else 'join'}{n}")
    before = p.block
    edges = _print_path_to_join(p, f"then{n}", s.then, f"join{n}")
    edges += _print_path_to_join(p, f"else{n}", s.other, f"join{n}") if s.other else [before]
    return _write_join(p, f"join{n}", edges, s.phis)


def _write_switch(p: Printer, s: m.Switch) -> bool:
    n = p.fresh_number()
    cases = [f"{s.kind} {number}, label %way{n}.{way}" for way, of in enumerate(s.numbers, 1) for number in of]
    p.line(f"switch {s.kind} {s.value}, label %way{n}.0 [ {' '.join(cases)} ]")
    edges: list[str] = []
    for way, body in enumerate(s.ways):
        edges += _print_path_to_join(p, f"way{n}.{way}", body, f"join{n}")
    return _write_join(p, f"join{n}", edges, s.phis)


def _write_loop(p: Printer, s: m.Loop) -> bool:
    n, before = p.fresh_number(), p.block
    p.line(f"br label %loop{n}")
    p.label(f"loop{n}")
    place = len(p.lines)
    phis = [m.Phi(s.counter, "i32", ("0", f"%next{n}"))] + [m.Phi(c.name, c.kind, (c.first, c.next)) for c in s.carried]
    if not p.body(s.body):  # the back edge is unreachable
        p.lines[place:place] = _phi_lines([m.Phi(phi.name, phi.kind, phi.values[:1]) for phi in phis], [before])
        return False
    p.lines[place:place] = _phi_lines(phis, [before, p.block])
    p.line(f"%next{n} = add i32 {s.counter}, 1")
    p.line(f"%more{n} = icmp ult i32 %next{n}, {s.times}")
    p.line(f"br i1 %more{n}, label %loop{n}, label %done{n}")
    p.label(f"done{n}")
    return True


def _print_irreducible_blocks(p: Printer, s: m.Tangle) -> bool:
    """Print blocks whose jumps each cost fuel; without fuel they branch to the join."""
    n, before = p.fresh_number(), p.block
    p.line(f"br label %part{n}.0")
    places: list[int] = []
    ends: list[str] = []
    for number, block in enumerate(s.blocks):
        p.label(f"part{n}.{number}")
        places.append(len(p.lines))
        ends.append(p.block if p.body(block.body) else "")
        if ends[number]:
            ends[number] = p.block
            _write_jump(p, s, n, number)
    for number in range(len(s.blocks) - 1, -1, -1):  # in reverse, so that indices stay valid
        froms = [i for i, block in enumerate(s.blocks) if ends[i] and number in block.to]
        fuel = [f"%left{n}.{i}" for i in froms]
        edges = [f"on{n}.{i}" for i in froms]
        if number == 0:
            fuel, edges = [str(s.jumps), *fuel], [before, *edges]
        counted = m.Phi(f"{s.fuel}.{number}", "i32", tuple(fuel))
        p.lines[places[number] : places[number]] = _phi_lines([counted, *s.blocks[number].phis], edges)
    return _write_join(p, f"join{n}", [end for end in ends if end], s.phis)


def _write_jump(p: Printer, s: m.Tangle, n: int, number: int) -> None:
    block = s.blocks[number]
    p.line(f"%left{n}.{number} = sub i32 {s.fuel}.{number}, 1")
    p.line(f"%empty{n}.{number} = icmp eq i32 %left{n}.{number}, 0")
    p.line(f"br i1 %empty{n}.{number}, label %join{n}, label %on{n}.{number}")
    p.label(f"on{n}.{number}")
    if len(set(block.to)) == 1:
        p.line(f"br label %part{n}.{block.to[0]}")
    else:
        p.line(f"br i1 {block.condition}, label %part{n}.{block.to[0]}, label %part{n}.{block.to[1]}")


def _write_local(p: Printer, s: m.Local) -> bool:
    if s.asked:
        return _write_alloca_alloc(p, s)
    p.entry.append(f"{s.name} = alloca {s.kind}" + (f", align {s.align}" if s.align else ""))
    if s.known:
        p.entry.append(f"{s.name}.known = alloca ptr")
        p.line(f"store ptr {s.name}, ptr {s.name}.known")
    p.line(f"call void @llvm.lifetime.start.p0(ptr {s.name})")
    where = p.define_value("known", f"load ptr, ptr {s.name}.known") if s.known else s.name
    p.line(f"store {s.kind} {s.value}, ptr {where}")
    return p.scope(lambda unwinding: _end_local(p, s, unwinding), s.body)


def _write_alloca_alloc(p: Printer, s: m.Local) -> bool:
    align = s.align or alignment(s.kind)
    p.line(f"{s.name}.room = call token @llvm.coro.alloca.alloc.i64(i64 {size(s.kind)}, i32 {align})")
    p.line(f"{s.name} = call ptr @llvm.coro.alloca.get(token {s.name}.room)")
    p.line(f"store {s.kind} {s.value}, ptr {s.name}")
    if s.align:
        bits = p.define_value("bits", f"ptrtoint ptr {s.name} to i64")
        p.report("i1", p.define_value("aligned", f"icmp eq i64 {p.define_value('low', f'and i64 {bits}, {s.align - 1}')}, 0"))
    return p.scope(lambda _: _free_dynamic_alloca(p, s), s.body)


def _free_dynamic_alloca(p: Printer, s: m.Local) -> None:
    if s.told:
        place = p.define_value("place", f"call ptr @llvm.coro.alloca.get(token {s.name}.room)")
        p.report(s.kind, p.define_value("last", f"load {s.kind}, ptr {place}"))
    p.line(f"call void @llvm.coro.alloca.free(token {s.name}.room)")


def _end_local(p: Printer, s: m.Local, unwinding: bool) -> None:
    if s.told:
        p.report(s.kind, p.define_value("last", f"load {s.kind}, ptr {s.name}"))
    if s.marked_on_unwind or not unwinding:
        p.line(f"call void @llvm.lifetime.end.p0(ptr {s.name})")


def _write_child(p: Printer, s: m.Child) -> bool:
    child = held_coroutine(p, p.program.coroutine(s.coroutine), s.name)
    child.start(f"{p.prefix}{s.coroutine}", s.arguments, safe=s.elide_safe)
    p.children[s.name] = child
    return p.scope(lambda _: child.destroy(), s.body)


def _write_transfer(p: Printer, s: m.Call) -> bool:
    p.abi.call(s)
    return True


def _write_resume(p: Printer, s: m.Resume) -> bool:
    p.children[s.child].resume()
    p.children[s.child].report_values()
    return True


def _write_invoke(p: Printer, s: m.Invoke) -> bool:
    n = p.fresh_number()
    p.line(f"{s.name} = invoke i32 @may_throw(i32 {s.value}) to label %fine{n} unwind label %pad{n}")
    edges = _print_path_to_join(p, f"fine{n}", s.then, f"join{n}")
    if s.caught is None:
        with p.print_block_at_end(f"pad{n}"):
            p.line(f"%thrown{n} = landingpad {{ ptr, i32 }} cleanup")
            p.branch_to_unwind_block(f"%thrown{n}")
    else:
        p.label(f"pad{n}")
        p.line(f"%thrown{n} = landingpad {{ ptr, i32 }} catch ptr null")
        if p.body(s.caught):
            p.line(f"br label %join{n}")
            edges.append(p.block)
    return _write_join(p, f"join{n}", edges, s.phis)


def _print_leave(p: Printer, s: m.Leave) -> bool:
    p.branch_to_end()
    return False


STATEMENTS: dict[type, Callable[[Any, Any], bool]] = {
    m.Let: _write_named_instruction,
    m.Do: _write_void_instruction,
    m.ReportValue: _write_report,
    m.Suspend: _write_suspend,
    m.Await: _write_await,
    m.If: _write_if,
    m.Switch: _write_switch,
    m.Loop: _write_loop,
    m.Tangle: _print_irreducible_blocks,
    m.Local: _write_local,
    m.Child: _write_child,
    m.Call: _write_transfer,
    m.Resume: _write_resume,
    m.Invoke: _write_invoke,
    m.Leave: _print_leave,
}
