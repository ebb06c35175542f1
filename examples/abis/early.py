"""Outlines the bodies of coroutines before optimization, and inlines them again before coro-split.

The start of a coroutine (copies of parameters, the promise) remains in its function. The rest becomes another function, the *ramp*,
with the frame as its only parameter. So optimizers cannot move code from after `llvm.coro.begin` to before it, and code after a
suspend cannot read a parameter. The frontend calls `coro.init()`, which is true once, and `coro.init.end()` where the ramp begins.
In between, `coro.frame.get(frame, number)` is the address of an alloca.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pycoro
from pycoro.ir import Builder, Function, Instruction, Value

BETWEEN = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,memcpyopt,gvn,dse,adce,simplifycfg)"
GET = "\ndeclare ptr @coro.frame.get(ptr, i32) nounwind willreturn memory(none)\n"


@dataclass
class Apart:
    """An outlined coroutine: the types and alignments of its allocas, and which of them is the promise."""

    name: str
    variables: list[tuple[str, int]]
    promise: int | None


def calls(function: Function, *names: str) -> list[Instruction]:
    return [i for i in function.walk() if i.opcode == "call" and i.callee is not None and i.callee.name in names]


def _ramp(function: Function) -> str:
    text = str(function)
    for argument in function.arguments:
        text = re.sub(rf"%{re.escape(argument.name)}(?![\w.$-])", "poison", text)
    text = re.sub(r"(@llvm\.coro\.free\(token )%[\w.]+", r"\1none", text)
    result = str(function.value_type).partition(" (")[0]
    return f"\ndefine internal {result} @{function.name}.ramp(ptr %coro.frame) noinline {{\n" + text.partition("{\n")[2]


def _share(function: Function, frame: Value, at: Instruction) -> list[Instruction]:
    """Replace allocas with `coro.frame.get` calls before an instruction."""
    found = [i for i in function.blocks[0].instructions if i.opcode == "alloca"]
    build = Builder(function).before(at)
    for number, variable in enumerate(found):
        build.replace(variable, build.call(build.declare("coro.frame.get", "ptr (ptr, i32)"), [frame, number]))
    return found


def take_apart(module: pycoro.Module) -> tuple[pycoro.Module, list[Apart]]:
    whole = [f for f in module.functions.values() if not f.is_declaration and calls(f, "coro.init.end")]
    made = pycoro.Module(str(module) + GET + "".join(map(_ramp, whole)), name=module.name)
    apart = [_take_apart(made, f.name) for f in whole]
    made.run("function(simplifycfg)")  # removes unreachable blocks
    return made, apart


def _take_apart(module: pycoro.Module, name: str) -> Apart:
    function, ramp = module.functions[name], module.functions[f"{name}.ramp"]
    (id_,), (begin,), (end,) = (calls(function, what) for what in ("llvm.coro.id", "llvm.coro.begin", "coro.init.end"))
    build, promise = Builder(function).before(id_), id_.operands[1]
    bare = build.intrinsic("llvm.coro.id", [id_.operands[0], None, None, None])
    build.replace(id_, bare)
    build.erase(id_)
    behind = begin.next
    assert behind is not None
    variables = _share(function, begin, behind)
    apart = Apart(name, [(str(v.element_type), v.align or 1) for v in variables], None)
    apart.promise = next((number for number, variable in enumerate(variables) if variable == promise), None)
    for first in calls(function, "coro.init"):
        build.replace(first, True)
        build.erase(first)
    before = build.split(end)
    build.erase(before.instructions[-1])
    build.at_end(before).ret(build.call(ramp, [begin]))
    _finish_ramp(ramp)
    return apart


def _finish_ramp(ramp: Function) -> None:
    build, frame = Builder(ramp), ramp.arguments[0]
    for value in calls(ramp, "coro.init", "llvm.coro.alloc"):
        build.replace(value, False)
    (begin,) = calls(ramp, "llvm.coro.begin")
    build.replace(begin, frame)
    variables = _share(ramp, frame, next(ramp.walk()))
    for gone in [*calls(ramp, "coro.init", "coro.init.end", "llvm.coro.alloc"), begin, *calls(ramp, "llvm.coro.id"), *variables]:
        build.erase(gone)


def put_together(module: pycoro.Module, apart: list[Apart]) -> None:
    for one in apart:
        build = Builder(module)
        build.remove_attribute(module.functions[f"{one.name}.ramp"], "noinline")
        build.add_attribute(module.functions[f"{one.name}.ramp"], "alwaysinline")
    module.run("always-inline")
    for one in apart:
        function = module.functions[one.name]
        build = Builder(function).at_start(function.blocks[0])
        variables = [build.alloca(kind, align=align) for kind, align in one.variables]
        for get in calls(function, "coro.frame.get"):
            build.replace(get, variables[int(str(get.operands[1]).split()[1])])
            build.erase(get)
        (id_,) = calls(function, "llvm.coro.id")
        promise = None if one.promise is None else variables[one.promise]
        build.before(id_).replace(id_, build.intrinsic("llvm.coro.id", [id_.operands[0], promise, None, None]))
        build.erase(id_)


def lower(module: pycoro.Module, between: str = BETWEEN) -> pycoro.Module:
    made, apart = take_apart(module)
    made.run(between)
    put_together(made, apart)
    made.run("coro-early,cgscc(coro-split),coro-cleanup")
    return made
