; A bit of everything that a module may hold, for tests of pycoro.ir: constants of all kinds, flags, attributes, pads, places.
source_filename = "odd"
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
%pair = type { i32, ptr }
%opaque = type opaque
@0 = global i32 7
@big = global [1000000000 x i8] zeroinitializer
@str = constant [4 x i8] c"a\00\FFb", section "mine", align 16, !mine !9
@tl = thread_local global i32 0
@fl = global double 1.5
@fx = global x86_fp80 0xK3FFF8000000000000000
@half = global half 0xH3C00
@vec = global <4 x i32> <i32 1, i32 2, i32 3, i32 4>
@st = global { i8, ptr, [2 x i16] } { i8 -1, ptr @f, [2 x i16] [i16 1, i16 poison] }
@wide = global i128 -170141183460469231731687303715884105728
@expr = global ptr getelementptr inbounds (i8, ptr @str, i64 2)
@sub = global i64 sub (i64 ptrtoint (ptr @str to i64), i64 ptrtoint (ptr @fl to i64))
@ba = global ptr blockaddress(@brs, %one)
@dso = global i64 trunc (i128 ptrtoint (ptr dso_local_equivalent @f to i128) to i64)
@nocfi = global ptr no_cfi @f
@al = alias i32, ptr @0
@al2 = internal alias i8, getelementptr (i8, ptr @str, i64 1)
@ifn = ifunc void (), ptr @resolver
@ext = external global %opaque
@undefd = global i32 undef
@llvm.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
define ptr @resolver() { ret ptr @f }
define void @f() { ret void }
declare i32 @__gxx_personality_v0(...)
declare void @g(ptr sret(%pair), ptr byval(i64) align 8, i32 zeroext, ...) #1
declare i64 @llvm.read_register.i64(metadata)
declare i1 @llvm.type.test(ptr, metadata)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
define i32 @"quoted name \FF"(i32 range(i32 0, 10) %0, ptr initializes((0, 4)) captures(none) dereferenceable(8) %p, <vscale x 4 x i32> %sv) #0 gc "shadow-stack" prefix i32 3 !prof !8 {
  %2 = add nuw nsw i32 %0, 1
  %3 = udiv exact i32 %2, 3
  %4 = or disjoint i32 %3, 8
  %5 = icmp samesign ult i32 %4, 3
  %6 = zext nneg i32 %4 to i64
  %7 = trunc nuw nsw i64 %6 to i32
  %8 = getelementptr inbounds nuw %pair, ptr %p, i32 0, i32 1
  %9 = getelementptr nusw i8, ptr %p, i64 %6
  %10 = load atomic volatile i32, ptr %p seq_cst, align 4, !tbaa !5
  %11 = cmpxchg weak volatile ptr %p, i32 1, i32 2 acq_rel monotonic, align 8
  %12 = atomicrmw volatile fadd ptr %p, float 1.0 seq_cst
  %13 = atomicrmw usub_sat ptr %p, i32 1 monotonic
  %14 = fadd reassoc nnan nsz contract float 1.0, 2.0
  %15 = fcmp fast uno float %14, 0.0
  %16 = extractvalue { i32, i1 } %11, 0
  %17 = insertvalue { i32, { i8, i8 } } poison, i8 3, 1, 1
  %18 = shufflevector <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> poison, <3 x i32> <i32 0, i32 poison, i32 7>
  %19 = shufflevector <vscale x 4 x i32> %sv, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %20 = call i32 asm sideeffect "mov $1, $0", "=r,r"(i32 %0), !srcloc !7, !a\20kind !9
  %21 = alloca inalloca [3 x i32], i64 4, align 32
  %22 = freeze i32 %0
  %23 = select i1 %5, i32 %0, i32 1
  %24 = fneg fast float %14
  %25 = sitofp i32 %0 to float
  %26 = va_arg ptr %p, i32
  fence syncscope("singlethread") acquire
  %rr = call i64 @llvm.read_register.i64(metadata !{!"rsp"})
  %tt = call i1 @llvm.type.test(ptr %p, metadata !"text")
  %tt2 = call i1 @llvm.type.test(ptr %p, metadata !{})
  %cf = call float @llvm.experimental.constrained.fadd.f32(float 1.0, float 2.0, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  call void (ptr, ptr, i32, ...) @g(ptr sret(%pair) %p, ptr byval(i64) %p, i32 zeroext 3, i32 noundef 9) #2 [ "deopt"(i32 %0, ptr %p), "x"() ], !mine !9
  store atomic i32 1, ptr %p release, align 4
  %r27 = notail call fastcc i32 @"quoted name \FF"(i32 %0, ptr %p, <vscale x 4 x i32> %sv)
  ret i32 %r27
}
define void @eh() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @f() to label %ok unwind label %pad
ok:
  callbr void asm "", "!i"() to label %ok2 [label %ok3]
ok2:
  ret void
ok3:
  unreachable
pad:
  %lp = landingpad { ptr, i32 } cleanup catch ptr null filter [1 x ptr] [ptr @0]
  resume { ptr, i32 } %lp
}
define void @wineh() personality ptr @__C_specific_handler {
entry:
  invoke void @f() to label %ok unwind label %cs
cs:
  %s = catchswitch within none [label %h1] unwind label %cl
h1:
  %c = catchpad within %s [ptr null]
  invoke void @f() [ "funclet"(token %c) ] to label %r unwind label %cl
r:
  catchret from %c to label %ok
ok:
  ret void
cl:
  %k = cleanuppad within none []
  cleanupret from %k unwind to caller
}
declare i32 @__C_specific_handler(...)
define void @brs(ptr %a, i8 %n) {
  indirectbr ptr %a, [label %one, label %one, label %two]
one:
  switch i8 %n, label %two [ i8 1, label %one
   i8 2, label %three ]
two:
  %p = phi i8 [ 1, %0 ], [ 2, %one ]
  br i1 true, label %three, label %three
three:
  %tok = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  br label %three
dead:
  %d = add i8 %d, 1
  br label %dead
}
define swifttailcc void @cc() #3 { ret void }
define preserve_nonecc void @cc2() { ret void }
define x86_stdcallcc void @cc3() { ret void }
define amdgpu_kernel void @cc4() { ret void }
define void @dbg(i32 %x) !dbg !20 {
  #dbg_value(i32 %x, !25, !DIExpression(), !23)
  call void @f(), !dbg !23
  call void @f(), !dbg !24
  call void @f(), !dbg !26
  ret void
}
attributes #0 = { nounwind "probe-stack"="x" memory(argmem: read) uwtable vscale_range(1,16) alignstack=16 "novalue" sanitize_address }
attributes #1 = { allocsize(2) }
attributes #2 = { nounwind memory(none) "call"="site" }
attributes #3 = { noinline }
!llvm.dbg.cu = !{!21}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7}
!7 = !{i64 4}
!8 = !{!"function_entry_count", i64 4}
!9 = distinct !{}
!20 = distinct !DISubprogram(name: "dbg", scope: !22, file: !22, line: 3, type: !30, unit: !21)
!21 = distinct !DICompileUnit(language: DW_LANG_C, file: !22)
!22 = !DIFile(filename: "a.c", directory: "/tmp/d")
!23 = !DILocation(line: 5, column: 2, scope: !27)
!24 = !DILocation(line: 9, scope: !28, inlinedAt: !23)
!25 = !DILocalVariable(scope: !20, name: "x", type: !31)
!26 = !DILocation(line: 0, scope: !20)
!27 = distinct !DILexicalBlock(scope: !20, file: !22, line: 4)
!28 = distinct !DISubprogram(scope: null, spFlags: DISPFlagDefinition, unit: !21)
!30 = !DISubroutineType(types: !{})
!31 = !DIBasicType(name: "int", size: 32)
