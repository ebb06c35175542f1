"""IR that LLVM 23 prints outside the coroutine intrinsics: attributes and floating-point literals."""

from __future__ import annotations

import math
import random
import re
import struct

import pytest

import pycoro
from pycoro.upgrade import upgrade

LITERALS = [  # type, literal of LLVM 23, literal that LLVM 22 prints
    ("float", "3.140000e+00", "0x40091EB860000000"),
    ("float", "-2.000000e-01", "0xBFC99999A0000000"),
    ("float", "f0x3DAAAAAB", "0x3FB5555560000000"),
    ("float", "f0x00000001", "0x36A0000000000000"),
    ("float", "+inf", "0x7FF0000000000000"),
    ("float", "-qnan", "0xFFF8000000000000"),
    ("float", "+nan(0x1)", "0x7FF8000020000000"),
    ("float", "+snan(0x1)", "0x7FF0000020000000"),
    ("float", "0x1.8p3", "1.200000e+01"),
    ("double", "-inf", "0xFFF0000000000000"),
    ("double", "f0x4008000000000000", "3.000000e+00"),
    ("double", "+snan(0x2)", "0x7FF0000000000002"),
    ("half", "1.000000e-01", "0xH2E66"),
    ("half", "f0x3C00", "0xH3C00"),
    ("bfloat", "1.000000e-01", "0xR3DCD"),
    ("bfloat", "-inf", "0xRFF80"),
    ("x86_fp80", "1.000000e+00", "0xK3FFF8000000000000000"),
    ("x86_fp80", "-1.000000e-01", "0xKBFFBCCCCCCCCCCCCCCCD"),
    ("x86_fp80", "+qnan", "0xK7FFFC000000000000000"),
    ("x86_fp80", "f0x4000C000000000000000", "0xK4000C000000000000000"),
    ("x86_fp80", "0.000000e+00", "0xK00000000000000000000"),
    ("fp128", "1.000000e-01", "0xL999999999999999A3FFB999999999999"),
    ("fp128", "-inf", "0xL0000000000000000FFFF000000000000"),
    ("fp128", "f0x40000000000000000000000000000000", "0xL00000000000000004000000000000000"),
]
READ_BY_LLVM_22 = [
    "float 1.500000e+00",
    "double 3.140000e+00",
    "half 1.000000e+00",
    "float 0x40091EB860000000",
    "x86_fp80 0xK3FFF8000000000000000",
]


@pytest.mark.parametrize(("kind", "literal", "expected"), LITERALS)
def test_llvm_22_reads_the_literal(kind: str, literal: str, expected: str) -> None:
    text = f"@g = global {kind} {literal}\n"
    with pytest.raises(pycoro.ParseError) as caught:
        pycoro.Module(text)
    assert "newer LLVM" in (caught.value.diagnostics[0].hint or "") or literal.startswith("0x")
    module = pycoro.Module(text, upgrade=True)
    assert f"global {kind} {expected}\n" in str(module)
    assert [remark.name for remark in module.upgrades] == ["float-literals"]


@pytest.mark.parametrize("constant", READ_BY_LLVM_22)
def test_literals_of_llvm_22_are_not_changed(constant: str) -> None:
    text = f'@g = global {constant}\n@s = constant [9 x i8] c"float 0.1"\n; float 0.1\n'
    assert upgrade(text) == (text, ())


@pytest.mark.parametrize(
    "literal",
    [
        *("float 1.0e999999999", "double 0x1.8p99999999", "x86_fp80 1.0e-99999999", f"float 0.{'1' * 5000}", "float f0x100000000"),
        *("float +nan(0xFFFFFFFF)", "half +snan(0x200)", "float -snan(0x0)", "ppc_fp128 +inf", f"fp128 f0x{'F' * 5000}"),
    ],
)
def test_literals_that_no_type_holds_are_left_to_llvm(literal: str) -> None:
    text = f"@g = global {literal}\n"
    assert upgrade(text) == (text, ())


def test_a_literal_has_the_type_before_other_operands() -> None:
    text = """
        define float @f(float %x, double %y, i1 %c) {
        entry:
          %a = fmul float %x, f0x3DAAAAAB
          %b = fadd double %y, 1.000000e-01
          %d = fcmp ogt float %a, f0x3F733333
          br i1 %d, label %then, label %end
        then:
          br label %end
        end:
          %p = phi float [ 2.000000e-01, %then ], [ +inf, %entry ]
          %s = select i1 %c, float %p, float 2.500000e-01
          %v = fadd <2 x float> splat (float f0x3F3504F3), <float 1.000000e+00, float 1.000000e-01>
          ret float %s
        }
    """
    made = upgrade(text).text
    changed = [line.strip() for line, old in zip(made.split("\n"), text.split("\n"), strict=True) if line != old]
    assert changed == [
        "%a = fmul float %x, 0x3FB5555560000000",
        "%d = fcmp ogt float %a, 0x3FEE666660000000",
        "%p = phi float [ 0x3FC99999A0000000, %then ], [ 0x7FF0000000000000, %entry ]",
        "%v = fadd <2 x float> splat (float 0x3FE6A09E60000000), <float 1.000000e+00, float 0x3FB99999A0000000>",
    ]
    pycoro.Module(text, upgrade=True)


def test_random_floats_have_the_same_bits() -> None:
    chosen = random.Random(41)
    patterns = [chosen.getrandbits(32) for _ in range(500)]
    text = "".join(f"@g{at} = global float f0x{bits:08X}\n" for at, bits in enumerate(patterns))
    printed = dict(re.findall(r"^@g(\d+) = global float (\S+)", str(pycoro.Module(text, upgrade=True)), re.MULTILINE))
    for at, bits in enumerate(patterns):
        literal = printed[str(at)]
        value = struct.unpack(">d", bytes.fromhex(literal[2:]))[0] if literal.startswith("0x") else float(literal)
        expected = struct.unpack(">f", struct.pack(">I", bits))[0]
        assert value == expected or (math.isnan(value) and math.isnan(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "declare void @d(ptr noundef align 8 dead_on_return(56) dereferenceable(56))",
            "declare void @d(ptr noundef align 8 dereferenceable(56))",
        ),
        ("declare void @d(ptr dead_on_return(8), ptr dead_on_return)", "declare void @d(ptr, ptr dead_on_return)"),
        ("declare void @d() denormal_fpenv(dynamic)", 'declare void @d() "denormal-fp-math"="dynamic,dynamic"'),
        (
            "declare void @d() denormal_fpenv(float: preservesign)",
            'declare void @d() "denormal-fp-math-f32"="preserve-sign,preserve-sign"',
        ),
        (
            "declare void @d() denormal_fpenv(ieee|positivezero, float: preservesign)",
            'declare void @d() "denormal-fp-math"="ieee,positive-zero" "denormal-fp-math-f32"="preserve-sign,preserve-sign"',
        ),
        ("declare void @d() nooutline nounwind", 'declare void @d() "nooutline" nounwind'),
        ("declare void @d() noipa nounwind", "declare void @d() nounwind"),
    ],
)
def test_attributes_get_their_form_of_llvm_22(text: str, expected: str) -> None:
    made = upgrade(text)
    assert " ".join(made.text.split()) == expected
    assert {remark.name for remark in made.remarks} == {"newer-attribute"}
    pycoro.Module(made.text)
    with pytest.raises(pycoro.ParseError) as caught:
        pycoro.Module(text)
    assert "newer LLVM" in (caught.value.diagnostics[0].hint or "")


def test_a_number_of_another_type_is_not_of_a_newer_llvm() -> None:
    with pytest.raises(pycoro.ParseError, match="floating point constant") as caught:
        pycoro.Module("@g = global i32 1.5\n")
    assert "newer LLVM" not in (caught.value.diagnostics[0].hint or "")


def test_names_strings_and_comments_are_not_changed() -> None:
    text = 'define void @noipa(ptr %nooutline) "noipa" {\n  br label %noipa ; noipa\nnoipa:\n  ret void\n}\n!noipa = !{}\n'
    assert upgrade(text) == (text, ())
