"""Structural mutators of modules: functions, attributes, linkage, layouts, address spaces, intrinsics, names.

Each takes the text of a module and a source of randomness, and returns other text. LLVM's verifier accepts most
results, so that they test the engine's checks.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

LAYOUTS = (
    "",
    "e",
    "E",
    "e-p:24:32",
    "e-p:32:32",
    "e-p:64:64:64:32",
    "e-p:16:8-i64:8",
    "e-G1",
    "e-A5",
    "e-P1",
    "e-A5-G1-P4-p5:32:32",
    "e-ni:10:11-p10:64:64:64:32",
    "e-p:128:128",
    "e-i64:32-f64:32-S8",
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "E-m:e-Fn32-i64:64-i128:128-n32:64-S128",
    "e-p:64:64-i1:32-n8",
)
TRIPLES = (
    "",
    "unknown-unknown-unknown",
    "x86_64-unknown-linux-gnu",
    "i386-pc-windows-msvc",
    "aarch64-apple-darwin",
    "wasm32-unknown-unknown",
    "powerpc64le-unknown-linux-gnu",
    "riscv64",
    "amdgcn-amd-amdhsa",
    "nvptx64-nvidia-cuda",
    "avr",
    "nonsense",
)
FUNCTION_ATTRIBUTES = (
    *("nounwind", "noreturn", "naked", "noinline", "alwaysinline", "optsize", "minsize", "noinline optnone", "strictfp"),
    *("convergent", "nomerge", "willreturn", "mustprogress", "norecurse", "nofree", "nosync", "memory(none)", "memory(read)"),
    *("returns_twice", "ssp", "sspreq", "safestack", "shadowcallstack", "sanitize_address", "sanitize_thread", "sanitize_memory"),
    *("speculative_load_hardening", "uwtable", "noduplicate", "nocf_check", "null_pointer_is_valid", "cold", "hot", "jumptable"),
    *("presplitcoroutine", "coro_only_destroy_when_complete", "alignstack(64)", "vscale_range(1,16)", "builtin", "skipprofile"),
    *('"target-cpu"="i386"', '"target-cpu"="nonsense"', '"target-features"="+avx512f"', '"target-features"="-sse2,+nonsense"'),
    *('"branch-target-enforcement"', '"sign-return-address"="all"', '"frame-pointer"="all"', '"probe-stack"="inline-asm"'),
    *('"split-stack"', '"patchable-function-entry"="2"', '"no-jump-tables"="true"', '"stack-protector-buffer-size"="x"'),
    *('gc "statepoint-example"', 'gc "foo"', 'section "s"', "personality ptr null", "prefix i32 1", "prologue i32 1", "align 4096"),
)
PARAMETER_ATTRIBUTES = (
    *("noalias", "nonnull", "noundef", "byval(i64)", "byval([9 x i8]) align 64", "sret(i64)", "inalloca(i32)", "preallocated(i32)"),
    *("swiftself", "swifterror", "swiftasync", "nest", "returned", "inreg", "immarg", "captures(none)", "dereferenceable(8)"),
    *("align 4294967296", "allocalign", "allocptr", "readonly", "writeonly", "zeroext", "signext", "byref(i32)", "nofpclass(nan)"),
)
LINKAGES = (
    *("private", "internal", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "external", "extern_weak"),
    *("hidden", "protected", "dllimport", "dllexport", "dso_local", "internal unnamed_addr", "linkonce_odr hidden"),
)
CONVENTIONS = ("fastcc", "coldcc", "swiftcc", "swifttailcc", "tailcc", "ghccc", "preserve_mostcc", "cc 10", "cc 99", "cc 1023")
TAILS = ("tail call", "musttail call", "notail call", "call")
POINTERS = (
    *("null", "poison", "undef", "@{g}", "dso_local_equivalent @{g}", "no_cfi @{g}", "inttoptr (i64 -1 to ptr)"),
    *("getelementptr (i8, ptr @{g}, i64 1)", "getelementptr inbounds ([0 x ptr], ptr @{g}, i64 0, i64 3)"),
)
INTEGERS = (
    *("poison", "undef", "0", "-1", "1", "2", "3", "24", "255", "256", "4294967296", "18446744073709551616"),
    *("ptrtoint (ptr @{g} to {t})", "sub ({t} 0, {t} ptrtoint (ptr @{g} to {t}))"),
)
OPERANDS = {"ptr": POINTERS, "token": ("none", "poison", "undef"), "i1": ("true", "false", "poison", "undef")}
TYPES = (
    *("i1", "i7", "i64", "i128", "i256", "i8388607", "half", "bfloat", "x86_fp80", "fp128", "ppc_fp128", "<4 x i32>", "<3 x i7>"),
    *(
        "<vscale x 4 x i32>",
        "{ <vscale x 2 x i64>, i32 }",
        "[4 x <vscale x 1 x i8>]",
        'target("spirv.Image")',
        'target("aarch64.svcount")',
    ),
    *(
        'target("riscv.vector.tuple", <vscale x 8 x i8>, 2)',
        "{}",
        "[0 x i8]",
        "[1000000000000 x i8]",
        "[4611686018427387904 x i64]",
    ),
    *("<{ i8, i64 }>", "{ { i1 }, [3 x { i64, i8 }] }", "ptr addrspace(1)", "x86_amx", "<1 x ptr>", "{ i32, ptr, double }"),
)
SCALARS = r"\b(?:i1|i8|i16|i32|i64|i128|float|double)\b"
NAMES = (
    *(
        '"\\1B[2J"',
        '"a\\0Ab"',
        '"\\FF"',
        '"%s%n"',
        '"<script>"',
        '""',
        '"\\E2\\80\\AE"',
        '"f.resume"',
        '"f.release"',
        '"f.noalloc"',
    ),
    *('"pycoro.transfer"', '"NoopCoro.Frame.Const"', '"f.resumers"', '"f.destroy"', '"llvm.odd"', '"\\01raw"', '"x y"'),
)
GLOBALS = (
    "@{n} = global ptr @{f}",
    "@{n} = private constant [2 x ptr] [ptr @{f}, ptr null]",
    "@{n} = constant i64 sub (i64 ptrtoint (ptr dso_local_equivalent @{f} to i64), i64 ptrtoint (ptr @{n} to i64))",
    "@{n} = constant ptr no_cfi @{f}",
    "@{n} = alias void (), ptr @{f}",
    "@{n} = ifunc void (), ptr @{f}",
    "@{n} = thread_local global i32 0",
    "@{n} = addrspace(3) global i32 0",
    "@{n} = global <vscale x 4 x i32> zeroinitializer",
    '@llvm.used = appending global [1 x ptr] [ptr @{f}], section "llvm.metadata"',
    "@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 65535, ptr @{f}, ptr null }}]",
    "@{n} = global ptr blockaddress(@{f}, %entry)",
    "$c = comdat any",
    "declare void @{n}() presplitcoroutine",
    'module asm ".globl {n}"',
    "%{n} = type {{ %{n}.inner, <vscale x 1 x i8> }}\n%{n}.inner = type opaque",
    '!llvm.module.flags = !{{!9990}}\n!9990 = !{{i32 1, !"cf-protection-branch", i32 1}}',
)
_DEFINITION = re.compile(r"^define\b.*?^}\n?", re.MULTILINE | re.DOTALL)
_HEAD = re.compile(r"^(define|declare)([^@\n]*)@([\w.$-]+|\"[^\"\n]*\")\((.*)\)([^()\n]*)(\{?)$", re.MULTILINE)
_NAMED = re.compile(r"^(?:define|declare)\b[^@\n]*@([\w.$-]+)\(|^@([\w.$-]+) =", re.MULTILINE)
_CORO = re.compile(r"^.*@llvm\.coro\..*$", re.MULTILINE)


def functions(text: str) -> list[str]:
    """Return the texts of function definitions."""
    return _DEFINITION.findall(text)


def names(text: str) -> list[str]:
    """Return the names of functions and globals, as written after the ``@``."""
    return [a or b for a, b in _NAMED.findall(text)]


def _head(text: str, chance: random.Random, edit: Callable[[re.Match[str]], str]) -> str:
    heads = list(_HEAD.finditer(text))
    if not heads:
        return text
    chosen = chance.choice(heads)
    return text[: chosen.start()] + edit(chosen) + text[chosen.end() :]


def splice(text: str, chance: random.Random, others: Sequence[str]) -> str:
    """Insert functions of another module, replacing those with equal names, or lines of one block into another."""
    other = chance.choice(others)
    theirs = functions(other)
    if not theirs:
        return text
    if chance.random() < 0.5:
        ours = functions(text)
        if not ours:
            return text
        into, of = chance.choice(ours), chance.choice(theirs)
        body, lines = into.splitlines(), of.splitlines()[1:-1]
        at = chance.randrange(1, len(body))
        start = chance.randrange(len(lines)) if lines else 0
        body[at:at] = lines[start : start + chance.randint(1, 6)]
        return text.replace(into, "\n".join(body) + "\n", 1)
    known = set(names(text))
    added = []
    for line in _DEFINITION.sub("", other).splitlines():
        found = re.match(r"(?:declare\b[^@]*@([\w.$-]+)\(|@([\w.$-]+) =)", line)
        if found and (found[1] or found[2]) not in known:
            added.append(line)
    for one in theirs:
        name = re.search(r"@([\w.$-]+)\(", one)
        if name and name[1] in known:
            text = text.replace(next((f for f in functions(text) if f"@{name[1]}(" in f.splitlines()[0]), "\0"), "")
        added.append(one)
    return "\n".join([text, *added])


def attributes(text: str, chance: random.Random) -> str:
    """Add or remove attributes of functions, parameters and calls; change calling conventions and tail call kinds."""

    def of_function(head: re.Match[str]) -> str:
        kept = "" if chance.random() < 0.3 else head[5].rstrip()
        return f"{head[1]}{head[2]}@{head[3]}({head[4]}){kept} {chance.choice(FUNCTION_ATTRIBUTES)} {head[6]}".rstrip()

    def of_parameter(head: re.Match[str]) -> str:
        taken = head[4].split(", ")
        place = chance.randrange(len(taken))
        first, _, rest = taken[place].partition(" ")
        taken[place] = f"{first} {chance.choice(PARAMETER_ATTRIBUTES)} {rest}".rstrip()
        return f"{head[1]}{head[2]}@{head[3]}({', '.join(taken)}){head[5]}{head[6]}"

    def convention(head: re.Match[str]) -> str:
        return f"{head[1]} {chance.choice(CONVENTIONS)}{head[2]}@{head[3]}({head[4]}){head[5]}{head[6]}"

    def calls(text: str) -> str:
        return re.sub(r"\b(?:(?:must|no)?tail )?call\b", lambda m: chance.choice([m[0], m[0], *TAILS]), text)

    if chance.random() < 0.15:
        return calls(text)
    return _head(text, chance, chance.choice([of_function, of_function, of_function, of_parameter, of_parameter, convention]))


def linkage(text: str, chance: random.Random) -> str:
    """Change linkage, visibility and storage classes; add globals, aliases and lists that name functions."""
    if chance.random() < 0.5:
        return _head(text, chance, lambda h: f"{h[1]} {chance.choice(LINKAGES)}{h[2]}@{h[3]}({h[4]}){h[5]}{h[6]}")
    known = names(text) or ["f"]
    line = chance.choice(GLOBALS).format(n=f"added.{chance.randrange(9)}", f=chance.choice(known))
    return f"{text}\n{line}\n"


def layout(text: str, chance: random.Random) -> str:
    """Change the data layout or the triple."""
    text = re.sub(r"^target .*\n", "", text, flags=re.MULTILINE)
    lines = [f'target datalayout = "{chance.choice(LAYOUTS)}"\n'] if chance.random() < 0.8 else []
    lines += [f'target triple = "{chance.choice(TRIPLES)}"\n'] if chance.random() < 0.5 else []
    return "".join(lines) + text


def address_spaces(text: str, chance: random.Random) -> str:
    """Move allocas and globals to another address space, with a cast; or change the address space of some pointers."""
    space = chance.choice([1, 3, 5, 10, 270, 16777215])
    other = f"ptr addrspace({space})"
    match chance.randrange(4):
        case 0 | 1:
            made = rf"\1\2.in = \3, addrspace({space})\4\n\1\2 = addrspacecast {other} \2.in to ptr"
            text = re.sub(r"^(\s*)(%[\w.]+) = (alloca [^\n!]*?)((?:, !.*)?)$", made, text, flags=re.MULTILINE)
            text = f'target datalayout = "e-A{space}"\n' + re.sub(r"^target datalayout.*\n", "", text, flags=re.MULTILINE)
        case 2:
            found = re.findall(r"^@([\w.$-]+) = (?![^\n]*(?:alias|ifunc|appending))", text, re.MULTILINE)
            for name in found:
                text = re.sub(rf"ptr @{re.escape(name)}\b", f"ptr addrspacecast ({other} @{name} to ptr)", text)
                text = re.sub(
                    rf"^@{re.escape(name)} = ((?:[a-z_]+ )*?)(global|constant)",
                    rf"@{name} = \1addrspace({space}) \2",
                    text,
                    flags=re.MULTILINE,
                )
        case 3:
            often = chance.choice([0.05, 0.3, 1.0])
            text = re.sub(r"\bptr\b(?! addrspace)", lambda m: other if chance.random() < often else m[0], text)
    return layout(text, chance) if chance.random() < 0.3 else text


def intrinsics(text: str, chance: random.Random, others: Sequence[str]) -> str:
    """Move calls of coroutine intrinsics within a module or from another, or replace an operand by a constant."""
    ours = [m for m in _CORO.finditer(text) if not m[0].startswith("declare")]
    if not ours:
        return text
    here = chance.choice(ours)
    if chance.random() < 0.5:
        lines = [m[0] for m in _CORO.finditer(chance.choice([text, chance.choice(others)])) if not m[0].startswith("declare")]
        line = chance.choice(lines or [here[0]])
        if (mine := re.match(r"\s*(%[\w.]+) =", here[0])) and (its := re.match(r"(\s*)%[\w.]+ =", line)):
            line = f"{its[1]}{mine[1]} ={line[its.end() :]}"
        text = text[: here.start()] + line + text[here.end() :]
        known = set(re.findall(r"^declare[^@]*@([\w.]+)\(", text, re.MULTILINE))
        needed = {name for name in re.findall(r"@(llvm\.coro\.[\w.]+)\(", line) if name not in known}
        declared = [m for o in [text, *others] for m in re.findall(r"^declare.*$", o, re.MULTILINE)] if needed else []
        for name in needed:
            text += "\n" + next((d for d in declared if f"@{name}(" in d), "") + "\n"
        return text
    return text[: here.start()] + _other_operand(here[0], text, chance) + text[here.end() :]


def _other_operand(line: str, text: str, chance: random.Random) -> str:
    """Replace one operand of the line by a constant of its type."""
    places = list(
        re.finditer(r"\b(ptr|token|i\d+)((?: [a-z]+(?:\(\d+\))?)*) (%[\w.]+|@[\w.]+|-?\d+|true|false|null|none)(?=[,) \]]|$)", line)
    )
    if not places:
        return line
    at = chance.choice(places)
    kinds = OPERANDS.get(at[1], INTEGERS)
    operand = chance.choice(kinds).format(g=chance.choice(names(text) or ["f"]), t=at[1])
    return f"{line[: at.start(3)]}{operand}{line[at.end(3) :]}"


def operands(text: str, chance: random.Random) -> str:
    """Replace operands of any instruction by poison, undef, wide or odd constants."""
    lines = text.splitlines()
    inner = [n for n, line in enumerate(lines) if line.startswith((" ", "\t"))]
    for _ in range(chance.randint(1, 4)):
        if inner:
            place = chance.choice(inner)
            lines[place] = _other_operand(lines[place], text, chance)
    return "\n".join(lines)


def types(text: str, chance: random.Random) -> str:
    """Replace a type everywhere or in one place; or add an unused alloca of such a type."""
    new = chance.choice(TYPES)
    if chance.random() < 0.4:
        where = [m.end() for m in re.finditer(r"^define.*\{\n(?:[\w.]+:[^\n]*\n)?", text, re.MULTILINE)]
        if where:
            at = chance.choice(where)
            used = f"  store {new} {chance.choice(['poison', 'zeroinitializer', 'undef'])}, ptr %odd.variable\n"
            return f"{text[:at]}  %odd.variable = alloca {new}\n{used if chance.random() < 0.5 else ''}{text[at:]}"
    found = re.findall(SCALARS, text)
    if not found:
        return text
    old = chance.choice(found)
    return re.sub(rf"\b{old}\b", lambda m: new if chance.random() < 0.7 else m[0], text)


def hostile_names(text: str, chance: random.Random) -> str:
    """Use names with terminal escapes or markup, or that the engine generates."""
    known = [*(f"@{name}" for name in names(text) if not name.startswith("llvm.")), *re.findall(r"%[\w.]+(?= =)", text)]
    for _ in range(chance.randint(1, 3)):
        if not known:
            return text
        old, new = chance.choice(known), chance.choice(NAMES)
        text = re.sub(rf"{re.escape(old)}(?![\w.$-])", lambda _, old=old, new=new: old[0] + new, text)
    return text


def wide_constants(text: str, chance: random.Random) -> str:
    """Insert constants after a suspend, and in switches, that are wider than the suspend's result."""
    wide = chance.choice(["i16", "i32", "i65", "i128"])
    numbers = ["0", "1", "255", "256", "65536", "18446744073709551616", "-1", "poison"]
    bare = list(re.finditer(r"switch i8 (%[\w.]+), label (%[\w.]+) \[", text))
    if not bare:
        return text
    at = chance.choice(bare)
    test = chance.choice(["ult", "eq", "sgt", "ne", "uge"])
    one, two = chance.choice(numbers), chance.choice(numbers)
    made = f"%odd.test = icmp {test} {wide} {one}, {two}\n  %odd.wide = zext i1 %odd.test to i8\n  "
    made += f"%odd.sum = add i8 {at[1]}, %odd.wide\n  "
    return text[: at.start()] + made + text[at.start() :]


MUTATORS: dict[str, Callable[[str, random.Random, Sequence[str]], str]] = {
    "splice": splice,
    "attributes": lambda text, chance, _: attributes(text, chance),
    "linkage": lambda text, chance, _: linkage(text, chance),
    "layout": lambda text, chance, _: layout(text, chance),
    "address spaces": lambda text, chance, _: address_spaces(text, chance),
    "intrinsics": intrinsics,
    "operands": lambda text, chance, _: operands(text, chance),
    "types": lambda text, chance, _: types(text, chance),
    "hostile names": lambda text, chance, _: hostile_names(text, chance),
    "wide constants": lambda text, chance, _: wide_constants(text, chance),
}
