"""Sample coroutines of the API tests."""

COUNTER = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)

; Prints its argument and the numbers after it up to 100, one a resume; the promise holds the last one.
define ptr @counter(i32 %n) presplitcoroutine {
entry:
  %last = alloca i32, align 4
  %id = call token @llvm.coro.id(i32 0, ptr %last, ptr null, ptr null)
  %wanted = call i1 @llvm.coro.alloc(token %id)
  br i1 %wanted, label %allocate, label %begin

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %place)
  br label %loop

loop:
  %i = phi i32 [ %n, %begin ], [ %next, %resumed ]
  store i32 %i, ptr %last
  call void @print(i32 %i)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %end

end:
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [
    i8 0, label %never
    i8 1, label %cleanup
  ]

never:
  unreachable

cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %used)
  br label %out

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
"""

# The end of most sample coroutines: uses %id, %hdl and %cleanup, then branches to %out.
CLEANUP = """\
cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
"""

# The counter with two final suspends; LLVM's verifier accepts it.
TWO_FINALS = COUNTER.replace("(token none, i1 false)\n  switch", "(token none, i1 true)\n  switch").replace("@counter", "@twice")

PLAIN = "define i32 @plain(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"


def join_modules(*sources: str) -> str:
    """Join the text of several modules, with each declaration once."""
    lines: list[str] = []
    for source in sources:
        lines += [line for line in source.splitlines() if not (line.startswith("declare") and line in lines)]
    return "\n".join(lines) + "\n"
