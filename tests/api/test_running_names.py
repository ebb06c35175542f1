"""Running frames of C++: values by source names and types, compiled or interpreted."""

from __future__ import annotations

import copy
import ctypes
import json
import pickle
import re
import subprocess
from typing import Any

import pytest
from test_running_frame import GENERATOR, MACHINES

import pycoro

PROGRAM = (
    GENERATOR
    + """enum class color : unsigned char { red, green = 200 };
enum plain { A = -1, B };
struct base { int b; };
union either { int i; float f; };
struct empty {};
struct bits { unsigned low : 3; int high : 5; bool flag : 1; };
struct many : base {
  bool yes;
  const char *label;
  many *next;
  unsigned count, index;
  short table[2][3];
  color shade;
  static int shared;
  void method();
};
struct counted { unsigned n; bool odd; double half; };
extern "C" void look(const void *, ...);
using word = unsigned short;

gen all(const char *label) {
  many m{{7}, true, label, nullptr, 4000000000u, 5, {{1, 2, 3}, {4, 5, 6}}, color::green};
  m.next = &m;
  plain sign = A;
  word small = 65535;
  bool yes = true;
  color unnamed = color(7);
  color named = color::red;
  short &ref = m.table[1][0];
  long double wide = 1.5L;
  char letter = 'c', text[8] = "text";
  unsigned char raw[4] = {104, 105, 33, 0};
  char16_t sixteen = u'x';
  either e{3};
  bits fields{};
  fields.low = 5; fields.high = -3; fields.flag = true;
  counted c{3000000000u, true, 0.5};
  int many::*member = nullptr;
  empty nothing;
  void (*function)() = nullptr;
  look(&m, &sign, &small, &yes, &unnamed, &named, &ref, &wide, &letter, text, raw, &sixteen, &e, &fields, &c, &member, &nothing,
       &function);
  co_yield 1;
  look(&m, &sign, &small, &yes, &unnamed, &named, &ref, &wide, &letter, text, raw, &sixteen, &e, &fields, &c, &member, &nothing,
       &function);
  co_yield c.n == 4294967295u && !c.odd && c.half == 2.5;
  co_yield fields.low * 100 + fields.high;
}
"""
)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    """Return the program from clang."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "all.cpp").write_text(PROGRAM)
    left = ["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone"]
    command = ["clang++-22", "-std=c++20", "-g", "-O0", *left, "-S", "-emit-llvm", "-o", "-", "all.cpp"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


LABEL = ctypes.create_string_buffer(b"label")
NAME = "_Z3allPKc"


def made(how: str, ir: str) -> Any:
    nothing = lambda *_: None  # noqa: E731
    if how == "interpreter":
        machine = pycoro.Interpreter(ir, externals={"look": nothing})
        machine.share(LABEL)
        return machine
    address = ctypes.cast(ctypes.CFUNCTYPE(None)(lambda: None), ctypes.c_void_p)
    machine = pycoro.Engine(pycoro.lower(ir, host=True), externals={"look": address.value}, libraries=["libstdc++.so.6"])
    machine._keep.append(address)
    return machine


@pytest.fixture(params=MACHINES)
def at_yield(request, program) -> Any:
    handle = made(request.param, program).start(NAME, LABEL)
    handle.resume()
    yield handle
    handle.destroy()


def test_every_type_has_its_name_and_its_values(at_yield):
    frame = at_yield.frame
    shown = {item.name: (item.type, item.value, item.text) for item in frame.live}
    assert shown["small"] == ("word", 65535, "65535"), "an unsigned number"
    assert shown["yes"] == ("bool", True, "true")
    assert shown["yes"][1] is True
    assert shown["sign"] == ("plain", -1, "A")
    assert shown["named"] == ("color", 0, "red")
    assert shown["unnamed"] == ("color", 7, "7")
    assert shown["wide"] == ("long double", 1.5, "1.5")
    assert shown["letter"] == ("char", 99, "99 'c'")
    assert shown["text"][::2] == ("char[8]", '"text"')
    assert shown["raw"] == ("unsigned char[4]", (104, 105, 33, 0), "[104, 105, 33, 0]"), "bytes are no text"
    assert shown["sixteen"] == ("char16_t", 120, "120 'x'")
    assert shown["e"][::2] == ("either", "{i = 3, f = 4.2039e-45}")
    assert shown["nothing"] == ("empty", (), "{}")
    assert shown["function"] == ("function *", 0, "null")
    assert shown["ref"][::2] == ("short &", "→ m + 38")
    assert shown["label"] == ("const char *", ctypes.addressof(LABEL), f"{ctypes.addressof(LABEL):#x}")
    assert shown["member"] == ("i64", -1, "-1"), "of what has no name in the source, LLVM's"


def test_members_have_their_names(at_yield):
    frame = at_yield.frame
    m = frame["m"].value
    assert (m.base.b, m.yes, m.label, m.shade) == (7, True, ctypes.addressof(LABEL), 200)
    assert (m.count, m["index"], m[0]) == (4000000000, 5, (7,)), "though a tuple has methods of these names"
    assert m.table == ((1, 2, 3), (4, 5, 6))
    assert "shared" not in dir(m)
    assert "table" in dir(m)
    assert frame["m"].target is None
    assert frame["m"].text.startswith("{base = {b = 7}, yes = true, label = 0x")
    assert "next = → m" in frame["m"].text
    with pytest.raises(AttributeError):
        m.tabel  # noqa: B018
    with pytest.raises(KeyError, match="tabel"):
        m["tabel"]
    assert repr(frame["c"].value) == "(n=3000000000, odd=True, half=0.5)"
    for same in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert same == m
        assert same.base.b == 7
    json.dumps(frame.to_dict())
    assert "{n = 3000000000, odd = true, half = 0.5}" in frame.svg()


def test_bit_fields(program):
    handle = made("engine", program).start(NAME, LABEL)
    handle.resume()
    assert handle.frame["fields"].text == "{low = 5, high = -3, flag = true}"
    with pytest.raises(OverflowError):
        handle.set("fields", (8, 0, True))
    handle.set("fields", (2, -16, False))
    assert tuple(handle.frame["fields"].value) == (2, -16, False)
    handle.resume()
    handle.resume()
    assert handle.promise == (200 - 16,)
    handle.destroy()


def test_members_are_set(at_yield):
    with pytest.raises(OverflowError):
        at_yield.set("c", (-(1 << 40), True, 1.0))
    with pytest.raises(OverflowError, match="bool"):
        at_yield.set("c", (1, 2, 1.0))
    with pytest.raises(TypeError, match="counted has 3 elements, not 2"):
        at_yield.set("c", (1, True))
    at_yield.set("c", (4294967295, False, 2.5))
    at_yield.set("named", 200)
    assert at_yield.frame["named"].text == "green"
    at_yield.resume()
    assert at_yield.frame["__promise"].value.value == 1


@pytest.mark.parametrize(("name", "why"), [("m", "holds an address"), ("e", "either, a union"), ("ref", "holds an address")])
def test_what_is_not_safe_is_not_set(at_yield, name, why):
    with pytest.raises(pycoro.UsageError, match=f"{name} of the coroutine @{NAME} .*{why}"):
        at_yield.set(name, at_yield.frame[name].value)


def test_the_frame_has_source_types(program):
    frame = pycoro.Module(program).coroutines[NAME].frame
    types = {field.variable: field.source_type for field in frame if field.variable}
    assert types["m"] == "many"
    assert types["text"] == "char[8]"
    assert types["small"] == "word"
    assert frame["resume"].source_type == ""


def test_names_that_look_like_debug_information(program):
    """Names of types and enumerators are arbitrary text in IR."""
    ir = program.replace('name: "word"', 'name: "w, encoding: DW_ATE_float)\\22"')
    ir = ir.replace('name: "green", value: 200', 'name: "g, value: 3", value: 200')
    assert ir != program
    handle = made("engine", ir).start(NAME, LABEL)
    handle.resume()
    assert handle.frame["small"].value == 65535
    assert handle.frame["m"].value.shade == 200
    handle.destroy()


def test_debug_types_of_the_wrong_size_are_ignored(program):
    """LLVM's verifier checks only the structure of debug information."""
    ir, count = re.subn(r'(name: "counted", .*?)size: 128', r"\1size: 64", program)
    assert count == 1
    handle = made("engine", ir).start(NAME, LABEL)
    handle.resume()
    assert handle.frame["c"].value == (-1294967296, 1, 0.5), "by LLVM's type"
    handle.destroy()
    ir = re.sub(r'name: "half", (.*?)offset: 64', r'name: "half", \1offset: 640', program)
    handle = made("engine", ir).start(NAME, LABEL)
    handle.resume()
    assert handle.frame["c"].value == (-1294967296, 1, 0.5), "a member behind its end"
    handle.destroy()


# ---- Life cycles ----


@pytest.mark.parametrize("how", MACHINES)
def test_a_life_cycle_is_plain_data(program, how):
    life = made(how, program).trace(NAME, (LABEL,))
    again = pickle.loads(pickle.dumps(life))
    assert str(again) == str(life)
    assert again.rows() == life.rows()
    assert again.svg() == life.svg()
    assert again[1].frame["m"].value.base.b == 7


# ---- Values derived from a changed value ----

COMPUTED = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare i64 @llvm.coro.size.i64()
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @llvm.coro.free(token, ptr)
declare void @print(i64)
define ptr @f(i64 %n, i64 %by) presplitcoroutine {
entry:
  %nothing = alloca {}
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %m)
  %double = shl i64 %n, 1
  %third = sdiv i64 %n, %by
  %more = add i64 %double, 1
  %empty = insertvalue { {}, i64 } undef, i64 %third, 1
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %go
                              i8 1, label %clean ]
go:
  call void @print(i64 %more)
  call void @print(i64 %double)
  call void @print(i64 %third)
  call void @print(i64 %n)
  %part = extractvalue { {}, i64 } %empty, 1
  call void @print(i64 %part)
  br label %clean
clean:
  %mem = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mem)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
"""


@pytest.mark.parametrize("how", MACHINES)
def test_rematerialized_values_follow_changed_fields(how):
    """Rematerialized values follow a changed field; spilled ones stay, and the view says so."""
    printed: list[int] = []
    handle = MACHINES[how](COMPUTED, externals={"print": printed.append}).start("f", 30, 3)
    assert {item.name for item in handle.frame.live} == {"%n", "%third", "%empty"}
    handle.set("n", 60)
    assert handle.frame["third"].value == 10
    handle.resume()
    assert printed == [121, 120, 10, 60, 10]


@pytest.mark.parametrize("how", MACHINES)
def test_fields_without_bytes(how):
    handle = MACHINES[how](COMPUTED, externals={"print": lambda _: None}).start("f", 30, 3)
    assert handle.frame["empty"].value == ((), 10)
    assert handle.frame["empty"].text == "{{}, 10}"
    handle.destroy()


def test_the_promise_is_shown_as_in_the_frame(program):
    at_yield = made("engine", program).start(NAME, LABEL)
    at_yield.resume()
    of_frame, of_handle = at_yield.frame["__promise"].value, at_yield.promise
    assert of_handle == of_frame
    assert repr(of_handle) == repr(of_frame) == "(value=1)"
    assert of_handle.value == of_handle["value"] == of_frame.value == 1
    at_yield.promise = (5,)
    assert at_yield.promise.value == at_yield.frame["__promise"].value.value == 5
    with pytest.raises(AttributeError):
        at_yield.promise.valeu  # noqa: B018


def test_a_bool_of_the_source_is_a_bool_in_the_promise():
    """It is an i8 in IR."""
    with pycoro.Engine(pycoro.lower(BOOL_PROMISE, host=True)) as engine, engine.start("f") as handle:
        assert handle.promise is True
        assert handle.frame["found"].value is True
        handle.promise = False
        assert handle.promise is False
        with pytest.raises(OverflowError):
            handle.promise = 2


BOOL_PROMISE = """
define ptr @f() presplitcoroutine !dbg !3 {
  %promise = alloca i8, !dbg !7
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null), !dbg !7
  %size = call i64 @llvm.coro.size.i64(), !dbg !7
  %memory = call ptr @malloc(i64 %size), !dbg !7
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !7
  #dbg_declare(ptr %promise, !8, !DIExpression(), !7)
  store i8 1, ptr %promise, !dbg !7
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !7
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %cleanup
  ], !dbg !7
resumed:
  store i8 0, ptr %promise, !dbg !7
  br label %cleanup, !dbg !7
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %h), !dbg !7
  call void @free(ptr %freed), !dbg !7
  br label %out, !dbg !7
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none), !dbg !7
  ret ptr %h, !dbg !7
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!7 = !DILocation(line: 1, scope: !3)
!8 = !DILocalVariable(name: "found", scope: !3, file: !1, line: 1, type: !6)
"""
