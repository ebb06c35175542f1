"""Small valid modules that LLVM's code generator, assembler or linker crashes on or handles badly."""

from __future__ import annotations


def _body(code: str, head: str = "", *, attributes: str = "", tail: str = "") -> str:
    return f"{head}\ndefine i32 @f() {attributes} {{\n{code}\n  ret i32 7\n}}\n{tail}\n"


def _called(declaration: str, call: str) -> str:
    return _body(f"  {call}", f"declare {declaration}")


def _assembly(*lines: str) -> str:
    return _body("", "\n".join(f'module asm "{line}"' for line in lines))


def _inline(text: str, constraints: str = "~{memory}") -> str:
    return _body(f'  call void asm sideeffect "{text}", "{constraints}"()')


SCALABLE = {
    "vscale": _called("i32 @llvm.vscale.i32()", "%v = call i32 @llvm.vscale.i32()"),
    "scalable variable": _body("  %v = alloca <vscale x 4 x i32>"),
    "scalable in a struct": _body("  %v = alloca { <vscale x 4 x i32>, <vscale x 4 x i32> }"),
    "scalable in an array": _body("  %v = alloca [3 x <vscale x 4 x i32>]"),
    "scalable parameter": "define void @f(<vscale x 4 x i32> %v) {\n  ret void\n}\n",
    "scalable result": "define <vscale x 4 x i32> @f() {\n  ret <vscale x 4 x i32> zeroinitializer\n}\n",
    "scalable store": "define void @f(ptr %p) {\n  store <vscale x 2 x i64> zeroinitializer, ptr %p\n  ret void\n}\n",
    "step vector": _called(
        "<vscale x 4 x i32> @llvm.stepvector.nxv4i32()", "%v = call <vscale x 4 x i32> @llvm.stepvector.nxv4i32()"
    ),
    "target type": 'define void @f() {\n  %v = alloca target("aarch64.svcount")\n  ret void\n}\n',
    "target type of nobody": 'define void @f(target("nobody.knows", i32, 4) %v) {\n  ret void\n}\n',
}

COLLECTORS = {
    "gc foo": _body("", attributes='gc "foo"'),
    "gc erlang": _body("", attributes='gc "erlang"'),
    "gc ocaml": _body("", attributes='gc "ocaml"'),
    "gc shadow-stack": _body("", attributes='gc "shadow-stack"'),
    "gc statepoint-example": _body("", attributes='gc "statepoint-example"'),
    "gc coreclr": _body("", attributes='gc "coreclr"'),
    "gcroot": _body(
        "  %r = alloca ptr\n  call void @llvm.gcroot(ptr %r, ptr null)",
        "declare void @llvm.gcroot(ptr, ptr)",
        attributes='gc "shadow-stack"',
    ),
    "statepoint": "declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)\ndeclare void @g()\n"
    'define void @f() gc "statepoint-example" {\n'
    "  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, "
    "ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0)\n  ret void\n}\ndefine void @g2() {\n  ret void\n}\n",
    "patchpoint": _called(
        "void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)",
        "call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 1, ptr null, i32 0)",
    ),
    "stackmap": _called(
        "void @llvm.experimental.stackmap(i64, i32, ...)",
        "call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 -1)",
    ),
}

PROCESSORS = {
    "cpu foo": _body("", attributes='"target-cpu"="foo"'),
    "cpu i386": _body("", attributes='"target-cpu"="i386"'),
    "cpu cortex-a53": _body("", attributes='"target-cpu"="cortex-a53"'),
    "feature foo": _body("", attributes='"target-features"="+foo"'),
    "features -64bit": _body("", attributes='"target-features"="-64bit"'),
    "features -sse2": 'define double @f(double %x) "target-features"="-sse2" {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n',
    "features -x87": (
        'define x86_fp80 @f(x86_fp80 %x) "target-features"="-x87" {\n  %y = fadd x86_fp80 %x, %x\n  ret x86_fp80 %y\n}\n'
    ),
    "soft-float": 'define double @f(double %x) "use-soft-float"="true" {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n',
    "tune-cpu": _body("", attributes='"tune-cpu"="nobody"'),
    "patchable": _body("", attributes='"patchable-function-entry"="4294967295"'),
    "stack-probe-size": _body("  %v = alloca [1000000 x i8]", attributes='"probe-stack"="inline-asm" "stack-probe-size"="0"'),
    "prefix": "define i32 @f() prefix i32 1 prologue i8 144 {\n  ret i32 7\n}\n",
    "split-stack": _body("", attributes='"split-stack"'),
    "thunk-extern": _body("", attributes='fn_ret_thunk_extern "indirect-tls-seg-refs"'),
    "naked": "define i32 @f() naked {\n  ret i32 7\n}\n",
}

TYPES = {
    "i8388607": "define i8388607 @f(i8388607 %x) {\n  %y = mul i8388607 %x, %x\n  ret i8388607 %y\n}\n",
    "i4096 division": "define i4096 @f(i4096 %x) {\n  %y = sdiv i4096 %x, 3\n  ret i4096 %y\n}\n",
    "wide vector": "define <4096 x i64> @f(<4096 x i64> %x) {\n  %y = mul <4096 x i64> %x, %x\n  ret <4096 x i64> %y\n}\n",
    "huge vector": "define void @f(ptr %p) {\n  %v = load <1000000 x i64>, ptr %p\n  "
    "store <1000000 x i64> %v, ptr %p\n  ret void\n}\n",
    "huge aggregate": ("define [100000 x i64] @f(ptr %p) {\n  %v = load [100000 x i64], ptr %p\n  ret [100000 x i64] %v\n}\n"),
    "huge variable": _body("  %v = alloca [4294967296 x i64]\n  store i64 1, ptr %v"),
    "huge global": "@g = global [1152921504606846976 x i8] zeroinitializer\n" + _body("  store i8 1, ptr @g"),
    "ppc_fp128": "define ppc_fp128 @f(ppc_fp128 %x) {\n  %y = fadd ppc_fp128 %x, %x\n  ret ppc_fp128 %y\n}\n",
    "fp128": "define fp128 @f(fp128 %x) {\n  %y = fdiv fp128 %x, %x\n  ret fp128 %y\n}\n",
    "half": "define half @f(half %x) {\n  %y = frem half %x, 1.0\n  ret half %y\n}\n",
    "bfloat vector": "define <3 x bfloat> @f(<3 x bfloat> %x) {\n  %y = fmul <3 x bfloat> %x, %x\n  ret <3 x bfloat> %y\n}\n",
    "i7 vector": "define <5 x i7> @f(<5 x i7> %x) {\n  %y = udiv <5 x i7> %x, splat (i7 3)\n  ret <5 x i7> %y\n}\n",
    "address space": "define i32 @f(ptr addrspace(270) %p) {\n  %v = load i32, ptr addrspace(270) %p\n  ret i32 %v\n}\n",
    "address space cast": "define ptr addrspace(5) @f(ptr %p) {\n  %v = addrspacecast ptr %p to ptr addrspace(5)\n  "
    "ret ptr addrspace(5) %v\n}\n",
    "atomic of 1024 bits": "define void @f(ptr %p) {\n  %v = atomicrmw add ptr %p, i1024 1 seq_cst\n  ret void\n}\n",
    "atomic float": "define void @f(ptr %p) {\n  %v = atomicrmw fadd ptr %p, <2 x half> zeroinitializer seq_cst\n  ret void\n}\n",
    "alignment": "@g = global i8 0, align 4294967296\n"
    + _body("  %v = alloca i8, align 4294967296\n  store i8 1, ptr %v\n  store i8 1, ptr @g"),
}

INTRINSICS = {
    "matrix multiply": _called(
        "<4 x double> @llvm.matrix.multiply.v4f64.v4f64.v4f64(<4 x double>, <4 x double>, i32, i32, i32)",
        "%v = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v4f64(<4 x double> zeroinitializer, <4 x double> "
        "zeroinitializer, i32 2, i32 2, i32 2)",
    ),
    "matrix transpose": _called(
        "<4 x i32> @llvm.matrix.transpose.v4i32(<4 x i32>, i32, i32)",
        "%v = call <4 x i32> @llvm.matrix.transpose.v4i32(<4 x i32> zeroinitializer, i32 2, i32 2)",
    ),
    "ptrauth sign": _called("i64 @llvm.ptrauth.sign(i64, i32, i64)", "%v = call i64 @llvm.ptrauth.sign(i64 1, i32 0, i64 0)"),
    "ptrauth auth": _called("i64 @llvm.ptrauth.auth(i64, i32, i64)", "%v = call i64 @llvm.ptrauth.auth(i64 1, i32 0, i64 0)"),
    "ptrauth constant": "@g = global ptr ptrauth (ptr @f, i32 0)\n" + _body(""),
    "another machine's": _called("void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
    "a GPU's": _called("i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "%v = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"),
    "a feature's": _called("void @llvm.x86.tileloadd64(i8, i64, ptr, i64)", "")
    .replace("  \n", "  call void @llvm.x86.tilezero(i8 99)\n")
    .replace("@llvm.x86.tileloadd64(i8, i64, ptr, i64)", "@llvm.x86.tilezero(i8)"),
    "avx512": _called(
        "<16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float>, <16 x float>, i16)",
        "%v = call <16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float> zeroinitializer, <16 x float> zeroinitializer, i16 1)",
    ),
    "write_register": _body(
        "  call void @llvm.write_register.i64(metadata !0, i64 1)",
        "declare void @llvm.write_register.i64(metadata, i64)",
        tail='!0 = !{!"nobody"}',
    ),
    "read_register": _body(
        "  %v = call i32 @llvm.read_register.i32(metadata !0)",
        "declare i32 @llvm.read_register.i32(metadata)",
        tail='!0 = !{!"xmm0"}',
    ),
    "returnaddress": _called("ptr @llvm.returnaddress(i32)", "%v = call ptr @llvm.returnaddress(i32 1000000)"),
    "frameaddress": _called("ptr @llvm.frameaddress.p0(i32)", "%v = call ptr @llvm.frameaddress.p0(i32 4294967295)"),
    "eh.sjlj": _called("i32 @llvm.eh.sjlj.setjmp(ptr)", "%v = call i32 @llvm.eh.sjlj.setjmp(ptr null)"),
    "eh.typeid": _called("i32 @llvm.eh.typeid.for.p0(ptr)", "%v = call i32 @llvm.eh.typeid.for.p0(ptr null)"),
    "seh": _called("void @llvm.seh.scope.begin()", "%v = call ptr @llvm.localaddress()").replace(
        "declare void @llvm.seh.scope.begin()", "declare ptr @llvm.localaddress()"
    ),
    "localescape": _body("  %v = alloca i32\n  call void (...) @llvm.localescape(ptr %v)", "declare void @llvm.localescape(...)"),
    "preallocated": _called("token @llvm.call.preallocated.setup(i32)", "%v = call token @llvm.call.preallocated.setup(i32 0)"),
    "load.relative": _called("ptr @llvm.load.relative.i32(ptr, i32)", "%v = call ptr @llvm.load.relative.i32(ptr null, i32 0)"),
    "type.test": _body('  %v = call i1 @llvm.type.test(ptr null, metadata !"x")', "declare i1 @llvm.type.test(ptr, metadata)"),
    "fptosi.sat wide": _called(
        "i2000 @llvm.fptosi.sat.i2000.f64(double)", "%v = call i2000 @llvm.fptosi.sat.i2000.f64(double 1.0)"
    ),
    "smul.fix wide": _called(
        "i300 @llvm.smul.fix.i300(i300, i300, i32)", "%v = call i300 @llvm.smul.fix.i300(i300 1, i300 2, i32 299)"
    ),
    "get.dynamic.area": _called("i64 @llvm.get.dynamic.area.offset.i64()", "%v = call i64 @llvm.get.dynamic.area.offset.i64()"),
    "sponentry": _called("ptr @llvm.sponentry.p0()", "%v = call ptr @llvm.sponentry.p0()"),
    "swift.async.context.addr": _called("ptr @llvm.swift.async.context.addr()", "%v = call ptr @llvm.swift.async.context.addr()"),
    "constrained": _called(
        "ppc_fp128 @llvm.experimental.constrained.sqrt.ppcf128(ppc_fp128, metadata, metadata)",
        "%v = call ppc_fp128 @llvm.experimental.constrained.sqrt.ppcf128(ppc_fp128 0xM00000000000000000000000000000000, "
        'metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp',
    ),
    "masked compress": _called(
        "<3 x i9> @llvm.experimental.vector.compress.v3i9(<3 x i9>, <3 x i1>, <3 x i9>)",
        "%v = call <3 x i9> @llvm.experimental.vector.compress.v3i9(<3 x i9> zeroinitializer, "
        "<3 x i1> zeroinitializer, <3 x i9> poison)",
    ),
    "histogram": _called(
        "void @llvm.experimental.vector.histogram.add.v4p0.i32(<4 x ptr>, i32, <4 x i1>)",
        "call void @llvm.experimental.vector.histogram.add.v4p0.i32(<4 x ptr> zeroinitializer, i32 1, <4 x i1> zeroinitializer)",
    ),
}

CALLS = {
    "operand bundle": _body('  call void @abort() [ "foo"(i32 1) ]', "declare void @abort()"),
    "funclet bundle": _body('  call void @abort() [ "gc-live"(ptr null) ]', "declare void @abort()"),
    "musttail": "declare i32 @abs(i32)\ndefine i32 @f(i32 %x) {\n  %y = musttail call i32 @abs(i32 %x)\n  ret i32 %y\n}\n",
    "musttail tailcc": "declare tailcc i32 @g(i32)\n".replace("declare", "define").replace("@g(i32)", "@g(i32 %x)").strip()
    + " {\n  ret i32 %x\n}\ndefine tailcc i32 @f(i32 %x, i64 %y) {\n  %z = musttail call tailcc i32 @g(i32 %x)\n  ret i32 %z\n}\n",
    "convention of a GPU": "define amdgpu_kernel void @f() {\n  ret void\n}\n",
    "convention without a number": "define cc 1000 void @f() {\n  ret void\n}\n",
    "convention ghc": "define ghccc void @f() {\n  %v = alloca i32\n  store volatile i32 1, ptr %v\n  ret void\n}\n",
    "convention regcall": f"define x86_regcallcc {{ {', '.join(['i64'] * 17)} }} @f() {{\n  "
    f"ret {{ {', '.join(['i64'] * 17)} }} zeroinitializer\n}}\n",
    "interrupt": "define x86_intrcc void @f() {\n  ret void\n}\n",
    "interrupt with a frame": "define x86_intrcc void @f(ptr byval(i64) %p, i64 %e) {\n  ret void\n}\n",
    "inalloca": "define void @f(ptr inalloca(i32) %p) {\n  ret void\n}\n",
    "preallocated": "define void @f(ptr preallocated(i32) %p) {\n  ret void\n}\n",
    "nest": "define void @f(ptr nest %p, ptr nest %q) {\n  ret void\n}\n".replace(", ptr nest %q", ""),
    "catchpad": (
        "declare i32 @__CxxFrameHandler3(...)\ndeclare void @abort()\n"
        "define void @f() personality ptr @__CxxFrameHandler3 {\n  invoke void @abort() to label %out unwind label %pad\n"
        "pad:\n  %s = catchswitch within none [label %catch] unwind to caller\n"
        "catch:\n  %c = catchpad within %s [ptr null, i32 64, ptr null]\n  catchret from %c to label %out\nout:\n  ret void\n}\n"
    ),
    "wasm personality": (
        "declare i32 @__gxx_wasm_personality_v0(...)\ndeclare void @abort()\n"
        "define void @f() personality ptr @__gxx_wasm_personality_v0 {\n  invoke void @abort() to label %out unwind label %pad\n"
        "pad:\n  %s = catchswitch within none [label %catch] unwind to caller\n"
        "catch:\n  %c = catchpad within %s [ptr null]\n  catchret from %c to label %out\nout:\n  ret void\n}\n"
    ).replace("__gxx_wasm_personality_v0", "__gxx_personality_v0"),
    "callbr": (
        'define void @f() {\n  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %a [label %b]\n'
        "a:\n  ret void\nb:\n  ret void\n}\n"
    ),
    "indirectbr": "define void @f(ptr %p) {\n  indirectbr ptr %p, [label %a]\na:\n  ret void\n}\n",
    "blockaddress": "@g = global ptr blockaddress(@f, %a)\ndefine void @f() {\n  br label %a\na:\n  ret void\n}\n",
}

ASSEMBLY = {
    "unknown": _assembly("no such thing"),
    "error": _assembly(".error \\22no\\22"),
    "abort": _assembly(".abort"),
    "endless repetition": _assembly(".rept 100000000", ".rept 100000000", "nop", ".endr", ".endr"),
    "macro without end": _assembly(".macro m", "m", "m", ".endm", "m"),
    "fill": _assembly(".fill 4000000000, 8, 1"),
    "space": _assembly(".data", ".space 100000000000"),
    "org backwards": _assembly(".org 100", ".org 10"),
    "org far": _assembly(".org 0x7fffffffffff"),
    "balign": _assembly(".balign 0x80000000"),
    "incbin of everything": _assembly(".incbin \\22/dev/zero\\22"),
    "incbin of nothing": _assembly(".incbin \\22/no/such/file\\22"),
    "include of itself": _assembly(".include \\22/dev/stdin\\22"),
    "relocation": _assembly(".reloc 0, R_X86_64_GOTPC32_TLSDESC, f"),
    "relocation of nobody": _assembly(".reloc 0, R_X86_64_NOBODY, f"),
    "relocation that is too far": _assembly(".data", ".long f - 0x123456789abcdef0"),
    "relocation of a byte": _assembly(".data", ".byte elsewhere"),
    "symbol of itself": _assembly(".set a, b", ".set b, a", ".long a"),
    "symbol twice": _assembly("f:", "nop"),
    "symbol common": _assembly(".comm big, 1000000000000, 64"),
    "weak reference": _assembly(".weak nobody", ".data", ".quad nobody"),
    "missing reference": _assembly(".data", ".quad nobody_at_all"),
    "section of nobody": _assembly(".section .weird,\\22awx\\22,@0x7fffffff", ".byte 1"),
    "section of a group": _assembly(".section .x,\\22aG\\22,@progbits,sig,comdat", ".byte 1"),
    "section .eh_frame": _assembly(".section .eh_frame,\\22a\\22,@progbits", ".long 0xfffffff0", ".long 1"),
    "section .eh_frame, cut": _assembly(".section .eh_frame,\\22a\\22,@progbits", ".byte 1"),
    "cfi": _assembly(".cfi_startproc", ".cfi_startproc"),
    "cfi without end": _assembly(".cfi_startproc"),
    "cfi register": _assembly(".cfi_startproc", ".cfi_offset 5000, 8", ".cfi_endproc"),
    "ifunc": _assembly(".type r, @gnu_indirect_function", "r:", "ret"),
    "version": _assembly(".symver f, f@@@V1"),
    "type": _assembly(".type f, @tls_object"),
    "thread-local": _assembly(".section .tdata,\\22awT\\22,@progbits", "t:", ".long 1", ".text", "movl %fs:t@tpoff, %eax"),
    "code16": _assembly(".code16", "ljmp $0x1234, $0x5678"),
    "intel": _assembly(".intel_syntax noprefix", "mov eax, [nobody + rip]"),
    "inline, unknown": _inline("no such thing"),
    "inline, operand": _inline("mov $9, $8"),
    "inline, constraint": _body('  %v = call i32 asm "", "=Z"()'),
    "inline, register": _body('  %v = call i128 asm "", "={eax}"()'),
    "inline, wide": _body('  call void asm "", "r"(i4096 1)'),
    "inline, clobbers": _inline("", "~{rsp},~{rbp},~{nobody}"),
    "inline, label": _inline("same: nop").replace("ret i32 7", 'call void asm sideeffect "same: nop", "~{memory}"()\n  ret i32 7'),
    "inline, section": _inline(".section .other", "~{memory}"),
    "inline, much": _inline(".skip 3000000000", "~{memory}"),
}

GLOBALS = {
    "constructors": "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
    "{ i32 1, ptr @stop, ptr null }]\n"
    "declare void @abort()\ndefine internal void @stop() {\n  call void @abort()\n  ret void\n}\n" + _body(""),
    "constructors that are none": "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] undef\n" + _body(""),
    "constructors, zero": "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] zeroinitializer\n" + _body(""),
    "constructors at an address": "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
    "{ i32 1, ptr inttoptr (i64 1 to ptr), ptr null }]\n" + _body(""),
    "constructors declared": "@llvm.global_ctors = external global [1 x { i32, ptr, ptr }]\n" + _body(""),
    "destructors at an address": "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
    "{ i32 1, ptr inttoptr (i64 1 to ptr), ptr null }]\n" + _body(""),
    "init_array": '@g = global ptr @stop, section ".init_array"\ndeclare void @abort()\n'
    "define internal void @stop() {\n  call void @abort()\n  ret void\n}\n" + _body(""),
    "ifunc": "@i = ifunc void (), ptr @resolve\ndeclare void @abort()\n"
    "define internal ptr @resolve() {\n  call void @abort()\n  ret ptr null\n}\n" + _body(""),
    "alias": "@a = alias i32 (), ptr @f\n@b = alias i32, getelementptr (i8, ptr @a, i64 100000000000)\n" + _body(""),
    "section": '@g = global i32 1, section "no such, thing"\n' + _body("  store i32 1, ptr @g"),
    "sections that disagree": '@g = constant i32 1, section "both"\n' + _body("", attributes='section "both"'),
    "comdat": "$c = comdat nodeduplicate\n@g = global i32 1, comdat($c)\n" + _body(""),
    "comdat, largest": "$g = comdat largest\n@g = global i32 1, comdat\n" + _body(""),
    "partition": '@g = global i32 1, partition "p"\n' + _body(""),
    "available_externally": "@g = available_externally global i32 1\ndefine i32 @f() {\n  %v = load i32, ptr @g\n  ret i32 %v\n}\n",
    "extern_weak": "@g = extern_weak global i32\ndefine ptr @f() {\n  ret ptr @g\n}\n",
    "thread-local": "@g = thread_local global i32 1\ndefine ptr @f() {\n  ret ptr @g\n}\n",
    "code model": '@g = global [8 x i8] zeroinitializer, code_model "large"\n' + _body("  store i8 1, ptr @g"),
    "difference": "@g = global i8 trunc (i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @f to i64)) to i8)\n" + _body(""),
    "product": "@g = global i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 9223372036854775807) to i64)\n" + _body(""),
    "module flag": _body("", tail='!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"Code Model", i32 77}'),
    "module flag, pic": _body("", tail='!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"PIC Level", i32 9}'),
    "stack protector": _body(
        "  %v = alloca [99 x i8]\n  call void @g(ptr %v)",
        "define void @g(ptr %p) {\n  ret void\n}\n",
        attributes="sspreq",
        tail='!llvm.module.flags = !{!0, !1}\n!0 = !{i32 1, !"stack-protector-guard", !"tls"}\n'
        '!1 = !{i32 1, !"stack-protector-guard-reg", !"nobody"}',
    ),
    "a name of the engine's": "define void @pycoro.init.1() {\n  ret void\n}\n" + _body(""),
    "no_cfi": "@g = global ptr no_cfi @f\n" + _body(""),
    "dso_local_equivalent": "@g = global i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64), "
    "i64 ptrtoint (ptr @g to i64)) to i32)\n" + _body(""),
}

HOSTILE = {
    f"{kind}: {name}": text
    for kind, modules in (
        ("scalable", SCALABLE),
        ("collector", COLLECTORS),
        ("processor", PROCESSORS),
        ("type", TYPES),
        ("intrinsic", INTRINSICS),
        ("call", CALLS),
        ("assembly", ASSEMBLY),
        ("global", GLOBALS),
    )
    for name, text in modules.items()
}
