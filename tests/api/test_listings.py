"""Listings from documents become modules, and the assumptions are reported."""

from __future__ import annotations

import random
import re

import listings as seeds
import pytest
from documents import complete
from listings import Listing, lowered

import pycoro
from pycoro import oracle
from pycoro import strategies as s

# ---- The documents ----

documents = pytest.mark.skipif(seeds.SEEDS is None, reason="the documents are not here: ../shared/seeds")
FOUND = [] if seeds.SEEDS is None else seeds.listings()


def name_of(listing: Listing) -> str:
    return f"{listing.seed}-{listing.line}"


@documents
def test_the_documents_have_listings():
    assert len(FOUND) > 110 and {listing.seed for listing in FOUND} == set(seeds.CUTS)
    assert sum(listing.is_ir for listing in FOUND) > 95
    assert all(seeds.other(listing).what for listing in FOUND if not listing.is_ir)


@documents
@pytest.mark.parametrize("listing", [listing for listing in FOUND if listing.is_ir], ids=name_of)
def test_every_listing_converts(listing):
    """Each listing converts unchanged and separately."""
    made = complete(listing.text)
    module = pycoro.Module(made.text)
    assert module.verify() is None
    assert lowered(str(module))
    assert all(remark.passed and remark.pass_name == "upgrade" and remark.message for remark in made.remarks)


@documents
@pytest.mark.slow
def test_the_table_is_up_to_date():
    kept = (seeds.ROOT / "docs" / "listings-tests.md").read_text()
    assert seeds.table() == kept, "python tests/api/listings.py --write docs/listings-tests.md"


@documents
def test_the_linter_finds_the_mistakes_in_the_notes():
    """Suspends that do not share a block, and return without llvm.coro.end."""
    (listing,) = [listing for listing in FOUND if (listing.seed, listing.line) == ("004", 266)]
    module = pycoro.Module(complete(listing.text).text)
    findings = module.lint()
    assert {finding.rule for finding in findings} == {"shared-suspend", "end-before-return"}
    findings.fix()
    assert not module.lint()


# ---- Omitted code ----


def steps(text: str) -> list[str]:
    return [remark.name for remark in complete(text).remarks]


def printed(text: str, ramp: str, *schedule: str, args: tuple[object, ...] = ()) -> list[int]:
    verdict = oracle.compare(complete(text).text, schedule, ramp=ramp, args=args, reference="interpreter")
    assert verdict and verdict.executed, verdict
    return [event[2] for event in verdict.ours.events if event[:2] == ("call", "print")]


LOOP = """
again:
  %now = phi i32 [ %n, %entry ], [ %next, %again ]
  %next = add nsw i32 %now, 1
  call void @print(i32 %now) #9
  %1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %1, label %wait [i8 0, label %again
                             i8 1, label %done]
"""


def test_a_fragment_becomes_a_coroutine():
    """It has no entry, frame or exit, and uses undefined values."""
    assert printed(LOOP, "listing", "resume", "resume", "destroy", args=(3,)) == [3, 4, 5]
    assert {"fragment", "coroutine", "block", "parameter", "numbers", "marks"} <= set(steps(LOOP))
    module = pycoro.Module(complete(LOOP).text)
    assert [argument.name for argument in module.functions["listing"].arguments] == ["n"]
    assert not module.lint()


def test_an_ellipsis_for_code_becomes_a_suspend():
    text = """
    define ptr @f(i32 %n) {
      %promise = alloca i32
      %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
      ...
      %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
      call void @print(i32 %n)
      ...
      ret ptr %hdl
    }
    define void @g() {
      %h = call ptr @f(i32 7)
      call void @llvm.coro.destroy(ptr %h)
      ret void
    }"""
    assert printed(text, "g") == [7]
    assert steps(text).count("left-out") >= 3


@pytest.mark.parametrize(
    ("statement", "made"),
    [
        ("%s = call i8 @llvm.coro.suspend(...)", "call i8 @llvm.coro.suspend(token none, i1 false)"),
        ("%id = call token @llvm.coro.id(..., %p ret void", "call token @llvm.coro.id(i32 0, ptr %p, ptr null, ptr null)"),
        ("call void @g(i32 4))\nret void", "call void @g(i32 4)"),
        ("br i1 %c, %a, %b", "br i1 %c, label %a, label %b"),
        ("br %c, here, there", "br i1 %c, label %here, label %there"),
        ("call void @g(%x)", "call void @g(ptr %x)"),
        ("call void @g(&x)", "call void @g(ptr %x)"),
        ('call void @puts("a \\ b")', 'c"a \\5C b\\00"'),
        ("%p = getelementptr %f, i32 0, i32 1\nstore i64 1, ptr %p", "%f.type = type { ptr, i64 }"),
        ("%p = getelementptr %T, ptr %f, i32 0, i32 2\n%v = load i64, ptr %p", "%T = type { ptr, ptr, i64 }"),
        ("%v = alloca %T\nstore i16 1, ptr %v", "%T = type { i16 }"),
        ("call void @g(i32 width)", "call void @g(i32 0)"),
        ("%p = bitcast i8* %q to i32**\nstore i32* @x, i32**, align 8", "store ptr @x, ptr %p, align 8"),
        ("store i32 1, ptr %p, !tbaa !7", "store i32 1, ptr %p\n"),
        ("define void @g() comdat {\n  ret void\n}", "$g = comdat any"),
        ("declare void @g(ptr <handle>, i1 <final>, ...)", "declare void @g(ptr, i1, ...)"),
        ("declare <4 x i32> @g(<4 x i32> <lanes>)", "declare <4 x i32> @g(<4 x i32>)"),
        ("define i32 @g() {", "ret i32 0"),
        ("define void @g() {\n  %a = ...\n  call void @h(i64 %a)\n  ret void\n}", "%a = call i64 @left.out.a()"),
        ("%x = call i32 @g()\ncall void @h(i32 %x)\n%x = call i32 @g()\ncall void @h(i32 %x)", "call void @h(i32 %x.again1)"),
        ("entry: %a = call i32 @g() br label %b b: ; preds = %entry %c = add i32 %a, 1 ret i32 %c", "%c = add i32 %a, 1"),
    ],
)
def test_omitted_code_is_completed_and_reported(statement, made):
    completed = complete(statement)
    assert made in completed.text
    assert completed.remarks
    module = pycoro.Module(completed.text)
    assert lowered(str(module))


@pytest.mark.parametrize(
    ("statement", "made"),
    [
        ("call void @g(i32 %x, ...)", "call void @g(i32 %x)\n"),
        ("declare void @g(i32, i64)\ncall void @g(i32 1, ...)", "call void @g(i32 1, i64 %operand.1)"),
        ("declare void @g(i32, i64)\ncall void @g(..., i64 1)", "call void @g(i32 %operand.1, i64 1)"),
        ("declare void @g(i64)\ndefine void @f() {\n  call void @g(...)\n}", "call i64 @left.out.operand.1()"),
        ("call i32 (ptr, ...) @printf(ptr %f, ...)", "call i32 (ptr, ...) @printf(ptr %f)"),
        ("call void @g(i8* ..., i32* %x)", "call void @g(ptr %operand.1, ptr %x)"),
        ("%s = call i8 @llvm.coro.suspend(token ..., i1 false)", "@llvm.coro.suspend(token none, i1 false)"),
        ("%m = call ptr @llvm.coro.free(token ..., ptr %h)", "@llvm.coro.free(token %id, ptr %handle)"),
        ("call void @llvm.coro.resume(...)", "define void @listing(ptr %operand.1)"),
        ("%x = call ... @g(i32 1)\nret i64 %x", "%x = call i64 @g(i32 1)"),
        ("store i32 ..., ptr %p", "store i32 %operand.1, ptr %p"),
        ("store i32 1, ...", "store i32 1, ptr %operand.1"),
        ("%x = load i32, ... ret i32 %x", "%x = load i32, ptr %operand.1"),
        ("%x = load i32, ptr %p, ...", "%x = load i32, ptr %p\n"),
        ("%x = load ...\nret i64 %x", "%x = call i64 @left.out.x()"),
        ("%x = alloca ...\nstore i32 1, ptr %x", "%x = alloca i32"),
        ("%x = alloca i32\n...\nstore i32 1, ptr %x", "%x = alloca i32\n"),
        ("%x = add i32 ..., 1 ret i32 %x", "%x = add i32 %operand.1, 1"),
        ("%c = icmp eq i32 %a, ...\nbr i1 %c, label %x, ...", "br i1 %c, label %x, label %left.out."),
        ("br i1 ..., label %x, label %y", "br i1 %operand.1, label %x, label %y"),
        ("%x = select i1 %c, i32 %a, ...", "%x = select i1 %c, i32 %a, i32 %operand.1"),
        ("%x = trunc i64 ... to i32", "%x = trunc i64 %operand.1 to i32"),
        ("br label %l\nl:\n%x = phi i32 [ ..., %e ], ...", "%x = phi i32 [ %operand.1, %e ], [ 0, %start ]"),
        ("%x = phi i32 ...\nret i32 %x", "%x = call i32 @left.out.x()"),
        ("%x = getelementptr %T, ptr %p, ...\nstore i32 1, ptr %x", "%x = call ptr @left.out.x()"),
        ("switch i32 %x, label %d [ i32 0, label %a ... ]", "[ i32 0, label %a ]"),
        ("%s = call i8 @llvm.coro.suspend(...)\nswitch i8 %s, label %o [ i8 0, label %n ... ]", "label %n i8 1, label %cleanup ]"),
        ("invoke void @g(...) to label ... unwind label %p", "invoke void @g() to label %left.out.1 unwind label %p"),
        ("ret i32 ...", "ret i32 %operand.1"),
        ("define void @f() ... {\n  ret void\n}", "define void @f() {"),
        ("%T = type { ptr, i32, ... }\n%p = getelementptr %T, ptr %f, i32 0, i32 3\nstore i64 1, ptr %p", "{ ptr, i32, i32, i64 }"),
        ('call void @puts("wait ...")', 'c"wait ...\\00"'),
    ],
)
def test_an_ellipsis_for_an_operand_is_inferred(statement, made):
    completed = complete(statement)
    assert made in completed.text and completed.remarks
    assert lowered(str(pycoro.Module(completed.text)))


def test_omitted_arguments_are_named_in_remarks():
    text = "declare void @print(i32)\ndefine void @f() {\n  call void @print(i32 4)\n  call void @print(...)\n  ret void\n}\n"
    assert [remark.name for remark in complete(text).remarks] == ["operand", "value", "declaration"]
    given = "define i32 @left.out.operand.1() {\n  ret i32 9\n}\n"
    assert printed(text + given, "f") == [4, 9]


@pytest.mark.parametrize(
    "statement",
    [
        "call void ...",
        "store ..., ptr %p",
        "declare void @g(i32, i32, i32, i32)\ncall void @g(..., i32 1, ...)",
        "%T = type { i32, ..., ptr }\n%v = alloca %T",
    ],
)
def test_an_ellipsis_without_context_is_rejected(statement):
    with pytest.raises(pycoro.UsageError, match=r"unclear: (write|it has several)|unknown; write"):
        complete(statement)


RECORDED = """
define void @f(i32 %n) !dbg !10 {
  br label %loop
loop:
  %now = phi i32 [ %n, %0 ], [ %next, %loop ]
    #dbg_value(i32 %now, !12, !DIExpression(), !14)
  %next = add nsw i32 %now, 1, !dbg !15 #dbg_value(!DIArgList(i32 %gone, i32 %next), !12, !DIExpression(), !14)
  call void @print(i32 %now)
  br label %loop
}
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug)
!3 = !DIFile(filename: "a.c", directory: "/")
!10 = distinct !DISubprogram(name: "f", file: !3, unit: !2, type: !11, spFlags: DISPFlagDefinition)
!11 = !DISubroutineType(types: !{})
!12 = !DILocalVariable(name: "x", scope: !10, file: !3, type: !13)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !DILocation(line: 3, column: 1, scope: !10)
"""


def test_complete_debug_records_are_preserved():
    made = complete(RECORDED)
    pycoro.Module(made.text)
    assert made.text.count("#dbg_value(i32 %now, !12") == 1 and "%gone" not in made.text
    assert "%next = add nsw i32 %now, 1\n" in made.text  # the location is printed nowhere
    assert [remark.message for remark in made.remarks if remark.name == "marks"] == [
        "debug records of %gone are removed, because the values are not printed",
        "!1, !15: not printed, removed",
    ]
    older = re.sub(
        r"#dbg_value\((.*?), !12, !DIExpression\(\), !14\)", r"call void @llvm.dbg.value(metadata \1, metadata !12)", RECORDED
    )
    assert "%gone" not in complete(older).text


def test_debug_records_are_not_uses():
    """Debug records of undefined values become no parameter; a missing type removes its dependents."""
    made = complete("%a = call i32 @g() #dbg_value(i32 %b, !1, !DIExpression(), !2) ret i32 %a")
    assert "define i32 @listing()" in made.text and "#dbg" not in made.text
    made = complete(RECORDED.replace("!13 = ", "!99 = "))
    pycoro.Module(made.text)
    assert "#dbg" not in made.text and "!12 =" not in made.text


def test_blocks_without_predecessors_become_branch_targets():
    text = "a:\n  call void @print(i32 1)\n  ret void\nb:\n  call void @print(i32 2)\n  ret void\n"
    assert "choice" in steps("call void @before()\nbr label %a\n" + text)
    text = "call void @before()\nbr label %a\n" + text
    assert (printed(text, "listing", args=(0,)), printed(text, "listing", args=(1,))) == ([1], [2])


def test_the_remarks_list_assumptions():
    told = {remark.message for remark in complete("define i64 @f() {\n  %v = ...\n  ret i64 %v\n}").remarks}
    assert any("@left.out.v" in message and "for you to define" in message for message in told)


def test_a_split_coroutine_is_not_split_again():
    text = """
    define ptr @f() {
      %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
      %m = call ptr @malloc(i32 16)
      %h = call ptr @llvm.coro.begin(token %id, ptr %m)
      store ptr @f.resume, ptr %h
      %d = getelementptr {ptr, ptr}, ptr %h, i32 0, i32 1
      store ptr @f.destroy, ptr %d
      ret ptr %h
    }"""
    module = pycoro.Module(complete(text).text)
    assert not module.functions["f"].is_presplit
    assert "split" in steps(text)


WHOLE = """\
target triple = "x86_64-unknown-linux-gnu"
@s = constant [4 x i8] c"...\\00"

define void @f(ptr %0, i1 %c) { ; a comment with ... and }
  store volatile i32 1, ptr %0
  store atomic i32 2, ptr %0 release, align 4
  fence syncscope("singlethread") seq_cst
  %2 = load i32, ptr %0
  br i1 %c, label %3, label %4

3:
  musttail call void @f(ptr %0, i1 false)
  ret void

4:
  callbr void asm "", "!i"() to label %5 [label %6]

5:
  fence acquire
  ret void

6:
  ret void
}
"""


def opcodes(function: pycoro.Function) -> list[str]:
    return [instruction.opcode for instruction in function.walk()]


def test_complete_text_is_unchanged():
    assert complete(WHOLE) == (WHOLE, ())
    for seed in range(4):
        text = s.module([s.sample(seed)])
        assert complete(text) == (text, ())
    older = WHOLE.replace("ptr", "i8*").replace("store volatile i32 1, i8*", "store volatile i8 1, i8*")
    assert {remark.name for remark in complete(older).remarks} <= {"typed-pointers"}


def test_existing_code_is_unchanged_by_completion():
    """Rare instructions and module-level text stay; calls with equal arguments stay equal."""
    made = complete(WHOLE + "define void @g() {\n  call void @h()\n")
    assert [remark.name for remark in made.remarks if remark.function != "g"] == ["numbers", "declaration"]
    whole, module = pycoro.Module(WHOLE), pycoro.Module(made.text)
    assert opcodes(module.functions["f"]) == opcodes(whole.functions["f"])
    assert "musttail call void @f(ptr" in made.text and made.text.startswith("target triple")
    assert 'fence syncscope("singlethread") seq_cst' in made.text


def test_an_invalid_musttail_call_becomes_a_tail_call():
    text = "define void @f(ptr %p) {\n  musttail call void @g(i32 1)\n  ret void\n}\ndefine void @g(i32 %n) {\n"
    assert "  tail call void @g(i32 1)" in complete(text).text and "value" in steps(text)


def test_an_exception_comes_from_the_existing_invoke():
    pad = "  %e = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %e\n"
    text = f"define void @f() {{\nentry:\n  invoke void @g() to label %on unwind label %pad\npad:\n{pad}"
    made = complete(text)
    assert "invoke void @g() to label %on unwind label %pad" in made.text and "may_throw" not in made.text
    pycoro.Module(made.text)


def test_unwind_destinations_get_landing_pads():
    made = complete("define void @f() {\n  invoke void @g() to label %on unwind label %pad\non:\n  ret void\n...\n}")
    module = pycoro.Module(made.text)
    assert "landingpad" in opcodes(module.functions["f"])
    assert any("%pad is not printed" in remark.message for remark in made.remarks)


def test_complete_programs_behave_the_same():
    """Complete programs behave the same when the rest of the module is completed."""
    for seed in range(4):
        text = s.module([s.sample(seed, s.Options(abis=("switch",), callees=("switch",)))])
        made = pycoro.Module(complete(f"{text}\ndefine void @rest() {{\n").text, trusted=True)
        whole = pycoro.Module(text, trusted=True)
        assert {f.name for f in made.functions.values()} == {"rest", *(f.name for f in whole.functions.values())}
        for name, function in whole.functions.items():
            assert opcodes(function) == opcodes(made.functions[name])


def test_any_text_converts_or_is_an_error():
    """Text without IR becomes an empty module; damaged IR raises at worst LLVM's ParseError."""
    assert complete("").text.strip() == "" and complete("no IR at all, but: words (and brackets").text.strip() == ""
    draw = random.Random(1)
    text = LOOP + "define void @f() {\n  ret void\n}\n!0 = !{}\n"
    for _ in range(200):
        at = draw.randrange(len(text))
        damaged = text[:at] + draw.choice(["", "...", "}", "(", '"', "%x = ", "label %q"]) + text[at + draw.randrange(30) :]
        try:
            pycoro.Module(complete(damaged).text)
        except pycoro.Error:
            continue
