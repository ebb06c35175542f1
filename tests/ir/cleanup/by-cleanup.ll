; If f.destroy equals f.cleanup except for the deallocation, and f.cleanup is called elsewhere, f.destroy calls
; f.cleanup and then frees. If they differ on one path or at one end, f.destroy is unchanged.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup -verify-each %s -o - | FileCheck %s

; Ways out of a switch, a phi, a loop, a call that throws to a pad of its own, and one that throws to whoever destroys.
; CHECK-LABEL: define internal fastcc void @same.destroy(
; CHECK-NEXT: entry.destroy:
; CHECK-NEXT: call fastcc void @same.cleanup(ptr nonnull readonly align 8 dereferenceable(32) %frame){{$}}
; CHECK-NEXT: br label %free
; CHECK-EMPTY:
; CHECK-NEXT: free:
; CHECK-NEXT: call void @delete(ptr %frame)
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define internal fastcc void @same.destroy(ptr nonnull align 8 dereferenceable(32) %frame) personality ptr @personality {
entry:
  %at = getelementptr inbounds i8, ptr %frame, i64 24
  %index = load i8, ptr %at, align 8
  switch i8 %index, label %never [
    i8 0, label %free
    i8 1, label %one
    i8 2, label %both
  ]
one:
  %first = call i32 @end(ptr %frame)
  br label %both
both:
  %n = phi i32 [ %first, %one ], [ 7, %entry ], [ %less, %again ]
  %less = add nsw i32 %n, -1
  invoke void @may_throw(i32 %n)
          to label %again unwind label %pad
again:
  %more = icmp ugt i32 %less, 3
  br i1 %more, label %both, label %free
pad:
  %thrown = landingpad { ptr, i32 }
          cleanup
  call void @note()
  resume { ptr, i32 } %thrown
free:
  call void @delete(ptr %frame)
  ret void
never:
  unreachable
}
define internal fastcc void @same.cleanup(ptr nonnull readonly align 8 dereferenceable(32) %frame) personality ptr @personality {
entry:
  %at = getelementptr inbounds i8, ptr %frame, i64 24
  %index = load i8, ptr %at, align 8
  switch i8 %index, label %never [
    i8 0, label %out
    i8 1, label %one
    i8 2, label %both
  ]
one:
  %first = call i32 @end(ptr %frame)
  br label %both
both:
  %n = phi i32 [ %less, %again ], [ 7, %entry ], [ %first, %one ]
  %less = add nsw i32 %n, -1
  invoke void @may_throw(i32 %n)
          to label %again unwind label %pad
again:
  %more = icmp ugt i32 %less, 3
  br i1 %more, label %both, label %out
pad:
  %thrown = landingpad { ptr, i32 }
          cleanup
  call void @note()
  resume { ptr, i32 } %thrown
out:
  ret void
never:
  unreachable
}

; In one block, and behind it a choice of what frees, by what is asked then.
; CHECK-LABEL: define internal fastcc void @straight.destroy(
; CHECK: call fastcc void @straight.cleanup(ptr %frame)
; CHECK-NEXT: br label %entry
; CHECK: entry:
; CHECK-NEXT: %own = call i1 @owned()
; CHECK-NEXT: br i1 %own, label %free, label %out
define internal fastcc void @straight.destroy(ptr %frame) {
entry:
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  %kept = call i32 @end(ptr %frame)
  store volatile i32 %kept, ptr @result, align 4
  call void @may_throw(i32 %kept)
  %own = call i1 @owned()
  br i1 %own, label %free, label %out
free:
  call void @delete(ptr %frame)
  br label %out
out:
  ret void
}
define internal fastcc void @straight.cleanup(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  %kept = call i32 @end(ptr %frame)
  store volatile i32 %kept, ptr @result, align 4
  call void @may_throw(i32 %kept)
  ret void
}

; Nobody calls f.cleanup: the list of the parts, which nobody reads any more, and what is chosen where a frame needs no
; memory do not count.
; CHECK-LABEL: define internal fastcc void @unused.destroy(
; CHECK-NOT: unused.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @unused.destroy(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 6)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @unused.cleanup(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 6)
  ret void
}

; What is short stays.
; CHECK-LABEL: define internal fastcc void @short.destroy(
; CHECK-NOT: short.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @short.destroy(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @short.cleanup(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  ret void
}

; What frees is given something that was read before the frame was ended.
; CHECK-LABEL: define internal fastcc void @needs.destroy(
; CHECK-NOT: needs.cleanup
; CHECK: call void @delete_sized(ptr %frame, i32 %size)
define internal fastcc void @needs.destroy(ptr %frame) {
  %size = load i32, ptr %frame, align 8
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 %size)
  call void @delete_sized(ptr %frame, i32 %size)
  ret void
}
define internal fastcc void @needs.cleanup(ptr %frame) {
  %size = load i32, ptr %frame, align 8
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 %size)
  ret void
}

; One way leaves without freeing.
; CHECK-LABEL: define internal fastcc void @one_way.destroy(
; CHECK-NOT: one_way.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @one_way.destroy(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  %own = call i1 @owned()
  br i1 %own, label %free, label %out
free:
  call void @delete(ptr %frame)
  ret void
out:
  ret void
}
define internal fastcc void @one_way.cleanup(ptr %frame) {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  %own = call i1 @owned()
  br i1 %own, label %free, label %out
free:
  ret void
out:
  ret void
}

; An exception that leaves it frees the frame first.
; CHECK-LABEL: define internal fastcc void @thrown.destroy(
; CHECK-NOT: thrown.cleanup
; CHECK: resume
define internal fastcc void @thrown.destroy(ptr %frame) personality ptr @personality {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  invoke void @may_throw(i32 1)
          to label %free unwind label %pad
free:
  call void @delete(ptr %frame)
  ret void
pad:
  %thrown = landingpad { ptr, i32 }
          cleanup
  call void @delete(ptr %frame)
  resume { ptr, i32 } %thrown
}
define internal fastcc void @thrown.cleanup(ptr %frame) personality ptr @personality {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  invoke void @may_throw(i32 1)
          to label %out unwind label %pad
out:
  ret void
pad:
  %thrown = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %thrown
}

; Other case values, other entries of a phi, and another flag.
; CHECK-LABEL: define internal fastcc void @cases.destroy(
; CHECK-NOT: cases.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @cases.destroy(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %index = load i8, ptr %frame, align 8
  switch i8 %index, label %free [
    i8 0, label %zero
  ]
zero:
  call void @may_throw(i32 1)
  br label %free
free:
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @cases.cleanup(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %index = load i8, ptr %frame, align 8
  switch i8 %index, label %out [
    i8 1, label %zero
  ]
zero:
  call void @may_throw(i32 1)
  br label %out
out:
  ret void
}
; CHECK-LABEL: define internal fastcc void @entries.destroy(
; CHECK-NOT: entries.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @entries.destroy(ptr %frame) {
entry:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %yes, label %no
yes:
  br label %both
no:
  br label %both
both:
  %n = phi i32 [ 1, %yes ], [ 2, %no ]
  call void @may_throw(i32 %n)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @entries.cleanup(ptr %frame) {
entry:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %yes, label %no
yes:
  br label %both
no:
  br label %both
both:
  %n = phi i32 [ 2, %yes ], [ 1, %no ]
  call void @may_throw(i32 %n)
  ret void
}
; CHECK-LABEL: define internal fastcc void @flags.destroy(
; CHECK-NOT: flags.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @flags.destroy(ptr %frame) {
  %n = load i32, ptr %frame, align 8
  %m = add i32 %n, 1
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @flags.cleanup(ptr %frame) {
  %n = load i32, ptr %frame, align 8
  %m = add nsw i32 %n, 1
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  call void @may_throw(i32 %m)
  ret void
}

; What frees goes back to what both do, or chooses by the way that control came.
; CHECK-LABEL: define internal fastcc void @back.destroy(
; CHECK-NOT: back.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @back.destroy(ptr %frame) {
entry:
  br label %again
again:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %free, label %again
free:
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @back.cleanup(ptr %frame) {
entry:
  br label %again
again:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  ret void
}
; CHECK-LABEL: define internal fastcc void @by_way.destroy(
; CHECK-NOT: by_way.cleanup
; CHECK: call void @delete_sized(ptr %frame, i32 %size)
define internal fastcc void @by_way.destroy(ptr %frame) {
entry:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %yes, label %free
yes:
  call void @may_throw(i32 1)
  br label %free
free:
  %size = phi i32 [ 1, %yes ], [ 2, %entry ]
  call void @delete_sized(ptr %frame, i32 %size)
  ret void
}
define internal fastcc void @by_way.cleanup(ptr %frame) {
entry:
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %yes, label %out
yes:
  call void @may_throw(i32 1)
  br label %out
out:
  ret void
}

; Control goes on elsewhere, for good: by a jump, which a call would make a call of; and by who comes back twice.
; CHECK-LABEL: define internal fastcc void @transfer.destroy(
; CHECK-NOT: transfer.cleanup
; CHECK: musttail call
define internal fastcc void @transfer.destroy(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %on, label %free
on:
  musttail call fastcc void @other(ptr %frame)
  ret void
free:
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @transfer.cleanup(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %own = call i1 @owned()
  br i1 %own, label %on, label %out
on:
  musttail call fastcc void @other(ptr %frame)
  ret void
out:
  ret void
}
; CHECK-LABEL: define internal fastcc void @twice.destroy(
; CHECK-NOT: twice.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @twice.destroy(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %again = call i32 @setjmp(ptr @result) returns_twice
  call void @may_throw(i32 %again)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @twice.cleanup(ptr %frame) {
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  call void @note()
  %again = call i32 @setjmp(ptr @result) returns_twice
  call void @may_throw(i32 %again)
  ret void
}

; A function that no pass is to change.
; CHECK-LABEL: define internal fastcc void @kept.destroy(
; CHECK-NOT: kept.cleanup
; CHECK: call void @delete(ptr %frame)
define internal fastcc void @kept.destroy(ptr %frame) noinline optnone {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 6)
  call void @delete(ptr %frame)
  ret void
}
define internal fastcc void @kept.cleanup(ptr %frame) noinline optnone {
  call void @may_throw(i32 1)
  call void @may_throw(i32 2)
  call void @may_throw(i32 3)
  call void @may_throw(i32 4)
  call void @may_throw(i32 5)
  call void @may_throw(i32 6)
  ret void
}

; Between functions that are described the call is at the coroutine's line.
; What was known of variables is known no more.
; CHECK-LABEL: define internal fastcc void @described.destroy(
; CHECK: call fastcc void @described.cleanup(ptr %frame), !dbg ![[PLACE:[0-9]+]]
; CHECK-NOT: dbg_value(i32 %
; CHECK: ![[DESTROY:[0-9]+]] = distinct !DISubprogram(name: "described", linkageName: "described.destroy"
; CHECK: ![[PLACE]] = !DILocation(line: 12, scope: ![[DESTROY]])
define internal fastcc void @described.destroy(ptr %frame) !dbg !5 {
  call void @may_throw(i32 1), !dbg !7
  call void @may_throw(i32 2), !dbg !7
  call void @may_throw(i32 3), !dbg !7
  %n = call i32 @end(ptr %frame), !dbg !7
    #dbg_value(i32 %n, !9, !DIExpression(), !7)
  call void @may_throw(i32 5), !dbg !7
  call void @may_throw(i32 6), !dbg !7
    #dbg_value(i32 %n, !9, !DIExpression(), !7)
  call void @delete(ptr %frame), !dbg !7
  ret void, !dbg !7
}
define internal fastcc void @described.cleanup(ptr %frame) !dbg !6 {
  call void @may_throw(i32 1), !dbg !8
  call void @may_throw(i32 2), !dbg !8
  call void @may_throw(i32 3), !dbg !8
  %n = call i32 @end(ptr %frame), !dbg !8
  call void @may_throw(i32 5), !dbg !8
  call void @may_throw(i32 6), !dbg !8
  ret void, !dbg !8
}

@same.resumers = private constant [3 x ptr] [ptr @same.resume, ptr @same.destroy, ptr @same.cleanup]
define internal fastcc void @same.resume(ptr %frame) {
  ret void
}
define ptr @same(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @same, ptr @same.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @same.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @same.destroy, ptr @same.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@straight.resumers = private constant [3 x ptr] [ptr @straight.resume, ptr @straight.destroy, ptr @straight.cleanup]
define internal fastcc void @straight.resume(ptr %frame) {
  ret void
}
define ptr @straight(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @straight, ptr @straight.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @straight.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @straight.destroy, ptr @straight.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@unused.resumers = private constant [3 x ptr] [ptr @unused.resume, ptr @unused.destroy, ptr @unused.cleanup]
define internal fastcc void @unused.resume(ptr %frame) {
  ret void
}
define ptr @unused(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @unused, ptr @unused.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @unused.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @unused.destroy, ptr @unused.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@short.resumers = private constant [3 x ptr] [ptr @short.resume, ptr @short.destroy, ptr @short.cleanup]
define internal fastcc void @short.resume(ptr %frame) {
  ret void
}
define ptr @short(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @short, ptr @short.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @short.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @short.destroy, ptr @short.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@needs.resumers = private constant [3 x ptr] [ptr @needs.resume, ptr @needs.destroy, ptr @needs.cleanup]
define internal fastcc void @needs.resume(ptr %frame) {
  ret void
}
define ptr @needs(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @needs, ptr @needs.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @needs.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @needs.destroy, ptr @needs.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@one_way.resumers = private constant [3 x ptr] [ptr @one_way.resume, ptr @one_way.destroy, ptr @one_way.cleanup]
define internal fastcc void @one_way.resume(ptr %frame) {
  ret void
}
define ptr @one_way(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @one_way, ptr @one_way.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @one_way.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @one_way.destroy, ptr @one_way.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@thrown.resumers = private constant [3 x ptr] [ptr @thrown.resume, ptr @thrown.destroy, ptr @thrown.cleanup]
define internal fastcc void @thrown.resume(ptr %frame) {
  ret void
}
define ptr @thrown(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @thrown, ptr @thrown.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @thrown.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @thrown.destroy, ptr @thrown.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@cases.resumers = private constant [3 x ptr] [ptr @cases.resume, ptr @cases.destroy, ptr @cases.cleanup]
define internal fastcc void @cases.resume(ptr %frame) {
  ret void
}
define ptr @cases(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @cases, ptr @cases.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @cases.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @cases.destroy, ptr @cases.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@entries.resumers = private constant [3 x ptr] [ptr @entries.resume, ptr @entries.destroy, ptr @entries.cleanup]
define internal fastcc void @entries.resume(ptr %frame) {
  ret void
}
define ptr @entries(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @entries, ptr @entries.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @entries.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @entries.destroy, ptr @entries.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@flags.resumers = private constant [3 x ptr] [ptr @flags.resume, ptr @flags.destroy, ptr @flags.cleanup]
define internal fastcc void @flags.resume(ptr %frame) {
  ret void
}
define ptr @flags(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @flags, ptr @flags.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @flags.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @flags.destroy, ptr @flags.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@back.resumers = private constant [3 x ptr] [ptr @back.resume, ptr @back.destroy, ptr @back.cleanup]
define internal fastcc void @back.resume(ptr %frame) {
  ret void
}
define ptr @back(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @back, ptr @back.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @back.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @back.destroy, ptr @back.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@by_way.resumers = private constant [3 x ptr] [ptr @by_way.resume, ptr @by_way.destroy, ptr @by_way.cleanup]
define internal fastcc void @by_way.resume(ptr %frame) {
  ret void
}
define ptr @by_way(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @by_way, ptr @by_way.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @by_way.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @by_way.destroy, ptr @by_way.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@transfer.resumers = private constant [3 x ptr] [ptr @transfer.resume, ptr @transfer.destroy, ptr @transfer.cleanup]
define internal fastcc void @transfer.resume(ptr %frame) {
  ret void
}
define ptr @transfer(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @transfer, ptr @transfer.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @transfer.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @transfer.destroy, ptr @transfer.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@twice.resumers = private constant [3 x ptr] [ptr @twice.resume, ptr @twice.destroy, ptr @twice.cleanup]
define internal fastcc void @twice.resume(ptr %frame) {
  ret void
}
define ptr @twice(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @twice, ptr @twice.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @twice.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @twice.destroy, ptr @twice.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@kept.resumers = private constant [3 x ptr] [ptr @kept.resume, ptr @kept.destroy, ptr @kept.cleanup]
define internal fastcc void @kept.resume(ptr %frame) {
  ret void
}
define ptr @kept(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @kept, ptr @kept.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @kept.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @kept.destroy, ptr @kept.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
@described.resumers = private constant [3 x ptr] [ptr @described.resume, ptr @described.destroy, ptr @described.cleanup]
define internal fastcc void @described.resume(ptr %frame) {
  ret void
}
define ptr @described(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @described, ptr @described.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr @described.resume, ptr %frame, align 8
  %at = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = select i1 %need, ptr @described.destroy, ptr @described.cleanup
  store ptr %destroy, ptr %at, align 8
  ret ptr %frame
}
define void @elided(ptr %frame) {
  call fastcc void @same.cleanup(ptr %frame)
  call fastcc void @straight.cleanup(ptr %frame)
  call fastcc void @short.cleanup(ptr %frame)
  call fastcc void @needs.cleanup(ptr %frame)
  call fastcc void @one_way.cleanup(ptr %frame)
  call fastcc void @thrown.cleanup(ptr %frame)
  call fastcc void @cases.cleanup(ptr %frame)
  call fastcc void @entries.cleanup(ptr %frame)
  call fastcc void @flags.cleanup(ptr %frame)
  call fastcc void @back.cleanup(ptr %frame)
  call fastcc void @by_way.cleanup(ptr %frame)
  call fastcc void @transfer.cleanup(ptr %frame)
  call fastcc void @twice.cleanup(ptr %frame)
  call fastcc void @kept.cleanup(ptr %frame)
  call fastcc void @described.cleanup(ptr %frame)
  ret void
}
@result = global [200 x i8] zeroinitializer
declare i32 @personality(...)
declare i32 @end(ptr)
declare void @may_throw(i32)
declare void @note()
declare i1 @owned()
declare void @delete(ptr)
declare void @delete_sized(ptr, i32)
declare fastcc void @other(ptr)
declare i32 @setjmp(ptr) returns_twice
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "described", linkageName: "described.destroy", scope: !1, file: !1, line: 12, type: !3, scopeLine: 12, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "described", linkageName: "described.cleanup", scope: !1, file: !1, line: 12, type: !3, scopeLine: 12, spFlags: DISPFlagDefinition, unit: !0)
!7 = !DILocation(line: 14, scope: !5)
!8 = !DILocation(line: 14, scope: !6)
!9 = !DILocalVariable(name: "n", scope: !5, file: !1, line: 13, type: !10)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
