"""Third-party C++20 coroutine libraries, built with pycoro-c++ by their build systems; runs their tests.

    python tests/real/libraries.py [--folder FOLDER] [--compiler COMPILER] [NAME...]

All are Debian source packages, which are fetched into a directory outside of the repository; nothing is installed. A
library is skipped, with the reason, if it cannot be fetched or a package is missing. Prints a table; the
exit status is 1 if a test fails. `--compiler clang++-22` uses clang alone. With `--flags=-save-temps=obj` in a
new directory the presplit bitcode of each unit stays next to its object, for bench/levels.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path("/etc/apt/sources.list.d")
PYCORO = pathlib.Path(sys.executable).with_name("pycoro-c++")
HOUR = 3600


class Unavailable(Exception):
    """The reason why a library is unavailable."""


@dataclasses.dataclass(frozen=True)
class Build:
    """The configuration of a build: directory, sources, compiler, options and number of jobs."""

    folder: pathlib.Path
    tree: pathlib.Path
    compiler: str
    flags: str
    jobs: int


@dataclasses.dataclass(frozen=True)
class Library:
    """A source package, and its tests."""

    package: str
    suite: str
    """The Debian suite with this version."""
    passed: str
    """A pattern for a passed test."""
    failed: str
    """A pattern for a failed test; the group is its name."""
    needs: tuple[str, ...] = ()
    """Packages that must be installed: their programs, or files."""
    known: tuple[tuple[str, str], ...] = ()
    """Tests that are known to fail, by a substring of their names, with the reason why pycoro is right."""

    def commands(self, build: Build) -> list[list[str]]:
        """Return the commands that build and run the tests, in order."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Boost(Library):
    """Tests of a Boost library, from its Jamfile."""

    package: str = "boost1.81"
    suite: str = "bookworm"
    passed: str = r"^\*\*passed\*\*"
    failed: str = r"^\.\.\.failed (\S+ \S+?)\.\.\.$"
    place: str = ""
    """The directory of the Jamfile."""
    jamfile: str = ""
    """The Jamfile's text if Boost has none: the library's test that this release omits."""

    def commands(self, build: Build) -> list[list[str]]:
        b2 = shutil.which("b2") or unpacked_b2(build.folder)
        place = build.tree / self.place
        if self.jamfile:
            place.mkdir(exist_ok=True)
            (place / "Jamfile.v2").write_text(self.jamfile)
        user = build.folder / "user.jam"
        user.write_text(f'using clang : chosen : {build.compiler} : <cxxflags>"{build.flags}" ;\n')
        options = ["toolset=clang-chosen", "cxxstd=20", "variant=release", "link=static"]
        options.append(f"--build-dir={build.folder / 'boost-out'}")
        return [["env", "-C", str(place), b2, f"-j{build.jobs}", f"--user-config={user}", *options]]


@dataclasses.dataclass(frozen=True)
class CMake(Library):
    """Targets of a CMake project, and the test command in the build directory."""

    options: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    run: tuple[str, ...] = ()

    def commands(self, build: Build) -> list[list[str]]:
        out = str(build.folder / f"{self.package}-out")
        chosen = [
            f"-DCMAKE_CXX_COMPILER={build.compiler}",
            "-DCMAKE_C_COMPILER=clang-22",
            "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_FLAGS={build.flags}",
        ]
        return [
            ["cmake", "-S", str(build.tree), "-B", out, "-G", "Ninja", *chosen, *self.options],
            ["cmake", "--build", out, f"-j{build.jobs}", "--target", *self.targets],
            ["env", "-C", out, *self.run],
        ]


COUNTED = "counts the allocations of a frame that is elided, as C++ allows; passes without elision"
OUTCOME = """\
import testing ;
project : requirements <define>BOOST_TEST_MODULE=Outcome <library>../../../test/build//boost_unit_test_framework ;
run ../tests/coroutine-support.cpp ;
"""
QCORO = (
    "qcorotask",
    "qcorolazytask",
    "qcorogenerator",
    "qcoroasyncgenerator",
    "qcorosignal",
    "qcorothread",
    "qcoroprocess",
    "qcorowaitfor",
    "qtimer",
    "qfuture",
)
LEFT_OUT = ("BUILD_EXAMPLES", "WITH_QML", "WITH_QTWEBSOCKETS", "WITH_QTQUICK", "WITH_QTDBUS")
LIBRARIES: dict[str, Library] = {
    "asio": Boost(place="libs/asio/test/experimental/coro", known=(("/coro/allocator", COUNTED),)),
    "outcome": Boost(place="libs/outcome/test/coroutines", jamfile=OUTCOME),
    "beast": Boost(place="libs/beast/test/beast/_experimental"),
    "kj": CMake(
        "capnproto",
        "trixie",
        passed=r"^\[ PASS \]",
        failed=r"^\[ FAIL \] (.*?) \(\d",
        known=(("AsyncIo/AncillaryMessageHandler", "fails with clang alone, too, on a system that does not stamp messages"),),
        options=("-DCMAKE_CXX_STANDARD=20", "-DWITH_OPENSSL=OFF", "-DWITH_ZLIB=OFF"),
        targets=("kj-heavy-tests",),
        run=("src/kj/kj-heavy-tests",),
    ),
    "qcoro": CMake(
        "qcoro",
        "trixie",
        passed=r"^ *\d+/\d+ Test .* Passed ",
        failed=r"^\t *\d+ - (\S+) \(",
        needs=("/usr/include/x86_64-linux-gnu/qt5/QtCore/QObject", "/usr/include/x86_64-linux-gnu/qt5/QtTest/QTest"),
        options=("-DUSE_QT_VERSION=5", *(f"-DQCORO_{name}=OFF" for name in LEFT_OUT)),
        targets=tuple(f"test-{name}" for name in QCORO),
        run=("ctest", "-R", f"^test-({'|'.join(QCORO)})$"),
    ),
}


def call(*command: str | pathlib.Path, cwd: pathlib.Path) -> str:
    try:
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from None
    if done.returncode:
        raise Unavailable(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def sources(folder: pathlib.Path, library: Library) -> pathlib.Path:
    """Fetch the library's source with a private list of Debian sources, without touching the machine's."""
    tree = folder / library.package
    if tree.exists():
        return tree
    place = folder / library.suite
    lists, entry = place / "lists", place / "debian.sources"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    machine = [part for file in SOURCES.glob("*.sources") for part in file.read_text().split("\n\n") if "Types: deb" in part]
    if not machine:
        raise Unavailable("no source of Debian's packages is set up here")
    source = re.sub(r"(?m)^Types:.*", "Types: deb-src", machine[0])
    entry.write_text(re.sub(r"(?m)^Suites:.*", f"Suites: {library.suite}", source))
    options = [f"Dir::Etc::SourceList={entry}", "Dir::Etc::SourceParts=-", f"Dir::State::Lists={lists}"]
    apt = ["apt-get", "-q", *(word for option in options for word in ("-o", option))]
    call(*apt, "update", cwd=place)
    call(*apt, "source", "--download-only", "--tar-only", library.package, cwd=place)
    archive = next(place.glob(f"{library.package}_*.orig.tar.*"))
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        call("tar", "xf", archive, "-C", unpacked, cwd=folder)
        next(pathlib.Path(unpacked).iterdir()).rename(tree)
    return tree


def unpacked_b2(folder: pathlib.Path) -> str:
    """Unpack Boost's build system from a package, without installing it."""
    call("apt-get", "-q", "download", "libboost1.81-tools-dev", cwd=folder)
    call("dpkg", "-x", next(folder.glob("libboost*-tools-dev*.deb")), folder / "tools", cwd=folder)
    return str(folder / "tools" / "usr" / "bin" / "b2")


def count_results(library: Library, output: str, status: int) -> tuple[bool, str]:
    """Return whether the tests passed, and their number."""
    passed = len(re.findall(library.passed, output, re.MULTILINE))
    failed = re.findall(library.failed, output, re.MULTILINE)
    why = {name: next((why for part, why in library.known if part in name), "") for name in failed}
    said = "".join(f"; {pathlib.PurePath(name).name}: {why or 'FAILED'}" for name, why in why.items())
    fine = passed and all(why.values()) and (status == 0 or failed)
    return bool(fine), f"{passed} passed, {len(failed)} failed{said}"


def build_and_test(name: str, folder: pathlib.Path, compiler: str, flags: str, jobs: int) -> str:
    """Return a row of the table."""
    library = LIBRARIES[name]
    begun = time.monotonic()
    try:
        missing = [path for path in library.needs if not pathlib.Path(path).exists()]
        if missing:
            raise Unavailable(f"{missing[0]} is not installed")
        commands = library.commands(Build(folder, sources(folder, library), compiler, flags, jobs))
    except Unavailable as why:
        return f"| {name} | skipped | {why} | |"
    output, status = "", 0
    env = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    for command in commands:
        told_by = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
        done = subprocess.run(command, **told_by, check=False, env=env, timeout=HOUR)  # type: ignore[call-overload]
        output, status = output + done.stdout, done.returncode
        if status:
            break
    (folder / f"{name}.log").write_text(output)
    fine, said = count_results(library, output, status)
    return f"| {name} | {'passed' if fine else 'FAILED'} | {said} | {time.monotonic() - begun:.0f} s |"


def main() -> int:
    parser = argparse.ArgumentParser(description="real coroutine libraries, built with pycoro-c++ and tested")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}; none: all")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir(), "pycoro-libraries"))
    parser.add_argument("--compiler", default=str(PYCORO))
    parser.add_argument("--flags", default="", help="more options of the compiler's")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in LIBRARIES]
    if unknown:
        parser.error(f"there is no library {unknown[0]!r}: {', '.join(LIBRARIES)}")
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| library | tests | | time |\n| --- | --- | --- | --- |", flush=True)
    rows = []
    for name in arguments.names or LIBRARIES:
        rows.append(build_and_test(name, folder, arguments.compiler, arguments.flags, arguments.jobs))
        print(rows[-1], flush=True)
    return 1 if any("FAILED" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
