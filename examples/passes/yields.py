"""A pass that changes IR: a coroutine that computes for long gives way at every n-th iteration of its loops."""

from __future__ import annotations

from dataclasses import dataclass

from program import SUMS

import pycoro
from pycoro.ir import Block, Builder, Function, Instruction, Loop


@pycoro.register_pass
@dataclass(frozen=True)
class Yields(pycoro.FunctionPass):
    """Suspends in each loop of a coroutine, after every so many iterations."""

    every: int = 1000

    def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
        if not function.presplit:
            return
        ways = ways_out(function)
        if ways is None:
            self.remark("it has no suspend whose ways could be gone", function, done=False)
            return
        latches = [latch for loop in function.loops if not suspends(loop) for latch in loop.latches]
        for latch in latches:  # what the loops are is known of the function as it was
            self.give_way(function, latch, *ways)
            self.remark(f"%{latch.name} gives way every {self.every} iterations", function)

    def give_way(self, function: Function, latch: Block, out: Block, cleanup: Block) -> None:
        """A counter at the end of the block: whenever it is full, a suspend."""
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


def ways_out(function: Function) -> tuple[Block, Block] | None:
    """Where a suspend of the function goes when it suspends, and when it is destroyed: to blocks without phis."""
    for block in function.blocks:
        last = block.instructions[-1]
        if last.opcode == "switch" and any(is_suspend(instruction) for instruction in block):
            out, cleanup = last.successors[0], last.successors[2]
            if all(way.instructions[0].opcode != "phi" for way in (out, cleanup)):
                return out, cleanup
    return None


def run(passes: str) -> int:
    """How often the coroutine has to be resumed until it is done."""
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
