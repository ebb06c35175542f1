"""Installed files: the wheel, and the C library for programs without Python."""

from __future__ import annotations

import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import pytest
from snippets import blocks, commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial" / "c.md"
COUNTER = "define void @nothing() {\n  ret void\n}\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("packaging"),
    pytest.mark.skipif(not (ROOT / "CMakeLists.txt").exists(), reason="not run in a checkout"),
    pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ninja") is None, reason="cmake or ninja is not installed"),
]


def call(*command: str | pathlib.Path, cwd: pathlib.Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def exported(library: pathlib.Path) -> set[str]:
    lines = call("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines if line.split()[1] != "A"}


@pytest.fixture(scope="module")
def objects():
    """Return the build directory of the wheel and of the C library. Its options, and the relative paths from it to the sources,
    are those of `./dev setup`, whose objects ccache has."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="packaging-") as folder:
        yield folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, objects):
    pytest.importorskip("scikit_build_core")
    out = tmp_path_factory.mktemp("wheel")
    call(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-cache-dir",
        "-w",
        out,
        f"--config-settings=build-dir={objects}",
        "--config-settings=cmake.define.PYCORO_WERROR=ON",
        ROOT,
    )
    (found,) = out.glob("*.whl")
    return found


def test_one_wheel_serves_every_python_from_3_11(wheel):
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    modules |= {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("page/*.*")}
    modules |= {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.txt")}
    assert {"pycoro/_core.abi3.so", "pycoro/_core.pyi", "pycoro/py.typed", *modules} <= set(names)
    assert all(name.startswith(("pycoro/", "pycoro_driver/", "pycoro_llvm-0.")) for name in names)
    assert not any(name.endswith((".a", ".h", ".c", ".pyc")) for name in names)


def test_the_long_description_has_absolute_links(wheel):
    (name,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(zipfile.ZipFile(wheel).read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = metadata.get_payload(decode=True).decode()
    links, source = re.findall(r"\]\(([^)\s]+)\)", text), "https://github.com/pycoro-llvm/pycoro/blob/main/"
    assert len(links) > 20 and [link for link in links if not link.startswith("https://")] == []
    assert f"[quick start]({source}docs/quick-start.md)" in text
    pictures = re.findall(r"!\[[^\]]*\]\((\S+)\)", text)
    assert [picture.rpartition("/main/")[0] for picture in pictures] == ["https://raw.githubusercontent.com/pycoro-llvm/pycoro"] * 2
    for link in links:
        assert "/main/" not in link or (ROOT / link.rpartition("/main/")[2]).exists(), link


def test_the_libraries_export_only_their_entries(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    assert exported(tmp_path / "pycoro" / "_core.abi3.so") == {"PyInit__core"}
    assert exported(tmp_path / "pycoro_driver" / "clang_plugin.so") == {"llvmGetPassPluginInfo"}


def test_the_wheel_works_in_any_directory(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = f"import pycoro; assert pycoro.__file__.startswith({str(tmp_path)!r}); print(pycoro.Module({COUNTER!r}))"
    out = call(sys.executable, "-S", "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "define void @nothing()" in out
    calls = f"from pycoro import Engine, Interpreter, Module; m = Module({COUNTER!r}); Engine(m).call('nothing'); Interpreter(m)"
    call(sys.executable, "-S", "-c", calls, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    call(sys.executable, "-S", "-m", "pycoro", "doctor", cwd=tmp_path, PYTHONPATH=str(tmp_path))


def test_warnings_are_errors_on_request_only(tmp_path):
    for option, asked in (([], False), (["-DPYCORO_WERROR=ON"], True)):
        build = tmp_path / str(asked)
        call("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *option)
        assert (" -Werror" in (build / "build.ninja").read_text()) == asked


@pytest.fixture(scope="module")
def prefix(tmp_path_factory, objects, wheel):
    out = tmp_path_factory.mktemp("c-prefix")
    call("cmake", "-S", ROOT, "-B", objects, "-G", "Ninja", "-USKBUILD*", "-UPYCORO_*", "-DPYCORO_WERROR=ON")
    call("cmake", "--build", objects)
    call("cmake", "--install", objects, "--prefix", out)
    return out


def test_the_c_library_exports_its_public_api_alone(prefix):
    (library,) = prefix.glob("lib/**/libpycoro.so")
    names = exported(library)
    assert "coro_run" in names
    headers = sorted((prefix / "include" / "pycoro").glob("*.h"))
    assert [path.name for path in headers] == ["pycoro.h", "pycoro_custom.h"]
    header = "".join(path.read_text() for path in headers)
    assert {name for name in names if f"{name}(" not in header} == set()


def check_example(program: pathlib.Path, folder: pathlib.Path, prefix: pathlib.Path) -> None:
    (folder / "in.ll").write_text(COUNTER)
    libraries = os.pathsep.join({str(path.parent) for path in prefix.glob("lib/**/libpycoro.so")})
    assert "define void @nothing()" in call(program, folder / "in.ll", LD_LIBRARY_PATH=libraries)


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_a_c_program_finds_the_library_by_cmake(prefix, tmp_path, kind):
    target = "pycoro::pycoro" if kind == "shared" else "pycoro::pycoro_static"
    shutil.copy(ROOT / "examples" / "lower.c", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(user C)\nfind_package(pycoro 0.1 REQUIRED)\n"
        f"add_executable(lower lower.c)\ntarget_link_libraries(lower {target})\n"
    )
    call("cmake", "-S", tmp_path, "-B", tmp_path / "b", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", tmp_path / "b")
    check_example(tmp_path / "b" / "lower", tmp_path, prefix)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
def test_a_c_program_finds_the_library_by_pkg_config(prefix, tmp_path):
    (file,) = prefix.glob("lib/**/pycoro.pc")
    flags = call("pkg-config", "--cflags", "--libs", "pycoro", PKG_CONFIG_PATH=str(file.parent)).split()
    call(
        "cc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        ROOT / "examples" / "lower.c",
        *flags,
        "-o",
        tmp_path / "lower",
    )
    check_example(tmp_path / "lower", tmp_path, prefix)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
@pytest.mark.parametrize("name", ["generator", "downloads"])
def test_the_coroutines_of_the_tutorial_are_built_through_llvm_c_alone(prefix, tmp_path, name):
    (file,) = prefix.glob("lib/**/pycoro.pc")
    flags = call("pkg-config", "--cflags", "--libs", "pycoro", PKG_CONFIG_PATH=str(file.parent)).split()
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    call("cc", *strict, ROOT / "examples" / f"{name}.c", *flags, "-o", tmp_path / name)
    shown = {command: output for block in blocks("console") for command, output in commands(block.text) if block.page == TUTORIAL}
    assert call(tmp_path / name, LD_LIBRARY_PATH=str(file.parents[1])) == shown[f"./{name}"]


def test_the_header_is_c11_and_c_plus_plus(prefix, tmp_path):
    llvm = call("cmake", "-S", ROOT, "-B", tmp_path / "b", "-G", "Ninja")
    include = pathlib.Path(llvm.partition("Found LLVM ")[2].splitlines()[0].partition(": ")[2]).parents[1] / "include"
    for compiler, standard in (("cc", "c11"), ("c++", "c++17")):
        if shutil.which(compiler):
            source = tmp_path / f"only.{'c' if compiler == 'cc' else 'cpp'}"
            source.write_text('#include "pycoro.h"\n')
            call(
                compiler,
                f"-std={standard}",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-fsyntax-only",
                f"-I{prefix / 'include' / 'pycoro'}",
                "-isystem",
                include,
                source,
            )


@pytest.mark.parametrize(
    ("choice", "finding"),
    [
        ("-DLLVM_CONFIG={}/llvm-config", "LLVM 14.0.6"),
        ("-DLLVM_ROOT={}", "LLVM 14.0.6"),
        ("-DLLVM_ROOT=/nowhere", "no LLVM at all"),
    ],
)
def test_another_llvm_version_is_rejected_in_one_sentence(tmp_path, choice, finding):
    (tmp_path / "llvm-config").write_text("#!/bin/sh\nprintf '14.0.6\\n/x/include\\n/x/lib\\n/x/bin\\n'\n")
    (tmp_path / "llvm-config").chmod(0o755)
    package = tmp_path / "lib" / "cmake" / "llvm"
    package.mkdir(parents=True)
    (package / "LLVMConfig.cmake").write_text("message(FATAL_ERROR loaded)\n")
    (package / "LLVMConfigVersion.cmake").write_text("set(PACKAGE_VERSION 14.0.6)\n")
    done = subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(tmp_path / "b"), "-G", "Ninja", choice.format(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    sentence = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert f"pycoro needs LLVM 22 and found {finding}" in sentence
    assert "apt-get install llvm-22-dev" in sentence


def test_a_missing_llvm_error_has_install_instructions(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    core = tmp_path / "pycoro" / "_core.abi3.so"
    asked, absent = b"libLLVM.so.22.1\0", b"libLLVM.so.22.X\0"
    assert asked in core.read_bytes()
    core.write_bytes(core.read_bytes().replace(asked, absent))
    done = subprocess.run(
        [sys.executable, "-S", "-m", "pycoro", "doctor"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "apt-get install libllvm22" in last
    assert "libLLVM.so.22.X" in last


def test_a_package_without_its_engine_says_so(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (tmp_path / "pycoro" / "_core.abi3.so").unlink()
    code = "import pycoro"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
    )
    assert "./dev setup" in done.stderr.splitlines()[-1]
