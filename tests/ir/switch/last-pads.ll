; Equivalent landing pads without further effects are merged in all clones. Those with other clauses, callees,
; attributes or arguments are not, nor any in optnone code. In the ramp:
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split)' | FileCheck %s
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split)' | FileCheck %s --check-prefix=DEBUG

; In the ramp:
; CHECK-LABEL: define ptr @shared(
; CHECK: invoke void @run(i32 0)
; CHECK-NEXT: unwind label %[[RAMP:[a-z0-9.]+]]
; CHECK: invoke void @run(i32 1)
; CHECK-NEXT: unwind label %[[RAMP]]
; CHECK: [[RAMP]]:
; CHECK-NEXT: %a.p = landingpad { ptr, i32 }
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: %a.p.e = extractvalue { ptr, i32 } %a.p, 0
; CHECK-NEXT: call void @stop(ptr %a.p.e)
; CHECK-NEXT: unreachable
; CHECK-NOT: landingpad
; CHECK-LABEL: define ptr @unoptimised(
; CHECK: unwind label %one
; CHECK: unwind label %two

; CHECK-LABEL: define internal fastcc void @shared.resume(
; CHECK: invoke void @run(i32 2)
; CHECK-NEXT: unwind label %[[RESUME:[a-z0-9.]+]]
; CHECK: invoke void @run(i32 3)
; CHECK-NEXT: unwind label %[[RESUME]]
; CHECK: invoke void @run(i32 4)
; CHECK-NEXT: unwind label %[[RESUME]]
; CHECK: landingpad
; CHECK-NOT: landingpad

; CHECK-LABEL: define internal fastcc void @different.resume(
; CHECK: %clause = landingpad
; CHECK-NEXT: cleanup
; CHECK: %callee = landingpad
; CHECK: call void @halt(
; CHECK: %argument = landingpad
; CHECK: call void @stop(ptr null)
; CHECK: %field = landingpad
; CHECK: call void @code(i32 %
; CHECK: %other = landingpad
; CHECK: call void @code(i32 7)
; CHECK: %marked = landingpad
; CHECK: call void @stop(ptr %{{.*}}) #
; CHECK: %outside = landingpad
; CHECK: call void @stop(ptr %value
; CHECK: %outside.too = landingpad
; CHECK: call void @stop(ptr %value

; A pad is at its line where all of them are; it says nothing of variables.
; DEBUG-LABEL: define ptr @lines(
; DEBUG: landingpad
; DEBUG-NOT: dbg_value
; DEBUG: call void @stop(ptr %a.p.e), !dbg ![[NOWHERE:[0-9]+]]
; DEBUG-NOT: dbg_value
; DEBUG: landingpad
; DEBUG-NOT: dbg_value
; DEBUG: call void @halt(ptr %c.p.e), !dbg ![[SOMEWHERE:[0-9]+]]
; DEBUG-NOT: dbg_value
; DEBUG: declare token
; DEBUG-DAG: ![[NOWHERE]] = !DILocation(line: 0, scope:
; DEBUG-DAG: ![[SOMEWHERE]] = !DILocation(line: 4, scope:

declare i32 @personality(...)
declare void @run(i32)
declare void @stop(ptr)
declare void @halt(ptr)
declare void @code(i32)
declare ptr @get()
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @shared() presplitcoroutine personality ptr @personality {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @run(i32 0) to label %n0 unwind label %a

n0:
  invoke void @run(i32 1) to label %n1 unwind label %b

n1:
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  invoke void @run(i32 2) to label %n2 unwind label %c

n2:
  invoke void @run(i32 3) to label %n3 unwind label %d

n3:
  invoke void @run(i32 4) to label %n4 unwind label %e

n4:
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle

a:
  %a.p = landingpad { ptr, i32 }
          catch ptr null
  %a.p.e = extractvalue { ptr, i32 } %a.p, 0
  call void @stop(ptr %a.p.e)
  unreachable

b:
  %b.p = landingpad { ptr, i32 }
          catch ptr null
  %b.p.e = extractvalue { ptr, i32 } %b.p, 0
  call void @stop(ptr %b.p.e)
  unreachable

c:
  %c.p = landingpad { ptr, i32 }
          catch ptr null
  %c.p.e = extractvalue { ptr, i32 } %c.p, 0
  call void @stop(ptr %c.p.e)
  unreachable

d:
  %d.p = landingpad { ptr, i32 }
          catch ptr null
  %d.p.e = extractvalue { ptr, i32 } %d.p, 0
  call void @stop(ptr %d.p.e)
  unreachable

e:
  %e.p = landingpad { ptr, i32 }
          catch ptr null
  %e.p.e = extractvalue { ptr, i32 } %e.p, 0
  call void @stop(ptr %e.p.e)
  unreachable
}

define ptr @different() presplitcoroutine personality ptr @personality {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  %value = call ptr @get()
  invoke void @run(i32 0) to label %n0 unwind label %a

n0:
  invoke void @run(i32 1) to label %n1 unwind label %b

n1:
  invoke void @run(i32 2) to label %n2 unwind label %c

n2:
  invoke void @run(i32 3) to label %n3 unwind label %d

n3:
  invoke void @run(i32 4) to label %n4 unwind label %e

n4:
  invoke void @run(i32 5) to label %n5 unwind label %f

n5:
  invoke void @run(i32 6) to label %n6 unwind label %g

n6:
  invoke void @run(i32 7) to label %n7 unwind label %h

n7:
  invoke void @run(i32 8) to label %n8 unwind label %i

n8:
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle

a:
  %plain = landingpad { ptr, i32 }
          catch ptr null
  %plain.e = extractvalue { ptr, i32 } %plain, 0
  call void @stop(ptr %plain.e)
  unreachable

b:
  %clause = landingpad { ptr, i32 }
          cleanup
  %clause.e = extractvalue { ptr, i32 } %clause, 0
  call void @stop(ptr %clause.e)
  unreachable

c:
  %callee = landingpad { ptr, i32 }
          catch ptr null
  %callee.e = extractvalue { ptr, i32 } %callee, 0
  call void @halt(ptr %callee.e)
  unreachable

d:
  %argument = landingpad { ptr, i32 }
          catch ptr null
  %argument.e = extractvalue { ptr, i32 } %argument, 0
  call void @stop(ptr null)
  unreachable

e:
  %field = landingpad { ptr, i32 }
          catch ptr null
  %field.e = extractvalue { ptr, i32 } %field, 1
  call void @code(i32 %field.e)
  unreachable

f:
  %other = landingpad { ptr, i32 }
          catch ptr null
  %other.e = extractvalue { ptr, i32 } %other, 1
  call void @code(i32 7)
  unreachable

g:
  %marked = landingpad { ptr, i32 }
          catch ptr null
  %marked.e = extractvalue { ptr, i32 } %marked, 0
  call void @stop(ptr %marked.e) cold
  unreachable

h:
  %outside = landingpad { ptr, i32 }
          catch ptr null
  %outside.e = extractvalue { ptr, i32 } %outside, 0
  call void @stop(ptr %value)
  unreachable

i:
  %outside.too = landingpad { ptr, i32 }
          catch ptr null
  %outside.too.e = extractvalue { ptr, i32 } %outside.too, 0
  call void @stop(ptr %value)
  unreachable
}

define ptr @unoptimised() noinline optnone presplitcoroutine personality ptr @personality {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @run(i32 0) to label %n0 unwind label %one

n0:
  invoke void @run(i32 1) to label %n1 unwind label %two

n1:
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle

one:
  %one.p = landingpad { ptr, i32 }
          catch ptr null
  %one.p.e = extractvalue { ptr, i32 } %one.p, 0
  call void @stop(ptr %one.p.e)
  unreachable

two:
  %two.p = landingpad { ptr, i32 }
          catch ptr null
  %two.p.e = extractvalue { ptr, i32 } %two.p, 0
  call void @stop(ptr %two.p.e)
  unreachable
}

define ptr @lines() presplitcoroutine personality ptr @personality !dbg !2 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @run(i32 0) to label %n0 unwind label %a

n0:
  invoke void @run(i32 1) to label %n1 unwind label %b

n1:
  invoke void @run(i32 2) to label %n2 unwind label %c

n2:
  invoke void @run(i32 3) to label %n3 unwind label %d

n3:
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  br label %destroyed

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle

a:
  %a.p = landingpad { ptr, i32 }
          catch ptr null
  %a.p.e = extractvalue { ptr, i32 } %a.p, 0
  call void @stop(ptr %a.p.e), !dbg !3
    #dbg_value(i32 1, !7, !DIExpression(), !4)
  unreachable

b:
  %b.p = landingpad { ptr, i32 }
          catch ptr null
  %b.p.e = extractvalue { ptr, i32 } %b.p, 0
  call void @stop(ptr %b.p.e), !dbg !4
    #dbg_value(i32 1, !7, !DIExpression(), !4)
  unreachable

c:
  %c.p = landingpad { ptr, i32 }
          catch ptr null
  %c.p.e = extractvalue { ptr, i32 } %c.p, 0
  call void @halt(ptr %c.p.e), !dbg !4
    #dbg_value(i32 1, !7, !DIExpression(), !4)
  unreachable

d:
  %d.p = landingpad { ptr, i32 }
          catch ptr null
  %d.p.e = extractvalue { ptr, i32 } %d.p, 0
  call void @halt(ptr %d.p.e), !dbg !4
    #dbg_value(i32 1, !7, !DIExpression(), !4)
  unreachable
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)

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
