; A spilled value is reloaded in the nearest common dominator of its uses after a suspend: on one branch if only that
; uses it, before the branch if both do. It is not reloaded in a loop for uses in the loop only, nor between a save and
; its suspend, nor in optnone code. With shared fields it is reloaded before the other value is defined.
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split)' | FileCheck %s --check-prefixes=CHECK,ALONE
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split<reuse-storage>)' | FileCheck %s --check-prefixes=CHECK,SHARE
; RUN: pycoro explain --stage reload_points %s | FileCheck %s --check-prefix=STAGE
; UNSUPPORTED: reference

; CHECK-LABEL: define internal fastcc void @parts.resume(
; CHECK: {{^}}left:
; CHECK-NEXT: %[[ONE:.+]] = load i32, ptr %one.spill.addr
; CHECK-NEXT: call void @show(i32 %[[ONE]])
; CHECK-NEXT: call void @show(i32 %[[BOTH:.+]])
; CHECK: {{^}}right:
; CHECK-NEXT: call void @show(i32 %[[BOTH]])
; CHECK: {{^}}resume.0:
; CHECK-NEXT: %[[BOTH]] = load i32, ptr %both.spill.addr
; CHECK-LABEL: define internal fastcc void @written.resume(
; CHECK: {{^}}resume.0:
; CHECK: %[[WRITTEN:.+]] = load i32, ptr %one.spill.addr
; CHECK-LABEL: define internal fastcc void @made.resume(
; ALONE: {{^}}told:
; ALONE-NEXT: load i32, ptr %kept.spill.addr
; SHARE: {{^}}told:
; SHARE-NEXT: call void @show(
; SHARE: {{^}}resume.0:
; SHARE-NEXT: load i32, ptr %kept.spill.addr

; STAGE-LABEL: @parts
; STAGE: %one is reloaded in resume at %left, of the region landing 0
; STAGE-NEXT: %both is reloaded in resume at landing 0
; STAGE-LABEL: @loops
; STAGE: %in is reloaded in resume at %between, of the region landing 0
; STAGE-NEXT: %late is reloaded in resume at %behind, of the region landing 0
; STAGE-LABEL: @saved
; STAGE: %kept is reloaded in resume at %between, of the region landing 0
; STAGE-LABEL: @freed
; STAGE: %kept is reloaded in resume at %between, of the region landing 0
; STAGE-LABEL: @destroyed
; STAGE: %one is reloaded in resume at %left, of the region landing 0
; STAGE-NEXT: %one is reloaded in destroy at landing 0
; STAGE-NEXT: %one is reloaded in cleanup at landing 0
; STAGE-LABEL: @written
; STAGE-NOT: is reloaded in
; STAGE-LABEL: @made

declare i32 @get()
declare i1 @ask()
declare void @show(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)

define ptr @parts() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %one = call i32 @get()
  %both = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %asked = call i1 @ask()
  br i1 %asked, label %left, label %right

left:
  call void @show(i32 %one)
  call void @show(i32 %both)
  br label %destroyed

right:
  call void @show(i32 %both)
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @loops() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %in = call i32 @get()
  %late = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %first = call i1 @ask()
  br i1 %first, label %between, label %destroyed

between:
  %before = call i1 @ask()
  br i1 %before, label %loop, label %destroyed

loop:
  call void @show(i32 %in)
  %asked = call i1 @ask()
  br i1 %asked, label %loop, label %behind

behind:
  call void @show(i32 %late)
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @saved() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %kept = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %first = call i1 @ask()
  br i1 %first, label %between, label %destroyed

between:
  %save = call token @llvm.coro.save(ptr %handle)
  %asked = call i1 @ask()
  br i1 %asked, label %told, label %waits

told:
  call void @show(i32 %kept)
  br label %waits

waits:
  %again = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %again, label %end [
    i8 0, label %destroyed
    i8 1, label %destroyed
  ]

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @freed() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %kept = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %first = call i1 @ask()
  br i1 %first, label %between, label %destroyed

between:
  %gone = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %gone)
  %asked = call i1 @ask()
  br i1 %asked, label %told, label %end

told:
  call void @show(i32 %kept)
  br label %end

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @destroyed() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %one = call i32 @get()
  %both = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %asked = call i1 @ask()
  br i1 %asked, label %left, label %right

left:
  call void @show(i32 %one)
  br label %end

right:
  call void @show(i32 %both)
  br label %end

destroyed:
  call void @show(i32 %one)
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @written() noinline optnone presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %one = call i32 @get()
  %kept = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %asked = call i1 @ask()
  br i1 %asked, label %left, label %right

left:
  call void @show(i32 %one)
  br label %destroyed

right:
  call void @show(i32 %kept)
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @made() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %kept = call i32 @get()
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %more = call i32 @get()
  %asked = call i1 @ask()
  br i1 %asked, label %told, label %waits

told:
  call void @show(i32 %kept)
  br label %waits

waits:
  %again = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %again, label %end [
    i8 0, label %more.told
    i8 1, label %destroyed
  ]

more.told:
  call void @show(i32 %more)
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
