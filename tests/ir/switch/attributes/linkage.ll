; The clones are internal for any ramp: no visibility, DLL storage or comdat.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK-DAG: @odr.resumers = private constant [3 x ptr] [ptr @odr.resume, ptr @odr.destroy, ptr @odr.cleanup]
; CHECK: define linkonce_odr hidden ptr @odr(ptr %memory, i32 %n) comdat {
; CHECK: define weak protected ptr @weak(ptr %memory, i32 %n) comdat($group) {
; CHECK: define internal ptr @own(ptr %memory, i32 %n) {
; CHECK: define available_externally ptr @elsewhere(ptr %memory, i32 %n) {
; CHECK: define dso_local dllexport ptr @exported(ptr %memory, i32 %n) {
; CHECK-DAG: define internal fastcc void @odr.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @odr.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @odr.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @weak.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @weak.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @weak.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @own.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @own.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @own.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @elsewhere.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @elsewhere.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @elsewhere.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @exported.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @exported.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {
; CHECK-DAG: define internal fastcc void @exported.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) {

$odr = comdat any
$group = comdat any
@table = global ptr @own

define linkonce_odr hidden ptr @odr(ptr %memory, i32 %n) presplitcoroutine comdat {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define weak protected ptr @weak(ptr %memory, i32 %n) presplitcoroutine comdat($group) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal ptr @own(ptr %memory, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define available_externally ptr @elsewhere(ptr %memory, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define dso_local dllexport ptr @exported(ptr %memory, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
