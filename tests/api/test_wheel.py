"""The self-contained wheel of `./dev wheel`: it needs only CPython and the C library.

PYCORO_WHEEL names the file; without it the tests are skipped. PYCORO_ROOTS lists directories, separated by colons, each with
a small system and a CPython; the wheel is installed and run there by chroot, without an LLVM.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import textwrap
import venv
import zipfile

import pytest

WHEEL = os.environ.get("PYCORO_WHEEL", "")
ROOTS = [pathlib.Path(root) for root in os.environ.get("PYCORO_ROOTS", "").split(":") if root]
ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 40_000_000  # bytes of the file
SYSTEM = {"libc.so.6", "libm.so.6", "libz.so.1", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
"""Libraries that manylinux guarantees."""

HIDE = 'for found in /usr/lib/llvm-22/lib /usr/lib/llvm-22/bin; do mount -t tmpfs none $found; done; exec "$@"'
"""Hides LLVM in a mount namespace."""

pytestmark = [
    pytest.mark.skipif(not WHEEL, reason="PYCORO_WHEEL names no wheel: ./dev wheel makes one and runs this"),
    pytest.mark.xdist_group("wheel"),
]


def call(*command: str | pathlib.Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Python:
    """A virtual environment with the wheel and llvmlite, and a command prefix that hides LLVM."""

    version: str
    command: tuple[str | pathlib.Path, ...]
    bare: bool
    """True if LLVM is hidden: by a separate root, or by a mount namespace where that is allowed."""

    def run(self, program: str) -> str:
        return call(*self.command, "-c", textwrap.dedent(program))


def may_hide() -> bool:
    return subprocess.run(["unshare", "-m", "test", "-d", "/usr/lib/llvm-22"], capture_output=True, check=False).returncode == 0


def here(folder: pathlib.Path) -> Python:
    venv.create(folder, with_pip=True)
    found = folder / "bin" / "python"
    call(found, "-m", "pip", "install", "-q", WHEEL, "llvmlite")
    hidden = ("unshare", "-m", "sh", "-ec", HIDE, "-") if may_hide() else ()
    return Python("here", (*hidden, found), bool(hidden))


def within(root: pathlib.Path) -> Python:
    inside = root / "tmp" / "wheel"
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir()
    shutil.copy(WHEEL, inside)
    (system,) = (root / "usr" / "bin").glob("python3.[0-9][0-9]")
    call("chroot", root, f"/usr/bin/{system.name}", "-m", "venv", "/tmp/wheel/venv")
    found = "/tmp/wheel/venv/bin/python"
    call("chroot", root, found, "-m", "pip", "install", "-q", f"/tmp/wheel/{pathlib.Path(WHEEL).name}", "llvmlite")
    return Python(system.name, ("chroot", root, found), True)


@pytest.fixture(scope="module", params=[None, *ROOTS], ids=lambda root: root.name if root else "here")
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Python:
    root: pathlib.Path | None = request.param
    return within(root) if root else here(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("content")
    zipfile.ZipFile(WHEEL).extractall(folder)
    return folder / "pycoro" / "_core.abi3.so"


def test_its_name_and_its_size() -> None:
    assert "-cp311-abi3-manylinux_" in WHEEL
    assert pathlib.Path(WHEEL).stat().st_size < MOST
    assert any(name.endswith("LLVM-LICENSE.txt") for name in zipfile.ZipFile(WHEEL).namelist())


def test_it_needs_only_manylinux_libraries_and_exports_its_entry(extension: pathlib.Path) -> None:
    needed = {line.split("[")[1].rstrip("]") for line in call("readelf", "-d", extension).splitlines() if "(NEEDED)" in line}
    bundled = {name for name in needed if "-" in name and name.startswith("libzstd")}  # auditwheel renames bundled libraries
    assert needed - bundled <= SYSTEM
    names = call("nm", "-D", "--defined-only", extension).split()
    assert [name for name in names if name.startswith(("Py", "LLVM", "_ZN4llvm", "coro_"))] == ["PyInit__core"]


def test_it_lowers_and_runs_without_an_llvm(python: Python) -> None:
    ir = (ROOT / "docs" / "examples" / "squares.ll").read_text()
    program = f"""
        import os, pycoro
        module = pycoro.Module({ir!r})
        module.run("default<O2>")
        print(os.path.exists("/usr/lib/llvm-22/lib") and os.listdir("/usr/lib/llvm-22/lib") != [])
        seen = []
        outside = {{"square": lambda value: value * value, "print": seen.append}}
        with pycoro.Engine(pycoro.lower({ir!r}), externals=outside).start("squares", 3) as handle:
            handle.resume()
        print(seen)
    """
    found, seen = python.run(program).splitlines()
    assert seen == "[3, 9, 4]"
    assert found == "False" or not python.bare


def test_the_version_equals_the_wheel_s(python: Python) -> None:
    version = python.run("import sys, pycoro; print('python%d.%d' % sys.version_info[:2], pycoro.__version__)").split()
    assert version[0] == python.version or python.version == "here"
    assert version[1] == WHEEL.rsplit("/", 1)[-1].split("-")[1]


def test_commands(python: Python) -> None:
    """A new user's first commands, without a compiler."""
    said = python.run("import pycoro.cli; pycoro.cli.main(['doctor'])")
    assert "22." in said
    drawn = python.run("import pycoro.cli; pycoro.cli.main(['fuzz', '--count', '20', '--seed', '7'])")
    assert "0 " in drawn


@pytest.mark.parametrize("order", [("pycoro", "llvmlite.binding"), ("llvmlite.binding", "pycoro")], ids=lambda order: order[0])
def test_works_with_llvmlite_in_either_order(python: Python, order: tuple[str, str]) -> None:
    program = f"""
        import {order[0]}, {order[1]}
        import llvmlite.binding as llvm, pycoro
        llvm.initialize_native_target(); llvm.initialize_native_asmprinter()
        text = "define i32 @seven() {{\\n  ret i32 7\\n}}\\n"
        theirs = llvm.parse_assembly(text)
        theirs.verify()
        machine = llvm.Target.from_default_triple().create_target_machine()
        print(len(machine.emit_object(theirs)) > 0, pycoro.Engine(pycoro.lower(text)).call("seven"))
    """
    assert python.run(program).split() == ["True", "7"]


def test_targets(python: Python) -> None:
    program = """
        import pycoro
        for triple in ("aarch64-linux-gnu", "x86_64-linux-gnu", "wasm32-unknown-unknown", "sparc-linux-gnu"):
            module = pycoro.Module(f'target triple = "{triple}"\\ndefine void @f() {{\\n  ret void\\n}}\\n')
            try:
                print(len(module.emit()) > 0)
            except pycoro.Error as error:
                print(str(error).splitlines()[0])
    """
    *built, missing = python.run(program).splitlines()
    assert built == ["True"] * 3
    assert "sparc" in missing
