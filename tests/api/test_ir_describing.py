"""Debug information from a Builder: functions have lines, variables are described, and LLVM's verifier accepts it."""

from __future__ import annotations

import pytest
from building import function_to_build, made

import pycoro
from pycoro.build import Source, coroutine, function


def test_functions_of_a_file_share_a_unit() -> None:
    module, build = made()
    for name, file in (("f", "a.u"), ("g", "a.u"), ("h", "b.u")):
        of = build.add_function(name, "void ()")
        build.describe_function(of, file, 7, directory="/src", name=name.upper(), optimized=name == "h")
        build.at_end(build.add_block("entry", function=of)).debug = (8, 3)
        build.ret()
        assert of.debug is not None and (of.debug.directory, of.debug.file, of.debug.line) == ("/src", file, 7)
        (ret,) = of.walk()
        assert ret.debug is not None and (ret.debug.line, ret.debug.column) == (8, 3)
    module.verify()
    text = str(module)
    assert text.count("!DICompileUnit") == 2 and text.count("Debug Info Version") == 1
    assert 'name: "F", linkageName: "f"' in text
    again = pycoro.Module(text)
    again.verify()
    assert str(again).partition("\n")[2] == text.partition("\n")[2]


def test_variables() -> None:
    module, build, f = function_to_build("void (i32)")
    build.describe_function(f, "a.u", 1)
    build.debug = (2, 0)
    for name, kind in (("n", "i32"), ("x", "double"), ("p", "ptr"), ("b", "i1"), ("left_out", "{ i32, i32 }")):
        build.describe_variable(build.alloca(kind), name, 2)
    build.describe_variable(build.alloca("i32"), "u", 3, type="u32")
    build.ret()
    build.before(f.blocks[0].instructions[0])
    build.describe_variable(f.blocks[0].instructions[0], "twice", 2)
    module.verify()
    text = str(module)
    assert text.count("#dbg_declare") == 6 and 'name: "u32", size: 32' in text and "left_out" not in text


def test_invalid_descriptions_are_errors() -> None:
    module, build, f = function_to_build("void (ptr)")
    place = build.alloca("i32")
    for message, act in (
        ("no debug information", lambda: build.describe_variable(place, "n", 1)),
        ("a line must be a number from 0", lambda: build.describe_function(f, "a.u", -1)),
        ("file must not contain a NUL", lambda: build.describe_function(f, "a\0.u", 1)),
    ):
        with pytest.raises(pycoro.UsageError, match=message):
            act()
    for wrong in (place, 3, None):
        with pytest.raises(TypeError, match="function must be a Function"):
            build.describe_function(wrong, "a.u", 1)  # type: ignore[arg-type]
    build.describe_function(f, "a.u", 1)
    with pytest.raises(pycoro.UsageError, match="has debug information"):
        build.describe_function(f, "a.u", 1)
    with pytest.raises(pycoro.UsageError, match="only an alloca can be described as a source variable"):
        build.describe_variable(f.arguments[0], "n", 1)
    with pytest.raises(pycoro.UsageError, match="not contain a NUL"):
        build.describe_variable(place, "n", 1, type="a\0")
    build.debug = (1, 1)
    build.ret()
    module.verify()


def test_a_coroutine_with_a_source() -> None:
    """Every instruction has a line, in its clones too; without a source `at` has no effect."""
    for source in (None, Source("f.u", 3, "/src", name="f")):
        module = pycoro.Module("")
        with coroutine(module, "f", {"n": "i32"}, promise="i32", source=source) as c:
            c.at(4, 1)
            kept = c.variable("i32", c["n"], name="kept")
            c.defer(lambda kept=kept: c.call(c.declare("tell", "void (i32)"), [c.load("i32", kept)]))  # type: ignore[misc]
            c.at(5)
            c.yield_(1)
            c.at(6)
        with function(module, "g", source=source) as f:
            f.at(9)
        module.verify()
        if source is None:
            assert not module.functions["f"].debug
            continue
        (call,) = (i for i in module.functions["f"].walk() if i.callee is module.functions["tell"])
        assert call.debug is not None and call.debug.line == 4, "a cleanup is where it was deferred"
        lowered = pycoro.lower(module)
        lines = {i.debug.line for i in lowered.module.functions["f.resume"].walk() if i.debug}
        assert {4, 6} <= lines
        frame = lowered.coroutines["f"].frame
        assert "kept" in [field.name for field in frame]
