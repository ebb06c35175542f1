"""An ABI like Rust's futures: `i8 f.poll(ptr frame, ptr context)` returns 0 (pending) or 1 (ready)."""

from __future__ import annotations

import ctypes
from collections import deque

from counter import COUNTER

import pycoro

PENDING, READY = 0, 1


class Poll(pycoro.SwitchABI):
    """Stores the context of the current poll in `poll.context`; `llvm.coro.resume` polls without a context."""

    hook_module = """
@poll.context = linkonce_odr global ptr null

declare i8 @abi.clone.poll(ptr %frame, ptr %context)

define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed, ptr %header, ptr %context) {
  store ptr %context, ptr @poll.context
  ret void
}

define i8 @abi.suspend(ptr %frame, i32 %index, i1 %final) {
  %ready = zext i1 %final to i8
  ret i8 %ready
}

define i8 @abi.end(ptr %frame) {
  ret i8 1
}
"""

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


class Executor:
    """Polls its tasks round-robin until all are ready. The context identifies the task."""

    def __init__(self, engine: pycoro.Engine) -> None:
        self._engine = engine
        self._tasks: deque[tuple[int, int, int]] = deque()
        self._polls = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p)

    def spawn(self, ramp: str, *arguments: int) -> None:
        handle = self._engine[ramp](*arguments)
        self._tasks.append((len(self._tasks) + 1, self._engine.address(f"{ramp}.poll"), handle.address))

    def run(self) -> None:
        while self._tasks:
            number, poll, frame = self._tasks.popleft()
            if self._polls(poll)(frame, number) == PENDING:
                self._tasks.append((number, poll, frame))
            else:
                print(f"task {number} is ready")


THREE = COUNTER.replace("br label %loop\ncleanup", "%on = icmp slt i64 %next, 3\n  br i1 %on, label %loop, label %cleanup\ncleanup")

if __name__ == "__main__":
    module = pycoro.Module(THREE, host=True)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Poll()]), "coro-cleanup"))
    with pycoro.Engine(report, externals={"print": print}) as engine:
        executor = Executor(engine)
        executor.spawn("counter", 0)
        executor.spawn("counter", 1)
        executor.run()
