"""The IR tests' coroutines, lowered with debug information on every instruction and value by LLVM's debugify."""

from __future__ import annotations

import pathlib

import pytest

import pycoro

IR = pathlib.Path(__file__).parent.parent / "ir"
FILES = sorted(path for folder in ("switch", "retcon", "async", "elide") for path in (IR / folder).glob("*.ll"))
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"


def lowers(text: str) -> bool:
    try:
        pycoro.Module(text).run(LOWER)
    except pycoro.Error:
        return False
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_ir_tests_lower_with_debug_information(path: pathlib.Path) -> None:
    text = path.read_text()
    if not lowers(text):
        pytest.skip("what the file holds is refused, or is several files")
    module = pycoro.Module(text)
    module.run(f"debugify,{LOWER}", verify_each=True)
    again = pycoro.Module(str(module))  # the output is parsed again, with its records
    again.close()
    module.run("default<O2>")


def test_a_record_of_the_token_none_is_harmless() -> None:
    """LLVM frees the record's data twice when a context is disposed."""
    text = """
define void @f() !dbg !5 {
    #dbg_value(token none, !9, !DIExpression(), !8)
  ret void, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "x", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "a", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: null, file: !1, line: 1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 1, column: 1, scope: !5)
!9 = !DILocalVariable(name: "1", scope: !5, file: !1, line: 1)
"""
    module = pycoro.Module(text)
    assert "token poison" in str(module)
    module.close()
