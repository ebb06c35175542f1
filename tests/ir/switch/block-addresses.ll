; The blocks of two coroutines have different addresses: each coroutine has a global for those of its own. It is linked as
; its coroutine is, so that tables and coroutines from different modules fit together.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.bc
; RUN: lli-22 %t.bc | FileCheck %s --check-prefix=PRINTS
; RUN: pycoro opt %s -passes='default<O2>' -o %t.o2.bc
; RUN: lli-22 %t.o2.bc | FileCheck %s --check-prefix=PRINTS
; UNSUPPORTED: reference

; CHECK: @table = global [2 x ptr] [ptr @f.labels, ptr getelementptr inbounds (i8, ptr @f.labels, i64 1)]
; CHECK: @other = global ptr @g.labels
; CHECK: @f.labels = private constant [2 x i8] zeroinitializer
; CHECK: @g.labels = linkonce_odr hidden constant [1 x i8] zeroinitializer, comdat($g)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr %label to i64
; CHECK: %[[OFFSET:.*]] = sub i64 %[[NUMBER]], ptrtoint (ptr @f.labels to i64)
; CHECK: switch i64 %[[OFFSET]], label %unreachable [
; CHECK-NEXT: i64 0, label %one
; CHECK-NEXT: i64 1, label %two
; CHECK-NEXT: ]

; PRINTS: equal 0
; PRINTS-NEXT: value 2
$g = comdat any

@equal = private constant [10 x i8] c"equal %d\0A\00"
@value = private constant [10 x i8] c"value %d\0A\00"
@table = global [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
@other = global ptr blockaddress(@g, %one)

define ptr @f(i64 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %place = getelementptr ptr, ptr @table, i64 %which
  %label = load ptr, ptr %place
  indirectbr ptr %label, [label %one, label %two]
one:
  br label %show
two:
  br label %show
show:
  %chosen = phi i32 [ 1, %one ], [ 2, %two ]
  %shown = call i32 (ptr, ...) @printf(ptr @value, i32 %chosen)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define linkonce_odr hidden ptr @g(ptr %label) presplitcoroutine comdat {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  indirectbr ptr %label, [label %one]
one:
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %x = load ptr, ptr @table
  %y = load ptr, ptr @other
  %same = icmp eq ptr %x, %y
  %number = zext i1 %same to i32
  %shown = call i32 (ptr, ...) @printf(ptr @equal, i32 %number)
  %hdl = call ptr @f(i64 1)
  call void @llvm.coro.resume(ptr %hdl)
  ret i32 0
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
