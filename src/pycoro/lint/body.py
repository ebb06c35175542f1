"""What the rules ask of a function: its code by blocks, its calls of intrinsics, what dominates what, and its coroutine's parts."""

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

__all__ = ["BEGINS", "ENDS", "Body", "arguments", "attributes", "called", "constant_of", "keeps_address", "stripped", "walked"]

IDS = ("llvm.coro.id", "llvm.coro.id.retcon", "llvm.coro.id.retcon.once", "llvm.coro.id.async")
BEGINS = ("llvm.coro.begin", "llvm.coro.begin.custom.abi")
ENDS = ("llvm.coro.end", "llvm.coro.end.async")
DEEPEST = 64
SUSPENDS = ("llvm.coro.suspend", "llvm.coro.suspend.retcon", "llvm.coro.suspend.async")


def constant_of(value: Value) -> int | None:
    """The number that an operand is; ``None`` where it is not one."""
    number = value.value if isinstance(value, Constant) else None
    return number if isinstance(number, int) else None


def stripped(value: Value) -> Value:
    """What a pointer is without steps that keep its address."""
    return walked(value, keeps_address)


def keeps_address(step: Instruction) -> bool:
    """Whether a step from an address to another gives the same."""
    if step.opcode == "getelementptr":
        return all(constant_of(index) == 0 for index in step.operands[1:])
    return step.opcode in ("bitcast", "freeze", "addrspacecast")


def walked(value: Value, goes_on: Callable[[Instruction], bool]) -> Value:
    """What an address is made of, by steps that are gone back over: not without end, as where no control comes an address may
    be made of itself."""
    for _ in range(DEEPEST):
        if not isinstance(value, Instruction) or not goes_on(value):
            break
        value = value.operands[0]
    return value


def arguments(call: Instruction) -> tuple[Value, ...]:
    """Of a call."""
    return call.arguments or ()


def attributes(of: Instruction | Function | Argument) -> dict[str, object]:
    """By their names."""
    return dict(of.attributes or {})


def called(call: Instruction) -> Function | None:
    """The function that a call names."""
    callee = call.callee
    return callee if isinstance(callee, Function) else None


class Body:
    """One function, read once. Blocks are numbered in their order, and an instruction is at a place: block, and place in it."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.function = function
        self.blocks = function.blocks
        self.number: dict[Block, int] = {block: number for number, block in enumerate(self.blocks)}
        self.code = [block.instructions for block in self.blocks]
        self.place: dict[Instruction, tuple[int, int]] = {}
        self.calls: dict[str, list[Instruction]] = defaultdict(list)
        self.plain_calls: list[Instruction] = []
        for number, code in enumerate(self.code):
            for at, instruction in enumerate(code):
                self.place[instruction] = number, at
                name = instruction.intrinsic
                if name:
                    self.calls[name].append(instruction)
                elif instruction.opcode in ("call", "invoke"):
                    self.plain_calls.append(instruction)
        self._flow = function._control()
        self.made_end: Instruction | None = None
        """An ``llvm.coro.end`` that was made to mend it."""

    @cached_property
    def printed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The name of each block, and its instructions as LLVM prints them."""
        entry = self.blocks[0].name or str(sum(not argument.name for argument in self.function.arguments))
        return Code(lambda: self.program.texts.get(self.function, ""), f"%{entry}").in_order()

    def text_of(self, instruction: Instruction) -> str:
        """As LLVM prints it, without its metadata."""
        block, at = self.place[instruction]
        _, code = self.printed[block]
        return code[at] if len(code) == len(self.code[block]) else str(instruction).strip()

    # ---- Control ----

    @cached_property
    def successors(self) -> list[list[int]]:
        """Of each block."""
        return [[self.number[block] for block in dict.fromkeys(code[-1].successors)] if code else [] for code in self.code]

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """Of each block."""
        found: list[list[int]] = [[] for _ in self.blocks]
        for block, behind in enumerate(self.successors):
            for to in behind:
                found[to].append(block)
        return found

    def is_reached(self, block: int) -> bool:
        """Whether a block is reached from the entry."""
        return self._flow.idom[block] >= 0

    def block_dominates(self, a: int, b: int) -> bool:
        """Whether every way to a block goes through another one, both of which are reached; a block dominates itself."""
        flow = self._flow
        return flow.idom[a] >= 0 and flow.idom[b] >= 0 and flow.first[a] <= flow.first[b] and flow.last[b] <= flow.last[a]

    def dominates(self, a: Instruction, b: Instruction) -> bool:
        """Whether every way to an instruction goes through another one."""
        (block, at), (to, there) = self.place[a], self.place[b]
        return at < there if block == to else self.block_dominates(block, to)

    def preorder(self, instruction: Instruction) -> tuple[int, int]:
        """A key: what dominates an instruction comes before it."""
        block, at = self.place[instruction]
        return self._flow.first[block], at

    def edge_dominates(self, block: int, to: int, other: int) -> bool:
        """Whether every way to ``other`` takes the edge between two blocks; ways that come back to ``to`` have taken it before."""
        entered = (
            before == block or self.block_dominates(to, before) for before in self.predecessors[to] if self.is_reached(before)
        )
        return block in self.predecessors[to] and all(entered) and self.block_dominates(to, other)

    # ---- The coroutine ----

    def all(self, names: tuple[str, ...]) -> list[Instruction]:
        """The calls of these intrinsics."""
        return [call for name in names for call in self.calls.get(name, ())]

    @cached_property
    def id(self) -> Instruction | None:
        """The ``llvm.coro.id`` of its own: not one that was inlined after its coroutine had been split."""
        for call in self.all(IDS):
            if call.intrinsic != "llvm.coro.id" or getattr(arguments(call)[3], "kind", None) == "null":
                return call
        return None

    @cached_property
    def coroutine(self) -> bool:
        """Whether it is still to be split."""
        return self.function.presplit and self.id is not None

    @cached_property
    def switched(self) -> bool:
        """Whether it is one of the switch ABI."""
        return self.coroutine and self.id is not None and self.id.intrinsic == "llvm.coro.id"

    @cached_property
    def begin(self) -> Instruction | None:
        """The ``llvm.coro.begin`` on its id."""
        return next((call for call in self.all(BEGINS) if arguments(call)[0] is self.id), None)

    @cached_property
    def suspends(self) -> list[Instruction]:
        """Of whatever ABI."""
        return self.all(SUSPENDS)

    @cached_property
    def suspends_in(self) -> set[int]:
        """The blocks that suspend."""
        return {self.place[suspend][0] for suspend in self.suspends}

    @cached_property
    def end_in(self) -> dict[int, int]:
        """The place of the first ``llvm.coro.end`` in each block that has one."""
        found: dict[int, int] = {}
        for call in self.all(ENDS):
            block, at = self.place[call]
            found[block] = min(at, found.get(block, at))
        return found

    @cached_property
    def layout(self) -> Coroutine | None:
        """How the engine would lay it out; ``None`` where it refuses it."""
        return self.program.layout(self.function.name)

    def is_in_frame(self, alloca: Instruction) -> bool:
        """Whether a variable lives in the frame, as the engine lays it out."""
        if self.layout is None:
            return False
        promise = getattr(self.layout.shape, "promise", None)
        if alloca.name:
            return promise == alloca.name or alloca.name in self._kept
        return self.text_of(alloca).split(",")[0] in self._kept

    @cached_property
    def _kept(self) -> set[str]:
        """The variables in the frame: by name, or by what is printed of them where they have none."""
        found: set[str] = set()
        for field in self.layout._data["fields"] if self.layout else ():
            made, _, what = field["value"].partition(" = ")
            if what.startswith("alloca"):
                found.add(made[1:].strip('"'))
                found.add(field["value"].split(",")[0])
        return found
