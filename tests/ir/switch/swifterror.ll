; A swifterror value is a register, so each clone has a separate one: in the ramp the parameter or alloca, in a clone a
; new alloca. Its content crosses the suspend in the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>' -verify-each -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT
; RUN: llc-22 %t.O2.ll -filetype=null
; The mark may be on the function alone that is called.
; RUN: sed 's/\(call .*@add(.*\) swifterror/\1/' %s > %t.called.ll
; RUN: pycoro opt %t.called.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s --check-prefix=CALLED

; CALLED-LABEL: define internal fastcc void @f.resume(
; CALLED-DAG: call swiftcc void @add(i32 %{{.*}}, ptr %own)
; CALLED-DAG: call swiftcc void @add(i32 %{{.*}}, ptr %error)

; CHECK-LABEL: define swiftcc ptr @f(i32 %n, ptr swifterror %error)
; CHECK: %[[OWN:.*]] = alloca swifterror ptr
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %[[OWN]])
; CHECK-NEXT: %[[HELD:.*]] = load ptr, ptr %[[OWN]]
; CHECK-NEXT: store ptr %[[HELD]], ptr %own.reload.addr
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %error)
; Nobody reads the frame after the last suspend.
; CHECK: store ptr inttoptr (i64 77 to ptr), ptr %error
; CHECK-NEXT: br

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-DAG: %own = alloca swifterror ptr
; CHECK-DAG: %error = alloca swifterror ptr
; CHECK-DAG: store ptr %{{.*}}, ptr %own
; CHECK-DAG: store ptr %{{.*}}, ptr %error
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %own)
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %error)

; No use of them there.
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK-NOT: alloca
; CHECK: ret void

; OUT: ramp 77
; OUT-NEXT: 101 1001
; OUT-NEXT: 103 1003
; OUT-NEXT: 106 1006

@pair = private constant [7 x i8] c"%d %d\0A\00"
@ramp = private constant [9 x i8] c"ramp %d\0A\00"

define swiftcc ptr @f(i32 %n, ptr swifterror %error) presplitcoroutine {
entry:
  %own = alloca swifterror ptr
  store ptr inttoptr (i64 100 to ptr), ptr %own
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 1, %entry ], [ %next, %resume ]
  call swiftcc void @add(i32 %i, ptr swifterror %own)
  call swiftcc void @add(i32 %i, ptr swifterror %error)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %a = load ptr, ptr %own
  %b = load ptr, ptr %error
  call void @show(ptr %a, ptr %b)
  %next = add i32 %i, 1
  %done = icmp sgt i32 %next, %n
  br i1 %done, label %final, label %loop

final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %suspend [
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %end

suspend:
  store ptr inttoptr (i64 77 to ptr), ptr %error
  br label %end

end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define swiftcc void @add(i32 %by, ptr swifterror %error) noinline {
  %old = load ptr, ptr %error
  %number = ptrtoint ptr %old to i64
  %wide = zext i32 %by to i64
  %sum = add i64 %number, %wide
  %new = inttoptr i64 %sum to ptr
  store ptr %new, ptr %error
  ret void
}

define void @show(ptr %a, ptr %b) {
  %first = ptrtoint ptr %a to i64
  %second = ptrtoint ptr %b to i64
  call i32 (ptr, ...) @printf(ptr @pair, i64 %first, i64 %second)
  ret void
}

define i32 @main() {
  %error = alloca swifterror ptr
  store ptr inttoptr (i64 1000 to ptr), ptr %error
  %handle = call swiftcc ptr @f(i32 3, ptr swifterror %error)
  %left = load ptr, ptr %error
  %number = ptrtoint ptr %left to i64
  call i32 (ptr, ...) @printf(ptr @ramp, i64 %number)
  br label %loop

loop:
  call void @llvm.coro.resume(ptr %handle)
  %done = call i1 @llvm.coro.done(ptr %handle)
  br i1 %done, label %over, label %loop

over:
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
