"""Violations of the directory order that `./dev lint` reports, each in a small tree."""

from __future__ import annotations

import sys
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
| `src/pycoro` | the Python package | `_core` |
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
    "src/pycoro/__init__.py": "from pycoro.module import Module\n",
    "src/pycoro/_core.pyi": "VERSION: str\n",
    "src/pycoro/module.py": "from pycoro import _core\nfrom .views import view\nclass Module: ...\n",
    "src/pycoro/views/__init__.py": "from .view import show as view\n",
    "src/pycoro/views/view.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pycoro.module import Module\ndef show(): ...\n"
    ),
}


@pytest.fixture
def found(tmp_path: Path) -> Callable[..., list[str]]:
    """Return the reports for the small tree with changed files; None removes a file."""

    def violations(changed: dict[str, str | None], known: directories.Known = {}) -> list[str]:  # noqa: B006 - never written to
        for name, text in {**FILES, **changed}.items():
            if text is not None:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text)
        return list(directories.violations(tmp_path, known))

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


PYTHON = {
    "in a function": {"a.py": "def f():\n    from pycoro.b import x\n", "b.py": "async def x():\n    import pycoro.a\n"},
    "one another": {"a.py": "import pycoro.b\n", "b.py": "from pycoro.a import x\n"},
    "as part of a package": {"a.py": "from pycoro import b\n", "b.py": "from . import a\n"},
    "a package and its module": {"c/__init__.py": "from pycoro.c.d import y\n", "c/d.py": "from .. import c\n"},
    "where it is tried": {"a.py": "try:\n    import pycoro.b\nexcept ImportError: pass\n", "b.py": "import pycoro.a\n"},
    "where it is no type checker": {
        "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING: pass\nelse:\n    import pycoro.b\n",
        "b.py": "class B:\n    import pycoro.a\n",
    },
}


@pytest.mark.parametrize("name", PYTHON)
def test_modules_that_import_each_other(found: Callable[..., list[str]], name: str) -> None:
    files = {f"src/pycoro/{file}": text for file, text in PYTHON[name].items()}
    assert found(files) == [f"{', '.join(sorted(files))}: depend on each other in a cycle"]


def test_a_package_that_imports_a_lower_one(found: Callable[..., list[str]]) -> None:
    table = TABLE + "\n| package | holds |\n| --- | --- |\n| `low` | what is known |\n| `high` | what imports it |\n"
    files = {"docs/explanation/architecture.md": table, "src/pycoro/low/a.py": "", "src/pycoro/high/a.py": "import pycoro.low.a\n"}
    assert found(files) == []
    files |= {"src/pycoro/low/a.py": "from ..high.b import x\n", "src/pycoro/high/b.py": ""}
    assert found(files) == ["src/pycoro/low/a.py: imports src/pycoro/high/b.py: low may not depend on high"]


def test_a_known_cycle_is_allowed_while_it_exists(found: Callable[..., list[str]]) -> None:
    known = {frozenset({"src/pycoro/a.py", "src/pycoro/b.py"}): "one idea in two files"}
    assert found({"src/pycoro/a.py": "import pycoro.b\n", "src/pycoro/b.py": "import pycoro.a\n"}, known) == []
    (gone,) = found({"src/pycoro/a.py": ""}, known)
    assert gone.startswith("src/pycoro/a.py, src/pycoro/b.py: no longer in a cycle (one idea in two files)")


def test_a_growing_known_cycle_is_reported(found: Callable[..., list[str]]) -> None:
    known = {frozenset({"src/pycoro/a.py", "src/pycoro/b.py"}): "one idea in two files"}
    files = {"src/pycoro/a.py": "import pycoro.b\n", "src/pycoro/b.py": "import pycoro.c\n", "src/pycoro/c.py": "import pycoro.a\n"}
    grown, gone = found(files, known)
    assert (
        grown == "src/pycoro/a.py, src/pycoro/b.py, src/pycoro/c.py: depend on each other in a cycle"
        and "no longer in a cycle" in gone
    )


def test_a_shrinking_known_cycle_is_reported(found: Callable[..., list[str]]) -> None:
    known = {frozenset(f"src/pycoro/{name}.py" for name in "abc"): "one idea in three files"}
    files = {"src/pycoro/a.py": "import pycoro.b\n", "src/pycoro/b.py": "import pycoro.a\n"}
    (less,) = found(files, known)
    assert less.startswith("src/pycoro/c.py: no longer in a cycle")


def test_this_checkout_has_no_violations() -> None:
    assert list(directories.violations(ROOT)) == []
