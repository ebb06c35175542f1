"""Emit IR for expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pycoro.build import SwitchBuilder
from pycoro.build.exits import Exit
from pycoro.compiling.kinds import BOOL, NONE, Kind
from pycoro.compiling.numbers import Numbers
from pycoro.compiling.runtime_abi import (
    CALLS_PYTHON,
    CURRENT,
    NOTHING,
    SENT,
    STATUS,
    THROWN_AT,
    WANTS,
    Builder,
    Channel,
    Site,
    Sites,
)
from pycoro.compiling.tree import (
    ArrayElement,
    Builtin,
    Call,
    Compare,
    Compute,
    ConditionalExpression,
    Constant,
    Convert,
    Delegate,
    Expression,
    Function,
    Length,
    Local,
    Logic,
    Negate,
    OldElementValue,
    Place,
    PythonCall,
    Raise,
    TruthTest,
    TupleDisplay,
    TupleItem,
    Yield,
)  # fmt: skip
from pycoro.ir import Function as Code
from pycoro.ir import Value

__all__ = ["Program", "Values", "Variable"]


class Program(Protocol):
    """Module under construction."""

    sites: Sites

    def emitted_function(self, tree: Function) -> Code:
        """Return an emitted function."""
        ...

    def python_call_number_in_module(self, tree: Function, number: int) -> int:
        """Return the module-wide number of a function's request to Python."""
        ...


@dataclass
class Variable:
    """Address of a variable, and of its assigned flag if it may be unassigned."""

    kind: Kind
    place: Value
    bound: Value | None = None


class Values:
    """Emitter of a function's expressions at the builder's position."""

    def __init__(self, program: Program, tree: Function, c: Builder, channel: Value) -> None:
        self.program = program
        self.tree = tree
        self.c = c
        self.channel = Channel(c, channel)
        self.numbers = Numbers(c, self.emit_raise_if)
        self.variables: dict[str, Variable] = {}
        self.arrays: dict[str, tuple[Value, Value]] = {}
        self.handlers: list[Exit] = []
        """Targets of exceptions in enclosing finally blocks, innermost last."""
        self.here = Place(tree.line, 0, tree.line, 0)
        self.held: Value

    # ---- Raising ----

    def emit_raise(self, error: type[BaseException], *arguments: object) -> None:
        """Emit a raise."""
        site = Site(error, arguments, self.tree.file, self.tree.signature.name, self.here)
        self.channel.store_number_at_offset("i32", self.program.sites.number_of_site(site), STATUS)
        self.emit_function_exit()

    def emit_function_exit(self) -> None:
        """Emit an exit with the status in the channel."""
        c = self.c
        if self.handlers:
            c.leave(self.handlers[-1], why="it has raised")
        elif isinstance(c, SwitchBuilder) or self.tree.signature.returns is NONE:
            c.return_()
        else:
            c.return_(c.constant(self.tree.signature.returns.llvm_type, None))

    def emit_raise_if(self, condition: Value, error: type[BaseException], *arguments: object) -> None:
        with self.c.if_(condition):
            self.emit_raise(error, *arguments)

    def emit_exit_if_raised(self) -> None:
        """Emit an exit if an exception is pending."""
        with self.c.if_(self.c.icmp("ne", self.channel.load_at_offset("i32", STATUS, "status"), 0)):
            self.emit_function_exit()

    # ---- Values ----

    def emit_value(self, tree: Expression) -> Value:
        """Emit an expression of a type other than None."""
        made = self.emit_value_or_none(tree)
        assert made is not None
        return made

    def emit_value_or_none(self, tree: Expression) -> Value | None:
        emit: Callable[[Any], Value | None] = getattr(self, f"emit_{type(tree).__name__}")
        outer, self.here = self.here, tree.place
        made = emit(tree)
        self.here = outer
        return made

    def emit_Constant(self, tree: Constant) -> Value | None:
        return None if tree.value is None else self.c.constant(tree.kind.llvm_type, tree.value)

    def emit_Local(self, tree: Local) -> Value:
        found = self.variables[tree.name]
        if not tree.sure:
            assert found.bound is not None
            text = f"cannot access local variable '{tree.name}' where it is not associated with a value"
            self.emit_raise_if(self.c.not_(self.c.load("i1", found.bound)), UnboundLocalError, text)
        return self.c.load(found.kind.llvm_type, found.place, name=tree.name)

    def emit_Compute(self, tree: Compute) -> Value:
        if tree.sign == "**":
            assert isinstance(tree.right, Constant) and isinstance(tree.right.value, int)
            return self.numbers.emit_power(tree.kind, self.emit_value(tree.left), tree.right.value)
        left = self.emit_value(tree.left)
        right = self.emit_value(tree.right)
        if tree.kind is BOOL:
            return {"&": self.c.and_, "|": self.c.or_, "^": self.c.xor}[tree.sign](left, right)
        return self.numbers.emit_arithmetic(tree.sign, tree.left.kind, left, right)

    def emit_Negate(self, tree: Negate) -> Value:
        made = self.emit_value(tree.of)
        return self.numbers.emit_negation(tree.kind, made) if tree.sign == "-" else self.c.not_(made)

    def emit_Compare(self, tree: Compare) -> Value:
        """Evaluate each operand once, and stop at the first false comparison."""
        c, count = self.c, len(tree.signs)
        left = self.emit_value(tree.operands[0])
        join = c.new_block("compared") if count > 1 else None
        incoming: list[tuple[Value | bool, Any]] = []
        made: Value | None = None
        for index, sign in enumerate(tree.signs):
            right = self.emit_value(tree.operands[index + 1])
            kinds = tree.operands[index].kind, tree.operands[index + 1].kind
            made = self.numbers.emit_comparison(sign, kinds, left, right)
            if join is not None:
                incoming.append((made if index + 1 == count else False, c.block))
                if index + 1 < count:
                    on = c.new_block("on")
                    c.branch_if(made, on, join)
                    c.at_end(on)
                else:
                    c.branch(join)
                    c.at_end(join)
            left = right
        assert made is not None
        return made if join is None else c.phi("i1", incoming)

    def emit_Logic(self, tree: Logic) -> Value | None:
        c = self.c
        if tree.kind is NONE:
            for each in (tree.left, tree.right)[: 1 if tree.word == "and" else 2]:
                self.emit_value_or_none(each)
            return None
        first = self.emit_value(tree.left)
        true = self.numbers.emit_truth_value(tree.kind, first) if tree.kind.is_number else c.constant("i1", True)
        before, more, join = c.block, c.new_block("more"), c.new_block("join")
        c.branch_if(true, *((join, more) if tree.word == "or" else (more, join)))
        c.at_end(more)
        second = self.emit_value(tree.right)
        last = c.block
        c.branch(join)
        c.at_end(join)
        return c.phi(tree.kind.llvm_type, [(first, before), (second, last)])

    def emit_TruthTest(self, tree: TruthTest) -> Value:
        made = self.emit_value_or_none(tree.of)
        if tree.of.kind.is_number and made is not None:
            return self.numbers.emit_truth_value(tree.of.kind, made)
        return self.c.constant("i1", tree.of.kind is not NONE)

    def emit_ConditionalExpression(self, tree: ConditionalExpression) -> Value | None:
        c = self.c
        test = self.emit_value(tree.test)
        then, other, join = c.new_block("then"), c.new_block("otherwise"), c.new_block("join")
        c.branch_if(test, then, other)
        incoming: list[tuple[Value, Any]] = []
        for block, side in ((then, tree.then), (other, tree.other)):
            c.at_end(block)
            made = self.emit_value_or_none(side)
            if made is not None:
                incoming.append((made, c.block))
            c.branch(join)
        c.at_end(join)
        if tree.kind is NONE:
            return None
        return c.phi(tree.kind.llvm_type, incoming)

    def emit_TupleDisplay(self, tree: TupleDisplay) -> Value:
        made: Value = self.c.poison(tree.kind.llvm_type)
        for index, item in enumerate(tree.items):
            made = self.c.insert_value(made, self.emit_value(item), index)
        return made

    def emit_TupleItem(self, tree: TupleItem) -> Value:
        return self.c.extract_value(self.emit_value(tree.of), tree.index)

    def emit_Convert(self, tree: Convert) -> Value:
        return self.numbers.emit_conversion(tree.of.kind, tree.kind, self.emit_value(tree.of))

    def emit_Builtin(self, tree: Builtin) -> Value:
        values = [self.emit_value(each) for each in tree.arguments]
        return self.numbers.emit_builtin(tree.name, tree.arguments[0].kind, values)

    # ---- Arrays ----

    def emit_Length(self, tree: Length) -> Value:
        return self.arrays[tree.array][1]

    def emit_ArrayElement(self, tree: ArrayElement) -> Value:
        return self.emit_element_load(tree.kind, self.emit_element_address(tree))

    def emit_OldElementValue(self, tree: OldElementValue) -> Value:
        return self.held

    def emit_element_address(self, tree: ArrayElement) -> Value:
        """Return the address of an element. Raises IndexError at run time if out of range."""
        c, (_, length) = self.c, self.arrays[tree.array]
        index = self.emit_value(tree.index)
        index = c.select(c.icmp("slt", index, 0), c.add(index, length), index)
        self.emit_raise_if(c.icmp("uge", index, length), IndexError, "list index out of range")
        return self.address_in_array(tree.array, index)

    def address_in_array(self, array: str, index: Value) -> Value:
        kind = next(kind for name, kind in self.tree.signature.parameters if name == array)
        return self.c.gep(kind.llvm_type, self.arrays[array][0], [index])

    def emit_element_load(self, kind: Kind, place: Value) -> Value:
        """Load an element without an alignment, because the caller owns the array."""
        if kind is BOOL:
            return self.c.icmp("ne", self.c.load("i8", place), 0)
        return self.c.load(kind.llvm_type, place, align=1)

    # ---- Calls ----

    def emit_arguments(self, tree: Call) -> list[Value]:
        made: list[Value] = []
        for argument in tree.arguments:
            made += self.arrays[argument] if isinstance(argument, str) else [self.emit_value(argument)]
        return made

    def emit_Call(self, tree: Call) -> Value | None:
        arguments = self.emit_arguments(tree)
        made = self.c.call(self.program.emitted_function(tree.of or self.tree), [self.channel.address, *arguments])
        self.emit_exit_if_raised()
        return None if tree.kind is NONE else made

    def emit_coroutine_start(self, tree: Call, channel: Value) -> Value:
        """Return the handle of a started coroutine."""
        arguments = self.emit_arguments(tree)
        child = self.c.call(self.program.emitted_function(tree.of or self.tree), [channel, *arguments], name="child")
        with self.c.if_(self.c.icmp("eq", child, self.c.constant("ptr", None))):
            self.emit_raise(MemoryError)
        return child

    # ---- Suspends ----

    def emit_suspend(self, request: int) -> None:
        c = self.c
        assert isinstance(c, SwitchBuilder)
        self.channel.store_number_at_offset("i32", request, WANTS)
        self.channel.store_at_offset(c.handle, CURRENT)
        c.suspend()
        with c.if_(c.icmp("ne", self.channel.load_at_offset("i32", STATUS, "status"), 0)):
            site = Site(BaseException, (), self.tree.file, self.tree.signature.name, self.here)
            self.channel.store_number_at_offset("i32", self.program.sites.number_of_site(site), THROWN_AT)
            self.emit_function_exit()

    def emit_Yield(self, tree: Yield) -> Value | None:
        self.channel.write_value_to_slots(tree.value.kind, self.emit_value_or_none(tree.value))
        self.emit_suspend(SENT if tree.taken else NOTHING)
        return self.channel.read_value_from_slots(tree.kind) if tree.taken else None

    def emit_Delegate(self, tree: Delegate) -> Value | None:
        child = self.emit_coroutine_start(tree.call, self.channel.address)
        self.c.await_(child)
        self.emit_exit_if_raised()
        return self.channel.read_value_from_slots(tree.kind)

    def emit_PythonCall(self, tree: PythonCall) -> Value | None:
        made = [(each.kind, self.emit_value_or_none(each)) for each in tree.arguments]
        slot = 0
        for kind, value in made:
            slot = self.channel.write_value_to_slots(kind, value, slot)
        self.emit_suspend(CALLS_PYTHON + self.program.python_call_number_in_module(self.tree, tree.number))
        return self.channel.read_value_from_slots(tree.kind)

    def emit_Raise(self, tree: Raise) -> None:
        self.here = tree.place
        self.emit_raise(tree.error, *tree.arguments)
