"""Inputs that grow in one dimension each, for regressions to superlinear growth: `growth.py` lowers them at N, 2N and 4N."""

from __future__ import annotations

from parts import END, LIVES, LOADED, MADE, USED, VARIABLE, coroutine, each, module, resumed, small, suspend

SAFE_CALL = "  %h{i} = call ptr @{callee}(i64 {i}, i1 %c) coro_elide_safe\n  call void @keep(ptr %h{i})\n"


def reloads(n: int) -> str:
    """One alloca, stored before N blocks that load it, without a suspend in between."""
    either = (
        "  br i1 %c, label %one, label %two\n\none:\n  store i64 1, ptr %a\n  br label %both\n\n"
        "two:\n  store i64 2, ptr %a\n  br label %both\n\nboth:\n"
    )
    blocks = each(n, "  br i1 %c, label %b{i}, label %end\n\nb{i}:\n  %v{i} = load i64, ptr %a\n" + USED)
    return resumed(either + blocks + "  br label %end\n\nend:\n" + END, "  %a = alloca i64\n")


def far_variables(n: int) -> str:
    """N allocas, each stored before N blocks and loaded after them."""
    stores = each(n, "  store i64 {i}, ptr %a{i}\n")
    blocks = each(n, "  br i1 %c, label %b{i}, label %cleanup\n\nb{i}:\n  call void @use(i64 {i})\n")
    text = resumed(stores + blocks + each(n, LOADED + USED) + END, each(n, VARIABLE))
    return text.replace("  %s0 = call i8", each(n, "  store i64 %n, ptr %a{i}\n") + "  %s0 = call i8")


def functions(n: int) -> str:
    """N coroutines and N ordinary functions."""
    plain = each(n, "define void @p{i}() {\n  call void @use(i64 {i})\n  ret void\n}\n\n")
    return module(plain, *(small(f"f{i}") for i in range(n)))


def ladders(n: int, rungs: int = 13) -> str:
    """N chains of calls; each call uses its predecessor three times. The last ones are live across a suspend, and a custom ABI
    decides whether a call is rematerialized.
    """
    rung = "  %x{i}.{after} = call i64 @mix(i64 %x{i}.{k}, i64 %x{i}.{k}, i64 %x{i}.{k})\n"
    chain = "".join(rung.replace("{k}", f"{k}").replace("{after}", f"{k + 1}") for k in range(rungs))
    body = each(n, "  %x{i}.0 = add i64 %n, {i}\n" + chain) + suspend(0, "begin") + "begin:\n  call void @use(i64 %n)\n"
    used = each(n, f"  call void @use(i64 %x{{i}}.{rungs})\n")
    text = coroutine(body + used + END, more="declare i64 @mix(i64, i64, i64)\n")
    text = text.replace("@llvm.coro.begin(token %id, ptr %memory)", "@llvm.coro.begin.custom.abi(token %id, ptr %memory, i32 0)")
    return text.replace("@llvm.coro.begin(token, ptr)", "@llvm.coro.begin.custom.abi(token, ptr, i32)")


def lifetimes(n: int) -> str:
    """One alloca with N lifetimes that end before the next suspend."""
    body = "".join(LIVES + suspend(i + 1, f"b{i}") + f"b{i}:\n" for i in range(n))
    return resumed(body + END, "  %a = alloca i64\n")


def turns(n: int) -> str:
    """N allocas in N blocks of a loop; their lifetimes end with the iteration."""
    start = "  call void @llvm.lifetime.start.p0(ptr %v{i})\n  call void @keep(ptr %v{i})\n"
    made = "  br label %b{i}\n\nb{i}:\n  %v{i} = alloca i64\n" + start
    ends = each(n, "  call void @llvm.lifetime.end.p0(ptr %v{i})\n")
    return resumed("  br label %turn\n\nturn:\n" + each(n, made) + ends + "  br i1 %c, label %turn, label %cleanup\n\n")


def switch(n: int, otherwise: str) -> str:
    """Return N edges from %begin."""
    return f"  switch i64 %n, label %{otherwise} [\n" + each(n, "    i64 {i}, label %w{i}\n") + "  ]\n\n"


def wide(n: int) -> str:
    """A switch with N edges that merge in one phi."""
    ways = each(n, "w{i}:\n" + MADE + "  br label %meet\n\n")
    phi = "meet:\n  %p = phi i64 [ 0, %begin ]" + each(n, ", [ %v{i}, %w{i} ]") + "\n  call void @use(i64 %p)\n"
    return resumed(switch(n, "meet") + ways + phi + END)


def met(n: int) -> str:
    """A switch with N edges, each with a definition and a suspend, that merge in eight phis."""
    ways = "".join(
        f"w{i}:\n  %v{i} = call i64 @make(i64 {i})\n{suspend(i + 1, f'a{i}')}a{i}:\n  br label %meet\n\n" for i in range(n)
    )
    phi = "  %p{i} = phi i64 " + ", ".join(f"[ %v{k}, %a{k} ]" for k in range(n)) + "\n"
    return resumed(switch(n, "cleanup") + ways + "meet:\n" + each(8, phi) + each(8, "  call void @use(i64 %p{i})\n") + END)


def wide_phis(n: int) -> str:
    """A switch with N edges to blocks with one phi each."""
    way = "w{i}:\n  %p{i} = phi i64 [ %n, %begin ]\n  %a{i}.v = load i64, ptr %a\n  call void @use(i64 %p{i})\n"
    return resumed(switch(n, "cleanup") + each(n, way + "  call void @use(i64 %a{i}.v)\n" + END), "  %a = alloca i64\n")


def phis(n: int) -> str:
    """N phis where two edges merge."""
    left = each(n, "  %x{i} = call i64 @make(i64 {i})\n")
    meet = each(n, "  %p{i} = phi i64 [ %x{i}, %one ], [ {i}, %begin ]\n")
    used = each(n, "  call void @use(i64 %p{i})\n")
    return resumed(
        f"  br i1 %c, label %one, label %meet\n\none:\n{left}  br label %meet\n\nmeet:\n{meet}{used}"
        + suspend(1, "after")
        + f"after:\n{used}{END}"
    )


def frees(n: int) -> str:
    """N places that free the frame."""
    freed = (
        "e{i}:\n  %m{i} = call ptr @llvm.coro.free(token %id, ptr %frame)\n  call void @free(ptr %m{i})\n  br label %suspend\n\n"
    )
    return resumed(each(n, "  br i1 %c, label %b{i}, label %e{i}\n\n" + freed + "b{i}:\n  call void @use(i64 {i})\n") + END)


def addresses(n: int) -> str:
    """One alloca with N derived addresses, each live across a suspend."""
    used = "  call void @keep(ptr %g{i})\n"
    made = each(n, "  %g{i} = getelementptr i8, ptr %a, i64 {i}\n" + used)
    return resumed(made + suspend(1, "after") + f"after:\n{each(n, used)}{END}", f"  %a = alloca [{n} x i8]\n")


def loops(n: int) -> str:
    """N nested loops with a suspend in the innermost."""
    heads = each(n, "  br label %h{i}\n\nh{i}:\n" + MADE)
    tails = "".join(
        f"t{i}:\n  call void @use(i64 %v{i})\n  br i1 %c, label %h{i}, label %{f't{i - 1}' if i else 'cleanup'}\n\n"
        for i in reversed(range(n))
    )
    return resumed(heads + suspend(1, f"t{n - 1}") + tails)


def invokes(n: int) -> str:
    """N calls that may throw, each with its own landing pad that ends the coroutine."""
    invoke = (
        "  invoke void @use(i64 {i}) to label %b{i} unwind label %p{i}\n\n"
        "p{i}:\n  %l{i} = landingpad { ptr, i32 } cleanup\n  call void @llvm.coro.end(ptr %frame, i1 true, token none)\n"
        "  resume { ptr, i32 } %l{i}\n\nb{i}:\n"
    )
    text = resumed(each(n, invoke) + END, more="declare i32 @__gxx_personality_v0(...)\n")
    return text.replace("presplitcoroutine {", "presplitcoroutine personality ptr @__gxx_personality_v0 {")


def ended(n: int, told: str = "0") -> str:
    """N calls with exceptions that end the coroutine through one shared cleanup, which calls `told` on each path."""
    invoke = (
        "w{i}:\n  invoke void @use(i64 {i}) to label %cleanup unwind label %p{i}\n\n"
        "p{i}:\n  %l{i} = landingpad { ptr, i32 } cleanup\n" + MADE + "  call void @llvm.coro.end(ptr null, i1 true, token none)\n"
        "  %r{i} = call i1 @llvm.coro.is_in_ramp()\n  br i1 %r{i}, label %over, label %o{i}\n\n"
        "o{i}:\n  resume { ptr, i32 } %l{i}\n\n"
    )
    last = suspend("last", "cleanup").replace("i1 false", "i1 true").replace("i8 1, label %cleanup", "i8 1, label %over")
    phis = (("to", "i8", "3", "2"), ("lost", "{ ptr, i32 }", "%l{i}", "poison"), ("told", "i64", told, "0"))
    over = "".join(
        f"  %{name} = phi {of} [ {usual}, %cleanup ], [ {usual}, %last ]" + each(n, f", [ {thrown}, %p{{i}} ]") + "\n"
        for name, of, thrown, usual in phis
    )
    cleanup = f"  br label %over\n\nover:\n{over}  call void @use(i64 %told)\n"
    text = resumed(switch(n, "last") + each(n, invoke) + "last:\n" + last, more="declare i1 @llvm.coro.is_in_ramp()\n")
    text = text.replace("cleanup:\n", "cleanup:\n" + cleanup).replace(
        "  br label %suspend\n",
        "  switch i8 %to, label %suspend [\n    i8 3, label %lost.on\n  ]\n\nlost.on:\n  resume { ptr, i32 } %lost\n",
    )
    text = text.replace("declare void @use(i64)", "declare void @use(i64)\ndeclare i32 @__gxx_personality_v0(...)")
    return text.replace("presplitcoroutine {", "presplitcoroutine personality ptr @__gxx_personality_v0 {")


def ended_otherwise(n: int) -> str:
    """The same, where each path passes another value to the cleanup."""
    return ended(n, "%v{i}")


def cleaned_up(n: int, text: str, parameters: str = "", variables: str = "") -> str:
    """A coroutine that an exception may end; its cleanup contains `text` for N numbers after the frame is freed."""
    thrown = (
        "thrown:\n  %l = landingpad { ptr, i32 } cleanup\n  call void @llvm.coro.end(ptr null, i1 true, token none)\n"
        "  %r = call i1 @llvm.coro.is_in_ramp()\n  br i1 %r, label %over, label %o\n\no:\n  resume { ptr, i32 } %l\n\n"
        "over:\n  %left = call ptr @llvm.coro.free(token %id, ptr %frame)\n  call void @free(ptr %left)\n"
    )
    after = f"  br label %k{n}\n\nk{n}:\n  resume {{ ptr, i32 }} %l\n\n"
    body = "  invoke void @use(i64 %n) to label %cleanup unwind label %thrown\n\n" + thrown + each(n, text) + after
    declared = "declare i1 @llvm.coro.is_in_ramp()\ndeclare i32 @__gxx_personality_v0(...)\n"
    made = resumed(body, variables, more=declared).replace("@f(i64 %n, i1 %c", "@f(i64 %n, i1 %c" + each(n, parameters))
    return made.replace("presplitcoroutine {", "presplitcoroutine personality ptr @__gxx_personality_v0 {")


def destroyed_variables(n: int) -> str:
    """A cleanup with N calls on variables, of a coroutine with N parameters in memory."""
    stores = each(n, "  %q{i} = alloca i64\n  store i64 %p{i}, ptr %q{i}\n")
    return cleaned_up(n, "  call void @keep(ptr %v)\n", ", i64 %p{i}", stores + "  %v = alloca i64\n")


def freed_again(n: int) -> str:
    """A cleanup that asks N times for the memory to free."""
    return cleaned_up(n, "  %f{i} = call ptr @llvm.coro.free(token %id, ptr %frame)\n")


def caught_without_return(n: int) -> str:
    """A cleanup with N calls whose exceptions are caught, and N blocks after the handlers, which do not return."""
    call = "  br label %k{i}\n\nk{i}:\n  invoke void @use(i64 {i}) to label %d{i} unwind label %h{i}\n\n"
    handler = "h{i}:\n  %l{i} = landingpad { ptr, i32 } catch ptr null\n  br label %far\n\nd{i}:\n"
    far = "far:\n" + switch(n, "never") + each(n, "w{i}:\n  br label %never\n\n") + "never:\n  unreachable\n\n"
    return cleaned_up(n, call + handler).replace("cleanup:\n", far + "cleanup:\n")


def recorded_before_end(n: int) -> str:
    """A landing pad with N instructions that have debug records, before an end that an exception reaches."""
    records = each(n, "    #dbg_value(i64 {i}, !2, !DIExpression(), !4)\n  %v{i} = add i64 %n, {i}\n")
    pad = "thrown:\n  %l = landingpad { ptr, i32 } cleanup\n" + records
    ends = "  call void @llvm.coro.end(ptr null, i1 true, token none)\n  resume { ptr, i32 } %l\n\n"
    invoke = "  invoke void @use(i64 %n) to label %cleanup unwind label %thrown\n\n"
    text = resumed(invoke + pad + ends, more="declare i32 @__gxx_personality_v0(...)\n")
    metadata = (
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!5}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)\n"
        '!1 = !DIFile(filename: "a.c", directory: "/")\n'
        '!2 = !DILocalVariable(name: "v", scope: !3, file: !1, line: 2)\n'
        '!3 = distinct !DISubprogram(name: "f", file: !1, unit: !0, spFlags: DISPFlagDefinition)\n'
        '!4 = !DILocation(line: 2, scope: !3)\n!5 = !{i32 2, !"Debug Info Version", i32 3}\n'
    )
    return text.replace("presplitcoroutine {", "presplitcoroutine personality ptr @__gxx_personality_v0 !dbg !3 {") + metadata


def selects(n: int) -> str:
    """A loop with N predictable selects; each keeps the value of the one before it or computes another."""
    text = "  %x{i} = mul i64 %s{before}, 3\n  %y{i} = add i64 %x{i}, %i\n  %s{i} = select i1 %both{i}, i64 %y{i}, i64 %s{before}\n"
    condition = "  %low{i} = and i64 %i, 6\n  %any{i} = icmp ne i64 %low{i}, 0\n  %both{i} = and i1 %third, %any{i}\n"
    body = "".join((condition + text).replace("{i}", str(i)).replace("{before}", str(i - 1)) for i in range(1, n + 1))
    head = f"  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n  %s0 = phi i64 [ 0, %entry ], [ %s{n}, %loop ]\n"
    third = "  %rest = urem i64 %i, 3\n  %third = icmp eq i64 %rest, 0\n"
    end = "  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, %n\n  br i1 %more, label %loop, label %end\n\n"
    loop = f"entry:\n  br label %loop\n\nloop:\n{head}{third}{body}{end}end:\n  ret i64 %s{n}\n"
    return f'define i64 @f(i64 %n) "pycoro-drives-elided" {{\n{loop}}}\n'


def safe_calls(n: int) -> str:
    """A coroutine that calls another one N times; each frame may be elided into its own."""
    return resumed(each(n, SAFE_CALL.replace("{callee}", "g")) + END) + small("g")


def many_safe_callees(n: int) -> str:
    """A coroutine that calls N others; each frame may be elided into its own."""
    return resumed(each(n, SAFE_CALL.replace("{callee}", "g{i}")) + END) + "".join(small(f"g{i}") for i in range(n))


def resumes(n: int) -> str:
    """N suspends that are resumed unconditionally before control leaves the coroutine."""
    body = "".join(
        f"  %k{i} = call token @llvm.coro.save(ptr %frame)\n  call void @llvm.coro.resume(ptr %frame)\n"
        + suspend(i + 1, f"b{i}").replace("token none", f"token %k{i}")
        + f"b{i}:\n"
        for i in range(n)
    )
    return resumed(body + END, more="declare token @llvm.coro.save(ptr)\ndeclare void @llvm.coro.resume(ptr)\n")


def chain(n: int) -> str:
    """A chain of N functions that call each other, ending with a coroutine."""
    calls = "".join(f"define ptr @p{i}() {{\n  %h = call ptr @p{i + 1}()\n  ret ptr %h\n}}\n\n" for i in range(n))
    last = f"define ptr @p{n}() {{\n  %h = call ptr @f(i64 0, i1 true)\n  ret ptr %h\n}}\n\n"
    return module(calls, last, small("f"))


def parameters(n: int) -> str:
    """N parameters that are live across a suspend."""
    text = resumed(each(n, "  call void @use(i64 %p{i})\n") + END)
    return text.replace("@f(i64 %n, i1 %c", "@f(i64 %n, i1 %c" + each(n, ", i64 %p{i}"))


def read_in_turn(n: int) -> str:
    """N consecutive blocks; each uses one of N spilled values and defines another one."""
    block = USED + "  %w{i} = call i64 @make(i64 {i})\n  br i1 %c, label %b{i}, label %o{i}\n\no{i}:\n  br label %b{i}\n\nb{i}:\n"
    last = suspend(1, "last") + "last:\n" + each(n, USED.replace("%v", "%w")) + END
    return coroutine(each(n, MADE) + suspend(0, "begin") + "begin:\n" + each(n, block) + last)


def read_in_loops(n: int) -> str:
    """A suspend in N nested loops, followed by another loop that uses N spilled values."""
    loops = each(n, "  br label %l{i}\n\nl{i}:\n")
    needed = "inner:\n  br i1 %c, label %body, label %out\n\nbody:\n" + each(n, USED) + "  br label %inner\n\nout:\n"
    ends = "".join(f"  br i1 %c, label %l{i}, label %e{i}\n\ne{i}:\n" for i in reversed(range(n)))
    return coroutine(each(n, MADE) + loops + suspend(0, "inner") + needed + ends + END)


def twins(n: int) -> str:
    """A split coroutine with equal destroy and cleanup functions: N edges merge in a phi, in different orders."""
    ways = each(n, "w{i}:\n  call void @use(i64 {i})\n  br label %meet\n\n")
    body = switch(n, "never") + "never:\n  unreachable\n\n" + ways + "meet:\n  %p = phi i64 "
    named = [f"[ {i}, %w{i} ]" for i in range(n)]
    ends = {"destroy": (named, "  call void @free(ptr %frame)\n"), "cleanup": (named[::-1], ""), "resume": ([], "")}
    parts = [
        f"define internal void @f.{part}(ptr %frame) {{\n"
        + (f"  %n = load i64, ptr %frame\n{body}{', '.join(phi)}\n  call void @use(i64 %p)\n{freed}" if phi else "")
        + "  ret void\n}\n"
        for part, (phi, freed) in ends.items()
    ]
    ramp = (
        "@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]\n\n"
        "define void @f(ptr %to) {\n  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)\n"
        "  store ptr @f.destroy, ptr %to\n  store ptr @f.cleanup, ptr %to\n  ret void\n}\n"
    )
    return module(ramp, *parts)
