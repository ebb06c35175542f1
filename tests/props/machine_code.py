"""Small modules that are hard on a code generator: odd types, intrinsics of any target, attributes, sections, assembly.

Each depends only on its seed and number. LLVM's code generator compiles most of the valid ones; it aborts on some
and does not terminate on others. `python tests/props/campaign.py --of machine-code --count 5000` compiles them.
"""

from __future__ import annotations

import random

INTEGERS = ("i1", "i7", "i8", "i16", "i24", "i32", "i64", "i65", "i128", "i256", "i1000", "i4096", "i65536", "i8388607")
FLOATS = ("half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128")
VECTORS = (
    *("<4 x i32>", "<3 x i7>", "<1 x ptr>", "<8 x i1>", "<64 x double>", "<2 x half>", "<5 x i128>", "<1000 x i8>"),
    *("<vscale x 4 x i32>", "<vscale x 1 x i1>", "<vscale x 2 x double>"),
)
OTHERS = (
    *("ptr", "ptr addrspace(1)", "ptr addrspace(256)", "ptr addrspace(270)", "x86_amx", "{}", "[0 x i8]", "{ i32, ptr }"),
    *("[4 x { i8, i64 }]", "<{ i8, double }>", "[100000 x i8]", 'target("spirv.Image")', 'target("aarch64.svcount")', "token"),
)
CPUS = ("x86-64", "i386", "pentium4", "skylake-avx512", "nonsense", "generic", "cortex-a53", "znver5", "")
FEATURES = (
    "+avx512f",
    "-sse2",
    "+soft-float",
    "-x87",
    "+sve",
    "-64bit",
    "+amx-tile",
    "+nonsense",
    "+retpoline",
    "+egpr",
    "-mmx,-sse",
)
GCS = ("shadow-stack", "erlang", "ocaml", "statepoint-example", "coreclr", "foo", "")
STRINGS = (
    *(
        'patchable-function-entry"="x',
        'probe-stack"="inline-asm',
        'stack-probe-size"="-1',
        "split-stack",
        'xray-instruction-threshold"="1',
    ),
    *('frame-pointer"="some', 'no-jump-tables"="true', 'denormal-fp-math"="what', 'function-instrument"="xray-always'),
    *("stackrealign", 'unsafe-fp-math"="true', 'warn-stack-size"="1', 'zero-call-used-regs"="all', "indirect-tls-seg-refs"),
    *(
        'prefer-vector-width"="7',
        'min-legal-vector-width"="9999999999',
        'reciprocal-estimates"="x',
        "thunk",
        'sign-return-address"="all',
    ),
    *('fentry-call"="true', "mrecord-mcount", 'implicit-section-name"="x', "hotpatch", 'interrupt"="x', "no-stack-arg-probe"),
)
WORDS = (
    *(
        "nounwind",
        "naked",
        "optnone noinline",
        "minsize",
        "strictfp",
        "ssp",
        "sspstrong",
        "safestack",
        "shadowcallstack",
        "uwtable",
    ),
    *("speculative_load_hardening", "sanitize_memtag", "returns_twice", "noreturn", "noredzone", "noimplicitfloat", "nosync"),
    *("alignstack(1024)", "null_pointer_is_valid", "nocf_check", "convergent", "vscale_range(16,16)", "fn_ret_thunk_extern"),
)
CONVENTIONS = (
    *(
        "ccc",
        "fastcc",
        "coldcc",
        "ghccc",
        "cc 11",
        "webkit_jscc",
        "anyregcc",
        "preserve_mostcc",
        "preserve_allcc",
        "preserve_nonecc",
    ),
    *(
        "swiftcc",
        "swifttailcc",
        "tailcc",
        "cfguard_checkcc",
        "x86_stdcallcc",
        "x86_fastcallcc",
        "x86_regcallcc",
        "x86_vectorcallcc",
    ),
    *("x86_intrcc", "avr_intrcc", "msp430_intrcc", "win64cc", "x86_64_sysvcc", "aarch64_vector_pcs", "aarch64_sve_vector_pcs"),
    *("amdgpu_kernel", "amdgpu_vs", "spir_kernel", "ptx_kernel", "arm_aapcscc", "riscv_vls_cc(128)", "cc 1023", "cc 200"),
)
ASSEMBLY = (
    *(
        "nop",
        "hlt",
        ".byte 1",
        ".section nowhere",
        ".quad $0",
        "mov $0, $1",
        "bogus %nothing",
        ".rept 100000\\0Anop\\0A.endr",
        ".set x, y",
    ),
    *(
        ".if",
        "/*",
        ".include \\22/etc/hostname\\22",
        ".incbin \\22/etc/hostname\\22",
        ".org 1000000",
        ".cfi_endproc",
        "$",
        "${0:q}",
        "1: jmp 1b",
    ),
    *(
        ".macro m\\0Am\\0A.endm\\0Am",
        ".p2align 31",
        ".zero 1000000000",
        ".pushsection .text",
        ".globl main",
        "call nowhere@PLT",
        ".altmacro",
    ),
)
CONSTRAINTS = (
    "",
    "r",
    "=r",
    "=r,r",
    "m",
    "*m",
    "i",
    "n",
    "X",
    "~{memory}",
    "=&r,0",
    "{rax}",
    "{nothing}",
    "=@ccz",
    "f",
    "x",
    "Yz",
    "=*m,r",
    "!i",
    "^Yk",
)
# name: (result, parameters); I, F and V stand for any type of their kind, the same within one line
INTRINSICS = (
    *(("bswap", "I", "I"), ("ctlz", "I", "I, i1"), ("ctpop", "I", "I"), ("bitreverse", "I", "I"), ("fshl", "I", "I, I, I")),
    *(
        ("sdiv.fix.sat", "I", "I, I, i32"),
        ("smul.fix", "I", "I, I, i32"),
        ("ushl.sat", "I", "I, I"),
        ("umax", "I", "I, I"),
        ("abs", "I", "I, i1"),
    ),
    *(
        ("sadd.with.overflow", "{ I, i1 }", "I, I"),
        ("umul.with.overflow", "{ I, i1 }", "I, I"),
        ("scmp", "i8", "I, I"),
        ("is.constant", "i1", "I"),
    ),
    *(
        ("fma", "F", "F, F, F"),
        ("sqrt", "F", "F"),
        ("pow", "F", "F, F"),
        ("sincos", "{ F, F }", "F"),
        ("tan", "F", "F"),
        ("ldexp", "F", "F, i32"),
    ),
    *(
        ("frexp", "{ F, i32 }", "F"),
        ("fptosi.sat", "I", "F"),
        ("lrint", "I", "F"),
        ("canonicalize", "F", "F"),
        ("is.fpclass", "i1", "F, i32"),
    ),
    *(
        ("minimumnum", "F", "F, F"),
        ("convert.to.fp16", "i16", "F"),
        ("convert.from.fp16", "F", "i16"),
        ("exp10", "F", "F"),
        ("fptrunc.round", "half", "F, metadata"),
    ),
    *(
        ("experimental.constrained.fadd", "F", "F, F, metadata, metadata"),
        ("get.fpenv", "I", ""),
        ("set.rounding", "void", "i32"),
        ("reset.fpmode", "void", ""),
    ),
    *(
        ("vector.reduce.add", "i32", "<4 x i32>"),
        ("vector.reduce.fadd", "F", "F, <4 x F>"),
        ("vector.splice", "V", "V, V, i32"),
        ("vector.reverse", "V", "V"),
    ),
    *(
        ("masked.load", "<4 x i32>", "ptr, i32, <4 x i1>, <4 x i32>"),
        ("masked.gather", "<4 x i32>", "<4 x ptr>, i32, <4 x i1>, <4 x i32>"),
        ("stepvector", "V", ""),
    ),
    *(
        ("vp.add", "<4 x i32>", "<4 x i32>, <4 x i32>, <4 x i1>, i32"),
        ("vp.sdiv", "V", "V, V, <vscale x 4 x i1>, i32"),
        ("get.active.lane.mask", "<8 x i1>", "I, I"),
    ),
    *(
        ("matrix.multiply", "<4 x double>", "<4 x double>, <4 x double>, i32, i32, i32"),
        ("matrix.transpose", "<4 x i32>", "<4 x i32>, i32, i32"),
    ),
    *(
        ("experimental.vector.compress", "V", "V, <4 x i1>, V"),
        ("vector.interleave2", "<8 x i32>", "<4 x i32>, <4 x i32>"),
        ("experimental.cttz.elts", "i32", "<8 x i1>, i1"),
    ),
    *(
        ("vscale", "I", ""),
        ("frameaddress", "ptr", "i32"),
        ("returnaddress", "ptr", "i32"),
        ("addressofreturnaddress", "ptr", ""),
        ("sponentry", "ptr", ""),
    ),
    *(
        ("localescape", "void", "..."),
        ("localrecover", "ptr", "ptr, ptr, i32"),
        ("stacksave", "ptr", ""),
        ("stackrestore", "void", "ptr"),
        ("get.dynamic.area.offset", "I", ""),
    ),
    *(
        ("gcroot", "void", "ptr, ptr"),
        ("gcread", "ptr", "ptr, ptr"),
        ("experimental.stackmap", "void", "i64, i32, ..."),
        ("experimental.deoptimize", "void", "..."),
    ),
    *(
        ("experimental.patchpoint.void", "void", "i64, i32, ptr, i32, ..."),
        ("experimental.guard", "void", "i1, ..."),
        ("experimental.widenable.condition", "i1", ""),
    ),
    *(
        ("eh.typeid.for", "i32", "ptr"),
        ("eh.sjlj.setjmp", "i32", "ptr"),
        ("eh.sjlj.longjmp", "void", "ptr"),
        ("eh.return.i64", "void", "i64, ptr"),
        ("eh.unwind.init", "void", ""),
    ),
    *(
        ("eh.dwarf.cfa", "ptr", "i32"),
        ("eh.recoverfp", "ptr", "ptr, ptr"),
        ("seh.try.begin", "void", ""),
        ("eh.exceptionpointer", "ptr", "token"),
        ("eh.sjlj.callsite", "void", "i32"),
    ),
    *(
        ("ptrauth.sign", "i64", "i64, i32, i64"),
        ("ptrauth.auth", "i64", "i64, i32, i64"),
        ("ptrauth.blend", "i64", "i64, i64"),
        ("ptrauth.strip", "i64", "i64, i32"),
    ),
    *(
        ("read_register", "I", "metadata"),
        ("write_register", "void", "metadata, I"),
        ("read_volatile_register", "I", "metadata"),
        ("thread.pointer", "ptr", ""),
    ),
    *(
        ("init.trampoline", "void", "ptr, ptr, ptr"),
        ("adjust.trampoline", "ptr", "ptr"),
        ("clear_cache", "void", "ptr, ptr"),
        ("prefetch", "void", "ptr, i32, i32, i32"),
    ),
    *(
        ("trap", "void", ""),
        ("debugtrap", "void", ""),
        ("ubsantrap", "void", "i8"),
        ("hwasan.check.memaccess", "void", "ptr, ptr, i32"),
        ("pseudoprobe", "void", "i64, i64, i32, i64"),
    ),
    *(
        ("readcyclecounter", "i64", ""),
        ("readsteadycounter", "i64", ""),
        ("objectsize", "I", "ptr, i1, i1, i1"),
        ("allow.runtime.check", "i1", "metadata"),
        ("type.test", "i1", "ptr, metadata"),
    ),
    *(
        ("type.checked.load", "{ ptr, i1 }", "ptr, i32, metadata"),
        ("load.relative", "ptr", "ptr, I"),
        ("threadlocal.address", "ptr", "ptr"),
        ("call.preallocated.setup", "token", "i32"),
    ),
    *(
        ("memcpy.inline", "void", "ptr, ptr, i64, i1"),
        ("memset.inline", "void", "ptr, i8, i64, i1"),
        ("memcpy.element.unordered.atomic", "void", "ptr, ptr, i64, i32"),
        ("memmove", "void", "ptr, ptr, I, i1"),
    ),
    *(
        ("va_start", "void", "ptr"),
        ("va_copy", "void", "ptr, ptr"),
        ("instrprof.increment", "void", "ptr, i64, i32, i32"),
        ("loop.decrement", "i1", "I"),
        ("start.loop.iterations", "I", "I"),
    ),
    *(
        ("coro.begin", "ptr", "token, ptr"),
        ("coro.size", "I", ""),
        ("coro.done", "i1", "ptr"),
        ("experimental.gc.statepoint", "token", "i64, i32, ptr, i32, i32, ..."),
    ),
    *(
        ("x86.rdtsc", "i64", ""),
        ("x86.tileloadd64", "x86_amx", "i8, i8, ptr, i64"),
        ("x86.avx512.mask.cmp.ps.512", "<16 x i1>", "<16 x float>, <16 x float>, i32, <16 x i1>, i32"),
    ),
    *(
        ("x86.sse42.pcmpistri128", "i32", "<16 x i8>, <16 x i8>, i8"),
        ("x86.int", "void", "i8"),
        ("x86.xbegin", "i32", ""),
        ("x86.flags.read.u64", "i64", ""),
        ("x86.seh.lsda", "ptr", "ptr"),
    ),
    *(
        ("aarch64.neon.sqadd", "V", "V, V"),
        ("aarch64.sve.ptrue", "<vscale x 4 x i1>", "i32"),
        ("arm.dmb", "void", "i32"),
        ("amdgcn.workitem.id.x", "i32", ""),
        ("amdgcn.s.barrier", "void", ""),
    ),
    *(
        ("nvvm.barrier0", "void", ""),
        ("wasm.throw", "void", "i32, ptr"),
        ("riscv.vadd", "V", "V, V, V, i64"),
        ("ppc.altivec.lvx", "<4 x i32>", "ptr"),
        ("hexagon.A2.abs", "i32", "i32"),
    ),
    *(
        ("spv.thread.id", "i32", "i32"),
        ("dx.thread.id", "i32", "i32"),
        ("loongarch.dbar", "void", "i32"),
        ("s390.tbegin", "i32", "ptr, i32"),
        ("bpf.load.byte", "i64", "ptr, i64"),
    ),
)
OPERATIONS = (
    *("add {t} {a}, {b}", "mul {t} {a}, {b}", "udiv {t} {a}, {b}", "srem {t} {a}, {b}", "shl {t} {a}, {b}", "ashr {t} {a}, {b}"),
    *(
        "fadd {t} {a}, {b}",
        "frem {t} {a}, {b}",
        "fdiv {t} {a}, {b}",
        "icmp ult {t} {a}, {b}",
        "fcmp ueq {t} {a}, {b}",
        "freeze {t} {a}",
    ),
    *(
        "bitcast {t} {a} to {u}",
        "trunc {t} {a} to {u}",
        "zext {t} {a} to {u}",
        "sitofp {t} {a} to {u}",
        "fptoui {t} {a} to {u}",
        "fpext {t} {a} to {u}",
    ),
    *(
        "inttoptr {t} {a} to {u}",
        "addrspacecast {t} {a} to {u}",
        "select i1 undef, {t} {a}, {t} {b}",
        "alloca {t}",
        "alloca {t}, align 4294967296",
    ),
    *(
        "alloca {t}, i64 100000000000",
        "alloca {t}, i32 %n",
        "load {t}, ptr %p",
        "load atomic {t}, ptr %p seq_cst, align 16",
        "load {t}, ptr %p, !invariant.load !{{}}",
    ),
    *(
        "atomicrmw fadd ptr %p, {t} {a} seq_cst",
        "atomicrmw nand ptr %p, {t} {a} monotonic",
        "cmpxchg ptr %p, {t} {a}, {t} {b} acq_rel monotonic",
    ),
    *(
        "extractelement {t} {a}, i32 %n",
        "insertelement {t} {a}, i32 0, i32 9999",
        "shufflevector {t} {a}, {t} {b}, <2 x i32> <i32 0, i32 5>",
    ),
    *(
        "getelementptr {t}, ptr %p, i32 %n",
        "va_arg ptr %p, {t}",
        "call {t} @unknown({t} {a})",
        "call {t} %p({t} {a})",
        "extractvalue {t} {a}, 0",
    ),
    *('call {t} asm sideeffect "{x}", "{c}"({u} {d})', 'call {t} asm "{x}", "{c}"()', "ptrtoint {t} {a} to {u}"),
)
GLOBALS = (
    '@g{n} = global {t} {a}, section "{s}", align 4294967296',
    "@g{n} = thread_local(initialexec) global {t} {a}",
    "@g{n} = global [3 x ptr] [ptr @f, ptr getelementptr (i8, ptr @g{n}, i64 -1), ptr null], comdat($c)\n$c = comdat largest",
    "@g{n} = global i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @g{n} to i64))",
    "@g{n} = global i8 trunc (i64 ptrtoint (ptr @f to i64) to i8)",
    "@g{n} = addrspace(256) global {t} {a}",
    "@g{n} = external dllimport global {t}",
    "@g{n} = alias {t}, ptr @f",
    "@g{n} = ifunc void (), ptr @f",
    '@g{n} = global {t} {a}, partition "p", no_sanitize_address, code_model "large"',
    "@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 1, ptr @f, ptr null }}]",
    "@llvm.global_dtors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 65535, ptr @f, ptr null }}]",
    "@llvm.used = appending global [1 x ptr] [ptr @f]",
    '@llvm.compiler.used = appending global [1 x ptr] [ptr @f], section "llvm.metadata"',
    "@llvm.odd = global {t} {a}",
    'module asm "{x}"',
    'target triple = "{r}"',
    'target datalayout = "{l}"',
    '!llvm.module.flags = !{{!{n}}}\n!{n} = !{{i32 1, !"{f}", i32 {v}}}',
)
SECTIONS = ("", ".text", ".init_array", "__DATA,__x", "\\00", "a b\\22", ".rodata,\\22aw\\22", ".llvm_bb_addr_map", "x" * 3000)
FLAGS = (
    "cf-protection-branch",
    "Code Model",
    "PIC Level",
    "stack-protector-guard",
    "Dwarf Version",
    "RtLibUseGOT",
    "kcfi",
    "ptrauth-elf-got",
    "frame-pointer",
)
TRIPLES = (
    "x86_64-pc-windows-msvc",
    "x86_64-apple-macosx",
    "i386-unknown-none",
    "aarch64",
    "wasm32",
    "x86_64-unknown-linux-gnux32",
    "nonsense",
    "amdgcn",
)
LAYOUTS = (
    "",
    "e-p:32:32",
    "E",
    "e-A5",
    "e-p:64:64-i128:8",
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "e-S8",
    "e-P256",
)


_WHOLE, _REAL = (*INTEGERS, "<4 x i32>", "<3 x i7>", "<vscale x 4 x i32>"), (*FLOATS, "<64 x double>", "<2 x half>")
_FITS = {
    **dict.fromkeys(
        ("add", "mul", "udiv", "srem", "shl", "ashr", "icmp", "trunc", "zext", "sitofp", "inttoptr", "cmpxchg"), _WHOLE
    ),
    **dict.fromkeys(("fadd", "frem", "fdiv", "fcmp", "fptoui", "fpext"), _REAL),
    **dict.fromkeys(("extractelement", "insertelement", "shufflevector"), VECTORS),
}
UNSTORED = ("token", "x86_amx", 'target("spirv.Image")')


def any_type(chance: random.Random) -> str:
    return chance.choice(chance.choice([INTEGERS, INTEGERS, FLOATS, VECTORS, OTHERS]))


def random_memory_type(chance: random.Random) -> str:
    """Return a type that memory, parameters and results may have."""
    kind = any_type(chance)
    return "i32" if kind in UNSTORED else kind


def value(kind: str, chance: random.Random) -> str:
    if kind in UNSTORED:
        return "none" if kind == "token" else "poison"
    if chance.random() < 0.4:
        return chance.choice(["undef", "poison", "zeroinitializer"])
    if kind.startswith("ptr"):
        return "null"
    return str(chance.choice([0, 1])) if kind[0] == "i" else "zeroinitializer"


def filled(pattern: str, chance: random.Random, number: int) -> str:
    fits = _FITS.get(pattern.split()[0])
    t, u = (chance.choice(fits) if fits else random_memory_type(chance)), random_memory_type(chance)
    return pattern.format(
        n=number,
        t=t,
        u=u,
        a=value(t, chance),
        b=value(t, chance),
        d=value(u, chance),
        x=chance.choice(ASSEMBLY),
        c=chance.choice(CONSTRAINTS),
        s=chance.choice(SECTIONS),
        f=chance.choice(FLAGS),
        v=chance.choice([0, 1, 2, 5, -1, 99]),
        r=chance.choice(TRIPLES),
        l=chance.choice(LAYOUTS),
    )


def intrinsic(chance: random.Random) -> tuple[str, str]:
    """Return a call of an intrinsic, without a result name, and its declaration."""
    name, result, taken = chance.choice(INTRINSICS)
    kinds = {"I": chance.choice(INTEGERS), "F": chance.choice(FLOATS), "V": chance.choice(VECTORS)}

    def of(text: str) -> str:
        return " ".join(kinds.get(word, word) for word in text.replace(",", " ,").replace("...", " ...").split()).replace(" ,", ",")

    types = [kind for kind in map(str.strip, of(taken).split(", ")) if kind]
    given = []
    for kind in types:
        match kind:
            case "...":
                continue
            case "metadata":
                given.append('metadata !"round.dynamic"' if "constrained" in name else 'metadata !{!"rsp\\00"}')
            case _:
                given.append(
                    f"{kind} {chance.choice(['0', '1', '4']) if kind[0] == 'i' and chance.random() < 0.7 else value(kind, chance)}"
                )
    callee = f"{of(result)} ({', '.join(types)})" if "..." in types else of(result)
    return f"call {callee} @llvm.{name}({', '.join(given)})", f"declare {of(result)} @llvm.{name}({', '.join(types)})"


def function(name: str, chance: random.Random, declared: set[str]) -> str:
    result, taken = random_memory_type(chance), random_memory_type(chance)
    words = [chance.choice(WORDS) for _ in range(chance.choice([0, 0, 1, 2]))]
    if chance.random() < 0.15:
        words.append(f'"target-cpu"="{chance.choice(CPUS)}"')
    if chance.random() < 0.15:
        words.append(f'"target-features"="{chance.choice(FEATURES)}"')
    if chance.random() < 0.2:
        words.append(f'"{chance.choice(STRINGS)}"')
    if chance.random() < 0.05:
        words.append(f'section "{chance.choice(SECTIONS)}"')
    if chance.random() < 0.1:
        words.append(f'gc "{chance.choice(GCS)}"')
    if "naked" in words:
        return f'define void @{name}() {" ".join(words)} {{\n  call void asm "{chance.choice(ASSEMBLY)}", ""()\n  unreachable\n}}\n'
    convention = chance.choice(CONVENTIONS) if chance.random() < 0.15 else ""
    lines = [f"define {convention} {result} @{name}(ptr %p, i32 %n, {taken} %x) {' '.join(words)} {{"]
    for number in range(chance.randint(0, 4)):
        if chance.random() < 0.45:
            line, declaration = intrinsic(chance)
            declared.add(declaration)
        else:
            line = filled(chance.choice(OPERATIONS), chance, number)
        void = line.startswith(("call void", "store"))
        lines.append(f"  {'' if void else f'%v{number} = '}{line}")
        kept = random_memory_type(chance)
        lines.append(f"  store volatile {kept} {value(kept, chance)}, ptr %p")
    ends = (
        f"ret {result} {value(result, chance)}",
        "unreachable",
        f"%r = musttail call {result} @{name}(ptr %p, i32 %n, {taken} %x)\n  ret {result} %r",
    )
    lines.append(f"  {chance.choices(ends, [8, 1, 1])[0]}")
    return "\n".join([*lines, "}", ""])


def module(chance: random.Random) -> str:
    """Return the text of a module; LLVM's verifier rejects some."""
    declared: set[str] = set()
    parts = [function("f", chance, declared)]
    if chance.random() < 0.3:
        parts.append(function("g", chance, declared))
    for number in range(chance.choice([0, 0, 0, 1, 2])):
        parts.insert(0, filled(chance.choice(GLOBALS), chance, number))
    if any("@unknown" in part for part in parts):
        declared.add("declare void @unknown(...)")
    parts.sort(key=lambda part: not part.startswith("target"))  # these must come first
    return "\n".join([*parts, *sorted(declared), ""])
