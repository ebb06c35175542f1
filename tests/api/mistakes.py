"""Insert bugs that lower without an error into random coroutines: several variants for each rule of the linter."""

from __future__ import annotations

import re
from typing import NamedTuple

from pycoro.errors import UsageError
from pycoro.strategies import model as m
from pycoro.strategies.breaks import FIRST, Break
from pycoro.strategies.broken import broken_text
from pycoro.strategies.choices import Seeded
from pycoro.strategies.draw import program
from pycoro.strategies.options import ALL

__all__ = ["MISTAKES", "mistaken"]


class Mistake(NamedTuple):
    """A violation in the coroutine, and functions that call it. In these, ``@CALL`` is a call of it and ``@F`` its name."""

    how: Break
    callers: str = ""
    late: tuple[tuple[str, str], ...] = ()
    """Edits of the inserted block, after its insertion."""


SUSPEND = "call i8 @llvm.coro.suspend(token none, i1 false)"
SAVED = "call i8 @llvm.coro.suspend(token %given, i1 false)"
END = r"  call void @llvm\.coro\.end\(ptr %hdl, i1 false, token none\)\n"
ENDS = "  call void @llvm.coro.end(ptr %hdl, i1 false, token none)\n"
GIVES = "%given = call token @llvm.coro.save(ptr %hdl)\n  call void @schedule(ptr %hdl)"
HANDLES = "declare void @schedule(ptr)\n@kept = global ptr null\n"
KEEPS = HANDLES + "define void @keep.mine(ptr %p) {\n  store ptr %p, ptr @kept\n  ret void\n}\n"


def _two_suspends_violation(block: str) -> Mistake:
    """Return a violation with two inserted suspends. The second has a separate exit block; the first, which only the ramp
    reaches, may share its exit.
    """
    first = f"%zero.way = {SUSPEND}\n  switch i8 %zero.way, label %out [ i8 0, label %front.on i8 1, label %cleanup ]\n\nfront.on:"
    late = (("front.way, label %out", "front.way, label %front.out"), ("^after:$", f"front.out:\n{block}\n\nafter:"))
    return Mistake(Break("", before=first, suspend=SUSPEND), late=late)


def _published_handle_violation(touches: str, entry: str = "", before: str = "", after: str = "") -> Mistake:
    """Return a violation with a suspend that publishes its handle first, and then runs code on its exit path."""
    made = _two_suspends_violation(f"  {touches}\n  br label %out")
    edits = ((FIRST, f"{entry}\n  %id = "),) if entry else ()
    how = Break("", edits, GIVES + before, after, SAVED, HANDLES)
    return made._replace(how=how)


def _code_before_branch_violation(*lines: str, more: str = "", number: str = "%front.way") -> Mistake:
    """Return a violation with code between the inserted suspend and the branch on its result."""
    code = "".join(f"  {line}\n" for line in lines)
    return Mistake(Break("", suspend=SUSPEND), more, ((r"^  switch i8 %front\.way,", f"{code}  switch i8 {number},"),))


def _caller_mistake(code: str, more: str = "") -> Mistake:
    return Mistake(Break(""), f"\ndefine void @mistaken() {{\nentry:\n  %h = @CALL\n{code}\n}}\n{more}")


def _instruction_lines(*lines: str) -> str:
    return "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)


RESUME, DESTROY = "call void @llvm.coro.resume(ptr %h)", "call void @llvm.coro.destroy(ptr %h)"
DONE, PROMISE = "%is.done = call i1 @llvm.coro.done(ptr %h)", "%there = call ptr @llvm.coro.promise(ptr %h, i32 8, i1 false)"
DESTROYS = f"\ndefine void @over(ptr %h) {{\n  {DESTROY}\n  ret void\n}}\n"
SAFE = " #77\n"
ELIDES = "\nattributes #77 = { coro_elide_safe }\n"


def _elide_safe_caller(code: str, result: str = "void", more: str = "") -> Mistake:
    """Return a caller with a ``coro_elide_safe`` call."""
    text = f"\ndefine {result} @mistaken(ptr %to) {{\nentry:\n  %h = @CALL{SAFE}{code}\n}}\n@kept = global ptr null\n{more}{ELIDES}"
    return Mistake(Break(""), text)


STRAIGHT = f"""
define ptr @known() presplitcoroutine {{
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @alloc_aligned(i64 %size, i64 16)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %a = {SUSPEND}
  switch i8 %a, label %out [ i8 0, label %last i8 1, label %cleanup ]

last:
  %b = {SUSPEND.replace("false", "true")}
  switch i8 %b, label %out [ i8 0, label %never i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_aligned(ptr %dead)
  br label %out

out:
{ENDS}  ret ptr %hdl
}}
"""


def _bounded_resume_caller(code: str, more: str = "") -> Mistake:
    """Return a caller of a coroutine that can be resumed once."""
    made = _caller_mistake(code, STRAIGHT + more)
    return made._replace(callers=made.callers.replace("@CALL", "call ptr @known()"))


_ASYNC = """
%afp.mine = type <{ i32, i32 }>
@sized_fp = constant %afp.mine <{ i32 0, i32 16 }>
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare void @llvm.coro.end.async(ptr, i1, ...)

define swiftcc void @sized(ptr swiftasync %ctx) {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @sized_fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

"""
"""A coroutine of the async ABI with a constant async function pointer."""


def _size_reader(reader: str) -> Mistake:
    return Mistake(Break(""), f"{_ASYNC}define i32 @size.of(i64 %at) {{\n{reader}\n  ret i32 %size\n}}\n")


MISTAKES: dict[str, tuple[Mistake, ...]] = {
    "shared-suspend": (
        _two_suspends_violation("  ret ptr %hdl"),
        _two_suspends_violation("  br label %front.back\n\nfront.back:\n  ret ptr %hdl"),
        _two_suspends_violation("  %odd.out = icmp eq ptr %hdl, null\n  ret ptr %hdl"),
        Mistake(
            Break(
                "",
                (("%final, label %out", "%final, label %own.out"), ("^never:$", "own.out:\n  ret ptr %hdl\n\nnever:")),
                suspend=SUSPEND,
            )
        ),
    ),
    "end-before-return": (
        Mistake(Break("", ((END, ""),), suspend=SUSPEND)),
        Mistake(Break("", ((r"  br label %out\n\nout:", "  ret ptr %hdl\n\nout:"),), suspend=SUSPEND)),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (
                    "^after:$",
                    "after:\n  %odd = icmp eq ptr %hdl, null\n  br i1 %odd, label %rest, label %back\n\n"
                    "back:\n  ret ptr %hdl\n\nrest:",
                ),
            ),
        ),
    ),
    "lost-block": (
        Mistake(
            Break(
                "",
                (
                    (r"^out:$", f"lost:\n{ENDS}  ret ptr %hdl\n\nout:"),
                    (END, "  call void @llvm.coro.end(ptr %hdl, i1 true, token none)\n"),
                ),
            )
        ),
        Mistake(
            Break("", ((r"^out:$", "lost:\n  %lost.mem = call ptr @llvm.coro.free(token %id, ptr %hdl)\n  br label %out\n\nout:"),))
        ),
        Mistake(Break("", ((r"^out:$", f"lost:\n  %lost.way = {SUSPEND}\n  unreachable\n\nout:"),))),
    ),
    "code-after-end": (
        Mistake(Break("", ((END, f"{ENDS}  %late.mem = call ptr @llvm.coro.free(token %id, ptr %hdl)\n"),))),
        Mistake(Break("", ((END, f"{ENDS}  %late.way = {SUSPEND}\n"),))),
        Mistake(Break("", ((END, f"{ENDS}  br label %late\n\nlate:\n  %late.save = call token @llvm.coro.save(ptr %hdl)\n"),))),
    ),
    "suspend-result": (
        _code_before_branch_violation("call void @odd(i8 %front.way)", more="\ndeclare void @odd(i8)\n"),
        _code_before_branch_violation("store i8 %front.way, ptr @odd", more="\n@odd = global i8 0\n"),
        _code_before_branch_violation(
            "%odd = sitofp i8 %front.way to float", "%odd.back = fptosi float %odd to i8", number="%odd.back"
        ),
    ),
    "ignored-suspend": (
        Mistake(Break("", before=f"%ignored = {SUSPEND}\n  store i8 0, ptr @odd", declarations="@odd = global i8 0\n")),
        Mistake(
            Break(
                "",
                before=f"%ignored = {SUSPEND}\n  br label %goes.on\n\ngoes.on:\n  call void @odd()",
                declarations="declare void @odd()\n",
            )
        ),
        Mistake(Break("", ((r"^  %final = ", f"  %ignored = {SUSPEND}\n  %final = "),))),
    ),
    "impossible-result": (
        Mistake(Break("", suspend=SUSPEND), late=(("i8 0, label %after", "i8 2, label %after"),)),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (
                    r"^  switch i8 %front\.way, label %out \[.*\]$",
                    "  %odd = icmp ne i8 %front.way, -3\n  br i1 %odd, label %after, label %out",
                ),
            ),
        ),
        Mistake(Break("", ((r"(switch i8 %final, .*) i8 1,", r"\1 i8 100,"),))),
    ),
    "resume-unreachable": (
        Mistake(
            Break("", suspend=SUSPEND),
            late=(("i8 0, label %after", "i8 0, label %odd"), ("^after:$", "odd:\n  unreachable\n\nafter:")),
        ),
        Mistake(Break("", ((r"(%final = call i8 @llvm\.coro\.suspend\(token none, i1) true", r"\1 false"),))),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (
                    r"^  switch i8 %front\.way, label %out \[.*\]$",
                    "  %odd = icmp eq i8 %front.way, 0\n  br i1 %odd, label %lost, label %out\n\nlost:\n  unreachable",
                ),
            ),
        ),
    ),
    "frame-after-suspend": (
        _published_handle_violation("store i64 1, ptr %mine", "  %mine = alloca i64", after="%again = load i64, ptr %mine"),
        _published_handle_violation("%header = load ptr, ptr %hdl"),
        _published_handle_violation("%ends.now = call i1 @llvm.coro.done(ptr %hdl)"),
        _published_handle_violation("%there = call ptr @llvm.coro.promise(ptr %hdl, i32 8, i1 false)\n  store i8 0, ptr %there"),
        _published_handle_violation(
            "%part = getelementptr i8, ptr %mine, i64 1\n  store i8 0, ptr %part",
            "  %mine = alloca [4 x i64]",
            "\n  store i64 2, ptr %mine",
            "%again = load i64, ptr %mine",
        ),
    ),
    "escape-before-begin": tuple(
        Mistake(Break("", ((FIRST, f"  %mine = alloca i64\n{entry}  %id = "),), "store i64 1, ptr %mine", after, SUSPEND, KEEPS))
        for entry, after in (
            ("  call void @keep.mine(ptr %mine)\n", "%again = load i64, ptr %mine"),
            ("  store ptr %mine, ptr @kept\n", "%again = load i64, ptr %mine"),
            (
                "  %box = alloca ptr\n  store ptr %mine, ptr %box\n",
                "%boxed = load ptr, ptr %box\n  call void @schedule(ptr %box)\n"
                "  %again = load i64, ptr %boxed\n  %more = load i64, ptr %mine",
            ),
            (
                "  %slot = getelementptr i8, ptr @kept, i64 0\n  store ptr %mine, ptr %slot\n",
                "store i64 3, ptr %mine\n  call void @schedule(ptr %mine)",
            ),
        )
    ),
    "unguarded-allocation": tuple(
        Mistake(Break("", ((r"  %hdl = call ptr @llvm\.coro\.begin\(token %id, ptr (%\w+)\)\n", text),)))
        for text in (
            "  %wanted = call i1 @llvm.coro.alloc(token %id)\n  %more = call ptr @alloc_aligned(i64 64, i64 16)\n"
            "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %more)\n",
            "  %more.size = call i64 @llvm.coro.size.i64()\n  %more = call ptr @alloc_aligned(i64 %more.size, i64 16)\n"
            "  %wanted = call i1 @llvm.coro.alloc(token %id)\n  br i1 %wanted, label %has, label %has\n\nhas:\n"
            "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %more)\n",
            "  %wanted = call i1 @llvm.coro.alloc(token %id)\n  br i1 %wanted, label %asks, label %has\n\n"
            "asks:\n  br label %has\n\nhas:\n"
            "  %more = call ptr @alloc_aligned(i64 64, i64 16)\n  %hdl = call ptr @llvm.coro.begin(token %id, ptr %more)\n",
        )
    ),
    "free-without-coro-free": tuple(
        Mistake(Break("", ((r"^cleanup:$", f"cleanup:\n{text}"),), declarations=declared))
        for text, declared in (
            ("  call void @free(ptr %hdl)\n", "declare void @free(ptr)\n"),
            ("  call void @_ZdlPvm(ptr %hdl, i64 8)\n", "declare void @_ZdlPvm(ptr, i64)\n"),
            ("  call void @give_back(ptr %hdl)\n", 'declare void @give_back(ptr allocptr) allockind("free")\n'),
            ("  %same = getelementptr i8, ptr %hdl, i64 0\n  call void @free_aligned(ptr %same)\n", ""),
        )
    ),
    "unused-free": (
        Mistake(Break("", ((r"^cleanup:$", "cleanup:\n  %unused.mem = call ptr @llvm.coro.free(token %id, ptr %hdl)"),))),
        Mistake(Break("", ((r"^finish:$", "finish:\n  %unused.mem = call ptr @llvm.coro.free(token %id, ptr %hdl)"),))),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (r"(%front\.way, .*) i8 1, label %cleanup", r"\1 i8 1, label %leaks"),
                ("^after:$", "leaks:\n  %unused.mem = call ptr @llvm.coro.free(token %id, ptr %hdl)\n  br label %out\n\nafter:"),
            ),
        ),
    ),
    "destroy-leaks": (
        Mistake(Break("", suspend=SUSPEND), late=((r"(%front\.way, .*) i8 1, label %cleanup", r"\1 i8 1, label %out"),)),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (
                    r"^  switch i8 %front\.way, label %out \[.*\]$",
                    "  %odd = icmp eq i8 %front.way, 0\n  br i1 %odd, label %after, label %out",
                ),
            ),
        ),
        Mistake(
            Break("", suspend=SUSPEND),
            late=(
                (r"(%front\.way, .*) i8 1, label %cleanup", r"\1 i8 1, label %leaks"),
                ("^after:$", "leaks:\n  %odd = icmp eq i8 %front.way, 0\n  br i1 %odd, label %leaks, label %out\n\nafter:"),
            ),
        ),
    ),
    "frame-memory-size": tuple(
        Mistake(Break("", ((r"  %hdl = call ptr @llvm\.coro\.begin\(token %id, ptr (%\w+)\)\n", text),), declarations=declared))
        for text, declared in (
            (
                "  %small = call ptr @malloc(i64 8)\n  %hdl = call ptr @llvm.coro.begin(token %id, ptr %small)\n",
                "declare ptr @malloc(i64)\n",
            ),
            (
                "  %small = call ptr @aligned_alloc(i64 16, i64 15)\n  %hdl = call ptr @llvm.coro.begin(token %id, ptr %small)\n",
                "declare ptr @aligned_alloc(i64, i64)\n",
            ),
            (
                "  %asked = call i1 @llvm.coro.alloc(token %id)\n  br label %asks\n\nasks:\n"
                "  br i1 %asked, label %gets, label %has\n\ngets:\n  %small = call ptr @_Znwm(i64 4)\n  br label %has\n\nhas:\n"
                "  %both = phi ptr [ null, %asks ], [ %small, %gets ]\n"
                "  %hdl = call ptr @llvm.coro.begin(token %id, ptr %both)\n",
                "declare ptr @_Znwm(i64)\n",
            ),
        )
    ),
    "promise-align": (
        Mistake(
            Break(
                "", ((r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 %far,"), (FIRST, "  %far = alloca i64, align 64\n  %id = "))
            ),
            "\ndefine ptr @mistaken() {\n  %h = @CALL\n"
            "  %there = call ptr @llvm.coro.promise(ptr %h, i32 8, i1 false)\n  ret ptr %there\n}\n",
        ),
        Mistake(
            Break(
                "", ((r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 %near,"), (FIRST, "  %near = alloca i64, align 8\n  %id = "))
            ),
            "\ndefine ptr @mistaken() {\n  %h = @CALL\n"
            "  %there = call ptr @llvm.coro.promise(ptr %h, i32 64, i1 false)\n  ret ptr %there\n}\n",
        ),
        Mistake(
            Break(
                "",
                ((r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 %near,"), (FIRST, "  %near = alloca i64, align 8\n  %id = ")),
                before="%own = call ptr @llvm.coro.promise(ptr %hdl, i32 128, i1 false)\n  store i8 0, ptr %own",
            )
        ),
        Mistake(
            Break(
                "",
                (
                    (r"(@llvm\.coro\.id\(i32 0, ptr) [\w%.]+,", r"\1 %far,"),
                    (FIRST, "  %far = alloca i64, align 64\n  %id = "),
                    (r"%align = call i64 @llvm\.coro\.align\.i64\(\)", "%align = add i64 0, 16"),
                ),
            )
        ),
    ),
    "constant-async-pointer": (
        _size_reader("  %size = load i32, ptr getelementptr inbounds (%afp.mine, ptr @sized_fp, i32 0, i32 1)"),
        _size_reader("  %place = getelementptr i32, ptr @sized_fp, i64 %at\n  %size = load i32, ptr %place"),
        _size_reader("  %both = load %afp.mine, ptr @sized_fp\n  %size = extractvalue %afp.mine %both, 1"),
    ),
    "use-after-destroy": (
        _caller_mistake(_instruction_lines(DESTROY, RESUME, "ret void")),
        _caller_mistake(_instruction_lines(DESTROY, "br label %next", "next:", DONE, "ret void")),
        _caller_mistake(
            _instruction_lines(DONE, DESTROY, "br i1 %is.done, label %a, label %b", "a:", "ret void", "b:", DESTROY, "ret void")
        ),
        _caller_mistake(_instruction_lines("call void @over(ptr %h)", PROMISE, "ret void"), DESTROYS),
        _caller_mistake(
            _instruction_lines(DESTROY, "call void @again(ptr %h)", "ret void"),
            f"\ndefine void @again(ptr %h) {{\n  call void @over(ptr %h)\n  ret void\n}}\n{DESTROYS}",
        ),
    ),
    "resume-after-final": (
        _caller_mistake(
            _instruction_lines(DONE, "br i1 %is.done, label %over, label %on", "over:", RESUME, "ret void", "on:", "ret void")
        ),
        _caller_mistake(
            _instruction_lines(
                DONE,
                "br i1 %is.done, label %over, label %on",
                "over:",
                "br label %deep",
                "deep:",
                "call void @goes(ptr %h)",
                "ret void",
                "on:",
                "ret void",
            ),
            f"\ndefine void @goes(ptr %h) {{\n  {RESUME}\n  ret void\n}}\n",
        ),
        _bounded_resume_caller(_instruction_lines(RESUME, RESUME, "ret void")),
        _bounded_resume_caller(
            _instruction_lines(RESUME, "br label %next", "next:", "call void @goes(ptr %h)", DESTROY, "ret void"),
            f"\ndefine void @goes(ptr %h) {{\n  {RESUME}\n  ret void\n}}\n",
        ),
    ),
    "elide-safe-escapes": (
        _elide_safe_caller("  ret ptr %h", "ptr"),
        _elide_safe_caller("  store ptr %h, ptr @kept\n  ret void"),
        _elide_safe_caller(
            "  %slot = alloca ptr\n  store ptr %h, ptr %slot\n  %same = load ptr, ptr %slot\n  ret ptr %same", "ptr"
        ),
        _elide_safe_caller(
            "  call void @keep.it(ptr %h)\n  ret void",
            more="\ndefine void @keep.it(ptr %h) {\n  store ptr %h, ptr @kept\n  ret void\n}\n",
        ),
    ),
    "noalias": (
        Mistake(Break("", ((r"^define ptr @", "define noalias ptr @"),), before="store ptr %hdl, ptr @kept", declarations=HANDLES)),
        Mistake(
            Break(""),
            "\n@arena = global [99 x i8] zeroinitializer\ndefine noalias ptr @mistaken(i64 %size) {\n  ret ptr @arena\n}\n",
        ),
        Mistake(
            Break(""),
            "\ndefine noalias ptr @mistaken(ptr %arena, i64 %at) {\n  %there = getelementptr i8, ptr %arena, i64 8\n"
            "  ret ptr %there\n}\n",
        ),
        Mistake(
            Break(""),
            "\ndefine noalias ptr @mistaken(ptr %arena, i1 %odd) {\nentry:\n  br i1 %odd, label %new, label %out\n\nnew:\n"
            "  %new.one = call ptr @alloc_aligned(i64 8, i64 8)\n  br label %out\n\nout:\n"
            "  %gives = phi ptr [ %arena, %entry ], [ %new.one, %new ]\n  ret ptr %gives\n}\n",
        ),
    ),
}
"""Variants of the bug for each rule of `pycoro.lint.RULES`.

>>> from pycoro import strategies
>>> strategies.MISTAKES.keys() == pycoro.lint.RULES.keys()
True
"""

_INTRINSICS = {
    "llvm.coro.promise": "ptr @llvm.coro.promise(ptr, i32, i1)",
    "llvm.coro.done": "i1 @llvm.coro.done(ptr)",
    "llvm.coro.resume": "void @llvm.coro.resume(ptr)",
    "llvm.coro.destroy": "void @llvm.coro.destroy(ptr)",
    "llvm.coro.save": "token @llvm.coro.save(ptr)",
    "llvm.coro.alloc": "i1 @llvm.coro.alloc(token)",
    "llvm.coro.suspend": "i8 @llvm.coro.suspend(token, i1)",
    "llvm.coro.end": "void @llvm.coro.end(ptr, i1, token)",
    "alloc_aligned": "ptr @alloc_aligned(i64, i64)",
}


def _call_text(c: m.Coroutine) -> str:
    given = ["ptr null"] if not c.final else []
    given += [f"{'ptr' if p.byval else p.kind} zeroinitializer" for p in c.parameters]
    return f"call ptr @{c.name}({', '.join(given)})"


def mistaken(rule: str, way: int, seed: int | str, *, mistake: Mistake | None = None) -> str:
    """Return the IR of a program, drawn from the seed, with a bug that the linter reports by the rule. ``way`` is an index
    into the `MISTAKES` of the rule; ``mistake`` replaces that entry. Raises ``UsageError`` for an unknown rule or index.

    >>> from pycoro import strategies
    >>> text = mistaken("shared-suspend", 0, seed=1)
    >>> "shared-suspend" in pycoro.Module(text).lint().counts
    True
    """
    ways = MISTAKES.get(rule)
    if ways is None or not 0 <= way < len(ways):
        raise UsageError(f"MISTAKES has no entry {way} for the rule {rule!r}; its rules are {', '.join(MISTAKES)}")
    drawn = program(Seeded(seed), ALL.but(abis=("switch",), callees=("switch",), built=0))
    last = drawn.coroutines[-1]
    if not last.final or last.compared:  # code that the program's text lacks
        drawn = m.Program(coroutines=(*drawn.coroutines[:-1], m.Coroutine(last.name, ())), drives=())
        last = drawn.coroutines[-1]
    made = mistake or ways[way]
    text = broken_text(drawn, made.how)
    for found, put in made.late:
        text, count = re.subn(found, put, text, count=1, flags=re.MULTILINE)
        assert count, found
    text += re.sub(r"@F\b", f"@{last.name}", made.callers.replace("@CALL", _call_text(last)))
    missing = (f"declare {what}\n" for name, what in _INTRINSICS.items() if f"@{name}(" in text and f"declare {what}" not in text)
    return text + "".join(missing)
