"""Old constructs that LLVM's readers upgrade: a module and its copies agree, whichever function makes the copy."""

from __future__ import annotations

import re

import pytest
from test_data_layout import COPIES

import pycoro

DEBUG = """!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{{i32 2, !"Debug Info Version", i32 {version}}}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocalVariable(name: "x", scope: !3)
!5 = !DILocation(line: 1, scope: !3)
"""
UPGRADED = {
    "memory attributes": "define void @f(ptr nocapture %p) readnone argmemonly {\n  ret void\n}\n",
    "denormal": 'define void @f() "denormal-fp-math"="preserve-sign,preserve-sign" "unsafe-fp-math"="true" {\n  ret void\n}\n',
    "intrinsics": """declare i32 @llvm.ctlz.i32(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i32, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)

define i32 @f(i32 %x) {
  %p = alloca i64
  call void @llvm.lifetime.start.p0(i64 8, ptr %p)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i32 8, i1 false)
  %a = call i32 @llvm.ctlz.i32(i32 %x)
  ret i32 %a
}
""",
    "target intrinsic": """declare <4 x i32> @llvm.x86.sse41.pmaxsd(<4 x i32>, <4 x i32>)

define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b) {
  %x = call <4 x i32> @llvm.x86.sse41.pmaxsd(<4 x i32> %a, <4 x i32> %b)
  ret <4 x i32> %x
}
""",
    "module flags": """!llvm.module.flags = !{!0, !1, !2}
!0 = !{i32 1, !"PIC Level", i32 2}
!1 = !{i32 1, !"PIE Level", i32 2}
!2 = !{i32 1, !"Objective-C Garbage Collection", i8 0}
""",
    "loop metadata": """define void @f(i1 %c) {
  br label %b

b:
  br i1 %c, label %b, label %e, !llvm.loop !0

e:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.vectorizer.unroll", i32 4}
""",
    "type-based alias": """define i32 @f(ptr %p) {
  %x = load i32, ptr %p, !tbaa !0
  ret i32 %x
}

!0 = !{!"int", !1}
!1 = !{!"root"}
""",
    "debug version": "define void @f() !dbg !3 {\n  ret void, !dbg !5\n}\n" + DEBUG.format(version=2),
    "debug intrinsics": """declare void @llvm.dbg.value(metadata, metadata, metadata)

define void @f(i32 %x) !dbg !3 {
  call void @llvm.dbg.value(metadata i32 %x, metadata !4, metadata !DIExpression()), !dbg !5
  ret void, !dbg !5
}
"""
    + DEBUG.format(version=3),
    # LLVM's reader of text does not upgrade these:
    "frame pointer": 'define void @f() "no-frame-pointer-elim"="true" {\n  ret void\n}\n',
    "null pointer": 'define void @f() "null-pointer-is-valid"="true" {\n  ret void\n}\n',
    "strict call": "declare void @g()\n\ndefine void @f() {\n  call void @g() strictfp\n  ret void\n}\n",
    "section": 'define void @f() "implicit-section-name"="x" {\n  ret void\n}\n',
    "ARC marker": '!clang.arc.retainAutoreleasedReturnValueMarker = !{!0}\n!0 = !{!"mov fp, fp#x"}\n',
}
DOORS = {**COPIES, "lower": lambda module: pycoro.lower(module, "verify").module, "run": lambda module: ran(module)}


def ran(module: pycoro.Module) -> pycoro.Module:
    module.run("verify")
    return module


def unnamed(module: pycoro.Module) -> str:
    return re.sub(r"^(; ModuleID|source_filename).*\n", "", str(module), flags=re.MULTILINE)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("construct", UPGRADED)
def test_a_copy_equals_the_module(construct: str, door: str) -> None:
    text = UPGRADED[construct]
    assert unnamed(DOORS[door](pycoro.Module(text))) == unnamed(pycoro.Module(text))
    assert unnamed(pycoro.lower(text, "verify").module) == unnamed(pycoro.Module(text))


def test_types_keep_their_names_in_an_upgraded_module() -> None:
    text = "%t = type { i32, ptr }\n\n" + UPGRADED["null pointer"] + "\n@g = global %t zeroinitializer\n"
    assert "%t = type { i32, ptr }\n" in str(pycoro.Module(text))


def test_an_invalid_module_with_an_old_construct_is_rejected() -> None:
    body = "  br label %b\n\nb:\n  %x = phi i32 [ 0, %b ]\n  ret void\n"
    with pytest.raises(pycoro.VerifyError, match="PHI node entries"):
        pycoro.Module(f'define void @f() "null-pointer-is-valid"="true" {{\n{body}}}\n')
