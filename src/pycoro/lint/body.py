"""Facts of one function for the rules: blocks, intrinsic calls, dominance, and coroutine intrinsics."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from pycoro.coroutine import Code
from pycoro.ir.constant import Constant
from pycoro.ir.function import Argument, Function
from pycoro.ir.instruction import Instruction

if TYPE_CHECKING:
    from collections.abc import Callable

    from pycoro.coroutine import Coroutine
    from pycoro.ir.block import Block
    from pycoro.ir.value import Value
    from pycoro.lint.program import Program

__all__ = [
    "BEGINS",
    "ENDS",
    "Body",
    "arguments",
    "attributes",
    "called_function",
    "constant_integer_or_none",
    "follow_first_operands",
    "preserves_address",
    "strip_casts_and_zero_offsets",
]

DYNAMIC_ID = "llvm.coro.id.retcon.once.dynamic"
BEGINS = ("llvm.coro.begin", "llvm.coro.begin.custom.abi")
ENDS = ("llvm.coro.end", "llvm.coro.end.async")
DEEPEST = 64
SUSPENDS = ("llvm.coro.suspend", "llvm.coro.suspend.retcon", "llvm.coro.suspend.async")


def constant_integer_or_none(value: Value) -> int | None:
    """Return the number of a constant integer operand, else ``None``."""
    number = value.value if isinstance(value, Constant) else None
    return number if isinstance(number, int) else None


def strip_casts_and_zero_offsets(value: Value) -> Value:
    """Return a pointer without casts and zero offsets."""
    return follow_first_operands(value, preserves_address)


def preserves_address(step: Instruction) -> bool:
    """Return whether the instruction computes the same address as its operand."""
    if step.opcode == "getelementptr":
        return all(constant_integer_or_none(index) == 0 for index in step.operands[1:])
    return step.opcode in ("bitcast", "freeze", "addrspacecast")


def follow_first_operands(value: Value, follows: Callable[[Instruction], bool]) -> Value:
    """Follow first operands while the predicate holds, at most `DEEPEST` steps, because unreachable code may have cycles."""
    for _ in range(DEEPEST):
        if not isinstance(value, Instruction) or not follows(value):
            break
        value = value.operands[0]
    return value


def arguments(call: Instruction) -> tuple[Value, ...]:
    """Return the arguments of a call."""
    return call.arguments or ()


def attributes(of: Instruction | Function | Argument) -> dict[str, object]:
    """Return attributes by name."""
    return dict(of.attributes or {})


def called_function(call: Instruction) -> Function | None:
    """Return the directly called function."""
    callee = call.callee
    return callee if isinstance(callee, Function) else None


class Body:
    """Function, analyzed once. Blocks have numbers in order; a position is a pair of block and index in it."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.function = function
        self.blocks = function.blocks
        self.number: dict[Block, int] = {block: number for number, block in enumerate(self.blocks)}
        self.code = [block.instructions for block in self.blocks]
        self.position: dict[Instruction, tuple[int, int]] = {}
        self.calls: dict[str, list[Instruction]] = defaultdict(list)
        self.plain_calls: list[Instruction] = []
        for number, code in enumerate(self.code):
            for at, instruction in enumerate(code):
                self.position[instruction] = number, at
                name = instruction.intrinsic
                if name:
                    self.calls[name].append(instruction)
                elif instruction.opcode in ("call", "invoke"):
                    self.plain_calls.append(instruction)
        self._flow = function._flow_analysis()
        self.added_end: Instruction | None = None
        """``llvm.coro.end`` added by a fix."""

    @cached_property
    def printed_blocks(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Name and printed instructions of each block."""
        entry = self.blocks[0].name or str(sum(not argument.name for argument in self.function.arguments))
        return Code(lambda: self.program.function_texts.get(self.function, ""), f"%{entry}").blocks_in_order()

    def text_of(self, instruction: Instruction) -> str:
        """Return the printed instruction without metadata."""
        block, at = self.position[instruction]
        _, code = self.printed_blocks[block]
        return code[at] if len(code) == len(self.code[block]) else str(instruction).strip()

    # ---- Control flow ----

    @cached_property
    def successors(self) -> list[list[int]]:
        """Successors of each block."""
        return [[self.number[block] for block in dict.fromkeys(code[-1].successors)] if code else [] for code in self.code]

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """Predecessors of each block."""
        found: list[list[int]] = [[] for _ in self.blocks]
        for block, successors in enumerate(self.successors):
            for to in successors:
                found[to].append(block)
        return found

    def is_reachable(self, block: int) -> bool:
        """Return whether a block is reachable from the entry."""
        return self._flow.idom[block] >= 0

    def block_dominates(self, a: int, b: int) -> bool:
        """Return whether a block dominates another one, both reachable; a block dominates itself."""
        flow = self._flow
        return flow.idom[a] >= 0 and flow.idom[b] >= 0 and flow.first[a] <= flow.first[b] and flow.last[b] <= flow.last[a]

    def dominates(self, a: Instruction, b: Instruction) -> bool:
        """Return whether an instruction strictly dominates another one."""
        (block, at), (to, there) = self.position[a], self.position[b]
        return at < there if block == to else self.block_dominates(block, to)

    def preorder(self, instruction: Instruction) -> tuple[int, int]:
        """Return a sort key that puts dominators first."""
        block, at = self.position[instruction]
        return self._flow.first[block], at

    def edge_dominates(self, block: int, to: int, other: int) -> bool:
        """Return whether every path to ``other`` takes the edge from ``block`` to ``to``, possibly followed by back edges to
        ``to``."""
        entered = (
            before == block or self.block_dominates(to, before) for before in self.predecessors[to] if self.is_reachable(before)
        )
        return block in self.predecessors[to] and all(entered) and self.block_dominates(to, other)

    # ---- Coroutine intrinsics ----

    def calls_of(self, names: tuple[str, ...]) -> list[Instruction]:
        """Return the calls of these intrinsics."""
        return [call for name in names for call in self.calls.get(name, ())]

    @cached_property
    def id(self) -> Instruction | None:
        """Its own ``llvm.coro.id``, not one of an inlined ramp."""
        for call in self.calls_of(tuple(name for name in self.calls if name.startswith("llvm.coro.id"))):
            if call.intrinsic != "llvm.coro.id" or getattr(arguments(call)[3], "kind", None) == "null":
                return call
        return None

    @cached_property
    def is_coroutine(self) -> bool:
        """True if it is an unsplit coroutine."""
        return self.program.is_presplit(self.function) and self.id is not None

    @cached_property
    def is_switch(self) -> bool:
        """True if it is an unsplit coroutine of the switch ABI."""
        return self.is_coroutine and self.id is not None and self.id.intrinsic == "llvm.coro.id"

    @cached_property
    def begin(self) -> Instruction | None:
        """``llvm.coro.begin`` of its id."""
        return next((call for call in self.calls_of(BEGINS) if arguments(call)[0] is self.id), None)

    @cached_property
    def suspends(self) -> list[Instruction]:
        """Suspends of any ABI."""
        return self.calls_of(SUSPENDS)

    @cached_property
    def suspend_blocks(self) -> set[int]:
        """Blocks with a suspend."""
        return {self.position[suspend][0] for suspend in self.suspends}

    @cached_property
    def first_end(self) -> dict[int, int]:
        """Index of the first ``llvm.coro.end`` in each block that has one."""
        found: dict[int, int] = {}
        for call in self.calls_of(ENDS):
            block, at = self.position[call]
            found[block] = min(at, found.get(block, at))
        return found

    @cached_property
    def coroutine_layout(self) -> Coroutine | None:
        """Layout by the engine; ``None`` if the engine rejects the coroutine."""
        return self.program.layout(self.function.name)

    def is_in_frame(self, alloca: Instruction) -> bool:
        """Return whether the engine puts a stack slot into the frame."""
        if self.coroutine_layout is None:
            return False
        promise = getattr(self.coroutine_layout.shape, "promise", None)
        if alloca.name:
            return promise == alloca.name or alloca.name in self._names_or_texts_of_frame_allocas
        return self.text_of(alloca).split(",")[0] in self._names_or_texts_of_frame_allocas

    @cached_property
    def _names_or_texts_of_frame_allocas(self) -> set[str]:
        """Stack slots in the frame, by name, or by printed alloca if unnamed."""
        found: set[str] = set()
        for field in self.coroutine_layout._data["fields"] if self.coroutine_layout else ():
            name, _, definition = field["value"].partition(" = ")
            if definition.startswith("alloca"):
                found.add(name[1:].strip('"'))
                found.add(field["value"].split(",")[0])
        return found
