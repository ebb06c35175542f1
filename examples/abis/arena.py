"""An ABI that allocates frames in an arena with a bump pointer. The arena is reset when no coroutine is left."""

from __future__ import annotations

from counter import COUNTER

import pycoro

SIZE = 1 << 20


class Arena(pycoro.SwitchABI):
    """Allocates the frames of coroutines that call `llvm.coro.alloc`, except elided frames."""

    def __init__(self, size: int = SIZE) -> None:
        self.hook_module = f"""
@arena = linkonce_odr global [{size} x i8] zeroinitializer, align 16
@arena.used = linkonce_odr global i64 0
@arena.live = linkonce_odr global i64 0
declare void @llvm.trap()

define ptr @abi.alloc(i64 %size, i64 %align) {{
  %used = load i64, ptr @arena.used
  %slack = sub i64 %align, 1
  %above = add i64 %used, %slack
  %mask = sub i64 0, %align
  %start = and i64 %above, %mask
  %end = add i64 %start, %size
  %fits = icmp ule i64 %end, {size}
  br i1 %fits, label %take, label %full
full:
  call void @llvm.trap()
  unreachable
take:
  store i64 %end, ptr @arena.used
  %live = load i64, ptr @arena.live
  %more = add i64 %live, 1
  store i64 %more, ptr @arena.live
  %frame = getelementptr i8, ptr @arena, i64 %start
  ret ptr %frame
}}

define void @abi.free(ptr %frame) {{
  %live = load i64, ptr @arena.live
  %less = sub i64 %live, 1
  store i64 %less, ptr @arena.live
  %any = icmp ne i64 %less, 0
  br i1 %any, label %keep, label %reset
reset:
  store i64 0, ptr @arena.used
  br label %keep
keep:
  ret void
}}
"""

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


if __name__ == "__main__":
    module = pycoro.Module(COUNTER, host=True)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Arena()]), "coro-cleanup"))
    with pycoro.Engine(report, externals={"print": print}) as engine:
        first, second = engine["counter"](1), engine["counter"](100)
        print(f"two frames, {second.address - first.address} bytes apart")
        first.resume()
        first.destroy()
        second.destroy()
