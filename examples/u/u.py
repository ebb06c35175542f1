"""A compiler for a language like Ü with generators, async functions and destructors, using lark and pycoro.build.

python u.py listings.u --run FooSequence 4      compiles in this process and calls a function
python u.py listings.u -O -S                    prints optimized IR
python u.py listings.u -g -o listings.o         writes an object file, with lines for a debugger
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from lark import Lark, Token, UnexpectedInput

import pycoro
from pycoro.build import FunctionBuilder, HandleValue, Source, SwitchBuilder, coroutine, function
from pycoro.ir import Block, Builder, Function, Value

HERE = Path(__file__).parent
PARSER: Any = Lark((HERE / "u.lark").read_text(), parser="lalr", propagate_positions=True)
Node: TypeAlias = Any  # a Tree of lark; the grammar defines its children
Act = Callable[[], None]


class Wrong(Exception):
    """An error in a program, with its line."""

    def __init__(self, where: Node | Token, message: str) -> None:
        line = where.line if isinstance(where, Token) else where.meta.line
        super().__init__(f"line {line}: {message}")


@dataclass(frozen=True)
class Kind:
    """A type: a number, a struct, or a coroutine with values of type ``gives``."""

    name: str
    llvm: str
    sort: str = "signed"
    gives: Kind | None = None
    fields: tuple[tuple[str, Kind], ...] = ()


NUMBERS = {
    kind.name: kind
    for kind in (
        Kind("i32", "i32"), Kind("u32", "i32", "unsigned"), Kind("i64", "i64"), Kind("u64", "i64", "unsigned"),
        Kind("f32", "float", "float"), Kind("f64", "double", "float"), Kind("bool", "i1", "bool"), Kind("void", "void", "void"),
    )
}  # fmt: skip
BOOL, VOID = NUMBERS["bool"], NUMBERS["void"]
ARITHMETIC = {
    "signed": {"+": "add", "-": "sub", "*": "mul", "/": "sdiv", "%": "srem"},
    "unsigned": {"+": "add", "-": "sub", "*": "mul", "/": "udiv", "%": "urem"},
    "float": {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv", "%": "frem"},
}
ORDER: dict[str, dict[str, Any]] = {
    "signed": {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"},
    "unsigned": {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"},
    "float": {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"},
    "bool": {"==": "eq", "!=": "ne"},
}


@dataclass
class Signature:
    """The signature of a function."""

    kind: str
    parameters: list[tuple[Kind, bool, Token]]
    result: Kind
    made: Function


@dataclass
class Variable:
    kind: Kind
    mutable: bool
    place: Value


@dataclass
class Program:
    """The state of a compilation: the module, and its types and functions by name."""

    module: pycoro.Module
    source: Path | None = None
    kinds: dict[str, Kind] = field(default_factory=lambda: dict(NUMBERS))
    destructors: dict[str, Function] = field(default_factory=dict[str, Function])
    functions: dict[str, Signature] = field(default_factory=dict[str, Signature])

    def kind(self, name: Token | None) -> Kind:
        if name is None:
            return VOID
        if name not in self.kinds:
            raise Wrong(name, f"unknown type {name}")
        return self.kinds[name]

    def at(self, node: Node) -> Source | None:
        return Source(self.source.name, node.meta.line, str(self.source.parent.resolve())) if self.source else None

    def struct(self, tree: Node) -> None:
        name, *parts = tree.children
        members = tuple((str(part.children[1]), self.kind(part.children[0])) for part in parts if part.data == "field")
        self.kinds[str(name)] = Kind(str(name), f"{{ {', '.join(kind.llvm for _, kind in members)} }}", "struct", fields=members)
        if any(part.data == "destructor" for part in parts):
            self.destructors[str(name)] = Builder(self.module).declare(f"{name}.destructor", "void (ptr)")

    def destructor(self, tree: Node) -> None:
        kind = self.kinds[str(tree.children[0])]
        for part in (part for part in tree.children[1:] if part.data == "destructor"):
            with function(self.module, f"{kind.name}.destructor", {"this": "ptr"}, source=self.at(part)) as f:
                body = Body(self, f, "", VOID)
                for index, (member, of) in enumerate(kind.fields):
                    body.names[-1][member] = Variable(of, False, f.gep(kind.llvm, f["this"], [0, index]))
                body.block(part.children[0])

    def declare(self, tree: Node) -> None:
        word, name, parameters, result, *_ = tree.children
        taken = [(self.kind(kind), bool(mutable), name) for kind, mutable, name in (each.children for each in parameters.children)]
        if str(name) in self.functions:
            raise Wrong(name, f"function {name} is already defined")
        gives, shown = self.kind(result), ", ".join(kind.llvm for kind, _, _ in taken)
        build = Builder(self.module)
        made = build.declare(str(name), f"{'ptr' if word else gives.llvm} ({shown})")
        build.add_attribute(made, "nounwind")
        self.functions[str(name)] = Signature(str(word or ""), taken, gives, made)

    def define(self, tree: Node) -> None:
        name, blocks = str(tree.children[1]), tree.children[4:]
        if not blocks:
            return
        it = self.functions[name]
        parameters = {str(parameter): kind.llvm for kind, _, parameter in it.parameters}
        if it.kind:
            promise = None if it.result is VOID else it.result.llvm
            opened: Any = coroutine(self.module, name, parameters, promise=promise, lazy=True, source=self.at(tree))
        else:
            opened = function(self.module, name, parameters, it.result.llvm, source=self.at(tree))
        with opened as c:
            body = Body(self, c, it.kind, it.result)
            for kind, mutable, parameter in it.parameters:
                body.add(parameter, kind, mutable, c[str(parameter)])
            body.block(blocks[0])
            if c.open and it.kind != "generator" and it.result is not VOID:
                raise Wrong(tree, f"{name} may end without a result")


class Body:
    """Compiles statements into a function that is being built."""

    def __init__(self, program: Program, c: FunctionBuilder | SwitchBuilder, kind: str, result: Kind) -> None:
        self.program, self.c, self.kind, self.result = program, c, kind, result
        self.names: list[dict[str, Variable]] = [{}]
        self.loops: list[tuple[Act, Act]] = []

    @property
    def promise(self) -> Value:
        assert isinstance(self.c, SwitchBuilder) and self.c.promise is not None
        return self.c.promise

    # ---- Names ----

    def add(self, name: Token, kind: Kind, mutable: bool, value: Value | None) -> Variable:
        """Create a variable and defer its cleanup."""
        made = Variable(kind, mutable, self.c.variable(kind.llvm, value, name=str(name)))
        self.names[-1][str(name)] = made
        return made

    def own(self, made: Variable) -> None:
        """Defer the cleanup of a variable to the end of its scope."""
        c, place = self.c, made.place
        if made.kind.gives is not None:
            c.defer(lambda: HandleValue(c, c.load("ptr", place)).destroy(), name="destroy")
        elif made.kind.name in self.program.destructors:
            c.defer(lambda: c.call(self.program.destructors[made.kind.name], [place]), name="destructor")

    def place(self, tree: Node, *, written: bool = False) -> tuple[Kind, Value]:
        name, *rest = tree.children
        found = next((names[name] for names in reversed(self.names) if name in names), None)
        if found is None:
            raise Wrong(name, f"unknown variable {name}")
        if written and not found.mutable:
            raise Wrong(name, f"{name} is immutable: declare it mut")
        if rest[0] is None:
            return found.kind, found.place
        members = [member for member, _ in found.kind.fields]
        if rest[0] not in members:
            raise Wrong(rest[0], f"{found.kind.name} has no field {rest[0]}")
        index = members.index(rest[0])
        return found.kind.fields[index][1], self.c.gep(found.kind.llvm, found.place, [0, index])

    # ---- Statements ----

    def block(self, tree: Node) -> None:
        with self.c.scope():
            self.statements(tree)

    def statements(self, tree: Node) -> None:
        """Compile the statements of a block in the current scope."""
        self.names.append({})
        for statement in tree.children:
            if not self.c.open:
                break  # unreachable
            self.statement(statement)
        self.names.pop()

    def statement(self, tree: Node) -> None:
        self.c.at(tree.meta.line, tree.meta.column)
        try:
            getattr(self, f"do_{tree.data}")(tree, *tree.children)
        except pycoro.UsageError as error:  # the builder rejects it
            raise Wrong(tree, error.message) from None

    def do_block(self, tree: Node, *statements: Node) -> None:
        self.block(tree)

    def do_auto(self, tree: Node, mutable: Token | None, name: Token, value: Node) -> None:
        kind, made = self.value(value)
        self.own(self.add(name, self.fresh(kind, value), bool(mutable), made))

    def fresh(self, kind: Kind, tree: Node) -> Kind:
        """Reject copies of values with a cleanup."""
        if kind.name not in NUMBERS and tree.data != "call":
            raise Wrong(tree, f"{kind.name} cannot be copied")
        if kind is VOID:
            raise Wrong(tree, "a void expression has no value")
        return kind

    def do_var(self, tree: Node, kind: Token, mutable: Token | None, name: Token, value: Node) -> None:
        self.own(self.add(name, self.program.kind(kind), bool(mutable), self.of(self.program.kind(kind), value)))

    def do_make(self, tree: Node, kind: Token, mutable: Token | None, name: Token, *members: Node) -> None:
        of = self.program.kind(kind)
        given = {str(member.children[0]): member.children[1] for member in members}
        if set(given) != {part for part, _ in of.fields}:
            raise Wrong(name, f"initialize each field of {of.name} exactly once: {', '.join(part for part, _ in of.fields)}")
        made = self.add(name, of, bool(mutable), None)
        for index, (part, its) in enumerate(of.fields):
            self.c.store(self.of(its, given[part]), self.c.gep(of.llvm, made.place, [0, index]))
        self.own(made)

    def do_if_(self, tree: Node, condition: Node, then: Node, other: Node | None) -> None:
        with self.c.if_(self.of(BOOL, condition)) as choice:
            self.statements(then)
        if other is not None:
            with choice.otherwise():
                self.statement(other)

    def do_while_(self, tree: Node, condition: Node, body: Node) -> None:
        with self.c.loop() as loop:
            loop.while_(self.of(BOOL, condition))
            self.inside(body, loop.break_, loop.continue_)

    def do_for_(self, tree: Node, first: Node, condition: Node, change: Node, body: Node) -> None:
        self.names.append({})
        with self.c.scope():
            self.statement(first)
            with self.c.loop() as loop:
                loop.while_(self.of(BOOL, condition))
                with self.c.loop() as once:  # the body exits it
                    self.inside(body, loop.break_, once.break_)
                    if self.c.open:
                        once.break_()
                if self.c.open:
                    self.statement(change)
        self.names.pop()

    def inside(self, body: Node, break_: Act, continue_: Act) -> None:
        self.loops.append((break_, continue_))
        self.statements(body)
        self.loops.pop()

    def do_leave(self, tree: Node, word: Token) -> None:
        if not self.loops:
            raise Wrong(tree, f"{word} is outside of a loop")
        self.loops[-1][word == "continue"]()

    def do_advance(self, tree: Node, name: Token, expression: Node, then: Node, other: Node | None) -> None:
        """Resume a coroutine if it is not done. Then a generator has a value if it suspended, a task if it ended."""
        c = self.c
        kind, value = self.value(expression)
        if kind.gives is None:
            raise Wrong(expression, f"{kind.name} is not a coroutine and cannot be advanced")
        running = handle(c, kind, value)
        if expression.data != "read":
            raise Wrong(expression, "only a coroutine in a variable can be advanced")
        advance, take, otherwise = map(c.new_block, ("advance", "take", "otherwise"))
        ends: list[Block] = []
        c.branch_if(running.done(), otherwise, advance)
        c.at_end(advance)
        running.resume()
        c.branch_if(running.done(), *((otherwise, take) if kind.sort == "generator" else (take, otherwise)))
        for block, body in ((take, then), (otherwise, other)):
            c.at_end(block)
            with c.scope():
                self.names.append({})
                if block is take and kind.gives is not VOID:
                    self.add(name, kind.gives, False, running.value())
                if body is not None:
                    self.statements(body)
                self.names.pop()
            if c.open:
                ends.append(c.block)
        c.end("neither way goes on")
        if ends:
            join = c.new_block("join")
            for end in ends:
                c.at_end(end).branch(join)
            c.at_end(join)

    def do_yield_(self, tree: Node, value: Node | None) -> None:
        if self.kind not in ("generator", "async") or (value is None) != (self.kind == "async"):
            raise Wrong(tree, "only generators yield values, and only async functions yield without a value")
        if value is None:
            self.c.suspend()
        else:
            self.c.yield_(self.of(self.result, value))

    def do_return_(self, tree: Node, value: Node | None) -> None:
        if value is None and self.result is not VOID and self.kind != "generator":
            raise Wrong(tree, f"return needs a value of type {self.result.name}")
        made = [] if value is None else [self.of(self.result, value)]
        if self.kind == "generator" and made:
            self.c.yield_(*made)
        if self.kind == "async" and made:
            self.c.store(made[0], self.promise)
        self.c.return_(*([] if self.kind else made))

    def do_halt(self, tree: Node) -> None:
        self.c.call(self.c.declare("abort", "void ()"))
        self.c.unreachable()

    def do_evaluate(self, tree: Node, value: Node) -> None:
        kind, made = self.value(value)
        if kind.gives is not None:
            handle(self.c, kind, made).destroy()

    def do_assign(self, tree: Node, place: Node, value: Node) -> None:
        kind, to = self.place(place, written=True)
        if kind.name not in NUMBERS:
            raise Wrong(tree, f"{kind.name} cannot be copied")
        self.c.store(self.of(kind, value), to)

    def do_operate(self, tree: Node, place: Node, operator: Token, value: Node) -> None:
        kind, to = self.place(place, written=True)
        right = self.of(kind, value)  # evaluate before loading the left side, because it may suspend
        self.c.store(self.arithmetic(operator, operator[0], kind, self.c.load(kind.llvm, to), right), to)

    def do_step(self, tree: Node, step: Token, place: Node) -> None:
        kind, to = self.place(place, written=True)
        one = self.c.constant(kind.llvm, 1)
        self.c.store(self.arithmetic(step, step[0], kind, self.c.load(kind.llvm, to), one), to)

    # ---- Expressions ----

    def value(self, tree: Node) -> tuple[Kind, Value]:
        made: tuple[Kind, Value] = getattr(self, f"get_{tree.data}")(tree, *tree.children)
        return made

    def of(self, kind: Kind, tree: Node) -> Value:
        """Compile an expression and require its type."""
        found, made = self.value(tree)
        if found != kind:
            raise Wrong(tree, f"expected {kind.name}, got {found.name}")
        return made

    def arithmetic(self, where: Token, operator: str, kind: Kind, left: Value, right: Value) -> Value:
        if kind.sort not in ARITHMETIC:
            raise Wrong(where, f"{kind.name} is not an arithmetic type")
        return self.c.binary(ARITHMETIC[kind.sort][operator], left, right)

    def get_number(self, tree: Node, token: Token) -> tuple[Kind, Value]:
        text = token.rstrip("uf")
        if "." in text and token.endswith("u"):
            raise Wrong(token, f"{token} is not a valid number")
        name = {"u": "u32", "f": "f32"}.get(token[-1], "f64" if "." in text else "i32")
        kind = NUMBERS[name]
        return kind, self.c.constant(kind.llvm, float(text) if kind.sort == "float" else int(text))

    def get_boolean(self, tree: Node, token: Token) -> tuple[Kind, Value]:
        return BOOL, self.c.constant("i1", token == "true")

    def get_read(self, tree: Node, place: Node) -> tuple[Kind, Value]:
        kind, at = self.place(place)
        return kind, self.c.load(kind.llvm, at)

    def get_binary(self, tree: Node, left: Node, operator: Token, right: Node) -> tuple[Kind, Value]:
        kind, value = self.value(left)
        return kind, self.arithmetic(operator, operator, kind, value, self.of(kind, right))

    def get_compare(self, tree: Node, left: Node, operator: Token, right: Node) -> tuple[Kind, Value]:
        kind, value = self.value(left)
        order = ORDER.get(kind.sort, {}).get(operator)
        if order is None:
            raise Wrong(operator, f"{kind.name} does not support {operator}")
        compare = self.c.fcmp if kind.sort == "float" else self.c.icmp
        return BOOL, compare(order, value, self.of(kind, right))

    def get_negate(self, tree: Node, of: Node) -> tuple[Kind, Value]:
        kind, value = self.value(of)
        if kind.sort not in ARITHMETIC:
            raise Wrong(tree, f"{kind.name} is not an arithmetic type")
        return kind, self.c.fneg(value) if kind.sort == "float" else self.c.neg(value)

    def get_not_(self, tree: Node, of: Node) -> tuple[Kind, Value]:
        return BOOL, self.c.not_(self.of(BOOL, of))

    def get_logic(self, tree: Node, left: Node, word: Token, right: Node) -> tuple[Kind, Value]:
        """Compile a short-circuit operator."""
        c, first, decides = self.c, self.of(BOOL, left), word == "||"
        before, more, join = c.block, c.new_block("more"), c.new_block("join")
        c.branch_if(first, *((join, more) if decides else (more, join)))
        c.at_end(more)
        second = self.of(BOOL, right)
        last = c.block
        c.branch(join)
        c.at_end(join)
        return BOOL, c.phi("i1", [(decides, before), (second, last)])

    def get_call(self, tree: Node, name: Token, *arguments: Node) -> tuple[Kind, Value]:
        if name in NUMBERS and len(arguments) == 1:
            return self.convert(NUMBERS[name], *self.value(arguments[0]))
        it = self.program.functions.get(str(name))
        if it is None:
            raise Wrong(name, f"unknown function {name}")
        if len(arguments) != len(it.parameters):
            raise Wrong(name, f"{name} takes {len(it.parameters)} arguments, got {len(arguments)}")
        pairs = zip(it.parameters, arguments, strict=True)
        made = self.c.call(it.made, [self.of(kind, argument) for (kind, _, _), argument in pairs])
        return Kind(f"{it.kind}: {it.result.name}", "ptr", it.kind, it.result) if it.kind else it.result, made

    def convert(self, kind: Kind, of: Kind, value: Value) -> tuple[Kind, Value]:
        c = self.c
        if kind.sort not in ARITHMETIC or of.sort not in ARITHMETIC:
            raise pycoro.UsageError(f"cannot convert {of.name} to {kind.name}")
        bits, wanted = (c.types.parse(each.llvm).size or 0 for each in (of, kind))
        if "float" not in (kind.sort, of.sort):
            how = "bitcast" if bits == wanted else "trunc" if bits > wanted else "sext" if of.sort == "signed" else "zext"
        elif kind.sort == of.sort:
            how = "bitcast" if bits == wanted else "fptrunc" if bits > wanted else "fpext"
        elif kind.sort == "float":
            how = "sitofp" if of.sort == "signed" else "uitofp"
        else:
            how = "fptosi" if kind.sort == "signed" else "fptoui"
        return kind, getattr(c, how)(value, kind.llvm)

    def get_await_(self, tree: Node, of: Node) -> tuple[Kind, Value]:
        """Resume another task until it is done, and suspend in between. Destroying this task destroys it, too."""
        c, (kind, value) = self.c, self.value(of)
        if self.kind != "async" or kind.sort != "async" or kind.gives is None:
            raise Wrong(tree, "only an async function can await, and only another async function")
        awaited = handle(c, kind, value)
        with c.scope() as scope:
            c.defer(awaited.destroy, name="awaited")
            with c.loop() as loop:
                awaited.resume()
                with c.if_(awaited.done()):
                    loop.break_()
                c.suspend()
            if kind.gives is not VOID:
                scope.give(awaited.value())
        return kind.gives, c.constant("i1", 0) if kind.gives is VOID else scope.given


def handle(c: Builder, kind: Kind, value: Value) -> HandleValue:
    return HandleValue(c, value, promise=kind.gives.llvm if kind.gives not in (None, VOID) else None)


def compile(text: str, source: Path | None = None) -> pycoro.Module:
    """Compile a program to a module, with debug information if the file name is given."""
    program = Program(pycoro.Module("", host=True), source)
    parts = PARSER.parse(text).children
    structs, functions = ([part for part in parts if part.data == word] for word in ("struct", "function"))
    steps = (program.struct, structs), (program.declare, functions), (program.destructor, structs), (program.define, functions)
    for step, each in steps:  # so that functions can be defined in any order
        for part in each:
            step(part)
    program.module.verify()
    return program.module


def main() -> int:
    parser = argparse.ArgumentParser(description="compiles a small subset of Ü")
    parser.add_argument("file", type=Path)
    parser.add_argument("--run", nargs="+", metavar=("FUNCTION", "ARGUMENT"), help="call a function with integer arguments")
    parser.add_argument("-O", dest="optimise", action="store_true", help="optimize like LLVM's O2")
    parser.add_argument("-g", dest="debug", action="store_true", help="emit debug information")
    parser.add_argument("-o", dest="object", type=Path, help="write an object file")
    parser.add_argument("-S", dest="print", action="store_true", help="print the lowered IR")
    it = parser.parse_args()
    try:
        module = compile(it.file.read_text(), it.file if it.debug else None)
    except (Wrong, UnexpectedInput, OSError) as wrong:
        print(f"{it.file}: {wrong}", file=sys.stderr)
        return 1
    report = module.run("default<O2>" if it.optimise else "default<O0>")
    if it.print:
        print(module)
    if it.object:
        it.object.write_bytes(module.emit(level=2 if it.optimise else 0, relocation_model="pic"))
    if it.run:
        with pycoro.Engine(report, externals={"PrintInt": print, "PrintFloat": print}) as engine:
            engine.call(it.run[0], *map(int, it.run[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
