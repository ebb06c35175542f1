; A rejected creation site is analyzed once more after destroy was inlined, and rejected for the call that frees the
; frame. The first reason says more, and is reported once.
; RUN: pycoro opt %s -disable-output -passes='inferattrs,function(coro-elide),cgscc(inline),function(coro-elide)' -pass-remarks-missed=coro-elide 2>&1 | FileCheck %s
; RUN: pycoro opt %s -disable-output -passes='inferattrs,cgscc(inline),function(coro-elide)' -pass-remarks-missed=coro-elide 2>&1 | FileCheck %s --check-prefix=LATE
; RUN: pycoro opt %s -disable-output --json -passes='inferattrs,function(coro-elide),cgscc(inline),function(coro-elide)' | FileCheck %s --check-prefix=JSON

; CHECK: 'f' not elided in 'caller': its handle is stored to @global, and a path to a return does not destroy it
; CHECK-NOT: 'f' not elided in 'caller'
; LATE: 'f' not elided in 'caller': its handle is passed to @free, which may free it, and a path to a return does not destroy it
; JSON: "elisions"
; JSON: "caller": "caller"
; JSON: "reason": "its handle is stored to @global, and a path to a return does not destroy it"
; JSON-NOT: "caller": "caller"

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare ptr @malloc(i64)
declare void @free(ptr)

@global = global ptr null
@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]

define void @caller(i1 %ends) nounwind {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br i1 %ends, label %keep, label %end
keep:
  store ptr %handle, ptr @global
  ret void
end:
  call fastcc void @f.destroy(ptr %handle)
  ret void
}

define ptr @f() {
  ret ptr null
}

define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable(24) %frame) nounwind {
  ret void
}

define internal fastcc void @f.destroy(ptr noundef nonnull align 8 dereferenceable(24) %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}

define internal fastcc void @f.cleanup(ptr noundef nonnull align 8 dereferenceable(24) %frame) nounwind {
  ret void
}
