"""Names in IR are arbitrary bytes: displayed escaped for terminals and HTML, and looked up unchanged."""

from __future__ import annotations

import html.parser
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

import pycoro

HOSTILE = {
    "escape": b"\x1b[2J\x1b[1;1Hgone\x1b]0;title\x07",
    "bell": b"\x07ding",
    "c1": "\x9b2J\x85".encode(),
    "direction": "\u202egnp.exe\u2066\u200f".encode(),
    "invisible": "a\u200bb\ufeff\u2028c".encode(),
    "no utf-8": b"\xff\xfe\xc3(",
    "lines": b"first\nerror: second\r\tthird",
    "markup": b"<script>document.title='run'</script>",
    "attribute": b"\"><img src=x onerror=\"document.title='run'\">'",
    "comment": b"--> ]]> <!-- <![CDATA[ </svg></style></title>",
    "format": b"%s%n{0}\\1b$(id)`id`&lt;",
    "long": b"x" * 300,
}

NAMED = """\
{type} = type {{ i32, i64 }}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @use(ptr, i32)
declare i32 @make()

define ptr {function}(ptr %memory) presplitcoroutine {{
{block}:
  {variable} = alloca {type}
  {promise} = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr {promise}, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  {value} = call i32 @make()
  call void @use(ptr {variable}, i32 {value})
  {suspend} = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 {suspend}, label {target}.out [i8 0, label {target}
                                           i8 1, label {target}.out]
{target_label}:
  call void @use(ptr {variable}, i32 {value})
  br label {target}.out
{out_label}:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""


def spelt(name: bytes) -> str:
    return '"' + "".join(f"\\{byte:02X}" for byte in name) + '"'


def text(name: bytes) -> str:
    kinds = {kind: f"%{spelt(kind.encode() + name)}" for kind in ("type", "variable", "promise", "value", "suspend", "target")}
    out = spelt(b"target" + name + b".out")
    return NAMED.format(
        function=f"@{spelt(name)}",
        block=spelt(b"entry" + name),
        target_label=spelt(b"target" + name),
        out_label=out,
        **kinds,
    ).replace(f"{kinds['target']}.out", f"%{out}")


def key(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def module(name: bytes, extra: str = "") -> pycoro.Module:
    return pycoro.Module(text(name) + extra, name="in" + key(name))


def assert_plain(shown: str, lines: bool = True) -> None:
    shown.encode()  # no lone surrogates
    bad = {c for c in shown if not c.isprintable() and not (lines and c == "\n")}
    assert not bad, sorted(map(hex, map(ord, bad)))


class Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def tags_of(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    return tags


@pytest.fixture(params=HOSTILE, ids=str)
def name(request: pytest.FixtureRequest) -> bytes:
    return HOSTILE[request.param]


def test_lookup_uses_the_unescaped_name(name: bytes) -> None:
    coroutine = module(name).coroutines[key(name)]
    assert coroutine.name == key(name)


@pytest.mark.parametrize("library", [None, "libc.so.6"])
@pytest.mark.parametrize("kind", [pycoro.Engine, pycoro.Interpreter])
def test_a_function_is_called_by_its_name(kind: type[pycoro.Engine], library: str | None, name: bytes) -> None:
    written = f"@{spelt(name)}"
    source = f"@loose = global ptr {written}\ndefine i32 {written}() {{\n  ret i32 7\n}}\n"
    with kind(pycoro.Module(source), libraries=[library] if library else []) as engine:
        assert engine.call(key(name)) == 7
        assert engine.address(key(name)) == engine[key(name)].address


@pytest.mark.parametrize("kind", [pycoro.Engine, pycoro.Interpreter])
def test_a_library_is_asked_for_any_name(kind: type[pycoro.Engine], name: bytes) -> None:
    source = "@{0} = external global i32\ndefine i32 @f() {{\n  %v = load i32, ptr @{0}\n  ret i32 %v\n}}\n"
    with pytest.raises(pycoro.Error), kind(pycoro.Module(source.format(spelt(name))), libraries=["libc.so.6"]) as engine:
        engine.call("f")


def test_text_and_repr_are_escaped(name: bytes) -> None:
    m = module(name)
    coroutine = m.coroutines[key(name)]
    frame = coroutine.frame
    shown = [m, m.functions, m.coroutines, m.functions[key(name)], coroutine, frame, *frame, *frame.suspends, *coroutine.cfg]
    for thing in shown:
        assert_plain(repr(thing), lines=False)
        assert_plain(str(thing))
    for field in frame:
        assert_plain(frame.why(field.name), lines=False)
    assert_plain(coroutine.to_dot())


def test_report_and_lowered_text_are_escaped(name: bytes) -> None:
    m = module(name)
    report = m.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert_plain(str(report))
    assert_plain(repr(report))
    assert_plain(str(m))
    assert key(name) in report.coroutines
    pycoro.Module(str(m))


def test_pictures_hold_no_markup_of_a_name(name: bytes) -> None:
    ordinary, hostile = module(b"plain"), module(name)
    expected, found = (m.coroutines[key(n)]._repr_mimebundle_() for m, n in ((ordinary, b"plain"), (hostile, name)))
    for kind in ("text/html", "image/svg+xml"):
        if kind not in expected:
            continue
        assert tags_of(found[kind]).tags <= tags_of(expected[kind]).tags
        assert tags_of(found[kind]).attributes <= tags_of(expected[kind]).attributes
        assert_plain(found[kind])
    assert_plain(hostile.run("cgscc(coro-split)")._repr_mimebundle_()["text/html"])


def test_errors_are_escaped(name: bytes) -> None:
    broken = f"declare ptr @g()\ndefine void @{spelt(b'bad' + name)}() presplitcoroutine {{\n"
    broken += "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
    broken += f"  %{spelt(name)} = call i8 @llvm.coro.suspend(token none, i1 false)\n  ret void\n}}\n"
    with pytest.raises(pycoro.RejectedError) as caught:
        module(name, broken).run("cgscc(coro-split)")
    assert_plain(str(caught.value))
    for diagnostic in caught.value.diagnostics:
        assert_plain(str(diagnostic))
        assert_plain(repr(diagnostic), lines=False)
    assert caught.value.diagnostics[0].function == "bad" + key(name)
    with pytest.raises(KeyError) as missing:
        module(b"plain").coroutines[key(name)]
    assert_plain(str(missing.value))
    with pytest.raises(pycoro.PipelineError) as unknown:
        module(b"plain").run(key(name).replace("(", "").replace(",", ""))
    assert_plain(str(unknown.value))


def test_running_objects_are_escaped(name: bytes) -> None:
    called = f"declare void @{spelt(b'out' + name)}(i32)\ndefine void @{spelt(b'call' + name)}(i32 %n) {{\n"
    called += f"  call void @{spelt(b'out' + name)}(i32 %n)\n  ret void\n}}\n"
    heard: list[int] = []
    for kind in (pycoro.Engine, pycoro.Interpreter):
        with kind(pycoro.Module(called, host=True), externals={key(b"out" + name): heard.append}) as engine:
            function = engine[key(b"call" + name)]
            function.call(4)
            assert_plain(repr(function), lines=False)
            assert_plain(repr(engine), lines=False)
            with pytest.raises(TypeError) as wrong:
                function.call()
            assert_plain(str(wrong.value))
            with pytest.raises(KeyError) as missing:
                engine["no" + key(name)]
            assert_plain(str(missing.value))
        with pytest.raises(TypeError) as bound:
            kind(pycoro.Module(called, host=True), externals={key(b"out" + name): "nothing"})
        assert_plain(str(bound.value))
    assert heard == [4, 4]


def test_elision_remarks_are_escaped(name: bytes) -> None:
    m = module(name)
    report = m.run("coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup")
    for remark in report.remarks:
        assert_plain(repr(remark), lines=False)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    "command", [["explain"], ["explain", "--json"], ["opt", "-S", "-pass-remarks=.*"], ["opt", "-S", "-print-after-all"]], ids=str
)
def test_the_command_escapes_names(tmp_path: pathlib.Path, command: list[str], encoding: str) -> None:
    first, *others = HOSTILE.values()
    bodies = (text(name).partition("declare i32 @make()\n")[2] for name in others)
    types = (text(name).partition("\n")[0] for name in others)
    source = pycoro.Module("\n".join([*types, text(first), *bodies]))
    (tmp_path / "in.bc").write_bytes(source.bitcode())
    passes = ["-passes=coro-early,cgscc(coro-split),coro-cleanup"] if command[0] == "opt" else []
    done = subprocess.run(
        [sys.executable, "-m", "pycoro", *command, *passes, "in.bc"],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=120,
        check=True,
    )
    assert_plain(done.stdout.decode(encoding))
    assert_plain(done.stderr.decode(encoding))
    if "--json" in command:
        assert {coroutine["function"] for coroutine in json.loads(done.stdout)} == {key(name) for name in HOSTILE.values()}


def test_a_module_named_by_lines_does_not_print_more_ir() -> None:
    m = pycoro.Module("define void @f() {\n  ret void\n}\n", name="x'\ndefine void @g() {\n  ret void\n}\n;")
    assert_plain(repr(m), lines=False)
    assert list(pycoro.Module(str(m)).functions) == ["f"]


@pytest.mark.parametrize("name", [r"\1B[2J", r"\C2\9B", r"\E2\80\AE", r"\FF"])
def test_names_that_llvm_prints_unescaped_are_escaped(name: str) -> None:
    """Names of the collector and the target; the text parses to the same module."""
    m = pycoro.Module(f'target triple = "{name}"\ndefine void @f() gc "{name}" {{\n  ret void\n}}\n')
    assert str(m).isascii() and "\x1b" not in str(m)
    assert str(m).count(f'"{name}"') == 2
    assert str(pycoro.Module(str(m), name=m.name)) == str(m)


def test_printable_names_are_shown_unchanged() -> None:
    for name in ("f", "größe", "名前", "a b", "\\1B"):
        assert name in str(module(name.encode()).coroutines[name].frame)


def test_escapes_are_those_of_llvm() -> None:
    from pycoro._escape import printable, printable_lines

    assert printable("a\x1b\n\u202e\udcff") == "a\\1B\\0A\\E2\\80\\AE\\FF"
    assert printable_lines("a\nb\x07") == "a\nb\\07"
    assert all(printable(chr(c)).isprintable() for c in itertools.chain(range(0x3000), range(0xD800, 0xE100)))


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not installed")


@needs("chromium")
def test_a_browser_runs_nothing_of_a_name(tmp_path: pathlib.Path) -> None:
    pictures = []
    for name in HOSTILE.values():
        coroutine = module(name).coroutines[key(name)]
        for thing in (coroutine, coroutine.frame, module(name).run("cgscc(coro-split)")):
            pictures.append(thing._repr_mimebundle_()["text/html"])
    count = "document.querySelectorAll('script,img,iframe,object,embed,a,link').length"
    counted = f"<script>document.title += ' ' + {count}</script>"
    page = "".join(["<!doctype html><meta charset=utf-8><title>quiet</title>", *pictures, counted])
    (tmp_path / "page.html").write_text(page)
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=2000",
        "--dump-dom",
        f"--user-data-dir={tmp_path}",
    ]
    done = subprocess.run(
        ["chromium", *options, f"--user-data-dir={tmp_path}", str(tmp_path / "page.html")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "<title>quiet 1</title>" in done.stdout, done.stderr[-500:]


@needs("tmux")
def test_terminals_execute_no_escape_in_names(tmp_path: pathlib.Path) -> None:
    lines = ["first", *(line for name in HOSTILE.values() for line in str(module(name).coroutines[key(name)]).splitlines())]
    (tmp_path / "shown").write_text("".join(f"{line}\n" for line in lines))
    tmux = ["tmux", "-S", str(tmp_path / "socket"), "-f", os.devnull]
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "600", "-y", "500", f"cat '{tmp_path}/shown'; sleep 60"], check=True, timeout=60
    )
    try:
        for _ in range(1000):  # the limit only ends a test that would fail
            screen = subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, timeout=60).stdout.split("\n")
            if lines[-1].strip() in map(str.strip, screen):
                break
            time.sleep(0.1)
        assert [line.rstrip() for line in screen[: len(lines)]] == [line.rstrip() for line in lines]
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, timeout=60)
