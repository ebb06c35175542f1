"""The steps one after the other, and what each has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pycoro._encode import ir_bytes
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.report import Remark
from pycoro.upgrade.lines import apart
from pycoro.upgrade.steps import STEPS, UNUSED

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Upgraded", "tidy", "upgrade", "upgraded"]


class Upgraded(NamedTuple):
    """IR in today's words.

    >>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
    >>> made.text, [remark.name for remark in made.remarks]
    ('define void @f(ptr %x) { ret void }', ['typed-pointers'])
    """

    text: str
    """As LLVM 22 reads it."""
    remarks: tuple[Remark, ...]
    """What was changed, in the order of the steps; ``name`` is the step. Empty where the text was today's already."""


def upgrade(text: str) -> Upgraded:
    """Textual IR of LLVM 4 to 21 in today's words: pointers that say what they point at, ``llvm.coro.end`` of each age,
    attributes that had other names, functions that are called and declared nowhere.

    Where a result that nothing used had a number, a ``freeze`` stands for it, which keeps the numbers behind it;
    `pycoro.Module` with ``upgrade=True`` takes it away. What is today's already is left as it is, byte for byte. The text is
    not read as IR, so that what is none comes out as it went in.

    >>> pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }").text
    'define void @f(ptr %x) { ret void }'
    """
    remarks: list[Remark] = []

    def tell(step: str, function: str, message: str) -> None:
        remarks.append(Remark("upgrade", step, function, message, True))

    made = apart(text) if "llvm.coro." in text else text
    for step in STEPS:
        made = step(made, tell)
    return Upgraded(made, tuple(remarks)) if remarks else Upgraded(text, ())


def upgraded(data: bytes, *, complete: bool = False) -> tuple[bytes, tuple[Remark, ...]]:
    """The same for bytes; by `pycoro.upgrade.complete`, if they are to be completed. ``UsageError`` for bitcode, which LLVM's
    reader upgrades as far as it does.

    >>> text, remarks = pycoro.upgrade.upgraded(b"define void @f(i32* %x) { ret void }")
    >>> text
    b'define void @f(ptr %x) { ret void }'
    """
    if data[:2] in (b"BC", b"\xde\xc0"):
        raise UsageError("bitcode cannot be upgraded: give the module as text, by the llvm-dis of the LLVM that has written it")
    text = data.decode("utf-8", "surrogateescape")
    if complete:
        from pycoro.upgrade import listing

        made, remarks = listing.complete(text)
    else:
        made, remarks = upgrade(text)
    return (ir_bytes(made), remarks) if remarks else (data, ())


def tidy(module: Module) -> None:
    r"""Takes away what stands for results that nothing uses.

    >>> old = "define void @f(i8* %h) {\n  %1 = call i1 @llvm.coro.end(i8* %h, i1 false)\n  ret void\n}"
    >>> module = pycoro.Module(pycoro.upgrade.upgrade(old).text)
    >>> [instruction.opcode for instruction in module.functions["f"].walk()]
    ['call', 'freeze', 'ret']
    >>> pycoro.upgrade.tidy(module)
    >>> [instruction.opcode for instruction in module.functions["f"].walk()]
    ['call', 'ret']
    """
    if UNUSED not in str(module):
        return
    for instruction in [i for f in module.functions.values() for i in f.walk() if i.opcode == "freeze" and UNUSED in i.metadata]:
        Builder(instruction).erase(instruction)
