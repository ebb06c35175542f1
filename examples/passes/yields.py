"""A pass that changes IR: it makes long-running coroutines suspend in every n-th iteration of their loops."""

from __future__ import annotations

from dataclasses import dataclass

from program import SUMS

import pycoro
from pycoro.ir import Block, Builder, Function, Instruction, Loop


@pycoro.register_pass
@dataclass(frozen=True)
class Yields(pycoro.FunctionPass):
    """Inserts a suspend into each loop of a coroutine, taken every `every` iterations."""

    every: int = 1000

    def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
        if not function.is_presplit:
            return
        blocks = exit_and_cleanup(function)
        if blocks is None:
            self.remark("no suspend to copy the exit and cleanup paths from", function, passed=False)
            return
        latches = [latch for loop in function.loops if not suspends(loop) for latch in loop.latches]
        for latch in latches:  # the loops were computed before the change
            self.insert_suspend(function, latch, *blocks)
            self.remark(f"%{latch.name} suspends every {self.every} iterations", function)

    def insert_suspend(self, function: Function, latch: Block, out: Block, cleanup: Block) -> None:
        """Insert a counter at the end of the block, and a suspend when it reaches `every`."""
        build = Builder(function)
        build.before(function.blocks[0].instructions[0])
        counter = build.alloca("i32", name="iterations")
        build.store(build.constant("i32", 0), counter)
        work = build.split(latch.instructions[-1], f"{latch.name}.work")
        build.erase(work.instructions[-1])
        build.at_end(work)
        count = build.add(build.load("i32", counter), 1)
        build.store(count, counter)
        rest = build.add_block(f"{latch.name}.rest", before=latch)
        build.branch_if(build.icmp("eq", count, self.every), rest, latch)
        build.at_end(rest).store(build.constant("i32", 0), counter)
        what = build.intrinsic("llvm.coro.suspend", [build.constant("token", None), build.constant("i1", 0)])
        build.switch(what, out, [(0, latch), (1, cleanup)])


def is_suspend(instruction: Instruction) -> bool:
    callee = instruction.callee if instruction.opcode == "call" else None
    return callee is not None and callee.name == "llvm.coro.suspend"


def suspends(loop: Loop) -> bool:
    return any(is_suspend(instruction) for block in loop for instruction in block)


def exit_and_cleanup(function: Function) -> tuple[Block, Block] | None:
    """Return the successors of some suspend for suspending and destroying, if these blocks have no phis."""
    for block in function.blocks:
        last = block.instructions[-1]
        if last.opcode == "switch" and any(is_suspend(instruction) for instruction in block):
            out, cleanup = last.successors[0], last.successors[2]
            if all(block.instructions[0].opcode != "phi" for block in (out, cleanup)):
                return out, cleanup
    return None


def run(passes: str) -> int:
    """Return the number of resumes until the coroutine is done."""
    report = pycoro.lower(SUMS, passes, host=True)
    with pycoro.Engine(report, externals={"print": print}) as engine:
        handle = engine["sums"](10_000)
        times = 0
        while not handle.done:
            handle.resume()
            times += 1
        handle.destroy()
    return times


if __name__ == "__main__":
    print("resumed", run("coro-early,coro-split,coro-cleanup"), "times without")
    print("resumed", run("yields<every=1000>,coro-early,coro-split,coro-cleanup"), "times with a yield every 1000 iterations")
