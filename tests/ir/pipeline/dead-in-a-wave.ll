; In a small wave, functions that have become unused are deleted before LLVM's passes optimize them, as by globaldce: those
; that are local or linkonce, and whose comdat has no other member. The linker would drop the members of a comdat together.
; The functions that call @coroutine are in its second wave; no globaldce follows.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(function(instcombine),coro-split),coro-cleanup' %s -o - | FileCheck %s --implicit-check-not=@unused --implicit-check-not=@cycle

; CHECK: define linkonce_odr void @shares_comdat_with_variable() comdat($one)
; CHECK: define linkonce_odr void @shares_comdat_with_function() comdat($two)
; CHECK: define weak_odr void @weak() comdat
; CHECK: define void @external()
; CHECK: define internal void @in_initializer()

target triple = "x86_64-unknown-linux-gnu"

$one = comdat any
$two = comdat any
$unused_comdat = comdat any
$weak = comdat any

@variable = linkonce_odr global i32 0, comdat($one)
@table = global [1 x ptr] [ptr @in_initializer]
@list = internal constant [2 x ptr] [ptr @unused_in_list, ptr @unused_in_list]

define linkonce_odr void @shares_comdat_with_variable() comdat($one) {
  %h = call ptr @coroutine()
  ret void
}
define linkonce_odr void @shares_comdat_with_function() comdat($two) {
  %h = call ptr @coroutine()
  ret void
}
define void @other_member() comdat($two) {
  ret void
}
define linkonce_odr void @unused_comdat() comdat {
  %h = call ptr @coroutine()
  ret void
}
define weak_odr void @weak() comdat {
  %h = call ptr @coroutine()
  ret void
}
define void @external() {
  %h = call ptr @coroutine()
  ret void
}
define internal void @in_initializer() {
  %h = call ptr @coroutine()
  ret void
}
define internal void @unused() {
  %h = call ptr @coroutine()
  ret void
}
define internal void @cycle_first() {
  %h = call ptr @coroutine()
  call void @cycle_second()
  ret void
}
define internal void @cycle_second() {
  call void @cycle_first()
  ret void
}
define internal ptr @unused_in_list() {
  %h = call ptr @coroutine()
  %first = load ptr, ptr @list
  ret ptr %first
}

define ptr @coroutine() presplitcoroutine noinline {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %destroy
                            i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; more functions, so that the second wave is small
define void @plain0() {
  ret void
}
define void @plain1() {
  ret void
}
define void @plain2() {
  ret void
}
define void @plain3() {
  ret void
}
define void @plain4() {
  ret void
}
define void @plain5() {
  ret void
}
define void @plain6() {
  ret void
}
define void @plain7() {
  ret void
}
define void @plain8() {
  ret void
}
define void @plain9() {
  ret void
}
define void @plain10() {
  ret void
}
define void @plain11() {
  ret void
}
define void @plain12() {
  ret void
}
define void @plain13() {
  ret void
}
define void @plain14() {
  ret void
}
define void @plain15() {
  ret void
}
define void @plain16() {
  ret void
}
define void @plain17() {
  ret void
}
define void @plain18() {
  ret void
}
define void @plain19() {
  ret void
}
define void @plain20() {
  ret void
}
define void @plain21() {
  ret void
}
define void @plain22() {
  ret void
}
define void @plain23() {
  ret void
}
define void @plain24() {
  ret void
}
define void @plain25() {
  ret void
}
define void @plain26() {
  ret void
}
define void @plain27() {
  ret void
}
define void @plain28() {
  ret void
}
define void @plain29() {
  ret void
}
define void @plain30() {
  ret void
}
define void @plain31() {
  ret void
}
define void @plain32() {
  ret void
}
define void @plain33() {
  ret void
}
define void @plain34() {
  ret void
}
define void @plain35() {
  ret void
}
define void @plain36() {
  ret void
}
define void @plain37() {
  ret void
}
define void @plain38() {
  ret void
}
define void @plain39() {
  ret void
}
define void @plain40() {
  ret void
}
define void @plain41() {
  ret void
}
define void @plain42() {
  ret void
}
define void @plain43() {
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
