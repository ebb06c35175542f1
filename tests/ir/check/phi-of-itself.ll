; A phi of a loop that passes its own value on: a suspend in the loop finds the value in the frame.
; RUN: pycoro opt -disable-output -check-lowering -passes='coro-early,cgscc(coro-split)' %s 2>&1 | FileCheck --allow-empty %s
; UNSUPPORTED: reference

; CHECK-NOT: {{error|warning}}

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define ptr @f(ptr %life, ptr byval(i32) align 16 %a1, [2 x { i8, i32 }] %a2) presplitcoroutine {
entry:
  %x3 = alloca [4 x i32]
  %e4 = alloca swifterror ptr
  %q5 = alloca [8 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr %q5, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %align = call i64 @llvm.coro.align.i64()
  %mem = call ptr @alloc_aligned(i64 %size, i64 %align)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store [4 x i32] [i32 2, i32 100, i32 1, i32 0], ptr %x3
  store ptr null, ptr %e4
  store [8 x i32] [i32 1, i32 -1, i32 0, i32 2, i32 3, i32 100, i32 0, i32 1], ptr %q5
  br label %start
start:
  %v6 = and i32 0, -1
  %s7 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s7, label %out [ i8 0, label %resume1 i8 1, label %cleanup ]
resume1:
  call void @report_i8(i8 %s7)
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %a2)
  br label %part2.0
part2.0:
  %f8.0 = phi i32 [ 7, %resume1 ], [ %left2.1, %on2.1 ], [ %left2.3, %on2.3 ]
  %t9 = phi [2 x { i8, i32 }] [ %a2, %resume1 ], [ %t9, %on2.1 ], [ %t9, %on2.3 ]
  %l11.room = call token @llvm.coro.alloca.alloc.i64(i64 16, i32 4)
  %l11 = call ptr @llvm.coro.alloca.get(token %l11.room)
  store [2 x { i8, i32 }] %t9, ptr %l11
  %v12 = load [4 x i32], ptr %x3
  %e13 = load ptr, ptr %e4
  %e14 = ptrtoint ptr %e13 to i64
  call void @report_i64(i64 %e14)
  br label %loop4
loop4:
  %n15 = phi i32 [ 0, %part2.0 ], [ %next4, %loop4 ]
  %c16 = phi [2 x { i8, i32 }] [ %t9, %part2.0 ], [ %t9, %loop4 ]
  %next4 = add i32 %n15, 1
  %more4 = icmp ult i32 %next4, 1
  br i1 %more4, label %loop4, label %done4
done4:
  %place5 = call ptr @llvm.coro.alloca.get(token %l11.room)
  %last6 = load [2 x { i8, i32 }], ptr %place5
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %last6)
  call void @llvm.coro.alloca.free(token %l11.room)
  %v17 = icmp eq i32 %f8.0, 0
  %left2.0 = sub i32 %f8.0, 1
  %empty2.0 = icmp eq i32 %left2.0, 0
  br i1 %empty2.0, label %join2, label %on2.0
on2.0:
  br i1 %v17, label %part2.1, label %part2.2
part2.1:
  %f8.1 = phi i32 [ %left2.0, %on2.0 ], [ %left2.2, %on2.2 ], [ %left2.3, %on2.3 ]
  %t10 = phi [2 x { i8, i32 }] [ %a2, %on2.0 ], [ %a2, %on2.2 ], [ %a2, %on2.3 ]
  %left2.1 = sub i32 %f8.1, 1
  %empty2.1 = icmp eq i32 %left2.1, 0
  %new1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %new1, label %out [ i8 0, label %resumed.new2 i8 1, label %cleanup ]
resumed.new2:
  br i1 %empty2.1, label %join2, label %on2.1
on2.1:
  br i1 %v17, label %part2.2, label %part2.0
part2.2:
  %f8.2 = phi i32 [ %left2.0, %on2.0 ], [ %left2.1, %on2.1 ]
  call void @report_i32(i32 %next4)
  %left2.2 = sub i32 %f8.2, 1
  %empty2.2 = icmp eq i32 %left2.2, 0
  br i1 %empty2.2, label %join2, label %on2.2
on2.2:
  br i1 %v17, label %part2.3, label %part2.1
part2.3:
  %f8.3 = phi i32 [ %left2.2, %on2.2 ]
  %v18 = icmp ne i32 %f8.0, %v6
  %left2.3 = sub i32 %f8.3, 1
  %empty2.3 = icmp eq i32 %left2.3, 0
  br i1 %empty2.3, label %join2, label %on2.3
on2.3:
  br i1 %v18, label %part2.1, label %part2.0
join2:
  %j19 = phi [2 x { i8, i32 }] [ %a2, %done4 ], [ %a2, %resumed.new2 ], [ %a2, %part2.2 ], [ %a2, %part2.3 ]
  %j20 = phi ptr [ %q5, %done4 ], [ %q5, %resumed.new2 ], [ %q5, %part2.2 ], [ %q5, %part2.3 ]
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %j19)
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %j19)
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %a2)
  br label %cleanup
cleanup:
  store i8 1, ptr %life
  %dead.cleanup = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_aligned(ptr %dead.cleanup)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  call void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %a2)
  ret ptr %hdl
}
define { ptr, i32 } @g(ptr %buffer) presplitcoroutine {
entry:
  %x1 = alloca i32
  %k2 = alloca ptr
  %l3 = alloca i32
  store i32 3, ptr %x1
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 16, ptr %buffer, ptr @g.prototype, ptr @alloc_frame, ptr @free_frame)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  store ptr %x1, ptr %k2
  br label %start
start:
  call void @llvm.lifetime.start.p0(ptr %l3)
  store i32 100, ptr %l3
  %v4 = load i32, ptr %l3
  call void @llvm.lifetime.end.p0(ptr %l3)
  call void @llvm.memset.p0.i64(ptr %x1, i8 0, i64 4, i1 false)
  %p5 = load ptr, ptr %k2
  %back2 = call { i1, i32 } (...) @llvm.coro.suspend.retcon.sl_i1i32s(i32 100)
  %way2 = extractvalue { i1, i32 } %back2, 0
  %s6 = extractvalue { i1, i32 } %back2, 1
  br i1 %way2, label %cleanup, label %resume2
resume2:
  call void @report_i32(i32 %s6)
  br label %cleanup
cleanup:
  call void @report_i32(i32 5)
  %results3 = call token (...) @llvm.coro.end.results(i32 -1)
  call void @llvm.coro.end(ptr %hdl, i1 false, token %results3)
  unreachable
}
declare i32 @g.prototype(ptr, i1, i32)
declare ptr @alloc_aligned(i64, i64)
declare void @free_aligned(ptr)
declare ptr @alloc_frame(i64)
declare void @free_frame(ptr)
define internal void @report_a2_x_s_i8_i32([2 x { i8, i32 }] %v) noinline {
  %e0 = extractvalue [2 x { i8, i32 }] %v, 0
  call void @report_s_i8_i32({ i8, i32 } %e0)
  %e1 = extractvalue [2 x { i8, i32 }] %v, 1
  call void @report_s_i8_i32({ i8, i32 } %e1)
  ret void
}
declare void @report_i1(i1)
declare void @report_i32(i32)
declare void @report_i64(i64)
declare void @report_i8(i8)
define internal void @report_s_i8_i32({ i8, i32 } %v) noinline {
  %e0 = extractvalue { i8, i32 } %v, 0
  call void @report_i8(i8 %e0)
  %e1 = extractvalue { i8, i32 } %v, 1
  call void @report_i32(i32 %e1)
  ret void
}
