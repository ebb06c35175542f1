"""Two passes that only analyze: they report statistics of each function and coroutine as remarks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from program import SUMS

import pycoro


@pycoro.register_pass
@dataclass(frozen=True)
class CountInstructions(pycoro.FunctionPass):
    """Reports the most frequent opcodes of each function."""

    most: int = 3

    def run(self, function: pycoro.Function, module: pycoro.Module) -> None:
        counted = Counter(instruction.opcode for instruction in function.walk())
        common = ", ".join(f"{count} {opcode}" for opcode, count in counted.most_common(self.most))
        self.remark(f"{counted.total()} instructions: {common}", function)


@pycoro.register_pass
class CountSuspends(pycoro.CoroutinePass):
    """Reports the suspends and the frame size of each coroutine, callees first."""

    def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
        self.remark(f"{len(coroutine.suspends)} suspends, {coroutine.frame.size} bytes of frame", coroutine)


if __name__ == "__main__":
    report = pycoro.lower(SUMS, "count-instructions<most=2>,coro-early,count-suspends,coro-split,coro-cleanup")
    for remark in report.remarks:
        print(f"@{remark.function}: {remark.pass_name}: {remark.message}")
