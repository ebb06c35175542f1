"""Module: its input, output and end of life."""

from __future__ import annotations

import io
import pathlib
import pickle

import pytest
from samples import COUNTER, PLAIN

import pycoro
from pycoro.pipeline import DEFAULT


class Built:
    """Like a module of an IR builder: its `str` is IR."""

    def __str__(self) -> str:
        return COUNTER


def bitcode() -> bytes:
    return pycoro.Module(COUNTER).bitcode()


@pytest.mark.parametrize(
    "source",
    [
        COUNTER,
        COUNTER.encode(),
        bytearray(COUNTER.encode()),
        memoryview(COUNTER.encode()),
        io.StringIO(COUNTER),
        io.BytesIO(COUNTER.encode()),
        Built(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_reads_text(source: object) -> None:
    assert "counter" in pycoro.Module(source).functions


def test_reads_bitcode_from_bytes_and_from_an_open_file() -> None:
    assert bitcode().startswith(b"BC")
    for source in (bitcode(), io.BytesIO(bitcode())):
        assert "counter" in pycoro.Module(source).functions


def test_reads_files(tmp_path: pathlib.Path) -> None:
    text, code = tmp_path / "counter.ll", tmp_path / "counter.bc"
    text.write_text(COUNTER)
    code.write_bytes(bitcode())
    for path in (text, code):
        for module in (pycoro.Module(path), pycoro.Module.from_file(path), pycoro.Module.from_file(str(path))):
            assert "counter" in module.functions
            assert module.name == str(path)
    with open(text) as file:
        assert pycoro.Module(file).name == str(text)


def test_a_missing_file_is_an_oserror(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        pycoro.Module(tmp_path / "none.ll")
    with pytest.raises(FileNotFoundError):
        pycoro.Module.from_file(tmp_path / "none.ll")


def test_a_string_is_ir_and_never_a_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "counter.ll"
    path.write_text(COUNTER)
    with pytest.raises(pycoro.ParseError) as caught:
        pycoro.Module(str(path))
    assert "Module.from_file" in caught.value.__notes__[0]


def test_parse_takes_ir_only() -> None:
    assert "plain" in pycoro.Module.parse(PLAIN).functions
    assert "plain" in pycoro.Module.parse(PLAIN.encode(), name="p").functions
    with pytest.raises(TypeError, match="str or bytes"):
        pycoro.Module.parse(pathlib.Path("x"))  # type: ignore[arg-type]


def test_text_and_bitcode_round_trip(module: pycoro.Module) -> None:
    text = str(module)
    assert str(pycoro.Module(text, name="counter.ll")) == text
    assert str(pycoro.Module(module.bitcode(), name="counter.ll")).splitlines()[1:] == text.splitlines()[1:]


def test_names_of_any_bytes_round_trip() -> None:
    module = pycoro.Module('define void @"\\FF \\C3\\A9"() {\n  ret void\n}\n')
    (name,) = module.functions
    assert name.encode("utf-8", "surrogateescape").startswith(b"\xff")
    assert str(pycoro.Module(str(module))).splitlines()[1:] == str(module).splitlines()[1:]


def test_empty_modules_are_valid() -> None:
    for source in ("", b"", "; nothing\n"):
        module = pycoro.Module(source)
        assert len(module.functions) == 0
        assert len(module.coroutines) == 0
        before = str(module)
        module.run("coro-early,cgscc(coro-split),coro-cleanup")
        assert str(module) == before


def test_a_module_without_coroutines_is_unchanged() -> None:
    module = pycoro.Module(PLAIN)
    before = str(module)
    report = module.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert str(module) == before
    assert len(report.coroutines) == 0


def test_functions(module: pycoro.Module) -> None:
    assert list(module.functions)[-1] == "counter"
    counter, malloc, begin = (module.functions[name] for name in ("counter", "malloc", "llvm.coro.begin"))
    assert (counter.type, counter.is_declaration, counter.is_presplit, counter.is_coroutine) == ("ptr (i32)", False, True, True)
    assert (malloc.is_declaration, malloc.is_intrinsic, malloc.is_coroutine) == (True, False, False)
    assert begin.is_intrinsic
    assert repr(counter) == "<Function @counter: ptr (i32)>"
    assert "counter" in module.functions._ipython_key_completions_()
    with pytest.raises(KeyError):
        module.functions["nothing"]


def test_verify(module: pycoro.Module) -> None:
    module.verify()
    with pytest.raises(pycoro.VerifyError):
        pycoro.Module("define i32 @f() {\n  %y = add i32 %x, 1\n  %x = add i32 1, 2\n  ret i32 %y\n}\n").verify()


def test_a_copy_is_independent(module: pycoro.Module) -> None:
    copy = module.copy()
    before = str(copy)
    assert copy.name == module.name
    module.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert str(copy) == before != str(module)
    module.close()
    assert str(copy) == before
    assert str(pycoro.Module(copy)) == before


def test_modules_pickle_to_another_process(module: pycoro.Module) -> None:
    there = pickle.loads(pickle.dumps(module))
    assert there.name == module.name
    assert str(there).splitlines()[1:] == str(module).splitlines()[1:]


def test_closing(counter: str) -> None:
    with pycoro.Module(counter) as module:
        assert not module.is_closed
    assert module.is_closed
    module.close()
    assert repr(module) == "<Module '<string>': the module was closed>"
    for use in (module.bitcode, module.verify, module.copy, lambda: str(module), lambda: module.functions):
        with pytest.raises(pycoro.ClosedError, match="closed"):
            use()
    with pytest.raises(pycoro.ClosedError):
        module.run("coro-early")


def test_the_generation_increases_with_changes(module: pycoro.Module) -> None:
    before = module.generation
    str(module), module.bitcode(), module.verify(), module.coroutines["counter"]
    assert module.generation == before
    module.run("coro-early,cgscc(coro-split)")
    assert module.generation > before


def test_repr_is_one_line(module: pycoro.Module) -> None:
    assert repr(module) == "<Module 'counter.ll': 1 function, 1 coroutine>"


def test_lower_does_not_change_its_argument(module: pycoro.Module, counter: str) -> None:
    before = str(module)
    report = pycoro.lower(module)
    assert str(module) == before
    assert "llvm.coro" not in str(report.module)
    assert "counter.resume" in report.module.functions
    assert str(pycoro.lower(counter).module) == str(report.module).replace("counter.ll", "<string>")


OUTSIDE = """
target triple = "x86_64-unknown-linux-gnu"
%pair = type { i32, ptr }
@known = global i8 1
@unknown = external addrspace(1) global %pair
declare zeroext i1 @told(ptr byval(%pair), ...)
declare void @llvm.coro.resume(ptr)
define internal swiftcc void @f(ptr swifterror %e, i8 signext %n) nounwind {
  ret void
}
"""


def test_an_outline_has_headers_and_no_bodies() -> None:
    """The outline has the declarations that a client needs, and parses."""
    outline = pycoro.Module(OUTSIDE)._core.outline()
    lines = outline.splitlines()
    assert "declare zeroext i1 @told(ptr byval(%pair), ...)" in lines
    assert "define swiftcc void @f(ptr swifterror %0, i8 signext %1) {" in lines and "  unreachable" in lines
    assert "@unknown = external addrspace(1) global %pair" in lines and "%pair = type { i32, ptr }" in lines
    assert "known = global" not in outline and "llvm.coro" not in outline and "ret void" not in outline
    assert pycoro.Module(outline).functions["f"].type == "void (ptr, i8)"


def test_a_run_in_place_gives_the_same_result() -> None:
    module, other = pycoro.Module(COUNTER), pycoro.Module(COUNTER)
    module.run(DEFAULT)
    generation = other._core.generation
    assert other._core.run_in_place(DEFAULT) == ()
    assert str(other) == str(module) and other._core.generation > generation


def test_a_run_in_place_that_fails_closes_the_module() -> None:
    module = pycoro.Module(COUNTER)
    for passes, error in (("no-such-pass", pycoro.PipelineError), (DEFAULT, pycoro.ClosedError)):
        with pytest.raises(error):
            module._core.run_in_place(passes)
    assert module._core.is_closed


def test_llvm_runs_its_own_passes() -> None:
    """LLVM lowers a coroutine that it accepts; it may abort on others."""
    module = pycoro.Module(COUNTER)
    module._core.run_llvm("coro-early,cgscc(coro-split),coro-cleanup")
    module.verify()
    assert {"counter.resume", "counter.destroy", "counter.cleanup"} <= set(module.functions)
    with pytest.raises(pycoro.PipelineError, match="no-such-pass"):
        module._core.run_llvm("no-such-pass")
