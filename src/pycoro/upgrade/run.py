"""Run the upgrade steps and record their changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pycoro._encode import ir_bytes
from pycoro.errors import UsageError
from pycoro.ir.builder import Builder
from pycoro.report import Remark
from pycoro.upgrade.lines import put_each_statement_on_one_line
from pycoro.upgrade.steps import STEPS, UNUSED, Step
from pycoro.upgrade.strings import HiddenStrings

if TYPE_CHECKING:
    from pycoro.module import Module

__all__ = ["Upgraded", "erase_placeholders_of_unused_results", "upgrade", "upgraded"]


class Upgraded(NamedTuple):
    """Result of an upgrade.

    >>> made = pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }")
    >>> made.text, [remark.name for remark in made.remarks]
    ('define void @f(ptr %x) { ret void }', ['typed-pointers'])
    """

    text: str
    """IR for LLVM 22."""
    remarks: tuple[Remark, ...]
    """Changes in the order of the steps; ``name`` is the step. Empty if nothing changed."""


def upgrade(text: str) -> Upgraded:
    """Convert textual IR of LLVM 4 to 21, and of LLVM 23: typed pointers, old forms of ``llvm.coro.end``, renamed attributes,
    missing declarations, literals.

    An unused numbered result becomes a ``freeze``, to keep later numbers valid; `pycoro.Module` with ``upgrade=True`` removes
    it. Up-to-date IR is returned unchanged. The text is not parsed as IR, so other text passes through unchanged.

    >>> pycoro.upgrade.upgrade("define void @f(i32* %x) { ret void }").text
    'define void @f(ptr %x) { ret void }'
    """
    return run_steps(text, STEPS)


def run_steps(text: str, steps: Sequence[Step]) -> Upgraded:
    """Run the steps in order, each over the result of the previous ones."""
    remarks: list[Remark] = []

    hidden = HiddenStrings(text)

    def report(step: str, function: str, message: str) -> None:
        remarks.append(Remark("upgrade", step, hidden.restore(function), hidden.restore(message), True))

    current = put_each_statement_on_one_line(hidden.text) if "llvm.coro." in text else hidden.text
    for step in steps:
        current = step(current, report)
    return Upgraded(hidden.restore(current), tuple(remarks)) if remarks else Upgraded(text, ())


def upgraded(data: bytes) -> tuple[bytes, tuple[Remark, ...]]:
    """Upgrade bytes. Raises ``UsageError`` for bitcode, which LLVM's reader upgrades itself.

    >>> text, remarks = pycoro.upgrade.upgraded(b"define void @f(i32* %x) { ret void }")
    >>> text
    b'define void @f(ptr %x) { ret void }'
    """
    if data[:2] in (b"BC", b"\xde\xc0"):
        raise UsageError("cannot upgrade bitcode; convert it to text with the llvm-dis of the LLVM version that wrote it")
    result, remarks = upgrade(data.decode("utf-8", "surrogateescape"))
    return (ir_bytes(result), remarks) if remarks else (data, ())


def erase_placeholders_of_unused_results(module: Module) -> None:
    r"""Erase the placeholders of unused results.

    >>> old = "define void @f(i8* %h) {\n  %1 = call i1 @llvm.coro.end(i8* %h, i1 false)\n  ret void\n}"
    >>> module = pycoro.Module(pycoro.upgrade.upgrade(old).text)
    >>> [instruction.opcode for instruction in module.functions["f"].walk()]
    ['call', 'freeze', 'ret']
    >>> pycoro.upgrade.erase_placeholders_of_unused_results(module)
    >>> [instruction.opcode for instruction in module.functions["f"].walk()]
    ['call', 'ret']
    """
    if UNUSED not in str(module):
        return
    for instruction in [i for f in module.functions.values() for i in f.walk() if i.opcode == "freeze" and UNUSED in i.metadata]:
        Builder(instruction).erase(instruction)
