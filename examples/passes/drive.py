"""A pass written with llvmlite: it adds a function for each coroutine that runs it to its end."""

# llvmlite's builder has no type annotations:
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import llvmlite.ir as ll  # type: ignore[import-untyped]
from program import SUMS

import pycoro

POINTER, NUMBER, NOTHING, TRUTH = ll.PointerType(), ll.IntType(32), ll.VoidType(), ll.IntType(1)


class Drive(pycoro.ModulePass):
    """Adds `@f.run` with the parameters of `@f`. It starts `@f`, resumes it until it is done, and returns the number of resumes."""

    def run(self, module: pycoro.Module) -> None:
        coroutines = [function for function in module.functions.values() if function.is_presplit]
        driven = [driver(function.name, [ll.IntType(32)] * len(function.arguments)) for function in coroutines]
        known = module.functions.keys()
        words = {text for text, name in map(declared, ("done", "resume", "destroy")) if name not in known}
        module.replace("\n".join([str(module), *sorted(words), *driven]))


def declared(word: str) -> tuple[str, str]:
    name = f"llvm.coro.{word}"
    return f"declare {'i1' if word == 'done' else 'void'} @{name}(ptr)", name


def driver(name: str, takes: list[ll.Type]) -> str:
    """Return the text of `@name.run`."""
    scratch = ll.Module()
    done, resume, destroy = (
        ll.Function(scratch, ll.FunctionType(result, [POINTER]), f"llvm.coro.{word}")
        for word, result in (("done", TRUTH), ("resume", NOTHING), ("destroy", NOTHING))
    )
    ramp = ll.Function(scratch, ll.FunctionType(POINTER, takes), name)
    run = ll.Function(scratch, ll.FunctionType(NUMBER, takes), f"{name}.run")
    entry, ask, on, over = (run.append_basic_block(word) for word in ("entry", "ask", "on", "over"))
    build = ll.IRBuilder(entry)
    handle = build.call(ramp, run.args)
    build.branch(ask)
    build.position_at_end(ask)
    times = build.phi(NUMBER)
    build.cbranch(build.call(done, [handle]), over, on)
    build.position_at_end(on)
    build.call(resume, [handle])
    times.add_incoming(NUMBER(0), entry)
    times.add_incoming(build.add(times, NUMBER(1)), on)
    build.branch(ask)
    build.position_at_end(over)
    build.call(destroy, [handle])
    build.ret(times)
    return str(run)


if __name__ == "__main__":
    report = pycoro.lower(SUMS, [Drive(), "coro-early,coro-split,coro-cleanup"], host=True)
    with pycoro.Engine(report, externals={"print": print}) as engine:
        print("resumed", engine["sums.run"](100), "times")
