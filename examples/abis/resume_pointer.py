"""An ABI with a resume function for each suspend: resuming is one indirect call without a switch. Destroying uses the index."""

from __future__ import annotations

import pycoro


class ResumePointer(pycoro.SwitchABI):
    """Stores the current resume function in the frame's first slot: `f.resume.0`, `f.resume.1` and so on."""

    resume_functions = "suspend"

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


STEPS = """
define ptr @steps() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @print(i64 1)
  %a = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %a, label %out [ i8 0, label %two
                             i8 1, label %cleanup ]
two:
  call void @print(i64 2)
  %b = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %b, label %out [ i8 0, label %three
                             i8 1, label %cleanup ]
three:
  call void @print(i64 3)
  %c = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %c, label %out [ i8 1, label %cleanup ]
cleanup:
  %mine = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mine)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @print(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
"""

if __name__ == "__main__":
    module = pycoro.Module(STEPS, host=True)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[ResumePointer()]), "coro-cleanup"))
    print("clones:", ", ".join(name for name in module.functions if name.startswith("steps.")))
    with pycoro.Engine(report, externals={"print": print}) as engine:
        handle = engine["steps"]()
        while not handle.done:
            handle.resume()
        handle.destroy()
