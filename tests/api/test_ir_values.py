"""Queries of pycoro.ir values, on a module with every kind of value."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

import pycoro
from pycoro import _core, ir

HERE = pathlib.Path(__file__).parent
ODD = HERE / "odd.ll"


@pytest.fixture
def module() -> pycoro.Module:
    return pycoro.Module.from_file(ODD, trusted=True)


@pytest.fixture
def odd(module: pycoro.Module) -> ir.Function:
    return module.functions["quoted name \udcff"]


def only(function: ir.Function, opcode: str, index: int = 0) -> ir.Instruction:
    return [instruction for instruction in function.walk() if instruction.opcode == opcode][index]


FLAGS = {
    "add": ("nuw", "nsw"),
    "udiv": ("exact",),
    "or": ("disjoint",),
    "icmp": ("samesign",),
    "zext": ("nneg",),
    "trunc": ("nuw", "nsw"),
    "getelementptr": ("inbounds", "nuw"),
    "load": ("volatile",),
    "store": (),
    "cmpxchg": ("weak", "volatile"),
    "atomicrmw": ("volatile",),
    "fadd": ("reassoc", "nnan", "nsz", "contract"),
    "fneg": ("fast",),
    "select": (),
    "ret": (),
}


@pytest.mark.parametrize(("opcode", "flags"), FLAGS.items())
def test_flags(odd: ir.Function, opcode: str, flags: tuple[str, ...]) -> None:
    found = only(odd, opcode)
    assert found.flags == flags
    assert all(f" {flag} " in str(found) for flag in flags)


def test_flags_of_others(module: pycoro.Module, odd: ir.Function) -> None:
    assert only(odd, "getelementptr", 1).flags == ("nusw",)
    assert [call.flags for call in odd.walk() if call.opcode == "call"][-1] == ("notail",)
    assert only(module.functions["eh"], "landingpad").flags == ("cleanup",)
    assert only(odd, "fcmp").flags == ("fast",)


def test_details(odd: ir.Function) -> None:
    assert only(odd, "icmp").predicate == "ult" and only(odd, "fcmp").predicate == "uno"
    assert only(odd, "add").predicate is None
    load, exchange, rmw = only(odd, "load"), only(odd, "cmpxchg"), only(odd, "atomicrmw", 1)
    assert (load.ordering, load.align, load.operation) == ("seq_cst", 4, None)
    assert (exchange.ordering, exchange.failure_ordering, exchange.align) == ("acq_rel", "monotonic", 8)
    assert (rmw.operation, rmw.ordering) == ("usub_sat", "monotonic")
    assert only(odd, "fence").ordering == "acquire"
    assert (str(only(odd, "alloca").element_type), only(odd, "alloca").align) == ("[3 x i32]", 32)
    assert str(only(odd, "getelementptr").element_type) == "%pair"
    assert only(odd, "insertvalue").indices == (1, 1)
    assert only(odd, "shufflevector").indices == (0, None, 7)
    assert only(odd, "add").align is None and only(odd, "add").indices is None and only(odd, "add").element_type is None


def test_types_are_objects(module: pycoro.Module, odd: ir.Function) -> None:
    assert only(odd, "zext").type == module.types.i64
    assert only(odd, "zext").type.size == 8
    assert str(module.globals["st"].value_type) == "{ i8, ptr, [2 x i16] }"
    assert module.globals["st"].value_type.size == 24
    assert str(odd.blocks[0].type) == "label"
    assert odd.type == "i32 (i32, ptr, <vscale x 4 x i32>)" == str(odd.value_type)


def test_calls(module: pycoro.Module, odd: ir.Function) -> None:
    calls = {str(call.callee.name): call for call in odd.walk() if call.callee is not None}
    g = calls["g"]
    assert g.callee is module.functions["g"] and g.intrinsic is None
    assert [str(argument.type) for argument in g.arguments or ()] == ["ptr", "ptr", "i32", "i32"]
    assert [(tag, len(values)) for tag, values in g.bundles] == [("deopt", 2), ("x", 0)]
    assert str(g.function_type) == "void (ptr, ptr, i32, ...)" and g.calling_convention == "ccc"
    assert g.attributes == {"nounwind": True, "memory": 0, "call": "site"}
    sret, byval, third, fourth = g.argument_attributes
    assert str(sret["sret"]) == "%pair" and str(byval["byval"]) == "i64"
    assert (third, fourth) == ({"zeroext": True}, {"noundef": True})
    assert calls["llvm.read_register.i64"].intrinsic == "llvm.read_register"
    assembly = calls[""].callee
    assert isinstance(assembly, ir.InlineAsm)
    assert (assembly.assembly, assembly.constraints) == ("mov $1, $0", "=r,r")
    assert only(odd, "add").callee is None and only(odd, "add").arguments is None and only(odd, "add").attributes is None


def test_metadata_operands(odd: ir.Function) -> None:
    texts = [operand.string for call in odd.walk() for operand in call.operands if isinstance(operand, ir.MetadataValue)]
    assert texts == [None, "text", None, "round.dynamic", "fpexcept.strict"]


def test_attributes(module: pycoro.Module, odd: ir.Function) -> None:
    told = odd.attributes or {}
    assert told["nounwind"] is True and told["probe-stack"] == "x" and told["novalue"] == "" and told["alignstack"] == 16
    number, pointer, vector = (argument.attributes for argument in odd.arguments)
    assert number == {"range": True} and vector == {}
    assert pointer == {"captures": 0, "dereferenceable": 8, "initializes": True}
    assert {f.name: f.calling_convention for f in module.functions.values() if f.name.startswith("cc")} == {
        "cc": "swifttailcc",
        "cc2": "preserve_nonecc",
        "cc3": "cc64",
        "cc4": "cc91",
    }


def test_metadata_kinds(module: pycoro.Module, odd: ir.Function) -> None:
    assert only(odd, "load").metadata == ("tbaa",)
    assert only(odd, "call").metadata == ("srcloc", "a kind")
    assert odd.metadata == ("prof",)
    assert module.functions["dbg"].metadata == ("dbg",)
    assert [call.metadata for call in module.functions["dbg"].walk()] == [("dbg",)] * 3 + [()]
    variable = module.globals["str"]
    assert isinstance(variable, ir.GlobalVariable) and variable.metadata == ("mine",)


def test_custom_metadata_kinds_are_found() -> None:
    """LLVM-C reports only its number; text that looks like the attribute is ignored."""
    text = """
    define void @f() {
      call void asm "!mine !0 \\22", "~{memory}"(), !"other"_, !tbaa.struct !0
      ret void, !a.b !1, !-c$ !1, !annotation !2
    }
    !0 = !{}
    !1 = !{!"mine !0"}
    !2 = !{!"x"}
    """.replace('!"other"_, ', "!mine !1, ")
    call, ret = pycoro.Module(text).functions["f"].walk()
    assert sorted(call.metadata) == ["mine", "tbaa.struct"]
    assert sorted(ret.metadata) == ["-c$", "a.b", "annotation"]


def test_debug_locations(module: pycoro.Module) -> None:
    dbg = module.functions["dbg"]
    first, inlined, third, last = (instruction.debug for instruction in dbg.walk())
    assert first == ir.SourceLocation(5, 2, "dbg", "a.c", "/tmp/d", None) and str(first) == "a.c:5:2"
    assert inlined is not None and inlined.line == 9 and inlined.inlined_at == first
    assert third is not None and third.line == 0
    assert last is None
    assert dbg.debug == ir.SourceLocation(3, 0, "dbg", "a.c", "/tmp/d", None)
    assert module.functions["f"].debug is None


def test_terminators(module: pycoro.Module) -> None:
    brs = module.functions["brs"]
    start, one, two, three, dead = brs.blocks
    assert start.terminator is start.instructions[-1] and start.terminator.is_terminator
    assert start.terminator.successors == (one, one, two)
    assert start.successors == (one, two) and set(two.predecessors) == {start, one}
    assert two.successors == (three,) and dead.predecessors == (dead,) and start.predecessors == ()
    switch = one.terminator
    assert switch is not None
    assert [(value.value, block.name) for value, block in switch.cases if isinstance(value, ir.Constant)] == [
        (1, "one"),
        (2, "three"),
    ]
    assert switch.successors[0] is two
    phi = two.instructions[0]
    assert [block for _, block in phi.incoming] == [start, one]
    assert phi.cases == () and switch.incoming == () and phi.successors == ()
    assert (phi.next, phi.previous) == (two.instructions[1], None)
    eh, wineh = module.functions["eh"], module.functions["wineh"]
    assert [block.name for block in only(eh, "callbr").successors] == ["ok2", "ok3"]
    assert [block.name for block in only(wineh, "catchswitch").successors] == ["cl", "h1"]
    assert only(wineh, "cleanupret").successors == ()
    assert eh.personality is module.functions["__gxx_personality_v0"]


CONSTANTS = {
    "big": ("zeroinitializer", None),
    "str": ("array", b"a\x00\xffb"),
    "fl": ("float", 1.5),
    "half": ("float", 1.0),
    "vec": ("vector", None),
    "st": ("struct", None),
    "wide": ("integer", -(2**127)),
    "expr": ("expression", None),
    "ba": ("blockaddress", None),
    "nocfi": ("other", None),
    "undefd": ("undef", None),
}


@pytest.mark.parametrize(("name", "told"), CONSTANTS.items())
def test_constants(module: pycoro.Module, name: str, told: tuple[str, object]) -> None:
    variable = module.globals[name]
    assert isinstance(variable, ir.GlobalVariable)
    assert variable.initializer is not None
    assert (variable.initializer.kind, variable.initializer.value) == told
    assert variable.operands == (variable.initializer,)


def initializer(module: pycoro.Module, name: str) -> ir.Constant:
    variable = module.globals[name]
    assert isinstance(variable, ir.GlobalVariable) and variable.initializer is not None
    return variable.initializer


def test_operands_of_constants(module: pycoro.Module) -> None:
    assert repr(initializer(module, "big").element(999_999_999)) == "<Constant i8 0>"
    for wrong in (-1, 1_000_000_000, 1 << 40):
        with pytest.raises(IndexError, match="no element"):
            initializer(module, "big").element(wrong)
    with pytest.raises(IndexError):
        initializer(module, "fl").element(0)
    expression = initializer(module, "expr")
    assert (expression.opcode, expression.flags) == ("getelementptr", ("inbounds",))
    assert expression.operands[0] is module.globals["str"] and expression in module.globals["str"].users
    block = initializer(module, "ba").block
    assert block is not None and block.name == "one" and initializer(module, "fl").block is None
    hidden = initializer(module, "dso").operands[0]
    assert type(hidden) is ir.Constant and hidden.operands == (module.functions["f"],)
    assert initializer(module, "st").element(1) is module.functions["f"]
    assert initializer(module, "fl").users == ()


def test_globals(module: pycoro.Module) -> None:
    assert list(module.globals)[:3] == ["", "big", "str"]
    assert {name: type(value).__name__ for name, value in module.globals.items() if name in ("al", "al2", "ifn", "fl")} == {
        "fl": "GlobalVariable",
        "al": "GlobalAlias",
        "al2": "GlobalAlias",
        "ifn": "GlobalIFunc",
    }
    told, ext, thread = (module.globals[name] for name in ("str", "ext", "tl"))
    assert isinstance(told, ir.GlobalVariable) and isinstance(ext, ir.GlobalVariable) and isinstance(thread, ir.GlobalVariable)
    assert (told.section, told.align, told.is_constant, told.is_declaration) == ("mine", 16, True, False)
    assert ext.is_declaration and ext.initializer is None and ext.operands == () and thread.is_thread_local
    alias, ifunc = module.globals["al2"], module.globals["ifn"]
    assert isinstance(alias, ir.GlobalAlias) and isinstance(ifunc, ir.GlobalIFunc)
    assert alias.linkage == "internal" and isinstance(alias.target, ir.Constant) and alias.target.opcode == "getelementptr"
    assert ifunc.target is module.functions["resolver"]
    assert module.globals["llvm.used"].linkage == "appending"
    with pytest.raises(KeyError, match="no global 'strr'"):
        module.globals["strr"]


def test_the_module_of_a_value(module: pycoro.Module, odd: ir.Function) -> None:
    assert odd.module is module and odd.blocks[0].instructions[0].module is module
    alone = pycoro.Module("define void @f() { ret void }").functions["f"]
    assert str(alone.module).startswith("; ModuleID") and alone.module.functions["f"] is alone


def test_uses_have_numbers(odd: ir.Function) -> None:
    udiv = only(odd, "udiv")
    assert only(odd, "add").uses == ((udiv, 0),)


def test_numbers_with_too_many_digits_are_errors() -> None:
    module = pycoro.Module(f"@x = global i20000 {'9' * 6000}")
    with pytest.raises(pycoro.UsageError, match="the integer has more digits than Python converts; raise the"):
        _ = initializer(module, "x").value


def test_constants_of_a_context_have_the_users_of_their_module_alone() -> None:
    """A run works on a copy in the same context."""
    module = pycoro.Module(
        "@x = global i32 0\ndefine ptr @f() { ret ptr getelementptr (i8, ptr null, i64 ptrtoint (ptr @x to i64)) }"
    )
    told: list[object] = []

    def look(inner: pycoro.Module) -> None:
        (ret,) = inner.functions["f"].walk()
        told.extend(ret.operands[0].users)
        told.append(ret)

    module.run(pycoro.Pipeline(look))
    assert len(told) == 2


ASK_EVERYTHING = """
import sys
import pycoro
from pycoro import _core
asks = [getattr(_core, name) for name in dir(_core) if name.startswith("ir_") and name != "ir_erase"]
for path in sys.argv[1:]:
    try:
        module = pycoro.Module.from_file(path)
    except pycoro.Error:
        continue
    core = module._core
    todo = [v for ask in (_core.ir_functions, _core.ir_variables, _core.ir_aliases, _core.ir_ifuncs) for v in ask(core)]
    seen = set(todo)
    while todo:
        value, found = todo.pop(), []
        for ask in asks:
            try:
                found.append(ask(value))
            except (TypeError, pycoro.UsageError):
                pass
        for name in dir(type(value)):
            if not name.startswith("_"):
                try:
                    getattr(value, name)
                except pycoro.UsageError:
                    pass
        while found:
            one = found.pop()
            if isinstance(one, (tuple, list)):
                found.extend(one)
            elif isinstance(one, _core.Value) and one not in seen:
                seen.add(one)
                todo.append(one)
    module.close()
    assert all(value.is_stale and repr(value) for value in seen)
    print(len(seen))
"""


def test_any_query_of_any_value_is_safe() -> None:
    """Queries run in a separate process: LLVM aborts on a query that does not apply."""
    inputs = [ODD, *sorted((HERE.parent / "ir").rglob("*.ll"))]
    done = subprocess.run([sys.executable, "-c", ASK_EVERYTHING, *map(str, inputs)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    counts = [int(line) for line in done.stdout.splitlines()]
    assert sum(counts) > 5000 and counts[0] > 200


def test_iteration_creates_a_linear_number_of_objects() -> None:
    """Counts objects instead of time: one for each instruction, none of which survives."""
    count = 20_000
    body = "".join(f"  %x{i} = add i32 {f'%x{i - 1}' if i else '%a'}, 1\n" for i in range(count))
    module = pycoro.Module(f"define i32 @f(i32 %a) {{\n{body}  ret i32 %x{count - 1}\n}}", trusted=True)
    f = module.functions["f"]
    before = _core.live()["values"]
    assert sum(instruction.opcode == "add" for instruction in f.walk()) == count
    assert _core.live()["values"] == before
