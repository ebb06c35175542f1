"""Building code for threads and exceptions: atomics, operand bundles, funclets, vectors of addresses."""

from __future__ import annotations

from building import call, function_to_build

from pycoro.ir import Builder

PERSONALITY = "declare i32 @__CxxFrameHandler3(...)\ndeclare void @thrower()\ndeclare void @used(ptr)\n"


def test_atomics_compute_the_right_values() -> None:
    module, build, f = function_to_build("i64 (i64, i64)")
    place = build.alloca("i64", name="place")
    start, other = f.arguments
    build.store_atomic(start, place, "release", align=8)
    build.fence("seq_cst")
    old = build.atomicrmw("add", place, other, "acq_rel", name="old")
    build.fence("acquire", single_thread=True)
    pair = build.cmpxchg(place, build.add(start, other), 100, "seq_cst", "monotonic", weak=False, name="pair")
    failed = build.cmpxchg(place, build.constant("i64", 7), 8, "monotonic", "monotonic", single_thread=True, volatile=True)
    was = build.zext(build.extract_value(pair, 1), "i64")
    again = build.zext(build.extract_value(failed, 1), "i64")
    now = build.load_atomic("i64", place, "acquire", align=8, name="now")
    build.ret(build.add(build.add(old, now), build.add(was, build.mul(again, 1000))))
    assert call(module, 40, 2) == 40 + 100 + 1
    text = str(module)
    assert "store atomic i64 %0, ptr %place release, align 8" in text
    assert 'fence syncscope("singlethread") acquire' in text and "fence seq_cst" in text
    assert "%old = atomicrmw add ptr %place, i64 %1 acq_rel" in text
    assert 'cmpxchg volatile ptr %place, i64 7, i64 8 syncscope("singlethread") monotonic monotonic' in text
    assert (old.ordering, old.operation, pair.ordering, pair.failure_ordering) == ("acq_rel", "add", "seq_cst", "monotonic")


def test_every_operation() -> None:
    module, build, f = function_to_build("void (ptr, i32, double)")
    at, number, real = f.arguments
    for word in ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap"):
        assert build.atomicrmw(word, at, number, "monotonic").operation == word  # type: ignore[arg-type]
    for word in ("usub_cond", "usub_sat"):
        assert build.atomicrmw(word, at, number, "monotonic").operation == word  # type: ignore[arg-type]
    for word in ("fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum", "xchg"):
        assert build.atomicrmw(word, at, real, "seq_cst", align=16).operation == word  # type: ignore[arg-type]
    assert build.atomicrmw("xchg", at, at, "seq_cst").operation == "xchg"
    build.ret()
    module.verify()


def test_bundles() -> None:
    module, build, f = function_to_build("i32 (i32, i32)", "declare void @seen(...)\n")
    called = build.call(f, f.arguments, bundles={"deopt": [f.arguments[0]], "odd": []})
    assert called.bundles == (("deopt", (f.arguments[0],)), ("odd", ()))
    build.ret(called)
    module.verify()
    assert '[ "deopt"(i32 %0), "odd"() ]' in str(module)


def test_funclets() -> None:
    module, build, f = function_to_build("void ()", PERSONALITY)
    build.set_personality(f, module.functions["__CxxFrameHandler3"])
    thrower = module.functions["thrower"]
    names = ("fine", "choose", "caught", "cleanup")
    fine, choose, caught, cleanup = (build.add_block(name, function=f) for name in names)
    build.invoke(thrower, [], fine, choose)
    build.at_end(fine).ret()
    switch = build.at_end(choose).catchswitch([caught], unwind=cleanup, name="switch")
    pad = build.at_end(caught).catchpad(switch, [build.constant("ptr", None), build.constant("i32", 64)], name="pad")
    build.invoke(thrower, [], fine, cleanup, bundles={"funclet": [pad]})
    other = build.at_end(cleanup).cleanuppad(name="over")
    called = build.call(thrower, bundles={"funclet": [other]})
    build.cleanupret(other)
    assert called.bundles == (("funclet", (other,)),)
    module.verify()
    build.erase(next(iter(caught.instructions[1:])))
    build.at_end(caught).catchret(pad, fine)
    module.verify()
    text = str(module)
    assert "%switch = catchswitch within none [label %caught] unwind label %cleanup" in text
    assert "catchret from %pad to label %fine" in text and "cleanupret from %over unwind to caller" in text
    inner = Builder(module).at_end(build.add_block("inner", function=f)).cleanuppad(parent=pad)
    assert "within %pad" in str(inner)


def test_addresses_by_the_vector() -> None:
    module, build, f = function_to_build("i64 (ptr)")
    many = build.gep("[2 x i32]", f.arguments[0], [build.constant("<4 x i64>", [0, 1, 2, 3]), 1], name="many")
    assert str(many.type) == "<4 x ptr>"
    more = build.gep("i8", many, [4], inbounds=True)
    assert str(more.type) == "<4 x ptr>"
    numbers = build.ptrtoint(more, "<4 x i64>")
    base = build.ptrtoint(f.arguments[0], "i64")
    build.ret(build.sub(build.extract_element(numbers, 3), base))
    assert call(module, 4096) == 3 * 8 + 4 + 4
