"""Every exported name has an example in its docstring, which needs only ``import pycoro`` and prints the given output."""

from __future__ import annotations

from pathlib import Path

import exports
import pytest
from exports import Exported, example_problem

pytest.importorskip("hypothesis")
MODULES = [module for module in exports.modules() if ">>>" in (module.__doc__ or "")]
EXPORTED = list(exports.exported())


@pytest.mark.parametrize("item", EXPORTED, ids=lambda item: item.name)
def test_example(item: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not example_problem(item)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_module(module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not example_problem(Exported(module.__name__, module.__doc__))


def test_wrong_examples_are_detected() -> None:
    assert example_problem(Exported("f", "Does it.")) == "f has no example in its docstring"
    assert example_problem(Exported("f", ">>> f = 1")) == "the example of f shows nothing"
    assert "Expected:\n    3\nGot:\n    2" in example_problem(Exported("f", "Does it.\n\n>>> 1 + 1\n3"))
    assert "NameError: name 're' is not defined" in example_problem(Exported("f", ">>> re.escape('.')\n'.'"))
    assert not example_problem(Exported("f", "Does it.\n\n>>> 1 + 1\n2"))


def test_names_of_all_kinds_are_found() -> None:
    found = {item.name: item.text for item in EXPORTED}
    assert len(found) > 280
    assert "LLVM IR" in found["pycoro.Module"]
    assert "Stages of the lowering" in found["pycoro.module.STAGES"], "a constant's text stands behind it"
    assert {
        "pycoro.lower",
        "pycoro.LLVM_VERSION",
        "pycoro.ir.Type",
        "pycoro.lint.Severity",
        "pycoro.oracle.compare",
    } <= found.keys()
