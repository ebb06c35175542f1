; coro-early: two equal cleanups, after the final suspend and after an unwind end, have debug records of a value that is
; undefined if an exception comes before the first suspend. Destroy gets a copy; without the records it shares the first. The same
; holds for the second value of a record.
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s
; RUN: sed '/dbg_value/d' %s | pycoro opt -passes=coro-early,verify -S | FileCheck %s --check-prefix=UNTOLD
; RUN: sed 's/(i32 %%v, !7, !DIExpression()/(!DIArgList(i32 7, i32 %%v), !7, !DIExpression(DW_OP_LLVM_arg, 1)/' %s \
; RUN:   | pycoro opt -passes=coro-early,verify -S | FileCheck %s --check-prefix=SEVERAL

; CHECK: give.back:
; CHECK-NEXT: #dbg_value(i32 %v
; CHECK: i8 1, label %lost.unwound
; SEVERAL: give.back:
; SEVERAL-NEXT: #dbg_value(!DIArgList(i32 7, i32 %v)
; SEVERAL: i8 1, label %lost.unwound
; UNTOLD: unwound:
; UNTOLD: i8 1, label %over

define ptr @same() presplitcoroutine personality ptr @__gxx_personality_v0 !dbg !2 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %selector.of = alloca i32
  %awaited = alloca i8
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
  invoke void @may_throw() to label %next unwind label %thrown
next:
  %v = call i32 @get()
  %w = add i32 %v, 3
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %begun
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  %selector = extractvalue { ptr, i32 } %exception, 1
  store i32 %selector, ptr %selector.of
  br label %ended

ended:
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  call void @llvm.lifetime.start.p0(ptr %awaited)
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %awaiter
  ]

begun:
  br label %over

awaiter:
  call void @llvm.lifetime.end.p0(ptr %awaited)
  br label %over

over:
  %to = phi i32 [ 2, %begun ], [ 2, %awaiter ]
  call void @end(ptr %promise), !dbg !3
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp ne ptr %block, null
  br i1 %none, label %give.back, label %given

give.back:
    #dbg_value(i32 %v, !7, !DIExpression(), !3)
  call void @free(ptr %block)
  br label %given

given:
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  br label %lost.promise

lost.promise:
  call void @end(ptr %promise), !dbg !4
  br label %lost.memory

lost.memory:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %some = icmp ne ptr %left, null
  br i1 %some, label %give.back.lost, label %given.lost

give.back.lost:
  call void @free(ptr %left)
  br label %given.lost

given.lost:
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %its.selector = load i32, ptr %selector.of
  %half = insertvalue { ptr, i32 } poison, ptr %its.object, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %its.selector, 1
  resume { ptr, i32 } %whole

never:
  unreachable
}

declare void @end(ptr)
declare void @other_end(ptr)
declare void @may_throw()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @get()
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cpp", directory: "/")
!2 = distinct !DISubprogram(name: "lines", file: !1, line: 1, type: !5, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!3 = !DILocation(line: 3, scope: !2)
!4 = !DILocation(line: 4, scope: !2)
!5 = !DISubroutineType(types: !{})
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !DILocalVariable(name: "v", scope: !2, file: !1, line: 2, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
