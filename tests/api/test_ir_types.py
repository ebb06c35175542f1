"""Types as objects: their components and layout; no query crashes the process."""

from __future__ import annotations

import gc
import pickle
import random
import threading
from collections.abc import Iterator

import pytest

import pycoro
from pycoro import _core
from pycoro.ir import Type, Types

LAYOUT = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
MODULE = """
%pair = type { i8, i64 }
%opaque = type opaque
%"with \\22quotes\\22 and blanks" = type <{ i8, %pair }>
@pair = global %pair zeroinitializer
@opaque = external global %opaque
@odd = external global %"with \\22quotes\\22 and blanks"
"""


@pytest.fixture
def types() -> Iterator[Types]:
    with pycoro.Module(LAYOUT + MODULE) as module:
        yield module.types


@pytest.mark.parametrize(
    ("text", "kind", "size", "align"),
    [
        ("i1", "integer", 1, 1),
        ("i24", "integer", 4, 4),
        ("i128", "integer", 16, 16),
        ("i8388608", "integer", 1 << 20, 16),
        ("half", "float", 2, 2),
        ("x86_fp80", "float", 16, 16),
        ("ptr", "pointer", 8, 8),
        ("ptr addrspace(270)", "pointer", 4, 4),
        ("{}", "struct", 0, 1),
        ("{ i8, i64 }", "struct", 16, 8),
        ("<{ i8, i64 }>", "struct", 9, 1),
        ("%pair", "struct", 16, 8),
        ('%"with \\22quotes\\22 and blanks"', "struct", 17, 1),
        ("[3 x %pair]", "array", 48, 8),
        ("[0 x i32]", "array", 0, 4),
        ("<4 x i1>", "vector", 1, 1),
        ("<3 x i32>", "vector", 16, 16),
        ("%opaque", "struct", None, None),
        ("<vscale x 4 x i32>", "vector", None, None),
        ("{ i8, <vscale x 4 x i32> }", "struct", None, None),
        ("[18446744073709551615 x i8]", "array", None, None),
        ("[4294967296 x [4294967296 x i8]]", "array", None, None),
        ("[0 x [18446744073709551615 x i8]]", "array", 0, 1),
        ("i32 (ptr, ...)", "function", None, None),
        ("void", "void", None, None),
        ("token", "token", None, None),
        ("label", "label", None, None),
        ("metadata", "metadata", None, None),
    ],
)
def test_layouts(types: Types, text: str, kind: str, size: int | None, align: int | None) -> None:
    found = types.parse(text)
    assert (found.kind, found.size, found.align) == (kind, size, align)
    assert str(found) == found.text == text
    assert types.parse(str(found)) == found and repr(found) == f"<Type {text}>"


def test_components(types: Types) -> None:
    pair = types.struct([types.i8, "i64"])
    assert pair == types.parse("{ i8, i64 }") != types.parse("%pair")
    assert hash(pair) == hash(types.parse("{i8,i64}")) and pair != "{ i8, i64 }" and {pair: 1}[types.parse("{ i8, i64 }")]
    assert (pair.elements, pair.offsets, pair.packed, pair.opaque, pair.name) == ((types.i8, types.i64), (0, 8), False, False, None)
    named = types.parse("%pair")
    assert (named.name, named.elements, types.parse("%opaque").opaque) == ("pair", pair.elements, True)
    assert types.parse("%opaque").elements == () and types.parse("%opaque").offsets is None
    packed = types.struct([types.i8, pair], packed=True, name="mine")
    assert (str(packed), packed.offsets, packed.size, types.parse("%mine")) == ("%mine", (0, 1), 17, packed)
    array, vector = types.array(pair, 3), types.vector("float", 4, scalable=True)
    assert (str(array), array.element, array.count) == ("[3 x { i8, i64 }]", pair, 3)
    assert (str(vector), vector.element, vector.count, vector.scalable) == ("<vscale x 4 x float>", types.float, 4, True)
    function = types.function(types.void, ["ptr", pair], variadic=True)
    assert (str(function), function.result, function.variadic) == ("void (ptr, { i8, i64 }, ...)", types.void, True)
    assert function.parameters == (types.ptr, pair)
    assert types.pointer(7).address_space == 7 and types.pointer() == types.ptr
    assert [types.parse(text).bits for text in ("i17", "half", "bfloat", "x86_fp80", "ppc_fp128")] == [17, 16, 16, 80, 128]


def test_by_name(types: Types) -> None:
    assert types.i32 == types.integer(32) and str(types.i17) == "i17" and str(types.double) == "double"
    assert "ptr" in dir(types) and "struct" in dir(types)
    with pytest.raises(AttributeError, match="no type 'i0'"):
        types.i0  # noqa: B018
    assert not hasattr(types, "string")


@pytest.mark.parametrize(
    ("question", "text"),
    [("bits", "ptr"), ("elements", "[2 x i8]"), ("element", "{ i8 }"), ("result", "i32"), ("address_space", "i64"), ("name", "i8")],
)
def test_absent_properties_are_errors(types: Types, question: str, text: str) -> None:
    with pytest.raises(AttributeError, match=f"has no {question}; only types of kind"):
        getattr(types.parse(text), question)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a type at the end"),
        ("i0", "1 to 8388608 bits"),
        ("i99999999999999999999999999", "too large"),
        ("int", "there is no type int"),
        ("%nobody", "the module has no type %nobody"),
        ('%"open', "expected the name of a struct"),
        ("%", "expected the name of a struct"),
        ("[3 x void]", "an element of an array cannot be of type void"),
        ("{ label }", "an element of a struct cannot be of type label"),
        ("<4 x { i8 }>", "an element of a vector cannot be of type { i8 }"),
        ("<0 x i8>", "1 to 4294967295 elements"),
        ("<4294967296 x i8>", "1 to 4294967295 elements"),
        ("%opaque (i32)", "the result of a function cannot be of type %opaque, which has no elements"),
        ("void (%opaque)", "a parameter cannot be of type %opaque"),
        ("void (i32 (i32))", "expected ','"),
        ("i32 (i32) (i32)", "expected the end of the type"),
        ("void (..., i32)", "expected '\\)'"),
        ("{ i32,, i32 }", "expected a type"),
        ("{ i32", "expected ',' at the end"),
        ("i32\n, align 4", "expected the end of the type"),
        ("i32 ; a comment", "expected the end of the type"),
        ("ptr addrspace(16777216)", "numbered 0 to 16777215"),
        ('target("aarch64.svcount")', "cannot be parsed from text"),
        ("[" * 5000, "expected a number"),
        ("[1 x " * 5000 + "i8" + "]" * 5000, "nested too deeply"),
        ("i32\0", "a NUL"),
        ("\ud800", r"'\\ud800' is not a valid name: it contains a lone surrogate"),
    ],
)
def test_invalid_texts_are_errors(types: Types, text: str, why: str) -> None:
    with pytest.raises(pycoro.UsageError, match=why):
        types.parse(text)


def test_invalid_types_are_errors(types: Types) -> None:
    with pytest.raises(pycoro.UsageError, match="the context already has a type %pair"):
        types.struct([], name="pair")
    with pytest.raises(pycoro.UsageError, match="is empty"):
        types.struct([], name="")
    with pytest.raises(pycoro.UsageError, match="an element of a struct cannot be of type i32 \\(\\)"):
        types.struct([types.function("i32")])
    with pytest.raises(pycoro.UsageError, match="the result of a function cannot be of type label"):
        types.function(types.label)
    for number in (-1, 1 << 64):
        with pytest.raises(pycoro.UsageError, match="a number in a type must be"):
            types.array(types.i8, number)
    with (
        pytest.raises(pycoro.UsageError, match="the type belongs to another module: parse its text in this"),
        pycoro.Module("") as other,
    ):
        types.array(other.types.i8, 1)
    for wrong in (3, None, b"i8", ["i8"]):
        with pytest.raises(TypeError, match="the components of a type must be a Type or the text of a"):
            types.array(wrong, 1)  # type: ignore[arg-type]
    for alone in ("i32", types.i32):
        with pytest.raises(TypeError, match="expected a list of types"):
            types.struct(alone)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        types.parse(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Type()
    with pytest.raises(TypeError):
        pickle.dumps(types.i8)
    with pytest.raises(AttributeError):
        types.i8.size = 4  # type: ignore[misc]


def test_types_with_too_long_text_are_errors(types: Types) -> None:
    doubled = types.i8
    with pytest.raises(pycoro.UsageError, match="too long"):
        for _ in range(100):
            doubled = types.struct([doubled, doubled])
    assert doubled.size and len(str(doubled)) > 1 << 19
    doubled = types.i8
    for number in range(100):  # a name is one token
        doubled = types.struct([doubled, doubled], name=f"n{number}")
    assert (str(doubled), doubled.size, doubled.offsets) == ("%n99", None, None)
    deep = types.i8
    with pytest.raises(pycoro.UsageError, match="nested too deeply"):
        for _ in range(5000):
            deep = types.array(deep, 1)
    assert deep.size == 1 and len(str(deep)) > 5000


def test_types_outlive_their_module() -> None:
    gc.collect()
    before = _core.live()["types"]
    module = pycoro.Module(LAYOUT + MODULE)
    pair, generation = module.types.parse("%pair"), module.generation
    module.run("default<O1>")
    assert pair.size == 16 and module.types.parse("%pair") == pair and module.generation > generation
    module.close()
    assert repr(pair) == "<Type that is too long to print>" and pair == pair and hash(pair)
    with pytest.raises(pycoro.ClosedError):
        pair.size  # noqa: B018
    with pytest.raises(pycoro.ClosedError):
        module.types.i32  # noqa: B018
    del pair, module
    gc.collect()
    assert _core.live()["types"] == before


def test_a_run_may_name_the_layout() -> None:
    """A module may leave the layout to its target; lowering uses that layout."""
    module = pycoro.Module('target triple = "i686-unknown-linux-gnu"\ndefine void @f() { ret void }')
    pointer, number = module.types.ptr, module.types.i64
    assert (pointer.size, number.align) == (4, 4)
    module.run("coro-early")
    assert (pointer.size, number.align) == (4, 4)


def test_types_are_usable_during_a_run() -> None:
    module = pycoro.Module("define void @f() { ret void }")
    kept = module.types.i32
    seen: list[type[BaseException]] = []

    def look(*_: str) -> None:
        for ask in (lambda: kept.size, lambda: module.types.i8, lambda: str(kept)):
            try:
                ask()
            except pycoro.BusyError as error:
                seen.append(type(error))

    module.run("instcombine", after_pass=look)
    assert seen == [pycoro.BusyError] * 3 and kept.size == 4


def test_from_many_threads() -> None:
    module = pycoro.Module("")
    wrong: list[BaseException] = []

    def work() -> None:
        for number in range(300):
            try:
                types = module.types
                assert types.array(types.struct(["i8", "i64"]), number).size is not None
            except pycoro.BusyError:
                pass
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_random_texts(types: Types) -> None:
    """Every text is a type with that spelling, or an error."""
    draw = random.Random(14)
    words = [
        "i",
        "i32",
        "ptr",
        "{",
        "}",
        "<{",
        "}>",
        "[",
        "]",
        "<",
        ">",
        "(",
        ")",
        ",",
        "...",
        "x",
        "4",
        "vscale",
        "%pair",
        "%",
        '"',
    ]
    words += [" ", "void", "token", "addrspace", "float", "18446744073709551615", "%opaque", "label", "target", "\\22"]
    made = 0
    for _ in range(20_000):
        text = " ".join(draw.choices(words, k=draw.randint(1, 9)))
        try:
            found = types.parse(text)
        except pycoro.UsageError:
            continue
        made += 1
        assert types.parse(found.text) == found
        assert (found.size is None) == (found.align is None)
    assert made > 500


def test_layouts_agree_with_llvm() -> None:
    """LLVM folds sizes and offsets with the module's layout."""
    draw = random.Random(5)

    def drawn(depth: int) -> str:
        scalars = ["i1", "i8", "i17", "i64", "i128", "ptr", "double", "x86_fp80", "<3 x i32>", "<5 x i1>", "%pair"]
        if depth == 0 or draw.random() < 0.4:
            return draw.choice(scalars)
        if draw.random() < 0.3:
            return f"[{draw.randint(0, 4)} x {drawn(depth - 1)}]"
        inside = ", ".join(drawn(depth - 1) for _ in range(draw.randint(0, 4)))
        return draw.choice(["{ %s }", "<{ %s }>"]) % inside if inside else "{}"

    for layout in (LAYOUT, 'target datalayout = "e-p:32:32-i64:32-i128:32"\n', ""):
        texts = [drawn(3) for _ in range(60)]
        asked = "".join(
            f"@s{i} = global i64 ptrtoint (ptr getelementptr ({t}, ptr null, i32 1) to i64)\n" for i, t in enumerate(texts)
        )
        module = pycoro.Module(layout + "%pair = type { i8, i64 }\n" + asked)
        sizes = [module.types.parse(text).size for text in texts]
        module.run("globalopt")
        folded = [line.rsplit(" ", 1)[1] for line in str(module).splitlines() if line.startswith("@s")]
        assert folded == [str(size) for size in sizes]
