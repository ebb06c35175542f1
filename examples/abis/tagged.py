"""An ABI with frames that contain a magic word, the coroutine's name and a link to its awaiter. The hooks are in C: tagged.c."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pycoro

SOURCE = Path(__file__).with_name("tagged.c")


@cache
def hooks() -> bytes:
    """Return the hook module, compiled by clang."""
    clang = shutil.which("clang-22") or "clang"
    command = [clang, "-O1", "-emit-llvm", "-c", str(SOURCE), "-o", "-"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


class Tagged(pycoro.SwitchABI):
    """Provides `tagged_walk(tell)`, which reports the names of the running coroutines, innermost first."""

    def __init__(self) -> None:
        self.hook_module = hooks()

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


def coroutine(name: str, body: str) -> str:
    return f"""
define ptr @{name}() presplitcoroutine {{
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %out [ i8 0, label %on
                                 i8 1, label %cleanup ]
on:
{body}
  br label %cleanup
cleanup:
  %mine = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mine)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""


AWAITING = "  %child = call ptr @{child}()\n  call void @llvm.coro.resume(ptr %child)"
PROGRAM = (
    coroutine("main_task", AWAITING.format(child="fetch"))
    + coroutine("fetch", AWAITING.format(child="read"))
    + coroutine("read", "  call void @look()")
    + "declare void @look()\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
)

TELL = ctypes.CFUNCTYPE(None, ctypes.c_char_p)

if __name__ == "__main__":
    module = pycoro.Module(PROGRAM, host=True)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Tagged()]), "coro-cleanup"))

    def look() -> None:
        names: list[bytes] = []
        walk = ctypes.CFUNCTYPE(ctypes.c_int32, TELL)(engine.address("tagged_walk"))
        count = walk(TELL(names.append))
        for name in names:
            print("  awaited by" if name is not names[0] else "running", name.decode())
        print(count, "coroutines")

    with pycoro.Engine(report, externals={"look": look}) as engine:
        engine["main_task"]().resume()
