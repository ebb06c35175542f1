; Reloads at the start of a block follow phis and landing pads and precede the block's instructions, whatever debug
; records it begins with.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; The variable is 0 from here on, not what it was when control came back.
; CHECK-LABEL: define internal fastcc void @size.resume(
; CHECK: {{^}}to:
; CHECK-NEXT: %x.reload = load i64,
; CHECK-NEXT: %twice = add i64 %x.reload, %x.reload
; CHECK-NEXT: #dbg_value(i64 %twice, ![[V:[0-9]+]],
; CHECK-NEXT: #dbg_value(i64 0, ![[V]],
; CHECK-NEXT: call void @show(i64 %x.reload)

; CHECK-LABEL: define internal fastcc void @lifetime.resume(
; CHECK: {{^}}to:
; CHECK-NEXT: %x.reload = load i64,
; CHECK-NEXT: %twice = add i64 %x.reload, %x.reload
; CHECK-NEXT: #dbg_value(i64 %twice, ![[W:[0-9]+]],
; CHECK-NEXT: %variable.reload.addr = getelementptr
; CHECK-NEXT: #dbg_value(i64 0, ![[W]],
; CHECK-NEXT: call void @show(i64 %x.reload)

; The frame may be gone: what is known is merged.
; CHECK-LABEL: define internal fastcc void @left.resume(
; CHECK: {{^}}behind:
; CHECK-NEXT: %k.merge = phi i64 [ %k, %waits ], [ %k.reload, %cleanup ]
; CHECK-NEXT: #dbg_value(i64 0,
; CHECK-NEXT: call void @show(i64 %k.merge)

; CHECK-LABEL: define internal fastcc void @landing.resume(
; CHECK: {{^}}pad:
; CHECK-NEXT: %lp = landingpad { ptr, i32 }
; CHECK-NEXT: cleanup
; CHECK-NEXT: [[X:%x.+]] = load i64,
; CHECK-NEXT: %twice = add i64 [[X]], [[X]]
; CHECK-NEXT: #dbg_value(i64 %twice,
; CHECK-NEXT: call void @show(i64 %twice)

; CHECK-LABEL: define internal fastcc void @funclet.resume(
; CHECK: {{^}}pad:
; CHECK-NEXT: %lp = cleanuppad within none []
; CHECK-NEXT: [[X:%x.+]] = load i64,
; CHECK-NEXT: %twice = add i64 [[X]], [[X]]
; CHECK-NEXT: #dbg_value(i64 %twice,
; CHECK-NEXT: call void @show(i64 %twice)

; A catchswitch has no room behind it either.
; CHECK-LABEL: define internal fastcc void @switching.resume(
; CHECK: {{^}}pad:
; CHECK-NEXT: %x.merge = phi i64
; CHECK-NEXT: #dbg_value(i64 0,
; CHECK-NEXT: %cs = catchswitch
; CHECK: {{^}}handler:
; CHECK-NEXT: %cp = catchpad
; CHECK-NEXT: [[X:%x.+]] = load i64,
; CHECK-NEXT: [[TWICE:%.+]] = add i64 [[X]], [[X]]
; CHECK-NEXT: #dbg_value(i64 [[TWICE]],
; CHECK: {{^}}outer:
; CHECK-NEXT: %known = phi i64 [ %x.merge, %pad ]
; CHECK-NEXT: %up = cleanuppad
; CHECK-NEXT: #dbg_value(i64 %known,

define ptr @size() presplitcoroutine !dbg !10 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @next()
  %twice = add i64 %x, %x
    #dbg_value(i64 %twice, !11, !DIExpression(), !12)
  %c = call i1 @coin()
  br i1 %c, label %a, label %b
a:
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !12
  switch i8 %s, label %out [
    i8 0, label %to
    i8 1, label %destroyed
  ]
b:
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !12
  switch i8 %t, label %out [
    i8 0, label %to
    i8 1, label %destroyed
  ]
to:
  %again = call i64 @llvm.coro.size.i64()
    #dbg_value(i64 0, !11, !DIExpression(), !12)
  call void @show(i64 %x)
  call void @show(i64 %twice)
  call void @show(i64 %again)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @lifetime() presplitcoroutine !dbg !20 {
entry:
  %variable = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @next()
  %twice = add i64 %x, %x
    #dbg_value(i64 %twice, !21, !DIExpression(), !22)
  %c = call i1 @coin()
  br i1 %c, label %a, label %b
a:
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %s, label %out [
    i8 0, label %to
    i8 1, label %destroyed
  ]
b:
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %t, label %out [
    i8 0, label %to
    i8 1, label %destroyed
  ]
to:
  call void @llvm.lifetime.start.p0(ptr %variable)
    #dbg_value(i64 0, !21, !DIExpression(), !22)
  call void @show(i64 %x)
  call void @show(i64 %twice)
  store i64 7, ptr %variable
  %u = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %u, label %out [
    i8 0, label %last
    i8 1, label %destroyed
  ]
last:
  %seven = load i64, ptr %variable
  call void @show(i64 %seven)
  call void @llvm.lifetime.end.p0(ptr %variable)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @left() presplitcoroutine !dbg !30 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %waits
    i8 1, label %out
  ]
waits:
  %k = call i64 @next()
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %behind [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %behind
behind:
    #dbg_value(i64 0, !31, !DIExpression(), !32)
  call void @show(i64 %k)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @landing() presplitcoroutine personality ptr @__gxx_personality_v0 !dbg !40 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @next()
  %twice = add i64 %x, %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !42
  switch i8 %s, label %out [
    i8 0, label %a
    i8 1, label %destroyed
  ]
a:
  call void @show(i64 %x)
  invoke void @throw() to label %b unwind label %pad
b:
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !42
  switch i8 %t, label %out [
    i8 0, label %d
    i8 1, label %destroyed
  ]
d:
  invoke void @throw() to label %destroyed unwind label %pad
pad:
    #dbg_value(i64 %twice, !41, !DIExpression(), !42)
  %lp = landingpad { ptr, i32 } cleanup
  call void @show(i64 %twice)
  resume { ptr, i32 } %lp
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @funclet() presplitcoroutine personality ptr @__CxxFrameHandler3 !dbg !50 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @next()
  %twice = add i64 %x, %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !52
  switch i8 %s, label %out [
    i8 0, label %a
    i8 1, label %destroyed
  ]
a:
  call void @show(i64 %x)
  invoke void @throw() to label %b unwind label %pad
b:
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !52
  switch i8 %t, label %out [
    i8 0, label %d
    i8 1, label %destroyed
  ]
d:
  invoke void @throw() to label %destroyed unwind label %pad
pad:
    #dbg_value(i64 %twice, !51, !DIExpression(), !52)
  %lp = cleanuppad within none []
  call void @show(i64 %twice) [ "funclet"(token %lp) ]
  cleanupret from %lp unwind to caller
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @switching() presplitcoroutine personality ptr @__CxxFrameHandler3 !dbg !60 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @next()
  %twice = add i64 %x, %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !62
  switch i8 %s, label %out [
    i8 0, label %a
    i8 1, label %destroyed
  ]
a:
  call void @show(i64 %x)
  invoke void @throw() to label %b unwind label %pad
b:
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !62
  switch i8 %t, label %out [
    i8 0, label %d
    i8 1, label %destroyed
  ]
d:
  invoke void @throw() to label %destroyed unwind label %pad
pad:
    #dbg_value(i64 0, !61, !DIExpression(), !62)
  %cs = catchswitch within none [label %handler] unwind label %outer
handler:
    #dbg_value(i64 %twice, !61, !DIExpression(), !62)
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  call void @show(i64 %twice) [ "funclet"(token %cp) ]
  catchret from %cp to label %destroyed
outer:
  %known = phi i64 [ %x, %pad ]
    #dbg_value(i64 %known, !61, !DIExpression(), !62)
  %up = cleanuppad within none []
  call void @show(i64 %known) [ "funclet"(token %up) ]
  cleanupret from %up unwind to caller
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @show(i64)
declare void @throw()
declare i64 @next()
declare i1 @coin()
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!10 = distinct !DISubprogram(name: "size", scope: !2, file: !2, line: 10, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!11 = !DILocalVariable(name: "v", scope: !10, file: !2, line: 10, type: !5)
!12 = !DILocation(line: 10, scope: !10)
!20 = distinct !DISubprogram(name: "lifetime", scope: !2, file: !2, line: 20, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!21 = !DILocalVariable(name: "v", scope: !20, file: !2, line: 20, type: !5)
!22 = !DILocation(line: 20, scope: !20)
!30 = distinct !DISubprogram(name: "left", scope: !2, file: !2, line: 30, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!31 = !DILocalVariable(name: "v", scope: !30, file: !2, line: 30, type: !5)
!32 = !DILocation(line: 30, scope: !30)
!40 = distinct !DISubprogram(name: "landing", scope: !2, file: !2, line: 40, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!41 = !DILocalVariable(name: "v", scope: !40, file: !2, line: 40, type: !5)
!42 = !DILocation(line: 40, scope: !40)
!50 = distinct !DISubprogram(name: "funclet", scope: !2, file: !2, line: 50, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!51 = !DILocalVariable(name: "v", scope: !50, file: !2, line: 50, type: !5)
!52 = !DILocation(line: 50, scope: !50)
!60 = distinct !DISubprogram(name: "switching", scope: !2, file: !2, line: 60, type: !3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!61 = !DILocalVariable(name: "v", scope: !60, file: !2, line: 60, type: !5)
!62 = !DILocation(line: 60, scope: !60)
