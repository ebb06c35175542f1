"""CONTRIBUTING.md's steps for a new pass, followed exactly in a copy of the checkout."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "CONTRIBUTING.md"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not GUIDE.exists(), reason="not run in a checkout"),
    pytest.mark.skipif(shutil.which("ninja") is None or shutil.which("lit") is None, reason="ninja or lit is not installed"),
]


def blocks() -> list[tuple[str, str]]:
    """Return the code blocks whose fence names a file."""
    found = re.findall(r"^ *```\w+ (\S+/\S+)\n(.*?)^ *```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    return [(path, textwrap.dedent(text)) for path, text in found]


def c_blocks(title: str) -> list[str]:
    """Return the C code of a section that names no file."""
    section = GUIDE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^```c\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def test_analysis_is_the_one_that_the_c_test_runs():
    tested = (ROOT / "tests" / "c" / "test_dataflow.c").read_text()
    parts = c_blocks("How to write an analysis")
    assert len(parts) == 2
    assert all(part in tested for part in parts)


@pytest.mark.xdist_group("a group")
def test_one_worker_runs_a_group(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only in a run with --dist loadgroup")
    assert request.node.nodeid.endswith("@a group")


def call(*command: object, cwd: pathlib.Path) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "CCACHE_BASEDIR": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"


def copy_of_checkout(folder: pathlib.Path) -> pathlib.Path:
    copy = folder / "checkout"
    return shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".venv", ".git", "__pycache__", "*.so", ".*_cache"))


def test_steps_for_a_new_pass_work_in_a_copy(tmp_path):
    """The compiler's options, and paths relative to the copy, are those of `./dev setup`: ccache has the objects of other files."""
    pytest.importorskip("scikit_build_core")
    copy = copy_of_checkout(tmp_path)
    new = []
    for path, text in blocks():
        file = copy / path
        if file.suffix == ".def":
            table = file.read_text()
            assert "\n#undef" in table
            file.write_text(table.replace("\n#undef", f"\n{text}#undef", 1))
        else:
            assert not file.exists()
            file.write_text(text)
            new.append(path)
    assert [pathlib.Path(path).suffix for path in new] == [".c", ".ll"]
    row, function = c_blocks("How to add a layout strategy")
    for name, before, text in (
        ("layouts.def", "#undef", row),
        ("layout.c", "static const struct layout_strategy strategies", function),
    ):
        file = copy / "csrc" / "lowering" / name
        assert file.read_text().count(f"\n{before}") == 1
        file.write_text(file.read_text().replace(f"\n{before}", f"\n{text}{before}"))
    call(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-cache-dir",
        "--target",
        tmp_path / "site",
        f"--config-settings=build-dir={copy / 'build' / 'engine'}",
        "--config-settings=cmake.define.PYCORO_WERROR=ON",
        copy,
        cwd=copy,
    )
    test = copy / next(path for path in new if path.endswith(".ll"))
    # -S: an editable install of pycoro in this environment must not precede the copy.
    plain = f"env PYTHONPATH={tmp_path / 'site'} {sys.executable} -S -m pycoro"
    call("lit", "-v", f"--param=pycoro={plain}", test, cwd=copy)
    call(*plain.split(), "opt", "-disable-output", "-passes=coro-split<in-order>", test, cwd=copy)


def test_only_the_build_depends_on_the_name_of_the_tables(tmp_path):
    """A copy has its tables of LLVM in a directory for another version. The files that include a table compile."""
    copy = copy_of_checkout(tmp_path)
    tables = copy / "csrc" / "facts" / "23"
    (copy / "csrc" / "facts" / "22").rename(tables)
    build = copy / "build" / "engine"
    call("cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DPYCORO_LLVM_MAJOR=22", "-DPYCORO_LLVM_TABLES=23", cwd=copy)
    include = re.compile(r'^#include "(?:.*/)?(?:' + "|".join(path.name for path in tables.iterdir()) + ')"', re.MULTILINE)
    names = [str(path.relative_to(copy)) for path in (copy / "csrc").rglob("*.c") if include.search(path.read_text())]
    objects = [f"CMakeFiles/pycoro_objects.dir/{name}.o" for name in names if not name.startswith("csrc/py/")]
    assert len(objects) > 20
    call("cmake", "--build", build, "--target", *objects, cwd=copy)
