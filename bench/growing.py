"""Inputs that grow in one direction each, for what once grew faster than they do: `growth.py` lowers them at N, 2N, 4N."""

from __future__ import annotations

from families import HEAD, TAIL, suspend

TARGET, _, BEGIN = HEAD.partition("define")
BEGIN = "define" + BEGIN
MORE = """\
declare void @keep(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
"""


def resumed(body: str, variables: str = "", more: str = "") -> str:
    """A coroutine whose `body` begins behind a suspend and ends by going to %cleanup."""
    head = HEAD.replace("entry:\n", "entry:\n" + variables)
    if variables.startswith("  %a = alloca i64\n"):
        head += "  store i64 %n, ptr %a\n"
    return head + suspend(0, "begin") + "begin:\n" + body + TAIL + MORE + more


def small(name: str) -> str:
    """A coroutine of its own with one suspend, without what it calls."""
    return BEGIN.replace("@f(", f"@{name}(") + suspend(0, "cleanup") + TAIL.partition("declare")[0]


def module(*functions: str) -> str:
    return TARGET + "\n".join(functions) + "declare" + TAIL.partition("declare")[2] + MORE


def reloads(n: int) -> str:
    """One variable stored before N blocks that load it: no suspend is between."""
    blocks = "".join(
        f"  br i1 %c, label %b{i}, label %end\n\nb{i}:\n  %v{i} = load i64, ptr %a\n  call void @use(i64 %v{i})\n" for i in range(n)
    )
    either = (
        "  br i1 %c, label %one, label %two\n\none:\n  store i64 1, ptr %a\n  br label %both\n\n"
        "two:\n  store i64 2, ptr %a\n  br label %both\n\nboth:\n"
    )
    return resumed(either + blocks + "  br label %end\n\nend:\n  br label %cleanup\n\n", "  %a = alloca i64\n")


def far_variables(n: int) -> str:
    """N variables, each stored before N blocks and loaded behind them."""
    allocas = "".join(f"  %a{i} = alloca i64\n" for i in range(n))
    stores = "".join(f"  store i64 {i}, ptr %a{i}\n" for i in range(n))
    blocks = "".join(f"  br i1 %c, label %b{i}, label %cleanup\n\nb{i}:\n  call void @use(i64 {i})\n" for i in range(n))
    loads = "".join(f"  %v{i} = load i64, ptr %a{i}\n  call void @use(i64 %v{i})\n" for i in range(n))
    text = resumed(stores + blocks + loads + "  br label %cleanup\n\n", allocas)
    early = "".join(f"  store i64 %n, ptr %a{i}\n" for i in range(n))
    return text.replace("  %s0 = call i8", early + "  %s0 = call i8")


def functions(n: int) -> str:
    """N coroutines and N functions that are none."""
    plain = "".join(f"define void @p{i}() {{\n  call void @use(i64 {i})\n  ret void\n}}\n\n" for i in range(n))
    return module(plain, *(small(f"f{i}") for i in range(n)))


def ladders(n: int, rungs: int = 13) -> str:
    """N chains of calls, each taking three times what the one before it gave; the last ones cross a suspend, and whether
    a call is made again an ABI of one's own says."""
    rung = "  %x{i}.{after} = call i64 @mix(i64 %x{i}.{k}, i64 %x{i}.{k}, i64 %x{i}.{k})\n"
    body = []
    for i in range(n):
        body.append(f"  %x{i}.0 = add i64 %n, {i}\n")
        body += [rung.format(i=i, k=k, after=k + 1) for k in range(rungs)]
    used = "".join(f"  call void @use(i64 %x{i}.{rungs})\n" for i in range(n))
    kept = "begin:\n  call void @use(i64 %n)\n"
    text = HEAD + "".join(body) + suspend(0, "begin") + kept + used + "  br label %cleanup\n\n" + TAIL
    text = text.replace("@llvm.coro.begin(token %id, ptr %memory)", "@llvm.coro.begin.custom.abi(token %id, ptr %memory, i32 0)")
    text = text.replace("@llvm.coro.begin(token, ptr)", "@llvm.coro.begin.custom.abi(token, ptr, i32)")
    return text + "declare i64 @mix(i64, i64, i64)\n"


def lifetimes(n: int) -> str:
    """One variable with N lifetimes, each over before the next suspend."""
    body = "".join(
        "  call void @llvm.lifetime.start.p0(ptr %a)\n  call void @keep(ptr %a)\n  call void @llvm.lifetime.end.p0(ptr %a)\n"
        + suspend(i + 1, f"b{i}")
        + f"b{i}:\n"
        for i in range(n)
    )
    return resumed(body + "  br label %cleanup\n\n", "  %a = alloca i64\n")


def wide(n: int) -> str:
    """A switch with N ways that meet again in one phi."""
    cases = "".join(f"    i64 {i}, label %w{i}\n" for i in range(n))
    ways = "".join(f"w{i}:\n  %v{i} = call i64 @make(i64 {i})\n  br label %meet\n\n" for i in range(n))
    phi = "".join(f", [ %v{i}, %w{i} ]" for i in range(n))
    return resumed(
        f"  switch i64 %n, label %meet [\n{cases}  ]\n\n{ways}meet:\n  %p = phi i64 [ 0, %begin ]{phi}\n"
        "  call void @use(i64 %p)\n  br label %cleanup\n\n"
    )


def wide_phis(n: int) -> str:
    """A switch with N ways, each of which has a phi of its own."""
    cases = "".join(f"    i64 {i}, label %w{i}\n" for i in range(n))
    ways = "".join(
        f"w{i}:\n  %p{i} = phi i64 [ %n, %begin ]\n  %a{i}.v = load i64, ptr %a\n  call void @use(i64 %p{i})\n"
        f"  call void @use(i64 %a{i}.v)\n  br label %cleanup\n\n"
        for i in range(n)
    )
    return resumed(f"  switch i64 %n, label %cleanup [\n{cases}  ]\n\n{ways}", "  %a = alloca i64\n")


def phis(n: int) -> str:
    """N phis where two ways meet."""
    left = "".join(f"  %x{i} = call i64 @make(i64 {i})\n" for i in range(n))
    meet = "".join(f"  %p{i} = phi i64 [ %x{i}, %one ], [ {i}, %begin ]\n" for i in range(n))
    used = "".join(f"  call void @use(i64 %p{i})\n" for i in range(n))
    return resumed(
        f"  br i1 %c, label %one, label %meet\n\none:\n{left}  br label %meet\n\nmeet:\n{meet}{used}"
        + suspend(1, "after")
        + f"after:\n{used}  br label %cleanup\n\n"
    )


def frees(n: int) -> str:
    """N places where the frame is freed."""
    blocks = "".join(
        f"  br i1 %c, label %b{i}, label %e{i}\n\ne{i}:\n  %m{i} = call ptr @llvm.coro.free(token %id, ptr %frame)\n"
        f"  call void @free(ptr %m{i})\n  br label %suspend\n\nb{i}:\n  call void @use(i64 {i})\n"
        for i in range(n)
    )
    return resumed(blocks + "  br label %cleanup\n\n")


def addresses(n: int) -> str:
    """One variable with N addresses into it, each needed across a suspend."""
    made = "".join(f"  %g{i} = getelementptr i8, ptr %a, i64 {i}\n  call void @keep(ptr %g{i})\n" for i in range(n))
    used = "".join(f"  call void @keep(ptr %g{i})\n" for i in range(n))
    variable = f"  %a = alloca [{n} x i8]\n"
    return resumed(made + suspend(1, "after") + f"after:\n{used}  br label %cleanup\n\n", variable)


def loops(n: int) -> str:
    """N loops within one another, a suspend in the innermost."""
    heads = "".join(f"  br label %h{i}\n\nh{i}:\n  %v{i} = call i64 @make(i64 {i})\n" for i in range(n))
    tails = "".join(
        f"t{i}:\n  call void @use(i64 %v{i})\n  br i1 %c, label %h{i}, label %{f't{i - 1}' if i else 'cleanup'}\n\n"
        for i in reversed(range(n))
    )
    return resumed(heads + suspend(1, f"t{n - 1}") + tails)


def invokes(n: int) -> str:
    """N calls that may throw, each to a landing pad of its own that ends the coroutine."""
    body = "".join(
        f"  invoke void @use(i64 {i}) to label %b{i} unwind label %p{i}\n\n"
        f"p{i}:\n  %l{i} = landingpad {{ ptr, i32 }} cleanup\n  call void @llvm.coro.end(ptr %frame, i1 true, token none)\n"
        f"  resume {{ ptr, i32 }} %l{i}\n\nb{i}:\n"
        for i in range(n)
    )
    text = resumed(body + "  br label %cleanup\n\n", more="declare i32 @__gxx_personality_v0(...)\n")
    return text.replace("presplitcoroutine {", "presplitcoroutine personality ptr @__gxx_personality_v0 {")


def safe_calls(n: int) -> str:
    """A coroutine that calls another N times, where every frame may lie in its own."""
    body = "".join(f"  %h{i} = call ptr @g(i64 {i}, i1 %c) coro_elide_safe\n  call void @keep(ptr %h{i})\n" for i in range(n))
    return resumed(body + "  br label %cleanup\n\n") + small("g")


def many_safe_callees(n: int) -> str:
    """A coroutine that calls N others, where every frame may lie in its own."""
    body = "".join(f"  %h{i} = call ptr @g{i}(i64 {i}, i1 %c) coro_elide_safe\n  call void @keep(ptr %h{i})\n" for i in range(n))
    return resumed(body + "  br label %cleanup\n\n") + "".join(small(f"g{i}") for i in range(n))


def resumes(n: int) -> str:
    """N suspends that are over before they begin."""
    body = "".join(
        f"  %k{i} = call token @llvm.coro.save(ptr %frame)\n  call void @llvm.coro.resume(ptr %frame)\n"
        f"  %s{i + 1} = call i8 @llvm.coro.suspend(token %k{i}, i1 false)\n"
        f"  switch i8 %s{i + 1}, label %suspend [\n    i8 0, label %b{i}\n    i8 1, label %cleanup\n  ]\n\nb{i}:\n"
        for i in range(n)
    )
    more = "declare token @llvm.coro.save(ptr)\ndeclare void @llvm.coro.resume(ptr)\n"
    return resumed(body + "  br label %cleanup\n\n", more=more)


def chain(n: int) -> str:
    """N functions, each calling the next, the last a coroutine."""
    calls = "".join(f"define ptr @p{i}() {{\n  %h = call ptr @p{i + 1}()\n  ret ptr %h\n}}\n\n" for i in range(n))
    last = f"define ptr @p{n}() {{\n  %h = call ptr @f(i64 0, i1 true)\n  ret ptr %h\n}}\n\n"
    return module(calls, last, small("f"))


def parameters(n: int) -> str:
    """N parameters that are needed behind a suspend."""
    used = "".join(f"  call void @use(i64 %p{i})\n" for i in range(n))
    list_ = "".join(f", i64 %p{i}" for i in range(n))
    return resumed(used + "  br label %cleanup\n\n").replace("@f(i64 %n, i1 %c", "@f(i64 %n, i1 %c" + list_)
