"""Violations of the directory order that `./dev lint` reports, each in a small tree."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import directories  # noqa: E402

TABLE = """\
| folder | holds | may know |
| --- | --- | --- |
| `csrc/include` | `pycoro.h` | LLVM-C types |
| `csrc/base` | memory | `pycoro.h` |
| `csrc/ir` | what LLVM-C lacks | base, LLVM-C |
| `csrc/coro` | what is found out | base, ir |
| `csrc/emit` | making parts | and coro |
| `csrc/api` | handles | all above |
| `csrc/py` | the extension | base, `pycoro.h` |
"""
FILES = {
    "docs/explanation/architecture.md": TABLE,
    "csrc/include/pycoro.h": '#include "llvm-c/Types.h"\n#include "status.def"\n',
    "csrc/include/status.def": "",
    "csrc/base/arena.h": '#include "pycoro.h"\nint arena_get(void);\n',
    "csrc/base/arena.c": '#include "base/arena.h"\nint arena_get(void)\n{\n  return 1;\n}\n',
    "csrc/ir/edit.h": "#include <llvm-c/Core.h>\nint edit(int what);\n",
    "csrc/ir/edit.c": '#include "ir/edit.h"\n#include "base/arena.h"\nint edit(int what)\n{\n  return arena_get() + what;\n}\n',
    "csrc/coro/frame.c": '#include "ir/edit.h"\n',
    "csrc/emit/emit.h": '#include "coro/frame.h"\nint emit_one(void);\nint emit_two(void);\n',
    "csrc/coro/frame.h": "",
    "csrc/emit/one.c": '#include "emit/emit.h"\nint emit_one(void)\n{\n  return 1;\n}\n',
    "csrc/emit/two.c": '#include "emit/emit.h"\n/* after emit_one() */\nint emit_two(void)\n{\n  return emit_one();\n}\n',
    "csrc/api/api.c": '#include "emit/emit.h"\n#include "ir/edit.h"\n',
    "csrc/py/core.c": '#include <Python.h>\n#include "pycoro.h"\n',
}


@pytest.fixture
def found(tmp_path: Path) -> Callable[..., list[str]]:
    """Return the reports for the small tree with changed files; None removes a file."""

    def violations(changed: dict[str, str | None]) -> list[str]:
        for name, text in {**FILES, **changed}.items():
            if text is not None:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text)
        return list(directories.violations(tmp_path))

    return violations


def test_a_valid_tree_has_no_violations(found: Callable[..., list[str]]) -> None:
    assert found({}) == []


WRONG = {
    "down the table": (
        "csrc/ir/edit.h",
        '#include "coro/frame.h"\n',
        "csrc/ir/edit.h: includes coro/frame.h: ir may not depend on coro",
    ),
    "beside its folder": (
        "csrc/base/a.c",
        ' #  include "../ir/edit.h"\n',
        "csrc/base/a.c: includes ../ir/edit.h: base may not depend on ir",
    ),
    "a table of rows": ("csrc/py/a.c", '#include "coro/x.def"\n', "csrc/py/a.c: includes coro/x.def: py may not depend on coro"),
    "LLVM": ("csrc/base/a.h", "#include <llvm-c/Core.h>\n", "csrc/base/a.h: includes llvm-c/Core.h: base may not depend on LLVM"),
    "LLVM by quotes": (
        "csrc/py/a.c",
        '#include "llvm-c/Core.h"\n',
        "csrc/py/a.c: includes llvm-c/Core.h: py may not depend on LLVM",
    ),
    "Python": ("csrc/api/a.c", "#include <Python.h>\n", "csrc/api/a.c: includes Python.h: only py may depend on Python"),
    "a new folder": ("csrc/new/a.c", "", "csrc/new: not in the table of directories"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_include_that_the_table_does_not_allow(found: Callable[..., list[str]], name: str) -> None:
    file, text, said = WRONG[name]
    assert found({"csrc/coro/x.def": "", file: text}) == [said]


def test_a_row_without_a_directory(found: Callable[..., list[str]]) -> None:
    row = "| `csrc/jit` | compile | base |\n"
    assert found({"docs/explanation/architecture.md": TABLE + row}) == ["csrc/jit: in the table of directories, but missing"]


def test_allowed_dependencies_come_from_the_row(found: Callable[..., list[str]]) -> None:
    table = directories.table(TABLE)
    assert table["emit"].may == {"include", "base", "ir", "coro"} and table["api"].may == table["emit"].may | {"emit"}
    assert [name for name, row in table.items() if row.llvm] == ["include", "ir", "coro", "emit", "api"]


def test_files_that_include_each_other(found: Callable[..., list[str]]) -> None:
    files = {"csrc/ir/size.h": "", "csrc/ir/size.c": '#include "ir/edit.h"\n', "csrc/ir/edit.c": '#include "size.h"\n'}
    assert found(files) == ["csrc/ir/edit.c, csrc/ir/size.c: depend on each other in a cycle"]


def test_files_that_call_each_other_through_one_header(found: Callable[..., list[str]]) -> None:
    one = '#include "emit/emit.h"\n\nint emit_one(void)\n{\n  return emit_three();\n}\n'
    three = "static int two;\n\nint emit_three(void)\n{\n  return emit_two();\n}\n"
    files = {"csrc/emit/one.c": one, "csrc/emit/three.c": three}
    assert found(files) == ["csrc/emit/one.c, csrc/emit/three.c, csrc/emit/two.c: depend on each other in a cycle"]


def test_a_function_pointer_in_a_table_is_a_dependency(found: Callable[..., list[str]]) -> None:
    one = FILES["csrc/emit/one.c"].replace("return 1", "static const struct ops ops = {.two = emit_two};\n  return ops.two()")
    assert found({"csrc/emit/one.c": one}) == ["csrc/emit/one.c, csrc/emit/two.c: depend on each other in a cycle"]


def test_a_static_function_hides_another_file_s(found: Callable[..., list[str]]) -> None:
    two = "static bool\nemit_two(int a)\n{\n  return 1;\n}\n"
    assert found({"csrc/emit/one.c": two + FILES["csrc/emit/one.c"].replace("1", "emit_two(2)")}) == []


def test_comments_members_and_static_names_are_no_dependencies(found: Callable[..., list[str]]) -> None:
    one = FILES["csrc/emit/one.c"].replace("return 1", '// emit_two()\n  return how->emit_two + that.emit_two + f("emit_two")')
    assert found({"csrc/emit/one.c": one}) == []
    two = FILES["csrc/emit/two.c"].replace("int emit_two", "static int emit_two")
    assert found({"csrc/emit/one.c": FILES["csrc/emit/one.c"].replace("1", "emit_two()"), "csrc/emit/two.c": two}) == []


def test_the_layers_of_packages_are_those_of_the_table() -> None:
    contract, *_ = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    text = (ROOT / "docs/explanation/architecture.md").read_text()
    packages = re.findall(r"^\| `(\w+)` \|", text.partition("| package |")[2], re.MULTILINE)
    assert contract["layers"] == packages[::-1]
    assert set(packages) == {file.parent.name for file in (ROOT / "src/pycoro").glob("*/__init__.py")}


def test_this_checkout_has_no_violations() -> None:
    assert list(directories.violations(ROOT)) == []
