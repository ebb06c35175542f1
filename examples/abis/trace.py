"""An ABI that reports every start, suspend, resumption and end to a callback, with the suspend's index."""

from __future__ import annotations

import ctypes

from counter import COUNTER

import pycoro

BEGUN, SUSPENDED, RESUMED, DESTROYED, ENDED = range(5)
WORDS = ("begun", "suspended", "resumed", "destroyed", "ended")

HOOK_MODULE = """
@trace.tell = linkonce_odr global ptr null

define linkonce_odr void @trace.event(i32 %what, ptr %frame, i32 %index) {
  %tell = load ptr, ptr @trace.tell
  %deaf = icmp eq ptr %tell, null
  br i1 %deaf, label %over, label %say
say:
  call void %tell(i32 %what, ptr %frame, i32 %index)
  br label %over
over:
  ret void
}

define void @abi.begin(ptr %frame) {
  call void @trace.event(i32 0, ptr %frame, i32 0)
  ret void
}

define void @abi.suspend(ptr %frame, i32 %index) {
  call void @trace.event(i32 1, ptr %frame, i32 %index)
  ret void
}

define void @abi.resumed(ptr %frame, i32 %index, i1 %destroyed) {
  %what = select i1 %destroyed, i32 3, i32 2
  call void @trace.event(i32 %what, ptr %frame, i32 %index)
  ret void
}

define void @abi.end(ptr %frame) {
  call void @trace.event(i32 4, ptr %frame, i32 0)
  ret void
}
"""


class Trace(pycoro.SwitchABI):
    """Calls the function `void (*)(int32_t what, void *frame, int32_t index)` that a client stores in `trace.tell`."""

    hook_module = HOOK_MODULE

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True


def tell(what: int, frame: int, index: int) -> None:
    print("  ", WORDS[what], f"at suspend {index}" if what in (SUSPENDED, RESUMED, DESTROYED) else "")


TELL = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)

if __name__ == "__main__":
    told = TELL(tell)  # must outlive the compiled code that calls it
    module = pycoro.Module(COUNTER, host=True)
    report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[Trace()]), "coro-cleanup"))
    with pycoro.Engine(report, externals={"print": print}) as engine:
        ctypes.c_void_p.from_address(engine.address("trace.tell")).value = ctypes.cast(told, ctypes.c_void_p).value
        handle = engine["counter"](7)
        handle.resume()
        handle.destroy()
