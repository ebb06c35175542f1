"""The explorer's data model and its page, without a browser."""

from __future__ import annotations

import base64
import itertools
import json
import pathlib
import random
import re
import shutil
import zlib

import pytest
from contrast import contrast

import pycoro
from pycoro import explore
from pycoro._demangle import cxx_symbols_by_source_name
from pycoro.cli import main
from pycoro.drawing.svg import STYLES
from pycoro.explore import colors
from pycoro.explore.packed import HOWS, SIGNS, encode_model_for_page
from pycoro.explore.printed import Printed
from pycoro.explore.unit import build_passes, read_unit

ROOT = pathlib.Path(__file__).parents[2]
GENERATOR = ROOT / "docs" / "examples" / "generator.cpp"
needs_clang = pytest.mark.skipif(shutil.which("clang++-22") is None, reason="clang++-22 is not installed")


@pytest.fixture(scope="module")
def triangle():
    module = read_unit(str(GENERATOR))
    model = explore.model(module, folders=[GENERATOR.parent])
    assert json.loads(json.dumps(model)) == model, "plain data"
    return model


def field_of(coroutine, variable):
    (place,) = [each["field"] for each in coroutine["variables"] if each["name"] == variable]
    return place


def marked(code, field):
    return [(how, code["lines"][line].strip(), code["at"][line]) for line, how, of in code["marks"] if of == field]


@needs_clang
def test_variables_link_to_field_suspends_and_accesses(triangle):
    (coroutine,) = triangle["coroutines"]
    assert coroutine["shown"] == "triangle(int)"
    place = field_of(coroutine, "sum")
    field = coroutine["fields"][place]
    assert (field["variable"], field["type"], field["line"], field["live"]) == ("sum", "int", 18, [[1, 2]])
    assert [coroutine["suspends"][at]["line"] for at in range(*field["live"][0])] == [21], "the co_yield"
    source = triangle["sources"][coroutine["source"]]["lines"]
    named = {(line, source[line - 1][column : column + length]) for line, column, length, of in coroutine["names"]}
    assert {(18, "sum"), (20, "sum"), (21, "sum"), (19, "row"), (17, "rows")} <= named
    parts = {part["role"]: part for part in coroutine["parts"]}
    assert list(parts) == ["ramp", "resume", "destroy", "cleanup"]
    assert marked(parts["resume"], place) == [
        ("address", "%sum.reload.addr = getelementptr inbounds i8, ptr %0, i64 24", 17),
        ("store", "store i32 0, ptr %sum.reload.addr, align 4", 18),
        ("address", "%sum.reload.addr4 = getelementptr inbounds i8, ptr %0, i64 24", 20),
        ("load", "%4 = load i32, ptr %sum.reload.addr4, align 4", 20),
        ("store", "store i32 %add, ptr %sum.reload.addr4, align 4", 20),
        ("load", "%5 = load i32, ptr %sum.reload.addr4, align 4", 21),
    ]
    assert marked(coroutine["ir"], place)[0] == ("define", "%sum = alloca i32, align 4", 0)


@needs_clang
def test_reasons_have_lines(triangle):
    (coroutine,) = triangle["coroutines"]
    field = coroutine["fields"][field_of(coroutine, "row")]
    blocks = {block for box in coroutine["graph"]["boxes"] for block in box["blocks"]}
    assert coroutine["suspends"][field["suspend"]]["line"] == 21
    assert field["use_line"] == 19
    assert set(field["before"]) | set(field["after"]) <= blocks
    assert field["before"][-1] == coroutine["suspends"][field["suspend"]]["block"]


@needs_clang
def test_steps_and_elisions(triangle):
    assert [step["name"] for step in triangle["steps"]] == ["coro-early", "coro-split", "coro-cleanup"]
    split = {change["shown"]: change for change in triangle["steps"][1]["changed"]}
    assert split["triangle(int).resume"]["what"] == "new"
    assert all(line.startswith("+") for line in split["triangle(int).resume"]["diff"])
    assert split["triangle(int)"]["what"] == "changed"
    (elision,) = triangle["elisions"]
    assert (elision["location"], triangle["sources"][0]["path"]) == ("generator.cpp:17:30", "generator.cpp")
    assert elision["creation"] == "generator.cpp:26:17"
    assert str(ROOT) not in json.dumps(triangle), "a page that is given away says nothing of folders"
    assert (triangle["elided_by"], elision["elided"], elision["callee"]) == ("default<O2>", True, "triangle(int)")


def every_access(path, passes="coro-early,cgscc(coro-split),coro-cleanup"):
    for coroutine in explore.model(pycoro.Module.from_file(path), passes)["coroutines"]:
        for index, field in enumerate(coroutine["fields"]):
            if field["kind"] == "spill":
                yield field["name"], {mark[1] for part in coroutine["parts"] for mark in part["marks"] if mark[2] == index}


@pytest.mark.parametrize(
    "path",
    [
        "docs/examples/steps.ll",
        "docs/examples/squares.ll",
        "docs/examples/sums.ll",
        "tests/ir/retcon/generator-allocated.ll",
        "tests/ir/async/context.ll",
    ],
)
def test_every_spilled_value_has_stores_and_loads_in_every_abi(path):
    found = list(every_access(ROOT / path))
    assert found
    assert [name for name, how in found if not {"store", "load"} <= how] == []


def test_plain_and_split_functions():
    assert explore.model(pycoro.Module("define void @f() {\n  ret void\n}\n"))["coroutines"] == []
    lowered = pycoro.lower((ROOT / "docs/examples/steps.ll").read_text()).module
    assert explore.model(lowered)["coroutines"] == []


def test_the_module_is_unchanged_and_errors_are_shown():
    module = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll")
    before = str(module)
    explorer = module.explore()
    assert str(module) == before
    assert repr(explorer) == "<Explorer of 'steps.ll': 1 coroutine>"
    with pytest.raises(pycoro.PipelineError):
        module.explore("no-such-pass")


def test_printed_functions_are_found_by_any_name():
    ir = 'define "x@y(" void @"a \\22b\\22 } {"(i32 %"p q") #0 {\n  ret void\n}\n\n'
    ir += "define void @g() {\n  ret void\n}\nattributes #0 = { noinline }\n"
    printed = Printed(ir)
    assert printed.function_names == ('a "b" } {', "g")
    assert printed.lines_without_metadata("g") == ("define void @g() {", "  ret void", "}")


HOSTILE = [
    "</script><script>document.title='hacked'</script>",
    "<img src=x onerror=document.title='hacked'>",
    "a\u202eb",
    "'\"&`${1}",
]
COROUTINE = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @use(i64)
define ptr @"{name}"(i64 %"{name}", ptr %memory) presplitcoroutine {{
"{name} entry":
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %on
                             i8 1, label %out ]
on:
  call void @use(i64 %"{name}")
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""


def test_frame_changes_by_passes_before_the_split():
    ir = COROUTINE.format(name="f")
    ir = ir.replace("  %id =", "  %seven = alloca i64\n  store i64 7, ptr %seven\n  %id =")
    ir = ir.replace('  call void @use(i64 %"f")', "  %again = load i64, ptr %seven\n  call void @use(i64 %again)")
    model = explore.model(pycoro.Module(ir), "coro-early,function(instsimplify),function(sroa),cgscc(coro-split),coro-cleanup")
    assert [(step["name"], step["frames"]) for step in model["steps"] if step["frames"]] == [("function(sroa)", {"f": [24, 16]})]
    assert model["coroutines"][0]["frame"]["size"] == 16


def hostile_page(name):
    spelt = "".join(c if c.isascii() and c not in '"\\' else "".join(f"\\{byte:02X}" for byte in c.encode()) for c in name)
    return explore.page(explore.model(pycoro.Module(COROUTINE.format(name=spelt), name=name)))


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_markup(name):
    page = hostile_page(name)
    assert page.lower().count("<script") == 2
    assert "<img" not in page
    assert "\u202e" not in page
    (coroutine,) = read_back(page)["coroutines"]
    assert [field["kind"] for field in coroutine["fields"] if not field["header"]] == ["spill"]


def test_a_page_fetches_nothing():
    page = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").explore().html()
    assert re.findall(r'(?:src|href)="?[^"#]', page) == []
    assert "default-src 'none'" in page
    assert "connect-src 'none'" in page
    assert [url for url in re.findall(r"https?://[\w./]+", page) if url != "http://www.w3.org/2000/svg"] == []


def test_a_page_stays_small():
    model = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").explore().model
    told = {"function": "f", "shown": "f", "of": "", "what": "new"}
    drawn = random.Random(7)
    changes = [{**told, "diff": [f"+{drawn.randbytes(40).hex()}" for _ in range(9000)]} for _ in range(10)]
    large = {**model, "steps": [{**model["steps"][0], "changed": changes}]}
    page = explore.page(large)
    assert 2_000_000 < len(page.encode()) < 3_000_000
    (step,) = read_back(page)["steps"]
    assert 0 < step["left_out"] < 10
    assert len(step["changed"]) == 10 - step["left_out"]


def read_back(page):
    """Return the data model of a page, as its script parses it."""
    data = re.search(r'<script type="application/json" id="model">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    model = json.loads(data[1])
    return json.loads(zlib.decompress(base64.b64decode(model["deflated"]))) if "deflated" in model else model


def test_each_line_of_text_occurs_once():
    model = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").explore().model
    packed = encode_model_for_page(model)
    texts = packed["texts"]
    assert len(texts) == len(set(texts))
    (coroutine,), (before,) = packed["coroutines"], model["coroutines"]
    assert [texts[place] for place in coroutine["ir"]["lines"]] == before["ir"]["lines"]
    (change, *_), (was, *_) = packed["steps"][1]["changed"], model["steps"][1]["changed"]
    assert [SIGNS[line % 4] + texts[line // 4] for line in change["diff"]] == was["diff"]
    marks = coroutine["parts"][0]["marks"]
    assert [[line, HOWS[how], field] for line, how, field in zip(*[iter(marks)] * 3, strict=True)] == before["parts"][0]["marks"]
    script = (ROOT / "src/pycoro/explore/page/unpack.js").read_text()
    assert json.dumps(list(HOWS)) in script
    assert json.dumps(SIGNS) in script


def test_notebooks_embed_it_in_an_iframe():
    made = pycoro.Module.from_file(ROOT / "docs/examples/steps.ll").explore()._repr_html_()
    assert made.startswith('<iframe sandbox="allow-scripts"')
    assert made.count("<") == 2, "the page is an attribute"


@needs_clang
def test_only_allowed_source_files_are_read(tmp_path):
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / ".hidden").mkdir()
    text = GENERATOR.read_text()
    for place, readable in (("shown/a.cpp", True), ("a.cpp", False), ("shown/.hidden/a.cpp", False)):
        (tmp_path / place).write_text(text)
        model = explore.model(read_unit(str(tmp_path / place)), folders=[tmp_path / "shown"])
        assert [file["lines"][3] for file in model["sources"]] == ["struct Generator {"] * readable, place
    given = explore.model(read_unit(str(tmp_path / "a.cpp")), sources={"a.cpp": text})
    assert len(given["sources"]) == 1


@needs_clang
@pytest.mark.parametrize("as_text", [False, True])
def test_a_file_is_compiled_as_in_its_build(tmp_path, as_text):
    """The command of the build selects the file's definitions and include directories, relative to the build's directory."""
    (tmp_path / "build").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "limit.h").write_text("#if !LARGE\n#error not as in the build\n#endif\n")
    (tmp_path / "a.cpp").write_text('#include "limit.h"\n' + GENERATOR.read_text())
    words = [
        "pycoro-c++",
        "-std=gnu++20",
        "-DLARGE=1",
        "-O2",
        "-I../inc",
        "--pycoro-report=R",
        "-MD",
        "-MF",
        "a.d",
        "-MJa.json",
        "-MTa.o",
        "-cxx-isystem",
        "/",
        "-o",
        "a.o",
        "-c",
        "../a.cpp",
    ]
    entry = {"directory": str(tmp_path / "build"), "file": "../a.cpp"}
    entry |= {"command": " ".join(words)} if as_text else {"arguments": words}
    (tmp_path / "build" / "compile_commands.json").write_text(
        json.dumps([{"directory": "/", "file": "b.cpp", "command": ""}, entry])
    )
    assert explore.model(read_unit(str(tmp_path / "a.cpp"), database=str(tmp_path / "build")))["coroutines"]
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["compile_commands.json"]
    levels = [build_passes(str(tmp_path / "a.cpp"), options, str(tmp_path / "build")) for options in ((), ("-O3", "-Os"))]
    assert levels == ["default<O2>", "default<Os>"], "the passes of the build"


@pytest.mark.parametrize("words", [[1, 2], ["c++", "a\0b"], "c++ -c a.cpp"])
def test_invalid_commands_of_a_build_are_errors(tmp_path, capsys, words):
    (tmp_path / "a.cpp").write_text("int n;\n")
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"directory": str(tmp_path), "file": "a.cpp", "arguments": words}]))
    assert main(["explain", "-p", str(tmp_path), str(tmp_path / "a.cpp")]) != 0
    assert "the arguments of a command are not a list of texts" in capsys.readouterr().err


def test_explain_prints_the_frames_of_a_build(tmp_path, capsys):
    """The frame is that of the build's level, and the coroutine is found by its name without parameters and ABI tags."""
    text = (ROOT / "docs/examples/generator.cpp").read_text().replace("int main", "int other")
    (tmp_path / "a.cpp").write_text(text)
    words = ["pycoro-c++", "-std=c++20", "-O2", "-c", "a.cpp"]
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"directory": str(tmp_path), "file": "a.cpp", "arguments": words}]))
    source, build = str(tmp_path / "a.cpp"), str(tmp_path)
    lowered = read_unit(source, database=build)
    [(symbol, coroutine)] = lowered.run(build_passes(source, (), build)).coroutines.items()
    assert main(["explain", "-p", build, source, f"--function={coroutine.source_name.partition('(')[0]}"]) == 0
    assert f"frame of {coroutine.source_name}: {coroutine.frame.size} bytes" in capsys.readouterr().out
    assert cxx_symbols_by_source_name([symbol, "_Z5fetchB5cxx11i"])["fetch"] == "_Z5fetchB5cxx11i"
    assert main(["explain", "-p", build, source, "--stage", "all"]) == 2
    assert "omit --stage and --reuse-storage" in capsys.readouterr().err


# ---- Colors ----


@pytest.mark.parametrize(("text", "dark"), list(itertools.product(colors.TEXTS, (0, 1))))
def test_text_is_readable_on_everything(text, dark):
    known = colors.light_and_dark_colors()
    assert [ground for ground in colors.GROUNDS if contrast(known[text][dark], known[ground][dark]) < 4.5] == []


@pytest.mark.parametrize("dark", [0, 1])
def test_text_contrast_on_its_background(dark):
    known = colors.light_and_dark_colors()
    grounds = {
        "word": ("card", "inside", "suspend", "lit"),
        "on-lit": ("lit-strong",),
        "go": ("card",),
        "end": ("card",),
        "card": ("text",),
    }
    assert [pair for one, others in grounds.items() for pair in others if contrast(known[one][dark], known[pair][dark]) < 4.5] == []


def test_colors_equal_those_of_the_pictures():
    assert colors.light_and_dark_colors()["spill"] == (STYLES["spill"][0], STYLES["spill"][2])


# ---- The command ----


def test_the_page_is_written_next_to_its_input(tmp_path, capsys):
    shutil.copy(ROOT / "docs/examples/steps.ll", tmp_path)
    assert main(["explore", str(tmp_path / "steps.ll")]) == 0
    assert (tmp_path / "steps.html").read_text().startswith("<!doctype html>")
    assert "open it in a browser" in capsys.readouterr().err
    assert main(["explore", str(tmp_path / "steps.ll"), "-o", str(tmp_path / "other.html"), "--passes=coro-early"]) == 0
    assert (tmp_path / "other.html").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["none.ll"], 1, "No such file"),
        (["none.cpp"], 1, "No such file"),
        (["bad.cpp"], 2, "bad.cpp:1:5: error"),
        (["steps.ll", "--clang=-DX"], 2, "options for clang need a C++ source"),
        (["steps.ll", "-p", "."], 2, "options for clang need a C++ source"),
        (["bad.cpp", "-p", "none"], 1, "No such file"),
        (["bad.cpp", "-p", "none"], 1, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
        (["bad.cpp", "-p", "."], 2, "has no command for bad.cpp; it has: other.cpp"),
        (["bad.cpp", "-p", "steps.ll"], 2, "is not a compilation database"),
        (["steps.ll", "--serve", "-o", "x.html"], 2, "omit -o"),
        (["steps.ll", "--passes=no-such-pass"], 2, "no-such-pass"),
    ],
)
@needs_clang
def test_invalid_uses_are_errors(tmp_path, monkeypatch, capsys, arguments, status, said):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs/examples/steps.ll", tmp_path)
    (tmp_path / "bad.cpp").write_text("int 1;\n")
    (tmp_path / "compile_commands.json").write_text('[{"directory": "/", "file": "other.cpp", "command": "c++ other.cpp"}]')
    assert main(["explore", *arguments]) == status
    assert said in capsys.readouterr().err
    assert list(tmp_path.glob("*.html")) == []
