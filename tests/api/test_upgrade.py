"""Coroutines in the syntax of older LLVMs are upgraded to today's equivalent."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import pycoro
from pycoro import oracle
from pycoro import strategies as s
from pycoro.upgrade import upgrade

ROOT = Path(__file__).resolve().parents[2]
PASSES = "coro-early,cgscc(coro-split),coro-cleanup"

POINTER = re.compile(r"(?<![%@\w.])ptr(?: addrspace\((\d+)\))?(?![\w.])")
END = re.compile(r"^( *)call void (\(ptr, i1, \.\.\.\) )?@llvm\.coro\.end(\.async)?\((.*)\)$", re.MULTILINE)


def with_typed_pointers(text: str) -> str:
    """Rewrite every pointer type as i8*."""
    return POINTER.sub(lambda found: f"i8 addrspace({found[1]})*" if found[1] else "i8*", text)


def with_results(text: str, *, token: bool, named: bool) -> str:
    """Rewrite every ``llvm.coro.end`` to return an i1, with or without a token."""
    count = iter(range(1 << 30))

    def old(found: re.Match[str]) -> str:
        given = found[4] if token or found[3] else found[4].removesuffix(", token none")
        result = f"%unused{next(count)} = " if named else ""
        return f"{found[1]}{result}call i1 {found[2] or ''}@llvm.coro.end{found[3] or ''}({given})"

    text = END.sub(old, text)
    text = re.sub(r"declare void (@llvm\.coro\.end(?:\.async)?\()", r"declare i1 \1", text)
    return text if token else text.replace("@llvm.coro.end(ptr, i1, token)", "@llvm.coro.end(ptr, i1)")


AGES = {
    "4": lambda text: with_typed_pointers(with_results(text, token=False, named=True)).replace(
        " presplitcoroutine", ' "coroutine.presplit"="0"'
    ),
    "12, unmarked": lambda text: with_typed_pointers(with_results(text, token=False, named=False)).replace(
        " presplitcoroutine", ""
    ),
    "15": lambda text: with_results(text, token=False, named=True),
    "17": lambda text: with_results(text, token=True, named=True),
    "21": lambda text: with_results(text, token=True, named=False),
}


def functions_without_numbers(module: pycoro.Module) -> dict[str, str]:
    """Return the functions as text, without the numbers of other definitions."""
    return {
        name: re.sub(r" #\d+", "", str(function)) + " presplit" * function.is_presplit
        for name, function in module.functions.items()
        if not function.is_declaration
    }


def older(age: str, text: str) -> str:
    return AGES[age](text)


@pytest.mark.parametrize("age", AGES)
def test_random_programs_of_each_version_upgrade(age):
    for seed in range(6):
        options = s.ALL if "unmarked" not in age else s.ALL.but(abis=("switch",), callees=("switch",))
        text = s.module([s.sample(seed, options)])
        old = older(age, text)
        assert old != text
        module = pycoro.Module(old, upgrade=True, trusted=True)
        assert module.upgrades
        assert functions_without_numbers(module) == functions_without_numbers(pycoro.Module(text, trusted=True)), seed
        module.run(PASSES)


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("path", sorted((ROOT / "tests/seeds").glob("*.ll")), ids=lambda path: path.stem)
def test_the_documents_programs_of_each_version_upgrade(path, age):
    text = path.read_text()
    module = pycoro.Module(older(age, text), upgrade=True)
    assert functions_without_numbers(module) == functions_without_numbers(pycoro.Module(text))


OLD_FORMS_IN_STRINGS = r"""
; call i1 @llvm.coro.end(i8* %h, i1 false) presplitcoroutine_custom_abi swiftcorocc f0x3F800000
@old.forms = constant [18 x i8] c"coroutine.presplit"
@old.forms.call = constant [41 x i8] c"\0A  call i1 @llvm.coro.end(i8* %h, i1 false)"
module asm "  call swiftcorocc i1 @llvm.coro.param(i8* null, i8* null)"
!old.forms = !{!987654321}
!987654321 = !{!"coroutine.presplit", !"i8*", !"presplitcoroutine_custom_abi", !"noipa"}
"""
QUOTED_NAME = re.compile(r"(?<![\w$.\"])([@%])([A-Za-z][\w.$]*)(?![\w.$\"])(?=[^\n\"]*$)", re.MULTILINE)


def test_current_ir_is_unchanged():
    for path in sorted((ROOT / "tests/ir").rglob("*.ll")):
        text = path.read_text()
        try:
            current = not pycoro.Module(text, trusted=True).upgrades
        except pycoro.Error:
            continue
        if not current:
            assert path.parent.name == "dynamic", f"{path}: only Swift's dialect is upgraded on reading"
            continue
        made = upgrade(text)
        unmarked = [remark for remark in made.remarks if remark.name == "presplit-attribute"]
        assert (made.text, made.remarks) == (text, ()) or unmarked, (path, made.remarks)
        if not unmarked:
            for unusual in (text + OLD_FORMS_IN_STRINGS, QUOTED_NAME.sub(r'\1"\2"', text)):
                assert upgrade(unusual) == (unusual, ()), path


@pytest.mark.parametrize(
    "text",
    [
        'define i64 @f() {\n  %r = call i64 asm "movq foo@GOTPCREL(%rip), $0", "=r"()\n  ret i64 %r\n}\n',
        'define i64 @f() {\n  %r = call i64 asm "leaq x@tlsgd(%rip), $0",\n   "=r"()\n  ret i64 %r\n}\n',
        '@s = constant [18 x i8] c"coroutine.presplit"\n',
        '!0 = !{!"coroutine.presplit"}\n',
        '@s = global i8 0, section "coroutine.presplit", partition "coroutine.presplit"\n',
        'define void @f() "a"="coroutine.presplit" gc "coroutine.presplit" { ret void }\n',
        "define void @presplitcoroutine_custom_abi() { ret void }\n",
        'define void @"presplitcoroutine_custom_abi i8*"() {\npresplitcoroutine_custom_abi:\n  ret void\n}\n',
        'module asm "call i8* @f()"\nmodule asm "  call i8 @f(i8 1)"\n',
        '@"??_D@@X" = alias void (ptr), ptr @g\ndefine void @g(ptr %p) {\n  call void @"??_D@@X"(ptr %p)\n  ret void\n}\n',
        '@"a b" = ifunc void (), ptr @r\n'
        'define ptr @r() {\n  ret ptr null\n}\ndefine void @g() {\n  call void @"a b"()\n  ret void\n}\n',
        'declare void @"h"()\ndefine void @g() {\n  call void @h()\n  call void @"\\68"()\n  ret void\n}\n',
        'declare void @h()\ndefine void\n  @g() {\n  call void @"h"()\n  call void @g ()\n  ret void\n}\n',
        'declare "a"="b" i32 @f()\ndefine i32 @g() {\n  %r = call i32 @f()\n  ret i32 %r\n}\n',
        "declare void @h() declare void @i()\ndefine void @g() {\n  call void @i()\n  ret void\n}\n",
        'define void @f() {\n  ; call i1 @llvm.coro.end(i8* %p, i1 false) "coroutine.presplit"\n  ret void\n}\n',
    ],
)
def test_current_ir_that_resembles_old_forms_is_unchanged(text: str) -> None:
    pycoro.Module(text)
    assert upgrade(text) == (text, ())


def test_quoted_names_of_other_alphabets_are_unchanged() -> None:
    made = upgrade('define i8* @"men\\C3\\BA"(i8* %"fê") {\n  ret i8* %"fê"\n}\n')
    assert made.text == 'define ptr @"men\\C3\\BA"(ptr %"fê") {\n  ret ptr %"fê"\n}\n'


def test_strings_and_comments_of_converted_ir_are_unchanged() -> None:
    text = '@s = constant [4 x i8] c"i8*;"\ndefine i8* @"i8* @f"(i8* %"a*") "x"="i8*" { ; i8*\n  ret i8* %"a*"\n}\n'
    made = upgrade(text)
    assert made.text == '@s = constant [4 x i8] c"i8*;"\ndefine ptr @"i8* @f"(ptr %"a*") "x"="i8*" { ; i8*\n  ret ptr %"a*"\n}\n'


# ---- Handwritten ----

LISTING = """\
define i8* @f(i32 %n) {
entry:
  %id = call token @llvm.coro.id(i32 0, i8* null, i8* null, i8* null)
  %size = call i32 @llvm.coro.size()
  %alloc = call i8* @malloc(i32 %size)
  %hdl = call noalias i8* @llvm.coro.begin(token %id, i8* %alloc)
  br label %loop
loop:
  %n.val = phi i32 [ %n, %entry ], [ %inc, %loop ]
  %inc = add nsw i32 %n.val, 1
  call void @print(i32 %n.val)
  %save = call token @llvm.coro.save(i8* %hdl)
  %suspend1 = call i1 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %suspend1, label %suspend [i8 0, label %loop
                                       i8 1, label %cleanup]
cleanup:
  %mem = call i8* @llvm.coro.free(token %id, i8* %hdl)
  call void @free(i8* %mem)
  br label %suspend
suspend:
  %unused = call i1 @llvm.coro.end(i8* %hdl, i1 false)
  ret i8* %hdl
}
define i32 @main() {
entry:
  %hdl = call i8* @f(i32 4)
  call void @llvm.coro.resume(i8* %hdl)
  call void @llvm.coro.resume(i8* %hdl)
  call void @llvm.coro.destroy(i8* %hdl)
  ret i32 0
}
"""


def test_a_listing_without_declarations_runs():
    """The listing has no declarations, no coroutine attribute, and a suspend with too few arguments."""
    module = pycoro.Module(LISTING, upgrade=True, host=True)
    steps = [(remark.name, remark.function) for remark in module.upgrades]
    assert steps[0] == ("typed-pointers", "")
    assert ("coro-end-void", "f") in steps and ("coro-end-token", "f") in steps
    assert ("coro-suspend-i8", "f") in steps and ("presplit-attribute", "f") in steps
    assert [function for step, function in steps if step == "declaration"] == ["malloc", "print", "free"]
    assert all(remark.pass_name == "upgrade" and remark.passed for remark in module.upgrades)
    verdict = oracle.compare(str(module), ramp="main", reference="interpreter")
    assert verdict and verdict.executed
    assert [event for event in str(verdict.ours).split("\n") if "print" in event and any(n in event for n in "456")]


UNWINDS = """\
declare i32 @__gxx_personality_v0(...)
define ptr @f() personality ptr @__gxx_personality_v0 {
  %1 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %2 = call i64 @llvm.coro.size.i64()
  %3 = call ptr @malloc(i64 %2)
  %4 = call ptr @llvm.coro.begin(token %1, ptr %3)
  %5 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %5, label %14 [ i8 0, label %6  i8 1, label %13 ]

6:
  invoke void @throws() to label %13 unwind label %7

7:
  %8 = landingpad { ptr, i32 } cleanup
  %9 = call i1 @llvm.coro.end(ptr null, i1 true)
  br i1 %9, label %12, label %10

10:
  call void @ramp()
  br label %12

12:
  resume { ptr, i32 } %8

13:
  br label %14

14:
  %15 = call i1 @llvm.coro.end(ptr null, i1 false)
  ret ptr %4
}
"""


def test_the_result_of_coro_end_is_inverted():
    text = UNWINDS.replace("\n12:", "\n11:").replace("label %12", "label %11")
    text = re.sub(r"%13\b|^13:", lambda m: m[0].replace("13", "12"), text, flags=re.MULTILINE)
    text = re.sub(r"%14\b|^14:", lambda m: m[0].replace("14", "13"), text, flags=re.MULTILINE)
    text = text.replace("%15", "%14")
    module = pycoro.Module(text, upgrade=True)
    body = str(module.functions["f"])
    assert "pycoro.unused" not in body and "freeze" not in body
    (ramp,) = [i for i in module.functions["f"].walk() if i.intrinsic == "llvm.coro.is_in_ramp"]
    (inverse,) = ramp.users
    assert inverse.opcode == "xor" and [user.opcode for user in inverse.users] == ["br"]
    assert ("coro-end-result", "f") in [(remark.name, remark.function) for remark in module.upgrades]
    module.run(f"{PASSES},function(instcombine,simplifycfg)")
    assert "resume { ptr, i32 }" in str(module.functions["f.resume"])
    assert "call void @ramp()" not in str(module.functions["f.resume"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@x = global i8* null", "@x = global ptr null"),
        ("%p = type { i32*, [2 x i8*]*, <{ i8 }>* }", "%p = type { ptr, ptr, ptr }"),
        ("declare void (i8*, i32)* @g(i8* (i32, ...)**)", "declare ptr @g(ptr)"),
        ("declare i32 addrspace(3)* @g(i8 addrspace(1)* addrspace(2)*)", "declare ptr addrspace(3) @g(ptr addrspace(2))"),
        ('@s = constant [5 x i8] c"a*b\\0A*" ; i8* stays', '@s = constant [5 x i8] c"a*b\\0A*" ; i8* stays'),
        ("define void @g(%p* noalias sret %r, [2 x i8]* byval align 4 %v) {", None),
        ("declare void @g(%p* sret(%p), i8* nocapture)", "declare void @g(ptr sret(%p), ptr nocapture)"),
        ('%v = load %"a b"*, %"a b"** %q, align 8', "%v = load ptr, ptr %q, align 8"),
    ],
)
def test_typed_pointers(old, new):
    wanted = new or "define void @g(ptr noalias sret(%p) %r, ptr byval([2 x i8]) align 4 %v) {"
    assert upgrade(old).text == wanted


def test_a_copied_parameter():
    text = LISTING.replace(
        "  br label %loop\nloop:", "  %copied = call i1 @llvm.coro.param(i8* null, i8* null)\n  br label %loop\nloop:"
    )
    module = pycoro.Module(text, upgrade=True)
    assert "coro-param" in [remark.name for remark in module.upgrades]
    module.run(PASSES)


def test_dead_frames_are_not_marked() -> None:
    """LLVM 23 has llvm.coro.dead, which LLVM 22 takes for a function of another module."""
    free = "  call void @free(ptr %unused)\n"
    marked = pycoro.examples.COUNTER.replace(free, free + "  call void @llvm.coro.dead(ptr %handle) #1\n")
    made = pycoro.upgrade.upgrade(marked + "declare void @llvm.coro.dead(ptr) #1\nattributes #1 = { nounwind }\n")
    assert [remark.name for remark in made.remarks] == ["coro-dead", "coro-declarations"]
    assert "@llvm.coro.dead" not in made.text
    pycoro.Module(made.text).run(PASSES)


# ---- Invalid uses ----


def test_unsupported_input_is_an_error():
    with pytest.raises(pycoro.UsageError, match="bitcode"):
        pycoro.Module(pycoro.Module(LISTING, upgrade=True).bitcode(), upgrade=True)
    with pytest.raises(TypeError):
        pycoro.Module(LISTING, upgrade="yes")
    for broken in (
        "no IR at all *",
        "*",
        "define void @f(",
        "call i1 @llvm.coro.end(",
        ")*",
        '"',
        "define i8* @f() {\n  %x = call i1 @llvm.coro.end(i8* null",
    ):
        with pytest.raises(pycoro.ParseError):
            pycoro.Module(broken, upgrade=True)
    for broken in (
        "@a = global float +snan(0x0)",
        "define void @f(i32 %n) {\n  %x = load i32* %p\n  ret void\n}",
        "define token @f(i1 %c) {\n  %h = call i1 (...) @llvm.coro.end(ptr null, i1 false, i8 0)\n  unreachable\n}",
    ):
        with pytest.raises((pycoro.ParseError, pycoro.VerifyError)) as caught:
            pycoro.Module(broken, upgrade=True)
        assert "pycoro upgrade" not in str(caught.value) and "hint: " in str(caught.value)
    module = pycoro.Module("")
    assert module.upgrades == () and pycoro.Module("", upgrade=True).upgrades == ()


def test_command_line(tmp_path, capsys):
    from pycoro.cli import main

    path, made = tmp_path / "old.ll", tmp_path / "new.ll"
    path.write_text(LISTING)
    assert main(["upgrade", str(path), "-o", str(made)]) == 0
    assert "remark[coro-end-void] in @f" in capsys.readouterr().err
    assert pycoro.Module.from_file(made).functions["f"].is_presplit
    assert main(["upgrade", str(path), "--json"]) == 0
    said = capsys.readouterr()
    assert "define ptr @f" in said.out and {"step", "function", "message"} == set(json.loads(said.err)[0])
    assert main(["upgrade", str(path), "--quiet", "--json"]) == 2
    assert main(["upgrade", str(tmp_path / "none.ll")]) == 1
    current = "define  void @f( ) {ret void} ; as written\n"
    path.write_text(current)
    assert main(["upgrade", str(path), "-o", str(made)]) == 0
    assert made.read_text() == current
    path.write_text("no IR")
    assert main(["upgrade", str(path)]) == 1


@pytest.mark.parametrize("between", [" ", "\n"])
def test_several_instructions_on_a_line(between: str) -> None:
    """LLVM parses a module without line breaks; the steps see each instruction of it."""
    old = between.join(
        [
            "declare i1 @llvm.coro.end(i8*, i1)",
            "define { i32, i32 } @g() { ret { i32, i32 } zeroinitializer }",
            "define void @f(i8* %h) { start: %1 = call i1 @llvm.coro.end(i8* %h, i1 false) br label %out",
            "out: tail call void @e() ret void }",
            "declare void @e()",
        ]
    )
    module = pycoro.Module(old, upgrade=True)
    module.verify()
    assert [i.opcode for i in module.functions["f"].walk()] == ["call", "br", "call", "ret"]
    assert "token none" in str(module)


def test_lines_start_at_statements() -> None:
    """Records, data before a function, comments and strings that look like instructions, metadata numbers."""
    from pycoro.upgrade.lines import put_each_statement_on_one_line

    body = 'call void @e(), !dbg !3 #dbg_value(i32 0, !1, !DIExpression(), !3) br label %"a: b"; ret void\n"a: b": ret void'
    text = (
        f'@s = constant [8 x i8] c"ret void" define void @f() prefix {{ i8, i32 }} {{ i8 1, i32 2 }} {{ {body} }} !0 = !{{!"x: y"}}'
    )
    assert put_each_statement_on_one_line(text).split("\n") == [
        '@s = constant [8 x i8] c"ret void"',
        "define void @f() prefix { i8, i32 } { i8 1, i32 2 } {",
        "call void @e(), !dbg !3",
        "#dbg_value(i32 0, !1, !DIExpression(), !3)",
        'br label %"a: b"; ret void',
        '"a: b":',
        "ret void",
        "}",
        '!0 = !{!"x: y"}',
    ]
    assert put_each_statement_on_one_line(put_each_statement_on_one_line(text)) == put_each_statement_on_one_line(text)


@pytest.mark.parametrize(
    "last", ["half 0.0", "bfloat %b", "x86_fp80 %x", 'target("t") %t', "[2 x i64] %a", "%named %n", "<2 x i8> %v"]
)
def test_statements_of_any_type_are_split(last: str) -> None:
    from pycoro.upgrade.lines import put_each_statement_on_one_line

    body = f"call void @e() store {last}, ptr %p ret {last}"
    assert put_each_statement_on_one_line(f"define void @f() {{ {body} }}").split("\n")[1:-1] == [
        "call void @e()",
        f"store {last}, ptr %p",
        f"ret {last}",
    ]
    assert (
        put_each_statement_on_one_line("define void @f() { call void @e() resume [2 x i64] %r }").split("\n")[2]
        == "resume [2 x i64] %r"
    )


def test_text_printed_by_llvm_is_unchanged() -> None:
    from pycoro.upgrade.lines import put_each_statement_on_one_line

    for seed in range(8):
        printed = str(pycoro.Module(s.module([s.sample(seed)]), trusted=True))
        assert put_each_statement_on_one_line(printed) == printed
