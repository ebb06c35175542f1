"""Code of a Builder runs: each kind of instruction, constants, functions and globals."""

from __future__ import annotations

import pytest
from building import call, function_to_build, made

import pycoro
from pycoro.ir import Constant, Instruction

ARITHMETIC: list[tuple[str, int]] = [
    ("add", 25),
    ("sub", 15),
    ("mul", 100),
    ("udiv", 4),
    ("sdiv", 4),
    ("urem", 0),
    ("srem", 0),
    ("shl", 640),
    ("lshr", 0),
    ("ashr", 0),
    ("and_", 4),
    ("or_", 21),
    ("xor", 17),
]


@pytest.mark.parametrize(("method", "result"), ARITHMETIC)
def test_arithmetic(method: str, result: int) -> None:
    module, build, f = function_to_build()
    value = getattr(build, method)(f.arguments[0], f.arguments[1], name="r")
    assert isinstance(value, Instruction) and value.name == "r"
    build.ret(value)
    assert call(module, 20, 5) == result


@pytest.mark.parametrize(("method", "result"), [("fadd", 2.75), ("fsub", 2.25), ("fmul", 0.625), ("fdiv", 10.0), ("frem", 0.0)])
def test_floats(method: str, result: float) -> None:
    module, build, f = function_to_build("double (double)")
    value = getattr(build, method)(f.arguments[0], 0.25, fast=("nnan", "ninf"))
    build.ret(build.fneg(build.fneg(value)))
    assert "nnan ninf double" in str(value)
    assert call(module, 2.5) == result


def test_flags() -> None:
    _, build, f = function_to_build()
    x, y = f.arguments
    assert " = add nuw nsw i32" in str(build.add(x, y, nuw=True, nsw=True))
    assert " = udiv exact i32" in str(build.udiv(x, y, exact=True))
    assert " = or disjoint i32" in str(build.or_(x, y, disjoint=True))
    assert " = zext nneg i32" in str(build.zext(x, "i64", nneg=True))
    assert " = trunc nuw i32" in str(build.trunc(x, "i8", nuw=True))
    with pytest.raises(pycoro.UsageError, match="urem does not have this flag"):
        build.binary("urem", x, y, exact=True)
    with pytest.raises(pycoro.UsageError, match="unknown fast-math flag 'quick'"):
        build.fadd(x, y, fast=["quick"])


def test_comparisons_and_selects() -> None:
    module, build, f = function_to_build()
    x, y = f.arguments
    build.ret(build.select(build.icmp("sgt", x, y), build.neg(x), build.not_(y)))
    assert (call(module, 7, 3), call(module, 3, 7)) == (-7, ~7)
    module, build, f = function_to_build("i1 (double)")
    build.ret(build.fcmp("oge", f.arguments[0], 1.5))
    assert (call(module, 1.5), call(module, 1.0)) == (True, False)


def test_casts() -> None:
    module, build, f = function_to_build("i64 (i32)")
    x = f.arguments[0]
    wide = build.sext(build.trunc(x, "i8"), "i64")
    number = build.fptosi(build.fpext(build.fptrunc(build.sitofp(x, "double"), "float"), "double"), "i64")
    pointer = build.ptrtoint(build.inttoptr(build.zext(x, "i64")), "i64")
    bits = build.bitcast(build.bitcast(wide, "double"), "<2 x i32>")
    build.ret(build.add(build.add(wide, number), build.add(pointer, build.bitcast(bits, "i64"))))
    assert call(module, 100) == 400


def test_memory() -> None:
    module, build, f = function_to_build("i64 (i32)", "%pair = type { i8, i64 }")
    place = build.alloca("%pair", align=32, name="place")
    second = build.gep("%pair", place, [0, 1], inbounds=True)
    build.store(build.zext(f.arguments[0], "i64"), second, align=8, volatile=True)
    several = build.alloca("i16", f.arguments[0])
    build.store(build.constant("i16", 9), build.gep("i16", several, [f.arguments[0]]))
    build.ret(build.load("i64", second, align=8))
    text = str(module)
    assert "alloca %pair, align 32" in text and "store volatile i64" in text and "alloca i16, i32" in text
    assert call(module, 41) == 41


def test_aggregates_and_vectors() -> None:
    module, build, f = function_to_build()
    x, y = f.arguments
    aggregate = build.insert_value(build.insert_value(build.poison("{ i32, [2 x { i32, i8 }] }"), x, 0), y, 1, 1, 0)
    inner = build.extract_value(aggregate, 1, 1, 0)
    vector = build.insert_element(build.insert_element(build.undef("<2 x i32>"), x, 0), 5, 1)
    swapped = build.shuffle(vector, None, [1, 0])
    total = build.add(build.extract_value(aggregate, 0), build.mul(inner, build.extract_element(swapped, 0)))
    build.ret(total)
    assert call(module, 3, 4) == 3 + 4 * 5


def test_control_flow() -> None:
    module, build, f = function_to_build()
    loop, done = build.add_block("loop", function=f), build.add_block("done", function=f)
    entry, x = build.block, f.arguments[0]
    build.branch(loop)
    build.at_end(loop)
    count = build.phi("i32", [(0, entry)], name="count")
    total = build.phi("i32", [(0, entry)], name="total")
    following = build.add(count, 1)
    build.add_incoming(count, following, loop)
    build.add_incoming(total, build.add(total, following), loop)
    build.branch_if(build.icmp("slt", following, x), loop, done)
    build.at_end(done)
    odd, even, other = (build.add_block(name, function=f) for name in ("odd", "even", "other"))
    build.switch(build.urem(x, 2), other, {0: even, 1: odd})
    build.at_end(odd).ret(total)
    build.at_end(even).ret(build.neg(total))
    build.at_end(other).unreachable()
    assert (call(module, 5, 0), call(module, 6, 0)) == (0 + 1 + 2 + 3 + 4, -(0 + 1 + 2 + 3 + 4 + 5))


def test_calls() -> None:
    module, build, f = function_to_build("i32 (i32, ptr)")
    printf = build.declare("printf", "i32 (ptr, ...)")
    assert build.declare("printf", "i32 (ptr, ...)") is printf
    helper = build.add_function("helper", "i32 (i32)", linkage="internal")
    build.set_calling_convention(helper, 8)
    direct = build.call(helper, [f.arguments[0]], tail="tail", name="direct")
    indirect = build.call(f.arguments[1], [direct], type="i32 (i32)")
    build.ret(indirect)
    assert "tail call fastcc i32 @helper" in str(direct)
    with build.temporary_position(build.add_block("entry", function=helper)):
        build.ret(build.mul(helper.arguments[0], 2))
    module.verify()
    back: list[int] = []

    def seen(number: int) -> int:
        back.append(number)
        return number + 1

    from ctypes import CFUNCTYPE, c_int, c_void_p, cast

    function = CFUNCTYPE(c_int, c_int)(seen)
    assert call(module, 21, cast(function, c_void_p).value) == 43 and back == [42]


def test_invokes() -> None:
    module, build, f = function_to_build("i32 ()")
    may_throw = build.declare("may_throw", "i32 (i32)")
    build.set_personality(f, build.declare("__gxx_personality_v0", "i32 (...)"))
    fine, thrown = build.add_block("fine"), build.add_block("thrown")
    result = build.invoke(may_throw, [3], fine, thrown, name="result")
    build.at_end(fine).ret(result)
    build.at_end(thrown)
    pad = build.landingpad("{ ptr, i32 }", catch=[None], cleanup=True)
    build.resume(pad)
    module.verify()
    assert "invoke i32 @may_throw(i32 3)" in str(module) and "catch ptr null" in str(module)


def test_globals_and_constants() -> None:
    module, build, f = function_to_build("i32 (i64)")
    assert str(build.constant("i128", -1)) == "i128 -1" and str(build.constant("i1", True)) == "i1 true"
    assert build.constant("i8", 255) is build.constant("i8", -1)
    assert str(build.constant("double", 3)) == "double 3.000000e+00"
    assert (
        str(build.constant("{ i8, [2 x i16], ptr }", (1, [2, 3], f)))
        == "{ i8, [2 x i16], ptr } { i8 1, [2 x i16] [i16 2, i16 3], ptr @f }"
    )
    assert str(build.constant("<2 x float>", [1, 2.5])) == "<2 x float> <float 1.000000e+00, float 2.500000e+00>"
    assert (
        str(build.constant("token", None)) == "token none" and str(build.constant("[3 x ptr]", None)) == "[3 x ptr] zeroinitializer"
    )
    assert str(build.constant("[2 x i8]", b"ab")) == '[2 x i8] c"ab"'
    table = build.add_variable("table", "[3 x i32]", [10, 20, 30], constant=True, linkage="internal", align=16)
    text = build.add_string("hé", "text")
    assert "@table = internal constant [3 x i32] [i32 10, i32 20, i32 30], align 16" in str(module)
    assert '@text = private constant [4 x i8] c"h\\C3\\A9\\00", align 1' in str(module) and text.name == "text"
    outside = build.add_variable("outside", "i32", "external")
    build.ret(build.load("i32", build.gep("[3 x i32]", table, [0, f.arguments[0]])))
    assert outside.name == "outside" and call(module, 2) == 30


def test_attributes() -> None:
    module, build, f = function_to_build("void (ptr, ptr)", "%pair = type { i8, i64 }")
    build.add_attribute(f, 'nounwind memory(none) "key"="value"')
    build.add_attribute(f, "noundef align 16", parameter=0)
    build.add_attribute(f, ("byval", "%pair"), parameter=1)
    g = build.declare("g", "i32 (i32)")
    build.add_attribute(g, "range(i32 0, 5)", result=True)
    called = build.call(g, [1])
    build.add_attribute(called, "noundef", parameter=0)
    build.add_attribute(called, "cold")
    build.ret()
    text = str(module)
    assert "define void @f(ptr noundef align 16 %0, ptr byval(%pair) %1)" in text
    assert "nounwind memory(none)" in text and '"key"="value"' in text and "declare range(i32 0, 5) i32 @g(i32)" in text
    assert "call i32 @g(i32 noundef 1)" in text
    build.remove_attribute(f, "noundef", parameter=0)
    build.remove_attribute(f, "key")
    build.remove_attribute(called, "noundef", parameter=0)
    assert "noundef" not in str(module) and '"key"' not in str(module)
    module.verify()
    for wrong in (
        "",
        "nothing",
        "align",
        "} ; x",
        'section "x"',
        "nounwind\n@x = global i32 0",
        "byval(%pair)",
        "a\0b",
        "x" * 5000,
    ):
        with pytest.raises(pycoro.UsageError):
            build.add_attribute(f, wrong, parameter=0)
    with pytest.raises(pycoro.UsageError, match="there are 2 parameters"):
        build.add_attribute(f, "noundef", parameter=2)
    with pytest.raises(pycoro.UsageError, match="noundef is not an attribute with a type"):
        build.add_attribute(f, ("noundef", "i32"))


@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        ("llvm.trap", [], "call void @llvm.trap()"),
        ("llvm.umax.i32", ["x", "x"], "call i32 @llvm.umax.i32(i32 %0, i32 %0)"),
        ("llvm.umax", ["x", "x"], "call i32 @llvm.umax.i32(i32 %0, i32 %0)"),
        ("llvm.sadd.with.overflow", ["x", "x"], "call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %0, i32 %0)"),
        ("llvm.ctlz", ["x", "true"], "call i32 @llvm.ctlz.i32(i32 %0, i1 true)"),
        ("llvm.memcpy", ["p", "p", "x", "true"], "call void @llvm.memcpy.p0.p0.i32(ptr %1, ptr %1, i32 %0, i1 true)"),
        ("llvm.coro.size.i64", [], "call i64 @llvm.coro.size.i64()"),
        ("llvm.vector.reduce.add", ["v"], "call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %2)"),
    ],
)
def test_intrinsics(name: str, arguments: list[str], call: str) -> None:
    module, build, f = function_to_build("void (i32, ptr, <4 x i32>)")
    known = dict(zip("xpv", f.arguments, strict=True)) | {"true": build.constant("i1", True)}
    made = build.intrinsic(name, [known[argument] for argument in arguments])
    assert str(made).strip().removeprefix("%4 = ").removeprefix("%3 = ").split(" #")[0] == call
    build.intrinsic(name, [known[argument] for argument in arguments])
    build.ret()
    module.verify()
    assert str(module).count("declare") == 1, "both calls are of one function"


def test_intrinsics_with_only_variadic_arguments() -> None:
    module, build, _ = function_to_build("void ()")
    place = build.alloca("i64")
    build.intrinsic("llvm.lifetime.start.p0", [place])
    build.intrinsic("llvm.lifetime.end", [place])
    build.ret()
    module.verify()
    assert "call void @llvm.lifetime.end.p0(ptr %0)" in str(module)


def test_variadic_intrinsics_have_the_requested_result() -> None:
    module, build, f = function_to_build("i1 (i32, ptr)")
    x, p = f.arguments
    back = build.intrinsic("llvm.coro.suspend.retcon", [x, p], result="{ i1, i32 }")
    build.intrinsic("llvm.coro.suspend.retcon", [], result="i1")
    number = build.constant("i32", 0)
    build.intrinsic("llvm.coro.suspend.async", [number, p, p, p, x], result="{ ptr }")
    build.ret(build.extract_value(back, 0))
    text = str(module)
    for declared in ("{ i1, i32 } @llvm.coro.suspend.retcon.sl_i1i32s(...)", "i1 @llvm.coro.suspend.retcon.i1(...)",
                     "{ ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)"):  # fmt: skip
        assert f"declare {declared}" in text
    with pytest.raises(pycoro.UsageError, match=r"llvm\.coro\.suspend\.retcon does not take these 1 arguments,"):
        build.before(build.block.instructions[0]).intrinsic("llvm.coro.suspend.retcon", [x])


def test_unknown_intrinsics_are_errors() -> None:
    _, build, f = function_to_build()
    x = f.arguments[0]
    for name, arguments, why in (
        ("llvm.nothing.at.all", [], "does not exist"),
        ("printf", [], "the intrinsic printf does not exist"),
        ("llvm.trap.i32", [], "does not exist"),
        ("llvm.umax.i64", [x, x, x], "does not take these 3 arguments"),
        ("llvm.umax.i32", [x, 1], "overloaded; pass numbers as typed constants"),
        ("llvm.coro.id", [0, None], "takes 4 arguments, not 2"),
        ("llvm.coro.suspend.retcon", [build.constant("token", None)], "with a token"),
    ):
        with pytest.raises(pycoro.UsageError, match=why):
            build.intrinsic(name, arguments)
    with pytest.raises(pycoro.UsageError, match="does not take"):
        build.intrinsic("llvm.umax.i32", [x, x], result="i64")


def test_a_coroutine() -> None:
    module, build = made()
    f = build.add_function("counter", "ptr (i32)")
    build.add_attribute(f, "presplitcoroutine")
    malloc, free = build.declare("malloc", "ptr (i64)"), build.declare("free", "void (ptr)")
    show = build.declare("show", "void (i32)")
    entry, loop, again, cleanup, out = (build.add_block(name, function=f) for name in ("entry", "loop", "again", "cleanup", "out"))
    build.at_end(entry)
    id_ = build.intrinsic("llvm.coro.id", [0, None, None, None], named="id")
    memory = build.call(malloc, [build.intrinsic("llvm.coro.size.i64")])
    handle = build.intrinsic("llvm.coro.begin", [id_, memory], named="handle")
    build.branch(loop)
    build.at_end(loop)
    n = build.phi("i32", [(f.arguments[0], entry)], name="n")
    build.call(show, [n])
    build.switch(build.intrinsic("llvm.coro.suspend", [None, False]), out, {0: again, 1: cleanup})
    build.at_end(again)
    build.add_incoming(n, build.add(n, 1), again)
    build.branch(loop)
    build.at_end(cleanup)
    build.call(free, [build.intrinsic("llvm.coro.free", [id_, handle])])
    build.branch(out)
    build.at_end(out)
    build.intrinsic("llvm.coro.end", [handle, False, None])
    build.ret(handle)
    module.verify()
    assert [field.name for field in module.coroutines["counter"].frame if field.kind == "spill"] == ["n"]
    seen: list[int] = []
    with (
        pycoro.Engine(pycoro.lower(module, host=True), externals={"show": seen.append}) as engine,
        engine.start("counter", 5) as running,
    ):
        running.resume()
        running.resume()
    assert seen == [5, 6, 7]


def test_constants_are_folded() -> None:
    _, build, _ = function_to_build()
    five = build.add(build.constant("i32", 2), 3)
    assert isinstance(five, Constant) and str(five) == "i32 5"
    assert str(build.udiv(five, 0)) == "i32 poison"
