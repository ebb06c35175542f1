"""The self-contained wheels of `nox -s wheel`: they need only CPython and glibc 2.28 or later.

PYCORO_WHEELS names the directory with the wheels; without it the tests are skipped. PYCORO_PYTHONS lists interpreters in
minimal systems without LLVM as `ROOT=PATH`, separated by spaces. pip chooses the wheel for each.
"""

from __future__ import annotations

import dataclasses
import email.message
import email.parser
import os
import pathlib
import shutil
import subprocess
import textwrap
import zipfile

import pytest

WHEELS = sorted(pathlib.Path(os.environ.get("PYCORO_WHEELS", "/nonexistent")).glob("*.whl"))
PYTHONS = os.environ.get("PYCORO_PYTHONS", "").split()
ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 40_000_000  # bytes of a file
TAGS = ["cp311-abi3-manylinux_2_28_x86_64", "cp313-cp313t-manylinux_2_28_x86_64"]
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
"""Libraries that every system with glibc has. libgcc_s is the host's, so that exceptions cross compiled code."""

WEAK = {"__gmon_start__", "__morestack", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"}
"""Symbols that no library needs to define."""

ENTER = 'mount -t proc proc "$0/proc"; mount -t tmpfs shm "$0/dev/shm"; exec chroot "$0" "$@"'
"""Runs a command in a system, in a mount namespace. The library reads /proc to observe its child processes. Semaphores of
multiprocessing need /dev/shm."""

pytestmark = [
    pytest.mark.skipif(not WHEELS, reason="PYCORO_WHEELS names no wheels: ./dev wheel builds them and runs this"),
    pytest.mark.xdist_group("wheel"),
]


def call(*command: str | pathlib.Path, folder: pathlib.Path | None = None) -> str:
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Python:
    """An interpreter of a virtual environment in a minimal system, with the wheel and, if it has one, llvmlite."""

    root: pathlib.Path
    path: str

    def call(self, *arguments: str) -> str:
        return call("unshare", "-m", "sh", "-ec", ENTER, self.root, self.path, *arguments)

    def run(self, program: str) -> str:
        return self.call("-c", textwrap.dedent(program))

    @property
    def is_free_threaded(self) -> bool:
        return self.path.endswith("t")

    def install(self, *arguments: str) -> None:
        self.call("-m", "pip", "install", "-q", "--only-binary", ":all:", *arguments)


@pytest.fixture(scope="module", params=PYTHONS, ids=lambda python: python.rpartition("/roots/")[2])
def python(request: pytest.FixtureRequest) -> Python:
    root, _, path = request.param.partition("=")
    folder = pathlib.Path(root) / "tmp" / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for wheel in WHEELS:
        shutil.copy(wheel, folder)
    Python(pathlib.Path(root), f"/{path}").call("-m", "venv", "/tmp/wheel/venv")
    python = Python(pathlib.Path(root), f"/tmp/wheel/venv/bin/{pathlib.Path(path).name}")
    python.install("--no-index", "--find-links", "/tmp/wheel", "pycoro-llvm")
    return python


@pytest.fixture(scope="module", params=WHEELS, ids=lambda wheel: wheel.name.split("-")[2])
def wheel(request: pytest.FixtureRequest) -> zipfile.ZipFile:
    return zipfile.ZipFile(request.param)


@pytest.fixture(scope="module")
def extension(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    (name,) = (name for name in wheel.namelist() if name.startswith("pycoro/_core.") and name.endswith(".so"))
    return pathlib.Path(wheel.extract(name, tmp_path_factory.mktemp("content")))


def read_metadata(wheel: zipfile.ZipFile) -> email.message.Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.parser.BytesParser().parsebytes(wheel.read(name))


def test_names_and_sizes() -> None:
    assert [wheel.stem.split("-", 2)[2] for wheel in WHEELS] == TAGS
    assert max(wheel.stat().st_size for wheel in WHEELS) < MOST


def test_licenses_of_everything_inside(wheel: zipfile.ZipFile) -> None:
    metadata = read_metadata(wheel)
    expression, files = metadata["License-Expression"].split(" AND "), metadata.get_all("License-File", [])
    assert {"Apache-2.0", "Apache-2.0 WITH LLVM-exception", "GPL-3.0-or-later WITH GCC-exception-3.1"} <= set(expression)
    assert {"LICENSE", "LLVM.txt", "glibc.txt", "libstdc++.txt", "zlib.txt", "zstd.txt"} == set(files)
    inside = {name.partition(".dist-info/licenses/")[2] for name in wheel.namelist()} - {""}
    assert inside == set(files)


def test_it_needs_only_old_glibc_and_exports_its_entry(extension: pathlib.Path) -> None:
    needed = {line.split("[")[1].rstrip("]") for line in call("readelf", "-d", extension).splitlines() if "(NEEDED)" in line}
    assert needed <= SYSTEM
    names = call("nm", "-D", "--defined-only", extension).split()
    assert [name for name in names if name.startswith(("Py", "LLVM", "_ZN4llvm", "coro_"))] == ["PyInit__core"]


def test_every_symbol_has_a_definition(extension: pathlib.Path) -> None:
    """A symbol that glibc 2.28 lacks is missing from cmake/old_glibc.c. The linker does not report it."""
    names = {line.split()[-1] for line in call("nm", "-D", "--undefined-only", extension).splitlines()}
    missing = {name for name in names if "@" not in name and not name.startswith(("Py", "_Py"))}
    assert missing <= WEAK


def test_first_use(python: Python) -> None:
    assert not (python.root / "usr" / "lib" / "llvm-22").exists()
    assert python.run((ROOT / "tests" / "wheel" / "first_use.py").read_text()).startswith("OK ")


def test_the_version_equals_the_wheel_s(python: Python) -> None:
    assert python.run("import pycoro; print(pycoro.__version__)").strip() == WHEELS[0].name.split("-")[1]


def test_commands(python: Python) -> None:
    """A new user's first commands, without a compiler."""
    said = python.run("import pycoro.cli; pycoro.cli.main(['doctor'])")
    assert "22." in said
    drawn = python.run("import pycoro.cli; pycoro.cli.main(['fuzz', '--count', '20', '--seed', '7'])")
    assert "0 " in drawn


def test_threads(python: Python) -> None:
    """The tests of threads of a checkout, under the free-threaded CPython."""
    if not python.is_free_threaded:
        pytest.skip("a checkout's own tests cover CPython with the GIL")
    inside = python.root / "tmp" / "wheel" / "checkout"
    for folder in ("tests/api", "bench"):
        shutil.copytree(ROOT / folder, inside / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", inside)
    python.install("pytest", "hypothesis<6.140")  # the last versions without compiled code
    files = [f"/tmp/wheel/checkout/tests/api/test_{name}.py" for name in ("threads", "engine_threads", "ir_builder_threads")]
    assert " passed" in python.call("-m", "pytest", "-q", "-p", "no:cacheprovider", *files)


@pytest.mark.parametrize("order", [("pycoro", "llvmlite.binding"), ("llvmlite.binding", "pycoro")], ids=lambda order: order[0])
def test_works_with_llvmlite_in_either_order(python: Python, order: tuple[str, str]) -> None:
    if python.is_free_threaded:
        pytest.skip("llvmlite has no wheel for free-threaded 3.13")
    python.install("llvmlite")
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
