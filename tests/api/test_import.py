"""Importing pycoro: quiet, isolated, in any interpreter; stubs and annotations agree."""

from __future__ import annotations

import importlib.util
import inspect
import pathlib
import subprocess
import sys

import pytest

import pycoro

PACKAGE = pathlib.Path(pycoro.__file__).parent


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_import_is_quiet_and_needs_the_standard_library_only() -> None:
    ran = python(
        "import sys; before = set(sys.modules); import pycoro; new = set(sys.modules) - before\n"
        "print(sorted({m.partition('.')[0] for m in new} - sys.stdlib_module_names - {'pycoro'}))"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "[]\n", "")


def test_the_jit_is_imported_on_demand() -> None:
    ran = python(
        "import sys, pycoro\nassert 'pycoro.running.engine' not in sys.modules and 'Engine' in dir(pycoro)\n"
        "from pycoro import Engine, Handle\nassert pycoro.Engine is Engine\n"
        "try: pycoro.nothing\nexcept AttributeError as error: print(error)"
    )
    assert (ran.returncode, ran.stdout) == (0, "module 'pycoro' has no attribute 'nothing'\n"), ran.stderr


def test_a_failed_engine_import_suggests_a_fix() -> None:
    ran = python("import sys; sys.modules['pycoro._core'] = None\ntry: import pycoro\nexcept ImportError as error: print(error)")
    assert ran.stdout.startswith("cannot load pycoro's engine; it was not built"), ran.stderr
    assert "pip install ." in ran.stdout


def test_the_core_may_be_imported_first() -> None:
    ran = python("import pycoro._core as c; c.Module(b'')\ntry: c.Module(b'x')\nexcept Exception as e: print(type(e))")
    assert (ran.returncode, ran.stdout) == (0, "<class 'pycoro.errors.ParseError'>\n"), ran.stderr


def shown(member: str, value: object) -> bool:
    """Return whether help() shows a member separately: slots have their documentation next to the annotation."""
    return not member.startswith("_") and not inspect.ismemberdescriptor(value) and not isinstance(value, str)


def test_everything_public_exists_and_is_documented() -> None:
    for name in pycoro.__all__:
        thing = getattr(pycoro, name)
        if isinstance(thing, str):
            continue
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if shown(member, value) and (callable(value) or inspect.isdatadescriptor(value)):
                assert inspect.getdoc(value) or inspect.getdoc(getattr(thing.__mro__[1], member)), f"{name}.{member}"
    assert pycoro.__version__ == pycoro._core.VERSION
    assert pycoro.LLVM_VERSION.startswith("22.")


def test_an_exit_with_everything_alive_is_clean(counter: str) -> None:
    ran = python(
        f"import pycoro\nm = pycoro.Module({counter!r}); c = m.coroutines['counter']; f = c.frame\n"
        "r = pycoro.lower(m); ring = [m, c, f, r]; ring.append(ring); pycoro._core.keep = pycoro._core.Module(b'')"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


INTERPRETERS = "_interpreters" if importlib.util.find_spec("_interpreters") else "_xxsubinterpreters"


@pytest.mark.skipif(not importlib.util.find_spec(INTERPRETERS), reason="this Python has no module to make interpreters")
def test_subinterpreters_have_a_separate_core_or_fail_to_import() -> None:
    """An interpreter with a separate GIL loads only extensions that declare support; the limited API of 3.11 cannot declare
    it."""
    ran = python(
        f"import {INTERPRETERS} as interpreters, pycoro\n"
        "here = pycoro.Module('')\n"
        "there = interpreters.create()\n"
        "code = '''\n"
        "try:\n"
        "    from pycoro import _core\n"
        "except ImportError as error:\n"
        '    assert "subinterpreters" in str(error), error\n'
        "else:\n"
        '    assert _core.live()["modules"] == 0\n'
        '    m = _core.Module(b"")\n'
        '    assert _core.live()["modules"] == 1\n'
        "'''\n"
        "failure = interpreters.run_string(there, code)\n"
        "assert not failure, failure\n"
        "assert pycoro._core.live()['modules'] == 1\n"
        "interpreters.destroy(there)\n"
        "assert str(here)\n"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


STUBS_ALONE = "[mypy]\n[mypy-pycoro.*]\nfollow_imports = skip\n[mypy-pycoro._core]\nfollow_imports = normal\n"
"""stubtest's configuration: mypy has checked the modules that the stub imports, and stubtest reads no cache."""


@pytest.mark.slow
@pytest.mark.xdist_group("mypy")  # later tests read the cache that the first one writes
@pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed")
@pytest.mark.parametrize("command", [["mypy", "--strict", str(PACKAGE)], ["mypy.stubtest", "pycoro._core"]], ids=lambda c: c[0])
def test_annotations_and_stubs_agree(command: list[str], tmp_path: pathlib.Path) -> None:
    configuration = tmp_path / "stubs.ini"
    configuration.write_text(STUBS_ALONE)
    options = ["--mypy-config-file", str(configuration)] if command[0] == "mypy.stubtest" else []
    command = [sys.executable, "-m", *command, *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=PACKAGE.parent.parent)
    assert ran.returncode == 0, ran.stdout + ran.stderr
