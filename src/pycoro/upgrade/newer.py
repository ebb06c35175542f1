"""Convert attributes and floating-point literals that LLVM prints since version 23 to the syntax of LLVM 22."""

from __future__ import annotations

import re
from fractions import Fraction

from pycoro._dialect import KEYWORD_END, KEYWORD_START
from pycoro.upgrade.calls import Reporter

__all__ = ["convert_attributes_of_newer_llvm", "convert_float_literals_of_newer_llvm"]

# ---- Attributes ----

_ATTRIBUTE = re.compile(
    rf"(?P<sized>[ \t]+dead_on_return\(\d+\))"
    rf"|{KEYWORD_START}(?:denormal_fpenv\((?P<modes>[^)\n]*)\)|(?P<outlined>nooutline){KEYWORD_END}|(?P<opaque>noipa){KEYWORD_END})"
)
_HINTS = ("dead_on_return(", "denormal_fpenv(", "nooutline", "noipa")
_MODES = {"ieee": "ieee", "preservesign": "preserve-sign", "positivezero": "positive-zero", "dynamic": "dynamic"}


def convert_attributes_of_newer_llvm(text: str, report: Reporter) -> str:
    """Drop ``dead_on_return`` if it has a size, and ``noipa``; give other attributes their names of LLVM 22."""
    if not any(hint in text for hint in _HINTS):
        return text
    counts: dict[str, int] = {}

    def convert_attribute(found: re.Match[str]) -> str:
        if found["modes"] is not None:
            made = _denormal_mode_attributes(found["modes"])
        else:
            made = '"nooutline"' if found["outlined"] else ""
        old = re.sub(r"\(.*", "", found[0].strip())
        counts[old] = counts.get(old, 0) + 1
        return made

    text = _ATTRIBUTE.sub(convert_attribute, text)
    for name, count in counts.items():
        becomes = {"denormal_fpenv": "becomes denormal-fp-math", "nooutline": 'becomes "nooutline"'}.get(name, "is dropped")
        report("newer-attribute", "", f"{name} {becomes}, {count} time{'s' if count > 1 else ''}: LLVM 22 does not have it")
    return text


def _denormal_mode_attributes(modes: str) -> str:
    """Return the string attributes for the modes of all types, and of ``float``. One mode is that of outputs and inputs."""
    general, _, single = modes.partition("float:")
    made: list[str] = []
    for name, part in (("denormal-fp-math", general), ("denormal-fp-math-f32", single)):
        words = [_MODES.get(word, word) for word in re.findall(r"\w+", part)]
        if words:
            made.append(f'"{name}"="{words[0]},{words[-1]}"')
    return " ".join(made)


# ---- Floating-point literals ----

_FORMATS = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52), "x86_fp80": (15, 63), "fp128": (15, 112)}
"""Bits of exponent and fraction. ``x86_fp80`` has its integer bit between them."""
_START, _END = r"(?<![-+\w$.@%!#])", r"(?![-\w$.:])"
_CANDIDATE = re.compile(r"f0x|[-+](?:inf|qnan|s?nan\()|\d\.\d|0x[0-9A-Fa-f.]+p")
_LITERAL = re.compile(
    rf"{_START}(?P<type>{'|'.join(_FORMATS)}|ppc_fp128){_END}|{_START}(?:f0x(?P<bits>[0-9A-Fa-f]+)"
    r"|(?P<sign>[-+]?)(?:(?P<infinite>inf)|(?P<nan>qnan|s?nan\(0x(?P<payload>[0-9A-Fa-f]+)\))"
    r"|0x(?P<whole>[0-9A-Fa-f]+)\.?(?P<part>[0-9A-Fa-f]*)p(?P<power>[-+]?\d+)"
    rf"|(?P<decimal>\d+\.\d*(?:[eE](?P<exponent>[-+]?\d+))?))){_END}"
)
_LONGEST = 4000
"""Length of literals that are converted: Python limits the digits of a number."""
_LARGEST_EXPONENT = 20_000
"""More than the exponent of any ``fp128``; LLVM reports a number with a larger one."""


def convert_float_literals_of_newer_llvm(text: str, report: Reporter) -> str:
    """Write literals as LLVM 22 reads them: in hexadecimal, unless it reads the decimal number exactly."""
    if not _CANDIDATE.search(text):
        return text
    lines, count = text.split("\n"), 0
    for at, line in enumerate(lines):
        if _CANDIDATE.search(line):
            lines[at] = _convert_literals_of_line(line)
            count += lines[at] != line
    if count:
        report(
            "float-literals", "", f"{count} line{'s' if count > 1 else ''} with floating-point literals that LLVM 22 does not read"
        )
    return "\n".join(lines) if count else text


def _convert_literals_of_line(line: str) -> str:
    """Convert the literals; each has the type that precedes it, perhaps with other operands between them."""
    kind = ""

    def convert_token(found: re.Match[str]) -> str:
        nonlocal kind
        if found["type"]:
            kind = found["type"]
        bits = None if found["type"] or kind not in _FORMATS else _bits_of_literal_to_convert(found, kind)
        return found[0] if bits is None else _hexadecimal_literal(bits, kind)

    return _LITERAL.sub(convert_token, line)


def _bits_of_literal_to_convert(found: re.Match[str], kind: str) -> int | None:
    """Return the bits of a literal's value; ``None`` if LLVM 22 reads it, or reports it as invalid."""
    exponent, fraction = _FORMATS[kind]
    if len(found[0]) > _LONGEST or abs(int(found["exponent"] or found["power"] or "0")) > _LARGEST_EXPONENT:
        return None
    if found["bits"]:
        bits = int(found["bits"], 16)
        return bits if bits.bit_length() <= 1 + exponent + fraction + (kind == "x86_fp80") else None
    special = ((1 << exponent) - 1) << fraction
    if found["infinite"]:
        bits = special
    elif found["nan"]:
        payload = int(found["payload"] or "0", 16)
        if payload.bit_length() >= fraction or (found["nan"].startswith("s") and not payload):
            return None  # a signaling NaN without a payload would be an infinity
        bits = special | payload | (0 if found["nan"].startswith("s") else 1 << (fraction - 1))
    else:
        value = _value_of_number(found)
        if found["decimal"] and (
            kind == "double" or (kind in ("half", "bfloat", "float") and _llvm_22_reads_decimal_exactly(value, kind))
        ):
            return None
        bits = _round_to_nearest_even(value, exponent, fraction)
    if kind == "x86_fp80":
        integer = 1 << fraction if bits >> fraction else 0
        bits = (bits >> fraction) << (fraction + 1) | integer | (bits & ((1 << fraction) - 1))
    return bits | (found["sign"] == "-") << (exponent + fraction + (kind == "x86_fp80"))


def _value_of_number(found: re.Match[str]) -> Fraction:
    """Return the value of a decimal or hexadecimal number without its sign."""
    if found["decimal"]:
        return Fraction(found["decimal"])
    digits = found["whole"] + found["part"]
    return Fraction(int(digits, 16)) * Fraction(2) ** (int(found["power"]) - 4 * len(found["part"]))


def _llvm_22_reads_decimal_exactly(value: Fraction, kind: str) -> bool:
    """Return whether LLVM 22 reads a decimal number of this type: it rounds it to ``double``, and that must fit the type."""
    try:
        double = Fraction(float(value))
    except OverflowError:
        return False
    exponent, fraction = _FORMATS[kind]
    bits = _round_to_nearest_even(double, exponent, fraction)
    biased, part = bits >> fraction, bits & ((1 << fraction) - 1)
    bias = (1 << (exponent - 1)) - 1
    significand = part | (1 << fraction if biased else 0)
    return biased < (1 << exponent) - 1 and double == significand * Fraction(2) ** (max(biased, 1) - bias - fraction)


def _round_to_nearest_even(value: Fraction, exponent: int, fraction: int) -> int:
    """Return the bits of the nearest number of a binary format; ties go to even."""
    if not value:
        return 0
    bias = (1 << (exponent - 1)) - 1
    power = value.numerator.bit_length() - value.denominator.bit_length()
    power = max(power - (value < Fraction(2) ** power), 1 - bias)
    significand = round(value / Fraction(2) ** (power - fraction))
    bits = significand + ((power + bias - 1) << fraction)  # the integer bit, and a carry, increment the exponent
    return min(bits, ((1 << exponent) - 1) << fraction)


def _hexadecimal_literal(bits: int, kind: str) -> str:
    """Return the literal of LLVM 22. That of ``float`` has the format of ``double``, and that of ``fp128`` its lower half first."""
    if kind == "float":
        exponent, part = bits >> 23 & 0xFF, bits & 0x7FFFFF
        sign, wide = bits >> 31 << 63, 0x7FF << 52 | part << 29
        if exponent != 0xFF:
            significand = part | (1 << 23 if exponent else 0)
            wide = _round_to_nearest_even(significand * Fraction(2) ** (max(exponent, 1) - 127 - 23), *_FORMATS["double"])
        return f"0x{sign | wide:016X}"
    if kind == "fp128":
        return f"0xL{bits & (1 << 64) - 1:016X}{bits >> 64:016X}"
    return {"half": "0xH{:04X}", "bfloat": "0xR{:04X}", "double": "0x{:016X}", "x86_fp80": "0xK{:020X}"}[kind].format(bits)
