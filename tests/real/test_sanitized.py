"""Sanitizers and coroutines: lowered code checks memory, whether instrumented before the split or after it. LLVM's asan pass
skips presplit coroutines, since no split could find the promise afterwards; its checks of loads and stores
(`-asan-stack=0`) work with pycoro."""

from __future__ import annotations

import pathlib

import coroharness as harness
import pytest

PROGRAM = harness.HERE / "sanitized" / "dynamic_allocas.cpp"
LANGUAGE = ("-std=c++20",)
LEVELS = ("-O0", "-O2")
MARK, KEPT = " presplitcoroutine", ' "was-presplit"'

pytestmark = pytest.mark.skipif(not harness.sanitizers_link(), reason="the libraries of clang's sanitizers are not installed")


def instrumented(folder: pathlib.Path, level: str) -> pathlib.Path:
    """Return presplit coroutines with instrumented loads and stores."""
    hidden, checked = folder / "hidden.ll", folder / "checked.ll"
    source = harness.emit_ir(PROGRAM, folder / "source.ll", level, (*LANGUAGE, "-fsanitize=address"))
    hidden.write_text(source.read_text().replace(MARK, KEPT))
    harness.call("opt", [harness.OPT, "-S", str(hidden), "-passes=asan", "-asan-stack=0", "-o", str(checked)])
    text = checked.read_text()
    assert KEPT in text
    assert "call void @__asan_report_load" in text
    checked.write_text(text.replace(KEPT, MARK))
    return checked


def by(how: str, folder: pathlib.Path, level: str) -> harness.Outcome:
    if how == "plain":
        return harness.run(harness.link([harness.lowered_object(PROGRAM, folder, level, flags=LANGUAGE)], folder / how))
    if how == "after":
        compiled = harness.sanitized_object(PROGRAM, folder, level, LANGUAGE)
    else:
        lowered = harness.lower(instrumented(folder, level), folder / "lowered.ll", harness.PIPELINES[level])
        compiled = harness.compile_ir(lowered, folder / "before.o", level)
    return harness.run(harness.link([compiled], folder / how, harness.SANITIZE))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("how", ["before", "after"])
def test_checks_find_nothing(how, level, tmp_path):
    plain = by("plain", tmp_path, level)
    assert plain.status == 0 and plain.output
    assert by(how, tmp_path, level) == plain


def test_checks_inserted_before_the_split_detect_errors(tmp_path, monkeypatch):
    """A write past the end of an array on the heap is detected: the checks exist, and in the clones."""
    wrong = tmp_path / "wrong.cpp"
    text = PROGRAM.read_text().replace("../exceptions/witness.h", str(PROGRAM.parent.parent / "exceptions" / "witness.h"))
    assert "use(p, n);\n  for" in text
    wrong.write_text(text.replace("use(p, n);\n  for", "p[n + 64] = 1;\n  for"))
    monkeypatch.setitem(globals(), "PROGRAM", wrong)
    outcome = by("before", tmp_path, "-O0")
    assert outcome.status != 0
    assert "heap-buffer-overflow" in outcome.errors
