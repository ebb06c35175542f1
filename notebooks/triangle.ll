; ModuleID = '-'
source_filename = "-"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Generator = type { %"struct.std::__n4861::coroutine_handle" }
%"struct.std::__n4861::coroutine_handle" = type { ptr }
%"struct.Generator::promise_type" = type { i32 }
%"struct.std::__n4861::suspend_always" = type { i8 }
%struct.Step = type { i32, i32 }
%"struct.std::__n4861::coroutine_handle.0" = type { ptr }

$_ZN9Generator12promise_type17get_return_objectEv = comdat any

$_ZN9Generator12promise_type15initial_suspendEv = comdat any

$_ZNKSt7__n486114suspend_always11await_readyEv = comdat any

$_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE = comdat any

$_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv = comdat any

$_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv = comdat any

$_ZNKSt7__n486114suspend_always12await_resumeEv = comdat any

$_ZN9Generator12promise_type11yield_valueEi = comdat any

$_ZN9Generator12promise_type11return_voidEv = comdat any

$_ZN9Generator12promise_type13final_suspendEv = comdat any

$_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_promiseERS2_ = comdat any

$_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC2Ev = comdat any

$_ZNSt7__n486116coroutine_handleIvE12from_addressEPv = comdat any

$_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7addressEv = comdat any

$_ZNSt7__n486116coroutine_handleIvEC2Ev = comdat any

; Function Attrs: mustprogress noinline presplitcoroutine uwtable
define dso_local ptr @_Z8trianglei(i32 noundef %0) #0 personality ptr @__gxx_personality_v0 !dbg !133 {
  %2 = alloca %struct.Generator, align 8
  %3 = alloca i32, align 4, !coro.outside.frame !136
  %4 = alloca i32, align 4
  %5 = alloca %"struct.Generator::promise_type", align 4
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca %"struct.std::__n4861::suspend_always", align 1
  %9 = alloca %"struct.std::__n4861::suspend_always", align 1
  %10 = alloca %struct.Step, align 4
  %11 = alloca ptr, align 8
  %12 = alloca i32, align 4
  %13 = alloca %"struct.std::__n4861::suspend_always", align 1
  %14 = alloca %"struct.std::__n4861::suspend_always", align 1
  %15 = alloca %"struct.std::__n4861::suspend_always", align 1
  %16 = alloca %"struct.std::__n4861::suspend_always", align 1
  store i32 %0, ptr %3, align 4
    #dbg_declare(ptr %3, !137, !DIExpression(), !138)
  %17 = call token @llvm.coro.id(i32 16, ptr %5, ptr null, ptr null), !dbg !139
  %18 = call i1 @llvm.coro.alloc(token %17), !dbg !139
  br i1 %18, label %19, label %22, !dbg !139

19:                                               ; preds = %1
  %20 = call i64 @llvm.coro.size.i64(), !dbg !140
  %21 = call noalias noundef nonnull ptr @_Znwm(i64 noundef %20) #13, !dbg !140
  br label %22, !dbg !139

22:                                               ; preds = %19, %1
  %23 = phi ptr [ null, %1 ], [ %21, %19 ], !dbg !139
  %24 = call ptr @llvm.coro.begin(token %17, ptr %23), !dbg !139
  call void @llvm.lifetime.start.p0(ptr %4) #2, !dbg !141
    #dbg_declare(ptr %4, !137, !DIExpression(), !142)
  %25 = load i32, ptr %3, align 4, !dbg !141
  store i32 %25, ptr %4, align 4, !dbg !141
  call void @llvm.lifetime.start.p0(ptr %5) #2, !dbg !140
    #dbg_declare(ptr %5, !143, !DIExpression(), !142)
  %26 = getelementptr inbounds nuw %"struct.Generator::promise_type", ptr %5, i32 0, i32 0, !dbg !140
  %27 = load i32, ptr %4, align 4, !dbg !140
  store i32 %27, ptr %26, align 4, !dbg !140
  %28 = invoke ptr @_ZN9Generator12promise_type17get_return_objectEv(ptr noundef nonnull align 4 dereferenceable(4) %5)
          to label %29 unwind label %37, !dbg !140

29:                                               ; preds = %22
  %30 = getelementptr inbounds nuw %struct.Generator, ptr %2, i32 0, i32 0, !dbg !140
  %31 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %30, i32 0, i32 0, !dbg !140
  store ptr %28, ptr %31, align 8, !dbg !140
  call void @llvm.lifetime.start.p0(ptr %8) #2, !dbg !140
  call void @_ZN9Generator12promise_type15initial_suspendEv(ptr noundef nonnull align 4 dereferenceable(4) %5) #2, !dbg !140
  %32 = call noundef zeroext i1 @_ZNKSt7__n486114suspend_always11await_readyEv(ptr noundef nonnull align 1 dereferenceable(1) %8) #2, !dbg !140
  br i1 %32, label %43, label %33, !dbg !140

33:                                               ; preds = %29
  %34 = call token @llvm.coro.save(ptr null), !dbg !140
  call void @llvm.coro.await.suspend.void(ptr %8, ptr %24, ptr @_Z8trianglei.__await_suspend_wrapper__init) #2, !dbg !140
  %35 = call i8 @llvm.coro.suspend(token %34, i1 false), !dbg !140
  switch i8 %35, label %99 [
    i8 0, label %43
    i8 1, label %36
  ], !dbg !140

36:                                               ; preds = %33
  br label %44, !dbg !140

37:                                               ; preds = %22
  %38 = landingpad { ptr, i32 }
          cleanup, !dbg !149
  %39 = extractvalue { ptr, i32 } %38, 0, !dbg !149
  store ptr %39, ptr %6, align 8, !dbg !149
  %40 = extractvalue { ptr, i32 } %38, 1, !dbg !149
  store i32 %40, ptr %7, align 4, !dbg !149
  call void @llvm.lifetime.end.p0(ptr %5) #2, !dbg !140
  call void @llvm.lifetime.end.p0(ptr %4) #2, !dbg !140
  %41 = call ptr @llvm.coro.free(token %17, ptr %24), !dbg !140
  %42 = icmp ne ptr %41, null, !dbg !140
  br i1 %42, label %103, label %105, !dbg !140

43:                                               ; preds = %33, %29
  call void @_ZNKSt7__n486114suspend_always12await_resumeEv(ptr noundef nonnull align 1 dereferenceable(1) %8) #2, !dbg !140
  br label %44, !dbg !140

44:                                               ; preds = %43, %36
  %45 = phi i32 [ 0, %43 ], [ 2, %36 ]
  call void @llvm.lifetime.end.p0(ptr %8) #2, !dbg !140
  switch i32 %45, label %91 [
    i32 0, label %46
  ]

46:                                               ; preds = %44
  call void @llvm.lifetime.start.p0(ptr %10) #2, !dbg !150
    #dbg_declare(ptr %10, !152, !DIExpression(), !157)
  call void @llvm.memset.p0.i64(ptr align 4 %10, i8 0, i64 8, i1 false), !dbg !157
  call void @llvm.lifetime.start.p0(ptr %11) #2, !dbg !158
    #dbg_declare(ptr %11, !159, !DIExpression(), !161)
  store ptr %10, ptr %11, align 8, !dbg !161
  call void @llvm.lifetime.start.p0(ptr %12) #2, !dbg !162
    #dbg_declare(ptr %12, !164, !DIExpression(), !165)
  store i32 1, ptr %12, align 4, !dbg !165
  br label %47, !dbg !162

47:                                               ; preds = %72, %46
  %48 = load i32, ptr %12, align 4, !dbg !166
  %49 = load i32, ptr %4, align 4, !dbg !168
  %50 = icmp sle i32 %48, %49, !dbg !169
  br i1 %50, label %52, label %51, !dbg !170

51:                                               ; preds = %47
  br label %75, !dbg !170

52:                                               ; preds = %47
  %53 = load i32, ptr %12, align 4, !dbg !171
  %54 = load ptr, ptr %11, align 8, !dbg !173
  %55 = getelementptr inbounds nuw %struct.Step, ptr %54, i32 0, i32 0, !dbg !174
  store i32 %53, ptr %55, align 4, !dbg !175
  %56 = load i32, ptr %12, align 4, !dbg !176
  %57 = load ptr, ptr %11, align 8, !dbg !177
  %58 = getelementptr inbounds nuw %struct.Step, ptr %57, i32 0, i32 1, !dbg !178
  %59 = load i32, ptr %58, align 4, !dbg !179
  %60 = add nsw i32 %59, %56, !dbg !179
  store i32 %60, ptr %58, align 4, !dbg !179
  call void @llvm.lifetime.start.p0(ptr %13) #2, !dbg !180
  %61 = getelementptr inbounds nuw %struct.Step, ptr %10, i32 0, i32 1, !dbg !181
  %62 = load i32, ptr %61, align 4, !dbg !181
  call void @_ZN9Generator12promise_type11yield_valueEi(ptr noundef nonnull align 4 dereferenceable(4) %5, i32 noundef %62) #2, !dbg !180
  %63 = call noundef zeroext i1 @_ZNKSt7__n486114suspend_always11await_readyEv(ptr noundef nonnull align 1 dereferenceable(1) %13) #2, !dbg !180
  br i1 %63, label %68, label %64, !dbg !180

64:                                               ; preds = %52
  %65 = call token @llvm.coro.save(ptr null), !dbg !180
  call void @llvm.coro.await.suspend.void(ptr %13, ptr %24, ptr @_Z8trianglei.__await_suspend_wrapper__yield) #2, !dbg !180
  %66 = call i8 @llvm.coro.suspend(token %65, i1 false), !dbg !180
  switch i8 %66, label %99 [
    i8 0, label %68
    i8 1, label %67
  ], !dbg !180

67:                                               ; preds = %64
  br label %69, !dbg !180

68:                                               ; preds = %64, %52
  call void @_ZNKSt7__n486114suspend_always12await_resumeEv(ptr noundef nonnull align 1 dereferenceable(1) %13) #2, !dbg !180
  br label %69, !dbg !180

69:                                               ; preds = %68, %67
  %70 = phi i32 [ 0, %68 ], [ 2, %67 ]
  call void @llvm.lifetime.end.p0(ptr %13) #2, !dbg !180
  switch i32 %70, label %75 [
    i32 0, label %71
  ]

71:                                               ; preds = %69
  br label %72, !dbg !182

72:                                               ; preds = %71
  %73 = load i32, ptr %12, align 4, !dbg !183
  %74 = add nsw i32 %73, 1, !dbg !183
  store i32 %74, ptr %12, align 4, !dbg !183
  br label %47, !dbg !184, !llvm.loop !185

75:                                               ; preds = %69, %51
  %76 = phi i32 [ %70, %69 ], [ 4, %51 ]
  call void @llvm.lifetime.end.p0(ptr %12) #2, !dbg !184
  switch i32 %76, label %78 [
    i32 4, label %77
  ]

77:                                               ; preds = %75
  br label %78, !dbg !149

78:                                               ; preds = %77, %75
  %79 = phi i32 [ %76, %75 ], [ 0, %77 ], !dbg !142
  call void @llvm.lifetime.end.p0(ptr %11) #2, !dbg !149
  call void @llvm.lifetime.end.p0(ptr %10) #2, !dbg !149
  switch i32 %79, label %91 [
    i32 0, label %80
  ]

80:                                               ; preds = %78
  call void @_ZN9Generator12promise_type11return_voidEv(ptr noundef nonnull align 4 dereferenceable(4) %5) #2, !dbg !140
  br label %81, !dbg !140

81:                                               ; preds = %80
  call void @llvm.lifetime.start.p0(ptr %15) #2, !dbg !140
  call void @_ZN9Generator12promise_type13final_suspendEv(ptr noundef nonnull align 4 dereferenceable(4) %5) #2, !dbg !140
  %82 = call noundef zeroext i1 @_ZNKSt7__n486114suspend_always11await_readyEv(ptr noundef nonnull align 1 dereferenceable(1) %15) #2, !dbg !140
  br i1 %82, label %87, label %83, !dbg !140

83:                                               ; preds = %81
  %84 = call token @llvm.coro.save(ptr null), !dbg !140
  call void @llvm.coro.await.suspend.void(ptr %15, ptr %24, ptr @_Z8trianglei.__await_suspend_wrapper__final) #2, !dbg !140
  %85 = call i8 @llvm.coro.suspend(token %84, i1 true), !dbg !140
  switch i8 %85, label %99 [
    i8 0, label %87
    i8 1, label %86
  ], !dbg !140

86:                                               ; preds = %83
  br label %88, !dbg !140

87:                                               ; preds = %83, %81
  call void @_ZNKSt7__n486114suspend_always12await_resumeEv(ptr noundef nonnull align 1 dereferenceable(1) %15) #2, !dbg !140
  br label %88, !dbg !140

88:                                               ; preds = %87, %86
  %89 = phi i32 [ 0, %87 ], [ 2, %86 ]
  call void @llvm.lifetime.end.p0(ptr %15) #2, !dbg !140
  switch i32 %89, label %91 [
    i32 0, label %90
  ]

90:                                               ; preds = %88
  br label %91, !dbg !140

91:                                               ; preds = %90, %88, %78, %44
  %92 = phi i32 [ %45, %44 ], [ %79, %78 ], [ %89, %88 ], [ 0, %90 ], !dbg !142
  call void @llvm.lifetime.end.p0(ptr %5) #2, !dbg !140
  call void @llvm.lifetime.end.p0(ptr %4) #2, !dbg !140
  %93 = call ptr @llvm.coro.free(token %17, ptr %24), !dbg !140
  %94 = icmp ne ptr %93, null, !dbg !140
  br i1 %94, label %95, label %97, !dbg !140

95:                                               ; preds = %91
  %96 = call i64 @llvm.coro.size.i64(), !dbg !140
  call void @_ZdlPvm(ptr noundef %93, i64 noundef %96) #2, !dbg !140
  br label %97, !dbg !140

97:                                               ; preds = %91, %95
  switch i32 %92, label %111 [
    i32 0, label %98
    i32 2, label %99
  ]

98:                                               ; preds = %97
  br label %99, !dbg !140

99:                                               ; preds = %98, %97, %83, %64, %33
  call void @llvm.coro.end(ptr null, i1 false, token none), !dbg !140
  %100 = getelementptr inbounds nuw %struct.Generator, ptr %2, i32 0, i32 0, !dbg !140
  %101 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %100, i32 0, i32 0, !dbg !140
  %102 = load ptr, ptr %101, align 8, !dbg !140
  ret ptr %102, !dbg !140

103:                                              ; preds = %37
  %104 = call i64 @llvm.coro.size.i64(), !dbg !140
  call void @_ZdlPvm(ptr noundef %41, i64 noundef %104) #2, !dbg !140
  br label %105, !dbg !140

105:                                              ; preds = %37, %103
  br label %106, !dbg !140

106:                                              ; preds = %105
  %107 = load ptr, ptr %6, align 8, !dbg !140
  %108 = load i32, ptr %7, align 4, !dbg !140
  %109 = insertvalue { ptr, i32 } poison, ptr %107, 0, !dbg !140
  %110 = insertvalue { ptr, i32 } %109, i32 %108, 1, !dbg !140
  resume { ptr, i32 } %110, !dbg !140

111:                                              ; preds = %97
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare token @llvm.coro.id(i32, ptr readnone, ptr readonly captures(none), ptr) #1

; Function Attrs: nounwind
declare i1 @llvm.coro.alloc(token) #2

; Function Attrs: nobuiltin allocsize(0)
declare noundef nonnull ptr @_Znwm(i64 noundef) #3

; Function Attrs: nounwind memory(none)
declare i64 @llvm.coro.size.i64() #4

; Function Attrs: nounwind
declare ptr @llvm.coro.begin(token, ptr writeonly) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #5

; Function Attrs: mustprogress noinline uwtable
define linkonce_odr dso_local ptr @_ZN9Generator12promise_type17get_return_objectEv(ptr noundef nonnull align 4 dereferenceable(4) %0) #6 comdat align 2 !dbg !188 {
  %2 = alloca %struct.Generator, align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !189, !DIExpression(), !191)
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw %struct.Generator, ptr %2, i32 0, i32 0, !dbg !192
  %6 = call ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_promiseERS2_(ptr noundef nonnull align 4 dereferenceable(4) %4), !dbg !193
  %7 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %5, i32 0, i32 0, !dbg !193
  store ptr %6, ptr %7, align 8, !dbg !193
  %8 = getelementptr inbounds nuw %struct.Generator, ptr %2, i32 0, i32 0, !dbg !194
  %9 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %8, i32 0, i32 0, !dbg !194
  %10 = load ptr, ptr %9, align 8, !dbg !194
  ret ptr %10, !dbg !194
}

declare i32 @__gxx_personality_v0(...)

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZN9Generator12promise_type15initial_suspendEv(ptr noundef nonnull align 4 dereferenceable(4) %0) #7 comdat align 2 !dbg !195 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !196, !DIExpression(), !197)
  %3 = load ptr, ptr %2, align 8
  ret void, !dbg !198
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local noundef zeroext i1 @_ZNKSt7__n486114suspend_always11await_readyEv(ptr noundef nonnull align 1 dereferenceable(1) %0) #7 comdat align 2 !dbg !199 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !200, !DIExpression(), !202)
  %3 = load ptr, ptr %2, align 8
  ret i1 false, !dbg !203
}

; Function Attrs: nomerge nounwind
declare token @llvm.coro.save(ptr) #8

; Function Attrs: alwaysinline mustprogress
define internal void @_Z8trianglei.__await_suspend_wrapper__init(ptr noundef nonnull %0, ptr noundef %1) #9 !dbg !204 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %6 = alloca %"struct.std::__n4861::coroutine_handle", align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !206, !DIExpression(), !207)
  store ptr %1, ptr %4, align 8
    #dbg_declare(ptr %4, !208, !DIExpression(), !207)
  %7 = load ptr, ptr %3, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = call ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv(ptr noundef %8) #2, !dbg !209
  %10 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %6, i32 0, i32 0, !dbg !209
  store ptr %9, ptr %10, align 8, !dbg !209
  %11 = call ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv(ptr noundef nonnull align 8 dereferenceable(8) %6) #2, !dbg !209
  %12 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !209
  store ptr %11, ptr %12, align 8, !dbg !209
  %13 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !209
  %14 = load ptr, ptr %13, align 8, !dbg !209
  call void @_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE(ptr noundef nonnull align 1 dereferenceable(1) %7, ptr %14) #2, !dbg !209
  ret void, !dbg !209
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE(ptr noundef nonnull align 1 dereferenceable(1) %0, ptr %1) #7 comdat align 2 !dbg !211 {
  %3 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %4 = alloca ptr, align 8
  %5 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %3, i32 0, i32 0
  store ptr %1, ptr %5, align 8
  store ptr %0, ptr %4, align 8
    #dbg_declare(ptr %4, !212, !DIExpression(), !213)
    #dbg_declare(ptr %3, !214, !DIExpression(), !215)
  %6 = load ptr, ptr %4, align 8
  ret void, !dbg !216
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv(ptr noundef %0) #7 comdat align 2 !dbg !217 {
  %2 = alloca %"struct.std::__n4861::coroutine_handle", align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !218, !DIExpression(), !219)
    #dbg_declare(ptr %2, !220, !DIExpression(), !221)
  call void @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %2) #2, !dbg !221
  %4 = load ptr, ptr %3, align 8, !dbg !222
  %5 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %2, i32 0, i32 0, !dbg !223
  store ptr %4, ptr %5, align 8, !dbg !224
  %6 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %2, i32 0, i32 0, !dbg !225
  %7 = load ptr, ptr %6, align 8, !dbg !225
  ret ptr %7, !dbg !225
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv(ptr noundef nonnull align 8 dereferenceable(8) %0) #7 comdat align 2 !dbg !226 {
  %2 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !227, !DIExpression(), !229)
  %4 = load ptr, ptr %3, align 8
  %5 = call noundef ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7addressEv(ptr noundef nonnull align 8 dereferenceable(8) %4) #2, !dbg !230
  %6 = call ptr @_ZNSt7__n486116coroutine_handleIvE12from_addressEPv(ptr noundef %5) #2, !dbg !231
  %7 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %2, i32 0, i32 0, !dbg !231
  store ptr %6, ptr %7, align 8, !dbg !231
  %8 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %2, i32 0, i32 0, !dbg !232
  %9 = load ptr, ptr %8, align 8, !dbg !232
  ret ptr %9, !dbg !232
}

declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)

; Function Attrs: nounwind
declare i8 @llvm.coro.suspend(token, i1) #2

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZNKSt7__n486114suspend_always12await_resumeEv(ptr noundef nonnull align 1 dereferenceable(1) %0) #7 comdat align 2 !dbg !233 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !234, !DIExpression(), !235)
  %3 = load ptr, ptr %2, align 8
  ret void, !dbg !236
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #5

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #10

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZN9Generator12promise_type11yield_valueEi(ptr noundef nonnull align 4 dereferenceable(4) %0, i32 noundef %1) #7 comdat align 2 !dbg !237 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !238, !DIExpression(), !239)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !240, !DIExpression(), !241)
  %5 = load ptr, ptr %3, align 8
  %6 = load i32, ptr %4, align 4, !dbg !242
  %7 = getelementptr inbounds nuw %"struct.Generator::promise_type", ptr %5, i32 0, i32 0, !dbg !243
  store i32 %6, ptr %7, align 4, !dbg !244
  ret void, !dbg !245
}

; Function Attrs: alwaysinline mustprogress
define internal void @_Z8trianglei.__await_suspend_wrapper__yield(ptr noundef nonnull %0, ptr noundef %1) #9 !dbg !246 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %6 = alloca %"struct.std::__n4861::coroutine_handle", align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !247, !DIExpression(), !248)
  store ptr %1, ptr %4, align 8
    #dbg_declare(ptr %4, !249, !DIExpression(), !248)
  %7 = load ptr, ptr %3, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = call ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv(ptr noundef %8) #2, !dbg !250
  %10 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %6, i32 0, i32 0, !dbg !250
  store ptr %9, ptr %10, align 8, !dbg !250
  %11 = call ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv(ptr noundef nonnull align 8 dereferenceable(8) %6) #2, !dbg !250
  %12 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !250
  store ptr %11, ptr %12, align 8, !dbg !250
  %13 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !250
  %14 = load ptr, ptr %13, align 8, !dbg !250
  call void @_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE(ptr noundef nonnull align 1 dereferenceable(1) %7, ptr %14) #2, !dbg !250
  ret void, !dbg !250
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZN9Generator12promise_type11return_voidEv(ptr noundef nonnull align 4 dereferenceable(4) %0) #7 comdat align 2 !dbg !252 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !253, !DIExpression(), !254)
  %3 = load ptr, ptr %2, align 8
  ret void, !dbg !255
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZN9Generator12promise_type13final_suspendEv(ptr noundef nonnull align 4 dereferenceable(4) %0) #7 comdat align 2 !dbg !256 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !257, !DIExpression(), !258)
  %3 = load ptr, ptr %2, align 8
  ret void, !dbg !259
}

; Function Attrs: alwaysinline mustprogress
define internal void @_Z8trianglei.__await_suspend_wrapper__final(ptr noundef nonnull %0, ptr noundef %1) #9 !dbg !260 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %6 = alloca %"struct.std::__n4861::coroutine_handle", align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !261, !DIExpression(), !262)
  store ptr %1, ptr %4, align 8
    #dbg_declare(ptr %4, !263, !DIExpression(), !262)
  %7 = load ptr, ptr %3, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = call ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv(ptr noundef %8) #2, !dbg !264
  %10 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %6, i32 0, i32 0, !dbg !264
  store ptr %9, ptr %10, align 8, !dbg !264
  %11 = call ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv(ptr noundef nonnull align 8 dereferenceable(8) %6) #2, !dbg !264
  %12 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !264
  store ptr %11, ptr %12, align 8, !dbg !264
  %13 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %5, i32 0, i32 0, !dbg !264
  %14 = load ptr, ptr %13, align 8, !dbg !264
  call void @_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE(ptr noundef nonnull align 1 dereferenceable(1) %7, ptr %14) #2, !dbg !264
  ret void, !dbg !264
}

; Function Attrs: nobuiltin nounwind
declare void @_ZdlPvm(ptr noundef, i64 noundef) #11

; Function Attrs: nounwind memory(argmem: read)
declare ptr @llvm.coro.free(token, ptr readonly captures(none)) #12

; Function Attrs: nounwind
declare void @llvm.coro.end(ptr, i1, token) #2

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local ptr @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_promiseERS2_(ptr noundef nonnull align 4 dereferenceable(4) %0) #7 comdat align 2 !dbg !266 {
  %2 = alloca %"struct.std::__n4861::coroutine_handle", align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !267, !DIExpression(), !268)
    #dbg_declare(ptr %2, !269, !DIExpression(), !270)
  call void @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %2) #2, !dbg !270
  %4 = load ptr, ptr %3, align 8, !dbg !271, !nonnull !136, !align !272
  %5 = call ptr @llvm.coro.promise(ptr %4, i32 4, i1 true), !dbg !273
  %6 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %2, i32 0, i32 0, !dbg !274
  store ptr %5, ptr %6, align 8, !dbg !275
  %7 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %2, i32 0, i32 0, !dbg !276
  %8 = load ptr, ptr %7, align 8, !dbg !276
  ret ptr %8, !dbg !276
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #7 comdat align 2 !dbg !277 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !278, !DIExpression(), !280)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %3, i32 0, i32 0, !dbg !281
  store ptr null, ptr %4, align 8, !dbg !281
  ret void, !dbg !282
}

; Function Attrs: nounwind memory(none)
declare ptr @llvm.coro.promise(ptr captures(none), i32, i1) #4

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local ptr @_ZNSt7__n486116coroutine_handleIvE12from_addressEPv(ptr noundef %0) #7 comdat align 2 !dbg !283 {
  %2 = alloca %"struct.std::__n4861::coroutine_handle.0", align 8
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !284, !DIExpression(), !285)
    #dbg_declare(ptr %2, !286, !DIExpression(), !287)
  call void @_ZNSt7__n486116coroutine_handleIvEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %2) #2, !dbg !287
  %4 = load ptr, ptr %3, align 8, !dbg !288
  %5 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %2, i32 0, i32 0, !dbg !289
  store ptr %4, ptr %5, align 8, !dbg !290
  %6 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %2, i32 0, i32 0, !dbg !291
  %7 = load ptr, ptr %6, align 8, !dbg !291
  ret ptr %7, !dbg !291
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local noundef ptr @_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7addressEv(ptr noundef nonnull align 8 dereferenceable(8) %0) #7 comdat align 2 !dbg !292 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !293, !DIExpression(), !294)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle", ptr %3, i32 0, i32 0, !dbg !295
  %5 = load ptr, ptr %4, align 8, !dbg !295
  ret ptr %5, !dbg !296
}

; Function Attrs: mustprogress noinline nounwind uwtable
define linkonce_odr dso_local void @_ZNSt7__n486116coroutine_handleIvEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #7 comdat align 2 !dbg !297 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
    #dbg_declare(ptr %2, !298, !DIExpression(), !300)
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw %"struct.std::__n4861::coroutine_handle.0", ptr %3, i32 0, i32 0, !dbg !301
  store ptr null, ptr %4, align 8, !dbg !301
  ret void, !dbg !302
}

attributes #0 = { mustprogress noinline presplitcoroutine uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #2 = { nounwind }
attributes #3 = { nobuiltin allocsize(0) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { mustprogress noinline uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { nomerge nounwind }
attributes #9 = { alwaysinline mustprogress "min-legal-vector-width"="0" "sample-profile-suffix-elision-policy"="selected" }
attributes #10 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #11 = { nobuiltin nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { nounwind memory(argmem: read) }
attributes #13 = { allocsize(0) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!125, !126, !127, !128, !129, !130, !131}
!llvm.ident = !{!132}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "-", directory: "/", checksumkind: CSK_MD5, checksum: "c39153f9d57a78e5fcc5aa279235ffec")
!2 = !{!3, !5, !46}
!3 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!4 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "coroutine_handle<void>", scope: !7, file: !6, line: 96, size: 64, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !9, templateParams: !44, identifier: "_ZTSNSt7__n486116coroutine_handleIvEE")
!6 = !DIFile(filename: "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/coroutine", directory: "")
!7 = !DINamespace(name: "__n4861", scope: !8, exportSymbols: true)
!8 = !DINamespace(name: "std", scope: null)
!9 = !{!10, !12, !16, !22, !26, !31, !34, !38, !39, !42, !43}
!10 = !DIDerivedType(tag: DW_TAG_member, name: "_M_fr_ptr", scope: !5, file: !6, line: 140, baseType: !11, size: 64, flags: DIFlagProtected)
!11 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!12 = !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIvEC4Ev", scope: !5, file: !6, line: 100, type: !13, scopeLine: 100, flags: DIFlagPrototyped, spFlags: 0)
!13 = !DISubroutineType(types: !14)
!14 = !{null, !15}
!15 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!16 = !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIvEC4EDn", scope: !5, file: !6, line: 102, type: !17, scopeLine: 102, flags: DIFlagPrototyped, spFlags: 0)
!17 = !DISubroutineType(types: !18)
!18 = !{null, !15, !19}
!19 = !DIDerivedType(tag: DW_TAG_typedef, name: "nullptr_t", scope: !8, file: !20, line: 302, baseType: !21)
!20 = !DIFile(filename: "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/x86_64-linux-gnu/c++/12/bits/c++config.h", directory: "", checksumkind: CSK_MD5, checksum: "abdf1e7c43540a32b508ae209704da66")
!21 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "decltype(nullptr)")
!22 = !DISubprogram(name: "operator=", linkageName: "_ZNSt7__n486116coroutine_handleIvEaSEDn", scope: !5, file: !6, line: 106, type: !23, scopeLine: 106, flags: DIFlagPrototyped, spFlags: 0)
!23 = !DISubroutineType(types: !24)
!24 = !{!25, !15, !19}
!25 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !5, size: 64)
!26 = !DISubprogram(name: "address", linkageName: "_ZNKSt7__n486116coroutine_handleIvE7addressEv", scope: !5, file: !6, line: 114, type: !27, scopeLine: 114, flags: DIFlagPrototyped, spFlags: 0)
!27 = !DISubroutineType(types: !28)
!28 = !{!11, !29}
!29 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!30 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !5)
!31 = !DISubprogram(name: "from_address", linkageName: "_ZNSt7__n486116coroutine_handleIvE12from_addressEPv", scope: !5, file: !6, line: 116, type: !32, scopeLine: 116, flags: DIFlagPrototyped | DIFlagStaticMember, spFlags: 0)
!32 = !DISubroutineType(types: !33)
!33 = !{!5, !11}
!34 = !DISubprogram(name: "operator bool", linkageName: "_ZNKSt7__n486116coroutine_handleIvEcvbEv", scope: !5, file: !6, line: 125, type: !35, scopeLine: 125, flags: DIFlagExplicit | DIFlagPrototyped, spFlags: 0)
!35 = !DISubroutineType(types: !36)
!36 = !{!37, !29}
!37 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!38 = !DISubprogram(name: "done", linkageName: "_ZNKSt7__n486116coroutine_handleIvE4doneEv", scope: !5, file: !6, line: 130, type: !35, scopeLine: 130, flags: DIFlagPrototyped, spFlags: 0)
!39 = !DISubprogram(name: "operator()", linkageName: "_ZNKSt7__n486116coroutine_handleIvEclEv", scope: !5, file: !6, line: 133, type: !40, scopeLine: 133, flags: DIFlagPrototyped, spFlags: 0)
!40 = !DISubroutineType(types: !41)
!41 = !{null, !29}
!42 = !DISubprogram(name: "resume", linkageName: "_ZNKSt7__n486116coroutine_handleIvE6resumeEv", scope: !5, file: !6, line: 135, type: !40, scopeLine: 135, flags: DIFlagPrototyped, spFlags: 0)
!43 = !DISubprogram(name: "destroy", linkageName: "_ZNKSt7__n486116coroutine_handleIvE7destroyEv", scope: !5, file: !6, line: 137, type: !40, scopeLine: 137, flags: DIFlagPrototyped, spFlags: 0)
!44 = !{!45}
!45 = !DITemplateTypeParameter(name: "_Promise", type: null, defaulted: true)
!46 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "coroutine_handle<Generator::promise_type>", scope: !7, file: !6, line: 195, size: 64, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !47, templateParams: !123, identifier: "_ZTSNSt7__n486116coroutine_handleIN9Generator12promise_typeEEE")
!47 = !{!48, !49, !53, !56, !96, !100, !105, !108, !111, !114, !115, !118, !119, !120}
!48 = !DIDerivedType(tag: DW_TAG_member, name: "_M_fr_ptr", scope: !46, file: !6, line: 257, baseType: !11, size: 64, flags: DIFlagPrivate)
!49 = !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC4Ev", scope: !46, file: !6, line: 199, type: !50, scopeLine: 199, flags: DIFlagPrototyped, spFlags: 0)
!50 = !DISubroutineType(types: !51)
!51 = !{null, !52}
!52 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !46, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!53 = !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC4EDn", scope: !46, file: !6, line: 201, type: !54, scopeLine: 201, flags: DIFlagPrototyped, spFlags: 0)
!54 = !DISubroutineType(types: !55)
!55 = !{null, !52, !19}
!56 = !DISubprogram(name: "from_promise", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_promiseERS2_", scope: !46, file: !6, line: 204, type: !57, scopeLine: 204, flags: DIFlagPrototyped | DIFlagStaticMember, spFlags: 0)
!57 = !DISubroutineType(types: !58)
!58 = !{!46, !59}
!59 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !60, size: 64)
!60 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "promise_type", scope: !62, file: !61, line: 4, size: 32, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !65, identifier: "_ZTSN9Generator12promise_typeE")
!61 = !DIFile(filename: "triangle.cpp", directory: "/")
!62 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Generator", file: !61, line: 3, size: 64, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !63, identifier: "_ZTS9Generator")
!63 = !{!64}
!64 = !DIDerivedType(tag: DW_TAG_member, name: "handle", scope: !62, file: !61, line: 13, baseType: !46, size: 64)
!65 = !{!66, !68, !72, !88, !89, !92, !95}
!66 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !60, file: !61, line: 5, baseType: !67, size: 32)
!67 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!68 = !DISubprogram(name: "get_return_object", linkageName: "_ZN9Generator12promise_type17get_return_objectEv", scope: !60, file: !61, line: 6, type: !69, scopeLine: 6, flags: DIFlagPrototyped, spFlags: 0)
!69 = !DISubroutineType(types: !70)
!70 = !{!62, !71}
!71 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !60, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!72 = !DISubprogram(name: "initial_suspend", linkageName: "_ZN9Generator12promise_type15initial_suspendEv", scope: !60, file: !61, line: 7, type: !73, scopeLine: 7, flags: DIFlagPrototyped, spFlags: 0)
!73 = !DISubroutineType(types: !74)
!74 = !{!75, !71}
!75 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "suspend_always", scope: !7, file: !6, line: 326, size: 8, flags: DIFlagTypePassByValue, elements: !76, identifier: "_ZTSNSt7__n486114suspend_alwaysE")
!76 = !{!77, !82, !85}
!77 = !DISubprogram(name: "await_ready", linkageName: "_ZNKSt7__n486114suspend_always11await_readyEv", scope: !75, file: !6, line: 328, type: !78, scopeLine: 328, flags: DIFlagPrototyped, spFlags: 0)
!78 = !DISubroutineType(types: !79)
!79 = !{!37, !80}
!80 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !81, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!81 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !75)
!82 = !DISubprogram(name: "await_suspend", linkageName: "_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE", scope: !75, file: !6, line: 330, type: !83, scopeLine: 330, flags: DIFlagPrototyped, spFlags: 0)
!83 = !DISubroutineType(types: !84)
!84 = !{null, !80, !5}
!85 = !DISubprogram(name: "await_resume", linkageName: "_ZNKSt7__n486114suspend_always12await_resumeEv", scope: !75, file: !6, line: 332, type: !86, scopeLine: 332, flags: DIFlagPrototyped, spFlags: 0)
!86 = !DISubroutineType(types: !87)
!87 = !{null, !80}
!88 = !DISubprogram(name: "final_suspend", linkageName: "_ZN9Generator12promise_type13final_suspendEv", scope: !60, file: !61, line: 8, type: !73, scopeLine: 8, flags: DIFlagPrototyped, spFlags: 0)
!89 = !DISubprogram(name: "yield_value", linkageName: "_ZN9Generator12promise_type11yield_valueEi", scope: !60, file: !61, line: 9, type: !90, scopeLine: 9, flags: DIFlagPrototyped, spFlags: 0)
!90 = !DISubroutineType(types: !91)
!91 = !{!75, !71, !67}
!92 = !DISubprogram(name: "return_void", linkageName: "_ZN9Generator12promise_type11return_voidEv", scope: !60, file: !61, line: 10, type: !93, scopeLine: 10, flags: DIFlagPrototyped, spFlags: 0)
!93 = !DISubroutineType(types: !94)
!94 = !{null, !71}
!95 = !DISubprogram(name: "unhandled_exception", linkageName: "_ZN9Generator12promise_type19unhandled_exceptionEv", scope: !60, file: !61, line: 11, type: !93, scopeLine: 11, flags: DIFlagPrototyped, spFlags: 0)
!96 = !DISubprogram(name: "operator=", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEaSEDn", scope: !46, file: !6, line: 212, type: !97, scopeLine: 212, flags: DIFlagPrototyped, spFlags: 0)
!97 = !DISubroutineType(types: !98)
!98 = !{!99, !52, !19}
!99 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !46, size: 64)
!100 = !DISubprogram(name: "address", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7addressEv", scope: !46, file: !6, line: 220, type: !101, scopeLine: 220, flags: DIFlagPrototyped, spFlags: 0)
!101 = !DISubroutineType(types: !102)
!102 = !{!11, !103}
!103 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !104, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!104 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !46)
!105 = !DISubprogram(name: "from_address", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv", scope: !46, file: !6, line: 222, type: !106, scopeLine: 222, flags: DIFlagPrototyped | DIFlagStaticMember, spFlags: 0)
!106 = !DISubroutineType(types: !107)
!107 = !{!46, !11}
!108 = !DISubprogram(name: "operator coroutine_handle", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv", scope: !46, file: !6, line: 230, type: !109, scopeLine: 230, flags: DIFlagPrototyped, spFlags: 0)
!109 = !DISubroutineType(types: !110)
!110 = !{!5, !103}
!111 = !DISubprogram(name: "operator bool", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvbEv", scope: !46, file: !6, line: 234, type: !112, scopeLine: 234, flags: DIFlagExplicit | DIFlagPrototyped, spFlags: 0)
!112 = !DISubroutineType(types: !113)
!113 = !{!37, !103}
!114 = !DISubprogram(name: "done", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE4doneEv", scope: !46, file: !6, line: 239, type: !112, scopeLine: 239, flags: DIFlagPrototyped, spFlags: 0)
!115 = !DISubprogram(name: "operator()", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEclEv", scope: !46, file: !6, line: 242, type: !116, scopeLine: 242, flags: DIFlagPrototyped, spFlags: 0)
!116 = !DISubroutineType(types: !117)
!117 = !{null, !103}
!118 = !DISubprogram(name: "resume", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE6resumeEv", scope: !46, file: !6, line: 244, type: !116, scopeLine: 244, flags: DIFlagPrototyped, spFlags: 0)
!119 = !DISubprogram(name: "destroy", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7destroyEv", scope: !46, file: !6, line: 246, type: !116, scopeLine: 246, flags: DIFlagPrototyped, spFlags: 0)
!120 = !DISubprogram(name: "promise", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7promiseEv", scope: !46, file: !6, line: 249, type: !121, scopeLine: 249, flags: DIFlagPrototyped, spFlags: 0)
!121 = !DISubroutineType(types: !122)
!122 = !{!59, !103}
!123 = !{!124}
!124 = !DITemplateTypeParameter(name: "_Promise", type: !60)
!125 = !{i32 7, !"Dwarf Version", i32 5}
!126 = !{i32 2, !"Debug Info Version", i32 3}
!127 = !{i32 1, !"wchar_size", i32 4}
!128 = !{i32 8, !"PIC Level", i32 2}
!129 = !{i32 7, !"PIE Level", i32 2}
!130 = !{i32 7, !"uwtable", i32 2}
!131 = !{i32 7, !"frame-pointer", i32 2}
!132 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!133 = distinct !DISubprogram(name: "triangle", linkageName: "_Z8trianglei", scope: !61, file: !61, line: 18, type: !134, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !136)
!134 = !DISubroutineType(types: !135)
!135 = !{!62, !67}
!136 = !{}
!137 = !DILocalVariable(name: "rows", arg: 1, scope: !133, file: !61, line: 18, type: !67)
!138 = !DILocation(line: 18, column: 24, scope: !133)
!139 = !DILocation(line: 18, column: 30, scope: !133)
!140 = !DILocation(line: 18, column: 11, scope: !133)
!141 = !DILocation(line: 24, column: 5, scope: !133)
!142 = !DILocation(line: 0, scope: !133)
!143 = !DILocalVariable(name: "__promise", scope: !133, type: !144, flags: DIFlagArtificial)
!144 = !DIDerivedType(tag: DW_TAG_typedef, name: "promise_type", scope: !145, file: !6, line: 84, baseType: !60)
!145 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__coroutine_traits_impl<Generator, void>", scope: !7, file: !6, line: 78, size: 8, flags: DIFlagTypePassByValue, elements: !136, templateParams: !146, identifier: "_ZTSNSt7__n486123__coroutine_traits_implI9GeneratorvEE")
!146 = !{!147, !148}
!147 = !DITemplateTypeParameter(name: "_Result", type: !62)
!148 = !DITemplateTypeParameter(type: null, defaulted: true)
!149 = !DILocation(line: 26, column: 1, scope: !133)
!150 = !DILocation(line: 19, column: 3, scope: !151)
!151 = distinct !DILexicalBlock(scope: !133, file: !61, line: 18, column: 30)
!152 = !DILocalVariable(name: "last", scope: !151, file: !61, line: 19, type: !153)
!153 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Step", file: !61, line: 16, size: 64, flags: DIFlagTypePassByValue, elements: !154, identifier: "_ZTS4Step")
!154 = !{!155, !156}
!155 = !DIDerivedType(tag: DW_TAG_member, name: "row", scope: !153, file: !61, line: 16, baseType: !67, size: 32)
!156 = !DIDerivedType(tag: DW_TAG_member, name: "sum", scope: !153, file: !61, line: 16, baseType: !67, size: 32, offset: 32)
!157 = !DILocation(line: 19, column: 8, scope: !151)
!158 = !DILocation(line: 20, column: 3, scope: !151)
!159 = !DILocalVariable(name: "known", scope: !151, file: !61, line: 20, type: !160)
!160 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !153, size: 64)
!161 = !DILocation(line: 20, column: 9, scope: !151)
!162 = !DILocation(line: 21, column: 8, scope: !163)
!163 = distinct !DILexicalBlock(scope: !151, file: !61, line: 21, column: 3)
!164 = !DILocalVariable(name: "row", scope: !163, file: !61, line: 21, type: !67)
!165 = !DILocation(line: 21, column: 12, scope: !163)
!166 = !DILocation(line: 21, column: 21, scope: !167)
!167 = distinct !DILexicalBlock(scope: !163, file: !61, line: 21, column: 3)
!168 = !DILocation(line: 21, column: 28, scope: !167)
!169 = !DILocation(line: 21, column: 25, scope: !167)
!170 = !DILocation(line: 21, column: 3, scope: !163)
!171 = !DILocation(line: 22, column: 18, scope: !172)
!172 = distinct !DILexicalBlock(scope: !167, file: !61, line: 21, column: 41)
!173 = !DILocation(line: 22, column: 5, scope: !172)
!174 = !DILocation(line: 22, column: 12, scope: !172)
!175 = !DILocation(line: 22, column: 16, scope: !172)
!176 = !DILocation(line: 23, column: 19, scope: !172)
!177 = !DILocation(line: 23, column: 5, scope: !172)
!178 = !DILocation(line: 23, column: 12, scope: !172)
!179 = !DILocation(line: 23, column: 16, scope: !172)
!180 = !DILocation(line: 24, column: 5, scope: !172)
!181 = !DILocation(line: 24, column: 19, scope: !172)
!182 = !DILocation(line: 25, column: 3, scope: !172)
!183 = !DILocation(line: 21, column: 37, scope: !167)
!184 = !DILocation(line: 21, column: 3, scope: !167)
!185 = distinct !{!185, !170, !186, !187}
!186 = !DILocation(line: 25, column: 3, scope: !163)
!187 = !{!"llvm.loop.mustprogress"}
!188 = distinct !DISubprogram(name: "get_return_object", linkageName: "_ZN9Generator12promise_type17get_return_objectEv", scope: !60, file: !61, line: 6, type: !69, scopeLine: 6, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !68, retainedNodes: !136)
!189 = !DILocalVariable(name: "this", arg: 1, scope: !188, type: !190, flags: DIFlagArtificial | DIFlagObjectPointer)
!190 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !60, size: 64)
!191 = !DILocation(line: 0, scope: !188)
!192 = !DILocation(line: 6, column: 44, scope: !188)
!193 = !DILocation(line: 6, column: 45, scope: !188)
!194 = !DILocation(line: 6, column: 37, scope: !188)
!195 = distinct !DISubprogram(name: "initial_suspend", linkageName: "_ZN9Generator12promise_type15initial_suspendEv", scope: !60, file: !61, line: 7, type: !73, scopeLine: 7, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !72, retainedNodes: !136)
!196 = !DILocalVariable(name: "this", arg: 1, scope: !195, type: !190, flags: DIFlagArtificial | DIFlagObjectPointer)
!197 = !DILocation(line: 0, scope: !195)
!198 = !DILocation(line: 7, column: 54, scope: !195)
!199 = distinct !DISubprogram(name: "await_ready", linkageName: "_ZNKSt7__n486114suspend_always11await_readyEv", scope: !75, file: !6, line: 328, type: !78, scopeLine: 328, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !77, retainedNodes: !136)
!200 = !DILocalVariable(name: "this", arg: 1, scope: !199, type: !201, flags: DIFlagArtificial | DIFlagObjectPointer)
!201 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !81, size: 64)
!202 = !DILocation(line: 0, scope: !199)
!203 = !DILocation(line: 328, column: 51, scope: !199)
!204 = distinct !DISubprogram(linkageName: "_Z8trianglei.__await_suspend_wrapper__init", scope: !1, file: !1, type: !205, flags: DIFlagArtificial, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0, retainedNodes: !136)
!205 = !DISubroutineType(types: !136)
!206 = !DILocalVariable(arg: 1, scope: !204, type: !11, flags: DIFlagArtificial)
!207 = !DILocation(line: 0, scope: !204)
!208 = !DILocalVariable(arg: 2, scope: !204, type: !11, flags: DIFlagArtificial)
!209 = !DILocation(line: 18, column: 11, scope: !210)
!210 = !DILexicalBlockFile(scope: !204, file: !61, discriminator: 0)
!211 = distinct !DISubprogram(name: "await_suspend", linkageName: "_ZNKSt7__n486114suspend_always13await_suspendENS_16coroutine_handleIvEE", scope: !75, file: !6, line: 330, type: !83, scopeLine: 330, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !82, retainedNodes: !136)
!212 = !DILocalVariable(name: "this", arg: 1, scope: !211, type: !201, flags: DIFlagArtificial | DIFlagObjectPointer)
!213 = !DILocation(line: 0, scope: !211)
!214 = !DILocalVariable(arg: 2, scope: !211, file: !6, line: 330, type: !5)
!215 = !DILocation(line: 330, column: 52, scope: !211)
!216 = !DILocation(line: 330, column: 70, scope: !211)
!217 = distinct !DISubprogram(name: "from_address", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_addressEPv", scope: !46, file: !6, line: 222, type: !106, scopeLine: 223, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !105, retainedNodes: !136)
!218 = !DILocalVariable(name: "__a", arg: 1, scope: !217, file: !6, line: 222, type: !11)
!219 = !DILocation(line: 222, column: 60, scope: !217)
!220 = !DILocalVariable(name: "__self", scope: !217, file: !6, line: 224, type: !46)
!221 = !DILocation(line: 224, column: 19, scope: !217)
!222 = !DILocation(line: 225, column: 21, scope: !217)
!223 = !DILocation(line: 225, column: 9, scope: !217)
!224 = !DILocation(line: 225, column: 19, scope: !217)
!225 = !DILocation(line: 226, column: 2, scope: !217)
!226 = distinct !DISubprogram(name: "operator coroutine_handle", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEEcvNS0_IvEEEv", scope: !46, file: !6, line: 230, type: !109, scopeLine: 231, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !108, retainedNodes: !136)
!227 = !DILocalVariable(name: "this", arg: 1, scope: !226, type: !228, flags: DIFlagArtificial | DIFlagObjectPointer)
!228 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !104, size: 64)
!229 = !DILocation(line: 0, scope: !226)
!230 = !DILocation(line: 231, column: 49, scope: !226)
!231 = !DILocation(line: 231, column: 16, scope: !226)
!232 = !DILocation(line: 231, column: 9, scope: !226)
!233 = distinct !DISubprogram(name: "await_resume", linkageName: "_ZNKSt7__n486114suspend_always12await_resumeEv", scope: !75, file: !6, line: 332, type: !86, scopeLine: 332, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !85, retainedNodes: !136)
!234 = !DILocalVariable(name: "this", arg: 1, scope: !233, type: !201, flags: DIFlagArtificial | DIFlagObjectPointer)
!235 = !DILocation(line: 0, scope: !233)
!236 = !DILocation(line: 332, column: 51, scope: !233)
!237 = distinct !DISubprogram(name: "yield_value", linkageName: "_ZN9Generator12promise_type11yield_valueEi", scope: !60, file: !61, line: 9, type: !90, scopeLine: 9, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !89, retainedNodes: !136)
!238 = !DILocalVariable(name: "this", arg: 1, scope: !237, type: !190, flags: DIFlagArtificial | DIFlagObjectPointer)
!239 = !DILocation(line: 0, scope: !237)
!240 = !DILocalVariable(name: "v", arg: 2, scope: !237, file: !61, line: 9, type: !67)
!241 = !DILocation(line: 9, column: 41, scope: !237)
!242 = !DILocation(line: 9, column: 63, scope: !237)
!243 = !DILocation(line: 9, column: 55, scope: !237)
!244 = !DILocation(line: 9, column: 61, scope: !237)
!245 = !DILocation(line: 9, column: 66, scope: !237)
!246 = distinct !DISubprogram(linkageName: "_Z8trianglei.__await_suspend_wrapper__yield", scope: !1, file: !1, type: !205, flags: DIFlagArtificial, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0, retainedNodes: !136)
!247 = !DILocalVariable(arg: 1, scope: !246, type: !11, flags: DIFlagArtificial)
!248 = !DILocation(line: 0, scope: !246)
!249 = !DILocalVariable(arg: 2, scope: !246, type: !11, flags: DIFlagArtificial)
!250 = !DILocation(line: 24, column: 5, scope: !251)
!251 = !DILexicalBlockFile(scope: !246, file: !61, discriminator: 0)
!252 = distinct !DISubprogram(name: "return_void", linkageName: "_ZN9Generator12promise_type11return_voidEv", scope: !60, file: !61, line: 10, type: !93, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !92, retainedNodes: !136)
!253 = !DILocalVariable(name: "this", arg: 1, scope: !252, type: !190, flags: DIFlagArtificial | DIFlagObjectPointer)
!254 = !DILocation(line: 0, scope: !252)
!255 = !DILocation(line: 10, column: 34, scope: !252)
!256 = distinct !DISubprogram(name: "final_suspend", linkageName: "_ZN9Generator12promise_type13final_suspendEv", scope: !60, file: !61, line: 8, type: !73, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !88, retainedNodes: !136)
!257 = !DILocalVariable(name: "this", arg: 1, scope: !256, type: !190, flags: DIFlagArtificial | DIFlagObjectPointer)
!258 = !DILocation(line: 0, scope: !256)
!259 = !DILocation(line: 8, column: 52, scope: !256)
!260 = distinct !DISubprogram(linkageName: "_Z8trianglei.__await_suspend_wrapper__final", scope: !1, file: !1, type: !205, flags: DIFlagArtificial, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0, retainedNodes: !136)
!261 = !DILocalVariable(arg: 1, scope: !260, type: !11, flags: DIFlagArtificial)
!262 = !DILocation(line: 0, scope: !260)
!263 = !DILocalVariable(arg: 2, scope: !260, type: !11, flags: DIFlagArtificial)
!264 = !DILocation(line: 18, column: 11, scope: !265)
!265 = !DILexicalBlockFile(scope: !260, file: !61, discriminator: 0)
!266 = distinct !DISubprogram(name: "from_promise", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEE12from_promiseERS2_", scope: !46, file: !6, line: 204, type: !57, scopeLine: 205, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !56, retainedNodes: !136)
!267 = !DILocalVariable(name: "__p", arg: 1, scope: !266, file: !6, line: 204, type: !59)
!268 = !DILocation(line: 204, column: 30, scope: !266)
!269 = !DILocalVariable(name: "__self", scope: !266, file: !6, line: 206, type: !46)
!270 = !DILocation(line: 206, column: 19, scope: !266)
!271 = !DILocation(line: 208, column: 38, scope: !266)
!272 = !{i64 4}
!273 = !DILocation(line: 208, column: 6, scope: !266)
!274 = !DILocation(line: 207, column: 9, scope: !266)
!275 = !DILocation(line: 208, column: 4, scope: !266)
!276 = !DILocation(line: 209, column: 2, scope: !266)
!277 = distinct !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIN9Generator12promise_typeEEC2Ev", scope: !46, file: !6, line: 199, type: !50, scopeLine: 199, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !49, retainedNodes: !136)
!278 = !DILocalVariable(name: "this", arg: 1, scope: !277, type: !279, flags: DIFlagArtificial | DIFlagObjectPointer)
!279 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !46, size: 64)
!280 = !DILocation(line: 0, scope: !277)
!281 = !DILocation(line: 257, column: 13, scope: !277)
!282 = !DILocation(line: 199, column: 47, scope: !277)
!283 = distinct !DISubprogram(name: "from_address", linkageName: "_ZNSt7__n486116coroutine_handleIvE12from_addressEPv", scope: !5, file: !6, line: 116, type: !32, scopeLine: 117, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !31, retainedNodes: !136)
!284 = !DILocalVariable(name: "__a", arg: 1, scope: !283, file: !6, line: 116, type: !11)
!285 = !DILocation(line: 116, column: 60, scope: !283)
!286 = !DILocalVariable(name: "__self", scope: !283, file: !6, line: 118, type: !5)
!287 = !DILocation(line: 118, column: 19, scope: !283)
!288 = !DILocation(line: 119, column: 21, scope: !283)
!289 = !DILocation(line: 119, column: 9, scope: !283)
!290 = !DILocation(line: 119, column: 19, scope: !283)
!291 = !DILocation(line: 120, column: 2, scope: !283)
!292 = distinct !DISubprogram(name: "address", linkageName: "_ZNKSt7__n486116coroutine_handleIN9Generator12promise_typeEE7addressEv", scope: !46, file: !6, line: 220, type: !101, scopeLine: 220, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !100, retainedNodes: !136)
!293 = !DILocalVariable(name: "this", arg: 1, scope: !292, type: !228, flags: DIFlagArtificial | DIFlagObjectPointer)
!294 = !DILocation(line: 0, scope: !292)
!295 = !DILocation(line: 220, column: 57, scope: !292)
!296 = !DILocation(line: 220, column: 50, scope: !292)
!297 = distinct !DISubprogram(name: "coroutine_handle", linkageName: "_ZNSt7__n486116coroutine_handleIvEC2Ev", scope: !5, file: !6, line: 100, type: !13, scopeLine: 100, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !12, retainedNodes: !136)
!298 = !DILocalVariable(name: "this", arg: 1, scope: !297, type: !299, flags: DIFlagArtificial | DIFlagObjectPointer)
!299 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
!300 = !DILocation(line: 0, scope: !297)
!301 = !DILocation(line: 100, column: 47, scope: !297)
!302 = !DILocation(line: 100, column: 61, scope: !297)
