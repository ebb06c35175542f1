"""Random switch coroutines as text, valid by construction: structured control flow, values used where they are in scope.

Every program ends: loops are counted. It says what it does through undefined functions, so that two lowerings of it can
be compared by what they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

TYPES = ("i32", "i64", "i8", "i1", "double")
ZERO = {"double": "0.0", "i1": "false"}
INT_OPS = ("add", "sub", "mul", "xor", "and", "or")
DECLARATIONS = """
declare void @say_i32(i32)
declare void @say_i64(i64)
declare void @say_i8(i8)
declare void @say_i1(i1)
declare void @say_double(double)
declare i32 @pick()
declare void @begin_op(ptr)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)

define internal void @touch(ptr %p) noinline {
  %v = load i32, ptr %p
  %w = mul i32 %v, 5
  %x = add i32 %w, 1
  store i32 %x, ptr %p
  ret void
}

define internal i32 @sum(ptr %p, ptr %q) noinline {
  %v = load i32, ptr %p
  %w = load i32, ptr %q
  %x = sub i32 %v, %w
  ret i32 %x
}
"""

Value = tuple[str, str]  # type, text


class Writer:
    """Writes one coroutine; `draw` decides."""

    def __init__(self, draw: Any, size: int) -> None:
        self._draw = draw
        self._lines: list[str] = []
        self._cleanups: list[str] = []
        self._block = "start"
        self._count = 0
        self._budget = size
        self._depth = 0
        self.variables: list[tuple[str, int]] = []  # name, number of i32 in it
        self.locals: list[str] = []

    def line(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def label(self, block: str) -> None:
        self._lines += ["", f"{block}:"]
        self._block = block

    def choose(self, items: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(items))

    def number(self, low: int, high: int) -> int:
        number: int = self._draw(st.integers(low, high))
        return number

    # ---- values ----

    def value(self, scope: list[Value], kind: str) -> str:
        known = [text for other, text in scope if other == kind]
        if known and self.number(0, 9):
            return str(self.choose(known))
        if kind == "double":
            return f"{self.number(-8, 8)}.5"
        return self.choose(["true", "false"]) if kind == "i1" else str(self.number(-9, 99))

    def let(self, scope: list[Value], kind: str, text: str) -> str:
        name = f"%{self.name('v')}"
        self.line(f"{name} = {text}")
        scope.append((kind, name))
        return name

    def compute(self, scope: list[Value]) -> None:
        kind = self.choose(TYPES)
        a, b = self.value(scope, kind), self.value(scope, kind)
        form = self.number(0, 4)
        if kind == "double":
            texts = [f"fadd double {a}, {b}", f"fneg double {a}", f"sitofp i32 {self.value(scope, 'i32')} to double"]
            self.let(scope, kind, texts[form % 3])
        elif kind == "i1":
            other = self.choose(TYPES[:3])
            x, y = self.value(scope, other), self.value(scope, other)
            self.let(scope, kind, f"xor i1 {a}, {b}" if form == 0 else f"icmp slt {other} {x}, {y}")
        elif form == 0:
            self.let(scope, kind, f"select i1 {self.value(scope, 'i1')}, {kind} {a}, {kind} {b}")
        elif form == 1:
            narrow = {"i8": "i1", "i32": "i8", "i64": "i32"}[kind]
            self.let(scope, kind, f"{self.choose(['zext', 'sext'])} {narrow} {self.value(scope, narrow)} to {kind}")
        elif form == 2:
            self.let(scope, kind, f"freeze {kind} {a}")
        else:
            self.let(scope, kind, f"{self.choose(INT_OPS)} {kind} {a}, {b}")

    def say(self, scope: list[Value]) -> None:
        kind = self.choose(TYPES)
        self.line(f"call void @say_{kind}({kind} {self.value(scope, kind)})")

    def pointer(self, scope: list[Value]) -> str:
        known = [text for kind, text in scope if kind == "ptr"]
        if known and self.number(0, 1):
            return str(self.choose(known))
        variable, length = self.choose(self.variables)
        if length == 1:
            return f"%{variable}"
        index = f"%{self.name('i')}"
        self.line(f"{index} = and i32 {self.value(scope, 'i32')}, {length - 1}")
        return self.let(scope, "ptr", f"getelementptr inbounds i32, ptr %{variable}, i32 {index}")

    def memory(self, scope: list[Value]) -> None:
        form = self.number(0, 4)
        p, q = self.pointer(scope), self.pointer(scope)
        if form == 0:
            self.line(f"store i32 {self.value(scope, 'i32')}, ptr {p}")
        elif form == 1:
            self.let(scope, "i32", f"load i32, ptr {p}")
        elif form == 2:
            self.line(f"call void @touch(ptr {p})")
        elif form == 3:
            self.let(scope, "i32", f"call i32 @sum(ptr {p}, ptr {q})")
        else:
            self.let(scope, "ptr", f"select i1 {self.value(scope, 'i1')}, ptr {p}, ptr {q}")

    # ---- control ----

    def suspend(self, scope: list[Value]) -> None:
        token = "none"
        if not self.number(0, 2):
            token = f"%{self.name('save')}"
            self.line(f"{token} = call token @llvm.coro.save(ptr %hdl)")
            self.line("call void @begin_op(ptr %hdl)")
            self.compute(scope)
        name, after = self.name("s"), self.name("after")
        gone = "cleanup"
        if not self.number(0, 2):
            gone = self.name("gone")
            kind = self.choose(TYPES)
            value, left, (variable, _) = self.value(scope, kind), f"%{self.name('left')}", self.choose(self.variables)
            self._cleanups += [
                f"{gone}:",
                f"  call void @say_{kind}({kind} {value})",
                f"  {left} = load i32, ptr %{variable}",
                f"  call void @say_i32(i32 {left})",
                "  br label %cleanup",
                "",
            ]
        self.line(f"%{name} = call i8 @llvm.coro.suspend(token {token}, i1 false)")
        self.line(f"switch i8 %{name}, label %out [ i8 0, label %{after}")
        self.line(f"                                i8 1, label %{gone} ]")
        self.label(after)

    def phis(self, scope: list[Value], edges: Sequence[tuple[str, list[Value]]]) -> None:
        """Joins: PHIs over values that are in scope at the ends of the edges."""
        for _ in range(self.number(0, 2)):
            kind = self.choose(TYPES)
            incoming = ", ".join(f"[ {self.value(known, kind)}, %{block} ]" for block, known in edges)
            self.let(scope, kind, f"phi {kind} {incoming}")

    def branch(self, scope: list[Value]) -> None:
        yes, no, join = self.name("yes"), self.name("no"), self.name("join")
        self.line(f"br i1 {self.value(scope, 'i1')}, label %{yes}, label %{no}")
        edges = []
        for block in (yes, no):
            inner = list(scope)
            self.label(block)
            self.body(inner)
            edges.append((self._block, inner))
            self.line(f"br label %{join}")
        self.label(join)
        self.phis(scope, edges)

    def switch(self, scope: list[Value]) -> None:
        blocks = [self.name("case") for _ in range(3)]
        join, edges = self.name("join"), []
        self.line(f"switch i32 {self.value(scope, 'i32')}, label %{blocks[0]} [ i32 7, label %{blocks[1]}")
        self.line(f"    i32 {self.number(-9, -1)}, label %{blocks[2]}")
        self.line(f"    i32 {self.number(0, 6)}, label %{blocks[2]} ]")
        for block in blocks:
            inner = list(scope)
            self.label(block)
            self.body(inner)
            edges.append((self._block, inner))
            self.line(f"br label %{join}")
        self.label(join)
        self.phis(scope, edges)

    def scoped(self, scope: list[Value]) -> None:
        """A variable that lives in a part of the program."""
        name = self.name("local")
        self.locals.append(name)
        self.line(f"call void @llvm.lifetime.start.p0(ptr %{name})")
        self.line(f"store i32 {self.value(scope, 'i32')}, ptr %{name}")
        self.variables.append((name, 1))
        self.body(list(scope))
        self.variables.remove((name, 1))
        self.line(f"call void @llvm.lifetime.end.p0(ptr %{name})")

    def loop(self, scope: list[Value]) -> None:
        head, body, done = self.name("head"), self.name("body"), self.name("done")
        counter, carried, kind = f"%{self.name('n')}", f"%{self.name('c')}", self.choose(TYPES)
        before, first = self._block, self.value(scope, kind)
        self.line(f"br label %{head}")
        self.label(head)
        place = len(self._lines)
        inner = [*scope, ("i32", counter), (kind, carried)]
        self.body(inner)
        more = f"%{self.name('more')}"
        self.line(f"{counter}.next = add i32 {counter}, 1")
        self.line(f"{more} = icmp ult i32 {counter}.next, {self.number(1, 3)}")
        last = self.value(inner, kind)
        self.line(f"br i1 {more}, label %{body}, label %{done}")
        self.label(body)
        self.line(f"br label %{head}")
        self._lines[place:place] = [
            f"  {counter} = phi i32 [ 0, %{before} ], [ {counter}.next, %{body} ]",
            f"  {carried} = phi {kind} [ {first}, %{before} ], [ {last}, %{body} ]",
        ]
        self.label(done)
        scope += [("i32", counter), (kind, carried)]

    def body(self, scope: list[Value]) -> None:
        self._depth += 1
        for _ in range(self.number(1, 6)):
            if self._budget <= 0:
                break
            self._budget -= 1
            steps = [self.compute, self.say, self.memory, self.suspend, self.compute, self.say, self.suspend]
            if self._depth < 4:
                steps += [self.branch, self.loop, self.switch, self.scoped]
            if not self.number(0, 5):
                self.let(scope, "i32", "call i32 @pick()")
            self.choose(steps)(scope)
        self._depth -= 1

    # ---- the whole ----

    def coroutine(self) -> str:
        scope: list[Value] = [("i32", "%a"), ("double", "%b"), ("i1", "%c")]
        for _ in range(self.number(1, 4)):
            length = self.choose([1, 1, 4, 8])
            self.variables.append((self.name("x"), length))
        aligns = {name: self.choose([4, 4, 8, 32, 64]) for name, _ in self.variables}
        types = {name: f"[{length} x i32]" if length > 1 else "i32" for name, length in self.variables}
        promise = self.choose(["null", "%promise"])
        early = []
        for name, length in self.variables:
            early.append(f"  call void @llvm.memset.p0.i64(ptr %{name}, i8 {self.number(0, 3)}, i64 {4 * length}, i1 false)")
        before = self.number(0, len(early))
        for name, length in self.variables:  # pointers made before coro.begin, to what may move into the frame
            if length > 1 and self.number(0, 1):
                early.insert(0, f"  %early.{name} = getelementptr inbounds i32, ptr %{name}, i64 {self.number(0, length - 1)}")
                scope.append(("ptr", f"%early.{name}"))
                before += 1
        self.line("br label %start")
        self.label("start")
        self._lines += early[before:]
        if promise != "null":
            self.line("store i32 7, ptr %promise")
            self.variables.append(("promise", 1))
        self.body(scope)
        self.suspend(scope)
        self.say(scope)
        if self.number(0, 3):
            self.line("%final = call i8 @llvm.coro.suspend(token none, i1 true)")
            self.line("switch i8 %final, label %out [ i8 0, label %never")
            self.line("                               i8 1, label %cleanup ]")
            self._cleanups += ["never:", "  unreachable", ""]
        else:
            self.line("br label %cleanup")
        head = [f"  %{name} = alloca {types[name]}, align {align}" for name, align in aligns.items()]
        head += [f"  %{name} = alloca i32" for name in self.locals]
        if promise != "null":
            head.append("  %promise = alloca i32")
        after = [f"  call void @say_i32(i32 {self.choose(['%a', '1'])})"] if self.number(0, 1) else []
        return "\n".join(
            [
                "define ptr @f(i32 %a, double %b, i1 %c) presplitcoroutine {",
                "entry:",
                *head,
                *early[:before],
                f"  %id = call token @llvm.coro.id(i32 0, ptr {promise}, ptr null, ptr null)",
                "  %size = call i64 @llvm.coro.size.i64()",
                "  %align = call i64 @llvm.coro.align.i64()",
                "  %mem = call ptr @aligned_alloc(i64 %align, i64 %size)",
                "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)",
                *self._lines,
                "",
                *self._cleanups,
                "cleanup:",
                "  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)",
                "  call void @free(ptr %dead)",
                "  br label %out",
                "",
                "out:",
                "  call void @llvm.coro.end(ptr %hdl, i1 false, token none)",
                *after,
                "  ret ptr %hdl",
                "}",
                DECLARATIONS,
            ]
        )


@st.composite
def coroutines(draw: Any, most: int = 40) -> str:
    """A module whose coroutine is ``ptr @f(i32, double, i1)``."""
    return Writer(draw, draw(st.integers(2, most))).coroutine()
