"""The dialect of Swift's LLVM: what reading and pycoro.upgrade convert, and the description of dynamic coroutines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import pycoro
from pycoro import cli, oracle
from pycoro.upgrade import upgrade

ROOT = Path(__file__).parents[2]
SHAPES = ROOT / "tests" / "swift"
TYPED = (SHAPES / "programs" / "typed.ll").read_text()
WHOLE = (SHAPES / "prelude.ll").read_text() + TYPED
NULL = (ROOT / "tests" / "ir" / "dynamic" / "null-allocator.ll").read_text()
ALLOCATORS = (ROOT / "tests" / "ir" / "dynamic" / "allocators.ll").read_text()
FROM_C = (SHAPES / "prelude.ll").read_text() + (SHAPES / "programs" / "dynamic_from_c.ll").read_text()
SPLIT = "coro-early,cgscc(coro-split),coro-cleanup"


def steps(text: str) -> set[str]:
    return {remark.name for remark in upgrade(text).remarks}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (WHOLE, {"retcon-variadic", "retcon-type-id"}),
        (ALLOCATORS, {"alloca-frame", "alloca-type-id"}),
        (NULL, {"swiftcorocc", "swiftcoro", "ret-popless", "coro-end-void", "coro-declarations"}),
    ],
    ids=["typed", "allocators", "null"],
)
def test_reading_upgrades_what_the_command_upgrades(text: str, wanted: set[str]) -> None:
    assert steps(text) - {"declaration"} == wanted
    module = pycoro.Module(text)
    assert {remark.name for remark in module.upgrades} - {"declaration"} == wanted
    again = upgrade(str(module))
    assert not again.remarks and again.text == str(module)
    assert str(pycoro.Module(str(module))) == str(module)
    assert not pycoro.Module(module.bitcode()).upgrades


def test_the_type_id_is_in_a_bundle_between_attributes_and_metadata() -> None:
    call = "%4 = call token (i32, i32, ptr, ptr, ptr, ptr, ...) @llvm.coro.id.retcon.once({0}, i64 7) #0, !dbg !3"
    text = (
        "define void @f(ptr %0) {\n  " + call.replace("{0}", "i32 8, i32 8, ptr %0, ptr @p, ptr @a, ptr @d") + "\n  ret void\n}\n"
    )
    assert '@d) #0 [ "coro-type-id"(i64 7) ], !dbg !3' in upgrade(text).text
    text = text.replace("#0", '#0 [ "x"(i32 1) ]').replace("i64 7", "i64 ptrtoint (ptr @p to i64)")
    assert '@d) #0 [ "coro-type-id"(i64 ptrtoint (ptr @p to i64)), "x"(i32 1) ], !dbg !3' in upgrade(text).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i64 38223)", "i64 noundef 38223)"),
        ("i64 38223)", "i64 noundef range(i64 1, 99999) 38223 )"),
        (", i64 38223)", ",   i64   38223  )"),
        ("@llvm.coro.id.retcon.once(i32 8, ", "\n  @llvm.coro.id.retcon.once ; of a read\n  (i32 8, ; bytes\n    "),
        ("token (i32, i32, ", "token  (i32,\n i32 , "),
        ("ptr, ...) @llvm", "ptr, ... )  @llvm"),
        ("@llvm.coro.id.retcon.once", '@"llvm.coro.id.retcon.once"'),
    ],
)
def test_a_call_is_converted_independently_of_its_spelling(old: str, new: str) -> None:
    assert old in TYPED
    expected = str(pycoro.Module(WHOLE))
    module = pycoro.Module(WHOLE.replace(old, new))
    assert str(module) == expected
    if "; bytes" in new:
        made = upgrade(WHOLE.replace(old, new)).text
        assert "; of a read" in made and "; bytes" in made


@pytest.mark.parametrize("kind", ["llvm.coro.id.retcon", "llvm.coro.id.retcon.once"])
def test_a_variadic_id_without_a_type_id_loses_its_type(kind: str) -> None:
    text = TYPED.replace(", i64 38223)", ")").replace("@swift_coroFrameAlloc, ptr @my_free", "@my_alloc, ptr @my_free")
    text = text.replace("llvm.coro.id.retcon.once", kind)
    assert steps(text) == {"retcon-variadic", "declaration"}
    assert re.search(rf"call token @{re.escape(kind)}\(i32 8, [^\n]*@my_free\)$", upgrade(text).text, re.MULTILINE)


@pytest.mark.parametrize("text", [ALLOCATORS, NULL], ids=["allocators", "null"])
def test_an_undeclared_dynamic_id_is_declared(text: str) -> None:
    """The tests of Swift's LLVM leave the declarations of intrinsics to it."""
    undeclared = re.sub(r"^declare [^@\n]*@llvm\..*\n", "", text, flags=re.MULTILINE)
    module = pycoro.Module(undeclared)
    assert "llvm.coro.id.retcon.once.dynamic" in {remark.function for remark in module.upgrades if remark.name == "declaration"}
    module.run(SPLIT)
    assert "@f.resume.0" in str(module) and "@llvm.coro" not in str(module)
    plain = re.sub(r"^declare .*once\.dynamic\(.*\n", "", FROM_C, flags=re.MULTILINE)
    assert [remark.name for remark in pycoro.Module(plain).upgrades] == ["declaration"]


def test_a_variadic_allocation_loses_its_type() -> None:
    call = "call token @llvm.coro.alloca.alloc.i64("
    text = FROM_C.replace(call, call.replace("token @", "token (i64, i32, ...) @")).replace(
        "alloc.i64(i64, i32)", "alloc.i64(i64, i32, ...)"
    )
    module = pycoro.Module(text)
    assert {remark.name for remark in module.upgrades} == {"alloca-variadic"}
    assert call in str(module)
    module.run(SPLIT)


def test_other_operands_of_an_allocation_are_left_to_llvm() -> None:
    text = FROM_C.replace("(i64 %size, i32 64)", "(i64 %size, i32 64, ptr null)")
    assert steps(text) == set()
    with pytest.raises(pycoro.VerifyError, match="incompatible signature"):
        pycoro.Module(text)


def test_names_that_contain_the_words_are_not_changed() -> None:
    text = 'define void @swiftcorocc(ptr %swiftcoro) "swiftcorocc" {\n  ret void ; swiftcorocc\n}\n@"swiftcoro " = global i32 0\n'
    text += "define void @f() {\n  br label %swiftcoro\nswiftcoro:\n  ret void\n}\n!swiftcoro = !{}\n"
    assert upgrade(text).text == text
    assert not pycoro.Module(text).upgrades


def test_calls_with_implicit_names_keep_them() -> None:
    """A call without a name has the next number as its result."""
    text = "define void @f(i64 %n, ptr %b) {\n"
    text += "  call token (...) @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %b, ptr @p, ptr @a, ptr @d)\n"
    text += "  call token @llvm.coro.alloca.alloc.frame.i64(i64 %n, i32 16)\n"
    text += "  call i1 @llvm.coro.suspend(token none, i1 false)\n  ret void\n}\n"
    made = upgrade(text).text
    assert "\n  call token @llvm.coro.id.retcon.once(i32 8," in made
    assert '\n  call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 16) "coro-callee-frame"\n' in made
    assert "\n  call i8 @llvm.coro.suspend(token none, i1 false)\n" in made


def test_other_wrong_signatures_are_left_to_llvm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = WHOLE.replace("i64 38223)", "ptr null)")
    with pytest.raises(pycoro.VerifyError, match="variable arguments"):
        pycoro.Module(text)
    file = tmp_path / "odd.ll"
    file.write_text(text)
    assert cli.main(["opt", "-S", "-passes=coro-early", str(file)]) == 1
    assert "variable arguments" in capsys.readouterr().err


def test_an_allocator_with_a_type_id_needs_one() -> None:
    text = WHOLE.replace(", i64 38223)", ")")
    with pytest.raises(pycoro.RejectedError, match="takes a type id, but llvm.coro.id.retcon has none"):
        pycoro.Module(text).run(SPLIT)


def test_a_dynamic_coroutine_is_described() -> None:
    module = pycoro.Module(ALLOCATORS)
    module.run("coro-early")
    coroutine = module.coroutines["f"]
    shape = coroutine.shape
    assert isinstance(shape, pycoro.RetconShape)
    assert (coroutine.abi, shape.once, shape.function_pointer) == ("retcon-dynamic", True, "f.cfp")
    assert (shape.storage_size, shape.storage_align, shape.storage_argument, shape.frame_in_storage) == (16, 16, 0, True)
    assert (shape.allocator, shape.deallocator, shape.prototype) == ("allocate", "deallocate", "prototype")
    assert shape.yields == ("ptr",) and shape.resumed_with == ("ptr",) and shape.results == ()
    assert pycoro.Module(ALLOCATORS).functions["f"].is_coroutine


def test_a_shared_function_pointer_has_the_largest_size() -> None:
    first = ALLOCATORS[ALLOCATORS.index("\ndefine ") : ALLOCATORS.index("\n}\n") + 3]
    other = first.replace("@f(", "@g(").replace(
        "  call void @use(ptr %callee)", "  %wide = alloca [9 x i64]\n  call void @use(ptr %wide)", 1
    )
    other = other.replace("%again = call", "%early = alloca [9 x i64]\n  call void @use(ptr %early)\n  %again = call")
    other = other.replace("  call void @llvm.coro.end", "  call void @use(ptr %early)\n  call void @llvm.coro.end")
    for text in (ALLOCATORS + other, ALLOCATORS.replace(first, other + first)):
        module = pycoro.lower(text).module
        sizes = [int(size) for size in re.findall(r"dereferenceable\((\d+)\)", str(module))]
        assert f", i32 {max(sizes)}, i64 7 }}>" in str(module) and len(set(sizes)) == 2


def test_lint_finds_a_constant_function_pointer() -> None:
    text = (SHAPES / "prelude.ll").read_text() + (SHAPES / "programs" / "dynamic.ll").read_text()
    assert not pycoro.Module(text).lint()
    findings = pycoro.Module(text.replace("@outer.pointer = global", "@outer.pointer = constant")).lint()
    assert [finding.rule for finding in findings] == ["constant-async-pointer"]
    assert "the size of the frame" in findings[0].message


def test_the_oracle_names_what_it_cannot_drive() -> None:
    with oracle.Oracle() as both, pytest.raises(pycoro.UnsupportedError, match="a function of the module that calls it"):
        both.compare(ALLOCATORS, ramp="f", schedule=("resume",))


@pytest.mark.skipif(not shutil.which("llvm-as-22"), reason="llvm-as-22 is not installed")
@pytest.mark.parametrize(("text", "message"), [(WHOLE, "variable arguments"), (ALLOCATORS, "incorrect argument type")])
def test_bitcode_of_the_dialect_gets_a_hint(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "swift.bc"
    subprocess.run(["llvm-as-22", "-disable-verify", "-o", file], input=text.encode(), check=True)
    with pytest.raises(pycoro.VerifyError, match=message) as caught:
        pycoro.Module.from_file(file)
    assert "pycoro upgrade converts this in textual IR of Swift's LLVM" in (caught.value.diagnostics[0].hint or "")


UNMARKED = {
    "variadic": WHOLE,
    "dynamic": FROM_C.replace(" presplitcoroutine", ""),
    "undeclared": re.sub(r"^declare .*once\.dynamic\(.*\n", "", FROM_C.replace(" presplitcoroutine", ""), flags=re.MULTILINE),
    "retcon": pycoro.examples.SUMS.replace(" presplitcoroutine", ""),
    "async": pycoro.examples.RELAY.replace(" presplitcoroutine", ""),
}


@pytest.mark.parametrize("text", UNMARKED.values(), ids=UNMARKED)
def test_coroutines_are_found_before_coro_early_marks_them(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Frontends leave the attribute presplitcoroutine to coro-early for all ABIs but switched-resume."""
    assert "presplitcoroutine" not in text
    module = pycoro.Module(text)
    marked = pycoro.lower(module, "coro-early").module
    wanted = marked.coroutines.rows()
    assert wanted and module.coroutines.rows() == wanted
    assert [name for name, function in module.functions.items() if function.is_presplit] == [*module.coroutines]
    assert not module.lint() and "presplitcoroutine" not in str(module)
    path = tmp_path / "unmarked.ll"
    path.write_text(text)
    assert cli.main(["explain", "--json", str(path)]) == 0
    assert [entry["function"] for entry in json.loads(capsys.readouterr().out)] == [row["name"] for row in wanted]
    assert cli.main(["explain", str(path)]) == 0
    assert f"coroutine @{wanted[0]['name']}: {wanted[0]['abi']} ABI" in capsys.readouterr().out
    assert not [*pycoro.lower(module).module.coroutines]
    assert cli.main(["compile", "-passes=dce", "-target=native", str(path), "-o", str(tmp_path / "unmarked.o")]) == 2
    assert "is a coroutine that no pass has split" in capsys.readouterr().err


def test_lint_checks_a_coroutine_that_is_not_marked() -> None:
    text = WHOLE.replace("@llvm.coro.id.retcon.once(i32 8, i32 8,", "@llvm.coro.id.retcon.once(i32 8, i32 3,")
    assert [(finding.rule, finding.function) for finding in pycoro.Module(text).lint()] == [("id-align-is-power", "f")]
    accessor = (SHAPES / "prelude.ll").read_text() + (SHAPES / "programs" / "dynamic.ll").read_text()
    constant = accessor.replace("@outer.pointer = global", "@outer.pointer = constant").replace(" presplitcoroutine", "")
    assert "constant-async-pointer" in {finding.rule for finding in pycoro.Module(constant).lint()}


@pytest.mark.parametrize(
    ("text", "old", "new", "hint"),
    [
        (WHOLE, "i64 38223)", "i64 38223, i64 7)", "remove the operand i64 7: @llvm.coro.id.retcon.once has one type id at most"),
        (WHOLE, "i64 38223)", "ptr @show)", "remove the operand ptr @show, or pass a type id"),
        (
            ALLOCATORS,
            "i64 %id.of.type)\n  %callee",
            "i64 %id.of.type, i64 7)\n  %callee",
            "remove the operand i64 7: @llvm.coro.alloca",
        ),
    ],
    ids=["id", "no-integer", "allocation"],
)
def test_an_operand_that_is_not_a_type_id_is_named(text: str, old: str, new: str, hint: str) -> None:
    assert old in text
    with pytest.raises((pycoro.ParseError, pycoro.VerifyError)) as caught:
        pycoro.Module(text.replace(old, new))
    assert caught.value.diagnostics[0].hint.startswith(hint)


@pytest.mark.parametrize(
    ("bundle", "message"),
    [
        ("(i64 38223, i64 7)", "more than one type id"),
        ('(i64 38223), "coro-type-id"(i64 7)', "more than one type id"),
        ("()", "not an integer"),
        ("(ptr @show)", "not an integer"),
    ],
)
@pytest.mark.parametrize(
    ("text", "call"), [(WHOLE, "@llvm.coro.id.retcon.once"), (ALLOCATORS, "@llvm.coro.alloca.alloc.i64")], ids=["id", "allocation"]
)
def test_a_bundle_without_one_type_id_is_rejected(text: str, call: str, bundle: str, message: str) -> None:
    upgraded = re.sub(r'"coro-type-id"\([^)]*\)', f'"coro-type-id"{bundle}', upgrade(text).text)
    upgraded = upgraded.replace("declare void @use", "declare void @show(i64)\ndeclare void @use")
    with pytest.raises(pycoro.RejectedError, match=message) as caught:
        pycoro.Module(upgraded).run(SPLIT)
    assert caught.value.diagnostics[0].rule == "type-id" and call in caught.value.diagnostics[0].instruction


OPERANDS = "ptr @deallocate, ptr @allocate.frame, ptr @deallocate.frame"


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        (OPERANDS + ", i64 7, i64 8", "the type id of .* is not the last argument"),
        ("ptr @deallocate, i64 7, i64 8", "the type id of .* is not the last argument"),
        (OPERANDS + ", ptr @use", "the type id of .* is not an integer"),
        (OPERANDS.replace("ptr @deallocate,", "i64 0,"), "the deallocation function of .* is not a pointer"),
        (OPERANDS.removesuffix(", ptr @deallocate.frame"), "the deallocation function for frames of callees of .* is missing"),
        (OPERANDS + ', i64 7) [ "coro-type-id"(i64 8) ]', "more than one type id"),
    ],
)
def test_a_wrong_operand_of_a_dynamic_id_is_named(operands: str, message: str) -> None:
    text = re.sub(r"^declare .*once\.dynamic\(.*\n", "", ALLOCATORS, flags=re.MULTILINE)
    text = text.replace(OPERANDS + ")", operands + (")" if "[" not in operands else ""))
    with pytest.raises(pycoro.RejectedError, match=message):
        pycoro.Module(text).run(SPLIT)


def test_a_dynamic_coroutine_needs_an_end() -> None:
    text = """
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare void @p(ptr, ptr)
declare ptr @a(ptr, ptr, i64)
declare void @d(ptr, ptr, ptr)
@f.p = global <{ i32, i32 }> zeroinitializer
define { ptr, ptr } @f(ptr %frame, ptr %al) {
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.p, ptr %al, ptr %frame, ptr @p, ptr @a, ptr @d)
  %h = call ptr @llvm.coro.begin(token %id, ptr null)
  ret { ptr, ptr } zeroinitializer
}
"""
    with pytest.raises(pycoro.RejectedError, match="neither a suspend nor llvm.coro.end"):
        pycoro.Module(text).run(SPLIT)
