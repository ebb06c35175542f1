"""Textual IR for the readers of LLVM 19 to 21: conversions, rejections, and releases of llvmlite that read all lowered IR tests."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import readers

import pycoro
from pycoro.cli import main
from pycoro.downgrade import downgrade

IR_TESTS = Path(__file__).resolve().parents[1] / "ir"
HEADER = "define void @f(ptr %p, ptr %q, i32 %i, double %d, <4 x i1> %m, <4 x i32> %v) {\n"

CONVERTED = [  # instruction or declaration, reader, expected
    ("declare void @g(ptr captures(none))", 20, "declare void @g(ptr nocapture)"),
    ("declare void @g(ptr captures(ret: address, provenance) readonly)", 20, "declare void @g(ptr readonly)"),
    ("declare void @g(ptr captures(none))", 21, "declare void @g(ptr captures(none))"),
    ("declare void @g(ptr dead_on_return)", 20, "declare void @g(ptr)"),
    ("declare void @g() memory(errnomem: write)", 20, "declare void @g() memory(write, argmem: none, inaccessiblemem: none)"),
    (
        "declare void @g() memory(argmem: read, target_mem0: write)",
        21,
        "declare void @g() memory(argmem: read, inaccessiblemem: write)",
    ),
    ("declare void @g() memory(argmem: read)", 19, "declare void @g() memory(argmem: read)"),
    ("declare void @g() memory(read, errnomem: none)", 19, "declare void @g() memory(read)"),
    ("  %c = icmp samesign ult i32 %i, 4", 19, "  %c = icmp ult i32 %i, 4"),
    ("  %c = icmp samesign ult i32 %i, 4", 20, "  %c = icmp samesign ult i32 %i, 4"),
    ("  %c = fptrunc nnan ninf double %d to float", 19, "  %c = fptrunc double %d to float"),
    ("  %c = ptrtoaddr ptr %p to i64", 21, "  %c = ptrtoint ptr %p to i64"),
    ("  call void @llvm.lifetime.start.p0(ptr nonnull %p)", 21, "  call void @llvm.lifetime.start.p0(i64 -1, ptr nonnull %p)"),
    ("declare void @llvm.lifetime.end.p0(ptr)", 19, "declare void @llvm.lifetime.end.p0(i64 immarg, ptr)"),
    (
        "  %c = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %m, <4 x i32> %v)",
        21,
        "  %c = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> %v)",
    ),
    (
        "  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, <4 x i1> %m)",
        20,
        "  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 1, <4 x i1> %m)",
    ),
    ("  %c = call <4 x i32> @llvm.stepvector.v4i32()", 19, "  %c = call <4 x i32> @llvm.experimental.stepvector.v4i32()"),
    ("  call void (...) @llvm.fake.use(ptr %p)", 19, None),
    ("  #dbg_declare_value(i32 %i, !6, !DIExpression(), !7)", 21, "  #dbg_value(i32 %i, !6, !DIExpression(), !7)"),
    (
        "  call void @llvm.coro.end(ptr %p, i1 false, token none)",
        21,
        "  %coro.end.result.1 = call i1 @llvm.coro.end(ptr %p, i1 false, token none)",
    ),
    (
        "!7 = !DILocation(line: 1, column: 2, scope: !4, atomGroup: 1, atomRank: 1)",
        20,
        "!7 = !DILocation(line: 1, column: 2, scope: !4)",
    ),
    (
        '!7 = !DILabel(scope: !4, name: "l", file: !1, line: 1, coroSuspendIdx: 3)',
        20,
        '!7 = !DILabel(scope: !4, name: "l", file: !1, line: 1)',
    ),
    (
        '!7 = !DISubrangeType(name: "x", size: 32, baseType: !8, lowerBound: i64 1)',
        20,
        '!7 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "x")',
    ),
    ('!7 = !DIBasicType(name: "x", size: !6, dataSize: 20)', 20, '!7 = !DIBasicType(name: "x")'),
    (
        "!7 = distinct !DICompileUnit(sourceLanguageName: DW_LNAME_C_plus_plus, sourceLanguageVersion: 201703, file: !1)",
        21,
        "!7 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !1)",
    ),
    ('!7 = !{!"captures(none) samesign DILabel(column: 3)"}', 19, '!7 = !{!"captures(none) samesign DILabel(column: 3)"}'),
    ('@s = constant [8 x i8] c"samesign"', 19, '@s = constant [8 x i8] c"samesign"'),
    ("samesign:", 19, "samesign:"),
    (
        "  %c = tail call nnan fast fastcc { float, float } @g(ptr %p)",
        19,
        "  %c = tail call fastcc { float, float } @g(ptr %p)",
    ),
    (
        "  %c = select nnan i1 %b, { float, float } %x, { float, float } %y",
        20,
        "  %c = select nnan i1 %b, { float, float } %x, { float, float } %y",
    ),
    ("  %c = call nnan float @g(ptr %p)", 19, "  %c = call nnan float @g(ptr %p)"),
    ("declare nofpclass(nan) { float, float } @g()", 19, "declare { float, float } @g()"),
    ("declare nofpclass(nan) float @g()", 19, "declare nofpclass(nan) float @g()"),
    ('target datalayout = "e-p1(local memory):64:64-p2:32:32"', 21, 'target datalayout = "e-p1:64:64-p2:32:32"'),
    ("define void @g() #0 {\n  ret void\n}\nattributes #0 = { noext }", 19, "define void @g() {\n  ret void\n}"),
    ("!7 = !DISubroutineType(cc: DW_CC_LLVM_DeviceKernel, types: !8)", 20, "!7 = !DISubroutineType(cc: 199, types: !8)"),
    ("!7 = !{i64 ptrtoaddr (ptr @g to i64)}", 21, "!7 = !{i64 ptrtoint (ptr @g to i64)}"),
    (
        "  #dbg_value(i64 ptrtoaddr (ptr @g to i64), !6, !DIExpression(), !7)",
        20,
        "  #dbg_value(i64 ptrtoint (ptr @g to i64), !6, !DIExpression(), !7)",
    ),
    (
        '  call void @llvm.assume(i1 true) [ "dereferenceable"(ptr %p, i64 %x), "align"(ptr %p, i64 8) ]',
        20,
        '  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]',
    ),
    ('  call void @llvm.assume(i1 true) [ "dereferenceable"(ptr %p, i64 %x) ]', 20, "  call void @llvm.assume(i1 true)"),
    (
        '  call void @llvm.assume(i1 true) [ "dereferenceable"(ptr %p, i64 8) ]',
        20,
        '  call void @llvm.assume(i1 true) [ "dereferenceable"(ptr %p, i64 8) ]',
    ),
    (
        "  %c = call <4 x i32> @llvm.vector.splice.left.v4i32(<4 x i32> %v, <4 x i32> %v, i32 1)",
        21,
        "  %c = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %v, <4 x i32> %v, i32 1)",
    ),
    (
        "  %c = call <4 x i32> @llvm.vector.splice.right.v4i32(<4 x i32> %v, <4 x i32> %v, i32 1)",
        20,
        "  %c = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %v, <4 x i32> %v, i32 -1)",
    ),
    ("  %c = call ptr @malloc(i64 8), !memprof !0, !callsite !5", 19, "  %c = call ptr @malloc(i64 8), !callsite !5"),
]

REJECTED = [  # instruction, reader, words of the message
    (
        "  %c = call <4 x i32> @llvm.vector.splice.right.v4i32(<4 x i32> %v, <4 x i32> %v, i32 0)",
        21,
        "cannot return all of its second operand",
    ),
    (
        "  %c = call <4 x i32> @llvm.vector.splice.left.v4i32(<4 x i32> %v, <4 x i32> %v, i32 %x)",
        21,
        "llvm.vector.splice.left.v4i32 has a variable offset",
    ),
    ("  %c = atomicrmw usub_cond ptr %p, i32 1 seq_cst, align 4", 19, "atomicrmw usub_cond is an operation since LLVM 20"),
    ("  %c = atomicrmw fmaximum ptr %p, double 1.0 seq_cst, align 8", 20, "since LLVM 21"),
    ("  %c = load atomic <2 x i32>, ptr %p seq_cst, align 8", 21, "vector types since LLVM 22"),
    ("  call riscv_vls_cc(128) void %p()", 20, "calling convention riscv_vls_cc exists since LLVM 21"),
    (
        "  %c = call { double, double } @llvm.sincospi.f64(double %d)",
        20,
        "llvm.sincospi is an intrinsic with this signature since LLVM 21",
    ),
    ("  %c = call i1 @llvm.coro.is_in_ramp()", 21, "llvm.coro.is_in_ramp is an intrinsic with this signature since LLVM 22"),
    ("  %c = call <16 x i32> @llvm.x86.avx10.vpdpbssd.512(<16 x i32> %v)", 19, "since LLVM 20"),
    ('  call void %p() [ "deactivation-symbol"(ptr %q) ]', 20, "deactivation-symbol"),
    ('  %c = alloca target("riscv.vector.tuple", <vscale x 8 x i8>, 2), align 16', 19, "riscv.vector.tuple"),
    ('  %c = load { i32, target("dx.Padding", 4) }, ptr %p, align 4', 21, 'target("dx.Padding") exists since LLVM 22'),
    ('  %c = load target("dx.Layout", { i32 }, 4, 0), ptr %p, align 4', 19, 'target("dx.Layout") exists since LLVM 20'),
    ("  callbr void @llvm.amdgcn.kill(i1 %c)", 21, "callbr calls intrinsics since LLVM 22"),
    (
        "  %c = call <4 x i32> @llvm.lround.v4i32.v4f32(<4 x float> %v)",
        19,
        "llvm.lround is an intrinsic with this signature since LLVM 20",
    ),
]


def within(line: str) -> str:
    return HEADER + line + "\n  ret void\n}\n" if line.startswith("  ") else line


@pytest.mark.parametrize("line,llvm,expected", CONVERTED)
def test_hints_are_dropped_or_spelled_the_old_way(line: str, llvm: int, expected: str | None) -> None:
    made = downgrade(within(line), llvm)
    assert made.text == (within(line).replace(line + "\n", "") if expected is None else within(line).replace(line, expected))
    assert bool(made.remarks) == (line != expected)


@pytest.mark.parametrize("line,llvm,words", REJECTED)
def test_what_an_older_reader_lacks_is_rejected(line: str, llvm: int, words: str) -> None:
    with pytest.raises(pycoro.RejectedError) as caught:
        downgrade(within(line), llvm)
    (found,) = caught.value.diagnostics
    assert words in found.message and f"LLVM {llvm} cannot read" in found.message
    assert found.hint and found.function == "f" and found.instruction == line.strip()
    assert downgrade(within(line), 22).text == within(line)


def test_the_result_of_an_end_has_a_name_of_its_own() -> None:
    end = "  call void @llvm.coro.end(ptr %p, i1 false, token none)"
    made = downgrade(within(end).replace("i32 %i", "i32 %coro.end.result.1"), 20).text
    assert "  %coro.end.result.x.1 = call i1 @llvm.coro.end(" in made


def test_every_rejection_is_reported() -> None:
    two = HEADER + "".join(f"{line}\n" for line, llvm, _ in REJECTED[:2]) + "  ret void\n}\n"
    with pytest.raises(pycoro.RejectedError) as caught:
        downgrade(two, 19)
    assert len(caught.value.diagnostics) == 2


def test_addresses_smaller_than_their_pointers_are_rejected() -> None:
    layout = 'target datalayout = "e-p7:160:256:256:32"\n'
    line = HEADER + "  %c = ptrtoaddr ptr addrspace(7) null to i32\n  ret void\n}\n"
    with pytest.raises(pycoro.RejectedError, match="smaller than its pointer"):
        downgrade(layout + line, 21)
    for kind in ("<2 x ptr addrspace(7)>", "<vscale x 2 x ptr addrspace(7)>"):
        with pytest.raises(pycoro.RejectedError, match="smaller than its pointer"):
            downgrade(layout + line.replace("ptr addrspace(7) null", f"{kind} zeroinitializer"), 21)
    assert "ptrtoint ptr addrspace(7)" in downgrade('target datalayout = "e-p7:32:32"\n' + line, 21).text


def test_unknown_profiles_and_groups_without_attributes_are_dropped() -> None:
    node = '!0 = !{!"unknown", !"x"}\n'
    group = "attributes #0 = { coro_elide_safe }\n"
    text = "define void @f() #0 !prof !0 {\n  call void @f() #1\n  ret void\n}\n" + group + node
    made = downgrade(text, 19).text
    assert made == "define void @f() {\n  call void @f() #1\n  ret void\n}\n" + node


@pytest.mark.parametrize("llvm", [18, 23, "20", True, None])
def test_other_versions_are_an_error(module: pycoro.Module, llvm: object) -> None:
    with pytest.raises(pycoro.UsageError, match="llvm must be one of 19, 20, 21, 22"):
        module.to_text(llvm=llvm)  # type: ignore[arg-type]


def test_module_and_command_write_the_same(tmp_path: Path, counter: str) -> None:
    source, made = tmp_path / "in.ll", tmp_path / "out.ll"
    source.write_text(counter)
    assert main(["opt", str(source), "-O2", "--emit=llvm-20", "-o", str(made)]) == 0
    report = pycoro.lower(pycoro.Module.from_file(source), "default<O2>")
    assert made.read_text() == report.module.to_text(llvm=20)
    assert report.module.to_text() == str(report.module)
    assert "nocapture" in made.read_text() or "captures" not in str(report.module)


SED = re.compile(r"RUN: (sed(?: (?:-e )?'[^']*')+) %s")
"""Command that creates a module of an IR test from the file."""


def modules_of_ir_test(path: Path) -> Iterator[str]:
    """Yield the parts of the file, and what its sed commands make of it."""
    text = path.read_text()
    yield from re.split(r"^(?:;|//) *---.*$", text, flags=re.MULTILINE)
    for command in dict.fromkeys(SED.findall(text)):
        sed = shlex.split(command.replace("%%", "%"))
        yield subprocess.run([*sed, str(path)], capture_output=True, text=True, check=True).stdout


@functools.cache
def lowered_texts() -> dict[str, str]:
    """Return the modules of the IR tests as lowered, without and with optimization."""
    texts: dict[str, str] = {}
    for path in sorted(IR_TESTS.rglob("*.ll")):
        for number, part in enumerate(modules_of_ir_test(path)):
            for passes in (pycoro.pipeline.DEFAULT, "default<O2>"):
                try:
                    module = pycoro.Module(part)
                    module.run(passes)
                except pycoro.Error:  # a test of an error, a file for sed, or the commands before the parts
                    continue
                texts[f"{path.relative_to(IR_TESTS)}:{number}:{passes}"] = str(module)
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("llvm", sorted(readers.RELEASES))
@pytest.mark.xdist_group("readers")
def test_every_lowered_ir_test_is_read_by_llvmlite(llvm: int) -> None:
    if reason := readers.missing(llvm):
        pytest.skip(reason)
    texts: dict[str, str] = {}
    rejected: list[str] = []
    for name, lowered in lowered_texts().items():
        try:
            texts[name] = pycoro.Module(lowered, trusted=True).to_text(llvm=llvm)
        except pycoro.RejectedError:
            rejected.append(name)
    assert len(texts) > 500
    assert not rejected
    assert readers.rejected(llvm, texts) == {}


@pytest.mark.parametrize("llvm", sorted(readers.RELEASES))
@pytest.mark.xdist_group("readers")
def test_llvmlite_runs_a_lowered_coroutine(llvm: int) -> None:
    if reason := readers.missing(llvm):
        pytest.skip(reason)
    report = pycoro.lower(pycoro.examples.COUNTER, host=True)
    with pycoro.Engine(report) as engine:
        expected = engine.call("sum", 10)
    assert readers.run(llvm, report.module.to_text(llvm=llvm), "sum", 10) == expected


CONSTRUCTOR = """
define i32 @_ZN1SC2Ei(i32 %n) !dbg !5 {
  ret i32 %n, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "d.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !1, size: 8, elements: !7, identifier: "_ZTS1S")
!4 = !DISubprogram(name: "S", linkageName: "_ZN1SC4Ei", scope: !3, file: !1, line: 1, type: !6, spFlags: 0)
!5 = distinct !DISubprogram(name: "S", linkageName: "_ZN1SC2Ei", scope: !3, file: !1, line: 1, type: !6,~
 spFlags: DISPFlagDefinition, unit: !0, declaration: !4)
!6 = !DISubroutineType(types: !8)
!7 = !{!4}
!8 = !{null}
!9 = !DILocation(line: 1, scope: !5)
""".replace("~\n", "")


@pytest.mark.xdist_group("readers")
def test_a_constructor_with_debug_information_is_compiled_by_llvm_20() -> None:
    """Code generation of LLVM 20 asserts that a declaration has the linkage name of its definition."""
    made = downgrade(CONSTRUCTOR, 20).text
    assert "C4Ei" not in made and made.count("C2Ei") == 2
    assert "C4Ei" in downgrade(CONSTRUCTOR.replace("C2Ei", "C4Ei"), 20).text
    if reason := readers.missing(20):
        pytest.skip(reason)
    assert readers.run(20, made, "_ZN1SC2Ei", 7) == 7
