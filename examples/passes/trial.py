"""A pass that runs an inner pipeline on a copy of a function, to see how LLVM's passes would shrink its frame."""

from __future__ import annotations

from dataclasses import dataclass

from program import SUMS

import pycoro


@pycoro.register_pass
@dataclass(frozen=True)
class TryFirst(pycoro.CoroutinePass):
    """Rejects a coroutine if its frame is too large even after LLVM's passes."""

    most: int = 4096
    passes: str = "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)"

    def run(self, coroutine: pycoro.Coroutine, module: pycoro.Module) -> None:
        name, size = coroutine.name, coroutine.frame.size
        with module.copy() as alone:
            alone.run(f"internalize<preserve-gv={name}>,globaldce")
            report = alone.run(self.passes)
            smaller = alone.coroutines[name].frame.size
        self.remark(f"{size} bytes of frame, {smaller} after {len(report.steps)} LLVM passes", coroutine)
        if smaller > self.most:
            self.reject(
                f"the frame has {smaller} bytes, but the limit is {self.most}",
                coroutine,
                hint="reduce the values that are live across suspends",
            )


if __name__ == "__main__":
    for remark in pycoro.lower(SUMS, [TryFirst(), "coro-early,coro-split,coro-cleanup"]).remarks:
        print(f"@{remark.function}: {remark.pass_name}: {remark.message}")
    try:
        pycoro.lower(SUMS, [TryFirst(most=16)])
    except pycoro.RejectedError as error:
        print(error)
