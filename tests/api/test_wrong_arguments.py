"""Invalid arguments: a TypeError that names the expected type, never a plausible result."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import COUNTER, PLAIN

import pycoro
from pycoro import cli, oracle

UNMARKED = COUNTER.replace(" presplitcoroutine {", " {")
OLD_END = "define void @f(ptr %h) {\n  %x = call i1 @llvm.coro.end(ptr %h, i1 false, token none)\n  ret void\n}\n"


@pytest.mark.parametrize("wrong", [None, 5, 1.5, [1], (), {"a": 1}, True, object(), pycoro.Module, len, io])
def test_non_ir_arguments_are_type_errors(wrong: object) -> None:
    makers: tuple[Callable[[Any], object], ...] = (pycoro.Module, pycoro.lower, pycoro.Interpreter)
    for make in makers:
        with pytest.raises(TypeError, match=r"IR must be a str or bytes, a path, an open file, .*, not "):
            make(wrong)
    with pytest.raises(TypeError):
        pycoro.Module.from_file(wrong)  # type: ignore[arg-type]


def test_reports_and_views_are_not_ir() -> None:
    report = pycoro.lower(COUNTER)
    with pytest.raises(TypeError, match=r"not Report; pass its \.module"):
        pycoro.Module(report)
    with pytest.raises(TypeError, match="not Coroutine"):
        pycoro.Module(report.coroutines["counter"])


def test_objects_whose_text_is_ir_are_read() -> None:
    class Text:
        def __str__(self) -> str:
            return PLAIN

    class Subclass(str):
        __slots__ = ()

    for source in (Text(), Subclass(PLAIN), io.StringIO(PLAIN), io.BytesIO(PLAIN.encode()), bytearray(PLAIN.encode())):
        assert list(pycoro.Module(source).functions) == ["plain"]


@pytest.mark.parametrize(
    ("passes", "wanted"),
    [
        (pycoro.CoroSplit, r"not the class CoroSplit: write CoroSplit\(\)"),
        ([pycoro.CoroSplit], r"not the class CoroSplit: write CoroSplit\(\)"),
        (None, "not NoneType"),
        (5, "not int"),
        (["coro-early", None], "not NoneType"),
        (b"coro-early", "not int"),
    ],
)
def test_non_passes_are_type_errors(passes: Any, wanted: str, module: pycoro.Module) -> None:
    with pytest.raises(TypeError, match=f"pass.* a Pass.*{wanted}"):
        module.run(passes)
    with pytest.raises(TypeError, match=wanted):
        pycoro.lower(COUNTER, passes)


@pytest.mark.parametrize("split", ["counter", None, pycoro.CoroSplit, pycoro.CoroEarly()])
def test_explain_accepts_a_coro_split(split: Any, module: pycoro.Module) -> None:
    with pytest.raises(TypeError, match=r"preview\(\) expects a CoroSplit, not "):
        module.preview(split)


def test_missing_names_are_errors(module: pycoro.Module) -> None:
    report = pycoro.lower(COUNTER)
    frame = report.coroutines["counter"].frame
    lookups: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: module.functions["@counter"], "no function '@counter'; did you mean 'counter'?"),
        (lambda: module.coroutines["@counter"], "no coroutine '@counter'; did you mean 'counter'?"),
        (lambda: module.preview()["conter"], "no coroutine 'conter'; did you mean 'counter'?"),
        (lambda: report.coroutines["zzz"], "no coroutine 'zzz'; there is 'counter'"),
        (lambda: frame["%lst"], "no field '%lst'; did you mean 'last'?"),
        (lambda: frame.why("%lst"), "no field '%lst'; did you mean 'last'?"),
        (lambda: report.coroutines[5], "expected the name of a coroutine as a str, not 5"),  # type: ignore[index]
    )
    for look, said in lookups:
        with pytest.raises(KeyError) as caught:
            look()
        assert str(caught.value) == said == str(pickle.loads(pickle.dumps(caught.value)))
    assert "@counter" not in module.coroutines and module.functions.get("@counter") is None


def test_a_report_pickles_and_is_copied() -> None:
    report = pycoro.lower(COUNTER, snapshots=True)
    for other in (pickle.loads(pickle.dumps(report)), copy.copy(report), copy.deepcopy(report)):
        assert other.to_dict() == report.to_dict() and str(other) == str(report) and repr(other) == repr(report)
        assert str(other.module) == str(report.module) and other.steps == report.steps
        again = pickle.loads(pickle.dumps(other.coroutines["counter"]))
        assert again.to_dict() == report.coroutines["counter"].to_dict() and str(again) == str(report.coroutines["counter"])


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\x1b[31mgarbage\x07\xfe",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\x7fELF\x02\x01\x01\0\0",
        b"define i32 @f() {\n ret i32 \xff\xfe\n}",
        b'define void @"\xff\xfe"() {\n bogus\n}',
        b"define void @f() {\n call void @\x00garbage()\n}",
        b"\xc0\x80 \xed\xa0\x80",
    ],
)
def test_binary_input_is_not_quoted(data: bytes) -> None:
    with pytest.raises(pycoro.ParseError, match=r"line \d+, column \d+: ") as caught:
        pycoro.Module(data)
    said = str(caught.value)
    assert said.isascii() and said.replace("\n", "").isprintable() and "garbage" not in said


def test_invalid_text_is_quoted() -> None:
    with pytest.raises(pycoro.ParseError, match="@é") as caught:
        pycoro.Module('define i32 @"é"() {\n  %ä = call i32 @é()\n}')
    assert caught.value.diagnostics[0].function == "é"


def test_an_older_coro_end_gets_the_same_hint_declared_or_not() -> None:
    hints = set()
    for declared in ("", "declare i1 @llvm.coro.end(ptr, i1, token)\n"):
        with pytest.raises(pycoro.Error) as caught:
            pycoro.Module(declared + OLD_END)
        hints.add(caught.value.diagnostics[0].hint)
    two = "declare i1 @llvm.coro.end(ptr, i1)\n" + OLD_END.replace(", token none", "")  # LLVM's reader upgrades the call only
    used = two.replace("  ret", "  br i1 %x, label %a, label %a\na:\n  ret")
    for text in (two, used, used.replace("%x", "%1")):
        with pytest.raises(pycoro.VerifyError) as caught:
            pycoro.Module(text)
        hints |= {one.hint for one in caught.value.diagnostics}
    assert len(hints) == 1 and "void @llvm.coro.end(ptr, i1, token)" in hints.pop()
    with pytest.raises(pycoro.ParseError, match="line 2, column 16: invalid intrinsic signature") as caught:
        pycoro.Module(OLD_END.replace("coro.end", "coro.free"))
    assert caught.value.diagnostics[0].hint == "declare it as `ptr @llvm.coro.free(token, ptr)`"


@pytest.mark.parametrize(
    ("declaration", "call", "hint"),
    [
        ("i8 @llvm.coro.suspend(token)", "%x = call i8 @llvm.coro.suspend(token none)", "i8 @llvm.coro.suspend(token, i1)"),
        ("i1 @llvm.coro.done(i64)", "%x = call i1 @llvm.coro.done(i64 0)", "i1 @llvm.coro.done(ptr)"),
        ("ptr @llvm.coro.noop(ptr)", "%x = call ptr @llvm.coro.noop(ptr null)", "ptr @llvm.coro.noop()"),
        ("void @llvm.coro.size.i64()", "call void @llvm.coro.size.i64()", ""),  # its type is part of its name
        (
            "token @llvm.coro.id(i32, ptr, ptr)",
            "%x = call token @llvm.coro.id(i32 0, ptr null, ptr null)",
            "token @llvm.coro.id(i32, ptr, ptr, ptr)",
        ),
    ],
)
def test_a_wrong_intrinsic_gets_its_signature_as_hint(declaration: str, call: str, hint: str) -> None:
    with pytest.raises((pycoro.ParseError, pycoro.VerifyError)) as caught:
        pycoro.Module(f"declare {declaration}\ndefine void @f() {{\n  {call}\n  ret void\n}}\n")
    expected = f"declare it as `{hint}`" if hint else "declare and call the intrinsic as LLVM 22 does"
    assert [one.hint for one in caught.value.diagnostics][:1] == [expected]


def test_a_coroutine_without_its_attribute_is_rejected_as_in_coro_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = pycoro.Module(UNMARKED + PLAIN)
    with pytest.raises(pycoro.RejectedError) as split:
        module.run("coro-split")
    for look in (module.coroutines, module.preview()):
        with pytest.raises(pycoro.RejectedError) as caught:
            look["counter"]
        assert caught.value.diagnostics == split.value.diagnostics
        assert list(look) == ["counter"] and "plain" not in look
    with pytest.raises(pycoro.Error):
        module._core.explain("counter", False, None)
    both = pycoro.Module(UNMARKED + COUNTER[COUNTER.index("define ") :].replace("@counter", "@marked"))
    assert list(both.coroutines) == ["counter", "marked"] and both.coroutines["marked"].frame.size
    lowered = pycoro.lower(COUNTER, "coro-early,cgscc(coro-split)").module
    assert list(lowered.coroutines) == []
    with pytest.raises(KeyError, match="@counter is already split"):
        lowered.coroutines["counter"]
    file = tmp_path / "unmarked.ll"
    file.write_text(UNMARKED)
    said = []
    for command in (["opt", "-passes=coro-split", "-S"], ["explain"], ["explain", "--function=@counter"]):
        assert cli.main([*command, str(file)]) == 1
        said.append(capsys.readouterr().err)
    assert len(set(said)) == 1 and "lacks the attribute presplitcoroutine" in said[0]
    assert cli.main(["explain", "--function=conter", str(file)]) == 2
    assert "no coroutine 'conter'; did you mean 'counter'?" in capsys.readouterr().err


def test_text_with_surrogates_is_not_ir() -> None:
    with pytest.raises(pycoro.ParseError, match=r"line 1, column 1: U\+D800 is a lone surrogate") as raised:
        pycoro.Module("\ud800")
    assert "pass the file's bytes" in str(raised.value)
    for make in (pycoro.lower, pycoro.Interpreter, lambda text: oracle.compare(text, ramp="plain"), io.StringIO):
        with pytest.raises(pycoro.ParseError, match=r"line 3, column 4: U\+DFFF"):
            pycoro.Module(make("; one\n; two\n;; \udfff\n" + PLAIN))  # type: ignore[operator]


@pytest.mark.parametrize("passes", ["coro-early\0", "\0", "no\0op,coro-early", "coro-early\ud800"])
def test_a_pass_string_with_invalid_characters(passes: str, module: pycoro.Module) -> None:
    before = str(module)
    for use in (
        pycoro.Pipeline,
        module.run,
        lambda text: pycoro.lower(COUNTER, text),
        lambda text: oracle.compare(PLAIN, passes=text),
    ):
        with pytest.raises(pycoro.PipelineError, match=r"\\x00|\\ud800"):
            use(passes)  # type: ignore[operator]
    assert str(module) == before
    assert cli.main(["opt", "-passes", passes]) == 2


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_an_impossible_file_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / name)
    case = oracle.Case(PLAIN, ramp="plain")
    uses: tuple[Callable[[str], object], ...] = (
        pycoro.Module.from_file,
        lambda path: pycoro.Module(Path(path)),
        oracle.read_reproducer,
        lambda path: oracle.write_reproducer(path, case),
    )
    for use in uses:
        with pytest.raises(pycoro.UsageError, match="invalid file name .*: it contains"):
            use(path)
    (tmp_path / "in.ll").write_text(PLAIN)
    for command in (["opt", "-S", path], ["opt", "-S", str(tmp_path / "in.ll"), "-o", path], ["oracle", path]):
        assert cli.main(command) == 2
        assert "error: invalid file name" in capsys.readouterr().err


def test_invalid_utf_8_round_trips(tmp_path: Path) -> None:
    """The bytes are in a comment, as in a file read with the error handler 'surrogateescape'."""
    ir = "; \udcff\n" + PLAIN
    assert list(pycoro.Module(ir).functions) == ["plain"]
    assert oracle.compare(ir, ramp="plain", args=(1,), passes="coro-early")
    oracle.write_reproducer(tmp_path / "case.ll", oracle.Case(ir, ramp="plain"))
    assert "\udcff" in oracle.read_reproducer(tmp_path / "case.ll")[0].ir


@pytest.mark.parametrize("name", ["a\0b", "\0", "a\ud800b"])
def test_an_impossible_name(name: str, module: pycoro.Module) -> None:
    lowered = pycoro.lower(PLAIN, host=True).module
    with pycoro.Engine(lowered) as engine:
        uses: tuple[Callable[[str], object], ...] = (
            module.coroutines.stage_text,
            engine.address,
            pycoro.Interpreter(lowered).address,
        )
        for use in uses:
            with pytest.raises(pycoro.UsageError, match=r"is not a valid name: it contains (a NUL|a lone surrogate)"):
                use(name)
            with pytest.raises(TypeError, match="a name must be a str, not 5"):
                use(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("stage", [5, b"shape", ["shape"], ""])
def test_unknown_stages_are_errors(stage: Any, module: pycoro.Module) -> None:
    said = "no stage ''" if stage == "" else "stage must be a str"
    with pytest.raises((TypeError, pycoro.UsageError), match=said):
        module.coroutines.stage_text("counter", stage)


@pytest.mark.parametrize("make", [pycoro.Engine, pycoro.Interpreter])
def test_engines_are_neither_copied_nor_pickled(make: Callable[[pycoro.Module], pycoro.Engine]) -> None:
    """A copy would close the original's resources."""
    engine = make(pycoro.Module(PLAIN))
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            use(engine)
    assert engine.call("plain", 1) == 2
