"""Object view of a module's IR: functions, blocks, instructions, other values, and types.

An LLVM value has at most one object at a time, so ``is`` compares values. The object keeps its module alive. It becomes stale
when the value is erased or a run changes the module: any use except ``is_stale`` and ``repr`` raises ``StaleViewError``. Use
objects in the thread that uses the module.

>>> for instruction in pycoro.Module(pycoro.examples.COUNTER).functions["sum"].walk():
...     if instruction.intrinsic:
...         print(instruction.block.name, instruction.intrinsic)
entry llvm.coro.promise
loop llvm.coro.done
on llvm.coro.resume
out llvm.coro.destroy
"""

from pycoro import _core
from pycoro.ir.block import Block
from pycoro.ir.builder import Builder
from pycoro.ir.constant import Constant, Global, GlobalAlias, GlobalIFunc, GlobalVariable
from pycoro.ir.control_flow import Dominators, Loop
from pycoro.ir.function import Argument, Function
from pycoro.ir.instruction import Instruction
from pycoro.ir.source_location import SourceLocation
from pycoro.ir.types import Type, Types
from pycoro.ir.value import InlineAsm, MetadataValue, Value

__all__ = [
    "Argument",
    "Block",
    "Builder",
    "Constant",
    "Dominators",
    "Function",
    "Global",
    "GlobalAlias",
    "GlobalIFunc",
    "GlobalVariable",
    "InlineAsm",
    "Instruction",
    "Loop",
    "MetadataValue",
    "SourceLocation",
    "Type",
    "Types",
    "Value",
]

_core.ir_classes(
    {
        kind.__name__: kind
        for kind in (
            Argument,
            Block,
            Constant,
            Function,
            GlobalAlias,
            GlobalIFunc,
            GlobalVariable,
            InlineAsm,
            Instruction,
            MetadataValue,
        )
    }
)
