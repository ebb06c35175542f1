"""Emit IR for statements: scopes, loops, and finally blocks on every exit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pycoro.build import HandleValue, LoopBuilder, SwitchBuilder
from pycoro.compiling.kinds import BOOL, Kind
from pycoro.compiling.runtime_abi import (
    CONTEXTS,
    CURRENT,
    DEPTH,
    LEFT,
    LIMIT,
    STANDING,
    STATUS,
    THROWN,
    Channel,
    channel_size_in_bytes,
)
from pycoro.compiling.tree import (
    ArrayElement,
    Assert,
    Assign,
    Constant,
    Evaluate,
    ForArray,
    ForGenerator,
    ForRange,
    If,
    LoopExit,
    Return,
    Statement,
    Target,
    Try,
    Unpack,
    While,
)  # fmt: skip
from pycoro.compiling.values import Values, Variable
from pycoro.ir import Value

__all__ = ["Emitter"]


class Emitter(Values):
    """Emitter of a function body."""

    def emit_body(self) -> None:
        """Emit the body at the builder's position."""
        c, tree = self.c, self.tree
        self.loops: list[LoopBuilder] = []
        for name, kind in tree.locals.items():
            if kind.sort == "array":
                self.arrays[name] = c[name], c[f"{name}.length"]
                continue
            given = c[name] if any(name == parameter for parameter, _ in tree.signature.parameters) else None
            unsure = c.variable("i1", False, name=f"{name}.bound") if name in tree.unsure else None
            self.variables[name] = Variable(kind, c.variable(kind.llvm_type, given, name=name), unsure)
        if tree.recursive:
            self._emit_recursion_check_and_depth_decrement()
        self.emit_statements(tree.body)

    def _emit_recursion_check_and_depth_decrement(self) -> None:
        """Emit the check of recursion: raise RecursionError if the remaining depth or the stack is used up; otherwise decrement the
        remaining depth until the function ends.
        """
        c = self.c
        depth = self.channel.load_at_offset("i64", DEPTH, "depth")
        frame = c.intrinsic("llvm.frameaddress.p0", [c.constant("i32", 0)])
        low = c.icmp("ult", frame, self.channel.load_at_offset("ptr", LIMIT, "limit"))
        self.emit_raise_if(c.or_(c.icmp("slt", depth, 1), low), RecursionError, "maximum recursion depth exceeded")
        self.channel.store_at_offset(c.sub(depth, 1), DEPTH)
        c.defer(lambda: self.channel.store_at_offset(c.add(self.channel.load_at_offset("i64", DEPTH), 1), DEPTH), name="depth")
        if isinstance(c, SwitchBuilder):
            self._emit_record_of_stack_depth(frame)

    def _emit_record_of_stack_depth(self, frame_address: Value) -> None:
        """Emit code that records how deep in the stack the generator was started, for its lifetime: it is resumed at that depth,
        perhaps on a thread with a smaller stack. Its callees end earlier.
        """
        c = self.c

        def depth_counter_address() -> Value:
            return c.gep("i8", self.channel.load_at_offset("ptr", STANDING, "standing"), [8], inbounds=True)

        base = c.load("i64", self.channel.load_at_offset("ptr", STANDING, "standing"), name="base")
        before, here = (
            c.load("i64", depth_counter_address(), name="before"),
            c.sub(base, c.ptrtoint(frame_address, "i64"), name="here"),
        )
        c.store(c.select(c.icmp("ugt", here, before), here, before), depth_counter_address())
        c.defer(lambda: c.store(before, depth_counter_address()), name="standing")

    def emit_statements(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            if not self.c.open:
                break
            do: Callable[[Any], None] = getattr(self, f"emit_{type(statement).__name__}")
            do(statement)

    # ---- Statements ----

    def emit_Evaluate(self, tree: Evaluate) -> None:
        self.emit_value_or_none(tree.value)

    def emit_Assign(self, tree: Assign) -> None:
        if not tree.augmented:
            self.emit_assignment(tree.target, self.emit_value(tree.value))
            return
        assert isinstance(tree.target, ArrayElement)
        place = self.emit_address_of_assigned_element(tree.target)
        self.held = self.emit_element_load(tree.target.kind, place)
        self.emit_store(tree.target.kind, self.emit_value(tree.value), place)

    def emit_assignment(self, target: Target, value: Value) -> None:
        if isinstance(target, Unpack):
            for index, item in enumerate(target.targets):
                self.emit_assignment(item, self.c.extract_value(value, index))
        elif isinstance(target, ArrayElement):
            self.emit_store(target.kind, value, self.emit_address_of_assigned_element(target))
        else:
            found = self.variables[target.name]
            self.c.store(value, found.place)
            if found.bound is not None:
                self.c.store(self.c.constant("i1", True), found.bound)

    def emit_address_of_assigned_element(self, target: ArrayElement) -> Value:
        """Return the address of an element that is assigned."""
        outer, self.here = self.here, target.place
        made = self.emit_element_address(target)
        self.here = outer
        return made

    def emit_store(self, kind: Kind, value: Value, place: Value) -> None:
        self.c.store(self.c.zext(value, "i8") if kind is BOOL else value, place, align=1)

    def emit_If(self, tree: If) -> None:
        with self.c.if_(self.emit_value(tree.test)) as choice:
            self.emit_statements(tree.then)
        if tree.other:
            with choice.otherwise():
                self.emit_statements(tree.other)

    def emit_Return(self, tree: Return) -> None:
        made = None if tree.value is None else self.emit_value_or_none(tree.value)
        if isinstance(self.c, SwitchBuilder):
            self.channel.write_value_to_slots(self.tree.signature.returns, made)
            self.c.return_()
        else:
            self.c.return_(*([] if made is None else [made]))

    def emit_Assert(self, tree: Assert) -> None:
        with self.c.if_(self.c.not_(self.emit_value(tree.test))):
            self.emit_Raise(tree.failed)

    def emit_Try(self, tree: Try) -> None:
        c = self.c
        with c.scope():
            c.defer(lambda: self._emit_finally(tree.finally_), name="finally")
            self.emit_statements(tree.body)
        if c.open:
            self.emit_exit_if_raised()  # an exception of a finally is raised after it

    def _emit_finally(self, body: Sequence[Statement]) -> None:
        """Raise a pending exception after the finally, unless the finally raises: then the pending one becomes its context."""
        c = self.c
        before, older = (
            self.channel.load_at_offset("i32", STATUS, "before"),
            self.channel.load_at_offset("ptr", CONTEXTS, "older"),
        )
        self.channel.clear_status_and_contexts()
        raised, ended = c.new_exit("raised", c.top), c.new_exit("ended", c.top)
        self.handlers.append(raised)
        loops, self.loops = self.loops, []
        with c.scope():
            self.emit_statements(body)
        self.loops = loops
        self.handlers.pop()
        if c.open:
            self.channel.store_at_offset(before, STATUS)
            self.channel.store_at_offset(older, CONTEXTS)
            c.leave(ended, why="the finally has ended")
        if raised.edges:
            c.move_to_exit(raised)
            self.channel.chain_exception_contexts(before, older)
            c.leave(ended, why="the finally has raised")
        c.move_to_exit(ended)

    # ---- Loops ----

    def _emit_loop_body(self, loop: LoopBuilder, body: Sequence[Statement]) -> None:
        self.loops.append(loop)
        self.emit_statements(body)
        self.loops.pop()

    def emit_LoopExit(self, tree: LoopExit) -> None:
        loop = self.loops[-1]
        (loop.break_ if tree.word == "break" else loop.continue_)()

    def _emit_exit_if_raised_in_try(self, contains_try: bool) -> None:
        if contains_try and self.c.open:
            self.emit_exit_if_raised()

    def emit_While(self, tree: While) -> None:
        with self.c.loop() as loop:
            self._emit_exit_if_raised_in_try(tree.tries)
            if not (isinstance(tree.test, Constant) and tree.test.value):
                loop.while_(self.emit_value(tree.test))
            self._emit_loop_body(loop, tree.body)
        self._emit_exit_if_raised_in_try(tree.tries)

    def _emit_counted_loop(self, count: Value, tries: bool, body: Sequence[Statement], item: Callable[[Value], None]) -> None:
        """Emit a loop with that many iterations; ``item`` receives the iteration number."""
        c = self.c
        number = c.variable("i64", 0, name="round")
        with c.loop() as loop:
            self._emit_exit_if_raised_in_try(tries)
            at = c.load("i64", number)
            loop.while_(c.icmp("ult", at, count))
            c.store(c.add(at, 1, nuw=True), number)
            item(at)
            self._emit_loop_body(loop, body)
        self._emit_exit_if_raised_in_try(tries)

    def emit_ForArray(self, tree: ForArray) -> None:
        def item(at: Value) -> None:
            self.emit_assignment(tree.target, self.emit_element_load(tree.element, self.address_in_array(tree.array, at)))

        self._emit_counted_loop(self.arrays[tree.array][1], tree.tries, tree.body, item)

    def emit_ForRange(self, tree: ForRange) -> None:
        c = self.c
        start, stop, step = self.emit_value(tree.start), self.emit_value(tree.stop), self.emit_value(tree.step)
        count = self._emit_range_length(start, stop, step)
        if not (isinstance(tree.step, Constant) and tree.step.value and tree.step.value > 0):
            outer, self.here = self.here, tree.place
            self.emit_raise_if(c.icmp("eq", step, 0), ValueError, "range() arg 3 must not be zero")
            self.here = outer
            count = c.select(c.icmp("sgt", step, 0), count, self._emit_range_length(stop, start, c.sub(0, step)))
        self._emit_counted_loop(
            count, tree.tries, tree.body, lambda at: self.emit_assignment(tree.target, c.add(start, c.mul(at, step)))
        )

    def _emit_range_length(self, low: Value, high: Value, step: Value) -> Value:
        """Return the number of values in a range; meaningless unless the step is positive."""
        c = self.c
        some = c.icmp("slt", low, high)
        by = c.select(c.icmp("eq", step, 0), c.constant("i64", 1), step)
        count = c.add(c.udiv(c.sub(c.sub(high, low), 1), by), 1)
        return c.select(some, count, c.constant("i64", 0))

    def emit_ForGenerator(self, tree: ForGenerator) -> None:
        c, its = self.c, tree.call.signature
        slots = max(its.yields.slot_count, its.returns.slot_count)
        channel = Channel(c, c.variable(f"[{channel_size_in_bytes(slots)} x i8]", align=8, name="channel"))
        channel.clear_status_and_contexts()
        channel.store_at_offset(self.channel.load_at_offset("i64", DEPTH), DEPTH)
        channel.store_at_offset(self.channel.load_at_offset("ptr", LIMIT), LIMIT)
        channel.store_at_offset(self.channel.load_at_offset("ptr", STANDING), STANDING)
        child = self.emit_coroutine_start(tree.call, channel.address)
        channel.store_at_offset(child, CURRENT)
        delegates = (tree.call.of or self.tree).delegates
        with c.scope():
            c.defer(lambda: self._emit_destroy_of_child(channel, child, delegates), name="destroy")
            with c.loop() as loop:
                self._emit_exit_if_raised_in_try(tree.tries)
                channel.store_at_offset(self.channel.load_at_offset("ptr", LIMIT), LIMIT)  # another thread may resume it
                HandleValue(c, channel.load_at_offset("ptr", CURRENT) if delegates else child).resume()
                with c.if_(HandleValue(c, child).done()):
                    with c.if_(c.icmp("ne", channel.load_at_offset("i32", STATUS), 0)):
                        self.channel.store_at_offset(c.or_(channel.load_at_offset("i32", STATUS), c.constant("i32", LEFT)), STATUS)
                        self.channel.move_exception_contexts_from(channel)
                        self.emit_function_exit()
                    loop.break_()
                item = channel.read_value_from_slots(its.yields)
                assert item is not None
                self.emit_assignment(tree.target, item)
                self._emit_loop_body(loop, tree.body)
        self._emit_exit_if_raised_in_try(tree.tries)

    def _emit_destroy_of_child(self, channel: Channel, child: Value, delegates: bool) -> None:
        """Destroy a generator. A chain of yield from is closed from the innermost generator on, because recursion from the
        outermost could overflow the stack.
        """
        c = self.c
        if delegates:
            with c.if_(c.not_(HandleValue(c, child).done())):
                channel.store_number_at_offset("i32", THROWN, STATUS)
                channel.store_at_offset(self.channel.load_at_offset("ptr", LIMIT), LIMIT)
                HandleValue(c, channel.load_at_offset("ptr", CURRENT)).resume()
        HandleValue(c, child).destroy()
        channel.free_exception_contexts()
