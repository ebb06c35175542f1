"""An ABI that puts frames into a caller's buffer of N bytes. It rejects larger frames before lowering."""

from __future__ import annotations

import ctypes

from counter import COUNTER

import pycoro


class CallersFrame(pycoro.SwitchABI):
    """A caller stores the address of N bytes, aligned to 16, in `callers.frame` and calls the ramp, which takes it.

    Without such a buffer the ramp allocates the frame with `malloc`, so that other code still works.
    """

    hook_module = """
@callers.frame = linkonce_odr global ptr null
declare ptr @malloc(i64)
declare void @free(ptr)
@abi.header = constant i1 false ; whether the frame is malloc's

define ptr @abi.alloc(i64 %size) {
  %given = load ptr, ptr @callers.frame
  %none = icmp eq ptr %given, null
  br i1 %none, label %make, label %take
make:
  %made = call ptr @malloc(i64 %size)
  ret ptr %made
take:
  ret ptr %given
}

define void @abi.begin(ptr %frame, ptr %header) {
  %given = load ptr, ptr @callers.frame
  %made = icmp ne ptr %given, %frame
  store i1 %made, ptr %header
  store ptr null, ptr @callers.frame
  ret void
}

define void @abi.free(ptr %frame, i64 %size, i64 %align, ptr %header) {
  %made = load i1, ptr %header
  br i1 %made, label %give, label %over
give:
  call void @free(ptr %frame)
  br label %over
over:
  ret void
}
"""

    def __init__(self, size: int) -> None:
        self._size = size

    def select(self, coroutine: pycoro.Candidate) -> bool:
        return True

    def check_frame(self, frame: pycoro.Frame) -> None:
        if frame.size > self._size:
            dearest = sorted(frame, key=lambda field: field.size, reverse=True)[:3]
            names = ", ".join(f"{field.name} ({field.size})" for field in dearest)
            self.reject(
                f"its frame has {frame.size} bytes, but callers provide {self._size}; the largest fields are {names}",
                hint="reduce the values that are live across suspends, or enlarge the buffer",
            )


if __name__ == "__main__":
    for size in (24, 64):
        module = pycoro.Module(COUNTER, host=True)
        try:
            report = module.run(pycoro.Pipeline("coro-early", pycoro.CoroSplit(abis=[CallersFrame(size)]), "coro-cleanup"))
        except pycoro.RejectedError as error:
            print(error)
            continue
        buffer = ctypes.create_string_buffer(size + 16)
        place = -(-ctypes.addressof(buffer) // 16) * 16
        with pycoro.Engine(report, externals={"print": print}) as engine:
            ctypes.c_void_p.from_address(engine.address("callers.frame")).value = place
            handle = engine["counter"](5)
            print("in the caller's buffer:", handle.address == place)
            handle.resume()
            handle.destroy()
