"""Instructions, constants, calling conventions and data layouts that older readers lack."""

from __future__ import annotations

import re

from pycoro.downgrade.line import Line

__all__ = [
    "KEYWORDS",
    "address_spaces_with_narrow_index",
    "downgrade_data_layout",
    "record_unsupported_conventions_and_types",
    "record_unsupported_instructions",
    "replace_or_reject_ptrtoaddr_and_ptrauth",
]

_FIRST_OPERATION = {"usub_cond": 20, "usub_sat": 20, "fmaximum": 21, "fminimum": 21}
"""First LLVM version with each operation of ``atomicrmw``."""
_FIRST_CONVENTION = {
    "riscv_vls_cc": 21,
    "amdgpu_gfx_whole_wave": 22,
    "cheriot_compartmentcallcc": 22,
    "cheriot_compartmentcalleecc": 22,
    "cheriot_librarycallcc": 22,
}
_FIRST_TYPE = {
    "amdgcn.named.barrier": 20,
    "dx.Padding": 22,
    "riscv.vector.tuple": 20,
    "spirv.IntegralConstant": 21,
    "spirv.Literal": 21,
    "spirv.Padding": 22,
    "spirv.Type": 21,
}
"""First LLVM version that knows the size of each target extension type. LLVM 20 knows those of all others that start with
``dx.``."""

KEYWORDS = (*_FIRST_OPERATION, *_FIRST_CONVENTION, "ptrtoaddr", "ptrauth", "atomic", "callbr", "deactivation-symbol", "target")


def record_unsupported_instructions(line: Line) -> None:
    """Record a rejection for each operation that the reader lacks; `downgrade` raises for all of them at the end."""
    words = [word.text for word in line.words]
    for word in words:
        if _FIRST_OPERATION.get(word, 0) > line.target and "atomicrmw" in words:
            line.record_rejection(
                f"atomicrmw {word} is an operation since LLVM {_FIRST_OPERATION[word]}", "write it as a loop around cmpxchg"
            )
    at = line.find_token("atomic")
    if at > 0 and words[at - 1] in ("load", "store") and "<" in words[at + 1 : at + 3]:
        line.record_rejection(
            "atomic accesses have vector types since LLVM 22", "use an integer of the vector's size, and bitcast it"
        )
    if "callbr" in words and "asm" not in words:
        line.record_rejection("callbr calls intrinsics since LLVM 22", "call the intrinsic, and branch on a condition")
    if '"deactivation-symbol"' in words:
        line.record_rejection("the operand bundle deactivation-symbol exists since LLVM 22", "remove the bundle")


def record_unsupported_conventions_and_types(line: Line) -> None:
    """Reject calling conventions and target extension types that the reader lacks."""
    for at, word in enumerate(line.words):
        name = line.words[at + 2].text.strip('"') if word.text == "target" and line.next_token_is(at, "(") else ""
        first = _FIRST_TYPE.get(name, 20 if name.startswith("dx.") else 0)
        if first > line.target:
            line.record_rejection(f'the type target("{name}") exists since LLVM {first}', "use a vector or array type")
        first = _FIRST_CONVENTION.get(word.text, 0)
        if first > line.target:
            line.record_rejection(f"the calling convention {word.text} exists since LLVM {first}", "use another calling convention")


def replace_or_reject_ptrtoaddr_and_ptrauth(line: Line, narrow_index_spaces: frozenset[str]) -> None:
    """Replace ``ptrtoaddr``, which has the value of ``ptrtoint`` where addresses are as large as pointers; record a
    rejection of other ones, and of signed pointers with a deactivation symbol. ``narrow_index_spaces`` has the address
    spaces with smaller addresses.
    """
    for at, word in enumerate(line.words):
        if word.text == "ptrtoaddr":
            pointer = line.find_token("ptr", at)  # perhaps that of a vector
            space = line.words[pointer + 3].text if line.next_token_is(pointer, "addrspace") else "0"
            if space in narrow_index_spaces:
                line.record_rejection(
                    "ptrtoaddr takes an address that is smaller than its pointer", "use ptrtoint and mask the bits of the address"
                )
            else:
                word.text = "ptrtoint"
                line.report_conversion("ptrtoaddr", "ptrtoaddr becomes ptrtoint")
        elif word.text == "ptrauth" and line.next_token_is(at, "(") and len(line.ranges_between_commas(at + 1)) > 4:
            line.record_rejection(
                "a ptrauth constant has a deactivation symbol since LLVM 22", "sign the pointer without the symbol"
            )


_POINTER = re.compile(r"p(?P<flags>[a-z]*)(?P<space>\d*)(?P<name>\([^)]*\))?:(?P<size>\d+):\d+(?::\d+)?(?::(?P<index>\d+))?")


def address_spaces_with_narrow_index(layout: str) -> frozenset[str]:
    """Return the address spaces whose addresses are smaller than their pointers, from a data layout."""
    found = (_POINTER.fullmatch(part) for part in layout.split("-"))
    pointers = [pointer for pointer in found if pointer is not None]
    return frozenset(p["space"] or "0" for p in pointers if p["flags"] or (p["index"] or p["size"]) != p["size"])


def downgrade_data_layout(line: Line) -> None:
    """Drop names of address spaces, and record a rejection of pointer flags; both are part of data layouts since LLVM 22."""
    layout = line.words[-2]
    for part in layout.text.strip('"').split("-"):
        pointer = _POINTER.fullmatch(part)
        if pointer is not None and pointer["name"]:
            layout.text = layout.text.replace(pointer["name"], "")
            line.report_conversion("data-layout", f"the name of address space {pointer['space']} is dropped")
        if pointer is not None and pointer["flags"]:
            line.record_rejection(
                f"the data layout has pointer flags since LLVM 22: {part}", f"write {part.replace(pointer['flags'], '', 1)}"
            )
