"""C++20 coroutine libraries that are not ours, built with pycoro-c++ by their own build system, and their own tests run.

    python tests/real/libraries.py [--folder FOLDER] [--compiler COMPILER] [NAME...]

Debian's source package of Boost holds several; its `b2` comes from a package, too. Both are fetched into the folder, outside of
the repository, and nothing is installed. A library that cannot be fetched is skipped, with the reason. Prints a table; the exit
status is 1 where a test fails. `--compiler clang++-22` does the same with clang alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

VERSION = "1.81"
SOURCES = pathlib.Path("/etc/apt/sources.list.d")
PYCORO = pathlib.Path(sys.executable).with_name("pycoro-c++")


@dataclasses.dataclass(frozen=True)
class Library:
    """Tests of a library, as its Jamfile has them."""

    folder: str
    """Of the Jamfile, below Boost's."""
    jamfile: str = ""
    """What stands there where Boost has none: its own test that this release's Jamfile leaves out."""


OUTCOME = """\
import testing ;
project : requirements <define>BOOST_TEST_MODULE=Outcome <library>../../../test/build//boost_unit_test_framework ;
run ../tests/coroutine-support.cpp ;
"""
LIBRARIES = {
    "asio": Library("libs/asio/test/experimental/coro"),
    "outcome": Library("libs/outcome/test/coroutines", OUTCOME),
    "beast": Library("libs/beast/test/beast/_experimental"),
}


class Unavailable(Exception):
    """Why a library cannot be fetched."""


def call(*command: str | pathlib.Path, cwd: pathlib.Path) -> str:
    try:
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from None
    if done.returncode:
        raise Unavailable(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def sources(folder: pathlib.Path) -> pathlib.Path:
    """Boost's, by a list of Debian's sources of its own, so that the machine's is left alone."""
    tree = folder / "boost"
    if (tree / "Jamroot").exists():
        return tree
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    entries = [re.sub(r"(?m)^Types:.*", "Types: deb-src", file.read_text()) for file in SOURCES.glob("*.sources")]
    (folder / "debian.sources").write_text("\n\n".join(entries))
    options = [f"Dir::Etc::SourceList={folder / 'debian.sources'}", "Dir::Etc::SourceParts=-", f"Dir::State::Lists={lists}"]
    apt = ["apt-get", "-q", *(word for option in options for word in ("-o", option))]
    call(*apt, "update", cwd=folder)
    call(*apt, "source", "--download-only", f"boost{VERSION}", cwd=folder)
    archive = next(folder.glob(f"boost{VERSION}_*.orig.tar.*"))
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        call("tar", "xf", archive, "-C", unpacked, cwd=folder)
        next(pathlib.Path(unpacked).iterdir()).rename(tree)
    return tree


def builder(folder: pathlib.Path) -> pathlib.Path:
    """b2: of the machine, or from a package that is unpacked and not installed."""
    if found := shutil.which("b2"):
        return pathlib.Path(found)
    call("apt-get", "-q", "download", f"libboost{VERSION}-tools-dev", cwd=folder)
    call("dpkg", "-x", next(folder.glob("libboost*-tools-dev*.deb")), folder / "tools", cwd=folder)
    return folder / "tools" / "usr" / "bin" / "b2"


def examine(name: str, folder: pathlib.Path, compiler: str, jobs: int) -> str:
    """A row of the table."""
    library = LIBRARIES[name]
    try:
        tree, b2 = sources(folder), builder(folder)
    except Unavailable as why:
        return f"| {name} | skipped | {why} | |"
    if library.jamfile:
        (tree / library.folder).mkdir(exist_ok=True)
        (tree / library.folder / "Jamfile.v2").write_text(library.jamfile)
    (folder / "user.jam").write_text(f"using clang : chosen : {compiler} ;\n")
    begun = time.monotonic()
    command = [b2, f"-j{jobs}", f"--user-config={folder / 'user.jam'}", "toolset=clang-chosen", "cxxstd=20", "variant=release",
               "link=static", f"--build-dir={folder / 'out'}"]  # fmt: skip
    done = subprocess.run(
        [*map(str, command)], cwd=tree / library.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    (folder / f"{name}.log").write_text(done.stdout)
    passed = len(re.findall(r"^\*\*passed\*\*", done.stdout, re.MULTILINE))
    failed = re.findall(r"^\.\.\.failed (\S+ \S+?)\.\.\.$", done.stdout, re.MULTILINE)
    fine = done.returncode == 0 and passed and not failed
    told = f"{passed} tests passed, {len(failed)} steps failed"
    return f"| {name} | {'passed' if fine else 'FAILED'} | {told} | {time.monotonic() - begun:.0f} s |"


def main() -> int:
    parser = argparse.ArgumentParser(description="real coroutine libraries, built with pycoro-c++ and tested")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}; none: all")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir(), "pycoro-libraries"))
    parser.add_argument("--compiler", default=str(PYCORO))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in LIBRARIES]
    if unknown:
        parser.error(f"there is no library {unknown[0]!r}: {', '.join(LIBRARIES)}")
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| library | tests | | time |\n| --- | --- | --- | --- |")
    rows = []
    for name in arguments.names or LIBRARIES:
        rows.append(examine(name, folder, arguments.compiler, arguments.jobs))
        print(rows[-1], flush=True)
    return 1 if any("FAILED" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
