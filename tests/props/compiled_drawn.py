"""Draws Python programs of the subset that pycoro.compile supports, and runs them compiled, in Python, and in Python with
64-bit checks."""

from __future__ import annotations

import array
import ast
import itertools
import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

import pycoro

INTS, FLOATS, BOOLS = ("a", "b", "n"), ("x", "y"), ("p", "q")
HEADER = """\
import math
from collections.abc import Generator

@compile
def h(n: int, x: float, p: bool) -> int:
{h}

@compile
def inner(n: int, x: float, p: bool, xs: list[int], ys: list[int]) -> Generator[int, {sends}, int]:
{inner}

@compile
def outer(n: int, x: float, p: bool, xs: list[int], ys: list[int]) -> Generator[{yields}, int, int]:
{outer}
"""


@dataclass
class Writer:
    """Writes one function."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    generator: bool
    calls: tuple[str, ...] = ()
    pair: bool = False
    sent: bool = True
    lines: list[str] = field(default_factory=list[str])
    budget: int = 16
    loops: int = 0
    depth: int = 0
    cleaning: int = 0
    fresh: Any = field(default_factory=itertools.count)

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    # ---- Expressions ----

    def integer(self, depth: int = 2) -> str:
        if depth == 0 or self.pick(0, 0, 1):
            if self.pick(*range(25)) == 24:
                return str(self.pick(2**31, 2**62, f"({-(2**63)})", 2**63 - 1))
            return str(self.pick(*INTS, *INTS, *INTS, "(-2)", "(-1)", *range(4), 7))
        deeper = depth - 1
        what = self.pick("op", "op", "op", "shift", "power", "unary", "call", "choose", "of float", "array", "yield", "logic")
        if what == "op":
            return f"({self.integer(deeper)} {self.pick('+', '-', '*', '//', '%', '&', '|', '^')} {self.integer(deeper)})"
        if what == "shift":
            return f"({self.integer(deeper)} {self.pick('<<', '>>')} {self.pick(0, 1, 5, 62, 63, 64, 70, -1)})"
        if what == "power":
            return f"({self.integer(deeper)} ** {self.pick(0, 1, 2, 3, 5)})"
        if what == "unary":
            return f"({self.pick('-', '~', '+', 'abs')}({self.integer(deeper)}))"
        if what == "choose":
            return f"({self.integer(deeper)} if {self.boolean(deeper)} else {self.integer(deeper)})"
        if what == "of float":
            return f"{self.pick('int', 'round', 'math.floor', 'math.ceil')}({self.real(deeper)})"
        if what == "logic":
            return f"({self.integer(deeper)} {self.pick('and', 'or')} {self.integer(deeper)})"
        if what == "array" and self.generator:
            return self.pick(f"xs[{self.integer(0)}]", f"ys[{self.integer(0)} % 4]", "len(xs)")
        if what == "yield" and self.generator and self.sent and not self.cleaning:
            return self.taken()
        if what == "call" and "h" in self.calls:
            return f"h({self.integer(deeper)}, {self.real(0)}, {self.boolean(0)})"
        return f"{self.pick('min', 'max')}({self.integer(deeper)}, {self.integer(deeper)})"

    def real(self, depth: int = 2) -> str:
        if depth == 0 or self.pick(0, 0, 1):
            return str(self.pick(*FLOATS, *FLOATS, *FLOATS, 0.0, 0.5, "(-1.5)", 3.0, 1e300, "math.inf", "math.nan", "math.pi"))
        deeper = depth - 1
        what = self.pick("op", "op", "mixed", "divide", "choose", "function", "power", "of int")
        if what == "op":
            return f"({self.real(deeper)} {self.pick('+', '-', '*', '/', '//', '%')} {self.real(deeper)})"
        if what == "mixed":
            return f"({self.integer(deeper)} {self.pick('+', '-', '*', '/', '//', '%')} {self.real(deeper)})"
        if what == "divide":
            return f"({self.integer(deeper)} / {self.integer(deeper)})"
        if what == "choose":
            return f"({self.real(deeper)} if {self.boolean(deeper)} else {self.real(deeper)})"
        if what == "power":
            return f"({self.real(deeper)} ** {self.pick(0, 2, 3)})"
        if what == "of int":
            return f"float({self.integer(deeper)})"
        return f"{self.pick('math.sqrt', 'abs', '-', 'math.fabs', 'math.sin')}({self.real(deeper)})"

    def boolean(self, depth: int = 2) -> str:
        if depth == 0 or self.pick(0, 0, 1):
            return str(self.pick(*BOOLS, True, False))
        deeper = depth - 1
        number = self.pick(self.integer, self.real)
        what = self.pick("compare", "compare", "mixed", "chain", "logic", "not", "bits", "test")
        sign = self.pick("<", "<=", "==", "!=", ">", ">=")
        if what == "compare":
            return f"({number(deeper)} {sign} {number(deeper)})"
        if what == "mixed":
            return f"({self.integer(deeper)} {sign} {self.real(deeper)})"
        if what == "chain":
            return f"({number(0)} {sign} {self.integer(deeper)} {self.pick('<', '>=')} {self.real(0)})"
        if what == "logic":
            return f"({self.boolean(deeper)} {self.pick('and', 'or')} {self.boolean(deeper)})"
        if what == "not":
            return f"(not {self.pick(self.boolean, self.integer, self.real)(deeper)})"
        if what == "bits":
            return f"({self.boolean(deeper)} {self.pick('&', '|', '^')} {self.boolean(deeper)})"
        return f"bool({number(deeper)})"

    def value(self) -> str:
        """Return an expression to yield."""
        return f"{self.integer(1)}, {self.real(1)}, {self.boolean(1)}" if self.pair else self.integer(1)

    def taken(self) -> str:
        """Return a suspend whose value is used."""
        return f"(yield {self.value()})"

    # ---- Statements ----

    def block(self, indent: int, most: int = 3) -> None:
        first = len(self.lines)
        for _ in range(self.draw(st.integers(1, most))):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(indent)
        if len(self.lines) == first:
            self.say(indent, "pass")

    def say(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def assignment(self, target: str) -> str:
        return self.integer() if target in INTS else self.real() if target in FLOATS else self.boolean()

    def statement(self, indent: int) -> None:
        choices = ["assign"] * 5 + ["augment"] * 3 + ["if", "if", "raise", "return", "assert", "unpack", "unpack"]
        few = self.depth < 2  # nested loops
        choices += ["range", "while"] if few else []
        if self.generator:
            choices += ["yield"] * 4 + ["store", "store", "try", "try"] + (["array"] if few else [])
        if self.loops:
            choices += ["leave", "leave"]
        if "inner" in self.calls:
            choices += [] if self.pair or self.cleaning else ["from", "from"]
        if "each" in self.calls and few:
            choices += ["each", "each"]
        getattr(self, f"write_{self.pick(*choices)}")(indent)

    def write_assign(self, indent: int) -> None:
        target = self.pick(*INTS, *FLOATS, *BOOLS)
        self.say(indent, f"{target} = {self.assignment(target)}")

    def write_augment(self, indent: int) -> None:
        if self.pick(0, 1):
            self.say(indent, f"{self.pick(*INTS)} {self.pick('+', '-', '*', '//', '%', '&')}= {self.integer()}")
        else:
            self.say(indent, f"{self.pick(*FLOATS)} {self.pick('+', '-', '*', '/')}= {self.pick(self.real, self.integer)()}")

    def write_unpack(self, indent: int) -> None:
        self.say(indent, f"a, (x, p) = {self.integer(1)}, ({self.real(1)}, {self.boolean(1)})")

    def write_if(self, indent: int) -> None:
        self.say(indent, f"if {self.pick(self.boolean, self.integer, self.real)()}:")
        self.block(indent + 1)
        if self.pick(0, 1):
            self.say(indent, "else:")
            self.block(indent + 1)

    def loop(self, indent: int) -> None:
        self.loops += 1
        self.depth += 1
        self.block(indent + 1)
        self.depth -= 1
        self.loops -= 1

    def write_range(self, indent: int) -> None:
        step = self.pick("", "", "", f", {self.pick(2, -1, -3, 0)}", f", {self.integer(0)} % 7 - 3")
        self.say(indent, f"for {self.pick(*INTS)} in range({self.integer(1)} % 5, {self.integer(1)} % 5{step}):")
        self.loop(indent)

    def write_while(self, indent: int) -> None:
        counter = f"w{next(self.fresh)}"
        self.say(indent, f"{counter} = 0")
        self.say(indent, f"while {counter} < {self.pick(1, 3)} and {self.boolean()}:")
        self.say(indent + 1, f"{counter} += 1")
        self.loop(indent)

    def write_array(self, indent: int) -> None:
        self.say(indent, f"for {self.pick(*INTS)} in {self.pick('xs', 'ys')}:")
        self.loop(indent)

    def arguments(self) -> str:
        return f"{self.integer(0)}, {self.real(0)}, {self.boolean(0)}, xs, ys"

    def write_each(self, indent: int) -> None:
        self.say(indent, f"for {self.pick(*INTS)} in inner({self.arguments()}):")
        self.loop(indent)

    def write_from(self, indent: int) -> None:
        self.say(indent, f"{self.pick(*INTS)} = yield from inner({self.arguments()})")

    def write_yield(self, indent: int) -> None:
        if self.cleaning:
            self.say(indent, "ys[2] += 1")
        else:
            target = f"{self.pick(*INTS)} = " if self.sent and self.pick(0, 0, 1) else ""
            self.say(indent, f"{target}yield {self.value()}")

    def write_store(self, indent: int) -> None:
        self.say(indent, f"ys[{self.integer(1)} % 4] {self.pick('', '+', '*')}= {self.integer(1)}")

    def write_leave(self, indent: int) -> None:
        self.say(indent, f"if {self.boolean(1)}:")
        self.say(indent + 1, self.pick("break", "continue"))

    def write_return(self, indent: int) -> None:
        self.say(indent, f"if {self.boolean(1)}:")
        self.say(indent + 1, "ys[1] -= 1" if self.cleaning else f"return {self.integer(1)}")

    def write_raise(self, indent: int) -> None:
        self.say(indent, f"if {self.boolean(1)}:")
        self.say(indent + 1, f"raise {self.pick('ValueError(1, 2)', 'KeyError', 'StopIteration')}")

    def write_assert(self, indent: int) -> None:
        self.say(indent, f"assert {self.integer(1)} != {self.pick(0, 1)}")

    def write_try(self, indent: int) -> None:
        self.say(indent, "try:")
        self.block(indent + 1)
        self.say(indent, "finally:")
        loops, self.loops = self.loops, 0
        self.cleaning += 1
        self.block(indent + 1)
        self.cleaning -= 1
        self.loops = loops

    def text(self) -> str:
        for name, value in (("a", "1"), ("b", "-7"), ("y", "2.5"), ("q", "True")):
            if self.pick(*range(10)) < 9:
                self.say(1, f"{name} = {value}")
            else:
                self.say(1, f"if {self.pick('p', 'n > 1')}:")
                self.say(2, f"{name} = {value}")
        self.block(1, 3)
        if self.generator:
            self.say(1, f"for n in range({self.pick(2, 3, 5)}):")
            self.write_yield(2)
            self.loop(1)
        self.block(1, 3)
        self.say(1, f"return {self.integer(1)}")
        return "\n".join(self.lines)


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Draw the source of a program, whose outer generator is run."""
    pair = draw(st.booleans())
    h = Writer(draw, generator=False, budget=6).text()
    sent = draw(st.booleans())
    inner = Writer(draw, generator=True, calls=("h",), sent=sent, budget=9).text()
    outer = Writer(draw, generator=True, calls=("h", "inner", *([] if sent else ["each"])), pair=pair).text()
    sends, yields = "int" if sent else "None", "tuple[int, float, bool]" if pair else "int"
    return HEADER.format(h=h, inner=inner, outer=outer, sends=sends, yields=yields)


ARGUMENTS = st.tuples(
    st.integers(-3, 9) | st.integers(1, 9) | st.sampled_from([2**62, -(2**63)]),
    st.floats(-8, 8) | st.sampled_from([0.0, -0.0, 0.25, 2.0, -1e308, math.inf, math.nan]),
    st.booleans(), st.lists(st.integers(-5, 5), min_size=2, max_size=5),
)  # fmt: skip
SENDS = st.tuples(st.just("send"), st.integers(-9, 40))
STEPS = st.lists(st.one_of(*[SENDS] * 12, st.sampled_from([("send", 2**61), ("throw", 0), ("close", 0)])), min_size=3, max_size=14)


class Checked(ast.NodeTransformer):
    """Makes operations on ints raise OverflowError outside of 64 bits."""

    def generic_visit(self, node: ast.AST) -> Any:
        super().generic_visit(node)
        if isinstance(node, ast.AugAssign):
            target, before = node.target, list[ast.stmt]()
            if isinstance(target, ast.Subscript):  # its index is evaluated once
                before = [ast.Assign([ast.Name("_at", ast.Store())], target.slice)]
                target = ast.Subscript(target.value, ast.Name("_at", ast.Load()), ast.Store())
            left = ast.parse(ast.unparse(target), mode="eval").body
            value = ast.Call(ast.Name("_checked", ast.Load()), [ast.BinOp(left, node.op, node.value)], [])
            return [*before, ast.Assign([target], value)]
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call) and not isinstance(getattr(node, "op", None), ast.Not):
            return ast.Call(ast.Name("_checked", ast.Load()), [node], [])
        return node


overflows = 0
"""Number of overflows: a `finally` may hide one."""


def _checked(value: Any) -> Any:
    global overflows
    if type(value) is int and not -(2**63) <= value < 2**63:
        overflows += 1
        raise OverflowError
    return value


def _literal(tree: ast.AST) -> ast.AST:
    """Fold negative literals, which are no operations: the least int is one."""
    for node in ast.walk(tree):
        for name, child in ast.iter_fields(node):
            for index, each in enumerate(child if isinstance(child, list) else [child]):
                if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub) and isinstance(each.operand, ast.Constant):
                    value = ast.Constant(-each.operand.value)
                    if isinstance(child, list):
                        child[index] = value
                    else:
                        setattr(node, name, value)
    return tree


_files = itertools.count()


def run(text: str, how: str, space: dict[str, Any]) -> None:
    """Run source in a namespace; decorated functions are "compiled", or all functions are "checked" by Python."""
    file = f"<drawn {next(_files)}>"
    space |= {"compile": pycoro.compile if how == "compiled" else lambda f: f, "_checked": _checked}
    if how == "checked":
        tree = ast.fix_missing_locations(Checked().visit(_literal(ast.parse(text))))
        exec(compile(tree, file, "exec"), space)
    else:
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), space)
    linecache.cache.pop(file, None)


def loaded(text: str, how: str) -> Any:
    """Return the outer generator: "compiled", by "python", or "checked" by Python."""
    space: dict[str, Any] = {}
    run(text, how, space)
    return space["outer"]


def exception_text(error: BaseException) -> str:
    """Return an exception as text; of an OverflowError only that it is the one of compiled code."""
    if isinstance(error, OverflowError) and ("64 bits" in str(error) or not error.args):
        return "OverflowError"
    return repr(error)


def trace_of_run(outer: Any, arguments: tuple[Any, ...], steps: list[tuple[str, int]]) -> list[str]:
    """Return the result of each step, then the contents of its array."""
    ys = array.array("q", [1, 0, -3, 8])
    seen: list[str] = []
    generator: Any = None
    for what, value in [("start", 0), *steps]:
        try:
            if what == "start":
                generator = outer(*arguments, ys)
                found = next(generator)
            elif what == "send":
                found = generator.send(value)
            elif what == "throw":
                found = generator.throw(LookupError("thrown"))
            else:
                found = generator.close()
            seen.append(repr(found))
        except StopIteration as stop:
            seen.append(f"returned {stop.value!r}")
        except Exception as error:
            seen.append(exception_text(error))
        if seen[-1].startswith("returned"):
            break
    del generator
    return [*seen, repr(ys.tolist())]
