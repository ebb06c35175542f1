"""The text after each stage of the lowering."""

from __future__ import annotations

from pathlib import Path

import pytest

from pycoro import Module, RejectedError, UsageError, cli
from pycoro.module import STAGES

WALK = (Path(__file__).resolve().parents[2] / "docs" / "examples" / "walk.ll").read_text()


def test_each_stage_has_its_effect() -> None:
    coroutines = Module(WALK).coroutines
    every = coroutines.stage_text("f")
    assert every == "".join(coroutines.stage_text("f", stage) for stage in STAGES)
    assert every.startswith(f"number: {STAGES['number']}\n")


def test_unknown_stages_are_errors() -> None:
    coroutines = Module(WALK).coroutines
    with pytest.raises(UsageError, match="did you mean 'crossing'"):
        coroutines.stage_text("f", "crosing")
    with pytest.raises(UsageError, match="no function of this name"):
        coroutines.stage_text("absent")
    with pytest.raises(UsageError, match="the function is not a presplit coroutine"):
        coroutines.stage_text("next")


def test_stages_before_a_rejection_are_available() -> None:
    coroutines = Module(WALK.replace("  %y = call", "  %now = call i8 @llvm.coro.suspend(token none, i1 %x.is)\n  %y = call")
                            .replace("entry:\n", "entry:\n  %x.is = trunc i32 %x to i1\n")).coroutines  # fmt: skip
    assert "%now = call i8" in coroutines.stage_text("f", "shape")
    with pytest.raises(RejectedError, match="constant"):
        coroutines.stage_text("f", "crossing")


def test_stages_end_without_suspends() -> None:
    coroutines = Module("define void @f() presplitcoroutine {\n  ret void\n}\n").coroutines
    assert coroutines.stage_text("f").endswith(f"shape: {STAGES['shape']}\n")


def test_stages_do_not_change_the_module() -> None:
    module = Module(WALK)
    before = str(module)
    module.coroutines.stage_text("f")
    assert str(module) == before


def test_the_command_escapes_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "walk.ll").write_text(WALK)
    (tmp_path / "plain.ll").write_text("define void @plain() {\n  ret void\n}\n")
    for other in ("--json", f"--svg={tmp_path / 'walk.svg'}"):
        assert cli.main(["explain", "--stage=shape", other, str(tmp_path / "walk.ll")]) == 2
        assert "error: --stage prints text" in capsys.readouterr().err
    assert not (tmp_path / "walk.svg").exists()
    assert cli.main(["explain", "--stage=shape", str(tmp_path / "plain.ll")]) == 0
    assert capsys.readouterr().err.endswith("plain.ll: no coroutines\n")
