; A generator that filters another one becomes one loop that reads an element in one place and uses it in one place, as
; a handwritten loop; no state remains. At Os code size does not grow for that. A driver with optnone keeps its code and
; the attribute, although it waits for the wave of the generators.
; RUN: pycoro opt %s -S -passes='default<O2>' | FileCheck %s
; RUN: pycoro opt %s -S -passes='default<O3>' | FileCheck %s
; RUN: pycoro opt %s -S -passes='default<Os>' | FileCheck %s --check-prefix=SIZE
; RUN: sed 's/^define i32 @sum(i32 %n)/& noinline optnone/' %s > %t.ll
; RUN: pycoro opt %t.ll -S -passes='default<O2>' | FileCheck %s --check-prefix=OPTNONE

; CHECK-LABEL: define i32 @sum(
; CHECK-NOT: {{alloca|malloc|switch|ptr|store|load}}
; CHECK-DAG: and i32 %{{.*}}, {{4|5}}
; CHECK-DAG: call i32 @llvm.fshl.i32
; CHECK-NOT: {{alloca|malloc|switch|ptr|store|load|fshl|and i32}}
; CHECK: ret i32

; SIZE-LABEL: define i32 @sum(
; SIZE-NOT: {{alloca|malloc}}
; SIZE: ret i32

; OPTNONE: Function Attrs: noinline optnone
; OPTNONE-NEXT: define i32 @sum(
; OPTNONE: call {{.*}}ptr @counter
; OPTNONE: call {{.*}}@odd.resume(
; OPTNONE: {{^}}body:
; OPTNONE: call {{.*}}@odd.resume(
; OPTNONE: ret i32

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare ptr @malloc(i64)
declare void @free(ptr)

define internal ptr @counter(i32 %n) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %end [ i8 0, label %test
                              i8 1, label %cleanup ]
test:
  %i = phi i32 [ 0, %start ], [ %i1, %step ]
  %in = icmp slt i32 %i, %n
  br i1 %in, label %yield, label %last
yield:
  store i32 %i, ptr %promise
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %end [ i8 0, label %step
                              i8 1, label %cleanup ]
step:
  %i1 = add nsw i32 %i, 1
  br label %test
last:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %end [ i8 0, label %never
                              i8 1, label %cleanup ]
never:
  unreachable
cleanup:
  %given = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %given)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define internal ptr @odd(ptr %from) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %end [ i8 0, label %first
                              i8 1, label %cleanup ]
first:
  call void @llvm.coro.resume(ptr %from)
  br label %test
test:
  %done = call i1 @llvm.coro.done(ptr %from)
  br i1 %done, label %last, label %look
look:
  %place = call ptr @llvm.coro.promise(ptr %from, i32 4, i1 false)
  %value = load i32, ptr %place
  %bits = and i32 %value, 5
  %no = icmp eq i32 %bits, 0
  br i1 %no, label %step, label %yield
yield:
  store i32 %value, ptr %promise
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %end [ i8 0, label %step
                              i8 1, label %cleanup ]
step:
  call void @llvm.coro.resume(ptr %from)
  br label %test
last:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %end [ i8 0, label %never
                              i8 1, label %cleanup ]
never:
  unreachable
cleanup:
  %given = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %given)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define i32 @sum(i32 %n) {
entry:
  %all = call ptr @counter(i32 %n)
  %some = call ptr @odd(ptr %all)
  call void @llvm.coro.resume(ptr %some)
  br label %test
test:
  %sum = phi i32 [ 0, %entry ], [ %sum1, %body ]
  %done = call i1 @llvm.coro.done(ptr %some)
  br i1 %done, label %end, label %body
body:
  %place = call ptr @llvm.coro.promise(ptr %some, i32 4, i1 false)
  %value = load i32, ptr %place
  %turned = call i32 @llvm.fshl.i32(i32 %sum, i32 %sum, i32 1)
  %sum1 = add i32 %turned, %value
  call void @llvm.coro.resume(ptr %some)
  br label %test
end:
  call void @llvm.coro.destroy(ptr %some)
  call void @llvm.coro.destroy(ptr %all)
  ret i32 %sum
}
